/**
 * Block-tridiagonal matrices of 12 × 12 blocks: four particles per ring, three coordinates each, neighbouring rings coupled.
 *
 * `solveBlocks` is an LU elimination with row exchanges inside the diagonal blocks, for the unsymmetric tangent of a discrete
 * gradient. It overwrites the matrix, because every Newton iteration assembles a new one. For symmetric matrices see blockSymmetric.ts.
 *
 * Each block costs about 8000 operations; benchmarks, row `block-solve`.
 */
import { blockSizes } from '../constants.ts';
import { scaleRow, subtractRow } from './blockRows.ts';

export const BLOCK: 12 = blockSizes.BLOCK;
const AREA = blockSizes.BLOCK_AREA;

export interface BlockTridiagonal {
  readonly count: number;
  /** Block (i, i), row-major, 144 entries per block. */
  readonly diagonal: Float64Array;
  /** Block (i, i + 1) at 144·i. */
  readonly upper: Float64Array;
  /** Block (i + 1, i) at 144·i. */
  readonly lower: Float64Array;
  /** `solveBlocks` by a kernel in whose memory the blocks are. */
  readonly solve?: (x: Float64Array) => number;
}

/** Allocates a matrix, on the heap or in the memory of a kernel. */
export type CreateBlocks = (count: number) => BlockTridiagonal;

export function createBlocks(count: number): BlockTridiagonal {
  return {
    count,
    diagonal: new Float64Array(AREA * count),
    upper: new Float64Array(AREA * count),
    lower: new Float64Array(AREA * count),
  };
}

export function clearBlocks({ diagonal, upper, lower }: BlockTridiagonal): void {
  diagonal.fill(0);
  upper.fill(0);
  lower.fill(0);
}

/** y = A x */
export function multiplyBlocks(
  y: Float64Array,
  { count, diagonal, upper, lower }: BlockTridiagonal,
  x: Float64Array,
): void {
  for (let b = 0; b < count; b++) {
    for (let i = 0; i < BLOCK; i++) {
      let sum = 0;
      const at = AREA * b + BLOCK * i;
      for (let j = 0; j < BLOCK; j++) {
        sum += diagonal[at + j] * x[BLOCK * b + j];
        if (b + 1 < count) sum += upper[at + j] * x[BLOCK * (b + 1) + j];
        if (b > 0) sum += lower[at - AREA + j] * x[BLOCK * (b - 1) + j];
      }
      y[BLOCK * b + i] = sum;
    }
  }
}

/** Unknown `k` of block `b` is prescribed: its row and column become those of the identity. */
export function fixEntry({ count, diagonal, upper, lower }: BlockTridiagonal, b: number, k: number): void {
  const at = AREA * b;
  for (let j = 0; j < BLOCK; j++) {
    diagonal[at + BLOCK * k + j] = 0;
    diagonal[at + BLOCK * j + k] = 0;
    if (b + 1 < count) {
      upper[at + BLOCK * k + j] = 0;
      lower[at + BLOCK * j + k] = 0;
    }
    if (b > 0) {
      lower[at - AREA + BLOCK * k + j] = 0;
      upper[at - AREA + BLOCK * j + k] = 0;
    }
  }
  diagonal[at + BLOCK * k + k] = 1;
}

function swapRows(a: Float64Array, i: number, k: number): void {
  for (let j = 0; j < BLOCK; j++) {
    const keep = a[i + j];
    a[i + j] = a[k + j];
    a[k + j] = keep;
  }
}

/**
 * Solves A x = b in place of b; A is destroyed. Returns the sign of det A, or 0 if a block is singular; x is then
 * undefined.
 */
export function solveBlocks(matrix: BlockTridiagonal, x: Float64Array): number {
  if (matrix.solve) return matrix.solve(x);
  const { count, diagonal, upper, lower } = matrix;
  let sign = 1;
  for (let b = 0; b < count; b++) {
    if (b > 0) eliminateBefore(diagonal, lower, upper, x, b);
    const part = reduceBlock(diagonal, upper, x, AREA * b, BLOCK * b);
    if (part === 0) return 0;
    sign *= part;
  }
  for (let b = count - 2; b >= 0; b--) {
    for (let i = 0; i < BLOCK; i++) {
      let sum = 0;
      const at = AREA * b + BLOCK * i;
      for (let j = 0; j < BLOCK; j++) sum += upper[at + j] * x[BLOCK * (b + 1) + j];
      x[BLOCK * b + i] -= sum;
    }
  }
  return sign;
}

