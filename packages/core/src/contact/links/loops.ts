/** Loops over the crossings of a group, or over its linked rods, in ranges; shared by threads if there are many. */

import type { MixRows } from '../solve/vectorLoops.ts';
import { crossingsOf, type LinkRows, MEMORY, rodsOf } from './arrays.ts';
import { type CoarseRows, prolong, restrict } from './coarseBasis.ts';
import {
  applyCrossings,
  type CrossingArrays,
  measureCrossings,
  recallCrossings,
  rememberCrossings,
  startCrossings,
  writeCrossingForces,
  writeCrossings,
} from './crossings.ts';
import { shiftSides, sumPulls } from './drift.ts';
import { countJoined, placeLinkSides, weighSides } from './linkSides.ts';

/** Over rods: sides; links that move together (1: the group has contact); masses; net pull on each; moving all sides by one velocity. */
export const PLACE_SIDES = 0;
export const JOIN = 1;
export const WEIGH = 2;
export const PULL = 3;
export const SHIFT = 4;
/** Over crossings: strains; records (dt); first iterate, from the rods' velocities or from `best`; the law and right-hand sides; forces (dt). */
export const MEASURE = 5;
export const WRITE = 6;
export const START = 7;
export const START_BEST = 8;
export const APPLY = 9;
export const FORCE = 10;
/** Impulses from the last step (dt), or from the current one; storing its results (dt). */
export const RECALL = 11;
export const RECALL_NEXT = 12;
export const REMEMBER = 13;
/** Over links: results of the current step become those of the last. Over sides: difference of velocities from the copies [m/s]. */
export const COMMIT = 14;
export const MISS = 15;

/** Over rods: restriction of the sides' residual to the corners of cells; prolongation back to the sides. */
export const RESTRICT = 16;
export const PROLONG = 17;

/** Arrays that the loops use besides the rows of links: those of the sides, and `weight` and `best` of Anderson acceleration. */
export interface LinkLoopArrays extends CrossingArrays {
  readonly velocityChange: Float64Array;
  readonly force: Float64Array;
  readonly edge: Int32Array;
  readonly weight: Float64Array;
}
export type LinkMixRows = Pick<MixRows, 'weight' | 'best' | 'capacity' | 'window'>;

const NONE = new Float64Array(0);
/** For loops that do not use them. */
export const UNMIXED: LinkMixRows = { weight: NONE, best: NONE, capacity: 0, window: 0 };
export const UNPLACED: LinkLoopArrays = {
  mass: NONE,
  response: NONE,
  reached: NONE,
  copy: NONE,
  right: NONE,
  lawInput: NONE,
  velocityChange: NONE,
  force: NONE,
  edge: new Int32Array(0),
  weight: NONE,
};

/** Number of items of a loop. */
export function lengthOf(kind: number, rows: LinkRows, { mass }: Pick<LinkLoopArrays, 'mass'>): number {
  if (kind === MISS) return mass.length;
  if (kind === COMMIT) return rows.memory.length / MEMORY;
  return kind < MEASURE || kind >= RESTRICT ? rodsOf(rows) : crossingsOf(rows);
}

/** Largest difference of the velocities of sides `from` to `to` from those of the copies [m/s], for sides with a mass. */
export function missOfSides(
  { reached, copy, mass }: Pick<LinkLoopArrays, 'reached' | 'copy' | 'mass'>,
  from: number,
  to: number,
): number {
  let most = 0;
  for (let s = from; s < to; s++) {
    if (mass[s] === 0) continue;
    for (let k = 0; k < 3; k++) {
      const miss = Math.abs(reached[3 * s + k] - copy[3 * s + k]);
      if (miss > most) most = miss;
      else if (!(miss <= most)) return Infinity;
    }
  }
  return most;
}

/** What loops read and write. */
export interface LinkLoopInput {
  readonly rows: LinkRows;
  readonly arrays: LinkLoopArrays;
  readonly mix: LinkMixRows;
  /** Positions of the nodes of linked rods. */
  readonly position: Float64Array;
  /** Parameters of the loop, such as dt. */
  readonly numbers: ArrayLike<number>;
  /** For RESTRICT and PROLONG. */
  readonly cells?: CoarseRows | undefined;
}

/** Runs `from` to `to` of a loop; returns the largest result. */
export function runLinkLoop(kind: number, input: LinkLoopInput, from: number, to: number): number {
  const { rows, arrays, mix, position, numbers, cells } = input;
  if (kind === APPLY) return applyCrossings(rows, arrays, from, to);
  if (kind === PULL) return sumPulls(rows, arrays.mass, arrays.velocityChange, from, to);
  if (kind === SHIFT) shiftSides(rows, arrays.velocityChange, numbers, from, to);
  else if (kind === START) startCrossings(rows, mix.weight, arrays, arrays.reached, from, to);
  else if (kind === START_BEST) startCrossings(rows, mix.weight, arrays, mix.best, from, to);
  else if (kind === MEASURE) measureCrossings(rows, position, from, to);
  else if (kind === WRITE) return writeCrossings(rows, arrays, numbers[0], from, to);
  else if (kind === FORCE) writeCrossingForces(rows, arrays.force, numbers[0], from, to);
  else if (kind === RECALL) recallCrossings(rows, rows.memory, numbers[0], from, to);
  else if (kind === RECALL_NEXT) recallCrossings(rows, rows.next, numbers[0], from, to);
  else if (kind === REMEMBER) rememberCrossings(rows, numbers[0], from, to);
  else if (kind === COMMIT) rows.memory.set(rows.next.subarray(MEMORY * from, MEMORY * to), MEMORY * from);
  else if (kind === RESTRICT && cells) restrict(cells, rows.first, arrays.mass, arrays.velocityChange, from, to);
  else if (kind === PROLONG && cells) prolong(cells, rows.first, arrays.velocityChange, from, to);
  else if (kind === MISS) return missOfSides(arrays, from, to);
  else if (kind === PLACE_SIDES) placeLinkSides(rows, arrays, from, to);
  else if (kind === JOIN) countJoined(rows, arrays.response, numbers[0] === 1, from, to);
  else weighSides(rows, arrays, from, to);
  return 0;
}
