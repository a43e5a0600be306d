/** Runs the cases that show a paper's figures: their comparisons, their plots, and pictures of their scenes. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Case,
  type CheckRow,
  cases,
  findPaper,
  type Paper,
  type PaperClaim,
  type Profile,
  papers,
  runChecks,
} from '@tendril-sim/cases';
import { exitCode, UsageError } from '../exit.ts';
import type { ScenePicture, ShownClaim, ShownFigure } from '../html/paper.ts';
import type { Finished } from '../html/studies.ts';
import type { Interrupt } from '../interrupt.ts';
import { suggest } from '../suggest.ts';
import { dim, type Terminal } from '../terminal.ts';
import { takePanels } from './paperPanels.ts';
import { run } from './run.ts';

export interface PaperJob {
  readonly paper: Paper;
  readonly profile: Profile;
  /** Folder for temporary files. */
  readonly folder: string;
  readonly quiet: boolean;
  readonly terminal: Terminal;
  readonly interrupt: Interrupt;
}

export function choosePaper(id: string): Paper {
  const found = findPaper(id);
  if (found) return found;
  const ids = papers.map((paper) => paper.id);
  const meant = suggest(id, ids);
  throw new UsageError(
    `--paper: there is no paper '${id}'${meant ? `; did you mean '${meant}'?` : ''}\npapers: ${ids.join(', ')}`,
  );
}

/** A line of progress. */
export function announce({ quiet, terminal }: PaperJob, what: string): void {
  if (quiet) return;
  if (terminal.live) terminal.err(`\r\u001b[2K${dim(what.slice(0, terminal.columns - 1))}`);
  else terminal.err(`${what}\n`);
}

/** Results of a case, which all of its claims share. */
interface CaseResult {
  readonly rows: readonly CheckRow[];
  readonly failure?: string;
  /** Folder with the recording of its scene; undefined in quick reports, and if the scene does not move. */
  readonly folder?: string;
  readonly plot?: ShownClaim['plot'];
}

/** All figures in the paper's order; undefined if Ctrl-C was pressed. */
export async function showFigures(job: PaperJob, studies: readonly Finished[]): Promise<ShownFigure[] | undefined> {
  const results = new Map<string, CaseResult>();
  const subjects = cases.filter((one) => one.papers?.some(({ paper }) => paper === job.paper.id));
  for (const [k, subject] of subjects.entries()) {
    announce(job, `[${k + 1}/${subjects.length}] ${subject.id}`);
    // yield to the event loop: the line appears, and Ctrl-C is processed
    await new Promise((resolve) => setImmediate(resolve));
    const result = await runCase(job, subject);
    if (!result || job.interrupt.requested) return undefined;
    results.set(subject.id, result);
  }
  if (!job.quiet && job.terminal.live) job.terminal.err('\r\u001b[2K');
  const figures: ShownFigure[] = [];
  for (const figure of job.paper.figures) {
    const claims: ShownClaim[] = [];
    for (const subject of subjects)
      for (const [k, claim] of (subject.papers ?? []).entries()) {
        if (claim.paper !== job.paper.id || claim.figure !== figure.figure) continue;
        const shown = await showClaim(job, claim, subject, results.get(subject.id) as CaseResult, { isFirst: k === 0 });
        if (job.interrupt.requested) return undefined;
        claims.push(shown);
      }
    figures.push({ figure, study: studies.find(({ study }) => study.figure === figure.figure), claims });
  }
  return figures;
}

/** Rows of the claim at the finest resolution of each model; the plot, and a picture of all times, with a case's first claim only. */
async function showClaim(
  job: PaperJob,
  claim: PaperClaim,
  subject: Case,
  result: CaseResult,
  { isFirst }: { readonly isFirst: boolean },
): Promise<ShownClaim> {
  const { rows, failure, folder, plot } = result;
  const chosen = rows.filter(({ quantity }) => claim.quantities?.some((start) => quantity.startsWith(start)) ?? true);
  const finest = new Map<string, CheckRow>();
  for (const row of chosen) {
    const key = `${row.model}/${row.quantity}`;
    const before = finest.get(key);
    // misses are shown at any resolution
    if (!before || !row.pass || before.pass) finest.set(key, row);
  }
  const panels =
    folder === undefined || !claim.panels ? undefined : await takePanels(job, subject, claim.panels, folder);
  return {
    claim,
    subject,
    rows: [...finest.values()],
    ...(failure !== undefined && { failure }),
    ...(isFirst && plot && { plot }),
    ...(panels && { panels }),
    ...(isFirst && !claim.panels && folder !== undefined && { picture: readPicture(subject, folder) }),
  };
}

async function runCase(job: PaperJob, subject: Case): Promise<CaseResult | undefined> {
  try {
    const rows = runChecks(subject, { full: job.profile === 'full' });
    const plot = subject.figure?.(rows);
    const isShown = job.profile !== 'quick' && subject.scene().time !== undefined;
    const folder = isShown ? await runScene(subject.id, join(job.folder, subject.id)) : undefined;
    if (folder === 'interrupted') return undefined;
    return { rows, ...(plot && { plot }), ...(folder !== undefined && { folder }) };
  } catch (error) {
    return { rows: [], failure: error instanceof Error ? error.message : String(error) };
  }
}

/** An SVG above this size makes the page slow to open [bytes]. */
const largeSvg = 300_000;

/** Runs the scene of a case, or one of a file, as `tendril run` does. Returns the folder of its output. */
export async function runScene(reference: string, out: string): Promise<string | 'interrupted'> {
  const silent: Terminal = { out: () => {}, err: () => {}, live: false, columns: 80 };
  const code = await run(reference, { out, quiet: true, checkpoint: false }, silent);
  return code === exitCode.interrupted ? 'interrupted' : out;
}

/** The picture that `tendril run` drew. */
function readPicture(subject: Case, folder: string): ScenePicture {
  const command = `tendril run ${subject.id}`;
  const svg = join(folder, 'picture.svg');
  return statSync(svg).size <= largeSvg
    ? { format: 'svg', data: readFileSync(svg, 'utf8'), command }
    : { format: 'png', data: readFileSync(join(folder, 'picture.png')).toString('base64'), command };
}
