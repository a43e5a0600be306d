/**
 * Symmetric banded matrices with an optional dense border: entries, prescribed unknowns, products.
 *
 *     [ C  Bᵀ ]   border  (k rows: what closes a ring, or a body at the end of a rod)
 *     [ B  A  ]   A banded, `size` rows of ten entries left of the diagonal
 *
 * The width is fixed to ten, that of four unknowns per node.
 */

/** Entries left of the diagonal. */
export const BAND_WIDTH = 10;
/** Doubles of a row, and of the rows of zeros before the factor's first. */
export const ROW = 11;

export interface BorderedBand {
  readonly size: number;
  readonly borderSize: number;
  /** Row i holds columns i−10 … i: A[i][j] at 11·i + j − i + 10. */
  readonly band: Float64Array;
  /** Row b of the border holds `size` entries. */
  readonly border: Float64Array;
  /** k × k, lower triangle used. */
  readonly corner: Float64Array;
}

export function createBorderedBand(size: number, borderSize: number): BorderedBand {
  return {
    size,
    borderSize,
    band: new Float64Array(size * ROW),
    border: new Float64Array(borderSize * size),
    corner: new Float64Array(borderSize * borderSize),
  };
}

export function clearBand(matrix: BorderedBand): void {
  matrix.band.fill(0);
  matrix.border.fill(0);
  matrix.corner.fill(0);
}

/** Adds to entry (i, j), in an ordering that has the border first. */
export function addEntry(matrix: BorderedBand, i: number, j: number, value: number): void {
  const k = matrix.borderSize;
  const row = Math.max(i, j);
  const column = Math.min(i, j);
  if (column >= k) matrix.band[(row - k) * ROW + column - row + BAND_WIDTH] += value;
  else if (row >= k) matrix.border[column * matrix.size + row - k] += value;
  else matrix.corner[row * k + column] += value;
}

/** Reads entry (i, j), in an ordering that has the border first; 0 outside the band. */
export function readEntry(matrix: BorderedBand, i: number, j: number): number {
  const k = matrix.borderSize;
  const row = Math.max(i, j);
  const column = Math.min(i, j);
  if (column >= k) return row - column > BAND_WIDTH ? 0 : matrix.band[(row - k) * ROW + column - row + BAND_WIDTH];
  return row >= k ? matrix.border[column * matrix.size + row - k] : matrix.corner[row * k + column];
}

/** Makes row and column d (border first) those of the identity: a prescribed unknown. */
export function fixUnknown(matrix: BorderedBand, d: number): void {
  const { size, borderSize: k, band, border, corner } = matrix;
  if (d < k) {
    border.fill(0, d * size, (d + 1) * size);
    for (let b = 0; b < k; b++) {
      corner[d * k + b] = 0;
      corner[b * k + d] = 0;
    }
    corner[d * k + d] = 1;
    return;
  }
  const r = d - k;
  for (let o = 0; o <= BAND_WIDTH; o++) band[r * ROW + o] = 0;
  for (let i = r + 1; i <= Math.min(size - 1, r + BAND_WIDTH); i++) band[i * ROW + r - i + BAND_WIDTH] = 0;
  for (let b = 0; b < k; b++) border[b * size + r] = 0;
  band[r * ROW + BAND_WIDTH] = 1;
}

/** y = matrix · x, both in the ordering that has the border first. */
export function multiplyBand(y: Float64Array, matrix: BorderedBand, x: Float64Array): void {
  const { size, borderSize: k, band, border, corner } = matrix;
  y.fill(0);
  for (let i = 0; i < size; i++) {
    const first = i > BAND_WIDTH ? i - BAND_WIDTH : 0;
    const offset = i * ROW + BAND_WIDTH - i;
    const xi = x[k + i];
    let sum = band[offset + i] * xi;
    for (let j = first; j < i; j++) {
      const a = band[offset + j];
      sum += a * x[k + j];
      y[k + j] += a * xi;
    }
    y[k + i] += sum;
  }
  for (let b = 0; b < k; b++) {
    let sum = 0;
    for (let i = 0; i < size; i++) {
      const a = border[b * size + i];
      sum += a * x[k + i];
      y[k + i] += a * x[b];
    }
    for (let c = 0; c < k; c++) sum += (c <= b ? corner[b * k + c] : corner[c * k + b]) * x[c];
    y[b] += sum;
  }
}
