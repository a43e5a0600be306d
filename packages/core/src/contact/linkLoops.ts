/** Loops of the contact solver over the crossings of a group, or over the rods that links hold, in ranges: by threads where there are many. */
import { applyCrossings, type CrossingArrays, startCrossings } from './linkCrossings.ts';
import { shiftSides, sumPulls } from './linkDrift.ts';
import type { LinkRows } from './linkRows.ts';
import type { MixRows } from './loops.ts';

/** The law of crossings, and what their sides follow; what is iterated on, from the rods' velocities or from `best`. */
export const APPLY = 0;
export const START = 1;
export const START_BEST = 2;
/** What pulls each rod as a whole; all sides moved by one velocity. */
export const PULL = 3;
export const SHIFT = 4;

/** What the loops look at beside the rows of links: the sides' arrays, and of the mixing `weight` and `best`. */
export interface LinkLoopArrays extends CrossingArrays {
  readonly velocity: Float64Array;
}
export type LinkMixRows = Pick<MixRows, 'weight' | 'best' | 'capacity' | 'window'>;

const NONE = new Float64Array(0);
/** For loops that do not look at them. */
export const UNMIXED: LinkMixRows = { weight: NONE, best: NONE, capacity: 0, window: 0 };

/** Over how many a loop goes. */
export function lengthOf(kind: number, { side, first }: LinkRows): number {
  return kind === PULL || kind === SHIFT ? first.length : side.length / 4;
}

/** Part `from` to `to` of a loop; the largest of what it finds. */
export function runLinkLoop(
  kind: number,
  rows: LinkRows,
  arrays: LinkLoopArrays,
  mix: LinkMixRows,
  numbers: ArrayLike<number>,
  from: number,
  to: number,
): number {
  if (kind === APPLY) return applyCrossings(rows, arrays, from, to);
  if (kind === PULL) return sumPulls(rows, arrays.mass, arrays.velocity, from, to);
  if (kind === SHIFT) shiftSides(rows, arrays.velocity, numbers, from, to);
  else startCrossings(rows, mix.weight, arrays, kind === START ? arrays.start : mix.best, from, to);
  return 0;
}
