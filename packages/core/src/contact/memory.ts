/** Splits one block of memory into consecutive arrays: first those of eight bytes per number, then of four, then of one. */

export interface Cutter {
  doubles(length: number): Float64Array;
  floats(length: number): Float32Array;
  integers(length: number): Int32Array;
  bytes(length: number): Uint8Array;
}

export function createCutter(buffer: ArrayBufferLike): Cutter {
  let at = 0;
  const pass = (bytes: number): number => {
    at += bytes;
    return at - bytes;
  };
  return {
    doubles: (length) => new Float64Array(buffer, pass(8 * length), length),
    floats: (length) => new Float32Array(buffer, pass(4 * length), length),
    integers: (length) => new Int32Array(buffer, pass(4 * length), length),
    bytes: (length) => new Uint8Array(buffer, pass(length), length),
  };
}

/** Separate arrays. */
export const ownArrays: Cutter = {
  doubles: (length) => new Float64Array(length),
  floats: (length) => new Float32Array(length),
  integers: (length) => new Int32Array(length),
  bytes: (length) => new Uint8Array(length),
};

/** Number of bytes needed. */
export function countBytes(cut: (cutter: Cutter) => void): number {
  let sum = 0;
  const count = <T>(width: number, nothing: T) => {
    return (length: number): T => {
      sum += width * length;
      return nothing;
    };
  };
  cut({
    doubles: count(8, new Float64Array(0)),
    floats: count(4, new Float32Array(0)),
    integers: count(4, new Int32Array(0)),
    bytes: count(1, new Uint8Array(0)),
  });
  return sum;
}
