/**
 * Symmetric banded matrices with an optional dense border, and their LDLᵀ factorisation.
 *
 *     [ C  Bᵀ ]   border  (k rows: what closes a ring, or a body at the end of a rod)
 *     [ B  A  ]   A banded, `size` rows of ten entries left of the diagonal
 *
 * No pivoting: a rod's matrix is made positive definite by a shift where it is not, and without pivoting the signs of D count its negative eigenvalues
 * (Sylvester), which distinguishes stable equilibria from unstable ones. The width is fixed to ten, that of four unknowns per node, and the inner loops
 * are written out, because short loops of varying length are slower (`npm run bench`, row `band-solve`). The factor has ten rows of zeros before its
 * first, so that no row is special.
 */

import { factorConstants } from '../constants.ts';
import { BAND_WIDTH, type BorderedBand, ROW } from './bandMatrix.ts';
import type { PivotRule } from './pivotRule.ts';

const { SMALLEST_PIVOT } = factorConstants;
export const PAD = 110;

export interface BorderedFactor {
  /** Unit lower factor in the layout of `band`, after ten rows of zeros, with 1/D on the diagonal. */
  readonly lower: Float64Array;
  /** A⁻¹B, row by row. */
  readonly solvedBorder: Float64Array;
  /** LDLᵀ of the Schur complement, 1/D on the diagonal. */
  readonly schur: Float64Array;
  /** Negative pivots of the last factorisation. */
  negative: number;
  readonly scratch: Float64Array;
}

export function createBorderedFactor(matrix: BorderedBand): BorderedFactor {
  return {
    lower: new Float64Array(PAD + matrix.band.length),
    solvedBorder: new Float64Array(matrix.border.length),
    schur: new Float64Array(matrix.corner.length),
    negative: 0,
    scratch: new Float64Array(matrix.borderSize),
  };
}

/** A row of the matrix in the order of elimination. */
const turned = new Float64Array(ROW);

/**
 * Writes column d, from row d to row d + `reach`, as the row of a piece that is numbered backwards: A[d + m][d] is 10 m entries after the diagonal.
 */
function turnRow(band: Float64Array, d: number, reach: number): void {
  const diagonal = d * ROW + BAND_WIDTH;
  if (reach < BAND_WIDTH) {
    for (let m = 0; m <= BAND_WIDTH; m++) turned[BAND_WIDTH - m] = m <= reach ? band[diagonal + 10 * m] : 0;
    return;
  }
  turned[0] = band[diagonal + 100];
  turned[1] = band[diagonal + 90];
  turned[2] = band[diagonal + 80];
  turned[3] = band[diagonal + 70];
  turned[4] = band[diagonal + 60];
  turned[5] = band[diagonal + 50];
  turned[6] = band[diagonal + 40];
  turned[7] = band[diagonal + 30];
  turned[8] = band[diagonal + 20];
  turned[9] = band[diagonal + 10];
  turned[10] = band[diagonal];
}

/**
 * Factors rows `from` to `to` − 1 of a matrix without border, as a piece that is decoupled from the others; from the last row to the first if
 * `direction` is backwards, without a reordered copy of the matrix. Row d has the weight at `offset` + d. Adds negative pivots to `factor.negative`. Returns false
 * if it stopped: at NaN in any case.
 */