/** D −= L W, b −= L y with W and y of the block before. Skips zero entries of L, a quarter of them. */
function eliminateBefore(d: Float64Array, l: Float64Array, w: Float64Array, x: Float64Array, b: number): void {
  const before = AREA * (b - 1);
  for (let i = 0; i < BLOCK; i++) {
    const row = AREA * b + BLOCK * i;
    let sum = 0;
    for (let j = 0; j < BLOCK; j++) {
      const f = l[before + BLOCK * i + j];
      if (f === 0) continue;
      const from = before + BLOCK * j;
      d[row] -= f * w[from];
      d[row + 1] -= f * w[from + 1];
      d[row + 2] -= f * w[from + 2];
      d[row + 3] -= f * w[from + 3];
      d[row + 4] -= f * w[from + 4];
      d[row + 5] -= f * w[from + 5];
      d[row + 6] -= f * w[from + 6];
      d[row + 7] -= f * w[from + 7];
      d[row + 8] -= f * w[from + 8];
      d[row + 9] -= f * w[from + 9];
      d[row + 10] -= f * w[from + 10];
      d[row + 11] -= f * w[from + 11];
      sum += f * x[BLOCK * (b - 1) + j];
    }
    x[BLOCK * b + i] -= sum;
  }
}

/** [D | U | b] → [1 | D⁻¹U | D⁻¹b] with row exchanges; returns the sign of det D, 0 if D is singular. */
function reduceBlock(d: Float64Array, u: Float64Array, x: Float64Array, at: number, ox: number): number {
  let sign = 1;
  for (let k = 0; k < BLOCK; k++) {
    const pivot = findPivot(d, at, k);
    if (pivot < 0) return 0;
    const row = at + BLOCK * k;
    if (pivot !== k) {
      const other = at + BLOCK * pivot;
      swapRows(d, row, other);
      swapRows(u, row, other);
      const keep = x[ox + k];
      x[ox + k] = x[ox + pivot];
      x[ox + pivot] = keep;
      sign = -sign;
    }
    const diagonal = d[row + k];
    if (diagonal < 0) sign = -sign;
    const inverse = 1 / diagonal;
    for (let i = k + 1; i < BLOCK; i++) {
      const below = at + BLOCK * i;
      const f = d[below + k] * inverse;
      if (f === 0) continue;
      // written out: two calls of subtractRow here cost a tenth of the whole solve
      d[below] -= f * d[row];
      d[below + 1] -= f * d[row + 1];
      d[below + 2] -= f * d[row + 2];
      d[below + 3] -= f * d[row + 3];
      d[below + 4] -= f * d[row + 4];
      d[below + 5] -= f * d[row + 5];
      d[below + 6] -= f * d[row + 6];
      d[below + 7] -= f * d[row + 7];
      d[below + 8] -= f * d[row + 8];
      d[below + 9] -= f * d[row + 9];
      d[below + 10] -= f * d[row + 10];
      d[below + 11] -= f * d[row + 11];
      u[below] -= f * u[row];
      u[below + 1] -= f * u[row + 1];
      u[below + 2] -= f * u[row + 2];
      u[below + 3] -= f * u[row + 3];
      u[below + 4] -= f * u[row + 4];
      u[below + 5] -= f * u[row + 5];
      u[below + 6] -= f * u[row + 6];
      u[below + 7] -= f * u[row + 7];
      u[below + 8] -= f * u[row + 8];
      u[below + 9] -= f * u[row + 9];
      u[below + 10] -= f * u[row + 10];
      u[below + 11] -= f * u[row + 11];
      x[ox + i] -= f * x[ox + k];
    }
    d[row + k] = inverse;
  }
  substituteBack(d, u, x, at, ox);
  return sign;
}

/** Row at or below k with the largest entry in column k; −1 if that is zero or not finite. */
function findPivot(d: Float64Array, at: number, k: number): number {
  let pivot = k;
  let largest = Math.abs(d[at + BLOCK * k + k]);
  for (let i = k + 1; i < BLOCK; i++) {
    const size = Math.abs(d[at + BLOCK * i + k]);
    if (size > largest) {
      largest = size;
      pivot = i;
    }
  }
  return largest > 0 && largest !== Infinity ? pivot : -1;
}

/** Solves with the upper triangle of D, whose diagonal is inverted, for all columns of U and for b. */
function substituteBack(d: Float64Array, u: Float64Array, x: Float64Array, at: number, ox: number): void {
  for (let k = BLOCK - 1; k >= 0; k--) {
    const row = at + BLOCK * k;
    scaleRow(u, row, d[row + k]);
    x[ox + k] *= d[row + k];
    for (let i = 0; i < k; i++) {
      const above = at + BLOCK * i;
      const f = d[above + k];
      subtractRow(u, above, f, u, row);
      x[ox + i] -= f * x[ox + k];
    }
  }
}
