import { describe, expect, it } from 'vitest';
import { factorPositive, solvePositive } from '../../src/linalg/dense.ts';

const matrix = (n: number): Float64Array =>
  Float64Array.from({ length: n * n }, (_, k) => {
    const [i, j] = [Math.floor(k / n), k % n];
    return (i === j ? 3 + i : 0) + Math.cos(i - j) + Math.sin(i) * Math.sin(j);
  });

describe('a dense positive matrix', () => {
  it.each([1, 2, 3, 8, 31])('of %d unknowns is factored two by two, and solved with', (n) => {
    const a = matrix(n);
    const x = Float64Array.from({ length: n }, (_, i) => Math.sin(5 * i) + 1);
    const b = x.map((_, i) => x.reduce((sum, value, j) => sum + a[i * n + j] * value, 0));
    expect(factorPositive(a, n)).toBe(true);
    solvePositive(a, n, b);
    for (let i = 0; i < n; i++) expect(b[i]).toBeCloseTo(x[i], 12);
  });
  it.each([0, 1, 6, 7, 8])('is told from one that is not: pivot %d', (k) => {
    const n = 9;
    const a = matrix(n);
    a[k * n + k] = -1;
    expect(factorPositive(a, n)).toBe(false);
  });
});
