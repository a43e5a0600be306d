/** `tendril sweep`: runs a study, or a shard of it, on this machine; repeating the command continues where it stopped. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  countFailures,
  type DataSummary,
  type End,
  listRuns,
  type Outcome,
  openStore,
  type Progress,
  type Runs,
  readRecord,
  readStudy,
  runLocally,
  runThroughQueue,
  type Shard,
  type Store,
  type Study,
} from '@tendril-sim/sweep';
import { exitCode, UsageError } from '../exit.ts';
import { ensureFolder } from '../folder.ts';
import { type Interrupt, withInterrupt } from '../interrupt.ts';
import { lockFolder } from '../lock.ts';
import { checkFirstRun } from '../sweep/check.ts';
import { writeCsv } from '../sweep/csv.ts';
import { bad, createSweepProgress, formatOutcome } from '../sweep/progress.ts';
import { doubtful, formatDuration, formatWarning, good, type Terminal } from '../terminal.ts';
import { version } from '../version.ts';

export interface SweepOptions {
  readonly out?: string;
  readonly workers?: number;
  readonly shard?: Shard;
  readonly queue?: string;
  readonly priority?: number;
  readonly csv?: boolean;
  readonly dryRun?: boolean;
  readonly retryFailed?: boolean;
  readonly force?: boolean;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

export async function sweep(file: string, options: SweepOptions, terminal: Terminal): Promise<number> {
  if (existsSync(file) && statSync(file).isDirectory())
    throw new UsageError(`'${file}' is a folder; name the study file, such as study.yaml`);
  const study = await readStudy(file, version);
  const warnings = await checkFirstRun(study);
  const runs = listRuns(study, options.shard);
  const say = (text: string): void => void (options.quiet || terminal.err(text));
  say(describeStudy(study, runs, options.shard));
  for (const warning of warnings) say(`  ${doubtful(warning)}\n`);
  if (options.dryRun) return exitCode.done;
  const folder = folderOf(study, options);
  refuseOtherVersion(folder, options);
  ensureFolder(folder);
  const unlock = lockFolder(folder);
  try {
    return await withInterrupt((interrupt) => sweepInto({ folder, study, runs, options, terminal, interrupt }));
  } finally {
    unlock();
  }
}

/** out/<name>-sweep, with a separate folder for a shard. */
function folderOf(study: Study, { out, shard }: SweepOptions): string {
  const folder = out ?? join('out', `${study.plan.name}-sweep`);
  return shard ? join(folder, 'shards', `${shard.number}-of-${shard.of}`) : folder;
}

/** Refuses to continue a study of another version, because all runs would be repeated. */
function refuseOtherVersion(folder: string, { force }: SweepOptions): void {
  const record = existsSync(folder) ? readRecord(folder) : undefined;
  if (!record || record.version === version || force) return;
  throw new UsageError(
    `'${folder}' has runs of version ${record.version}, but this is ${version}; results of two versions cannot be mixed\n  choose another --out, or add --force to replace them`,
  );
}

function describeStudy(study: Study, runs: Runs, shard: Shard | undefined): string {
  const part = shard ? `shard ${shard.number} of ${shard.of}: ` : '';
  const twice = runs.duplicates > 0 ? `, ${runs.duplicates} identical to others and computed once` : '';
  return `${study.plan.title}: ${part}${runs.count} ${runs.count === 1 ? 'run' : 'runs'} of ${study.plan.command}${twice}\n`;
}

interface Job {
  readonly folder: string;
  readonly study: Study;
  readonly runs: Runs;
  readonly options: SweepOptions;
  readonly terminal: Terminal;
  readonly interrupt: Interrupt;
}

async function sweepInto(job: Job): Promise<number> {
  const { folder, study, runs, options, terminal, interrupt } = job;
  const store = await openStore(folder, {
    study,
    runs,
    ...(options.shard && { shard: options.shard }),
    retryFailed: options.retryFailed,
  });
  const progress = createSweepProgress(terminal, options.quiet === true);
  try {
    if (store.done > 0 && !options.quiet) terminal.err(`  ${store.done} of them are finished already\n`);
    const start = performance.now();
    const end = await runStudy(job, store, {
      isInterrupted: () => interrupt.requested,
      onProgress: (state: Progress) => progress.update(state),
      onFailure: (outcome: Outcome) => progress.note(formatOutcome(outcome)),
    });
    progress.done();
    const summary = await store.finish();
    if (options.csv) await writeCsv(folder);
    report({ folder, summary, end, wall: (performance.now() - start) / 1000 }, options, terminal);
    if (end === 'interrupted') return exitCode.interrupted;
    return countFailures(summary.counts) > 0 ? exitCode.failed : exitCode.done;
  } finally {
    progress.done();
    store.close();
  }
}

type Hooks = Pick<NonNullable<Parameters<typeof runLocally>[3]>, 'isInterrupted' | 'onProgress' | 'onFailure'>;

async function runStudy(job: Job, store: Store, hooks: Hooks): Promise<End> {
  const { study, runs, options, terminal } = job;
  const say = (text: string): void => void (options.quiet || terminal.err(formatWarning(text)));
  if (store.done === runs.count) return 'complete';
  const url = options.queue ?? (process.env.TENDRIL_QUEUE || undefined);
  if (url !== undefined && !options.shard)
    return runThroughQueue(study, runs, store, { ...hooks, url, priority: options.priority ?? study.priority, say });
  return runLocally(study, runs, store, {
    ...hooks,
    ...(options.workers !== undefined && { workers: options.workers }),
  });
}

interface Finished {
  readonly folder: string;
  readonly summary: DataSummary;
  readonly end: End;
  readonly wall: number;
}

const endings: Readonly<Record<End, string>> = {
  complete: 'done',
  interrupted: 'interrupted; the same command resumes the study',
  deadline: 'stopped at the deadline; the same command resumes the study',
  converged: 'stopped: the mean is known well enough',
};

function report({ folder, summary, end, wall }: Finished, { quiet, json }: SweepOptions, terminal: Terminal): void {
  if (json) terminal.out(`${JSON.stringify({ folder, end, wallSeconds: wall, ...summary }, null, 2)}\n`);
  if (quiet) return;
  const failed = countFailures(summary.counts);
  const mark = end === 'interrupted' ? bad('■') : failed > 0 ? bad('✗') : good('✓');
  const counts = Object.entries(summary.counts)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ');
  const print = json ? terminal.err : terminal.out;
  print(
    `${mark} ${endings[end]}: ${summary.runs} of ${summary.total} runs in ${formatDuration(wall)}${counts === '' ? '' : `: ${counts}`}\n`,
  );
  print(`  data set ${summary.hash}\n  ${join(folder, 'data')}\n`);
}
