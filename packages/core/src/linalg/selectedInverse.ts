/**
 * Blocks of the inverse of a symmetric block-tridiagonal matrix where the matrix itself has blocks, from its factor, outwards in one pass:
 *     Z(n) = S(n)⁻¹,   Z(b) = S(b)⁻¹ + W(b) Z(b+1) W(b)ᵀ,   Z(b, b+1) = −W(b) Z(b+1),   W = S⁻¹U.
 * That is linear in the number of blocks, where a solve for every column would be quadratic.
 */
import type { SymmetricFactor } from './blockSymmetric.ts';
import { BLOCK } from './blockTridiagonal.ts';

const AREA: number = BLOCK * BLOCK;

export interface SelectedInverse {
  /** Block (b, b), row-major, 144 a block; and block (b, b + 1) at 144·b. */
  readonly diagonal: Float64Array;
  readonly upper: Float64Array;
}

export function createSelectedInverse(count: number): SelectedInverse {
  return { diagonal: new Float64Array(AREA * count), upper: new Float64Array(AREA * count) };
}

/** Column `column` of S⁻¹ into the diagonal block at `at`. */
function writeColumn(out: Float64Array, L: Float64Array, at: number, column: number): void {
  for (let i = 0; i < BLOCK; i++) {
    let x = i === column ? 1 : 0;
    for (let k = column; k < i; k++) x -= L[at + BLOCK * i + k] * out[at + BLOCK * k + column];
    out[at + BLOCK * i + column] = i < column ? 0 : x;
  }
  for (let k = column; k < BLOCK; k++) out[at + BLOCK * k + column] *= L[at + (BLOCK + 1) * k];
  for (let k = BLOCK - 1; k >= 0; k--) {
    let x = out[at + BLOCK * k + column];
    for (let i = k + 1; i < BLOCK; i++) x -= L[at + BLOCK * i + k] * out[at + BLOCK * i + column];
    out[at + BLOCK * k + column] = x;
  }
}

/** Blocks from the last to block `first`; the factor must be a plain one. */
export function invertSelected(out: SelectedInverse, { count, lower, carried }: SymmetricFactor, first: number): void {
  const { diagonal: Z, upper: Y } = out;
  for (let b = count - 1; b >= first; b--) {
    const at = AREA * b;
    for (let c = 0; c < BLOCK; c++) writeColumn(Z, lower, at, c);
    if (b + 1 === count) continue;
    const next = at + AREA;
    for (let i = 0; i < BLOCK; i++) {
      const row = at + BLOCK * i;
      // −W Z(b+1); symmetric blocks are read by rows
      for (let j = 0; j < BLOCK; j++) {
        const o = next + BLOCK * j;
        let sum = 0;
        for (let k = 0; k < BLOCK; k++) sum += carried[row + k] * Z[o + k];
        Y[row + j] = -sum;
      }
      for (let j = 0; j <= i; j++) {
        const o = at + BLOCK * j;
        let sum = Z[row + j];
        for (let k = 0; k < BLOCK; k++) sum -= Y[row + k] * carried[o + k];
        Z[row + j] = sum;
        Z[o + i] = sum;
      }
    }
  }
}
