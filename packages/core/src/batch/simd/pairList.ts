/** The list of pairs of edges in contact, in the memory of the kernels: four per record, sorted by the lower and then by the higher edge. */
import { CONTACT_ROW } from '../gpu/requests.ts';
import { PAIR_FRESH, PAIR_NEAR } from '../pairSweeps.ts';
import { OTHER, writeVector } from './contacts.ts';
import { countVectors, pairFields, vectorsBefore } from './description.ts';
import { firstOf, type LaneMemory, TESTED } from './memory.ts';
import { type Candidates, createPairSearch, type PairSearch } from './pairMemory.ts';

/** Length of a record in numbers, and offsets of its fields. */
export const RECORD: number = 4 * countVectors(pairFields);
export const AT: Readonly<Record<string, number>> = Object.fromEntries(
  pairFields.map(([name]) => [name, 4 * vectorsBefore(pairFields, name)]),
);
const { low: LOW, high: HIGH, active: ACTIVE, force: FORCE, normal: NORMAL, near: NEAR, gap: GAP, sum: SUM } = AT;
/** Offsets of numbers that are copied from a test to a contact. */
const copied = ['low', 'high', 'partLow', 'partHigh', 'normal', 'closing', 'sum'].flatMap((name) => {
  const [, vectors] = pairFields.find(([field]) => field === name) ?? [name, 0];
  return Array.from({ length: vectors }, (_, k) => AT[name] + 4 * k);
});

/** Pairs of a group of strands. */
export interface PairList {
  readonly memory: LaneMemory;
  readonly search: PairSearch;
  count: number;
  /** The list at the start of the step, as numbers and as words. */
  kept: Float32Array;
  keptWords: Int32Array;
  keptCount: number;
  /** Index of the next contact of the list at the start of the step. */
  keptNext: number;
}

export function createPairList(memory: LaneMemory): PairList {
  const kept = new Float32Array(0);
  const { strands, nodes } = memory.task;
  const search = createPairSearch({ strands: strands.length, nodes });
  return { memory, search, count: 0, kept, keptWords: new Int32Array(kept.buffer), keptCount: 0, keptNext: 0 };
}

/** Index of a pair's first number. */
export function placeOf(k: number): number {
  return RECORD * (k >> 2) + (k & 3);
}

/** Numbers that pairs take. */
function sizeOf(count: number): number {
  return RECORD * Math.ceil(count / 4);
}

/** Saves the list, and begins a new one. */
export function beginList(list: PairList): void {
  const { memory, count } = list;
  const first = memory.pairs.list / 4;
  list.kept = memory.floats.slice(first, first + sizeOf(count));
  list.keptWords = new Int32Array(list.kept.buffer);
  list.keptCount = count;
  list.keptNext = 0;
  list.count = 0;
}

/** Restores the saved list. */
export function undoList(list: PairList): void {
  const { memory, kept, keptCount } = list;
  list.count = keptCount;
  memory.floats.set(kept, memory.pairs.list / 4);
}

/** Index of a pair in the saved list, or -1. Calls must be in ascending order of pairs. */
function findKept(list: PairList, low: number, high: number): number {
  const { keptWords, keptCount } = list;
  while (list.keptNext < keptCount) {
    const o = placeOf(list.keptNext);
    const oldLow = keptWords[o + LOW];
    const oldHigh = keptWords[o + HIGH];
    if (oldLow === low && oldHigh === high) return o;
    if (oldLow > low || (oldLow === low && oldHigh > high)) return -1;
    list.keptNext++;
  }
  return -1;
}

/** Makes sure that memory holds `count` contacts. */
export function reserveRecords(memory: LaneMemory, count: number): void {
  const first = memory.pairs.list;
  if (first + 4 * sizeOf(count) > memory.floats.byteLength)
    memory.reserve(first + 4 * sizeOf(count + (count >> 1) + 1024));
}

/** Makes room for a pair at the end. Returns the place of its first number in memory. */
function extend(list: PairList): number {
  const { memory } = list;
  const place = placeOf(list.count++);
  if ((list.count & 3) === 1) reserveRecords(memory, list.count);
  return memory.pairs.list / 4 + place;
}

/** Copies the forces of a pair in the last step, if they still push. */
function takeForce(list: PairList, floats: Float32Array, to: number, from: number): void {
  const { kept } = list;
  let press = 0;
  for (let k = 0; k < 12; k += 4) press += kept[from + FORCE + k] * floats[to + NORMAL + k];
  for (let k = 0; k < 12; k += 4) floats[to + FORCE + k] = press > 0 ? kept[from + FORCE + k] : 0;
}

/** Fields of a test, which `putTest` may replace by those of another. */
const testFields = [...copied, NEAR, GAP];

/** What the test of pair k has found. */
export function takeTest({ floats, pairs }: LaneMemory, k: number): Float32Array {
  const from = pairs.tested / 4 + placeOf(k);
  return Float32Array.from(testFields, (at) => floats[from + at]);
}

/** Replaces what the test of pair k has found. */
export function putTest({ floats, pairs }: LaneMemory, k: number, test: Float32Array): void {
  const to = pairs.tested / 4 + placeOf(k);
  testFields.forEach((at, n) => {
    floats[to + at] = test[n];
  });
}

