/**
 * Mode shapes as small multiples: the rod at rest in grey, and the two extremes of its vibration. A twisting mode moves no
 * node; for it, the material axis is drawn along the rod, turned by the mode.
 */
import { ramp } from './color.ts';
import { drawAxes } from './decor.ts';
import { formatQuantity, shortNumber } from './scale.ts';
import { document, fitText, inkSoft, num, pathData, text } from './svg.ts';
import { drawGhost, drawTubes, type Stroke } from './tube.ts';
import { chooseView, cross, project, type Vector, type View } from './view.ts';

export interface ShapeRod {
  readonly id: string;
  readonly closed: boolean;
  /** [m], 3 per node. */
  readonly position: ArrayLike<number>;
  /** Unit, 3 per edge. */
  readonly tangent: ArrayLike<number>;
  readonly director: ArrayLike<number>;
  /** [m], one per edge. */
  readonly radius: ArrayLike<number>;
}

export interface Shape {
  /** Index in the rods. */
  readonly rod: number;
  /** [Hz]; negative for an unstable mode, which grows. */
  readonly frequency: number;
  /** Moves as a whole, without frequency. */
  readonly rigid?: boolean;
  readonly nodeDisplacement: ArrayLike<number>;
  readonly edgeTwist: ArrayLike<number>;
}

export interface ShapesPicture {
  readonly title: string;
  readonly subtitle?: string;
  readonly rods: readonly ShapeRod[];
  readonly shapes: readonly Shape[];
  readonly gravity?: Vector;
}

const columns = 4;
const cellWidth = 212;
const cellHeight = 168;
const side = 28;
const top = 62;

export function drawShapes(picture: ShapesPicture): string {
  const views = new Map<number, View>();
  const viewOf = (rod: number): View => {
    const known = views.get(rod);
    if (known) return known;
    const view = viewOfModes(
      picture.rods[rod],
      picture.shapes.filter((shape) => shape.rod === rod),
      picture.gravity,
    );
    views.set(rod, view);
    return view;
  };
  const shapes = untangle(picture, viewOf);
  const across = Math.max(2, Math.min(columns, shapes.length));
  const width = side * 2 + across * cellWidth;
  const height = top + Math.ceil(shapes.length / across) * cellHeight + 18;
  const body: string[] = [
    text(side, 28, fitText(picture.title, width - 2 * side, 15, { bold: true }), { size: 15, bold: true }),
    ...(picture.subtitle
      ? [text(side, 46, fitText(picture.subtitle, width - 2 * side, 11), { size: 11, fill: inkSoft })]
      : []),
  ];
  const several = picture.rods.length > 1;
  shapes.forEach((shape, k) => {
    const rod = picture.rods[shape.rod];
    const view = viewOf(shape.rod);
    const x = side + (k % across) * cellWidth;
    const y = top + Math.floor(k / across) * cellHeight;
    const number = shapes.slice(0, k).filter((other) => other.rod === shape.rod).length + 1;
    const growth = shape.frequency < 0 && !shape.rigid;
    const name = `${number}`;
    const value = shape.rigid
      ? 'rigid motion'
      : growth
        ? `unstable, grows at ${formatQuantity(-2 * Math.PI * shape.frequency, '/s')}`
        : formatFrequency(shape.frequency);
    body.push(text(x, y + 18, name, { size: 12, bold: true, fill: growth ? '#b03a2e' : ramp(0, 1) }));
    body.push(text(x + 10 + 8 * name.length, y + 18, value, { size: 12, fill: growth ? '#b03a2e' : undefined }));
    if (several)
      body.push(text(x + cellWidth - 16, y + 18, fitText(rod.id, 70, 10), { size: 10, fill: inkSoft, anchor: 'end' }));
    body.push(...drawShape(rod, shape, view, { x, y: y + 26, width: cellWidth - 22, height: cellHeight - 40 }));
  });
  const first = shapes.length > 0 ? views.get(shapes[0].rod) : undefined;
  if (first && !several) body.push(...drawAxes(width - side - (picture.gravity ? 72 : 36), 46, first, picture.gravity));
  return document(width, height, picture.title, body);
}

