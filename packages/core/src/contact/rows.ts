/**
 * The arrays of contact's sides, side by side in one piece of memory: threads that know the piece and the number of sides know the
 * arrays.
 */

/** Numbers of each side, in one row each. */
export interface SideRows {
  readonly weight: Float64Array;
  readonly mass: Float64Array;
  readonly response: Float64Array;
  readonly room: Float64Array;
  /** 3 each. */
  readonly arm: Float64Array;
  readonly force: Float64Array;
  readonly start: Float64Array;
  readonly velocity: Float64Array;
  readonly right: Float64Array;
  readonly copy: Float64Array;
  readonly rod: Int32Array;
  readonly edge: Int32Array;
}

/** Doubles of a side in front of its integers. */
export const SIDE_DOUBLES = 22;

/** Bytes of a side. */
export const SIDE_BYTES: number = 8 * SIDE_DOUBLES + 4 * 2;

export function cutRows(buffer: ArrayBufferLike, count: number): SideRows {
  let at = 0;
  const take = (width: number): Float64Array => {
    at += 8 * width * count;
    return new Float64Array(buffer, at - 8 * width * count, width * count);
  };
  const takeIntegers = (): Int32Array => {
    at += 4 * count;
    return new Int32Array(buffer, at - 4 * count, count);
  };
  return {
    weight: take(1),
    mass: take(1),
    response: take(1),
    room: take(1),
    arm: take(3),
    force: take(3),
    start: take(3),
    velocity: take(3),
    right: take(3),
    copy: take(3),
    rod: takeIntegers(),
    edge: takeIntegers(),
  };
}
