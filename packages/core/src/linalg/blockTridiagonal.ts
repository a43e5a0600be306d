/**
 * Block-tridiagonal matrices of 12 × 12 blocks: four particles a ring, three coordinates each, neighbouring rings coupled.
 *
 * `solveBlocks` is an LU elimination with row exchanges inside the diagonal blocks, for the unsymmetric tangent of a discrete
 * gradient; it destroys the matrix, because every Newton iteration has another. `factorSymmetric` is LDLᵀ without exchanges,
 * which can be used again and counts negative eigenvalues (Sylvester).
 *
 * Rows of twelve are written out: a loop of varying length costs more than what it does. Elimination below a pivot therefore
 * also runs over columns that are zero already, a fifth more operations and half the time. Each block costs about 8000
 * operations; benchmarks, row `block-solve`.
 */

import { blockSizes } from '../constants.ts';

export const BLOCK: 12 = blockSizes.BLOCK;
const AREA = blockSizes.BLOCK_AREA;

export interface BlockTridiagonal {
  readonly count: number;
  /** Block (i, i), row-major, 144 a block. */
  readonly diagonal: Float64Array;
  /** Block (i, i + 1) at 144·i. */
  readonly upper: Float64Array;
  /** Block (i + 1, i) at 144·i. */
  readonly lower: Float64Array;
  /** `solveBlocks` by a kernel in whose memory the blocks are. */
  readonly solve?: (x: Float64Array) => number;
}

/** Where a matrix is made: here, or in the memory of a kernel. */
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