/** 0.56 Hz reads better than 560 mHz. */
function formatFrequency(value: number): string {
  return value >= 0.1 && value < 1000 ? `${shortNumber(value, 4)} Hz` : formatQuantity(value, 'Hz', 4);
}

/**
 * Where two modes share a frequency, as those of a round rod do, any mixture of them is a mode. The pair is mixed so
 * that one swings upwards as much as it can (of an upright rod, sideways): else each panel shows another mixture.
 */
function untangle(picture: ShapesPicture, viewOf: (rod: number) => View): Shape[] {
  const { shapes, rods, gravity: g } = picture;
  const up: Vector = g ? [-g[0], -g[1], -g[2]] : [0, 0, 1];
  const out = [...shapes];
  for (let k = 0; k + 1 < out.length; k++) {
    const [a, b] = [out[k], out[k + 1]];
    const same = Math.abs(a.frequency - b.frequency) <= 1e-5 * Math.abs(a.frequency);
    if (a.rod !== b.rod || !same || a.rigid || isTwisting(rods[a.rod], a) || isTwisting(rods[b.rod], b)) continue;
    const [aa, ab, bb] = products(a, b, up);
    const total = Math.hypot(...up) ** 2 * (sumOfSquares(a.nodeDisplacement) + sumOfSquares(b.nodeDisplacement));
    const [p, q, r] = aa + bb > 1e-3 * total ? [aa, ab, bb] : products(a, b, viewOf(a.rod).right);
    const angle = 0.5 * Math.atan2(2 * q, p - r);
    const combine = (p: ArrayLike<number>, q: ArrayLike<number>, turn: number): Float64Array =>
      Float64Array.from(p, (value, i) => value * Math.cos(turn) + q[i] * Math.sin(turn));
    const mixed = (turn: number): Pick<Shape, 'nodeDisplacement' | 'edgeTwist'> => ({
      nodeDisplacement: combine(a.nodeDisplacement, b.nodeDisplacement, turn),
      edgeTwist: combine(a.edgeTwist, b.edgeTwist, turn),
    });
    out[k] = { ...a, ...mixed(angle) };
    out[k + 1] = { ...b, ...mixed(angle + Math.PI / 2) };
    k++;
  }
  return out;
}

/** Sums over the nodes of the products of two displacements along an axis: aa, ab, bb. */
function products(a: Shape, b: Shape, axis: Vector): [number, number, number] {
  const out: [number, number, number] = [0, 0, 0];
  for (let i = 0; i + 2 < a.nodeDisplacement.length; i += 3) {
    let [u, v] = [0, 0];
    for (let k = 0; k < 3; k++) {
      u += a.nodeDisplacement[i + k] * axis[k];
      v += b.nodeDisplacement[i + k] * axis[k];
    }
    out[0] += u * u;
    out[1] += u * v;
    out[2] += v * v;
  }
  return out;
}

function sumOfSquares(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] * values[i];
  return sum;
}

/** Twisting dominates when the surface moves more by turning than the axis moves. */
function isTwisting(rod: ShapeRod, shape: Shape): boolean {
  return largest(shape.nodeDisplacement) <= largest(shape.edgeTwist) * largest(rod.radius);
}

function viewOfModes(rod: ShapeRod, shapes: readonly Shape[], gravity: Vector | undefined): View {
  const moved = shapes
    .filter((shape) => !isTwisting(rod, shape))
    .map((shape) => displaced(rod, shape, 0.25 * size(rod)));
  // Turned farther than a picture of a rod, so that swings in depth are as plain to see as those in height.
  return chooseView([rod.position, ...moved], {
    gravity,
    oblique: rod.closed,
    azimuth: radians(36),
    elevation: radians(34),
  });
}

