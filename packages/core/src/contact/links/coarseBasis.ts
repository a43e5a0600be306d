/**
 * Velocities of a cloth that are smooth over cells of space: restriction of side velocities to the corners of the cells, and prolongation back.
 *
 * A side moves with the corners of the cell in which its link started, by trilinear weights. Both ends of a link move alike, so links are not
 * strained. Along a rod the sides of one cell are consecutive: a run, with eight corners. One loop over runs shared by restriction and prolongation
 * takes a tenth longer than one loop each.
 */
import { createCutter } from '../memory.ts';

export interface CoarseRows {
  /** Numbers of sides, runs, rods and corners. */
  readonly header: Float64Array;
  /** Restricted values of each run at its corners, 3 numbers each. */
  readonly sums: Float64Array;
  /** Velocity of each corner, 3 numbers each. */
  readonly move: Float64Array;
  /** Position of each side in its cell, rod by rod: 0 to 1 along each axis. */
  readonly fraction: Float32Array;
  /** First run of each rod, and the number of runs; first side of each run, and the number of sides. */
  readonly rodRun: Int32Array;
  readonly runSide: Int32Array;
  /** Corners of each run, CORNERS each; −1 if its sides do not move. */
  readonly corner: Int32Array;
}

export const CORNERS = 8;
const HEADER = 4;

export function coarseBytes(sides: number, runs: number, rods: number, corners: number): number {
  return 8 * (HEADER + 3 * CORNERS * runs + 3 * corners) + 4 * (3 * sides + rods + 1 + runs + 1 + CORNERS * runs);
}

export function cutCoarse(
  buffer: ArrayBufferLike,
  sides: number,
  runs: number,
  rods: number,
  corners: number,
): CoarseRows {
  const { doubles: take, integers: takeIntegers, floats } = createCutter(buffer);
  return {
    header: take(HEADER),
    sums: take(3 * CORNERS * runs),
    move: take(3 * corners),
    rodRun: takeIntegers(rods + 1),
    runSide: takeIntegers(runs + 1),
    corner: takeIntegers(CORNERS * runs),
    fraction: floats(3 * sides),
  };
}

/** Views of rows that another thread has created. */
export function openCoarse(buffer: ArrayBufferLike): CoarseRows {
  const [sides, runs, rods, corners] = new Float64Array(buffer, 0, HEADER);
  return cutCoarse(buffer, sides, runs, rods, corners);
}

/** Weight of corner c of the cell for a side with fractions `at`. */
export function weightOf(fraction: Float32Array, at: number, c: number): number {
  const x = fraction[at];
  const y = fraction[at + 1];
  const z = fraction[at + 2];
  return (c & 1 ? x : 1 - x) * (c & 2 ? y : 1 - y) * (c & 4 ? z : 1 - z);
}

/** Sums of ρ·wrong at the corners of all runs of rods `from` to `to`; `first`: first link side of each rod among all sides. */
export function restrict(
  { sums, rodRun, runSide, corner, fraction }: CoarseRows,
  first: Int32Array,
  mass: Float64Array,
  wrong: Float64Array,
  from: number,
  to: number,
): void {
  for (let j = from; j < to; j++) {
    const shift = first[j] - runSide[rodRun[j]];
    for (let r = rodRun[j]; r < rodRun[j + 1]; r++) {
      const o = 3 * CORNERS * r;
      sums.fill(0, o, o + 3 * CORNERS);
      if (corner[CORNERS * r] < 0) continue;
      for (let i = runSide[r]; i < runSide[r + 1]; i++) {
        const s = i + shift;
        const x = mass[s] * wrong[3 * s];
        const y = mass[s] * wrong[3 * s + 1];
        const z = mass[s] * wrong[3 * s + 2];
        for (let c = 0; c < CORNERS; c++) {
          const w = weightOf(fraction, 3 * i, c);
          if (w === 0) continue;
          sums[o + 3 * c] += w * x;
          sums[o + 3 * c + 1] += w * y;
          sums[o + 3 * c + 2] += w * z;
        }
      }
    }
  }
}

/** Adds the velocity of the corners to `velocity` of the sides of rods `from` to `to`. */
export function prolong(
  { move, rodRun, runSide, corner, fraction }: CoarseRows,
  first: Int32Array,
  velocity: Float64Array,
  from: number,
  to: number,
): void {
  for (let j = from; j < to; j++) {
    const shift = first[j] - runSide[rodRun[j]];
    for (let r = rodRun[j]; r < rodRun[j + 1]; r++) {
      if (corner[CORNERS * r] < 0) continue;
      for (let i = runSide[r]; i < runSide[r + 1]; i++) {
        let x = 0;
        let y = 0;
        let z = 0;
        for (let c = 0; c < CORNERS; c++) {
          const w = weightOf(fraction, 3 * i, c);
          if (w === 0) continue;
          const v = 3 * corner[CORNERS * r + c];
          x += w * move[v];
          y += w * move[v + 1];
          z += w * move[v + 2];
        }
        const s = 3 * (i + shift);
        velocity[s] += x;
        velocity[s + 1] += y;
        velocity[s + 2] += z;
      }
    }
  }
}

/** Sums the values of all runs by corner into `out`, 3 numbers each. */
export function gather(out: Float64Array, { sums, corner }: CoarseRows): void {
  out.fill(0);
  for (let k = 0; k < corner.length; k++) {
    const v = 3 * corner[k];
    if (v < 0) continue;
    out[v] += sums[3 * k];
    out[v + 1] += sums[3 * k + 1];
    out[v + 2] += sums[3 * k + 2];
  }
}
