/**
 * Operations on rows of twelve entries, written out: a loop over twelve entries, or over those right of a pivot, is slower. Elimination below a
 * pivot therefore also runs over columns that are zero already: a fifth more operations in half the time.
 */

/** Subtracts f times the row of b at k from the row of a at i. */
export function subtractRow(a: Float64Array, i: number, f: number, b: Float64Array, k: number): void {
  a[i] -= f * b[k];
  a[i + 1] -= f * b[k + 1];
  a[i + 2] -= f * b[k + 2];
  a[i + 3] -= f * b[k + 3];
  a[i + 4] -= f * b[k + 4];
  a[i + 5] -= f * b[k + 5];
  a[i + 6] -= f * b[k + 6];
  a[i + 7] -= f * b[k + 7];
  a[i + 8] -= f * b[k + 8];
  a[i + 9] -= f * b[k + 9];
  a[i + 10] -= f * b[k + 10];
  a[i + 11] -= f * b[k + 11];
}

/** Multiplies the row at k by f. */
export function scaleRow(a: Float64Array, k: number, f: number): void {
  a[k] *= f;
  a[k + 1] *= f;
  a[k + 2] *= f;
  a[k + 3] *= f;
  a[k + 4] *= f;
  a[k + 5] *= f;
  a[k + 6] *= f;
  a[k + 7] *= f;
  a[k + 8] *= f;
  a[k + 9] *= f;
  a[k + 10] *= f;
  a[k + 11] *= f;
}
