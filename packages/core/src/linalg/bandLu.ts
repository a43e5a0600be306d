/**
 * Unsymmetric banded systems, with the same number of entries on either side of the diagonal, by Gaussian elimination with row exchanges. Used for equilibria
 * whose loads depend on the state, and for derivatives of steps; all other matrices are symmetric and use band.ts.
 */

export interface GeneralBand {
  readonly size: number;
  /** Entries on either side of the diagonal. */
  readonly lower: number;
  /** Row i holds columns i − lower … i + 2·lower, because row exchanges let the upper part grow: A[i][j] at (3·lower + 1)·i + j − i + lower. */
  readonly entries: Float64Array;
}

export function createGeneralBand(size: number, lower = 10): GeneralBand {
  return { size, lower, entries: new Float64Array(size * (3 * lower + 1)) };
}

export function addGeneral({ entries, lower }: GeneralBand, i: number, j: number, value: number): void {
  entries[i * (3 * lower + 1) + j - i + lower] += value;
}

/** Solves in place, destroying the matrix. Returns the sign of the determinant, 0 when singular. */
export function solveGeneral(matrix: GeneralBand, x: Float64Array): number {
  const { size, entries: a, lower } = matrix;
  const row = 3 * lower + 1;
  let sign = 1;
  for (let k = 0; k < size; k++) {
    const last = Math.min(size - 1, k + lower);
    const right = Math.min(size - 1, k + 2 * lower);
    let pivot = k;
    for (let i = k + 1; i <= last; i++) {
      if (Math.abs(a[i * row + k - i + lower]) > Math.abs(a[pivot * row + k - pivot + lower])) pivot = i;
    }
    const value = a[pivot * row + k - pivot + lower];
    if (value === 0 || Number.isNaN(value)) return 0;
    if (pivot !== k) {
      sign = -sign;
      for (let j = k; j <= right; j++) {
        const p = pivot * row + j - pivot + lower;
        const q = k * row + j - k + lower;
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
      const factor = a[i * row + k - i + lower] / value;
      if (factor === 0) continue;
      for (let j = k + 1; j <= right; j++) a[i * row + j - i + lower] -= factor * a[k * row + j - k + lower];
      x[i] -= factor * x[k];
    }
  }
  for (let k = size - 1; k >= 0; k--) {
    let sum = x[k];
    const right = Math.min(size - 1, k + 2 * lower);
    for (let j = k + 1; j <= right; j++) sum -= a[k * row + j - k + lower] * x[j];
    x[k] = sum / a[k * row + lower];
  }
  return sign;
}