/** row i of a −= f · row k of b, twelve entries. */
function subtractRow(a: Float64Array, i: number, f: number, b: Float64Array, k: number): void {
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

function scaleRow(a: Float64Array, k: number, f: number): void {
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

function swapRows(a: Float64Array, i: number, k: number): void {
  for (let j = 0; j < BLOCK; j++) {
    const keep = a[i + j];
    a[i + j] = a[k + j];
    a[k + j] = keep;
  }
}

/**
 * Solves A x = b in place of b; A is destroyed. Returns the sign of det A, or 0 if a block is singular (then x is
 * of no use).
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

/** D −= L W, b −= L y with W and y of the block before. Zero entries of L, a quarter of them, are passed over. */
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

/** [D | U | b] → [1 | D⁻¹U | D⁻¹b] with row exchanges; the sign of det D, 0 if singular. */
function reduceBlock(d: Float64Array, u: Float64Array, x: Float64Array, at: number, ox: number): number {
  let sign = 1;
  for (let k = 0; k < BLOCK; k++) {
    let pivot = k;
    let largest = Math.abs(d[at + BLOCK * k + k]);
    for (let i = k + 1; i < BLOCK; i++) {
      const size = Math.abs(d[at + BLOCK * i + k]);
      if (size > largest) {
        largest = size;
        pivot = i;
      }
    }
    if (!(largest > 0) || largest === Infinity) return 0;
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
  for (let k = BLOCK - 1; k >= 0; k--) {
    const row = at + BLOCK * k;
    scaleRow(u, row, d[row + k]);
    x[ox + k] *= d[row + k];
    for (let i = 0; i < k; i++) {
      const above = at + BLOCK * i;
      const f = d[above + k];
      u[above] -= f * u[row];
      u[above + 1] -= f * u[row + 1];
      u[above + 2] -= f * u[row + 2];
      u[above + 3] -= f * u[row + 3];
      u[above + 4] -= f * u[row + 4];
      u[above + 5] -= f * u[row + 5];
      u[above + 6] -= f * u[row + 6];
      u[above + 7] -= f * u[row + 7];
      u[above + 8] -= f * u[row + 8];
      u[above + 9] -= f * u[row + 9];
      u[above + 10] -= f * u[row + 10];
      u[above + 11] -= f * u[row + 11];
      x[ox + i] -= f * x[ox + k];
    }
  }
  return sign;
}

export interface SymmetricFactor {
  readonly count: number;
  /** Unit lower factor of each Schur complement, with 1/D on its diagonal. */
  readonly lower: Float64Array;
  /** S⁻¹U of each block. */
  readonly carried: Float64Array;
  /** Negative pivots of the last factorisation. */
  negative: number;
  /** In its memory the factor is, in place of here. */
  readonly kernel?: SymmetricKernel;
}

/** `factorSymmetric` and `solveSymmetric` by a kernel. */
export interface SymmetricKernel {
  /** The matrix that is to be factored. */
  readonly diagonal: Float64Array;
  readonly upper: Float64Array;
  /** Negative pivots; −1 if it gives up. */
  factor(positive: boolean): number;
  solve(x: Float64Array): void;
}

/** Where a factor is made: here, or in the memory of a kernel. */
export type CreateFactor = (count: number) => SymmetricFactor;

export function createSymmetricFactor(count: number): SymmetricFactor {
  return { count, lower: new Float64Array(AREA * count), carried: new Float64Array(AREA * count), negative: 0 };
}

/**
 * LDLᵀ of A + shift·weight (weight: one number an unknown), A kept; reads `diagonal` and `upper`. With `positive` it gives up at
 * the first pivot that is not, and returns false; without, false only where a pivot is zero or no number.
 */
export function factorSymmetric(
  factor: SymmetricFactor,
  { count, diagonal, upper }: BlockTridiagonal,
  shift: number,
  weight: Float64Array,
  positive: boolean,
): boolean {
  if (factor.kernel) return factorByKernel(factor, factor.kernel, diagonal, upper, shift, weight, positive);
  const { lower, carried } = factor;
  lower.set(diagonal);
  carried.set(upper);
  factor.negative = 0;
  for (let b = 0; b < count; b++) {
    const at = AREA * b;
    if (shift !== 0) for (let i = 0; i < BLOCK; i++) lower[at + (BLOCK + 1) * i] += shift * weight[BLOCK * b + i];
    if (b > 0) {
      // S = D − Uᵀ W of the block before
      for (let i = 0; i < BLOCK; i++) {
        for (let j = 0; j < BLOCK; j++) {
          const f = upper[at - AREA + BLOCK * j + i];
          if (f !== 0) subtractRow(lower, at + BLOCK * i, f, carried, at - AREA + BLOCK * j);
        }
      }
    }
    for (let k = 0; k < BLOCK; k++) {
      const row = at + BLOCK * k;
      const pivot = lower[row + k];
      if (!(Math.abs(pivot) > 0) || Math.abs(pivot) === Infinity) return false;
      if (pivot < 0) {
        if (positive) return false;
        factor.negative++;
      }
      const inverse = 1 / pivot;
      for (let i = k + 1; i < BLOCK; i++) {
        const below = at + BLOCK * i;
        const f = lower[row + i] * inverse;
        // the upper triangle holds what is still to be eliminated, the lower one the multipliers
        for (let j = i; j < BLOCK; j++) lower[below + j] -= f * lower[row + j];
        lower[below + k] = f;
        if (b + 1 < count) subtractRow(carried, below, f, carried, row);
      }
      lower[row + k] = inverse;
    }
    if (b + 1 < count) finishCarried(lower, carried, at);
  }
  return true;
}

function factorByKernel(
  factor: SymmetricFactor,
  kernel: SymmetricKernel,
  diagonal: Float64Array,
  upper: Float64Array,
  shift: number,
  weight: Float64Array,
  positive: boolean,
): boolean {
  kernel.diagonal.set(diagonal);
  kernel.upper.set(upper);
  if (shift !== 0)
    for (let d = 0; d < BLOCK * factor.count; d++) kernel.diagonal[BLOCK * d + (d % BLOCK)] += shift * weight[d];
  factor.negative = kernel.factor(positive);
  return factor.negative >= 0;
}

/** The rest of S⁻¹U: D⁻¹, then the unit upper factor. */
function finishCarried(lower: Float64Array, carried: Float64Array, at: number): void {
  for (let k = BLOCK - 1; k >= 0; k--) {
    const row = at + BLOCK * k;
    scaleRow(carried, row, lower[row + k]);
    for (let i = k + 1; i < BLOCK; i++) subtractRow(carried, row, lower[at + BLOCK * i + k], carried, at + BLOCK * i);
  }
}

/** Solves with the factor, in place. */
export function solveSymmetric({ count, lower, carried, kernel }: SymmetricFactor, x: Float64Array): void {
  if (kernel) {
    kernel.solve(x);
    return;
  }
  for (let b = 1; b < count; b++) subtractCarried(x, BLOCK * b, carried, AREA * (b - 1));
  for (let b = count - 1; b >= 0; b--) {
    const o = BLOCK * b;
    const at = AREA * b;
    for (let i = 1; i < BLOCK; i++) for (let k = 0; k < i; k++) x[o + i] -= lower[at + BLOCK * i + k] * x[o + k];
    for (let k = 0; k < BLOCK; k++) x[o + k] *= lower[at + (BLOCK + 1) * k];
    for (let k = BLOCK - 1; k >= 0; k--)
      for (let i = BLOCK - 1; i > k; i--) x[o + k] -= lower[at + BLOCK * i + k] * x[o + i];
    if (b + 1 < count) {
      const n = o + BLOCK;
      for (let i = 0; i < BLOCK; i++) {
        const c = at + BLOCK * i;
        x[o + i] -=
          carried[c] * x[n] +
          carried[c + 1] * x[n + 1] +
          carried[c + 2] * x[n + 2] +
          carried[c + 3] * x[n + 3] +
          carried[c + 4] * x[n + 4] +
          carried[c + 5] * x[n + 5] +
          carried[c + 6] * x[n + 6] +
          carried[c + 7] * x[n + 7] +
          carried[c + 8] * x[n + 8] +
          carried[c + 9] * x[n + 9] +
          carried[c + 10] * x[n + 10] +
          carried[c + 11] * x[n + 11];
      }
    }
  }
}

/** Takes Wᵀ of the block before, times what is solved there, off x from o on. */
function subtractCarried(x: Float64Array, o: number, carried: Float64Array, at: number): void {
  let a0 = x[o];
  let a1 = x[o + 1];
  let a2 = x[o + 2];
  let a3 = x[o + 3];
  let a4 = x[o + 4];
  let a5 = x[o + 5];
  let a6 = x[o + 6];
  let a7 = x[o + 7];
  let a8 = x[o + 8];
  let a9 = x[o + 9];
  let a10 = x[o + 10];
  let a11 = x[o + 11];
  for (let j = 0; j < BLOCK; j++) {
    const f = x[o - BLOCK + j];
    const c = at + BLOCK * j;
    a0 -= carried[c] * f;
    a1 -= carried[c + 1] * f;
    a2 -= carried[c + 2] * f;
    a3 -= carried[c + 3] * f;
    a4 -= carried[c + 4] * f;
    a5 -= carried[c + 5] * f;
    a6 -= carried[c + 6] * f;
    a7 -= carried[c + 7] * f;
    a8 -= carried[c + 8] * f;
    a9 -= carried[c + 9] * f;
    a10 -= carried[c + 10] * f;
    a11 -= carried[c + 11] * f;
  }
  x[o] = a0;
  x[o + 1] = a1;
  x[o + 2] = a2;
  x[o + 3] = a3;
  x[o + 4] = a4;
  x[o + 5] = a5;
  x[o + 6] = a6;
  x[o + 7] = a7;
  x[o + 8] = a8;
  x[o + 9] = a9;
  x[o + 10] = a10;
  x[o + 11] = a11;
}
