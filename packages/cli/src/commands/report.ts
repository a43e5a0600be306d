/** `tendril report`: a self-contained page with plots, about a paper's experiments or a scene run by several models. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type PaperStudy, type Profile, type StudyResult, stiffFiberStudies } from '@tendril-sim/cases';
import type { ModelId } from '@tendril-sim/core';
import { type AtomicWriter, createAtomicWriter, WriteError, writeFileAtomic } from '@tendril-sim/io/node';
import { exitCode, UsageError } from '../exit.ts';
import { openFolder } from '../folder.ts';
import { type Compared, scenePage } from '../html/comparison.ts';
import { paperMarkdown } from '../html/markdown.ts';
import { countVerdicts, paperPage } from '../html/paper.ts';
import { type Finished, studiesPage } from '../html/studies.ts';
import { createBreather, type Interrupt, withInterrupt } from '../interrupt.ts';
import { buildReport } from '../report.ts';
import { loadSource, type Source } from '../source.ts';
import { dim, formatDuration, good, type Terminal } from '../terminal.ts';
import { version } from '../version.ts';
import { readModels, runModels } from './compare.ts';
import { choosePaper, showFigures } from './paperFigures.ts';
import { measureTimes } from './paperTimes.ts';

export interface ReportOptions {
  readonly out: string;
  readonly force?: boolean;
  readonly quick?: boolean;
  readonly full?: boolean;
  readonly quiet?: boolean;
  readonly models?: string;
  /** A paper of the cases, such as bergou2008. */
  readonly paper?: string;
}

export async function report(
  reference: string | undefined,
  options: ReportOptions,
  terminal: Terminal,
): Promise<number> {
  if (options.quick && options.full) throw new UsageError('--quick and --full cannot be combined');
  if (existsSync(options.out) && !options.force)
    throw new UsageError(`'${options.out}' exists; choose another --out, or add --force to replace it`);
  const start = performance.now();
  // opened before the work: a folder that cannot be written is rejected now, not after an hour
  const writer = createAtomicWriter(options.out, { overwrite: options.force === true });
  let made: Made;
  try {
    made = await makePage(reference, options, terminal);
    if (made.page !== undefined) writePage(writer, made.page);
  } finally {
    // without effect once the page has its name
    writer.abort();
  }
  if (made.page === undefined) {
    if (!options.quiet) terminal.err('interrupted; nothing was written\n');
    return exitCode.interrupted;
  }
  if (!options.quiet) {
    const seconds = (performance.now() - start) / 1000;
    terminal.out(`${good('✓')} ${options.out}: ${made.what} in ${formatDuration(seconds)}\n`);
  }
  return made.code ?? exitCode.done;
}

function makePage(reference: string | undefined, options: ReportOptions, terminal: Terminal): Promise<Made> {
  if (reference !== undefined) {
    if (options.paper !== undefined) throw new UsageError('--paper and a scene cannot be combined');
    return reportScene(reference, options, terminal);
  }
  if (options.models !== undefined)
    throw new UsageError('--models needs a scene: tendril report scene.yaml --models der,fiber --out report.html');
  return options.paper === undefined ? reportStudies(options, terminal) : reportPaper(options, terminal);
}

interface Made {
  /** Undefined if interrupted. */
  readonly page?: string;
  readonly what?: string;
  readonly code?: number;
}

const profileOf = ({ quick, full }: ReportOptions): Profile => (quick ? 'quick' : full ? 'full' : 'normal');

