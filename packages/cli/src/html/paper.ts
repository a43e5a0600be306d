/** The page on a paper: for each figure the claim, the case that shows it, what was measured, the picture and the verdict. */
import type { Case, CaseFigure, CheckRow, Paper, PaperClaim, PaperFigure, StudyTable } from '@tendril-sim/cases';
import { drawLinePlot } from '../plot/lines.ts';
import { formatNumber } from '../terminal.ts';
import {
  crop,
  figure,
  htmlPage,
  htmlTable,
  inlineSvg,
  type Numbering,
  paragraphs,
  prose,
  tableFigure,
} from './page.ts';
import { type Finished, studyExhibits } from './studies.ts';
import { curveColors } from './style.ts';

export type PaperVerdict = 'holds' | 'in part' | 'does not hold' | 'not shown';

/** A picture of a case's scene: SVG, or PNG if many rods would make the page large. */
export interface ScenePicture {
  readonly format: 'svg' | 'png';
  readonly data: string;
  /** The command that draws it. */
  readonly command: string;
}

/** A path-traced picture of a moment. */
export interface ScenePanel {
  /** PNG in base64. */
  readonly data: string;
  readonly caption: string;
}

/** Moments of a case's scene beside each other. */
export interface ScenePanels {
  readonly panels: readonly ScenePanel[];
  /** Per line. */
  readonly columns: number;
  /** The command that runs the scene, if it is the case's. */
  readonly command?: string;
}

/** A claim with what its case measured. */
export interface ShownClaim {
  readonly claim: PaperClaim;
  readonly subject: Case;
  /** Of the claim's quantities, at the finest resolution of each model. */
  readonly rows: readonly CheckRow[];
  /** Why the case did not run to its end. */
  readonly failure?: string;
  readonly plot?: CaseFigure;
  readonly picture?: ScenePicture;
  /** In place of `picture`. */
  readonly panels?: ScenePanels;
}

/** One figure of the paper with everything that shows it. */
export interface ShownFigure {
  readonly figure: PaperFigure;
  readonly study?: Finished;
  readonly claims: readonly ShownClaim[];
}

export interface PaperPage {
  readonly paper: Paper;
  readonly figures: readonly ShownFigure[];
  readonly times?: StudyTable;
  readonly facts: string;
  readonly command: string;
}

const classes: Readonly<Record<PaperVerdict, string>> = {
  holds: 'holds',
  'in part': 'partly',
  'does not hold': 'fails',
  'not shown': 'absent',
};
const ranks: readonly PaperVerdict[] = ['not shown', 'holds', 'in part', 'does not hold'];

const badge = (verdict: PaperVerdict): string => `<span class="verdict ${classes[verdict]}">${verdict}</span>`;

export function judgeClaim({ claim, rows, failure }: ShownClaim): PaperVerdict {
  if (failure !== undefined || rows.length === 0 || rows.some(({ pass }) => !pass)) return 'does not hold';
  return claim.missing === undefined ? 'holds' : 'in part';
}

/** The worst verdict of what shows it. */
export function judgeFigure({ study, claims }: ShownFigure): PaperVerdict {
  const verdicts: PaperVerdict[] = [...claims.map(judgeClaim), ...(study ? [study.result.verdict] : [])];
  return ranks[Math.max(0, ...verdicts.map((verdict) => ranks.indexOf(verdict)))];
}

/** One line for the summary. */
export function headline(shown: ShownFigure): string {
  const { study, claims } = shown;
  if (study) return study.result.headline;
  if (claims.length === 0) return shown.figure.notShown ?? '';
  return claims.map(describeRows).join(' ');
}

function describeRows({ subject, rows, failure }: ShownClaim): string {
  if (failure !== undefined) return `${subject.id} failed: ${failure}.`;
  const missed = rows.filter(({ pass }) => !pass).length;
  const models = [...new Set(rows.map(({ model }) => model))].join(', ');
  const found = missed === 0 ? 'all within tolerance' : `${missed} outside tolerance`;
  return `${subject.id} on ${models}: ${rows.length} comparisons, ${found}.`;
}

