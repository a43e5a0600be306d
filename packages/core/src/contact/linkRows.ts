/** What the solver looks at of a group's links, in one piece of memory that threads see. */

/** Numbers of a crossing's record, see linkCrossings.ts. */
export const RECORD = 32;

export interface LinkRows {
  /** Of each thread: what its share of a loop returned. */
  readonly answer: Float64Array;
  /** Of each crossing, RECORD numbers and four sides. */
  readonly record: Float64Array;
  readonly side: Int32Array;
  /** Of each rod that links hold: what pulls it as a whole, 3 each (linkDrift.ts), its mass [kg], and its sides that are links', which lie side by side. */
  readonly pull: Float64Array;
  readonly mass: Float64Array;
  readonly first: Int32Array;
  readonly last: Int32Array;
}

/** Threads at most. */
const THREADS = 256;

export function linkBytes(crossings: number, rods: number): number {
  return 8 * (THREADS + RECORD * crossings + 4 * rods) + 4 * (4 * crossings + 2 * rods);
}

export function cutLinkRows(buffer: ArrayBufferLike, crossings: number, rods: number): LinkRows {
  let at = 0;
  const take = (length: number): Float64Array => {
    at += 8 * length;
    return new Float64Array(buffer, at - 8 * length, length);
  };
  const takeIntegers = (length: number): Int32Array => {
    at += 4 * length;
    return new Int32Array(buffer, at - 4 * length, length);
  };
  return {
    answer: take(THREADS),
    record: take(RECORD * crossings),
    pull: take(3 * rods),
    mass: take(rods),
    side: takeIntegers(4 * crossings),
    first: takeIntegers(rods),
    last: takeIntegers(rods),
  };
}
