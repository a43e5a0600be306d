/**
 * Velocities of a cloth that are smooth over cells of space: what its links' sides have of them, and what a velocity at the corners of the cells
 * makes of the sides.
 *
 * A side moves with the corners of the cell that its link began in, by trilinear weights; both ends of a link move alike, so that links
 * do not feel it. Along a rod the sides of one cell follow each other: runs, with eight corners each. A loop over runs that restricting and
 * prolonging share takes a tenth longer than one each.
 */
import { createCutter } from '../memory.ts';

export interface CoarseRows {
  /** Numbers of sides, runs, rods and corners. */
  readonly header: Float64Array;
  /** Of each run at its corners, 3 each: what its sides have. */
  readonly sums: Float64Array;
  /** Of each corner, 3 each: how it moves. */
  readonly move: Float64Array;
  /** Of each side, rod by rod: where it is in its cell, 0 to 1 along each axis. */
  readonly fraction: Float32Array;
  /** First run of each rod, and their number; first side of each run, and theirs. */
  readonly rodRun: Int32Array;
  readonly runSide: Int32Array;
  /** Corners of each run, CORNERS each; −1 where its sides do not move. */
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

/** Rows that another has made. */
export function openCoarse(buffer: ArrayBufferLike): CoarseRows {
  const [sides, runs, rods, corners] = new Float64Array(buffer, 0, HEADER);
  return cutCoarse(buffer, sides, runs, rods, corners);
}

/** Part of a side, `at` its fractions, that corner c of its cell has. */
export function weightOf(fraction: Float32Array, at: number, c: number): number {
  const x = fraction[at];
  const y = fraction[at + 1];
  const z = fraction[at + 2];
  return (c & 1 ? x : 1 - x) * (c & 2 ? y : 1 - y) * (c & 4 ? z : 1 - z);
}

/** Sums of ρ·wrong at the corners of all runs of rods `from` to `to`; `first`: first side of each rod's links among all. */
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

/** Adds to `velocity` of the sides of rods `from` to `to` how their corners move. */
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

/** What all runs have, by corners: into `out`, 3 each. */
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