/** Values that a reader of the paper asks for first, which are those that the case lists first. */
const shownValues = 4;

/** `describeRows`, with the first values of the first model beside what is expected. */
function describeFindings(shown: ShownClaim): string {
  const { rows } = shown;
  const finest = new Map(rows.filter(({ model }) => model === rows[0].model).map((row) => [row.quantity, row]));
  const values = [...finest.values()]
    .filter(({ relation, expected }) => relation === '=' && expected !== 0)
    .slice(0, shownValues)
    .map(({ quantity, measured, expected }) => `${quantity}: ${number(measured, 4)} (expected ${number(expected, 4)})`);
  return values.length > 0 ? `${describeRows(shown).slice(0, -1)}: ${values.join('; ')}.` : describeRows(shown);
}

/** Verdicts in words: "8 of 11 figures hold, 2 in part". */
export function countVerdicts(figures: readonly ShownFigure[]): string {
  const count = (verdict: PaperVerdict): number => figures.filter((one) => judgeFigure(one) === verdict).length;
  return (['holds', 'in part', 'does not hold', 'not shown'] as const)
    .flatMap((verdict) => (count(verdict) > 0 ? [`${count(verdict)} ${verdict}`] : []))
    .join(', ');
}

export function paperPage(page: PaperPage): string {
  const { paper, figures, times } = page;
  const count: Numbering = { figures: 0, tables: 0 };
  const summary = figures
    .map(
      (shown, k) =>
        `<a class="row" href="#figure-${k}"><span class="figure">${prose(shown.figure.figure)}</span><span><span class="title">${prose(shown.figure.title)}</span><span class="found">${prose(headline(shown))}</span></span>${badge(judgeFigure(shown))}</a>`,
    )
    .join('\n');
  const sections = figures.map((shown, k) => figureSection(shown, k, count)).join('\n');
  const table = times
    ? `<section id="times"><p class="kicker">${prose(paper.times?.figure ?? '')}</p><h2>Time per step</h2>${tableFigure(times, count)}</section>`
    : '';
  return htmlPage({
    title: `${paper.title}: each figure, measured`,
    kicker: `Tendril · ${paper.id}`,
    lead: paper.lead,
    facts: `${countVerdicts(figures)} · ${page.facts}`,
    body: `<nav class="summary" aria-label="Summary">\n${summary}\n</nav>\n${sections}\n${table}`,
    footer: `<p>${prose(paper.authors)}: <i>${prose(paper.title)}</i>. ${prose(paper.published)}. Figures are theirs by number; everything on this page was computed by <code>${prose(page.command)}</code>.</p><p>A claim holds when every comparison of its case is within tolerance. Times depend on the machine and were measured once.</p>`,
  });
}

function figureSection(shown: ShownFigure, place: number, count: Numbering): string {
  const { figure: subject, study, claims } = shown;
  const parts = [
    ...(study ? [studyPart(study, count)] : []),
    ...claims.map((claim) => claimPart(claim, count)),
    ...(claims.length === 0 && !study
      ? [`<dl><dt>Not shown</dt><dd><p>${prose(subject.notShown ?? '')}</p></dd></dl>`]
      : []),
  ];
  return `<section id="figure-${place}">
<div class="head"><p class="kicker">${prose(subject.figure)}</p>${badge(judgeFigure(shown))}</div>
<h2>${prose(subject.title)}</h2>
${parts.join('\n')}
</section>`;
}

function studyPart(finished: Finished, count: Numbering): string {
  const { study, result } = finished;
  return `<dl>
<dt>The paper claims</dt><dd class="claim"><p>${prose(study.claim)}</p></dd>
<dt>Measured here</dt><dd>${paragraphs(result.measured)}</dd>
<dt>Why they differ</dt><dd>${paragraphs(result.why)}</dd>
<dt>Set-up</dt><dd><p>${prose(study.setup)}</p></dd>
</dl>
${studyExhibits(finished, count)}`;
}

