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
  /** 3 each where the rows below have 1. */
  readonly direction: Float64Array;
  /** 1 or 3 each, see SideArrays.axes. */
  readonly start: Float64Array;
  readonly velocity: Float64Array;
  readonly right: Float64Array;
  readonly copy: Float64Array;
  readonly free: Float64Array;
  readonly rod: Int32Array;
  readonly edge: Int32Array;
}

/** Doubles of a side in front of its integers. */
export function doublesOf(axes: 1 | 3): number {
  return 4 + 3 + 3 + (axes === 1 ? 3 : 0) + 5 * axes;
}

/** Bytes of a side. */
export function bytesOf(axes: 1 | 3): number {
  return 8 * doublesOf(axes) + 4 * 2;
}

export function cutRows(buffer: ArrayBufferLike, count: number, axes: 1 | 3): SideRows {
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
    direction: take(axes === 1 ? 3 : 0),
    start: take(axes),
    velocity: take(axes),
    right: take(axes),
    copy: take(axes),
    free: take(axes),
    rod: takeIntegers(),
    edge: takeIntegers(),
  };
}
