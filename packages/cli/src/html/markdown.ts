/** The page on a paper as Markdown: the same words and numbers, without pictures. */
import { headline, judgeClaim, judgeFigure, type PaperPage, rowCells, rowColumns, type ShownFigure } from './paper.ts';

/** A cell must not end its row. */
const cell = (content: string | number): string => String(content).replaceAll('|', '\\|');
const line = (cells: readonly (string | number)[]): string => `| ${cells.map(cell).join(' | ')} |`;

function table(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}

export function paperMarkdown({ paper, figures, times, facts, command }: PaperPage): string {
  const summary = figures.map((shown) => [
    shown.figure.figure,
    shown.figure.title,
    judgeFigure(shown),
    headline(shown),
  ]);
  const parts = [
    `# ${paper.title}: each figure, measured`,
    `${paper.authors}. ${paper.published}.`,
    paper.lead,
    `${facts}. Written by \`${command}\`.`,
    table(['figure', 'title', 'verdict', 'found'], summary),
    ...figures.map(section),
    ...(times ? [`## ${paper.times?.figure}: time per step`, table(times.columns, times.rows), times.caption] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

function section(shown: ShownFigure): string {
  const { figure, study, claims } = shown;
  const parts = [
    `## ${figure.figure}: ${figure.title}`,
    `**Verdict:** ${judgeFigure(shown)}`,
    ...(study ? [`**The paper claims:** ${study.study.claim}`, ...study.result.measured, ...study.result.why] : []),
    ...claims.flatMap((one) => [
      `**The paper claims:** ${one.claim.claim}`,
      `**Case:** \`${one.subject.id}\`, ${judgeClaim(one)}. Compared with: ${one.subject.source}.`,
      ...(one.failure ? [`**Failed:** ${one.failure}`] : []),
      ...(one.claim.remark ? [`**Remark:** ${one.claim.remark}`] : []),
      ...(one.claim.missing ? [`**Not shown:** ${one.claim.missing}`] : []),
      ...(one.rows.length > 0 ? [table(rowColumns, one.rows.map(rowCells))] : []),
    ]),
    ...(claims.length === 0 && !study ? [`**Not shown:** ${figure.notShown ?? ''}`] : []),
  ];
  return parts.join('\n\n');
}