export function factorPiece(
  factor: BorderedFactor,
  matrix: Float64Array,
  from: number,
  to: number,
  direction: 'backwards' | 'forwards',
  shift: number,
  weight: Float64Array,
  offset: number,
  rule: PivotRule,
): boolean {
  const { lower } = factor;
  const band = direction === 'backwards' ? turned : matrix;
  for (let i = from; i < to; i++) {
    const d = direction === 'backwards' ? from + to - 1 - i : i;
    if (direction === 'backwards') turnRow(matrix, d, i - from);
    const source = direction === 'backwards' ? 0 : d * ROW;
    const row = i * ROW + PAD;
    const original = band[source + 10] + shift * weight[offset + d];
    // #region reduceRow: kernels/build.ts reads these lines as a function of (lower, row, band, source) that returns `loss`
    // a call of it here costs a tenth of the whole solve
    // g_j = a_ij − Σ g_m l_jm over the ten columns left of the diagonal; row j of l starts 11(10 − j) entries earlier
    const g0 = band[source + 0];
    const g1 = band[source + 1] - g0 * lower[row - 90];
    const g2 = band[source + 2] - g0 * lower[row - 80] - g1 * lower[row - 79];
    const g3 = band[source + 3] - g0 * lower[row - 70] - g1 * lower[row - 69] - g2 * lower[row - 68];
    const g4 =
      band[source + 4] - g0 * lower[row - 60] - g1 * lower[row - 59] - g2 * lower[row - 58] - g3 * lower[row - 57];
    const g5 =
      band[source + 5] -
      g0 * lower[row - 50] -
      g1 * lower[row - 49] -
      g2 * lower[row - 48] -
      g3 * lower[row - 47] -
      g4 * lower[row - 46];
    const g6 =
      band[source + 6] -
      g0 * lower[row - 40] -
      g1 * lower[row - 39] -
      g2 * lower[row - 38] -
      g3 * lower[row - 37] -
      g4 * lower[row - 36] -
      g5 * lower[row - 35];
    const g7 =
      band[source + 7] -
      g0 * lower[row - 30] -
      g1 * lower[row - 29] -
      g2 * lower[row - 28] -
      g3 * lower[row - 27] -
      g4 * lower[row - 26] -
      g5 * lower[row - 25] -
      g6 * lower[row - 24];
    const g8 =
      band[source + 8] -
      g0 * lower[row - 20] -
      g1 * lower[row - 19] -
      g2 * lower[row - 18] -
      g3 * lower[row - 17] -
      g4 * lower[row - 16] -
      g5 * lower[row - 15] -
      g6 * lower[row - 14] -
      g7 * lower[row - 13];
    const g9 =
      band[source + 9] -
      g0 * lower[row - 10] -
      g1 * lower[row - 9] -
      g2 * lower[row - 8] -
      g3 * lower[row - 7] -
      g4 * lower[row - 6] -
      g5 * lower[row - 5] -
      g6 * lower[row - 4] -
      g7 * lower[row - 3] -
      g8 * lower[row - 2];
    const l0 = g0 * lower[row - 100];
    lower[row + 0] = l0;
    const l1 = g1 * lower[row - 89];
    lower[row + 1] = l1;
    const l2 = g2 * lower[row - 78];
    lower[row + 2] = l2;
    const l3 = g3 * lower[row - 67];
    lower[row + 3] = l3;
    const l4 = g4 * lower[row - 56];
    lower[row + 4] = l4;
    const l5 = g5 * lower[row - 45];
    lower[row + 5] = l5;
    const l6 = g6 * lower[row - 34];
    lower[row + 6] = l6;
    const l7 = g7 * lower[row - 23];
    lower[row + 7] = l7;
    const l8 = g8 * lower[row - 12];
    lower[row + 8] = l8;
    const l9 = g9 * lower[row - 1];
    lower[row + 9] = l9;
    const loss = g0 * l0 + g1 * l1 + g2 * l2 + g3 * l3 + g4 * l4 + g5 * l5 + g6 * l6 + g7 * l7 + g8 * l8 + g9 * l9;
    // #endregion
    let diagonal = original - loss;
    if (!(diagonal > SMALLEST_PIVOT * Math.abs(original))) {
      if (rule === 'stop-at-negative' || Number.isNaN(diagonal)) return false;
      if (diagonal < 0) factor.negative++;
      else diagonal = SMALLEST_PIVOT * Math.abs(original) || 1e-300;
    }
    lower[row + 10] = 1 / diagonal;
  }
  return true;
}

/**
 * Factors matrix + shift·diag(weight), weight in the ordering with the border first. Returns true if the result is positive definite;
 * `factor.negative` counts negative pivots.
 */
export function factorBand(
  factor: BorderedFactor,
  matrix: BorderedBand,
  shift: number,
  weight: Float64Array,
  rule: PivotRule,
): boolean {
  const { size, borderSize: k, band, border } = matrix;
  const { solvedBorder } = factor;
  factor.negative = 0;
  if (!factorPiece(factor, band, 0, size, 'forwards', shift, weight, k, rule)) return false;
  if (k === 0) return factor.negative === 0;
  solvedBorder.set(border);
  for (let b = 0; b < k; b++) solveFactoredBand(factor, size, solvedBorder, b * size);
  return factorSchur(factor, matrix, shift, weight, rule);
}

