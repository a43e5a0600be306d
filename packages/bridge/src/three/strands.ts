/**
 * More hairs than there are curves: each drawn hair blends up to three curves whose roots are neighbours.
 *
 * The curves themselves come first, each as a hair of its own. The others take a curve, two of its neighbours and random weights. A
 * neighbour on the other side of a parting, whose shape differs, is not blended with: that would put hair across the parting.
 */
import { DataTexture, FloatType, NearestFilter, RGBAFormat } from 'three';
import type { RodShape } from './records.ts';

/** Positions of a curve's nodes [m], 3 per node. */
export type Curves = readonly { readonly nodePosition: ArrayLike<number> }[];

/** Texels per row of the table of strands. */
export const strandWidth = 1024;

/** Which curves each hair blends: 8 numbers per hair, `a b c random | weights of a b c, free`. */
export function blendCurves(curves: Curves, count: number): Float32Array {
  const rows = Math.ceil((2 * count) / strandWidth);
  const out = new Float32Array(4 * strandWidth * Math.max(1, rows));
  const order = scatter(curves.length);
  const near = findNeighbours(curves);
  for (let h = 0; h < count; h++) {
    const a = order[h % curves.length];
    const o = 8 * h;
    const list = near[a];
    if (h < curves.length || list.length === 0) {
      out.set([a, a, a, random(h, 0), 1, 0, 0, 0], o);
      continue;
    }
    const b = list[Math.floor(random(h, 1) * list.length)];
    const c = list[Math.floor(random(h, 2) * list.length)];
    // even over a triangle
    const root = Math.sqrt(random(h, 3));
    const part = random(h, 4);
    out.set([a, b, c, random(h, 0), 1 - root, root * (1 - part), root * part, 0], o);
  }
  return out;
}

/** The table of strands as a texture. */
export function strandTexture(table: Float32Array): DataTexture {
  const out = new DataTexture(table, strandWidth, table.length / 4 / strandWidth, RGBAFormat, FloatType);
  out.minFilter = NearestFilter;
  out.magFilter = NearestFilter;
  out.needsUpdate = true;
  return out;
}

/** All curves are open and have as many nodes as the first. */
export function areAlike(rods: readonly RodShape[]): boolean {
  return rods.every(({ closed, nodeCount }) => !closed && nodeCount === rods[0].nodeCount);
}

/** An order in which any first part is spread over the whole: neighbours on the skin are neighbours in the list. */
export function scatter(count: number): number[] {
  let step = Math.max(1, Math.round(count * 0.6180339887498949));
  while (divisor(step, count) > 1) step++;
  return Array.from({ length: count }, (_, k) => (k * step) % count);
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

/** In 0…1, the same for the same numbers. */
function random(hair: number, which: number): number {
  let x = (Math.imul(hair + 1, 0x9e3779b1) ^ Math.imul(which + 1, 0x85ebca6b)) >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad) >>> 0;
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97) >>> 0;
  return ((x ^ (x >>> 15)) >>> 0) / 4294967296;
}

const neighbours = 6;
/** Neighbours of one shape differ by less than this part of their length. */
const alike = 0.22;

function findNeighbours(curves: Curves): number[][] {
  const cell = cellSize(curves);
  const grid = new Map<number, number[]>();
  // far enough from zero that no number is negative
  const place = (x: ArrayLike<number>, k: number): number => 500_000 + Math.floor(x[k] / cell);
  const keyOf = (i: number, j: number, k: number): number => (i % 8192) + 8192 * ((j % 8192) + 8192 * (k % 8192));
  curves.forEach(({ nodePosition }, c) => {
    const key = keyOf(place(nodePosition, 0), place(nodePosition, 1), place(nodePosition, 2));
    const list = grid.get(key);
    if (list) list.push(c);
    else grid.set(key, [c]);
  });
  return curves.map(({ nodePosition: x }, c) => {
    const [i, j, k] = [place(x, 0), place(x, 1), place(x, 2)];
    const found: { other: number; distance: number }[] = [];
    for (let n = 0; n < 27; n++) {
      for (const other of grid.get(
        keyOf(i + (n % 3) - 1, j + (Math.floor(n / 3) % 3) - 1, k + Math.floor(n / 9) - 1),
      ) ?? []) {
        if (other === c) continue;
        const y = curves[other].nodePosition;
        const [dx, dy, dz] = [y[0] - x[0], y[1] - x[1], y[2] - x[2]];
        if (isAlike(x, y)) found.push({ other, distance: dx * dx + dy * dy + dz * dz });
      }
    }
    return found
      .sort((p, q) => p.distance - q.distance)
      .slice(0, neighbours)
      .map(({ other }) => other);
  });
}

/** About eight roots share a cell of this size [m]. */
function cellSize(curves: Curves): number {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const { nodePosition: x } of curves)
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], x[k]);
      high[k] = Math.max(high[k], x[k]);
    }
  const [a, b, c] = high.map((most, k) => most - low[k]);
  const area = 2 * (a * b + b * c + c * a);
  return Math.max(Math.sqrt((4 * area) / curves.length), 1e-9);
}

/** Whether two curves have nearly the same shape, seen from their roots, at a third, at two thirds and at the tip. */
function isAlike(x: ArrayLike<number>, y: ArrayLike<number>): boolean {
  const nodes = x.length / 3;
  for (let part = 1; part <= 3; part++) {
    const i = 3 * Math.round(((nodes - 1) * part) / 3);
    let [gap, reach] = [0, 0];
    for (let k = 0; k < 3; k++) {
      const [mine, other] = [x[i + k] - x[k], y[i + k] - y[k]];
      gap += (other - mine) * (other - mine);
      reach += mine * mine;
    }
    if (gap > alike * alike * reach + 1e-12) return false;
  }
  return true;
}
