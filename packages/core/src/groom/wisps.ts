/**
 * Fibers around simulated centre lines: few are simulated, many are rendered [Michels2015 Fig. 7].
 *
 * A fiber has a fixed position (a, b) in the unit disc of its line's cross-section. At fraction u of the line it lies at
 *     x(u) + ρ(u) (a d1(u) + b d2(u)),
 * with the line's material frame, so fibers wind about a twisted line. At a node the frame is the normalised sum of both edges' quaternions, which is
 * exact on a rod of constant curvature and twist; at a free end it is that of the last edge.
 *
 * With `blend` fibers follow the nearest lines as well, with the weights of hairs.ts. Fiber f keeps its initial position in the frame of line k,
 * o_k(u) = R_k⁰(u)ᵀ(X_f⁰(u) − x_k⁰(u)), and is rendered at Σ w_k (x_k(u) + R_k(u) o_k(u)).
 */

import { SceneError } from '../errors.ts';
import { cos, hypot, sin } from '../math/rounded/index.ts';
import { createHairs } from './hairs.ts';
import { randomAt } from './random.ts';
import type { Roots } from './roots.ts';

/** State of a centre line at an instant, from a rod's samples or a recording. */
export interface CentreLine {
  /** True for a ring. */
  readonly closed: boolean;
  /** [m], 3 per node */
  readonly nodePosition: ArrayLike<number>;
  /** d1, unit, 3 per edge */
  readonly edgeDirector: ArrayLike<number>;
}

/** Fibers that are rendered around each rod. */
export interface WispOptions {
  /** Fibers a line. */
  readonly count: number;
  /** Radius of the bundle [m]: constant, or at fractions of the length from 0 to 1, linear between them: [[0, 1e-3], [1, 2e-4]]. */
  readonly radius: number | readonly (readonly [number, number])[];
  /** Turns of fibers about their line from start to end, in addition to its twist. Default 0; an integer on closed lines. */
  readonly turns?: number;
  /** How much fibers follow neighbouring lines, 0 (default) to 1. */
  readonly blend?: number;
  /** Default 0. */
  readonly seed?: number;
}

/** Fibers around rods, placed in the rods' material frames. */
export interface Wisps {
  /** Options, with defaults filled in. */
  readonly options: Required<WispOptions>;
  /** Number of nodes of each line. */
  readonly nodeCounts: readonly number[];
  /** Fibers of all lines, line by line. */
  readonly count: number;
  /** Place in the unit disc, 2 per fiber. */
  readonly place: Float64Array;
  /** Lines that each fiber follows and their weights, 3 per fiber; the first is its own. Empty without blending. */
  readonly line: Uint32Array;
  /** Weights of the lines, 3 per fiber; empty without blending. */
  readonly weight: Float64Array;
  /** Offsets in the frames of those lines [m], 9 per node of its own line for each fiber. Empty without blending. */
  readonly offset: readonly Float64Array[];
}

const NEAR = 3;

const MOST_FIBERS = 1_000_000;

/** Places fibers around the lines in their current state. */
export function createWisps(lines: readonly CentreLine[], options: WispOptions): Wisps {
  const { count, radius, turns = 0, blend = 0, seed = 0 } = options;
  if (!(Number.isInteger(count) && count > 0)) throw new SceneError(['count'], `expected a whole number, got ${count}`);
  checkRadius(radius);
  if (!Number.isFinite(turns)) throw new SceneError(['turns'], `expected a number, got ${turns}`);
  if (!Number.isInteger(turns) && lines.some(({ closed }) => closed))
    throw new SceneError(['turns'], `fibers about a closed line close after a whole number of turns, not ${turns}`);
  if (!(blend >= 0 && blend <= 1)) throw new SceneError(['blend'], `must be from 0 to 1, got ${blend}`);
  const total = lines.length * count;
  if (total > MOST_FIBERS)
    throw new SceneError(['count'], `${count} about each of ${lines.length} rods are ${total}; at most ${MOST_FIBERS}`);
  const place = new Float64Array(2 * total);
  lines.forEach((_, k) => {
    const phase = 2 * Math.PI * randomAt(seed, k);
    for (let f = 0; f < count; f++) {
      // sunflower pattern: uniform density over the disc
      const r = Math.sqrt((f + 0.5) / count);
      const angle = phase + f * Math.PI * (3 - Math.sqrt(5));
      place[2 * (k * count + f)] = r * cos(angle);
      place[2 * (k * count + f) + 1] = r * sin(angle);
    }
  });
  const plain: Wisps = {
    options: { count, radius, turns, blend, seed },
    nodeCounts: lines.map(({ nodePosition }) => nodePosition.length / 3),
    count: total,
    place,
    line: new Uint32Array(0),
    weight: new Float64Array(0),
    offset: [],
  };
  return blend > 0 && lines.length > 1 ? bindToNeighbours(plain, lines) : plain;
}