function factorSchur(
  factor: BorderedFactor,
  matrix: BorderedBand,
  shift: number,
  weight: Float64Array,
  rule: PivotRule,
): boolean {
  const { size, borderSize: k, border, corner } = matrix;
  const { solvedBorder, schur } = factor;
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
    if (!(diagonal > SMALLEST_PIVOT * Math.abs(original))) {
      if (rule === 'stop-at-negative' || Number.isNaN(diagonal)) return false;
      if (diagonal < 0) factor.negative++;
      else diagonal = SMALLEST_PIVOT * Math.abs(original) || 1e-300;
    }
    schur[b * k + b] = 1 / diagonal;
  }
  return factor.negative === 0;
}

/** Solves with the banded part alone, in place, at `offset` of x. */
function solveFactoredBand(factor: BorderedFactor, size: number, x: Float64Array, offset: number): void {
  forwardBand(factor, size, x, offset, 0);
  finishBand(factor, size, x, offset);
}

/** The first ten rows of `forwardBand`, which have fewer entries to their left. */
export function forwardHead(lower: Float64Array, size: number, x: Float64Array, offset: number, from: number): void {
  const head = Math.min(size, BAND_WIDTH);
  for (let i = Math.max(1, from); i < head; i++) {
    const base = i * ROW + PAD + BAND_WIDTH - i;
    let sum = x[offset + i];
    for (let j = 0; j < i; j++) sum -= lower[base + j] * x[offset + j];
    x[offset + i] = sum;
  }
}

/** First half of a solve, x ← L⁻¹x at `offset`; x must be zero before row `from`, which is skipped. */
export function forwardBand(factor: BorderedFactor, size: number, x: Float64Array, offset: number, from: number): void {
  const { lower } = factor;
  forwardHead(lower, size, x, offset, from);
  for (let i = Math.max(BAND_WIDTH, from); i < size; i++) {
    const row = i * ROW + PAD;
    const at = offset + i;
    x[at] =
      x[at] -
      lower[row + 0] * x[at - 10] -
      lower[row + 1] * x[at - 9] -
      lower[row + 2] * x[at - 8] -
      lower[row + 3] * x[at - 7] -
      lower[row + 4] * x[at - 6] -
      lower[row + 5] * x[at - 5] -
      lower[row + 6] * x[at - 4] -
      lower[row + 7] * x[at - 3] -
      lower[row + 8] * x[at - 2] -
      lower[row + 9] * x[at - 1];
  }
}

/** Second half of a solve: x ← L⁻ᵀ D⁻¹ x at `offset`. */
export function finishBand(factor: BorderedFactor, size: number, x: Float64Array, offset: number): void {
  const { lower } = factor;
  const head = Math.min(size, BAND_WIDTH);
  for (let i = 0; i < size; i++) x[offset + i] *= lower[i * ROW + PAD + BAND_WIDTH];
  for (let i = size - 1; i >= BAND_WIDTH; i--) {
    const row = i * ROW + PAD;
    const at = offset + i;
    const xi = x[at];
    x[at - 10] -= lower[row + 0] * xi;
    x[at - 9] -= lower[row + 1] * xi;
    x[at - 8] -= lower[row + 2] * xi;
    x[at - 7] -= lower[row + 3] * xi;
    x[at - 6] -= lower[row + 4] * xi;
    x[at - 5] -= lower[row + 5] * xi;
    x[at - 4] -= lower[row + 6] * xi;
    x[at - 3] -= lower[row + 7] * xi;
    x[at - 2] -= lower[row + 8] * xi;
    x[at - 1] -= lower[row + 9] * xi;
  }
  for (let i = head - 1; i > 0; i--) {
    const base = i * ROW + PAD + BAND_WIDTH - i;
    const xi = x[offset + i];
    for (let j = 0; j < i; j++) x[offset + j] -= lower[base + j] * xi;
  }
}

/** 1/D of row i. */
export function inversePivot(factor: BorderedFactor, i: number): number {
  return factor.lower[i * ROW + PAD + BAND_WIDTH];
}

/** Solves the factored system in place; x in the ordering that has the border first. */
export function solveBand(factor: BorderedFactor, matrix: BorderedBand, x: Float64Array): void {
  const { size, borderSize: k, border } = matrix;
  const { schur, solvedBorder, scratch } = factor;
  solveFactoredBand(factor, size, x, k);
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
