/** A thread's part of contact sides, and of batches of single rods, in shared memory. */
import { createCutter } from '../contact/memory.ts';
import { cutRows, doublesOf, type SideRows } from '../contact/solve/sideArrays.ts';
import type { ContactPort, SingleRodBatch, StepOutcome } from '../model.ts';
import { axesOf, type ColliderContacts, type ContactSides, type SideResponse } from '../port.ts';
import { shareOf } from './workerPool.ts';

/** A thread's part of a bundle's sides, and of the solver's arrays. */
export interface SidePart {
  readonly sides: ContactSides;
  readonly reached: Float64Array;
  readonly velocityChange: Float64Array;
  readonly right: Float64Array;
  readonly response: Float64Array;
  /** The arrays of all threads. */
  readonly all: SideRows;
}

/** Where `ContactPort.linearize` writes the results for a part. */
export function responseOf({ reached: velocity, response }: SidePart): SideResponse {
  return { velocity, response };
}

/** Location of a bundle's sides: number of sides in the memory's layout, and index of its first. */
export function placeOfSides(sides: ContactSides): { readonly total: number; readonly from: number } {
  const from = sides.weight.byteOffset / 8;
  return { total: (sides.rod.byteOffset - 4 * from) / (8 * doublesOf(axesOf(sides))), from };
}

/** Sides `from` to `to` of `total` in a buffer. */
export interface SideRange {
  readonly total: number;
  readonly from: number;
  readonly to: number;
  /** Index of the thread's first rod: its own are numbered from there. */
  readonly firstRod: number;
  readonly axes: 1 | 3;
  readonly hasGoals: boolean;
}

export function cutSides(
  buffer: ArrayBufferLike,
  { total, from, to, firstRod: first, axes, hasGoals }: SideRange,
): SidePart {
  const rows = cutRows(buffer, total, axes);
  const one = (list: Float64Array): Float64Array => list.subarray(from, to);
  const three = (list: Float64Array): Float64Array => list.subarray(3 * from, 3 * to);
  const every = (list: Float64Array): Float64Array => list.subarray(axes * from, axes * to);
  const rod = rows.rod.subarray(from, to);
  return {
    sides: {
      count: to - from,
      rod: first === 0 ? rod : Int32Array.from(rod, (r) => r - first),
      edge: rows.edge.subarray(from, to),
      weight: one(rows.weight),
      arm: three(rows.arm),
      force: three(rows.force),
      mass: one(rows.mass),
      ...(axes === 1 && { direction: three(rows.direction) }),
      ...(hasGoals && { goal: three(rows.copy), clearance: one(rows.clearance) }),
    },
    reached: every(rows.reached),
    velocityChange: every(rows.velocityChange),
    right: every(rows.right),
    response: one(rows.response),
    all: rows,
  };
}

/** Fills thread k's share of the first `bytes` bytes with zeros. */
export function clearShare(buffer: ArrayBufferLike, bytes: number, k: number, count: number): void {
  const numbers = Math.ceil(bytes / 8);
  const from = 8 * shareOf(numbers, k, count);
  const to = Math.min(bytes, 8 * shareOf(numbers, k + 1, count));
  if (to > from) new Uint8Array(buffer, from, to - from).fill(0);
}

/** Index of the first side of rods from `first[k]` on, for all k; sides are in the order of their rods. */
export function boundSides({ rod, count }: Pick<ContactSides, 'rod' | 'count'>, first: ArrayLike<number>): number[] {
  return Array.from(first, (r) => {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rod[middle] < r) low = middle + 1;
      else high = middle;
    }
    return low;
  });
}

/** A batch of single rods and their contacts. */
export interface SingleRodRows extends ColliderContacts {
  readonly system: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly done: Uint8Array;
}

export const singleRodBytes = (rods: number, contacts: number): number =>
  8 * 14 * contacts + 4 * (3 * rods + contacts) + rods + 2 * contacts;

export function cutSingleRods(buffer: ArrayBufferLike, rods: number, contacts: number): SingleRodRows {
  const { doubles, integers: takeIntegers, bytes: takeBytes } = createCutter(buffer);
  const take = (width: number): Float64Array => doubles(width * contacts);
  return {
    weightA: take(1),
    normal: take(3),
    bias: take(1),
    surface: take(3),
    staticFriction: take(1),
    dynamicFriction: take(1),
    size: take(1),
    impulse: take(3),
    system: takeIntegers(rods),
    from: takeIntegers(rods),
    to: takeIntegers(rods),
    edgeA: takeIntegers(contacts),
    done: takeBytes(rods),
    sliding: takeBytes(contacts),
    slides: takeBytes(contacts),
  };
}