function checkRadius(radius: WispOptions['radius']): void {
  if (typeof radius === 'number') {
    if (!(radius >= 0 && Number.isFinite(radius)))
      throw new SceneError(['radius'], `the radius of a bundle is ${radius}; it must be zero or more`);
    return;
  }
  const rises = radius.every(([u, r], k) => r >= 0 && Number.isFinite(r) && (k === 0 || u > radius[k - 1][0]));
  if (radius.length === 0 || !rises)
    throw new SceneError(
      ['radius'],
      'expected pairs [fraction, radius] with fractions that rise and radii of zero or more',
    );
}

function radiusAt(radius: WispOptions['radius'], u: number): number {
  if (typeof radius === 'number') return radius;
  const next = radius.findIndex(([at]) => at >= u);
  if (next < 0) return radius[radius.length - 1][1];
  if (next === 0) return radius[0][1];
  const [[a, from], [b, to]] = [radius[next - 1], radius[next]];
  return from + ((u - a) / (b - a)) * (to - from);
}

/** Frames at the nodes of a line as quaternions w, x, y, z, 4 per node. */
export function nodeQuaternions(line: CentreLine): Float64Array {
  const { closed, nodePosition: x, edgeDirector: d } = line;
  const nodes = x.length / 3;
  const edges = closed ? nodes : nodes - 1;
  const edge = new Float64Array(4 * edges);
  const tangent: [number, number, number] = [0, 0, 1];
  for (let j = 0; j < edges; j++) {
    const [a, b] = [3 * j, 3 * ((j + 1) % nodes)];
    const [tx, ty, tz] = [x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]];
    const length = hypot(tx, ty, tz);
    // an edge without length continues the previous one
    if (length > 0) [tangent[0], tangent[1], tangent[2]] = [tx / length, ty / length, tz / length];
    writeQuaternion(edge, 4 * j, tangent, d, 3 * j);
  }
  const out = new Float64Array(4 * nodes);
  for (let i = 0; i < nodes; i++) {
    const before = closed ? (i + edges - 1) % edges : Math.max(0, i - 1);
    mixRotations(out, 4 * i, edge, 4 * before, edge, 4 * Math.min(i, edges - 1), 0.5);
  }
  return out;
}

/** Quaternion of the frame (d1, d2, t), with d1 made normal to t. */
function writeQuaternion(
  out: Float64Array,
  o: number,
  t: readonly [number, number, number],
  d: ArrayLike<number>,
  at: number,
): void {
  const along = d[at] * t[0] + d[at + 1] * t[1] + d[at + 2] * t[2];
  let [ux, uy, uz] = [d[at] - along * t[0], d[at + 1] - along * t[1], d[at + 2] - along * t[2]];
  let size = hypot(ux, uy, uz);
  if (!(size > 1e-9)) {
    // a director along the tangent is useless: any perpendicular axis will do
    const [a, b, c] = t;
    [ux, uy, uz] = Math.abs(c) < 0.9 ? [b, -a, 0] : [c, 0, -a];
    size = hypot(ux, uy, uz);
  }
  [ux, uy, uz] = [ux / size, uy / size, uz / size];
  const [vx, vy, vz] = [t[1] * uz - t[2] * uy, t[2] * ux - t[0] * uz, t[0] * uy - t[1] * ux];
  // the largest of the four is computed first, to avoid division by small numbers
  const trace = [ux + vy + t[2], ux - vy - t[2], vy - ux - t[2], t[2] - ux - vy];
  const most = trace.indexOf(Math.max(...trace));
  const s = 0.5 * Math.sqrt(1 + trace[most]);
  const [wx, wy, wz] = [vz - t[1], t[0] - uz, uy - vx].map((value) => value / (4 * s));
  const [xy, xz, yz] = [uy + vx, uz + t[0], vz + t[1]].map((value) => value / (4 * s));
  const rows = [
    [s, wx, wy, wz],
    [wx, s, xy, xz],
    [wy, xy, s, yz],
    [wz, xz, yz, s],
  ];
  for (let k = 0; k < 4; k++) out[o + k] = rows[most][k];
}

