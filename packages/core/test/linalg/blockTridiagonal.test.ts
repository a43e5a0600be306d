import { describe, expect, it } from 'vitest';
import { createSymmetricFactor, factorSymmetric, solveSymmetric } from '../../src/linalg/blockSymmetric.ts';
import { BLOCK, createBlocks, fixEntry, multiplyBlocks, solveBlocks } from '../../src/linalg/blockTridiagonal.ts';
import { eigenDense } from '../../src/linalg/eigen.ts';
import { createSelectedInverse, invertSelected } from '../../src/linalg/selectedInverse.ts';
import { createRandom } from '../der/rods.ts';

function randomBlocks(count: number, seed: number, symmetric: boolean) {
  const random = createRandom(seed);
  const matrix = createBlocks(count);
  for (let k = 0; k < matrix.diagonal.length; k++) {
    matrix.diagonal[k] = random();
    matrix.upper[k] = k < 144 * (count - 1) ? random() : 0;
    matrix.lower[k] = k < 144 * (count - 1) ? random() : 0;
  }
  if (symmetric) {
    for (let b = 0; b < count; b++)
      for (let i = 0; i < BLOCK; i++)
        for (let j = 0; j < BLOCK; j++) {
          const at = 144 * b;
          if (j < i) matrix.diagonal[at + 12 * i + j] = matrix.diagonal[at + 12 * j + i];
          matrix.lower[at + 12 * j + i] = matrix.upper[at + 12 * i + j];
        }
  }
  return matrix;
}

function dense(matrix: ReturnType<typeof createBlocks>): Float64Array {
  const n = 12 * matrix.count;
  const out = new Float64Array(n * n);
  for (let k = 0; k < n; k++) {
    const x = new Float64Array(n);
    x[k] = 1;
    const y = new Float64Array(n);
    multiplyBlocks(y, matrix, x);
    for (let i = 0; i < n; i++) out[i * n + k] = y[i];
  }
  return out;
}

describe('block-tridiagonal matrices', () => {
  const random = createRandom(5);
  const wanted = new Float64Array(60).map(() => random());
  const right = new Float64Array(60);

  it('solves an unsymmetric system, exchanging rows where it must', () => {
    const matrix = randomBlocks(5, 7, false);
    matrix.diagonal[0] = 0;
    multiplyBlocks(right, matrix, wanted);
    const x = right.slice();
    expect(Math.abs(solveBlocks(matrix, x))).toBe(1);
    for (let k = 0; k < 60; k++) expect(x[k]).toBeCloseTo(wanted[k], 9);
  });

  it('tells the sign of the determinant, and a singular block', () => {
    const matrix = randomBlocks(3, 9, true);
    const { values } = eigenDense(dense(matrix), 36);
    const sign = values.reduce((product, value) => product * Math.sign(value), 1);
    expect(solveBlocks(matrix, new Float64Array(36))).toBe(sign);
    const singular = createBlocks(2);
    expect(solveBlocks(singular, new Float64Array(24))).toBe(0);
  });

  it('factors a symmetric one, solves again and again, and counts negative eigenvalues', () => {
    const matrix = randomBlocks(5, 11, true);
    const { values } = eigenDense(dense(matrix), 60);
    const negative = values.filter((value) => value < 0).length;
    expect(negative).toBeGreaterThan(20);
    const factor = createSymmetricFactor(5);
    expect(factorSymmetric(factor, matrix, 0, new Float64Array(60), 'count-negative')).toBe(true);
    expect(factor.negative).toBe(negative);
    expect(factorSymmetric(factor, matrix, 0, new Float64Array(60), 'stop-at-negative')).toBe(false);
    const weight = new Float64Array(60).fill(2);
    const shift = 0.6 - values[0] / 2;
    expect(factorSymmetric(factor, matrix, shift, weight, 'stop-at-negative')).toBe(true);
    multiplyBlocks(right, matrix, wanted);
    for (let pass = 0; pass < 2; pass++) {
      const x = right.map((value, k) => value + 2 * shift * wanted[k]);
      solveSymmetric(factor, x);
      for (let k = 0; k < 60; k++) expect(x[k]).toBeCloseTo(wanted[k], 9);
    }
  });

  it('has blocks of its inverse from its factor', () => {
    const matrix = randomBlocks(5, 13, true);
    const weight = new Float64Array(60).fill(1);
    const factor = createSymmetricFactor(5);
    expect(factorSymmetric(factor, matrix, 12, weight, 'stop-at-negative')).toBe(true);
    const { diagonal, upper } = createSelectedInverse(5);
    invertSelected({ diagonal, upper }, factor, 0);
    for (let column = 0; column < 60; column++) {
      const x = new Float64Array(60);
      x[column] = 1;
      solveSymmetric(factor, x);
      const b = Math.floor(column / 12);
      for (let i = 0; i < 12; i++) {
        expect(diagonal[144 * b + 12 * i + (column % 12)]).toBeCloseTo(x[12 * b + i], 13);
        if (b > 0) expect(upper[144 * (b - 1) + 12 * i + (column % 12)]).toBeCloseTo(x[12 * (b - 1) + i], 13);
      }
    }
  });

  it('fixes an unknown', () => {
    const matrix = randomBlocks(3, 3, false);
    fixEntry(matrix, 1, 4);
    const x = new Float64Array(36).map(() => random());
    const kept = x[16];
    solveBlocks(matrix, x);
    expect(x[16]).toBe(kept);
  });
});
