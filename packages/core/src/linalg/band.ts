/**
 * Symmetric banded matrices with an optional dense border, and their LDLᵀ factorisation.
 *
 *     [ C  Bᵀ ]   border  (k rows: what closes a ring, or a body at the end of a rod)
 *     [ B  A  ]   A banded, `size` rows of `width` entries left of the diagonal
 *
 * No pivoting: a rod's matrix is made positive definite by a shift where it is not, and without pivoting the signs of
 * D count its negative eigenvalues (Sylvester), which is what tells stable equilibria from unstable ones.
 * Rows are stored from the first entry in the band to the diagonal, so that the inner loops run over consecutive
 * memory. Measured (Node 20, half-bandwidth 10, in cache): see benchmarks, row `band-solve`.
 */

export interface BorderedBand {
  readonly size: number;
  /** Entries left of the diagonal. */
  readonly width: number;
  readonly borderSize: number;
  /** Row i holds columns i−width … i: A[i][j] at i*(width+1) + j − i + width. */
  readonly band: Float64Array;
  /** Row b of the border holds `size` entries. */
  readonly border: Float64Array;
  /** k × k, lower triangle used. */
  readonly corner: Float64Array;
}

export interface BorderedFactor {
  /** Unit lower factor in the layout of `band`, with 1/D on the diagonal. */
  readonly lower: Float64Array;
  /** A⁻¹B, row by row. */
  readonly solvedBorder: Float64Array;
  /** LDLᵀ of the Schur complement, 1/D on the diagonal. */
  readonly schur: Float64Array;
  /** Negative pivots of the last factorisation. */
  negative: number;
  readonly scratch: Float64Array;
}

export function createBorderedBand(size: number, width: number, borderSize: number): BorderedBand {
  return {
    size,
    width,
    borderSize,
    band: new Float64Array(size * (width + 1)),
    border: new Float64Array(borderSize * size),
    corner: new Float64Array(borderSize * borderSize),
  };
}

