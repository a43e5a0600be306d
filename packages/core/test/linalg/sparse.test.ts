import { describe, expect, it } from 'vitest';
import { analyzeSparse, createSparsePattern, factorSparse, type Groups, solveSparse } from '../../src/linalg/sparse.ts';

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

/** Factors, and multiplies back. */
function residual(
  n: number,
  pairs: [number, number][],
  definite: boolean,
  groups?: Groups,
): { error: number; fill: number; negative: number } {
  const next = random(7);
  const pattern = createSparsePattern(n, pairs);
  const values = new Float64Array(pattern.slots);
  const dense = new Float64Array(n * n);
  for (let i = 0; i < n; i++) values[i] = (definite ? 8 : i % 3 === 0 ? -8 : 8) + next();
  for (const [i, j] of pairs) if (i !== j) values[pattern.slotOf(i, j)] = next();
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      const slot = pattern.slotOf(i, j);
      if (slot >= 0) dense[i * n + j] = values[slot];
    }
  const factor = analyzeSparse(pattern, pairs, groups);
  expect(factorSparse(factor, values, 1e-14)).toBe(true);
  const b = Float64Array.from({ length: n }, next);
  const x = b.slice();
  solveSparse(factor, x);
  let error = 0;
  for (let i = 0; i < n; i++) {
    let sum = -b[i];
    for (let j = 0; j < n; j++) sum += dense[i * n + j] * x[j];
    error = Math.max(error, Math.abs(sum));
  }
  return { error, fill: factor.lower.length - (pattern.slots - n), negative: factor.negative };
}

describe('sparse LDLᵀ', () => {
  it('solves what is scattered at random, and counts negative pivots', () => {
    const next = random(3);
    const pairs = Array.from({ length: 90 }, (): [number, number] => [
      Math.floor((next() + 0.5) * 40),
      Math.floor((next() + 0.5) * 40),
    ]);
    expect(residual(40, pairs, true)).toMatchObject({ negative: 0 });
    expect(residual(40, pairs, true).error).toBeLessThan(1e-13);
    expect(residual(40, pairs, false).negative).toBe(14);
    expect(residual(40, pairs, false).error).toBeLessThan(1e-12);
  });

  it('solves a net whose nodes have places, with far less filled in than a band', () => {
    // nodes of two unknowns on a grid
    const n = 24;
    const pairs: [number, number][] = [];
    const join = (a: number, b: number): void => {
      for (const i of [2 * a, 2 * a + 1]) for (const j of [2 * b, 2 * b + 1]) if (i >= j) pairs.push([i, j]);
    };
    const place: number[] = [];
    for (let y = 0; y < n; y++) {
      for (let x = 0; x < n; x++) {
        const node = y * n + x;
        place.push(x, 1.5 * y, 0);
        join(node, node);
        if (x > 0) join(node, node - 1);
        if (y > 0) join(node, node - n);
      }
    }
    const of = Int32Array.from({ length: 2 * n * n }, (_, i) => i >> 1);
    const found = residual(2 * n * n, pairs, true, { of, place });
    expect(found.error).toBeLessThan(1e-12);
    expect(found.negative).toBe(0);
    expect(found.fill).toBeLessThan(0.4 * 2 * n * (2 * n * n));
    expect(residual(2 * n * n, pairs, false, { of, place }).negative).toBe(Math.ceil((2 * n * n) / 3));
  });

  it('fills in next to nothing for a tree of chains whose ends meet in cliques', () => {
    const pairs: [number, number][] = [];
    // chains of 10 in a binary tree; where one ends, its last and the two first ones are joined
    for (let chain = 0; chain < 15; chain++) {
      for (let k = 1; k < 10; k++) pairs.push([10 * chain + k - 1, 10 * chain + k]);
      const [a, b] = [2 * chain + 1, 2 * chain + 2];
      if (b < 15) pairs.push([10 * chain + 9, 10 * a], [10 * chain + 9, 10 * b], [10 * a, 10 * b]);
    }
    const { error, fill } = residual(150, pairs, true);
    expect(error).toBeLessThan(1e-13);
    // of 168 entries
    expect(fill).toBeLessThan(35);
  });

  it('leaves an equation out that follows from the others', () => {
    const pattern = createSparsePattern(2, [[1, 0]]);
    const factor = analyzeSparse(pattern, [[1, 0]]);
    factorSparse(factor, Float64Array.of(2, 2, 2), 1e-12);
    const x = Float64Array.of(4, 4);
    solveSparse(factor, x);
    expect(x[0] + x[1]).toBeCloseTo(2, 12);
  });
});
