/** Parts around a picture: scale bar, axes, the legend of times, and the marks of pins. */
import { ramp } from './color.ts';
import { choosePrefix, formatQuantity, minus, niceFloor, shortNumber } from './scale.ts';
import { element, fitText, ink, inkSoft, line, num, paper, text, textWidth } from './svg.ts';
import type { Vector, View } from './view.ts';

/** A bar of a round length; `scale` is pixels per metre. */
export function drawScaleBar(right: number, y: number, scale: number, longest: number): string[] {
  const length = niceFloor(longest / scale);
  const x = right - length * scale;
  return [
    `<path d="M${num(x)} ${num(y - 4)}V${num(y)}H${num(right)}V${num(y - 4)}" stroke="${ink}" stroke-width="1.4"/>`,
    text((x + right) / 2, y + 15, formatQuantity(length, 'm'), { anchor: 'middle', size: 11 }),
  ];
}

/** The world's axes as the page shows them, and which way things fall. */
export function drawAxes(x: number, y: number, view: View, gravity?: Vector): string[] {
  const size = 24;
  const out: string[] = [];
  const names = ['x', 'y', 'z'];
  const arms = names
    .map((name, k) => ({ name, dx: view.right[k] * size, dy: -view.up[k] * size, depth: view.towards[k] }))
    .sort((a, b) => a.depth - b.depth);
  const labels: { x: number; y: number }[] = [];
  for (const { name, dx, dy } of arms) {
    const length = Math.hypot(dx, dy);
    // an axis that points at the reader would be a blot
    if (length < 3) continue;
    out.push(arrow(x, y, x + dx, y + dy, inkSoft));
    const reach = (length + 8) / length;
    const label = { x: x + dx * reach, y: y + dy * reach + 3.5 };
    // two axes may lie on one line of the page; their names stand side by side
    while (labels.some((other) => Math.hypot(other.x - label.x, other.y - label.y) < 9)) label.x += 9;
    labels.push(label);
    out.push(text(label.x, label.y, name, { size: 10, fill: inkSoft, anchor: 'middle' }));
  }
  const strength = gravity ? Math.hypot(...gravity) : 0;
  if (gravity && strength > 0) {
    const at = x + 50;
    out.push(arrow(at, y - size + 2, at, y + 2, inkSoft), text(at + 6, y - 7, 'g', { size: 10, fill: inkSoft }));
  }
  return out;
}

function arrow(x1: number, y1: number, x2: number, y2: number, color: string): string {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const ux = (x2 - x1) / length;
  const uy = (y2 - y1) / length;
  const head = Math.min(5, length * 0.5);
  const bx = x2 - ux * head;
  const by = y2 - uy * head;
  const tip = `M${num(x2)} ${num(y2)}L${num(bx - uy * 2.4)} ${num(by + ux * 2.4)}L${num(bx + uy * 2.4)} ${num(by - ux * 2.4)}Z`;
  return `${line(x1, y1, bx, by, { stroke: color, width: 1.2 })}<path d="${tip}" fill="${color}"/>`;
}

export interface TimeLegend {
  readonly label: string;
  readonly unit: string;
  readonly times: readonly number[];
  /** Words in place of the times. */
  readonly labels?: readonly string[];
  /** Amount of colour of each time, 0…1. */
  readonly amounts: readonly number[];
  /** One row of swatches a hue; names where there are several. */
  readonly rows: readonly { readonly hue: number; readonly name: string }[];
}