export function createBorderedFactor(matrix: BorderedBand): BorderedFactor {
  return {
    lower: new Float64Array(matrix.band.length),
    solvedBorder: new Float64Array(matrix.border.length),
    schur: new Float64Array(matrix.corner.length),
    negative: 0,
    scratch: new Float64Array(Math.max(matrix.width + 1, matrix.borderSize)),
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
  const row = i > j ? i : j;
  const column = i > j ? j : i;
  if (column >= k) matrix.band[(row - k) * (matrix.width + 1) + column - row + matrix.width] += value;
  else if (row >= k) matrix.border[column * matrix.size + row - k] += value;
  else matrix.corner[row * k + column] += value;
}

/** Reads entry (i, j), in an ordering that has the border first; 0 outside the band. */
export function readEntry(matrix: BorderedBand, i: number, j: number): number {
  const k = matrix.borderSize;
  const row = i > j ? i : j;
  const column = i > j ? j : i;
  if (column >= k)
    return row - column > matrix.width ? 0 : matrix.band[(row - k) * (matrix.width + 1) + column - row + matrix.width];
  return row >= k ? matrix.border[column * matrix.size + row - k] : matrix.corner[row * k + column];
}

/** Makes row and column d (border first) those of the identity: a prescribed unknown. */
export function fixUnknown(matrix: BorderedBand, d: number): void {
  const { size, width, borderSize: k, band, border, corner } = matrix;
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
  const w1 = width + 1;
  for (let o = 0; o <= width; o++) band[r * w1 + o] = 0;
  for (let i = r + 1; i <= Math.min(size - 1, r + width); i++) band[i * w1 + r - i + width] = 0;
  for (let b = 0; b < k; b++) border[b * size + r] = 0;
  band[r * w1 + width] = 1;
}

/** y = matrix · x, both in the ordering that has the border first. */
export function multiplyBand(y: Float64Array, matrix: BorderedBand, x: Float64Array): void {
  const { size, width, borderSize: k, band, border, corner } = matrix;
  const w1 = width + 1;
  y.fill(0);
  for (let i = 0; i < size; i++) {
    const first = i > width ? i - width : 0;
    const offset = i * w1 + width - i;
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

/**
 * Factors matrix + shift·diag(weight) (weight in the ordering that has the border first).
 * Returns whether it is positive definite; `factor.negative` counts negative pivots either way. With `stopEarly` it
 * gives up at the first pivot that is not positive.
 */
export function factorBand(
  factor: BorderedFactor,
  matrix: BorderedBand,
  shift: number,
  weight: Float64Array,
  stopEarly: boolean,
): boolean {
  const { size, width, borderSize: k, band, border, corner } = matrix;
  const { lower, solvedBorder, schur } = factor;
  const w1 = width + 1;
  factor.negative = 0;
  for (let i = 0; i < size; i++) {
    const row = i * w1;
    const first = i > width ? i - width : 0;
    const offset = row + width - i;
    const original = band[row + width] + shift * weight[k + i];
    let diagonal = original;
    // g_ij = a_ij − Σ g_ik l_jk is kept unscaled in the row until its diagonal is known
    for (let j = first; j < i; j++) {
      const rowJ = j * w1 + width - j;
      const firstK = j - width > first ? j - width : first;
      let sum = band[offset + j];
      for (let m = firstK; m < j; m++) sum -= lower[offset + m] * lower[rowJ + m];
      lower[offset + j] = sum;
    }
    for (let j = first; j < i; j++) {
      const g = lower[offset + j];
      const l = g * lower[j * w1 + width];
      lower[offset + j] = l;
      diagonal -= g * l;
    }
    if (!(diagonal > 1e-14 * Math.abs(original))) {
      if (stopEarly || diagonal !== diagonal) return false;
      if (diagonal < 0) factor.negative++;
      else diagonal = 1e-14 * Math.abs(original) || 1e-300;
    }
    lower[row + width] = 1 / diagonal;
  }
  if (k === 0) return factor.negative === 0;
  solvedBorder.set(border);
  for (let b = 0; b < k; b++) solveFactoredBand(factor, matrix, solvedBorder, b * size);
  return factorSchur(schur, factor, matrix, corner, shift, weight, stopEarly);
}

function factorSchur(
  schur: Float64Array,
  factor: BorderedFactor,
  matrix: BorderedBand,
  corner: Float64Array,
  shift: number,
  weight: Float64Array,
  stopEarly: boolean,
): boolean {
  const { size, borderSize: k, border } = matrix;
  const { solvedBorder } = factor;
  for (let b = 0; b < k; b++) {
    for (let c = 0; c <= b; c++) {
      let sum = corner[b * k + c] + (b === c ? shift * weight[b] : 0);
      for (let i = 0; i < size; i++) sum -= border[b * size + i] * solvedBorder[c * size + i];
      schur[b * k + c] = sum;
    }
  }
  for (let b = 0; b < k; b++) {
    const original = corner[b * k + b] + shift * weight[b];
    for (let c = 0; c < b; c++) {
      let sum = schur[b * k + c];
      for (let m = 0; m < c; m++) sum -= schur[b * k + m] * schur[c * k + m];
      schur[b * k + c] = sum;
    }
    let diagonal = schur[b * k + b];
    for (let c = 0; c < b; c++) {
      const g = schur[b * k + c];
      const l = g * schur[c * k + c];
      schur[b * k + c] = l;
      diagonal -= g * l;
    }
    if (!(diagonal > 1e-14 * Math.abs(original))) {
      if (stopEarly || diagonal !== diagonal) return false;
      if (diagonal < 0) factor.negative++;
      else diagonal = 1e-14 * Math.abs(original) || 1e-300;
    }
    schur[b * k + b] = 1 / diagonal;
  }
  return factor.negative === 0;
}

/** Solves with the banded part alone, in place, at `offset` of x. */
function solveFactoredBand(factor: BorderedFactor, matrix: BorderedBand, x: Float64Array, offset: number): void {
  const { size, width } = matrix;
  const { lower } = factor;
  const w1 = width + 1;
  for (let i = 0; i < size; i++) {
    const base = i * w1 + width - i;
    let sum = x[offset + i];
    for (let j = i > width ? i - width : 0; j < i; j++) sum -= lower[base + j] * x[offset + j];
    x[offset + i] = sum;
  }
  for (let i = 0; i < size; i++) x[offset + i] *= lower[i * w1 + width];
  for (let i = size - 1; i >= 0; i--) {
    const base = i * w1 + width - i;
    const xi = x[offset + i];
    for (let j = i > width ? i - width : 0; j < i; j++) x[offset + j] -= lower[base + j] * xi;
  }
}

/** Solves the factored system in place; x in the ordering that has the border first. */
export function solveBand(factor: BorderedFactor, matrix: BorderedBand, x: Float64Array): void {
  const { size, borderSize: k, border } = matrix;
  const { schur, solvedBorder, scratch } = factor;
  solveFactoredBand(factor, matrix, x, k);
  if (k === 0) return;
  for (let b = 0; b < k; b++) {
    let sum = x[b];
    for (let i = 0; i < size; i++) sum -= border[b * size + i] * x[k + i];
    for (let c = 0; c < b; c++) sum -= schur[b * k + c] * scratch[c];
    scratch[b] = sum;
  }
  for (let b = 0; b < k; b++) scratch[b] *= schur[b * k + b];
  for (let b = k - 1; b >= 0; b--) for (let c = 0; c < b; c++) scratch[c] -= schur[b * k + c] * scratch[b];
  for (let b = 0; b < k; b++) {
    const y = scratch[b];
    x[b] = y;
    for (let i = 0; i < size; i++) x[k + i] -= solvedBorder[b * size + i] * y;
  }
}
