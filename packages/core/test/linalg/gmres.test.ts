import { describe, expect, it } from 'vitest';
import { solveGmres } from '../../src/linalg/gmres.ts';
import { createRandom } from '../der/rods.ts';

describe('GMRES', () => {
  const size = 30;
  const random = createRandom(4);
  const matrix = Float64Array.from({ length: size * size }, (_, k) => 0.3 * random() + (k % (size + 1) === 0 ? 1 : 0));
  const apply = (y: Float64Array, x: Float64Array): void => {
    for (let i = 0; i < size; i++) {
      y[i] = 0;
      for (let j = 0; j < size; j++) y[i] += matrix[i * size + j] * x[j];
    }
  };
  const b = Float64Array.from({ length: size }, () => random());
  const left = (x: Float64Array): number => {
    const y = new Float64Array(size);
    apply(y, x);
    return Math.hypot(...y.map((value, i) => value - b[i])) / Math.hypot(...b);
  };

  it('solves a system that is not symmetric, and says how well', () => {
    const x = new Float64Array(size);
    const residual = solveGmres(x, b, apply, 1e-12, size + 1);
    expect(residual).toBeLessThan(1e-11);
    expect(left(x)).toBeLessThan(1e-11);
    const rough = new Float64Array(size);
    const reported = solveGmres(rough, b, apply, 1e-12, 5);
    expect(reported).toBeGreaterThan(1e-6);
    expect(left(rough)).toBeCloseTo(reported, 10);
  });

  it('takes one iteration for each direction that differs from the identity', () => {
    let calls = 0;
    const u = Float64Array.from({ length: size }, () => random());
    const v = Float64Array.from({ length: size }, () => random());
    const x = new Float64Array(size);
    solveGmres(
      x,
      b,
      (y, at) => {
        calls++;
        const along = at.reduce((sum, value, i) => sum + value * v[i], 0);
        for (let i = 0; i < size; i++) y[i] = at[i] + along * u[i];
      },
      1e-12,
      size,
    );
    expect(calls).toBeLessThan(5);
    const zero = new Float64Array(size);
    expect(solveGmres(x, zero, apply, 1e-12, size)).toBe(0);
    expect(Math.hypot(...x)).toBe(0);
  });
});