function claimPart(shown: ShownClaim, count: Numbering): string {
  const { claim, subject, rows, plot, picture, panels } = shown;
  const command = `<code>tendril check ${subject.id}</code>`;
  const entries = [
    `<dt>The paper claims</dt><dd class="claim"><p>${prose(claim.claim)}</p></dd>`,
    `<dt>Case</dt><dd><p>${prose(subject.title)} (${command}). Compared with: ${prose(subject.source)}.</p></dd>`,
    `<dt>Measured here</dt><dd><p>${prose(describeFindings(shown))}</p></dd>`,
    ...(claim.remark ? [`<dt>Remark</dt><dd><p>${prose(claim.remark)}</p></dd>`] : []),
    ...(claim.missing ? [`<dt>Not shown</dt><dd><p>${prose(claim.missing)}</p></dd>`] : []),
  ];
  return [
    `<dl>\n${entries.join('\n')}\n</dl>`,
    ...(panels ? [panelsFigure(panels, subject, count)] : []),
    ...(picture ? [pictureFigure(picture, subject, count)] : []),
    ...(plot ? [plotFigure(plot, count)] : []),
    rows.length > 0 ? rowsTable(rows) : '',
  ].join('\n');
}

function pictureFigure({ format, data, command }: ScenePicture, { title }: Case, count: Numbering): string {
  const drawn =
    format === 'svg'
      ? inlineSvg(crop(data))
      : `<img alt="${title}" src="data:image/png;base64,${data}" style="width:100%">`;
  return figure(drawn, title, `Pale: earlier times. Drawn by \`${command}\`.`, count);
}

function panelsFigure({ panels, columns, command }: ScenePanels, { title }: Case, count: Numbering): string {
  const letters = 'abcdefghijkl';
  const drawn = panels.map(({ data, caption }, k) => {
    const label = panels.length > 1 ? `<b>${letters[k]}</b> ` : '';
    return `<div><img alt="${prose(caption)}" src="data:image/png;base64,${data}"><p>${label}${prose(caption)}</p></div>`;
  });
  return figure(
    `<div class="panels" style="--columns:${columns}">${drawn.join('')}</div>`,
    title,
    command === undefined ? 'Path-traced.' : `Path-traced from a recording of \`${command}\`.`,
    count,
  );
}

/** Draws the figure of a case as SVG. */
export function drawCaseFigure({ lines, ...rest }: CaseFigure): string {
  const series = lines.map((line, k) => ({
    ...line,
    color: curveColors[k % curveColors.length],
    // measurements are dots: a line between them would claim more
    ...(line.dots && { width: 0 }),
  }));
  return drawLinePlot({ xUnit: '', yUnit: '', ...rest, series });
}

function plotFigure(plot: CaseFigure, count: Numbering): string {
  // the caption has title and subtitle
  const svg = drawCaseFigure({ ...plot, title: '', subtitle: undefined }).replace(
    '<title></title>',
    `<title>${prose(plot.title)}</title>`,
  );
  return figure(inlineSvg(svg), plot.title, plot.subtitle ?? '', count);
}

const number = (value: number, digits = 5): string => formatNumber(value, digits).replace(/-/g, '−');

export const rowColumns: readonly string[] = [
  'quantity',
  'model',
  'n',
  'measured',
  'expected',
  'error',
  'tolerance',
  'verdict',
];

export function rowCells(row: CheckRow): string[] {
  const { quantity, model, n, at, measured, expected, relation, error, tolerance, pass } = row;
  const verdict = pass ? 'pass' : 'miss';
  return [
    at === undefined ? quantity : `${quantity}, at ${number(at, 3)}`,
    model,
    String(n),
    number(measured),
    relation === '=' || relation === 'in' ? number(expected) : `${relation} ${number(expected)}`,
    number(error, 2),
    number(tolerance, 2),
    verdict,
  ];
}

function rowsTable(rows: readonly CheckRow[]): string {
  const open = rows.length <= 12 ? ' open' : '';
  return `<details${open}><summary>${rows.length} comparisons</summary>${htmlTable(rowColumns, rows.map(rowCells))}</details>`;
}
