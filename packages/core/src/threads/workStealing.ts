/**
 * Work stealing: rods that either of two neighbouring threads may move, in chunks. Each takes the next chunk from its own side, until they meet.
 *
 * Ranges that follow the times of earlier steps (ranges.ts) adapt late: with 10,000 hairs on a turning head, one of two threads waited for the other
 * for a tenth of the step. With work stealing, no thread waits for longer than one chunk takes. Where two threads have met, their ranges end, for the
 * rest of the step and for the next.
 *
 * Thread k shares one zone with k − 1 and one with k + 1; only thread k moves the rods between the two. One word per zone counts the chunks taken
 * from below and from above, so that no chunk is taken twice.
 */
import { findFrom, type Ranges } from './ranges.ts';

/** Rods per chunk, about 2 ms of work; chunks of a zone if there are few rods, and at most. */
const CHUNK = 32;
const FEW = 16;
const MOST = 4096;

export interface WorkStealing {
  /** For each zone: the number of chunks taken from below in the upper half of the word, and of chunks not taken from above in the lower half. */
  readonly words: Int32Array;
  /** Offset of each zone's chunk boundaries, one more than there are chunks; and their number. */
  readonly offsets: Int32Array;
  /** Rods. */
  readonly ends: Int32Array;
}

/** Boundaries of the chunks of all zones. A zone has the rods that both neighbours have compiled, from the middle of one range to that of the next. */
export function listChunks({ rods, compiled, cuts, inRanges }: Ranges): number[][] {
  const last = compiled.length - 1;
  if (!inRanges) return [];
  // the first and the last thread have one neighbour
  const middle = (k: number): number => (k === 0 ? 0 : k === last ? rods[k + 1] : (rods[k] + rods[k + 1]) / 2);
  return Array.from({ length: last }, (_, k) => {
    const from = findFrom(cuts.rods, Math.max(compiled[k + 1].first, middle(k)));
    const most = Math.min(compiled[k].end, middle(k + 1));
    const places = cuts.rods.slice(from).filter((place) => place <= most);
    if (places.length === 0) return [rods[k + 1]];
    const span = places[places.length - 1] - places[0];
    const size = Math.max(Math.min(CHUNK, span / FEW), span / MOST);
    const ends = [places[0]];
    places.forEach((place, i) => {
      if (i > 0 && (place - ends[ends.length - 1] >= size || i === places.length - 1)) ends.push(place);
    });
    return ends;
  });
}

export const workStealingBytes = (chunks: readonly (readonly number[])[]): number =>
  4 * (2 * chunks.length + 1 + chunks.flat().length);

/** Views of shared memory; `chunks`: boundaries that the creator writes there. */
export function openWorkStealing(
  buffer: SharedArrayBuffer,
  zones: number,
  chunks: readonly (readonly number[])[] = [],
): WorkStealing {
  const words = new Int32Array(buffer, 0, zones);
  const offsets = new Int32Array(buffer, 4 * zones, zones + 1);
  const ends = new Int32Array(buffer, 4 * (2 * zones + 1));
  chunks.forEach((list, k) => {
    ends.set(list, offsets[k]);
    offsets[k + 1] = offsets[k] + list.length;
  });
  return { words, offsets, ends };
}

/** Marks all chunks as not taken. */
export function resetWorkStealing({ words, offsets }: WorkStealing): void {
  for (let k = 0; k < words.length; k++) Atomics.store(words, k, offsets[k + 1] - offsets[k] - 1);
}

/** Number of chunks of a zone that are not taken. */
function countLeft({ words }: WorkStealing, zone: number): number {
  const word = zone >= 0 && zone < words.length ? Atomics.load(words, zone) : 0;
  return (word & 0xffff) - (word >>> 16);
}

/** Index of the chunk that was taken, or −1 if none is left. */
function take({ words }: WorkStealing, zone: number, fromBelow: boolean): number {
  while (zone >= 0 && zone < words.length) {
    const word = Atomics.load(words, zone);
    const below = word >>> 16;
    const above = word & 0xffff;
    if (below >= above) return -1;
    const next = fromBelow ? word + 0x10000 : word - 1;
    if (Atomics.compareExchange(words, zone, word, next) === word) return fromBelow ? below : above - 1;
  }
  return -1;
}

/** Processes thread k's share of `rodCount` rods: first the rods that only it may move, then chunks of the zone with more left. */
export function takeChunks(
  workStealing: WorkStealing,
  k: number,
  rodCount: number,
  action: (from: number, to: number) => void,
): void {
  const { words, offsets, ends } = workStealing;
  const from = k > 0 ? ends[offsets[k] - 1] : 0;
  const to = k < words.length ? ends[offsets[k]] : rodCount;
  if (to > from) action(from, to);
  for (let zone = k, chunk = 0; ; ) {
    zone = countLeft(workStealing, k) >= countLeft(workStealing, k - 1) ? k : k - 1;
    chunk = take(workStealing, zone, zone === k);
    // the neighbour may have taken the rest of this zone, but not of the other
    if (chunk < 0) {
      zone = zone === k ? k - 1 : k;
      chunk = take(workStealing, zone, zone === k);
    }
    if (chunk < 0) return;
    action(ends[offsets[zone] + chunk], ends[offsets[zone] + chunk + 1]);
  }
}

/** First rod of each thread where neighbours have met, and the total number. */
export function listMeetings({ words, offsets, ends }: WorkStealing, rodCount: number): number[] {
  const inner = Array.from(words, (word, k) => ends[offsets[k] + (word >>> 16)]);
  return [0, ...inner, rodCount];
}
