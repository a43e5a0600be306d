/**
 * Which thread owns which rods: each has a range, in order, and the caller has the first.
 *
 * Rods take different times: hair on the crown touches the head along its whole length, hair above the neck hardly at all. With 10,000 hairs split in
 * half, the caller took 1.2 times as long as the other thread. So the ends of ranges move, step by step, until all threads take equally long. A thread
 * compiles more rods than it owns at first, up to MARGIN of its share on either side, and can take those over; the caller has compiled all. Ownership
 * does not change the bits of the result: a thread that takes over a rod starts from its state (`Bundle.parts.refreshRod`).
 */
import type { Bundle } from '../model.ts';

/** Fraction of a thread's share by which its range may grow on either side. */
const MARGIN = 0.25;

/** Given the first rod of each thread, the total number, and the time that each took: returns where ranges should begin. */
export type BalanceRule = (bounds: ArrayLike<number>, busy: ArrayLike<number>) => number[];

export interface Ranges {
  /** First rod and first part of each thread, and their number. */
  readonly rods: Int32Array;
  readonly parts: Int32Array;
  /** True if rods are in ranges: otherwise only the parts are used, threads compile all rods, and ranges never move. */
  readonly inRanges: boolean;
  /** Rods that each thread compiles, and its first part. */
  readonly compiled: readonly { readonly first: number; readonly end: number; readonly part: number }[];
  /** Indices at which rods can be divided: all rods of earlier parts come before, and no others. */
  readonly cuts: { readonly rods: readonly number[]; readonly parts: readonly number[] };
}

type Parts = NonNullable<Bundle['parts']>;

function findCuts(parts: Parts, rodCount: number): Ranges['cuts'] {
  const cuts: { rods: number[]; parts: number[] } = { rods: [0], parts: [0] };
  let reached = -1;
  for (let u = 0; u < parts.count; u++) {
    for (const rod of parts.rods(u)) reached = Math.max(reached, rod);
    const next = u + 1 < parts.count ? Math.min(...parts.rods(u + 1)) : rodCount;
    if (reached + 1 !== next) continue;
    cuts.rods.push(next);
    cuts.parts.push(u + 1);
  }
  return cuts;
}

/** Index of the first division that is not below `least`. */
export function findFrom(places: readonly number[], least: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the division nearest to `wanted`. */
function findNearest(places: readonly number[], wanted: number): number {
  const after = Math.min(findFrom(places, wanted), places.length - 1);
  return after > 0 && wanted - places[after - 1] < places[after] - wanted ? after - 1 : after;
}

/** Divides the rods as evenly as possible among at most `count` threads. */
export function divide(parts: Parts, rodCount: number, count: number, inRanges: boolean): Ranges {
  const even = (k: number): number => Math.floor((parts.count * k) / count);
  if (!inRanges) {
    const all = { first: 0, end: rodCount, part: 0 };
    return {
      rods: new Int32Array(count + 1),
      parts: Int32Array.from({ length: count + 1 }, (_, k) => even(k)),
      inRanges,
      compiled: Array.from({ length: count }, () => all),
      cuts: { rods: [], parts: [] },
    };
  }
  const cuts = findCuts(parts, rodCount);
  const chosen = [0];
  for (let k = 1; k <= count; k++) {
    const at = k === count ? cuts.parts.length - 1 : findNearest(cuts.parts, even(k));
    // a model may treat a single rod differently from one of many
    if (cuts.rods[at] - cuts.rods[chosen[chosen.length - 1]] < 2) continue;
    if (k < count && rodCount - cuts.rods[at] < 2) continue;
    chosen.push(at);
  }
  const rods = chosen.map((at) => cuts.rods[at]);
  const compiled = rods.slice(1).map((end, k) => {
    const margin = MARGIN * (end - rods[k]);
    const from = k === 0 ? 0 : Math.min(chosen[k], findNearest(cuts.rods, rods[k] - margin));
    const to = k === 0 ? cuts.rods.length - 1 : Math.max(chosen[k + 1], findNearest(cuts.rods, end + margin));
    return { first: cuts.rods[from], end: cuts.rods[to], part: cuts.parts[from] };
  });
  const first = chosen.map((at) => cuts.parts[at]);
  return { rods: Int32Array.from(rods), parts: Int32Array.from(first), inRanges, compiled, cuts };
}

/** Moves of less than this fraction of a range are not worth it; and the fraction of a move that is made at once, because times vary. */
const LITTLE = 0.01;
const HALF = 0.5;

/** Moves the ends half of the way to where all threads would have taken equally long. */
export const balanceByTime: BalanceRule = (bounds, busy) => {
  const { length: count } = busy;
  const wanted = Array.from(bounds);
  let total = 0;
  for (let k = 0; k < count; k++) total += busy[k];
  if (!(total > 0)) return wanted;
  let before = 0;
  for (let j = 1, k = 0; j < count; j++) {
    const goal = (total * j) / count;
    while (k < count - 1 && before + busy[k] < goal) before += busy[k++];
    const place = bounds[k] + ((goal - before) / busy[k]) * (bounds[k + 1] - bounds[k]);
    const shift = place - bounds[j];
    if (Math.abs(shift) > (LITTLE * bounds[count]) / count) wanted[j] += HALF * shift;
  }
  return wanted;
};

/** Moves the ends of ranges towards the requested ones, as far as threads have compiled the rods; returns which rods each thread received. */
export function moveRanges(
  { rods, parts, inRanges, compiled, cuts }: Ranges,
  wanted: ArrayLike<number>,
  gained: (k: number, from: number, to: number) => void,
): void {
  if (!inRanges) return;
  const before = Array.from(rods);
  for (let k = 1; k < compiled.length; k++) {
    // no thread may lose all its rods; the current end is one of the divisions
    const low = findFrom(cuts.rods, Math.max(compiled[k].first, rods[k - 1] + 1));
    const high = findFrom(cuts.rods, Math.min(compiled[k - 1].end + 1, before[k + 1])) - 1;
    const at = Math.min(Math.max(findNearest(cuts.rods, wanted[k]), low), high);
    rods[k] = cuts.rods[at];
    parts[k] = cuts.parts[at];
  }
  for (let k = 0; k < compiled.length; k++) {
    if (rods[k] < before[k]) gained(k, rods[k], Math.min(before[k], rods[k + 1]));
    if (rods[k + 1] > before[k + 1]) gained(k, Math.max(before[k + 1], rods[k]), rods[k + 1]);
  }
}
