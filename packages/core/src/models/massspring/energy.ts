/**
 * Springs as rows: weights c, a unit direction n, a value e = n·Σ c x − rest. The force on a particle is −k e c n, the matrix
 * k (c ⊗ n)(c ⊗ n)ᵀ with the direction frozen; statics and modes add the derivative of the direction.
 */
import { addWide, type WideBand } from '../../linalg/wideBand.ts';
import { direction, evaluateAltitude, smallestAltitude, volumeOf, weights } from './altitude.ts';
import type { Hair } from './rod.ts';

/** A row, as `forEachRow` passes it. */
export interface Row {
  /** First particle, and how far the others are from it. */
  first: number;
  count: number;
  readonly particle: Int32Array;
  readonly weight: Float64Array;
  readonly direction: Float64Array;
  stiffness: number;
  damping: number;
  /** e at the positions for values [m]. */
  value: number;
  /** Length or altitude along the direction [m]. */
  length: number;
  apart: number;
  /** Which altitude of its tetrahedron, 0 to 6. */
  kind: number;
}

export function createRow(): Row {
  return {
    first: 0,
    count: 0,
    particle: new Int32Array(4),
    weight: new Float64Array(4),
    direction: new Float64Array(3),
    stiffness: 0,
    damping: 0,
    value: 0,
    length: 0,
    apart: 0,
    kind: 0,
  };
}

/** True if a spring of this pin acts now. */
function acts(hair: Hair, pin: number): boolean {
  return pin < 0 || hair.poses[pin].active;
}

/** Writes spring s with its direction at positions `where` and its value at positions `x`. Returns false if it does not act or has no length. */
export function writeSpring(row: Row, hair: Hair, s: number, where: Float64Array, x: Float64Array): boolean {
  const { springs } = hair;
  if (!acts(hair, springs.pin[s])) return false;
  const a = springs.a[s];
  const b = springs.b[s];
  let length = 0;
  for (let k = 0; k < 3; k++) {
    row.direction[k] = where[3 * b + k] - where[3 * a + k];
    length += row.direction[k] * row.direction[k];
  }
  length = Math.sqrt(length);
  if (!(length > 0)) return false;
  let along = 0;
  for (let k = 0; k < 3; k++) {
    row.direction[k] /= length;
    along += row.direction[k] * (x[3 * b + k] - x[3 * a + k]);
  }
  row.first = a;
  row.count = 2;
  row.particle[0] = a;
  row.particle[1] = b;
  row.weight[0] = -1;
  row.weight[1] = 1;
  row.stiffness = springs.stiffness[s];
  row.damping = springs.damping[s];
  row.value = along - springs.rest[s];
  row.length = length;
  row.apart = springs.apart[s];
  return true;
}

/** Writes the altitude spring of tetrahedron t likewise. */
export function writeAltitude(row: Row, hair: Hair, t: number, where: Float64Array, x: Float64Array): boolean {
  const { tetrahedra, orientation } = hair;
  if (tetrahedra.stiffness[t] === 0 || !acts(hair, tetrahedra.pin[t])) return false;
  const first = tetrahedra.first[t];
  const volume = volumeOf(where, first);
  const sign = volume !== 0 ? Math.sign(volume) : orientation[t];
  if (!hair.frozen) hair.altitudeKind[t] = smallestAltitude(where, first);
  const kind = hair.altitudeKind[t];
  const height = evaluateAltitude(where, first, kind, sign);
  if (!(Math.abs(height) < Infinity)) return false;
  let along = 0;
  for (let p = 0; p < 4; p++) {
    row.particle[p] = first + p;
    row.weight[p] = weights[p];
    for (let k = 0; k < 3; k++) along += weights[p] * direction[k] * x[3 * (first + p) + k];
  }
  row.direction.set(direction);
  row.first = first;
  row.count = 4;
  row.stiffness = tetrahedra.stiffness[t];
  row.damping = tetrahedra.damping[t];
  row.value = along - tetrahedra.rest[7 * t + kind];
  row.length = height;
  row.apart = 0;
  row.kind = kind;
  return true;
}

const row = createRow();

/** Every spring that acts, one after the other; the row is reused. */
export function forEachRow(hair: Hair, where: Float64Array, x: Float64Array, visit: (row: Row) => void): void {
  for (let s = 0; s < hair.springs.count; s++) if (writeSpring(row, hair, s, where, x)) visit(row);
  for (let t = 0; t < hair.tetrahedra.count; t++) if (writeAltitude(row, hair, t, where, x)) visit(row);
}

/** Every spring in its current state; in an equilibrium with the force that its search found. */
export function forEachForce(hair: Hair, visit: (row: Row) => void): void {
  const { q, springs, tetrahedra, restTension } = hair;
  for (let s = 0; s < springs.count; s++) {
    if (!writeSpring(row, hair, s, q, q)) continue;
    if (restTension) row.value = restTension[s] / row.stiffness;
    visit(row);
  }
  for (let t = 0; t < tetrahedra.count; t++) if (writeAltitude(row, hair, t, q, q)) visit(row);
}

/** gradient += scale·k e c n */
export function addRowForce(gradient: Float64Array, one: Row, scale: number): void {
  const f = scale * one.stiffness * one.value;
  for (let p = 0; p < one.count; p++) {
    const o = 3 * one.particle[p];
    for (let k = 0; k < 3; k++) gradient[o + k] += f * one.weight[p] * one.direction[k];
  }
}

/** matrix += scale·(c ⊗ n)(c ⊗ n)ᵀ */
export function addRowMatrix(matrix: WideBand, one: Row, scale: number): void {
  const { particle, weight, direction: n, count } = one;
  for (let p = 0; p < count; p++) {
    for (let r = 0; r <= p; r++) {
      const w = scale * weight[p] * weight[r];
      for (let i = 0; i < 3; i++) {
        for (let j = 0; j < (r === p ? i + 1 : 3); j++)
          addWide(matrix, 3 * particle[p] + i, 3 * particle[r] + j, w * n[i] * n[j]);
      }
    }
  }
}

/** Current signs of the tetrahedra, for when one of them becomes flat. */
export function rememberOrientation(hair: Hair): void {
  const { tetrahedra, orientation, q } = hair;
  for (let t = 0; t < tetrahedra.count; t++) {
    const volume = volumeOf(q, tetrahedra.first[t]);
    if (volume !== 0) orientation[t] = Math.sign(volume);
  }
}

/** First node of the first tetrahedron that is inverted relative to its rest shape; −1 if none is. */
export function findInverted(hair: Hair): number {
  const { tetrahedra, q, start, stride, rod } = hair;
  for (let t = 0; t < tetrahedra.count; t++) {
    const first = tetrahedra.first[t];
    if (!acts(hair, tetrahedra.pin[t]) || volumeOf(q, first) * tetrahedra.rest[7 * t] >= 0) continue;
    return Math.min(rod.nodeCount - 1, Math.max(0, Math.floor((first - start) / stride)));
  }
  return -1;
}
