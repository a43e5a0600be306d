/**
 * Loops of the contact solver over the numbers of all sides, in blocks. Sums are block sums added in block order, so they do not depend on which
 * thread computes which block. A block of all arrays stays in the cache while the loops read it several times.
 */
import { andersonWindows, contactConstants } from '../../constants.ts';

/** Numbers per block. */
export const BLOCK = 4096;

/** Iterates kept by Anderson acceleration: 3 to 10 make little difference. */
export const WINDOW: number = andersonWindows.GROUP_WINDOW;

/** Sums per block: inner products of each change of f with the last one and with f. */
const STRIDE: number = 2 * WINDOW;

/** Arrays that the loops use, each with `capacity` numbers. */
export interface MixRows {
  readonly capacity: number;
  /** Number of iterates that Anderson acceleration keeps. */
  readonly window: number;
  readonly weight: Float64Array;
  /** Reciprocal of the admissible error of each number, independent of the impulses. */
  readonly inverseTolerance: Float64Array;
  /** q at the least error so far. */
  readonly best: Float64Array;
  /** Changes of q + f, and of f, between iterations. */
  readonly changeNext: readonly Float64Array[];
  readonly changeF: readonly Float64Array[];
  /** q and f of the previous iteration. */
  readonly lastQ: Float64Array;
  readonly lastF: Float64Array;
  /** Sums of each block. */
  readonly sums: Float64Array;
}

/** Arrays of the sides that the loops use, see SideArrays. */
export interface IterateRows {
  readonly reached: Float64Array;
  readonly velocityChange: Float64Array;
  readonly copy: Float64Array;
  readonly lawInput: Float64Array;
}

export const countBlocks = (size: number): number => Math.ceil(size / BLOCK);

export function mixBytes(capacity: number, window: number): number {
  return 8 * ((5 + 2 * window) * capacity + STRIDE * countBlocks(capacity));
}

export function cutMixRows(buffer: ArrayBufferLike, capacity: number, window: number): MixRows {
  let at = 0;
  const take = (length: number = capacity): Float64Array => {
    at += 8 * length;
    return new Float64Array(buffer, at - 8 * length, length);
  };
  const list = (): Float64Array[] => Array.from({ length: window }, () => take());
  return {
    capacity,
    window,
    weight: take(),
    inverseTolerance: take(),
    best: take(),
    lastQ: take(),
    lastF: take(),
    changeNext: list(),
    changeF: list(),
    sums: take(STRIDE * countBlocks(capacity)),
  };
}

/** Blocks `from` to `to` of arrays of `size` numbers. */
export interface BlockRange {
  readonly size: number;
  readonly from: number;
  readonly to: number;
}

/** Blocks of a loop over stored changes: their number `count`, the slot of the last one, and the factors of the changes. */
export interface MixPart extends BlockRange {
  readonly count: number;
  readonly slot: number;
  readonly gamma: ArrayLike<number>;
}

/** Relaxation factor of an iteration. */
export const RELAXATION: number = contactConstants.RELAXATION;

/**
 * Blocks `from` to `to`: computes velocities from the response, then overwrites them by f = RELAXATION (v − y). Sums: ‖f‖²; the largest error;
 * the largest ratio of error to admissible error.
 */
export function measureBlocks(
  { weight, inverseTolerance, sums }: MixRows,
  { reached, velocityChange, copy }: IterateRows,
  { size, from, to }: BlockRange,
): void {
  for (let b = from; b < to; b++) {
    const end = Math.min(size, BLOCK * (b + 1));
    let error = 0;
    let miss = 0;
    let norm = 0;
    for (let i = BLOCK * b; i < end; i++) {
      // sides that cannot move have no error
      const w = weight[i];
      const difference = w > 0 ? velocityChange[i] + reached[i] - copy[i] : 0;
      const f = RELAXATION * difference;
      velocityChange[i] = f;
      const wrong = difference < 0 ? -difference : difference;
      if (wrong > error) error = wrong;
      if (wrong * inverseTolerance[i] > miss) miss = wrong * inverseTolerance[i];
      norm += w * f * f;
    }
    sums[STRIDE * b] = norm;
    sums[STRIDE * b + 1] = error;
    sums[STRIDE * b + 2] = miss;
  }
}

/** Results of `measureBlocks` over all blocks. */
export function readMeasure(
  { sums }: MixRows,
  size: number,
): { readonly norm: number; readonly error: number; readonly miss: number } {
  let [norm, error, miss] = [0, 0, 0];
  for (let b = 0; b < countBlocks(size); b++) {
    norm += sums[STRIDE * b];
    error = Math.max(error, sums[STRIDE * b + 1]);
    miss = Math.max(miss, sums[STRIDE * b + 2]);
  }
  return { norm, error, miss };
}

