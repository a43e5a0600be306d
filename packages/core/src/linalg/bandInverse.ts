/**
 * The entries of the inverse that lie within the band, from the LDLᵀ factor, without the rest [Takahashi1973]:
 *     Z = D⁻¹L⁻¹ + (I − Lᵀ)Z   ⇒   Z_ij = δ_ij/D_i − Σ_{k>i} L_ki Z_kj   (i ≤ j),
 * from the last row to the first. Some ten times the cost of a solve, compared with three solves per requested entry.
 */

import type { BorderedFactor } from './band.ts';
import { BAND_WIDTH } from './bandMatrix.ts';

const ROW = BAND_WIDTH + 1;
const PAD = BAND_WIDTH * ROW;

/** Column i of L below its diagonal. */
const column = new Float64Array(ROW);

/** Row i of `out` holds Z_i,i … Z_i,i+10, for rows from `first` on: none needs those before it. The matrix has no border. */
export function invertWithinBand(out: Float64Array, factor: BorderedFactor, size: number, first = 0): void {
  const { lower } = factor;
  for (let i = size - 1; i >= first; i--) {
    const count = Math.min(size - 1 - i, BAND_WIDTH);
    const row = i * ROW;
    for (let k = 1; k <= count; k++) column[k] = lower[PAD + row + BAND_WIDTH + k * BAND_WIDTH];
    for (let j = count; j > 0; j--) {
      let sum = 0;
      // row j of Z, then its column: it is symmetric
      const own = row + j * ROW - j;
      for (let k = j; k <= count; k++) sum += column[k] * out[own + k];
      const across = row + j;
      for (let k = 1; k < j; k++) sum += column[k] * out[across + k * BAND_WIDTH];
      out[row + j] = -sum;
    }
    let diagonal = lower[PAD + row + BAND_WIDTH];
    for (let k = 1; k <= count; k++) diagonal -= column[k] * out[row + k];
    out[row] = diagonal;
  }
}

/** Z_ij for |i − j| ≤ 10. */
export function readInverse(out: Float64Array, i: number, j: number): number {
  return i <= j ? out[i * ROW + j - i] : out[j * ROW + i - j];
}
