import { describe, expect, it } from 'vitest';
import { eigenDense, eigenGeneral } from '../../src/linalg/eigen.ts';
import { eigenSymmetric } from '../../src/linalg/jacobi.ts';

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16807) % 2147483647;
    return state / 2147483647 - 0.5;
  };
}

function symmetric(n: number, seed: number): Float64Array {
  const next = random(seed);
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) a[i * n + j] = a[j * n + i] = next();
  return a;
}

/** Largest entry of A X − B X Λ. */
function residual(
  a: Float64Array,
  b: Float64Array | undefined,
  n: number,
  values: Float64Array,
  x: Float64Array,
): number {
  let worst = 0;
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < n; c++) {
      let sum = 0;
      for (let k = 0; k < n; k++) {
        const unit = b ? b[i * n + k] : i === k ? 1 : 0;
        sum += (a[i * n + k] - values[c] * unit) * x[k * n + c];
      }
      worst = Math.max(worst, Math.abs(sum));
    }
  }
  return worst;
}

describe('dense eigenvalues', () => {
  it('agree with Jacobi rotations, and the vectors are eigenvectors', () => {
    for (const n of [1, 2, 3, 7, 40]) {
      const a = symmetric(n, 7 + n);
      const { values, vectors } = eigenDense(a, n);
      const other = eigenSymmetric(a, n).values;
      values.forEach((value, k) => {
        expect(value).toBeCloseTo(other[k], 12);
      });
      expect(residual(a, undefined, n, values, vectors)).toBeLessThan(1e-13 * n);
    }
  });

  it('stand repeated and zero eigenvalues', () => {
    const n = 9;
    const a = new Float64Array(n * n);
    for (let i = 0; i < n; i++) a[i * n + i] = i < 4 ? 2 : 0;
    a[1] = a[n] = 1;
    const { values, vectors } = eigenDense(a, n);
    expect([...values].map((value) => Math.round(value * 1e12) / 1e12)).toEqual([0, 0, 0, 0, 0, 1, 2, 2, 3]);
    expect(residual(a, undefined, n, values, vectors)).toBeLessThan(1e-14);
  });

  it('of a pair of matrices', () => {
    const n = 25;
    const k = symmetric(n, 3);
    const m = symmetric(n, 4);
    for (let i = 0; i < n; i++) m[i * n + i] += n;
    const pair = eigenGeneral(k, m, n);
    expect(pair).toBeDefined();
    if (!pair) return;
    expect(residual(k, m, n, pair.values, pair.vectors)).toBeLessThan(1e-12);
    expect(Math.abs(pair.values[0])).toBeGreaterThan(1e-3);
    m[0] = -1;
    expect(eigenGeneral(k, m, n)).toBeUndefined();
  });
});
