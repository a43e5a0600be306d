/**
 * Signs of the eigenvalues of a closed rod's matrix.
 *
 * A ring is factored without pivoting, with two nodes eliminated last. Where the rest of the ring would buckle between these two, large entries cancel and
 * pivots lose their signs: a ring that has buckled then seems to gain and lose unstable directions along its branch. So the error by rounding is measured, and
 * where it is too large, other nodes are eliminated last.
 */
import { type BorderedFactor, factorBand, inversePivot, solveBand } from '../linalg/band.ts';
import { addEntry, BAND_WIDTH, type BorderedBand, createBorderedBand, ROW, readEntry } from '../linalg/bandMatrix.ts';
import { square } from '../math/rounded/index.ts';

/** A matrix, factored. */
export interface Factored {
  /** Number of negative eigenvalues. */
  readonly negative: number;
  /** Solves in place. */
  solve(x: Float64Array): void;
}

/** Where the ring is opened, as fractions of it, in order of preference. */
const STARTS = [0, 0.5, 0.23, 0.77, 0.37, 0.63];
const ROUNDING = 1.1e-16;

/** Numbers the unknowns of the ring from `start` on. */
function turn(x: Float64Array, start: number): Float64Array {
  const turned = new Float64Array(x.length);
  turned.set(x.subarray(start));
  turned.set(x.subarray(0, start), x.length - start);
  return turned;
}

function turnMatrix(matrix: BorderedBand, start: number): BorderedBand {
  if (start === 0) return matrix;
  const count = matrix.size + matrix.borderSize;
  const turned = createBorderedBand(matrix.size, matrix.borderSize);
  for (let i = 0; i < count; i++) {
    for (let m = 0; m <= BAND_WIDTH; m++) {
      const j = (i + m) % count;
      const value = readEntry(matrix, i, j);
      if (value !== 0) addEntry(turned, (i - start + count) % count, (j - start + count) % count, value);
    }
  }
  return turned;
}

/** Rounding of the factor as an error of the matrix, relative to `scale`: |L||D||Lᵀ|, which exceeds the matrix where entries cancel. */
function measureError(
  factor: BorderedFactor,
  { size, borderSize: k, border }: BorderedBand,
  scale: Float64Array,
): number {
  const { lower, solvedBorder, schur } = factor;
  let largest = 0;
  for (let i = 0; i < size; i++) {
    let sum = Math.abs(1 / inversePivot(factor, i));
    for (let j = Math.max(0, i - BAND_WIDTH); j < i; j++) {
      const l = lower[(i + BAND_WIDTH) * ROW + j - i + BAND_WIDTH];
      sum += Math.abs((l * l) / inversePivot(factor, j));
    }
    largest = Math.max(largest, sum / scale[k + i]);
  }
  for (let b = 0; b < k; b++) {
    let sum = Math.abs(1 / schur[b * k + b]);
    for (let i = 0; i < size; i++) sum += Math.abs(border[b * size + i] * solvedBorder[b * size + i]);
    for (let c = 0; c < b; c++) sum += Math.abs(square(schur[b * k + c]) / schur[c * k + c]);
    largest = Math.max(largest, sum / scale[b]);
  }
  return ROUNDING * largest;
}

/** Largest ratio seen between the error of an eigenvalue and that of the largest entry. */
const SPREAD = 30;

/** What `factorRing` factors. */
export interface RingProblem {
  readonly matrix: BorderedBand;
  readonly factor: BorderedFactor;
  /** Stiffness of each unknown, and the error of an eigenvalue, relative to it, that does not matter. */
  readonly scale: Float64Array;
  readonly allowed: number;
  /** Unknowns of a node. */
  readonly stride: number;
}

/** Factors the matrix plus a diagonal; if `widened` with the error of eigenvalues by rounding added to it, so that those counted as negative are. */
export function factorRing(
  { matrix, factor, scale, allowed, stride }: RingProblem,
  diagonal: Float64Array,
  widened: boolean,
): Factored {
  const count = diagonal.length;
  let best = { start: 0, error: Infinity };
  for (const share of STARTS) {
    const start = stride * Math.floor((share * count) / stride);
    const turned = turnMatrix(matrix, start);
    factorBand(factor, turned, 1, turn(diagonal, start), 'count-negative');
    const error = SPREAD * measureError(factor, turned, turn(scale, start));
    if (error < best.error) best = { start, error };
    if (error <= allowed) break;
  }
  const { start, error } = best;
  const turned = turnMatrix(matrix, start);
  const added = widened ? diagonal.map((value, d) => value + (value === 0 ? 0 : error * scale[d])) : diagonal;
  factorBand(factor, turned, 1, turn(added, start), 'count-negative');
  return {
    negative: factor.negative,
    solve(x) {
      const y = turn(x, start);
      solveBand(factor, turned, y);
      x.set(turn(y, count - start));
    },
  };
}