/** Contacts of all rods of a job. */
export function countContacts({ count, from, to }: SingleRodBatch): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += to[i] - from[i];
  return sum;
}

/** Writes a job's rods and contacts, the contacts consecutively. */
export function packSingleRods(rows: SingleRodRows, { count, system, from, to, contacts }: SingleRodBatch): void {
  let at = 0;
  for (let i = 0; i < count; i++) {
    rows.system[i] = system[i];
    rows.from[i] = at;
    for (let c = from[i]; c < to[i]; c++, at++) {
      rows.edgeA[at] = contacts.edgeA[c];
      rows.sliding[at] = contacts.sliding[c];
      rows.slides[at] = contacts.slides[c];
      rows.weightA[at] = contacts.weightA[c];
      rows.bias[at] = contacts.bias[c];
      rows.staticFriction[at] = contacts.staticFriction[c];
      rows.dynamicFriction[at] = contacts.dynamicFriction[c];
      rows.size[at] = contacts.size[c];
      for (let k = 0; k < 3; k++) {
        rows.normal[3 * at + k] = contacts.normal[3 * c + k];
        rows.surface[3 * at + k] = contacts.surface[3 * c + k];
        rows.impulse[3 * at + k] = contacts.impulse[3 * c + k];
      }
    }
    rows.to[i] = at;
  }
}

/** Copies the results back to the job. */
export function unpackSingleRods({ count, from, to, contacts, done }: SingleRodBatch, rows: SingleRodRows): void {
  for (let i = 0; i < count; i++) {
    done[i] = rows.done[i];
    for (let c = from[i], at = rows.from[i]; c < to[i]; c++, at++) {
      contacts.slides[c] = rows.slides[at];
      for (let k = 0; k < 3; k++) contacts.impulse[3 * c + k] = rows.impulse[3 * at + k];
    }
  }
}

/** The part of a job that one thread processes at once: its rods `begin` to `end`, whose systems are numbered from `first`. */
function partOfSingleRods(
  rows: SingleRodRows,
  begin: number,
  end: number,
  first: number,
  wanted: SingleRodTask,
): SingleRodBatch {
  return {
    ...wanted,
    count: end - begin,
    system: Int32Array.from(rows.system.subarray(begin, end), (s) => s - first),
    from: rows.from.subarray(begin, end),
    to: rows.to.subarray(begin, end),
    done: rows.done.subarray(begin, end),
    contacts: rows,
    solverIterations: 0,
    error: 0,
    converged: true,
  };
}

/** A job without its rods. */
export type SingleRodTask = Pick<SingleRodBatch, 'fresh' | 't' | 'dt' | 'speed' | 'tolerance' | 'iterations'>;

/** Totals over the parts of a job so far. */
export type SingleRodSum = { -readonly [K in keyof StepOutcome]: StepOutcome[K] } & Pick<
  SingleRodBatch,
  'solverIterations' | 'error' | 'converged'
>;

export function createSingleRodSum(): SingleRodSum {
  return { ok: true, iterations: 0, iterationsMax: 0, shifts: 0, solverIterations: 0, error: 0, converged: true };
}

/** Single rods that a thread steps: `count` in `rows`; its port numbers systems from `first`. */
export interface SingleRodShare {
  readonly port: ContactPort;
  readonly rows: SingleRodRows;
  readonly count: number;
  readonly first: number;
  readonly wanted: SingleRodTask;
}

/** Steps the rods whose systems are `from` to `to` − 1, and adds their outcome to the sum. */
export function stepRange(
  sum: SingleRodSum,
  { port, rows, count, first, wanted }: SingleRodShare,
  from: number,
  to: number,
): void {
  const [begin, end] = boundSides({ rod: rows.system, count }, [from, to]);
  if (begin === end) return;
  const part = partOfSingleRods(rows, begin, end, first, wanted);
  // without kernels there is no batch, and these rods are solved as islands
  part.done.fill(0);
  const out = port.stepSingleRods?.(part);
  if (!out) return;
  sum.iterations += out.iterations;
  sum.iterationsMax = Math.max(sum.iterationsMax, out.iterationsMax);
  sum.shifts += out.shifts;
  sum.solverIterations = Math.max(sum.solverIterations, part.solverIterations);
  sum.error = Math.max(sum.error, part.error);
  sum.converged &&= part.converged;
}
