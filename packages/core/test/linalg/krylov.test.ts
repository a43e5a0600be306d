import { describe, expect, it } from 'vitest';
import { eigenDense } from '../../src/linalg/eigen.ts';
import { applyFunctions, createKrylov } from '../../src/linalg/krylov.ts';
import { createRandom } from '../der/rods.ts';

/** Bound on the error of exp(−A)b/|b| in a space of dimension m, spectrum in [0, 4ρ]. [Hochbruck1997] */
function exponentialBound(rho: number, m: number): number {
  if (m >= 2 * rho) return (10 / rho) * Math.exp(-rho) * ((Math.E * rho) / m) ** m;
  return m * m >= 4 * rho ? 10 * Math.exp((-m * m) / (5 * rho)) : 1;
}

/** Chain of n springs: spectrum within (0, 4ρ). */
function chain(n: number, rho: number) {
  const multiply = (y: Float64Array, x: Float64Array): void => {
    for (let i = 0; i < n; i++) y[i] = rho * (2 * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < n ? x[i + 1] : 0));
  };
  const dense = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    dense[i * n + i] = 2 * rho;
    if (i > 0) dense[i * n + i - 1] = -rho;
    if (i + 1 < n) dense[i * n + i + 1] = -rho;
  }
  return { multiply, ...eigenDense(dense, n) };
}

describe('Lanczos', () => {
  const n = 60;
  const random = createRandom(4);
  const b = new Float64Array(n).map(() => random());
  const norm = Math.hypot(...b);

  const truth = (values: Float64Array, vectors: Float64Array, f: (x: number) => number): Float64Array => {
    const out = new Float64Array(n);
    for (let j = 0; j < n; j++) {
      let along = 0;
      for (let i = 0; i < n; i++) along += vectors[i * n + j] * b[i];
      for (let i = 0; i < n; i++) out[i] += f(values[j]) * along * vectors[i * n + j];
    }
    return out;
  };
  const distance = (x: Float64Array, y: Float64Array): number => Math.hypot(...x.map((value, i) => value - y[i]));

  it('evaluates several functions in one space, to the tolerance it claims', () => {
    const { multiply, values, vectors } = chain(n, 30);
    const functions = [
      (x: number): number => Math.cos(Math.sqrt(Math.max(x, 0))),
      (x: number): number => Math.exp(-x / 40),
    ];
    const out = functions.map(() => new Float64Array(n));
    const { dimension, error } = applyFunctions(out, createKrylov(n, 60), multiply, b, functions, { tolerance: 1e-10 });
    expect(error).toBeLessThan(1e-10);
    expect(dimension).toBeLessThan(n);
    functions.forEach((f, k) => {
      expect(distance(out[k], truth(values, vectors, f)) / norm).toBeLessThan(1e-9);
    });
  });

  it('reports a space that is too small', () => {
    const { multiply } = chain(n, 300);
    const out = [new Float64Array(n)];
    const { error } = applyFunctions(out, createKrylov(n, 8), multiply, b, [(x) => Math.cos(Math.sqrt(x))], {
      tolerance: 1e-10,
    });
    expect(error).toBeGreaterThan(1e-4);
  });

  it('keeps below the bound for the exponential, which the printed one does not', () => {
    const rho = 10;
    const { multiply, values, vectors } = chain(n, rho);
    const exponential = truth(values, vectors, (x) => Math.exp(-x));
    let broken = 0;
    for (const m of [20, 24, 28, 32]) {
      const out = [new Float64Array(n)];
      applyFunctions(out, createKrylov(n, m), multiply, b, [(x) => Math.exp(-x)], { tolerance: 0 });
      const error = distance(out[0], exponential) / norm;
      expect(error).toBeLessThan(exponentialBound(rho, m) + 1e-15);
      const printed = (10 / rho) * Math.exp(-rho) * (rho / m) ** m;
      if (error > printed) broken++;
    }
    expect(broken).toBeGreaterThan(1);
  });
});
