/**
 * Unsymmetric banded systems, ten entries on either side of the diagonal, by Gaussian elimination with row exchanges. Used for equilibria whose loads
 * depend on the state; all other matrices are symmetric and use band.ts.
 */
const LOWER = 10;
/** Row exchanges let the upper part grow to twice its width. */
const ROW = 31;

export interface GeneralBand {
  readonly size: number;
  /** Row i holds columns i−10 … i+20: A[i][j] at 31·i + j − i + 10. */
  readonly entries: Float64Array;
}

export function createGeneralBand(size: number): GeneralBand {
  return { size, entries: new Float64Array(size * ROW) };
}

export function addGeneral(matrix: GeneralBand, i: number, j: number, value: number): void {
  matrix.entries[i * ROW + j - i + LOWER] += value;
}

/** Solves in place, destroying the matrix. Returns the sign of the determinant, 0 when singular. */
export function solveGeneral(matrix: GeneralBand, x: Float64Array): number {
  const { size, entries: a } = matrix;
  let sign = 1;
  for (let k = 0; k < size; k++) {
    const last = Math.min(size - 1, k + LOWER);
    const right = Math.min(size - 1, k + 2 * LOWER);
    let pivot = k;
    for (let i = k + 1; i <= last; i++) {
      if (Math.abs(a[i * ROW + k - i + LOWER]) > Math.abs(a[pivot * ROW + k - pivot + LOWER])) pivot = i;
    }
    const value = a[pivot * ROW + k - pivot + LOWER];
    if (value === 0 || Number.isNaN(value)) return 0;
    if (pivot !== k) {
      sign = -sign;
      for (let j = k; j <= right; j++) {
        const p = pivot * ROW + j - pivot + LOWER;
        const q = k * ROW + j - k + LOWER;
        const swap = a[p];
        a[p] = a[q];
        a[q] = swap;
      }
      const swap = x[pivot];
      x[pivot] = x[k];
      x[k] = swap;
    }
    if (value < 0) sign = -sign;
    for (let i = k + 1; i <= last; i++) {
      const factor = a[i * ROW + k - i + LOWER] / value;
      if (factor === 0) continue;
      for (let j = k + 1; j <= right; j++) a[i * ROW + j - i + LOWER] -= factor * a[k * ROW + j - k + LOWER];
      x[i] -= factor * x[k];
    }
  }
  for (let k = size - 1; k >= 0; k--) {
    let sum = x[k];
    const right = Math.min(size - 1, k + 2 * LOWER);
    for (let j = k + 1; j <= right; j++) sum -= a[k * ROW + j - k + LOWER] * x[j];
    x[k] = sum / a[k * ROW + LOWER];
  }
  return sign;
}
