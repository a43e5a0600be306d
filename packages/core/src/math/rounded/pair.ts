/**
 * Pairs of doubles: an unevaluated sum high + low with about 100 digits (double-double arithmetic [Dekker1971]).
 *
 * A fast function leaves its result in `pair` with a bound on its error; `roundPair` rounds it if every number within the bound rounds
 * to the same double, and otherwise asks for the exact result [Ziv1991].
 */

/** High and low part of the result of the last function of this folder. */
export const pair: Float64Array = new Float64Array(2);

/** Rounds `pair`, known to ±error; calls `decide` if the rounding is ambiguous, about once in some thousands of calls. */
export function roundPair(error: number, decide: (x: number, y: number) => number, x: number, y: number): number {
  const rounded = pair[0] + (pair[1] + error);
  return rounded === pair[0] + (pair[1] - error) ? rounded : decide(x, y);
}

/** Rounding error of the sum s = a + b, any sizes [Knuth]. */
export function sumError(a: number, b: number, s: number): number {
  const shared = s - a;
  return a - (s - shared) + (b - shared);
}

/** The leading 26 digits of x; |x| below 2^996 [Veltkamp]. */
export function leading(x: number): number {
  const c = 134217729 * x;
  return c - (c - x);
}

/** Rounding error of the product p = a·b; without underflow, exact [Dekker1971]. */
export function productError(a: number, b: number, p: number): number {
  const a1 = leading(a);
  const a2 = a - a1;
  const b1 = leading(b);
  const b2 = b - b1;
  return a1 * b1 - p + a1 * b2 + a2 * b1 + a2 * b2;
}

/** Normalizes `pair`: moves as much as possible from its low part to its high part. */
export function normalizePair(): void {
  const s = pair[0] + pair[1];
  pair[1] -= s - pair[0];
  pair[0] = s;
}

/** Writes (ah + al)/(bh + bl) to `pair`; relative error below 2^-100 if the low parts are rounding errors of the high ones. */
export function dividePairs(ah: number, al: number, bh: number, bl: number): void {
  const q = ah / bh;
  const p = q * bh;
  pair[0] = q;
  pair[1] = (ah - p - productError(q, bh, p) + al - q * bl) / bh;
}