/** Interpolates between two rotations; exact for a half, approximate otherwise. */
function mixRotations(
  out: Float64Array,
  o: number,
  p: Float64Array,
  a: number,
  q: Float64Array,
  b: number,
  part: number,
): void {
  const dot = p[a] * q[b] + p[a + 1] * q[b + 1] + p[a + 2] * q[b + 2] + p[a + 3] * q[b + 3];
  const sign = dot < 0 ? -1 : 1;
  let size = 0;
  for (let k = 0; k < 4; k++) {
    const value = (1 - part) * p[a + k] + sign * part * q[b + k];
    out[o + k] = value;
    size += value * value;
  }
  size = Math.sqrt(size);
  for (let k = 0; k < 4; k++) out[o + k] /= size;
}

/** Adds w R(q) v to three numbers of `out`. */
function addTurned(
  out: Float64Array,
  o: number,
  q: Float64Array,
  i: number,
  vx: number,
  vy: number,
  vz: number,
  weight: number,
): void {
  const [w, x, y, z] = [q[i], q[i + 1], q[i + 2], q[i + 3]];
  out[o] += weight * ((1 - 2 * (y * y + z * z)) * vx + 2 * (x * y - w * z) * vy + 2 * (x * z + w * y) * vz);
  out[o + 1] += weight * (2 * (x * y + w * z) * vx + (1 - 2 * (x * x + z * z)) * vy + 2 * (y * z - w * x) * vz);
  out[o + 2] += weight * (2 * (x * z - w * y) * vx + 2 * (y * z + w * x) * vy + (1 - 2 * (x * x + y * y)) * vz);
}

/**
 * Positions of all fibers, line by line: as many points each as their line has nodes, 3 numbers per point.
 */
export function poseWisps(wisps: Wisps, lines: readonly CentreLine[]): Float64Array[] {
  const { options, nodeCounts, offset } = wisps;
  lines.forEach(({ nodePosition }, k) => {
    if (nodePosition.length !== 3 * nodeCounts[k])
      throw new SceneError(['lines', k], `has ${nodePosition.length / 3} nodes, and had ${nodeCounts[k]}`);
  });
  const frames = lines.map(nodeQuaternions);
  const out: Float64Array[] = [];
  lines.forEach((line, k) => {
    const nodes = nodeCounts[k];
    for (let f = 0; f < options.count; f++) {
      const fiber = k * options.count + f;
      const points = new Float64Array(3 * nodes);
      for (let i = 0; i < nodes; i++) {
        if (offset.length > 0) writeBlended(points, i, wisps, { lines, frames }, fiber, k);
        else writePlain(points, i, wisps, line, frames[k], fiber);
      }
      out.push(points);
    }
  });
  return out;
}

const fractionOf = (i: number, nodes: number, closed: boolean): number => i / (closed ? nodes : Math.max(1, nodes - 1));

/** Node i of a fiber that winds about its own line. */
function writePlain(
  out: Float64Array,
  i: number,
  { options: { radius, turns }, place }: Wisps,
  { nodePosition: x, closed }: CentreLine,
  frames: Float64Array,
  fiber: number,
): void {
  const a = place[2 * fiber];
  const b = place[2 * fiber + 1];
  const u = fractionOf(i, x.length / 3, closed);
  const rho = radiusAt(radius, u);
  const [c, s] = [cos(2 * Math.PI * turns * u), sin(2 * Math.PI * turns * u)];
  for (let k = 0; k < 3; k++) out[3 * i + k] = x[3 * i + k];
  addTurned(out, 3 * i, frames, 4 * i, rho * (c * a - s * b), rho * (s * a + c * b), 0, 1);
}