/** Swatches from the first time to the last; returns what to draw, from x to the right, above y. */
export function drawTimeLegend(x: number, y: number, room: number, legend: TimeLegend): string[] {
  const { times, amounts, rows } = legend;
  if (times.length < 2) return [];
  const named = rows.length > 1;
  const nameRoom = named ? Math.min(120, Math.max(...rows.map(({ name }) => textWidth(name, 10))) + 10) : 0;
  const swatch = Math.min(legend.labels ? 78 : 34, (room - nameRoom) / times.length);
  const rowHeight = named ? 9 : 7;
  const out: string[] = [];
  rows.forEach(({ hue, name }, row) => {
    const top = y - (rows.length - row) * (rowHeight + (named ? 3 : 0));
    amounts.forEach((amount, k) => {
      out.push(
        element('rect', {
          x: x + k * swatch,
          y: top,
          width: swatch - 1.5,
          height: rowHeight,
          rx: 1.5,
          fill: ramp(hue, amount),
        }),
      );
    });
    if (named) {
      out.push(text(x + times.length * swatch + 6, top + 8, fitText(name, nameRoom, 10), { size: 10, fill: inkSoft }));
    }
  });
  const largest = Math.max(...times.map(Math.abs));
  const prefix =
    legend.unit === '' || (largest >= 0.1 && largest < 1000) ? { symbol: '', factor: 1 } : choosePrefix(largest);
  const labels = legend.labels ?? times.map((time) => minus(shortNumber(time / prefix.factor)));
  // As many labels as stand clear of each other, always the first and the last.
  const widest = Math.max(...labels.map((label) => textWidth(label, 10))) + 8;
  const stride = divisor(times.length - 1, Math.ceil(widest / swatch));
  labels.forEach((label, k) => {
    if (k % stride === 0)
      out.push(text(x + (k + 0.5) * swatch - 0.75, y + 14, label, { size: 10, fill: inkSoft, anchor: 'middle' }));
  });
  if (legend.labels) return out;
  const unit = `${legend.label}${legend.unit === '' ? '' : ` [${prefix.symbol}${legend.unit}]`}`;
  const lastRight = x + (times.length - 0.5) * swatch + textWidth(labels[labels.length - 1], 10) / 2;
  out.push(text(lastRight + 8, y + 14, unit, { size: 10, fill: inkSoft }));
  return out;
}

/** Smallest divisor of `count` that is at least `wanted`. */
function divisor(count: number, wanted: number): number {
  for (let k = Math.max(1, wanted); k < count; k++) if (count % k === 0) return k;
  return Math.max(1, count);
}

export interface PinMark {
  readonly x: number;
  readonly y: number;
  /** Direction on the page from the pin into the rod; zero inside a rod or seen end on. */
  readonly dx: number;
  readonly dy: number;
  readonly kind: 'clamp' | 'hinge';
  /** Pixels across the rod here. */
  readonly width: number;
}

export function drawPins(pins: readonly PinMark[]): string[] {
  const small = pins.length > 12;
  const dot = pins.length > 60 ? 1.1 : 2.4;
  return pins.map(({ x, y, dx, dy, kind, width }) => {
    if (small) return `<circle cx="${num(x)}" cy="${num(y)}" r="${num(dot)}" fill="${inkSoft}"/>`;
    if (kind === 'hinge') {
      const r = Math.max(4, width * 0.5);
      return `<circle cx="${num(x)}" cy="${num(y)}" r="${num(r)}" fill="${paper}" stroke="${ink}" stroke-width="1.6"/>`;
    }
    const length = Math.hypot(dx, dy);
    if (length < 1e-3) {
      const half = Math.max(4, width * 0.5);
      return element('rect', {
        x: x - half,
        y: y - half,
        width: 2 * half,
        height: 2 * half,
        fill: ink,
        stroke: paper,
        'stroke-width': 1,
      });
    }
    return drawWall(x, y, dx / length, dy / length, Math.max(13, width * 1.3));
  });
}

/** The hatched wall of mechanics books, across the rod. */
function drawWall(x: number, y: number, ux: number, uy: number, half: number): string {
  const nx = -uy;
  const ny = ux;
  let hatch = '';
  const step = 5;
  const count = Math.floor((2 * half) / step);
  for (let k = 0; k <= count; k++) {
    const t = -half + (k * 2 * half) / count;
    hatch += `M${num(x + nx * t)} ${num(y + ny * t)}l${num(-ux * 6 + nx * -5)} ${num(-uy * 6 + ny * -5)}`;
  }
  const bar = `M${num(x + nx * half)} ${num(y + ny * half)}L${num(x - nx * half)} ${num(y - ny * half)}`;
  return `<path d="${hatch}" stroke="${inkSoft}" stroke-width="1"/><path d="${bar}" stroke="${ink}" stroke-width="2.2" stroke-linecap="round"/>`;
}
