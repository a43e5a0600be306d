import { describe, expect, it } from 'vitest';
import { createBorderedFactor, factorBand, forwardBand, solveBand } from '../../src/linalg/band.ts';
import { addEntry, createBorderedBand, fixUnknown, multiplyBand, readEntry } from '../../src/linalg/bandMatrix.ts';
import { forwardBandTriple } from '../../src/linalg/bandRows.ts';
import { eigenSymmetric } from '../../src/linalg/jacobi.ts';
import { createRandom } from '../der/rods.ts';

describe.each([
  { name: 'banded', border: 0 },
  { name: 'bordered', border: 7 },
])('$name matrix', ({ border }) => {
  const size = 40;
  const build = (diagonal: number) => {
    const random = createRandom(3);
    const matrix = createBorderedBand(size - border, border);
    for (let i = 0; i < size; i++) {
      for (let j = 0; j <= i; j++) {
        if (j >= border && i - j > 10) continue;
        addEntry(matrix, i, j, i === j ? diagonal : random());
      }
    }
    return matrix;
  };
  const weight = new Float64Array(size).fill(1);

  it('is solved: the product gives the right-hand side back', () => {
    const matrix = build(8);
    const factor = createBorderedFactor(matrix);
    expect(factorBand(factor, matrix, 0, weight, 'stop-at-negative')).toBe(true);
    const random = createRandom(9);
    const right = new Float64Array(size).map(() => random());
    const x = right.slice();
    solveBand(factor, matrix, x);
    const back = new Float64Array(size);
    multiplyBand(back, matrix, x);
    for (let i = 0; i < size; i++) expect(back[i]).toBeCloseTo(right[i], 12);
    expect(Math.abs(x[size - 1] - right[size - 1])).toBeGreaterThan(1e-3);
  });

  it('counts its negative eigenvalues', () => {
    for (const diagonal of [0.3, 1, 2, 3]) {
      const matrix = build(diagonal);
      const factor = createBorderedFactor(matrix);
      factorBand(factor, matrix, 0, weight, 'count-negative');
      const dense = new Float64Array(size * size);
      for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) dense[i * size + j] = readEntry(matrix, i, j);
      const negative = eigenSymmetric(dense, size).values.filter((value) => value < 0).length;
      if (diagonal < 3) expect(negative).toBeGreaterThan(0);
      expect(factor.negative).toBe(negative);
    }
  });

  it('keeps prescribed unknowns', () => {
    const matrix = build(8);
    fixUnknown(matrix, 3);
    fixUnknown(matrix, 20);
    const factor = createBorderedFactor(matrix);
    factorBand(factor, matrix, 0, weight, 'stop-at-negative');
    const x = new Float64Array(size).fill(1);
    x[3] = 0;
    x[20] = 0;
    solveBand(factor, matrix, x);
    expect(x[3]).toBe(0);
    expect(x[20]).toBe(0);
    expect(x[4]).not.toBe(1);
  });
});

describe('eigenSymmetric', () => {
  it('diagonalises: A v = λ v, and finds a double eigenvalue', () => {
    const a = Float64Array.of(2, 0, 0, 0, 3, -1, 0, -1, 3);
    const { values, vectors } = eigenSymmetric(a, 3);
    expect([...values].map((x) => Math.round(x * 1e12) / 1e12)).toEqual([2, 2, 4]);
    for (let k = 0; k < 3; k++) {
      for (let i = 0; i < 3; i++) {
        let sum = 0;
        for (let j = 0; j < 3; j++) sum += a[3 * i + j] * vectors[3 * j + k];
        expect(sum).toBeCloseTo(values[k] * vectors[3 * i + k], 12);
      }
    }
  });
});

describe('three right-hand sides at once', () => {
  it.each([0, 4, 25])('are those of one after the other, from row %i on', (from) => {
    const size = 40;
    const random = createRandom(5);
    const matrix = createBorderedBand(size, 0);
    for (let i = 0; i < size; i++)
      for (let j = Math.max(0, i - 10); j <= i; j++) addEntry(matrix, i, j, i === j ? 8 : random());
    const factor = createBorderedFactor(matrix);
    expect(factorBand(factor, matrix, 0, new Float64Array(size), 'stop-at-negative')).toBe(true);
    const start = new Float64Array(4 * size).map((_, i) => (i % size < from ? 0 : random()));
    const single = start.slice();
    for (let k = 1; k < 4; k++) forwardBand(factor, size, single, k * size, from);
    const triple = start.slice();
    forwardBandTriple(factor, size, triple, size, from);
    expect(triple).toEqual(single);
    expect(Math.abs(triple[2 * size - 1] - start[2 * size - 1])).toBeGreaterThan(1e-3);
    // what is zero before `from` changes nothing
    const whole = start.slice();
    for (let k = 1; k < 4; k++) forwardBand(factor, size, whole, k * size, 0);
    expect(whole).toEqual(single);
  });
});