const point = new Float64Array(3);
const turned = new Float64Array(4);

/** Position and frame of a line at fraction u, into `point` and `turned`. */
function evaluate({ nodePosition: x, closed }: CentreLine, frames: Float64Array, u: number): void {
  const nodes = x.length / 3;
  const at = u * (closed ? nodes : nodes - 1);
  const low = Math.min(Math.floor(at), closed ? nodes - 1 : nodes - 2);
  const next = (low + 1) % nodes;
  const t = at - low;
  for (let k = 0; k < 3; k++) point[k] = (1 - t) * x[3 * low + k] + t * x[3 * next + k];
  mixRotations(turned, 0, frames, 4 * low, frames, 4 * next, t);
}

/** Node i of a fiber of line `own` that follows the lines near its root. */
function writeBlended(
  out: Float64Array,
  i: number,
  { line, weight, offset, nodeCounts }: Wisps,
  { lines, frames }: { readonly lines: readonly CentreLine[]; readonly frames: readonly Float64Array[] },
  fiber: number,
  own: number,
): void {
  const u = fractionOf(i, nodeCounts[own], lines[own].closed);
  for (let k = 0; k < NEAR; k++) {
    const w = weight[NEAR * fiber + k];
    if (w === 0) continue;
    const other = line[NEAR * fiber + k];
    evaluate(lines[other], frames[other], u);
    for (let c = 0; c < 3; c++) out[3 * i + c] += w * point[c];
    const o = 9 * i + 3 * k;
    addTurned(out, 3 * i, turned, 0, offset[fiber][o], offset[fiber][o + 1], offset[fiber][o + 2], w);
  }
}

/** Position of each fiber in the frames of the lines near its root; the weights are those of hairs between guides. */
function bindToNeighbours(plain: Wisps, lines: readonly CentreLine[]): Wisps {
  const { options, count, nodeCounts } = plain;
  const frames = lines.map(nodeQuaternions);
  const fibers = poseWisps(plain, lines);
  const { guide, weight: near } = createHairs(
    rootsOf(lines.map(({ nodePosition: x }) => [x[0], x[1], x[2]])),
    rootsOf(fibers.map((x) => [x[0], x[1], x[2]])),
  );
  const line = new Uint32Array(NEAR * count);
  const weight = new Float64Array(NEAR * count);
  const offset = fibers.map((points, fiber) => {
    const own = Math.floor(fiber / options.count);
    // its own line first; the weights of the others are scaled by `blend`
    const others = [0, 1, 2].filter((k) => guide[NEAR * fiber + k] !== own).slice(0, NEAR - 1);
    line[NEAR * fiber] = own;
    weight[NEAR * fiber] = 1;
    others.forEach((k, at) => {
      const w = options.blend * near[NEAR * fiber + k];
      line[NEAR * fiber + at + 1] = guide[NEAR * fiber + k];
      weight[NEAR * fiber + at + 1] = w;
      weight[NEAR * fiber] -= w;
    });
    const out = new Float64Array(9 * nodeCounts[own]);
    for (let i = 0; i < nodeCounts[own]; i++) {
      const u = fractionOf(i, nodeCounts[own], lines[own].closed);
      for (let k = 0; k < NEAR; k++) {
        const other = line[NEAR * fiber + k];
        evaluate(lines[other], frames[other], u);
        const d = [0, 1, 2].map((c) => points[3 * i + c] - point[c]);
        // by the conjugate: into the frame
        for (let c = 1; c < 4; c++) turned[c] = -turned[c];
        addTurned(out, 9 * i + 3 * k, turned, 0, d[0], d[1], d[2], 1);
      }
    }
    return out;
  });
  return { ...plain, line, weight, offset };
}

/** Only positions count; all face the same way. */
function rootsOf(points: readonly (readonly number[])[]): Roots {
  const same = (v: readonly number[]): Float64Array => Float64Array.from(points.flatMap(() => v));
  return {
    count: points.length,
    position: Float64Array.from(points.flat()),
    normal: same([0, 0, 1]),
    side: same([1, 0, 0]),
    color: same([0, 0, 0]),
  };
}