/** Adds the tested pair k of two edges, if its gap is small enough. Returns its overlap [m]. */
export function addTested(list: PairList, k: number, low: number, high: number): number {
  const { memory } = list;
  const from = memory.pairs.tested / 4 + placeOf(k);
  let { floats } = memory;
  const near = floats[from + NEAR] / floats[from + SUM];
  if (!(near < PAIR_NEAR)) return 0;
  const old = findKept(list, low, high);
  const { kept } = list;
  const hasForce = old >= 0 && (kept[old + FORCE] !== 0 || kept[old + FORCE + 4] !== 0 || kept[old + FORCE + 8] !== 0);
  if (!(near < (hasForce ? PAIR_NEAR : PAIR_FRESH))) return 0;
  const to = extend(list);
  ({ floats } = memory);
  for (let n = 0; n < copied.length; n++) floats[to + copied[n]] = floats[from + copied[n]];
  floats[to + ACTIVE] = old >= 0 ? 1 : 2;
  floats[to + AT.both] = 1;
  floats[to + AT.friction] = memory.task.pairs?.friction ?? 0;
  if (old >= 0) takeForce(list, floats, to, old);
  else for (let axis = 0; axis < 12; axis += 4) floats[to + FORCE + axis] = 0;
  return -floats[from + GAP];
}

/** Puts the edges of `count` pairs, from number `first` on, to where pairs are tested; `count` is at most TESTED. */
export function putTested({ floats, pairs }: LaneMemory, edges: Int32Array, first: number, count: number): void {
  const words = new Int32Array(floats.buffer);
  for (let k = 0; k < Math.min(count, TESTED); k++) {
    const o = pairs.tested / 4 + placeOf(k);
    words[o + LOW] = edges[2 * (first + k)];
    words[o + HIGH] = edges[2 * (first + k) + 1];
  }
}

/** Tests candidates in batches of TESTED. `visit` gets the index of a candidate, and its index in the batch. */
export function testCandidates(
  { memory }: PairList,
  { edges, count }: Candidates,
  visit: (candidate: number, place: number) => void,
): void {
  const { kernels, pairs } = memory;
  for (let first = 0; first < count; first += TESTED) {
    const part = Math.min(TESTED, count - first);
    putTested(memory, edges, first, part);
    kernels.meetAll(pairs.tested, part, pairs.rows);
    for (let k = 0; k < part; k++) visit(first + k, k);
  }
}

/** Both sides of all pairs as rows of shared memory (CONTACT_ROW), behind `count` others. Returns how many rows there are then. */
export function readPairRows(list: PairList, group: number, rows: Float32Array, count: number): number {
  const { memory } = list;
  const { pairs, task } = memory;
  const words = new Int32Array(memory.floats.buffer);
  // number of pairs of each edge so far
  const places = new Int32Array(task.strands.length * task.nodes);
  let total = count;
  for (let k = 0; k < list.count; k++) {
    const o = pairs.list / 4 + placeOf(k);
    for (let side = 0; side < 2; side++) {
      const place = places[words[o + (side === 0 ? LOW : HIGH)]]++;
      const at = CONTACT_ROW * total++;
      if (at + CONTACT_ROW <= rows.length) writeSide(rows, at, memory, { words, o, isLow: side === 0, group, place });
    }
  }
  return total;
}

interface PairSide {
  /** The numbers of memory as words. */
  readonly words: Int32Array;
  /** Place of the pair's first number. */
  readonly o: number;
  readonly isLow: boolean;
  readonly group: number;
  /** Number of earlier pairs of this edge. */
  readonly place: number;
}

/** One side of the pair at `o`: forces and normals are those of its lower edge. */
function writeSide(
  rows: Float32Array,
  at: number,
  { floats, task }: LaneMemory,
  { words, o, isLow, group, place }: PairSide,
): void {
  const [low, high] = [words[o + LOW], words[o + HIGH]];
  const [node, otherNode] = isLow ? [low, high] : [high, low];
  const sign = isLow ? 1 : -1;
  rows[at] = group;
  rows[at + 1] = firstOf(task) + Math.floor(node / task.nodes);
  rows[at + 2] = node % task.nodes;
  rows[at + 3] = place;
  rows[at + 4] = floats[o + ACTIVE];
  rows[at + 5] = floats[o + (isLow ? AT.partLow : AT.partHigh)];
  writeVector(rows, at + 6, floats, o + FORCE, sign);
  writeVector(rows, at + 9, floats, o + NORMAL, sign);
  rows[at + OTHER] = firstOf(task) + Math.floor(otherNode / task.nodes) + 1;
  rows[at + OTHER + 1] = otherNode % task.nodes;
  rows[at + OTHER + 2] = floats[o + (isLow ? AT.partHigh : AT.partLow)];
}

/** Replaces all pairs by those of rows. */
export function writePairRows(list: PairList, group: number, rows: Float32Array, count: number): void {
  const { nodes } = list.memory.task;
  const found: { low: number; high: number; row: Float32Array }[] = [];
  for (let k = 0; k < count; k++) {
    const row = rows.subarray(CONTACT_ROW * k, CONTACT_ROW * (k + 1));
    if (row[0] !== group || !(row[OTHER] > 0)) continue;
    const [low, high] = [nodes * row[1] + row[2], nodes * (row[OTHER] - 1) + row[OTHER + 1]];
    if (low < high) found.push({ low, high, row });
  }
  found.sort((a, b) => a.low - b.low || a.high - b.high);
  list.count = 0;
  for (const { low, high, row } of found) {
    const o = extend(list);
    const { floats } = list.memory;
    const words = new Int32Array(floats.buffer);
    [words[o + LOW], words[o + HIGH]] = [low, high];
    floats[o + ACTIVE] = row[4];
    floats[o + AT.partLow] = row[5];
    floats[o + AT.partHigh] = row[OTHER + 2];
    for (let k = 0; k < 3; k++) {
      floats[o + FORCE + 4 * k] = row[6 + k];
      floats[o + NORMAL + 4 * k] = row[9 + k];
    }
  }
}