function drawShape(
  rod: ShapeRod,
  shape: Shape,
  view: View,
  { x, y, width, height }: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): string[] {
  const swing = 0.16 * size(rod);
  const twisting = isTwisting(rod, shape);
  const clouds = twisting
    ? [rod.position]
    : [rod.position, displaced(rod, shape, swing), displaced(rod, shape, -swing)];
  const pages = clouds.map((points) => project(view, points));
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const page of pages) {
    for (let i = 0; i < page.length; i += 3) {
      left = Math.min(left, page[i]);
      right = Math.max(right, page[i]);
      low = Math.min(low, page[i + 1]);
      high = Math.max(high, page[i + 1]);
    }
  }
  const extent = Math.max(right - left, high - low, 1e-12);
  const room = twisting ? 20 : 8;
  const scale = Math.min(
    (width - 2 * room) / Math.max(right - left, extent * 1e-3),
    (height - 2 * room) / Math.max(high - low, extent * 1e-3),
  );
  const place = (points: ArrayLike<number>): Float64Array => {
    const out = project(view, points);
    for (let i = 0; i < out.length; i += 3) {
      out[i] = x + width / 2 + (out[i] - (left + right) / 2) * scale;
      out[i + 1] = y + height / 2 - (out[i + 1] - (low + high) / 2) * scale;
    }
    return out;
  };
  const stroke = (points: ArrayLike<number>, color: string, least: number): Stroke => ({
    points: place(points),
    closed: rod.closed,
    width: Array.from(rod.radius, (radius) => Math.min(9, Math.max(least, 2 * radius * scale))),
    color,
  });
  if (twisting) {
    return [
      ...drawTwist(rod, shape, place, (0.5 * Math.min(height, 56)) / scale),
      ...drawTubes([stroke(rod.position, '#7d8894', 2.6)], { shadeDepth: false }),
    ];
  }
  return [
    drawGhost(stroke(rod.position, '#c6ccd2', 1.2)),
    drawGhost(stroke(clouds[2], ramp(0, 0.35), 1.8)),
    ...drawTubes([stroke(clouds[1], ramp(0, 1), 3.2)], { shadeDepth: false }),
  ];
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** Rungs across the rod, turned by the mode: where they fan out, the rod twists. */
function drawTwist(
  rod: ShapeRod,
  shape: Shape,
  place: (points: ArrayLike<number>) => Float64Array,
  reach: number,
): string[] {
  const edges = rod.radius.length;
  const nodes = rod.position.length / 3;
  const most = largest(shape.edgeTwist) || 1;
  const out: string[] = [];
  const tips: number[] = [];
  const step = Math.max(1, Math.ceil(edges / 36));
  for (let j = 0; j < edges; j += step) {
    const angle = (1.2 * shape.edgeTwist[j]) / most;
    const d1: Vector = [rod.director[3 * j], rod.director[3 * j + 1], rod.director[3 * j + 2]];
    const t: Vector = [rod.tangent[3 * j], rod.tangent[3 * j + 1], rod.tangent[3 * j + 2]];
    const d2 = cross(t, d1);
    const next = (j + 1) % nodes;
    const points: number[] = [];
    for (const sign of [-1, 1]) {
      for (let k = 0; k < 3; k++) {
        const center = (rod.position[3 * j + k] + rod.position[3 * next + k]) / 2;
        points.push(center + sign * reach * (d1[k] * Math.cos(angle) + d2[k] * Math.sin(angle)));
      }
    }
    const p = place(points);
    const amount = 0.3 + 0.7 * Math.abs(shape.edgeTwist[j] / most);
    out.push(
      `<path d="M${num(p[0])} ${num(p[1])}L${num(p[3])} ${num(p[4])}" stroke="${ramp(0, amount)}" stroke-width="1.3" stroke-linecap="round"/>`,
    );
    tips.push(p[3], p[4]);
  }
  out.push(`<path d="${pathData(tips)}" stroke="${ramp(0, 0.9)}" stroke-width="1.2" stroke-linejoin="round"/>`);
  return out;
}

function displaced(rod: ShapeRod, shape: Shape, amount: number): Float64Array {
  const scale = amount / (largest(shape.nodeDisplacement) || 1);
  return Float64Array.from(rod.position, (value, i) => value + scale * shape.nodeDisplacement[i]);
}

function size(rod: ShapeRod): number {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < rod.position.length; i++) {
    low[i % 3] = Math.min(low[i % 3], rod.position[i]);
    high[i % 3] = Math.max(high[i % 3], rod.position[i]);
  }
  return Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

function largest(values: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]));
  return most;
}
