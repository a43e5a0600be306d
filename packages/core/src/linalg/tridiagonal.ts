/** Tridiagonal systems by elimination without pivoting, open or cyclic; all arrays are overwritten, x holds the answer. */

type NumberList = Float64Array | number[];

/**
 * lower[i] multiplies x[i−1], upper[i] multiplies x[i+1]. Returns false at a pivot that is not positive. If equations may be redundant, one that follows
 * from the others (its pivot is only rounding) is dropped and its unknown set to 0: this happens for the edges of a straight rod between two fixed
 * ends.
 */
export function solveTridiagonal(
  lower: NumberList,
  diagonal: NumberList,
  upper: NumberList,
  x: NumberList,
  n: number,
  equations: 'may-be-redundant' | 'independent',
): boolean {
  const canDrop = equations === 'may-be-redundant';
  // pivot and right-hand side of the row before, in variables: each row waits for them
  let pivot = 1;
  let right = 0;
  for (let i = 0; i < n; i++) {
    const original = diagonal[i];
    const m = i > 0 ? lower[i] / pivot : 0;
    pivot = i > 0 ? original - m * upper[i - 1] : original;
    right = i > 0 ? x[i] - m * right : x[i];
    if (canDrop && Math.abs(pivot) <= 1e-12 * original) pivot = Infinity;
    if (!(pivot > 0)) return false;
    diagonal[i] = pivot;
    x[i] = right;
  }
  let value = right / pivot;
  x[n - 1] = value;
  for (let i = n - 2; i >= 0; i--) {
    value = (x[i] - upper[i] * value) / diagonal[i];
    x[i] = value;
  }
  return true;
}

/**
 * The same with corners: lower[0] multiplies x[n−1] in row 0, upper[n−1] multiplies x[0] in the last row. The last unknown is eliminated separately:
 * two sweeps share one factorisation through `scratch` (n).
 */
export function solveCyclicTridiagonal(
  lower: NumberList,
  diagonal: NumberList,
  upper: NumberList,
  x: NumberList,
  scratch: NumberList,
  n: number,
  equations: 'may-be-redundant' | 'independent',
): boolean {
  const last = n - 1;
  const corner = lower[0];
  scratch.fill(0, 0, last);
  scratch[0] = -corner;
  scratch[last - 1] -= upper[last - 1];
  for (let i = 0; i < last; i++) {
    if (i > 0) {
      const m = lower[i] / diagonal[i - 1];
      diagonal[i] -= m * upper[i - 1];
      x[i] -= m * x[i - 1];
      scratch[i] -= m * scratch[i - 1];
    }
    if (!(diagonal[i] > 0)) return false;
  }
  x[last - 1] /= diagonal[last - 1];
  scratch[last - 1] /= diagonal[last - 1];
  for (let i = last - 2; i >= 0; i--) {
    x[i] = (x[i] - upper[i] * x[i + 1]) / diagonal[i];
    scratch[i] = (scratch[i] - upper[i] * scratch[i + 1]) / diagonal[i];
  }
  let pivot = diagonal[last] + upper[last] * scratch[0] + lower[last] * scratch[last - 1];
  if (equations === 'may-be-redundant' && Math.abs(pivot) <= 1e-12 * diagonal[last]) pivot = Infinity;
  if (!(pivot > 0)) return false;
  x[last] = (x[last] - upper[last] * x[0] - lower[last] * x[last - 1]) / pivot;
  for (let i = 0; i < last; i++) x[i] += scratch[i] * x[last];
  return true;
}

/** Symmetric cyclic system of at least three unknowns, `off[i]` between i and i + 1 (mod n); does not change its arguments. */
export function solveCyclicSymmetric(
  diagonal: readonly number[],
  off: readonly number[],
  right: readonly number[],
): number[] {
  const n = diagonal.length;
  const lower = off.map((_, i) => off[(i + n - 1) % n]);
  const x = [...right];
  solveCyclicTridiagonal(lower, [...diagonal], [...off], x, new Array<number>(n).fill(0), n, 'may-be-redundant');
  return x;
}
