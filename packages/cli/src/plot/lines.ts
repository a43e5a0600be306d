/**
 * Line plots: curves over time or over a parameter, labelled at their ends instead of in a legend, so readers need not match
 * colours. Series that stay at zero are named below the plot, not drawn on top of each other.
 */
import {
  choosePrefix,
  formatQuantity,
  formatTicks,
  linear,
  logarithmic,
  logTicks,
  minus,
  niceTicks,
  type Prefix,
} from './scale.ts';
import { document, fitText, gridColor, ink, inkSoft, line, num, paper, pathData, text, textWidth } from './svg.ts';

export interface Series {
  /** '' for none. */
  readonly label: string;
  readonly color: string;
  /** [px]; 0: dots alone. */
  readonly width?: number;
  readonly dash?: string;
  readonly y: ArrayLike<number>;
  /** Where it has an axis of its own; default: that of the plot. */
  readonly x?: ArrayLike<number>;
  /** Dots at its points. */
  readonly dots?: boolean;
  /** Values of x at which it failed: crosses above the plot. */
  readonly failures?: readonly number[];
}

export type Scale = 'linear' | 'log';

export interface LinePlot {
  readonly title: string;
  readonly subtitle?: string;
  readonly x: ArrayLike<number>;
  readonly xLabel: string;
  readonly xUnit: string;
  readonly yLabel: string;
  readonly yUnit: string;
  readonly series: readonly Series[];
  /** Draws curves that stay at zero, too: they are branches, and not energies that are not there. */
  readonly drawsZero?: boolean;
  /** On a logarithmic axis, values that are not positive are omitted. */
  readonly xScale?: Scale;
  readonly yScale?: Scale;
  /** [px] */
  readonly width?: number;
  readonly height?: number;
  /** Dots, filled or open. */
  readonly points?: readonly { readonly x: number; readonly y: number; readonly filled: boolean }[];
  /** Vertical lines with a name, such as a critical load. */
  readonly marks?: readonly { readonly x: number; readonly label: string }[];
  /** Ranges of x on a tinted ground, such as where an equilibrium is unstable. */
  readonly bands?: readonly { readonly from: number; readonly to: number; readonly label: string }[];
}

const left = 74;
const bottom = 58;

interface Axis {
  to(value: number): number;
  readonly ticks: readonly number[];
  readonly labels: readonly string[];
  readonly title: string;
  readonly zero?: number;
}

function layAxis(
  scale: Scale,
  range: readonly [number, number],
  pixels: readonly [number, number],
  label: string,
  unit: string,
  count: number,
): Axis {
  if (scale === 'log') {
    const [low, high] = range;
    const { ticks, labels } = logTicks(low, high, unit);
    return { to: logarithmic(low, high, pixels[0], pixels[1]), ticks, labels, title: label };
  }
  const prefix = axisPrefix(Math.max(Math.abs(range[0]), Math.abs(range[1])), unit);
  const ticks = niceTicks(range[0], range[1], count);
  return {
    to: linear(range[0], range[1], pixels[0], pixels[1]),
    ticks,
    labels: formatTicks(ticks, prefix.factor),
    title: axisTitle(label, prefix, unit),
    zero: ticks.find((tick) => Math.abs(tick) < (range[1] - range[0]) * 1e-9),
  };
}

/** A plot on its page: the rectangle of the curves in pixels, axes, and which curves are drawn. */
interface LaidPlot {
  readonly plot: LinePlot;
  readonly width: number;
  readonly height: number;
  /** Edges of the rectangle; its left edge and bottom margin are `left` and `bottom`. */
  readonly top: number;
  readonly right: number;
  readonly xAxis: Axis;
  readonly yAxis: Axis;
  readonly drawn: readonly Series[];
  /** Curves that never leave zero by more than their own width: they are named in words. */
  readonly negligible: readonly Series[];
}

const xOf = ({ x }: LinePlot, one: Series): ArrayLike<number> => one.x ?? x;

