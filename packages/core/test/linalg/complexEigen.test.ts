import { expect, it } from 'vitest';
import { findEigenvalues, findEigenvector } from '../../src/linalg/complexEigen.ts';

it('finds eigenvalues and vectors of matrices without symmetry', () => {
  let seed = 1;
  const random = (): number => {
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647 - 0.5;
  };
  for (const n of [1, 2, 3, 12, 40]) {
    const a = Float64Array.from({ length: n * n }, random);
    const { re, im } = findEigenvalues(a, n);
    const trace = Array.from({ length: n }, (_, i) => a[i * n + i]).reduce((sum, x) => sum + x, 0);
    expect(re.reduce((sum, x) => sum + x, 0)).toBeCloseTo(trace, 11);
    expect(im.reduce((sum, x) => sum + x, 0)).toBeCloseTo(0, 11);
    if (n > 3) expect(im.some((x) => Math.abs(x) > 0.1)).toBe(true);
    for (let k = 0; k < n; k++) {
      const v = findEigenvector(a, n, re[k], im[k]);
      let [largest, worst] = [0, 0];
      for (let i = 0; i < n; i++) {
        let [x, y] = [im[k] * v.im[i] - re[k] * v.re[i], -im[k] * v.re[i] - re[k] * v.im[i]];
        for (let j = 0; j < n; j++) {
          x += a[i * n + j] * v.re[j];
          y += a[i * n + j] * v.im[j];
        }
        worst = Math.max(worst, Math.hypot(x, y));
        largest = Math.max(largest, Math.hypot(v.re[i], v.im[i]));
      }
      expect(largest).toBeCloseTo(1, 12);
      expect(worst).toBeLessThan(1e-11);
    }
  }
});

it('finds the eigenvalues of a turn, and of a matrix that is triangular already', () => {
  const { re, im } = findEigenvalues(Float64Array.of(0, -2, 2, 0), 2);
  expect(Math.max(...re.map(Math.abs))).toBeLessThan(1e-14);
  expect(Math.min(...im)).toBeCloseTo(-2, 14);
  expect(Math.max(...im)).toBeCloseTo(2, 14);
  expect([...findEigenvalues(Float64Array.of(3, 5, 7, 0, 1, 2, 0, 0, -4), 3).re]).toEqual([3, 1, -4]);
});
