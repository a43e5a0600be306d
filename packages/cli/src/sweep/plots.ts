/** Plots of a study as SVG: parallel coordinates, scatter plots, a response surface. Points are links into the studio. */
import { choosePrefix, formatTicks, linear, logarithmic, logTicks, niceTicks } from '../plot/scale.ts';
import { document, element, escapeXml, gridColor, ink, inkSoft, line, num, text } from '../plot/svg.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly title: string;
  readonly href?: string;
}

export interface Axis {
  readonly label: string;
  readonly unit: string;
  /** Logarithmic: for parameters that the study spaces or draws so. */
  readonly log?: boolean;
}

/** Blue to yellow, readable by the colour-blind, on light and dark grounds. */
export function shade(share: number): string {
  const stops = [
    [68, 1, 84],
    [59, 82, 139],
    [33, 145, 140],
    [94, 201, 98],
    [253, 231, 37],
  ];
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const k = Math.min(Math.floor(at), stops.length - 2);
  const mix = stops[k].map((value, c) => Math.round(value + (stops[k + 1][c] - value) * (at - k)));
  return `rgb(${mix.join(',')})`;
}

function rangeOf(values: readonly number[]): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return low === high ? [low - Math.abs(low || 1) / 2, high + Math.abs(high || 1) / 2] : [low, high];
}

interface Scale {
  to(value: number): number;
  readonly marks: readonly { readonly at: number; readonly label: string }[];
  readonly title: string;
}

/** Units that begin with a symbol of power one and without a prefix: Pa, m/s, N m; not kg/m^3, 1/m, m^2, rad. */
const takesPrefix = (unit: string): boolean => /^(?!kg|rad)[A-Za-z]+(?![\w^])/.test(unit);

function scaleOf(values: readonly number[], { label, unit, log }: Axis, from: number, to: number): Scale {
  const [low, high] = rangeOf(values);
  if (log && low > 0) {
    const place = logarithmic(low, high, from, to);
    const { ticks, labels } = logTicks(low, high, takesPrefix(unit) ? unit : '');
    return {
      to: place,
      marks: ticks.map((tick, k) => ({ at: place(tick), label: labels[k] })),
      title: takesPrefix(unit) || unit === '' ? label : `${label} [${unit}]`,
    };
  }
  const prefix = takesPrefix(unit) ? choosePrefix(Math.max(Math.abs(low), Math.abs(high))) : { symbol: '', factor: 1 };
  const ticks = niceTicks(low / prefix.factor, high / prefix.factor, 4);
  const labels = formatTicks(ticks);
  const place = linear(low, high, from, to);
  return {
    to: place,
    marks: ticks.map((tick, k) => ({ at: place(tick * prefix.factor), label: labels[k] })),
    title: unit === '' ? label : `${label} [${prefix.symbol}${unit}]`,
  };
}

const linked = (content: string, { href, title }: Pick<Point, 'href' | 'title'>): string => {
  const titled = content.replace('/>', `><title>${escapeXml(title)}</title></circle>`);
  return href === undefined ? titled : `<a href="${escapeXml(href)}" target="_blank" rel="noopener">${titled}</a>`;
};

export function drawScatter(points: readonly Point[], x: Axis, y: Axis): string {
  const [width, height, left, bottom] = [420, 300, 70, 46];
  const across = scaleOf(
    points.map((point) => point.x),
    x,
    left,
    width - 12,
  );
  const up = scaleOf(
    points.map((point) => point.y),
    y,
    height - bottom,
    12,
  );
  const parts = [
    ...across.marks.map(
      ({ at, label }) =>
        line(at, 12, at, height - bottom, { stroke: gridColor }) +
        text(at, height - bottom + 16, label, { anchor: 'middle', fill: inkSoft }),
    ),
    ...up.marks.map(
      ({ at, label }) =>
        line(left, at, width - 12, at, { stroke: gridColor }) +
        text(left - 6, at + 4, label, { anchor: 'end', fill: inkSoft }),
    ),
    text((left + width) / 2, height - 8, across.title, { anchor: 'middle' }),
    text(14, (height - bottom) / 2, up.title, { anchor: 'middle', rotate: -90 }),
    ...points.map((point) =>
      linked(
        element('circle', {
          cx: across.to(point.x),
          cy: up.to(point.y),
          r: 2.5,
          fill: '#0072b2',
          'fill-opacity': 0.55,
        }),
        point,
      ),
    ),
  ];
  return document(width, height, `${y.label} over ${x.label}`, parts);
}