/**
 * Blocks `from` to `to`: stores the change since the previous iteration in slot `slot`, computes its inner products with the `count` stored
 * changes, then sets q to the plain (unaccelerated) next iterate.
 */
export function changeBlocks(
  { weight, changeNext, changeF, lastQ, lastF, sums }: MixRows,
  { lawInput: q, velocityChange: f }: IterateRows,
  { size, from, to, count, slot }: MixPart,
): void {
  for (let b = from; b < to; b++) {
    const begin = BLOCK * b;
    const end = Math.min(size, begin + BLOCK);
    if (count > 0) {
      const next = changeNext[slot];
      const df = changeF[slot];
      for (let i = begin; i < end; i++) {
        const change = f[i] - lastF[i];
        df[i] = change;
        next[i] = q[i] - lastQ[i] + change;
      }
      // two at a time, so that each value is read once for both
      for (let a = 0; a < count; a += 2) {
        const other = a + 1 < count ? a + 1 : a;
        multiplyChanges({ changeF, weight, sums }, a, other, { df, f, begin, end });
      }
    }
    for (let i = begin; i < end; i++) {
      lastQ[i] = q[i];
      lastF[i] = f[i];
      q[i] += f[i];
    }
  }
}

/** Weighted inner products of each of two changes with a third, and with f, over a block. */
function multiplyChanges(
  { changeF, weight, sums }: Pick<MixRows, 'changeF' | 'weight' | 'sums'>,
  first: number,
  second: number,
  { df, f, begin, end }: { df: Float64Array; f: Float64Array; begin: number; end: number },
): void {
  const one = changeF[first];
  const other = changeF[second];
  const o = STRIDE * (begin / BLOCK);
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = begin; i < end; i++) {
    const w = weight[i];
    const x = w * one[i];
    const y = w * other[i];
    const u = df[i];
    const v = f[i];
    a += x * u;
    b += x * v;
    c += y * u;
    d += y * v;
  }
  sums[o + 2 * first] = a;
  sums[o + 2 * first + 1] = b;
  sums[o + 2 * second] = c;
  sums[o + 2 * second + 1] = d;
}

/** Sum k over all blocks, from `changeBlocks`: 2a is change a times the last one, 2a + 1 is change a times f. */
export function readProduct({ sums }: MixRows, size: number, k: number): number {
  let sum = 0;
  for (let b = 0; b < countBlocks(size); b++) sum += sums[STRIDE * b + k];
  return sum;
}

/** Blocks `from` to `to`: subtracts `gamma` times the changes of q + f from q. */
export function mixBlocks(
  { changeNext }: MixRows,
  { lawInput: q }: IterateRows,
  { size, from, to, count, gamma }: MixPart,
): void {
  for (let b = from; b < to; b++) {
    const begin = BLOCK * b;
    const end = Math.min(size, begin + BLOCK);
    // two at a time, as in changeBlocks
    for (let a = 0; a < count; a += 2) {
      const isPair = a + 1 < count;
      const [x, factorX] = [changeNext[a], gamma[a]];
      const [y, factorY] = isPair ? [changeNext[a + 1], gamma[a + 1]] : [x, 0];
      for (let i = begin; i < end; i++) q[i] = q[i] - factorX * x[i] - factorY * y[i];
    }
  }
}

/** Blocks `from` to `to`: copies an array. */
export function copyBlocks(out: Float64Array, x: Float64Array, { size, from, to }: BlockRange): void {
  const last = Math.min(size, BLOCK * to);
  if (BLOCK * from < last) out.set(x.subarray(BLOCK * from, last), BLOCK * from);
}

/** Blocks `from` to `to`: sets q to the plain iterate after the previous iteration. */
export function returnBlocks({ lastQ, lastF }: MixRows, q: Float64Array, { size, from, to }: BlockRange): void {
  const end = Math.min(size, BLOCK * to);
  for (let i = BLOCK * from; i < end; i++) q[i] = lastQ[i] + lastF[i];
}

/** Blocks `from` to `to`: clears the weights and tolerances. */
export function emptyBlocks({ weight, inverseTolerance }: MixRows, { size, from, to }: BlockRange): void {
  weight.fill(0, BLOCK * from, Math.min(size, BLOCK * to));
  inverseTolerance.fill(0, BLOCK * from, Math.min(size, BLOCK * to));
}
