/**
 * A banded matrix factored in pieces that are not coupled, some of them from their last row to their first: row by row, without a
 * copy of the matrix in that order.
 */
import { BAND_WIDTH, type BorderedFactor, PAD, ROW, reduceRow } from './band.ts';

/** A row of the matrix in the order of elimination. */
const turned = new Float64Array(ROW);

/** Row `d` and the `reach` rows behind it as the row of a piece that is numbered backwards: A[d + m][d] stands 10 m entries behind the diagonal. */
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
 * `factorBand` of rows `from` to before `to` of a matrix without border, from the last to the first if `backwards`. Negative pivots
 * add to those that `factor.negative` counts.
 */
export function factorPiece(
  factor: BorderedFactor,
  band: Float64Array,
  from: number,
  to: number,
  backwards: boolean,
  shift: number,
  weight: Float64Array,
  stopEarly: boolean,
): boolean {
  const { lower } = factor;
  for (let i = from; i < to; i++) {
    const d = backwards ? from + to - 1 - i : i;
    if (backwards) turnRow(band, d, i - from);
    const row = i * ROW + PAD;
    const original = band[d * ROW + BAND_WIDTH] + shift * weight[d];
    let diagonal = original - (backwards ? reduceRow(lower, row, turned, 0) : reduceRow(lower, row, band, d * ROW));
    if (!(diagonal > 1e-14 * Math.abs(original))) {
      if (stopEarly || Number.isNaN(diagonal)) return false;
      if (diagonal < 0) factor.negative++;
      else diagonal = 1e-14 * Math.abs(original) || 1e-300;
    }
    lower[row + BAND_WIDTH] = 1 / diagonal;
  }
  return true;
}
