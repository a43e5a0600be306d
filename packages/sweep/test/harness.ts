/** Folders with a scene and studies for tests, and the command line as a process of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version } from '../../cli/src/version.ts';
import { type End, type RunOptions, runLocally } from '../src/local.ts';
import type { Outcome } from '../src/run/execute.ts';
import { type DataSummary, openStore, readOutcomes, type Store } from '../src/store/store.ts';
import { readStudy } from '../src/study/plan.ts';
import type { Study } from '../src/study/planTypes.ts';
import { listRuns, type Runs, type Shard } from '../src/study/runs.ts';

const bin = fileURLToPath(new URL('../../cli/bin/tendril.mjs', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts `tendril …`; the tests kill it when they like. */
export function start(
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv; readonly shell?: string },
): Running {
  const words =
    options.shell === undefined
      ? [process.execPath, bin, ...args]
      : ['sh', '-c', `${options.shell} exec "$@"`, 'sh', process.execPath, bin, ...args];
  const child = spawn(words[0], words.slice(1), {
    cwd: options.cwd,
    env: { ...process.env, NO_COLOR: '1', ...options.env },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  return {
    child,
    ended: new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, out, err }))),
  };
}

export function tendril(args: readonly string[], cwd: string, env?: NodeJS.ProcessEnv): Promise<Ended> {
  return start(args, { cwd, ...(env && { env }) }).ended;
}

export interface Finished extends DataSummary {
  readonly end: End;
  /** Runs that were finished before. */
  readonly before: number;
  /** In the order of the runs. */
  readonly outcomes: readonly Outcome[];
}

export interface StudyOptions extends RunOptions {
  readonly shard?: Shard;
  readonly retryFailed?: boolean;
  /** How the runs are made; default: on this machine. */
  readonly run?: (study: Study, runs: Runs, store: Store) => Promise<End>;
}

/** Runs a study as the command does, in this process: tests that share a pool of workers take a tenth of the time. */
export async function runStudy(path: string, out: string, options: StudyOptions = {}): Promise<Finished> {
  const study = await readStudy(path, version);
  const runs = listRuns(study, options.shard);
  const store = await openStore(out, { study, runs, retryFailed: options.retryFailed });
  try {
    const before = store.done;
    const end = await (options.run ?? ((...args) => runLocally(...args, options)))(study, runs, store);
    const summary = await store.finish();
    const outcomes: Outcome[] = [];
    for await (const outcome of readOutcomes(out)) outcomes.push(outcome);
    return { ...summary, end, before, outcomes: outcomes.sort((a, b) => a.index - b.index) };
  } finally {
    store.close();
  }
}

export interface Bench {
  readonly folder: string;
  /** Path of a file in the folder. */
  at(name: string): string;
  write(name: string, text: string): void;
  read(name: string): string;
  json<T>(name: string): T;
  remove(): void;
}

/** A rod that is held at one end; probe `tip`. */
export const rodScene = `tendril: 1
gravity: [0, 0, -9.81]
rods:
  - id: rod
    shape: { type: straight, from: [0, 0, 0], to: [20 cm, 0, 0] }
    edges: 10
    section: { type: circle, radius: 1 mm }
    material: { E: 3 GPa, nu: 0.35, density: 1.3 g/cm^3 }
pins: [{ rod: rod, at: start }]
time: { duration: 20 ms, step: 1 ms }
output: { every: 5 ms, probes: [{ name: tip, rod: rod, at: end }] }
`;

/** `count` statics over Young's modulus. */
export const studyOf = (count: number, more = ''): string => `sweep: 1
scene: rod.yaml
command: statics
parameters:
  - { path: 'rods[0].material.E', name: E, range: { from: 1 GPa, to: 10 GPa, count: ${count}, scale: log } }
quantities: { tip: probe.tip.z, bending: { of: energy.bending, unit: J } }
${more}`;

export function createBench(): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'tendril-sweep-'));
  writeFileSync(join(folder, 'rod.yaml'), rodScene);
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return {
    folder,
    at: (name) => join(folder, name),
    write: (name, text) => writeFileSync(join(folder, name), text),
    read,
    json: <T>(name: string) => JSON.parse(read(name)) as T,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean | Promise<boolean>, seconds = 240): Promise<void> {
  const end = performance.now() + 1000 * seconds;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Linux alone: processes that a process started. */
export function childrenOf(pid: number): number[] {
  const text = execFileSync('sh', ['-c', `cat /proc/${pid}/task/*/children`], { encoding: 'utf8' });
  return text.trim().split(/\s+/).filter(Boolean).map(Number);
}

/** Linux alone: the processes of pools that a process started. */
export function workersOf(pid: number): number[] {
  return childrenOf(pid).filter((child) => {
    try {
      return readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('pool/process.js');
    } catch {
      return false;
    }
  });
}

/** Linux alone. A process that has ended and that nobody has waited for yet counts as ended. */
export function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].startsWith('Z');
  } catch {
    return false;
  }
}

/** Finished runs of a study that is running. */
export function countFinished(out: string): number {
  const journal = join(out, 'journal/00000.jsonl');
  return existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').length - 1 : 0;
}
