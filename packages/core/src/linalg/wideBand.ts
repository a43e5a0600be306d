/**
 * Symmetric banded matrices of any width and their LDLᵀ factorisation without pivoting: as band.ts, for models whose band is
 * wider than ten, with plain loops. The signs of D count negative eigenvalues.
 */
import type { PivotRule } from './pivotRule.ts';

export interface WideBand {
  readonly size: number;
  /** Entries left of the diagonal. */
  readonly width: number;
  /** Row i holds columns i − width … i: A[i][j] at (width + 1)·i + j − i + width. */
  readonly entries: Float64Array;
}

export interface WideFactor {
  readonly entries: Float64Array;
  negative: number;
}

export function createWideBand(size: number, width: number): WideBand {
  return { size, width, entries: new Float64Array(size * (width + 1)) };
}

export function createWideFactor(matrix: WideBand): WideFactor {
  return { entries: new Float64Array(matrix.entries.length), negative: 0 };
}

export function clearWide({ entries }: WideBand): void {
  entries.fill(0);
}

/** Adds to entry (i, j) and, by symmetry, (j, i). */
export function addWide({ width, entries }: WideBand, i: number, j: number, value: number): void {
  const row = i > j ? i : j;
  const column = i > j ? j : i;
  entries[row * (width + 1) + column - row + width] += value;
}

export function readWide({ width, entries }: WideBand, i: number, j: number): number {
  const row = i > j ? i : j;
  const column = i > j ? j : i;
  return row - column > width ? 0 : entries[row * (width + 1) + column - row + width];
}

/** Makes row and column d those of the identity: a prescribed unknown. */
export function fixWide({ size, width, entries }: WideBand, d: number): void {
  const w1 = width + 1;
  entries.fill(0, d * w1, d * w1 + width);
  entries[d * w1 + width] = 1;
  for (let i = d + 1; i <= Math.min(size - 1, d + width); i++) entries[i * w1 + d - i + width] = 0;
}

export function multiplyWide(y: Float64Array, { size, width, entries }: WideBand, x: Float64Array): void {
  y.fill(0);
  for (let i = 0; i < size; i++) {
    const offset = i * (width + 1) + width - i;
    let sum = entries[offset + i] * x[i];
    for (let j = Math.max(0, i - width); j < i; j++) {
      sum += entries[offset + j] * x[j];
      y[j] += entries[offset + j] * x[i];
    }
    y[i] += sum;
  }
}

/**
 * Factors matrix + shift·diag(weight); returns true if it is positive definite.
 */
export function factorWide(
  factor: WideFactor,
  matrix: WideBand,
  shift: number,
  weight: Float64Array,
  rule: PivotRule,
): boolean {
  const { size, width, entries: a } = matrix;
  const { entries: l } = factor;
  const w1 = width + 1;
  factor.negative = 0;
  for (let i = 0; i < size; i++) {
    const row = i * w1 + width - i;
    const first = i > width ? i - width : 0;
    const original = a[row + i] + shift * weight[i];
    let diagonal = original;
    for (let j = first; j < i; j++) {
      const other = j * w1 + width - j;
      let sum = a[row + j];
      const from = j > width ? (j - width > first ? j - width : first) : first;
      // l holds g = L D until the row is done
      for (let m = from; m < j; m++) sum -= l[row + m] * l[other + m];
      l[row + j] = sum;
    }
    for (let j = first; j < i; j++) {
      const g = l[row + j];
      const entry = g * l[j * w1 + width];
      diagonal -= g * entry;
      l[row + j] = entry;
    }
    if (!(diagonal > 1e-14 * Math.abs(original))) {
      if (rule === 'stop-at-negative' || Number.isNaN(diagonal)) return false;
      if (diagonal < 0) factor.negative++;
      else diagonal = 1e-14 * Math.abs(original) || 1e-300;
    }
    l[i * w1 + width] = 1 / diagonal;
  }
  return factor.negative === 0;
}

/** Solves the factored system in place. */
export function solveWide({ entries: l }: WideFactor, { size, width }: WideBand, x: Float64Array): void {
  const w1 = width + 1;
  for (let i = 0; i < size; i++) {
    const row = i * w1 + width - i;
    let sum = x[i];
    for (let j = i > width ? i - width : 0; j < i; j++) sum -= l[row + j] * x[j];
    x[i] = sum;
  }
  for (let i = 0; i < size; i++) x[i] *= l[i * w1 + width];
  for (let i = size - 1; i >= 0; i--) {
    const row = i * w1 + width - i;
    const value = x[i];
    for (let j = i > width ? i - width : 0; j < i; j++) x[j] -= l[row + j] * value;
  }
}