function layPlot(plot: LinePlot): LaidPlot {
  const { xUnit, yUnit, xScale = 'linear', yScale = 'linear', width = 800, height = 440 } = plot;
  const top = plot.title === '' ? 30 : 64;
  const all = extent([...plot.series.map(({ y }) => y), (plot.points ?? []).map(({ y }) => y)], yScale);
  const largest = Math.max(Math.abs(all[0]), Math.abs(all[1]));
  const negligible =
    yScale === 'log' || plot.drawsZero
      ? []
      : plot.series.filter(({ y }) => largest > 0 && peak(y) < 1e-2 * largest && y.length > 0);
  const drawn = plot.series.filter((one) => !negligible.includes(one));
  const right = width - 22 - Math.max(40, ...drawn.map(({ label }) => textWidth(label, 11.5, { bold: true })));
  const places = [...plot.series.map((one) => xOf(plot, one)), ...plot.series.map(({ failures = [] }) => failures)];
  const xRange = xScale === 'log' || plot.series.some(({ x }) => x) ? extent(places, xScale) : ends(plot.x);
  const yRange = yScale === 'log' ? decades(all) : withZero(all);
  const xAxis = layAxis(xScale, xRange, [left, right], plot.xLabel, xUnit, width < 600 ? 5 : 8);
  const yAxis = layAxis(yScale, yRange, [height - bottom, top], plot.yLabel, yUnit, 6);
  return { plot, width, height, top, right, xAxis, yAxis, drawn, negligible };
}

export function drawLinePlot(plot: LinePlot): string {
  const laid = layPlot(plot);
  const { width, height, top, right, xAxis, yAxis, drawn } = laid;
  const body = [...drawTitles(plot, width), ...drawBands(laid), ...drawAxes(laid), ...nameNegligible(laid)];
  body.push(...drawMarks(laid));
  for (const one of drawn) body.push(...drawSeries(one, xOf(plot, one), xAxis, yAxis, right - left, top));
  for (const point of plot.points ?? []) {
    const fill = point.filled ? ink : paper;
    body.push(
      `<circle cx="${num(xAxis.to(point.x))}" cy="${num(yAxis.to(point.y))}" r="4" fill="${fill}" stroke="${ink}" stroke-width="1.2"/>`,
    );
  }
  body.push(...endLabels(laid));
  return document(width, height, plot.title, body);
}

function drawTitles({ title, subtitle }: LinePlot, width: number): string[] {
  return [
    ...(title === ''
      ? []
      : [text(left, 26, fitText(title, width - left - 20, 15, { bold: true }), { size: 15, bold: true })]),
    ...(subtitle ? [text(left, 44, fitText(subtitle, width - left - 20, 11), { size: 11, fill: inkSoft })] : []),
  ];
}

function drawBands({ plot, height, top, xAxis }: LaidPlot): string[] {
  return (plot.bands ?? []).flatMap((band) => {
    const a = xAxis.to(band.from);
    const w = Math.max(1, xAxis.to(band.to) - a);
    return [
      `<rect x="${num(a)}" y="${top}" width="${num(w)}" height="${height - top - bottom}" fill="#f7eef0"/>`,
      ...(w > textWidth(band.label, 10) + 10
        ? [text(a + w / 2, height - bottom - 8, band.label, { size: 10, fill: '#a5647a', anchor: 'middle' })]
        : []),
    ];
  });
}

function drawAxes({ height, top, right, xAxis, yAxis }: LaidPlot): string[] {
  const out: string[] = [];
  yAxis.ticks.forEach((tick, k) => {
    const y = yAxis.to(tick);
    out.push(line(left, y, right, y, { stroke: tick === yAxis.zero ? '#b6bdc4' : gridColor }));
    out.push(text(left - 9, y + 4, yAxis.labels[k], { anchor: 'end', fill: inkSoft }));
  });
  xAxis.ticks.forEach((tick, k) => {
    const at = xAxis.to(tick);
    out.push(line(at, height - bottom, at, height - bottom + 5, { stroke: '#8b959e' }));
    out.push(text(at, height - bottom + 19, xAxis.labels[k], { anchor: 'middle', fill: inkSoft }));
  });
  out.push(line(left, height - bottom, right, height - bottom, { stroke: '#8b959e' }));
  out.push(
    text((left + right) / 2, height - 14, xAxis.title, { anchor: 'middle', size: 12 }),
    text(20, (top + height - bottom) / 2, yAxis.title, { anchor: 'middle', size: 12, rotate: -90 }),
  );
  return out;
}

