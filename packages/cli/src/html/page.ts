/** Parts of a report in HTML. Only this file escapes text; numbers are inserted unescaped. */
import type { Chart, Snapshots, StudyTable } from '@tendril-sim/cases';
import { hueCount, mix, ramp } from '../plot/color.ts';
import { drawLinePlot } from '../plot/lines.ts';
import { drawPicture } from '../plot/picture.ts';
import { escapeXml } from '../plot/svg.ts';
import { curveColors, darkHues, palette, strongHues, style } from './style.ts';

/** Escaped, with `code` between backticks, 3.4e−7 as a power of ten, and numbers beside their units. */
export function prose(text: string): string {
  return escapeXml(text)
    .split('`')
    .map((part, k) => (k % 2 === 1 ? `<code>${part}</code>` : typesetPowers(part)))
    .join('');
}

/** Only what stands alone: not a part of a name. */
function typesetPowers(text: string): string {
  return text
    .replace(/(\d) (?=(?:%|m?s|[mµ]?m|GPa|1\/s)(?![\p{L}\d]))/gu, '$1\u00a0')
    .replace(
      /(?<![\p{L}\d.])(\d+(?:\.\d+)?)e([−-]?)(\d+)(?![\p{L}\d])/gu,
      (_, mantissa: string, sign: string, exponent: string) =>
        `${mantissa === '1' ? '' : `${mantissa}·`}10<sup>${sign === '' ? '' : '−'}${exponent}</sup>`,
    );
}

export function paragraphs(texts: readonly string[]): string {
  return texts.map((text) => `<p>${prose(text)}</p>`).join('');
}

/** Colours of a drawing as variables of the page, and without the ground that a file of its own needs. */
export function inlineSvg(svg: string, more: readonly (readonly [string, string])[] = []): string {
  const named = more.map(([light, dark]) => [`h${light.slice(1)}`, light, dark] as const);
  const colors = new Map([...palette, ...named].map(([name, light]) => [light, `var(--${name})`]));
  const set = (column: 1 | 2): string => `:root{${named.map((row) => `--${row[0]}:${row[column]}`).join(';')}}`;
  const rules =
    named.length > 0 ? `<style>${set(1)}@media screen and (prefers-color-scheme:dark){${set(2)}}</style>` : '';
  const drawn = svg
    .replace(/\s(width|height)="[\d.]+"(?=[^>]*viewBox)/g, '')
    .replace(/#[0-9a-f]{6}/g, (color) => colors.get(color) ?? color)
    .replace('<svg ', '<svg role="img" ');
  return rules + drawn;
}

export interface Numbering {
  figures: number;
  tables: number;
}

const color = (index: number): string => curveColors[index % curveColors.length];

export function chartFigure(chart: Chart, count: Numbering): string {
  const svg = drawLinePlot({
    title: '',
    x: [],
    xLabel: chart.x.label,
    xUnit: chart.x.unit ?? '',
    xScale: chart.x.scale ?? 'linear',
    yLabel: chart.y.label,
    yUnit: chart.y.unit ?? '',
    yScale: chart.y.scale ?? 'linear',
    width: 860,
    height: 400,
    series: chart.lines.map((line) => ({
      label: line.label,
      color: color(line.color),
      x: line.x,
      y: line.y,
      ...(line.dash && { dash: '5 4' }),
      ...(line.dots && { dots: true }),
      ...(line.failures && { failures: line.failures }),
    })),
  });
  const titled = svg.replace('<title></title>', `<title>${escapeXml(chart.title)}</title>`);
  return figure(inlineSvg(titled), chart.title, chart.caption, count, dataOf(chart));
}

/** The data behind a plot, for screen readers and for drawing it again. */
function dataOf(chart: Chart): string {
  const rows = chart.lines.flatMap(({ label, x, y }) => {
    // long series are thinned; the curve is in the plot
    const stride = Math.max(1, Math.ceil(x.length / 60));
    return x.flatMap((value, k) => (k % stride === 0 || k === x.length - 1 ? [[label, value, y[k]]] : []));
  });
  const unit = (one: Chart['x']): string => (one.unit ? `${one.label} [${one.unit}]` : one.label);
  const columns = ['curve', unit(chart.x), unit(chart.y)];
  return `<details><summary>Numbers of this plot</summary>${htmlTable(columns, rows)}</details>`;
}

export function snapshotsFigure(picture: Snapshots, count: Numbering): string {
  const svg = drawPicture({
    title: '',
    rods: picture.rods.map((rod) => ({ ...rod, closed: false })),
    times: picture.times,
    select: picture.times.map((_, k) => k),
    gravity: [...picture.gravity],
  });
  // the ramp of times from pale to strong, and from dim to bright in the dark
  const last = picture.times.length - 1;
  const hues = [...new Set(picture.rods.map(({ hue }) => hue))];
  const ramps = hues.flatMap((hue) =>
    picture.times.slice(1, -1).map((_, k) => {
      const amount = (0.74 * (k + 1)) / last;
      return [ramp(hue, amount), mix(darkHues[hue % hueCount], strongHues[hue % hueCount], amount)] as const;
    }),
  );
  return figure(inlineSvg(crop(svg), ramps), picture.title, picture.caption, count);
}

/** Without the space that a picture reserves for its title. */
export function crop(svg: string): string {
  return svg.replace(
    /viewBox="0 0 ([\d.]+) ([\d.]+)"/,
    (_, width: string, height: string) => `viewBox="0 ${titleRoom} ${width} ${Number(height) - titleRoom}"`,
  );
}

const titleRoom = 48;

export function figure(svg: string, title: string, caption: string, count: Numbering, data = ''): string {
  count.figures++;
  return `<figure>${svg}<figcaption><span class="number">Figure ${count.figures}</span><b>${prose(title)}.</b> ${prose(caption)}</figcaption>${data}</figure>`;
}

export function tableFigure(table: StudyTable, count: Numbering): string {
  count.tables++;
  return `<figure>${htmlTable(table.columns, table.rows)}<figcaption><span class="number">Table ${count.tables}</span><b>${prose(table.title)}.</b> ${prose(table.caption)}</figcaption></figure>`;
}

export function htmlTable(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const contentOf = (value: string | number): string => (typeof value === 'number' ? formatCell(value) : value);
  const isWord = (content: string): boolean =>
    content !== '' && (!/^[−\d.]/.test(content) || /[a-z]{3}/i.test(content));
  const cell = (value: string | number): string => {
    const content = contentOf(value);
    return `<td${isWord(content) ? ' class="text"' : ''}>${prose(content)}</td>`;
  };
  // a title stands where the cells below it do
  const isText = (k: number): boolean =>
    isWord(rows.map((row) => contentOf(row[k] ?? '')).find((one) => one !== '') ?? '');
  const head = columns
    .map((title, k) => `<th scope="col"${isText(k) ? ' class="text"' : ''}>${prose(title)}</th>`)
    .join('');
  const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('');
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

function formatCell(value: number): string {
  return String(Number(value.toPrecision(6))).replace(/-/g, '−');
}

export interface Page {
  readonly title: string;
  readonly kicker: string;
  readonly lead: string;
  readonly facts: string;
  /** HTML. */
  readonly body: string;
  readonly footer: string;
}

export function htmlPage(page: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="tendril">
<title>${escapeXml(page.title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<p class="kicker">${prose(page.kicker)}</p>
<h1>${prose(page.title)}</h1>
<p class="lead">${prose(page.lead)}</p>
<p class="facts">${prose(page.facts)}</p>
</header>
<main>
${page.body}
</main>
<footer>${page.footer}</footer>
</body>
</html>
`;
}
