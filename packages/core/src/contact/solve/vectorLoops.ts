/**
 * Loops of the contact solver over the numbers of all sides, by blocks: sums are those of blocks, added in their order, so that they do
 * not depend on who has which block. A block of all arrays stays in the cache while it is looked at several times.
 */
import { andersonWindows, contactConstants } from '../../constants.ts';

/** Numbers of a block. */
export const BLOCK = 4096;

/** Turns that are mixed: 3 to 10 make little difference. */
export const WINDOW: number = andersonWindows.GROUP_WINDOW;

/** Sums of a block: products of each change of f with the last one and with f. */
const STRIDE: number = 2 * WINDOW;

/** Arrays that the loops look at; each has room for `capacity` numbers. */
export interface MixRows {
  readonly capacity: number;
  /** Turns that are mixed. */
  readonly window: number;
  readonly weight: Float64Array;
  /** One over the error that each number may have, whatever the impulses change. */
  readonly finest: Float64Array;
  /** q when the error was least. */
  readonly best: Float64Array;
  /** Changes of q + f, and of f. */
  readonly changeNext: readonly Float64Array[];
  readonly changeF: readonly Float64Array[];
  /** q and f of the turn before. */
  readonly lastQ: Float64Array;
  readonly lastF: Float64Array;
  /** Sums of each block. */
  readonly sums: Float64Array;
}

/** Sides' arrays that they look at, see SideArrays. */
export interface IterateRows {
  readonly start: Float64Array;
  readonly velocity: Float64Array;
  readonly copy: Float64Array;
  readonly free: Float64Array;
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
    finest: take(),
    best: take(),
    lastQ: take(),
    lastF: take(),
    changeNext: list(),
    changeF: list(),
    sums: take(STRIDE * countBlocks(capacity)),
  };
}

/** Part of the difference that a turn goes. */
export const RELAXATION: number = contactConstants.RELAXATION;

/**
 * Blocks `from` to `to`: velocities from those of the response, then f = RELAXATION (v − y) in their place. Sums: norm² of f; the largest error; the
 * largest over what it may be.
 */
export function measureBlocks(
  { weight, finest, sums }: MixRows,
  { start, velocity, copy }: IterateRows,
  size: number,
  from: number,
  to: number,
): void {
  for (let b = from; b < to; b++) {
    const end = Math.min(size, BLOCK * (b + 1));
    let error = 0;
    let miss = 0;
    let norm = 0;
    for (let i = BLOCK * b; i < end; i++) {
      // where nothing can move there is nothing to agree on
      const w = weight[i];
      const difference = w > 0 ? velocity[i] + start[i] - copy[i] : 0;
      const f = RELAXATION * difference;
      velocity[i] = f;
      const wrong = difference < 0 ? -difference : difference;
      if (wrong > error) error = wrong;
      if (wrong * finest[i] > miss) miss = wrong * finest[i];
      norm += w * f * f;
    }
    sums[STRIDE * b] = norm;
    sums[STRIDE * b + 1] = error;
    sums[STRIDE * b + 2] = miss;
  }
}

/** What `measureBlocks` found of all. */
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
 * Blocks `from` to `to`: the change since the turn before, to place `slot`, and its products with the `count` changes that are kept; then q
 * becomes the plain next one.
 */
export function changeBlocks(
  { weight, changeNext, changeF, lastQ, lastF, sums }: MixRows,
  { free: q, velocity: f }: IterateRows,
  size: number,
  from: number,
  to: number,
  count: number,
  slot: number,
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
      // two at a time: what is read of the others serves both
      for (let a = 0; a < count; a += 2) {
        const other = a + 1 < count ? a + 1 : a;
        multiplyChanges(sums, STRIDE * b, a, other, changeF[a], changeF[other], weight, df, f, begin, end);
      }
    }
    for (let i = begin; i < end; i++) {
      lastQ[i] = q[i];
      lastF[i] = f[i];
      q[i] += f[i];
    }
  }
}

/** Weighted products of each of two changes with a third, and with f, over a block. */
function multiplyChanges(
  sums: Float64Array,
  o: number,
  first: number,
  second: number,
  one: Float64Array,
  other: Float64Array,
  weight: Float64Array,
  df: Float64Array,
  f: Float64Array,
  begin: number,
  end: number,
): void {
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

/** Product k of all blocks, as `changeBlocks` left them: 2a of change a with the last one, 2a + 1 with f. */
export function readProduct({ sums }: MixRows, size: number, k: number): number {
  let sum = 0;
  for (let b = 0; b < countBlocks(size); b++) sum += sums[STRIDE * b + k];
  return sum;
}

/** Blocks `from` to `to`: q less `gamma` times the changes of q + f. */
export function mixBlocks(
  { changeNext }: MixRows,
  { free: q }: IterateRows,
  size: number,
  from: number,
  to: number,
  count: number,
  gamma: ArrayLike<number>,
): void {
  for (let b = from; b < to; b++) {
    const begin = BLOCK * b;
    const end = Math.min(size, begin + BLOCK);
    let a = 0;
    for (; a + 1 < count; a += 2) subtractTwo(q, gamma[a], changeNext[a], gamma[a + 1], changeNext[a + 1], begin, end);
    if (a < count) subtractTwo(q, gamma[a], changeNext[a], 0, changeNext[a], begin, end);
  }
}

/** Blocks `from` to `to` of a copy. */
export function copyBlocks(to: Float64Array, of: Float64Array, size: number, from: number, end: number): void {
  const last = Math.min(size, BLOCK * end);
  if (BLOCK * from < last) to.set(of.subarray(BLOCK * from, last), BLOCK * from);
}

/** Blocks `from` to `to`: q is where a plain step from the turn before leads. */
export function returnBlocks({ lastQ, lastF }: MixRows, q: Float64Array, size: number, from: number, to: number): void {
  const end = Math.min(size, BLOCK * to);
  for (let i = BLOCK * from; i < end; i++) q[i] = lastQ[i] + lastF[i];
}

/** Blocks `from` to `to`: no weights, and nothing that has to be fine. */
export function emptyBlocks({ weight, finest }: MixRows, size: number, from: number, to: number): void {
  weight.fill(0, BLOCK * from, Math.min(size, BLOCK * to));
  finest.fill(0, BLOCK * from, Math.min(size, BLOCK * to));
}

function subtractTwo(
  q: Float64Array,
  gamma: number,
  x: Float64Array,
  delta: number,
  y: Float64Array,
  begin: number,
  end: number,
): void {
  for (let i = begin; i < end; i++) q[i] = q[i] - gamma * x[i] - delta * y[i];
}