function nameNegligible({ plot: { yUnit }, width, height, negligible }: LaidPlot): string[] {
  if (negligible.length === 0) return [];
  const bound = Math.max(...negligible.map(({ y }) => peak(y)));
  const names = negligible.map(({ label }) => label).join(', ');
  const most = yUnit === '' ? minus(bound.toExponential(0)) : formatQuantity(bound, yUnit, 2);
  const limit = bound === 0 ? 'zero throughout' : `never above ${most}`;
  const words = fitText(`${names}: ${limit}`, width / 2 - 80, 10);
  return [text(width - 16, height - 14, words, { size: 10, fill: inkSoft, anchor: 'end' })];
}

function drawMarks({ plot, height, top, right, xAxis }: LaidPlot): string[] {
  return (plot.marks ?? []).flatMap((mark) => {
    const at = xAxis.to(mark.x);
    const onLeft = at > (left + right) / 2;
    return [
      line(at, top - 4, at, height - bottom, { stroke: '#a5647a', width: 1.2, dash: '4 3' }),
      text(at + (onLeft ? -6 : 6), top + 8, mark.label, {
        size: 10.5,
        fill: '#8a3f58',
        anchor: onLeft ? 'end' : 'start',
        halo: true,
      }),
    ];
  });
}

function drawSeries(
  one: Series,
  x: ArrayLike<number>,
  { to: toX }: Axis,
  { to: toY }: Axis,
  columns: number,
  top: number,
): string[] {
  const { color, width: stroke = 1.8, dash, y, dots = false, failures = [] } = one;
  const d = pathData(decimate(x, y, toX, toY, columns));
  const dashed = dash ? ` stroke-dasharray="${dash}"` : '';
  const out =
    stroke === 0
      ? []
      : [
          `<path d="${d}" stroke="${paper}" stroke-width="${num(stroke + 1.6)}" stroke-linejoin="round" stroke-opacity="0.7"/>`,
          `<path d="${d}" stroke="${color}" stroke-width="${num(stroke)}" stroke-linejoin="round" stroke-linecap="round"${dashed}/>`,
        ];
  for (let i = 0; dots && i < x.length; i++) {
    const [cx, cy] = [toX(x[i]), toY(y[i])];
    if (!Number.isFinite(cx) || !Number.isFinite(cy)) continue;
    out.push(`<circle cx="${num(cx)}" cy="${num(cy)}" r="3.4" fill="${color}" stroke="${paper}" stroke-width="1.2"/>`);
  }
  for (const at of failures) {
    const [cx, cy] = [toX(at), top - 9];
    out.push(
      `<path d="M${num(cx - 4)} ${cy - 4}l8 8m0 -8l-8 8" stroke="${color}" stroke-width="2" stroke-linecap="round"/>`,
    );
  }
  return out;
}

/** A curve that failed everywhere is named beside its crosses. */
function failedAt({ failures = [] }: Series, top: number): number {
  return failures.length > 0 ? top - 9 : Number.NaN;
}

/** The point farthest along x. */
function endOf({ y }: Series, x: ArrayLike<number>): { x: number; y: number } {
  let best = -1;
  for (let i = 0; i < Math.min(x.length, y.length); i++)
    if (Number.isFinite(y[i]) && (best < 0 || x[i] >= x[best])) best = i;
  return best < 0 ? { x: Number.NaN, y: Number.NaN } : { x: x[best], y: y[best] };
}