/** One line per run, coloured by the last axis. */
export function drawParallel(
  axes: readonly Axis[],
  rows: readonly { readonly values: readonly number[]; readonly title: string; readonly href?: string }[],
): string {
  const [width, height, top, bottom] = [860, 360, 34, 330];
  const step = (width - 140) / Math.max(1, axes.length - 1);
  const scales = axes.map((axis, k) =>
    scaleOf(
      rows.map(({ values }) => values[k]),
      axis,
      bottom,
      top,
    ),
  );
  const last = rangeOf(rows.map(({ values }) => values[axes.length - 1]));
  const at = (k: number): number => 70 + k * step;
  const parts = [
    ...rows.map(({ values, title, href }) => {
      const d = values.map((value, k) => `${k === 0 ? 'M' : 'L'}${num(at(k))} ${num(scales[k].to(value))}`).join('');
      const stroke = shade((values[axes.length - 1] - last[0]) / (last[1] - last[0]));
      const path = `<path d="${d}" fill="none" stroke="${stroke}" stroke-opacity="0.5"><title>${escapeXml(title)}</title></path>`;
      return href === undefined ? path : `<a href="${escapeXml(href)}" target="_blank" rel="noopener">${path}</a>`;
    }),
    ...scales.map((scale, k) =>
      [
        line(at(k), top, at(k), bottom, { stroke: ink }),
        text(at(k), 20, scale.title, { anchor: 'middle', bold: true }),
        ...scale.marks.map((mark) =>
          text(at(k) - 5, mark.at + 4, mark.label, { anchor: 'end', fill: inkSoft, halo: true }),
        ),
      ].join(''),
    ),
  ];
  return document(width, height, 'Parallel coordinates', parts);
}

interface Cells {
  /** In the units of the axis. */
  readonly range: readonly [number, number];
  readonly count: number;
  /** Cell of a value. */
  of(value: number): number;
}

/** Cells of equal size on the axis; points of an even grid lie in the middles of theirs. */
function cellsOf(raw: readonly number[], axis: Axis): Cells {
  const isLog = axis.log === true && raw.every((value) => value > 0);
  const values = isLog ? raw.map(Math.log) : raw;
  const { range, count } = divide(values);
  const [low, high] = range;
  return {
    range: isLog ? [Math.exp(low), Math.exp(high)] : range,
    count,
    of: (value) => Math.min(count - 1, Math.floor((count * ((isLog ? Math.log(value) : value) - low)) / (high - low))),
  };
}

function divide(values: readonly number[]): { readonly range: [number, number]; readonly count: number } {
  const [low, high] = rangeOf(values);
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  const step = (high - low) / (distinct.length - 1);
  const isEven =
    distinct.length > 1 &&
    distinct.length <= 60 &&
    distinct.every((value, k) => Math.abs(value - low - k * step) < 1e-6 * step);
  if (isEven) return { range: [low - step / 2, high + step / 2], count: distinct.length };
  // about five points per cell, so that few cells stay empty
  const count = Math.min(24, distinct.length, Math.max(2, Math.floor(Math.sqrt(values.length / 5))));
  return { range: [low, high], count };
}

/** Means over the cells of a grid of two parameters. */
export function drawSurface(points: readonly (Point & { readonly z: number })[], x: Axis, y: Axis, z: Axis): string {
  const [width, height, left, bottom, right] = [620, 380, 70, 46, 110];
  const [columns, rows] = [
    cellsOf(
      points.map((point) => point.x),
      x,
    ),
    cellsOf(
      points.map((point) => point.y),
      y,
    ),
  ];
  const [nx, ny] = [columns.count, rows.count];
  const sums = new Map<number, { sum: number; count: number }>();
  for (const point of points) {
    const key = columns.of(point.x) + nx * rows.of(point.y);
    const cell = sums.get(key) ?? { sum: 0, count: 0 };
    sums.set(key, { sum: cell.sum + point.z, count: cell.count + 1 });
  }
  const means = [...sums].map(([key, { sum, count }]) => ({ i: key % nx, j: Math.floor(key / nx), mean: sum / count }));
  const [low, high] = rangeOf(means.map(({ mean }) => mean));
  const [across, up] = [scaleOf(columns.range, x, left, width - right), scaleOf(rows.range, y, height - bottom, 14)];
  const [w, h] = [(width - right - left) / nx, (height - bottom - 14) / ny];
  const bar = scaleOf([low, high], z, height - bottom, 14);
  const parts = [
    ...means.map(({ i, j, mean }) =>
      element('rect', {
        x: left + i * w,
        y: height - bottom - (j + 1) * h,
        width: w + 0.5,
        height: h + 0.5,
        fill: shade((mean - low) / (high - low)),
      }),
    ),
    ...Array.from({ length: 40 }, (_, k) =>
      element('rect', {
        x: width - right + 20,
        y: height - bottom - ((k + 1) * (height - bottom - 14)) / 40,
        width: 14,
        height: (height - bottom - 14) / 40 + 0.5,
        fill: shade(k / 39),
      }),
    ),
    ...bar.marks.map(({ at, label }) => text(width - right + 40, at + 4, label, { fill: inkSoft })),
    text(width - right + 20, height - bottom + 20, bar.title, {}),
    ...across.marks.map(({ at, label }) => text(at, height - bottom + 16, label, { anchor: 'middle', fill: inkSoft })),
    ...up.marks.map(({ at, label }) => text(left - 6, at + 4, label, { anchor: 'end', fill: inkSoft })),
    text((left + width - right) / 2, height - 8, across.title, { anchor: 'middle' }),
    text(14, (height - bottom) / 2, up.title, { anchor: 'middle', rotate: -90 }),
  ];
  return document(width, height, `${z.label} over ${x.label} and ${y.label}`, parts);
}

