/**
 * The entries of the inverse that lie within the band, from the LDLᵀ factor, without the rest [Takahashi1973]:
 *     Z = D⁻¹L⁻¹ + (I − Lᵀ)Z   ⇒   Z_ij = δ_ij/D_i − Σ_{k>i} L_ki Z_kj   (i ≤ j),
 * from the last row to the first. Some ten times the cost of a solve, against three solves for every place that is asked for.
 */
import { BAND_WIDTH, type BorderedFactor } from './band.ts';

const ROW = BAND_WIDTH + 1;
const PAD = BAND_WIDTH * ROW;

/** Row i of `out` holds Z_i,i … Z_i,i+10. The matrix has no border. */
export function invertWithinBand(out: Float64Array, factor: BorderedFactor, size: number): void {
  const { lower } = factor;
  for (let i = size - 1; i >= 0; i--) {
    const last = Math.min(size - 1, i + BAND_WIDTH);
    const row = i * ROW;
    for (let j = last; j > i; j--) {
      let sum = 0;
      for (let k = i + 1; k <= last; k++) {
        const z = k <= j ? out[k * ROW + j - k] : out[j * ROW + k - j];
        sum += lower[PAD + k * ROW + BAND_WIDTH + i - k] * z;
      }
      out[row + j - i] = -sum;
    }
    let diagonal = lower[PAD + row + BAND_WIDTH];
    for (let k = i + 1; k <= last; k++) diagonal -= lower[PAD + k * ROW + BAND_WIDTH + i - k] * out[row + k - i];
    out[row] = diagonal;
  }
}

/** Z_ij for |i − j| ≤ 10. */
export function readInverse(out: Float64Array, i: number, j: number): number {
  return i <= j ? out[i * ROW + j - i] : out[j * ROW + i - j];
}
