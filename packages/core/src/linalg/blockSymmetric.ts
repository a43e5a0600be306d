/**
 * LDLᵀ factors of symmetric block-tridiagonal matrices (blockTridiagonal.ts), without row exchanges: one factor serves several right-hand sides and
 * counts negative eigenvalues (Sylvester).
 */

import { blockSizes } from '../constants.ts';
import { scaleRow, subtractRow } from './blockRows.ts';
import { BLOCK, type BlockTridiagonal } from './blockTridiagonal.ts';
import type { PivotRule } from './pivotRule.ts';

const AREA = blockSizes.BLOCK_AREA;

export interface SymmetricFactor {
  readonly count: number;
  /** Unit lower factor of each Schur complement, with 1/D on its diagonal. */
  readonly lower: Float64Array;
  /** S⁻¹U of each block. */
  readonly carried: Float64Array;
  /** Negative pivots of the last factorisation. */
  negative: number;
  /** Present if the factor is in the memory of a kernel. */
  readonly kernel?: SymmetricKernel;
}

/** `factorSymmetric` and `solveSymmetric` by a kernel. */
export interface SymmetricKernel {
  /** The matrix to factor. */
  readonly diagonal: Float64Array;
  readonly upper: Float64Array;
  /** Returns the number of negative pivots; −1 if it stops early. */
  factor(rule: PivotRule): number;
  solve(x: Float64Array): void;
}

/** Allocates a factor, on the heap or in the memory of a kernel. */
export type CreateFactor = (count: number) => SymmetricFactor;

export function createSymmetricFactor(count: number): SymmetricFactor {
  return { count, lower: new Float64Array(AREA * count), carried: new Float64Array(AREA * count), negative: 0 };
}

/**
 * LDLᵀ of A + shift·diag(weight); reads `diagonal` and `upper` of A and does not change them. Returns false at a pivot
 * that is zero or not finite, and where `rule` says to stop.
 */
export function factorSymmetric(
  factor: SymmetricFactor,
  matrix: BlockTridiagonal,
  shift: number,
  weight: Float64Array,
  rule: PivotRule,
): boolean {
  if (factor.kernel) return factorByKernel(factor, factor.kernel, matrix, { shift, weight, rule });
  const { count, diagonal, upper } = matrix;
  const { lower, carried } = factor;
  lower.set(diagonal);
  carried.set(upper);
  factor.negative = 0;
  for (let b = 0; b < count; b++) {
    const at = AREA * b;
    if (shift !== 0) for (let i = 0; i < BLOCK; i++) lower[at + (BLOCK + 1) * i] += shift * weight[BLOCK * b + i];
    if (b > 0) subtractProduct(lower, upper, carried, at);
    const isLast = b + 1 === count;
    if (!factorBlock(factor, at, isLast, rule)) return false;
    if (!isLast) finishCarried(lower, carried, at);
  }
  return true;
}

/** S = D − Uᵀ W with U and W of the block before. */
function subtractProduct(lower: Float64Array, upper: Float64Array, carried: Float64Array, at: number): void {
  for (let i = 0; i < BLOCK; i++) {
    for (let j = 0; j < BLOCK; j++) {
      const f = upper[at - AREA + BLOCK * j + i];
      if (f !== 0) subtractRow(lower, at + BLOCK * i, f, carried, at - AREA + BLOCK * j);
    }
  }
}

/** Eliminates the block at `at`; applies the same row operations to `carried`, except in the last block. Returns false at a pivot that is not allowed. */
function factorBlock(factor: SymmetricFactor, at: number, isLast: boolean, rule: PivotRule): boolean {
  const { lower, carried } = factor;
  for (let k = 0; k < BLOCK; k++) {
    const row = at + BLOCK * k;
    const pivot = lower[row + k];
    if (!(Math.abs(pivot) > 0) || Math.abs(pivot) === Infinity) return false;
    if (pivot < 0) {
      if (rule === 'stop-at-negative') return false;
      factor.negative++;
    }
    const inverse = 1 / pivot;
    for (let i = k + 1; i < BLOCK; i++) {
      const below = at + BLOCK * i;
      const f = lower[row + i] * inverse;
      // the upper triangle has the entries still to be eliminated, the lower one the multipliers
      for (let j = i; j < BLOCK; j++) lower[below + j] -= f * lower[row + j];
      lower[below + k] = f;
      if (!isLast) subtractRow(carried, below, f, carried, row);
    }
    lower[row + k] = inverse;
  }
  return true;
}

function factorByKernel(
  factor: SymmetricFactor,
  kernel: SymmetricKernel,
  { diagonal, upper }: BlockTridiagonal,
  { shift, weight, rule }: { readonly shift: number; readonly weight: Float64Array; readonly rule: PivotRule },
): boolean {
  kernel.diagonal.set(diagonal);
  kernel.upper.set(upper);
  if (shift !== 0)
    for (let d = 0; d < BLOCK * factor.count; d++) kernel.diagonal[BLOCK * d + (d % BLOCK)] += shift * weight[d];
  factor.negative = kernel.factor(rule);
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

/** x −= Wᵀ x′ in the block at o, with W and the solution x′ of the block before. */
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