/** Labels beside the ends of the curves, pushed apart so that none covers another. */
function endLabels({ plot, drawn, xAxis, yAxis, right: edge, top, height }: LaidPlot): string[] {
  const gap = 15;
  const labels = drawn
    .filter(({ label }) => label !== '')
    .map((one) => {
      const { x, y } = endOf(one, xOf(plot, one));
      return { one, x: xAxis.to(x), target: yAxis.to(y) || failedAt(one, top), y: 0 };
    })
    .filter(({ target }) => Number.isFinite(target))
    .sort((a, b) => a.target - b.target);
  // Merge labels that collide into blocks centred on their targets (pool adjacent violators).
  const blocks: { sum: number; count: number; y: number }[] = [];
  for (const label of labels) {
    let block = { sum: label.target, count: 1, y: label.target };
    let last = blocks.at(-1);
    while (last && block.y - ((block.count - 1) / 2) * gap < last.y + ((last.count + 1) / 2) * gap) {
      const count = last.count + block.count;
      const sum = last.sum + block.sum;
      block = { sum, count, y: sum / count };
      blocks.pop();
      last = blocks.at(-1);
    }
    blocks.push(block);
  }
  let k = 0;
  for (const block of blocks) {
    const spread = ((block.count - 1) / 2) * gap;
    const y = Math.min(height - bottom - spread + 4, Math.max(top + spread - 9, block.y));
    for (let j = 0; j < block.count; j++) labels[k++].y = y - spread + j * gap;
  }
  return labels.flatMap(({ one, x, target, y }) => [
    // a curve that ends within the plot is led to its label
    ...(x < edge - 8 ? [line(x + 5, target, edge, target, { stroke: one.color, width: 0.8, dash: '1 4' })] : []),
    `<path d="M${num(edge + 2)} ${num(target)}L${num(edge + 12)} ${num(y)}" stroke="${one.color}" stroke-width="1" stroke-opacity="0.6"/>`,
    text(edge + 15, y + 4, one.label, {
      size: 11.5,
      fill: one.color === '#000000' ? ink : one.color,
      bold: one.color === '#000000',
    }),
  ]);
}

function axisTitle(label: string, prefix: Prefix, unit: string): string {
  return unit === '' ? label : `${label} [${prefix.symbol}${unit}]`;
}

/** 0.5 s reads better than 500 ms, so a unit without prefix serves down to a tenth, others to a half; a bare number takes none. */
function axisPrefix(largest: number, unit: string): Prefix {
  if (unit === '' || (largest >= 0.1 && largest < 1000)) return { symbol: '', factor: 1 };
  return choosePrefix(2 * largest);
}

function ends(x: ArrayLike<number>): [number, number] {
  return widen(x[0] ?? 0, x[x.length - 1] ?? 1);
}

/** A little room above and below, on a logarithmic axis. */
function decades([low, high]: readonly [number, number]): [number, number] {
  const room = Math.max(1.15, (high / low) ** 0.05);
  return [low / room, high * room];
}

function extent(columns: readonly ArrayLike<number>[], scale: Scale): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const column of columns) {
    for (let i = 0; i < column.length; i++) {
      if (!Number.isFinite(column[i]) || (scale === 'log' && !(column[i] > 0))) continue;
      low = Math.min(low, column[i]);
      high = Math.max(high, column[i]);
    }
  }
  if (low > high) return scale === 'log' ? [0.1, 1] : [0, 1];
  if (scale === 'log') return high > low ? [low, high] : [low / 2, low * 2];
  return widen(low, high);
}

function widen(low: number, high: number): [number, number] {
  if (high > low) return [low, high];
  const half = Math.abs(low) * 0.1 || 0.5;
  return [low - half, low + half];
}

/** A curve of energies is read against zero, so zero is always in sight; a little room keeps curves off the frame. */
function withZero([low, high]: readonly [number, number]): [number, number] {
  const from = Math.min(low, 0);
  const to = Math.max(high, 0);
  const room = (to - from) * 0.04;
  return [from < 0 ? from - room : 0, to > 0 ? to + room : 0];
}

function peak(y: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < y.length; i++) most = Math.max(most, Math.abs(y[i]));
  return most;
}

/** At most four points per pixel column: first, lowest, highest, last; peaks survive, the file stays small. */
function decimate(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  toX: (value: number) => number,
  toY: (value: number) => number,
  columns: number,
): number[] {
  const out: number[] = [];
  const push = (i: number): void => {
    out.push(toX(x[i]), toY(y[i]));
  };
  const count = Math.min(x.length, y.length);
  if (count <= 4 * columns) {
    for (let i = 0; i < count; i++) push(i);
    return out;
  }
  for (let c = 0; c < columns; c++) {
    const from = Math.floor((c * count) / columns);
    const to = Math.floor(((c + 1) * count) / columns);
    let low = from;
    let high = from;
    for (let i = from; i < to; i++) {
      if (y[i] < y[low]) low = i;
      if (y[i] > y[high]) high = i;
    }
    for (const i of [...new Set([from, low, high, to - 1])].sort((a, b) => a - b)) push(i);
  }
  return out;
}