/** Every figure of a paper that has cases. */
async function reportPaper(options: ReportOptions, terminal: Terminal): Promise<Made> {
  const paper = choosePaper(options.paper ?? '');
  const profile = profileOf(options);
  const start = performance.now();
  const temporary = mkdtempSync(join(tmpdir(), 'tendril-report-'));
  try {
    return await withInterrupt(async (interrupt) => {
      const job = { paper, profile, folder: temporary, quiet: options.quiet === true, terminal, interrupt };
      const studies = paper.id === 'michels2015' ? await runStudies(profile, options, terminal, interrupt) : [];
      const figures = studies && (await showFigures(job, studies));
      const times = figures && (await measureTimes(job));
      if (!figures || interrupt.requested) return {};
      const command = `tendril report --paper ${paper.id}${profile === 'normal' ? '' : ` --${profile}`} --out ${paper.id}.html`;
      const facts = factsOf((performance.now() - start) / 1000, `profile ${profile}`);
      const page = { paper, figures, ...(times && { times }), facts, command };
      const made = /\.md$/i.test(options.out) ? paperMarkdown(page) : paperPage(page);
      return { page: made, what: `${figures.length} figures of ${paper.id}: ${countVerdicts(figures)}` };
    });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function reportStudies(options: ReportOptions, terminal: Terminal): Promise<Made> {
  const profile = profileOf(options);
  const start = performance.now();
  const finished = await withInterrupt((interrupt) => runStudies(profile, options, terminal, interrupt));
  if (!finished) return {};
  const command = `tendril report${profile === 'normal' ? '' : ` --${profile}`} --out report.html`;
  const facts = factsOf((performance.now() - start) / 1000, `profile ${profile}`);
  return { page: studiesPage(finished, facts, command), what: `${finished.length} experiments` };
}

/** Runs and equilibria of a scene on several models; deletes the folders that `compare` would keep. */
async function reportScene(reference: string, options: ReportOptions, terminal: Terminal): Promise<Made> {
  if (options.quick || options.full)
    throw new UsageError(
      '--quick and --full apply only without a scene; edges and time.step of a scene set its resolution',
    );
  const models = readModels(options.models ?? 'all');
  const source = await loadSource(reference);
  const start = performance.now();
  const temporary = mkdtempSync(join(tmpdir(), 'tendril-report-'));
  try {
    return await withInterrupt(async (interrupt) => {
      const compareOn = (statics: boolean): Promise<Compared> =>
        compareIn(
          join(temporary, statics ? 'statics' : 'run'),
          { source, models, statics, quiet: options.quiet },
          terminal,
          interrupt,
        );
      const run = source.scene.time ? await compareOn(false) : undefined;
      if (interrupt.requested) return {};
      const statics = await compareOn(true);
      if (interrupt.requested) return {};
      const remarks = run ? [] : ['The scene has no time, so only equilibria are compared.'];
      const facts = factsOf((performance.now() - start) / 1000);
      const command = `tendril report ${reference} --models ${models.join(',')} --out report.html`;
      const page = scenePage({ source, models, ...(run && { run }), statics, remarks, facts, command });
      const all = [...(run?.outcomes ?? []), ...statics.outcomes];
      return {
        page,
        what: `${source.name} on ${models.join(', ')}`,
        ...(all.every(({ status }) => status === 'refused') && { code: exitCode.badInput }),
      };
    });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

interface SceneComparison {
  readonly source: Source;
  readonly models: readonly ModelId[];
  /** True: equilibria, otherwise runs. */
  readonly statics: boolean;
  readonly quiet: ReportOptions['quiet'];
}

/** Runs a scene on several models with output in a folder, and compares the results. */
async function compareIn(
  path: string,
  { source, models, statics, quiet }: SceneComparison,
  terminal: Terminal,
  interrupt: Interrupt,
): Promise<Compared> {
  const folder = openFolder({ out: path, name: source.name });
  const outcomes = await runModels(source, models, { statics, quiet }, folder, terminal, interrupt);
  folder.close();
  return { outcomes, report: buildReport(source, { statics }, outcomes) };
}

/** Versions, machine and date, so that a reader can reproduce the report later. */
function factsOf(seconds: number, ...more: readonly string[]): string {
  const processor = cpus()[0]?.model.replace(/\s+/g, ' ').trim() || 'unknown processor';
  const date = new Date().toISOString().slice(0, 10);
  const time = `${formatDuration(seconds)} on ${processor}, Node ${process.versions.node}`;
  return [`Tendril ${version}`, ...more, date, time].join(' · ');
}

/** A page that does not fit on its disk goes to the folder of temporary files: it may have taken an hour. */
function writePage(writer: AtomicWriter, content: string): void {
  try {
    writer.append(content);
    writer.commit();
  } catch (error) {
    if (!(error instanceof WriteError)) throw error;
    const saved = saveElsewhere(basename(writer.path), content);
    if (saved === undefined) throw error;
    throw new WriteError(writer.path, `${error.problems[0].message}; the report is saved as ${saved}`, {
      cause: error,
    });
  }
}

function saveElsewhere(name: string, content: string): string | undefined {
  try {
    const file = join(mkdtempSync(join(tmpdir(), 'tendril-report-')), name);
    writeFileAtomic(file, content);
    return file;
  } catch {
    return undefined;
  }
}

/** All studies, or undefined if Ctrl-C was pressed. */
async function runStudies(
  profile: Profile,
  { quiet }: ReportOptions,
  terminal: Terminal,
  interrupt: Interrupt,
): Promise<Finished[] | undefined> {
  const out: Finished[] = [];
  for (const [k, study] of stiffFiberStudies.entries()) {
    const place = `[${k + 1}/${stiffFiberStudies.length}]`;
    if (!quiet && !terminal.live) terminal.err(`${place} ${study.figure}: ${study.title}\n`);
    const result = await runStudy(study, profile, interrupt, (what) => {
      if (!quiet && terminal.live)
        terminal.err(`\r\u001b[2K${dim(`${place} ${study.figure}: ${what}`.slice(0, terminal.columns - 1))}`);
    });
    if (!quiet && terminal.live) terminal.err('\r\u001b[2K');
    if (!result) return undefined;
    out.push({ study, result });
  }
  return out;
}

async function runStudy(
  study: PaperStudy,
  profile: Profile,
  interrupt: Interrupt,
  show: (what: string) => void,
): Promise<StudyResult | undefined> {
  const breathe = createBreather();
  const steps = study.run(profile);
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
    show(next.value);
    await breathe();
    if (interrupt.requested) return undefined;
  }
}