/** Order of convergence p of errors C n⁻ᵖ, by least squares in the logarithms. */
export function orderOf(points: readonly Pick<Point, 'x' | 'y'>[]): number {
  const logs = points.map(({ x, y }) => [Math.log(x), Math.log(y)] as const);
  const mean = (k: 0 | 1): number => logs.reduce((sum, pair) => sum + pair[k], 0) / logs.length;
  const [mx, my] = [mean(0), mean(1)];
  const covariance = logs.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return -covariance / logs.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}

/** Lines that lie on each other are told apart by their dashes. */
const dashes = ['', '9 3', '2 3', '9 3 2 3'];

const lineColors = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000', '#999999'];

/** Errors over a resolution, both on logarithmic axes. Points of error zero have no place on them. */
export function drawConvergence(
  lines: readonly { readonly label: string; readonly points: readonly Point[] }[],
): string {
  const [width, height, left, bottom, right] = [620, 360, 70, 46, 170];
  const shown = lines.map(({ label, points }) => ({ label, points: points.filter(({ x, y }) => x > 0 && y > 0) }));
  const all = shown.flatMap(({ points }) => points);
  if (all.length === 0) return document(width, 40, 'Errors', [text(12, 24, 'All errors are zero.', {})]);
  const [ns, errors] = [rangeOf(all.map(({ x }) => x)), rangeOf(all.map(({ y }) => y))];
  const [low, high] = [Math.floor(Math.log10(errors[0])), Math.ceil(Math.log10(errors[1]) + 0.01)];
  const across = linear(Math.log10(ns[0] * 0.9), Math.log10(ns[1] * 1.1), left, width - right);
  const up = linear(low, high, height - bottom, 14);
  const decades = Array.from({ length: high - low + 1 }, (_, k) => low + k);
  const parts = [
    ...decades.map(
      (power) =>
        line(left, up(power), width - right, up(power), { stroke: gridColor }) +
        text(left - 6, up(power) + 4, power === 0 ? '1' : `1e${power}`, { anchor: 'end', fill: inkSoft }),
    ),
    ...[...new Set(all.map(({ x }) => x))].map((n) =>
      text(across(Math.log10(n)), height - bottom + 16, String(n), { anchor: 'middle', fill: inkSoft }),
    ),
    ...shown.flatMap(({ label, points }, k) => {
      const stroke = lineColors[k % lineColors.length];
      const at = points.map((point) => ({ point, x: across(Math.log10(point.x)), y: up(Math.log10(point.y)) }));
      const d = at.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${num(x)} ${num(y)}`).join('');
      const order = points.length > 1 ? `, order ${orderOf(points).toFixed(2)}` : '';
      const dash = dashes[k % dashes.length];
      return [
        `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="1.5"${dash === '' ? '' : ` stroke-dasharray="${dash}"`}/>`,
        ...at.map(({ point, x, y }) => linked(element('circle', { cx: x, cy: y, r: 3, fill: stroke }), point)),
        text(width - right + 14, 24 + 18 * k, `${label}${order}`, { fill: stroke }),
      ];
    }),
    text((left + width - right) / 2, height - 8, 'n', { anchor: 'middle' }),
    text(14, (height - bottom) / 2, 'error', { anchor: 'middle', rotate: -90 }),
  ];
  return document(width, height, 'Errors over the resolution', parts);
}
