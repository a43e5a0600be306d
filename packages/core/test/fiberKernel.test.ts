/** The block solve by kernels against the reference: the same bits. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Model, type Scene } from '../src/index.ts';
import { loadBlocks, loadFiber } from '../src/kernels/index.ts';
import { type CreateBlocks, createBlocks, multiplyBlocks, solveBlocks } from '../src/linalg/blockTridiagonal.ts';

let create: CreateBlocks;
let fiber: Model;
beforeAll(async () => {
  create = await loadBlocks();
  fiber = await loadFiber();
});

/** Numbers that repeat. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (1103515245 * state + 12345) % 2147483648;
    return state / 1073741824 - 1;
  };
}

describe('block solve', () => {
  it.each([1, 2, 7])('of %i blocks, with row exchanges and zeros, has the bits of the reference', (count) => {
    const random = noise(count);
    const plain = createBlocks(count);
    const fast = create(count);
    for (const part of ['diagonal', 'upper', 'lower'] as const)
      for (let k = 0; k < 144 * count; k++) {
        const last = part !== 'diagonal' && k >= 144 * (count - 1);
        const value = last || random() > 0.5 ? 0 : random();
        plain[part][k] = value;
        fast[part][k] = value;
      }
    const right = Float64Array.from({ length: 12 * count }, random);
    const [a, b] = [right.slice(), right.slice()];
    const kept = { count, diagonal: plain.diagonal.slice(), upper: plain.upper.slice(), lower: plain.lower.slice() };
    const sign = solveBlocks(plain, a);
    expect(Math.abs(sign)).toBe(1);
    expect(solveBlocks(fast, b)).toBe(sign);
    expect(b).toEqual(a);
    // and both solve it
    const back = new Float64Array(12 * count);
    multiplyBlocks(back, kept, b);
    for (let k = 0; k < back.length; k++) expect(Math.abs(back[k] - right[k])).toBeLessThan(1e-9);
  });

  it('tells a singular block', () => {
    expect(solveBlocks(create(3), new Float64Array(36).fill(1))).toBe(0);
  });
});

describe('fibers', () => {
  const scene: Scene = {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: Array.from({ length: 2 }, (_, k) => ({
      id: `fiber ${k}`,
      model: 'fiber',
      shape: { type: 'straight', from: [0, 0.05 * k, 0], to: [0.2, 0.05 * k, 0] },
      edges: 10 + k,
      section: { type: 'circle', radius: 5e-4 },
      material: { E: 1e9, nu: 0.35, density: 1200, damping: { mass: 2 } },
    })),
    pins: [
      { rod: 'fiber 0', at: 'start' },
      { rod: 'fiber 1', at: 'start', hold: 'position' },
    ],
    time: { duration: 1, step: 5e-3 },
  };

  it.each(['energy-momentum', 'midpoint', 'backward-euler'] as const)(
    'move bit for bit as without: %s',
    (integrator) => {
      const one: Scene = {
        ...scene,
        solver: { fiber: { integrator } },
        ...(integrator === 'midpoint' && { time: { duration: 1, step: 5e-4 } }),
      };
      const plain = createWorld(one);
      const fast = createWorld(one, { models: [fiber] });
      const start = plain.hash();
      for (let k = 0; k < 20; k++) expect(fast.step().iterations).toBe(plain.step().iterations);
      expect(plain.hash()).not.toBe(start);
      expect(fast.hash()).toBe(plain.hash());
    },
  );

  it('come to rest at the same place', () => {
    const plain = createWorld(scene);
    const fast = createWorld(scene, { models: [fiber] });
    expect(fast.equilibrate()).toEqual(plain.equilibrate());
    expect(fast.samples[0].nodePosition).toEqual(plain.samples[0].nodePosition);
  });
});
