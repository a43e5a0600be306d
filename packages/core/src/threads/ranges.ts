/**
 * Which rods are whose: threads have ranges of them, one after the other, the caller the first.
 *
 * Rods do not take the same time: hair on the crown touches the head all along, hair above the neck hardly. By halves of 10,000 hairs the
 * caller's took 1.2 times as long as the other's. So the ends of ranges move, step by step, to where all take as long as each other. A
 * thread compiles more rods than it begins with, up to MARGIN of its share on either side, and can take over those; the caller has all. Who moves
 * a rod changes no bit of it: whoever takes one over begins with its state (`adopt`), as where the caller moves some itself.
 */
import type { Bundle } from '../model.ts';

/** Part of a thread's share that it may have beyond it, before and after. */
const MARGIN = 0.25;

/** Given the first rod of each thread and the number of all, and how long each took: where they should begin. */
export type BalanceRule = (bounds: ArrayLike<number>, busy: ArrayLike<number>) => number[];

export interface Ranges {
  /** First rod and first part of each thread, and their number. */
  readonly rods: Int32Array;
  readonly parts: Int32Array;
  /** Whether rods lie in ranges: else only the parts are of use, threads compile all rods, and nothing moves. */
  readonly inRanges: boolean;
  /** What each thread compiles: rods, and its first part. */
  readonly compiled: readonly { readonly first: number; readonly end: number; readonly part: number }[];
  /** Places where rods can be parted: all rods of the parts before lie before the rod, and none of the others. */
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

/** The number of the first place that is not below `least`. */
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

/** That of the nearest to `wanted`. */
function findNearest(places: readonly number[], wanted: number): number {
  const after = Math.min(findFrom(places, wanted), places.length - 1);
  return after > 0 && wanted - places[after - 1] < places[after] - wanted ? after - 1 : after;
}

/** As even as can be, for `count` threads at most. */
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
    // a model may treat a lone rod in another way than one of many
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

/** Part of a range that is not worth a move; and part of the way that is gone at once, because times vary. */
const LITTLE = 0.01;
const HALF = 0.5;

/** To where all would have taken as long as each other, half of the way. */
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
    const way = place - bounds[j];
    if (Math.abs(way) > (LITTLE * bounds[count]) / count) wanted[j] += HALF * way;
  }
  return wanted;
};

/** Moves the ends of ranges to where they are wanted, as far as threads have compiled the rods, and returns which rods each thread has received. */
export function moveRanges(
  { rods, parts, inRanges, compiled, cuts }: Ranges,
  wanted: ArrayLike<number>,
  gained: (k: number, from: number, to: number) => void,
): void {
  if (!inRanges) return;
  const before = Array.from(rods);
  for (let k = 1; k < compiled.length; k++) {
    // nobody goes without rods; where this end is now is one of the places
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
