import { describe, expect, it } from 'vitest';
import { eigenDense } from '../../src/linalg/eigen.ts';
import {
  addWide,
  createWideBand,
  createWideFactor,
  factorWide,
  fixWide,
  multiplyWide,
  readWide,
  solveWide,
} from '../../src/linalg/wideBand.ts';
import { createRandom } from '../der/rods.ts';

function randomBand(size: number, width: number, diagonal: number): ReturnType<typeof createWideBand> {
  const random = createRandom(7);
  const matrix = createWideBand(size, width);
  for (let i = 0; i < size; i++)
    for (let j = Math.max(0, i - width); j <= i; j++) addWide(matrix, i, j, random() + (i === j ? diagonal : 0));
  return matrix;
}

describe('wide bands', () => {
  it('solve what they multiply, also with few rows', () => {
    for (const [size, width] of [
      [40, 11],
      [5, 11],
      [12, 3],
    ]) {
      const matrix = randomBand(size, width, 8);
      const factor = createWideFactor(matrix);
      const weight = new Float64Array(size).fill(2);
      expect(factorWide(factor, matrix, 0.5, weight, 'stop-at-negative')).toBe(true);
      const x = new Float64Array(size).map((_, k) => Math.sin(k + 1));
      const y = new Float64Array(size);
      multiplyWide(y, matrix, x);
      for (let k = 0; k < size; k++) y[k] += 0.5 * 2 * x[k];
      solveWide(factor, matrix, y);
      for (let k = 0; k < size; k++) expect(y[k]).toBeCloseTo(x[k], 10);
    }
  });

  it('count negative eigenvalues', () => {
    const size = 30;
    const matrix = randomBand(size, 6, 0.3);
    const dense = new Float64Array(size * size);
    for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) dense[i * size + j] = readWide(matrix, i, j);
    const negative = eigenDense(dense, size).values.filter((value) => value < 0).length;
    const factor = createWideFactor(matrix);
    expect(factorWide(factor, matrix, 0, new Float64Array(size), 'count-negative')).toBe(false);
    expect(factor.negative).toBe(negative);
    expect(negative).toBeGreaterThan(3);
  });

  it('leave out prescribed unknowns', () => {
    const matrix = randomBand(12, 4, 5);
    fixWide(matrix, 5);
    expect(readWide(matrix, 5, 5)).toBe(1);
    for (const k of [1, 2, 3, 4, 6, 7, 8, 9]) expect(readWide(matrix, 5, k)).toBe(0);
    expect(readWide(matrix, 4, 6)).not.toBe(0);
  });
});
