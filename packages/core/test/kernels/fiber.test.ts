/** Fibers by kernels, two at a time, against the reference: the same bits. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Model, type Scene, type World } from '../../src/index.ts';
import { loadFiberKernel } from '../../src/kernels/fiber.ts';
import { createSymmetricFactor, factorSymmetric, solveSymmetric } from '../../src/linalg/blockSymmetric.ts';
import { type BlockTridiagonal, createBlocks, multiplyBlocks, solveBlocks } from '../../src/linalg/blockTridiagonal.ts';
import type { FiberKernel } from '../../src/models/fiber/kernel.ts';
import { createFiberModel } from '../../src/models/fiber/model.ts';

let kernel: FiberKernel;
let fiber: Model;
beforeAll(async () => {
  kernel = await loadFiberKernel();
  fiber = createFiberModel(kernel);
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
    const fast = kernel.createBlocks(count);
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
    expect(solveBlocks(kernel.createBlocks(3), new Float64Array(36).fill(1))).toBe(0);
  });
});

describe('symmetric factor', () => {
  /** Diagonally strong or not, with some entries zero, symmetric. */
  const make = (count: number, strength: number): BlockTridiagonal => {
    const random = noise(count);
    const matrix = createBlocks(count);
    for (let b = 0; b < count; b++)
      for (let i = 0; i < 12; i++)
        for (let j = 0; j < 12; j++) {
          const value = random() > 0.5 ? 0 : random();
          if (i <= j) {
            matrix.diagonal[144 * b + 12 * i + j] = value + (i === j ? strength : 0);
            matrix.diagonal[144 * b + 12 * j + i] = matrix.diagonal[144 * b + 12 * i + j];
          }
          if (b + 1 === count) continue;
          matrix.upper[144 * b + 12 * i + j] = random();
          matrix.lower[144 * b + 12 * j + i] = matrix.upper[144 * b + 12 * i + j];
        }
    return matrix;
  };

  it.each([1, 2, 9])('of %i blocks, definite and not, solves with the bits of the reference', (count) => {
    const weight = Float64Array.from({ length: 12 * count }, (_, d) => 1 + (d % 3));
    for (const strength of [20, 1]) {
      const matrix = make(count, strength);
      const [plain, fast] = [createSymmetricFactor(count), kernel.createFactor(count)];
      const positive = factorSymmetric(plain, matrix, 0, weight, 'stop-at-negative');
      expect(positive).toBe(strength === 20);
      expect(factorSymmetric(fast, matrix, 0, weight, 'stop-at-negative')).toBe(positive);
      for (const shift of [0, 0.3]) {
        expect(factorSymmetric(plain, matrix, shift, weight, 'count-negative')).toBe(true);
        expect(factorSymmetric(fast, matrix, shift, weight, 'count-negative')).toBe(true);
        expect(fast.negative).toBe(plain.negative);
        const right = Float64Array.from({ length: 12 * count }, noise(7));
        const [a, b] = [right.slice(), right.slice()];
        solveSymmetric(plain, a);
        solveSymmetric(fast, b);
        expect(b).toEqual(a);
        const back = new Float64Array(12 * count);
        multiplyBlocks(back, matrix, b);
        for (let d = 0; d < back.length; d++)
          expect(Math.abs(back[d] + shift * weight[d] * b[d] - right[d])).toBeLessThan(1e-9);
      }
    }
  });

  it('has room for many, which keep to themselves', () => {
    const matrix = make(2, 20);
    const weight = new Float64Array(24).fill(1);
    const factors = Array.from({ length: 40 }, () => kernel.createFactor(2));
    factors.forEach((factor, k) => {
      expect(factorSymmetric(factor, matrix, k, weight, 'stop-at-negative')).toBe(true);
    });
    factors.forEach((factor, k) => {
      const plain = createSymmetricFactor(2);
      factorSymmetric(plain, matrix, k, weight, 'stop-at-negative');
      const [a, b] = [weight.slice(), weight.slice()];
      solveSymmetric(plain, a);
      solveSymmetric(factor, b);
      expect(b).toEqual(a);
    });
  });
});

/** Fibers that differ in everything but the number of their rings; the last is alone with its own. */
function fibers(change: Partial<Scene> = {}, damping = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: Array.from({ length: 5 }, (_, k) => ({
      id: `fiber ${k}`,
      model: 'fiber',
      shape:
        k % 2 === 0
          ? { type: 'straight', from: [0, 0.05 * k, 0], to: [0.2, 0.05 * k, 0.02 * k] }
          : { type: 'helix', radius: 0.05, pitch: 0.1, turns: 0.2 * k },
      edges: k === 4 ? 7 : 10,
      section: { type: 'ellipse', a: 5e-4 + 1e-4 * k, b: 5e-4 },
      material: { E: 1e9 + 2e8 * k, nu: 0.35, density: 1200, damping: { mass: 0.5 * k, ...damping } },
    })),
    pins: [
      { rod: 'fiber 0', at: 'start' },
      { rod: 'fiber 1', at: 'start', hold: 'position' },
      { rod: 'fiber 2', at: 'start', release: 0.03 },
      { rod: 'fiber 4', at: 'start' },
    ],
    time: { duration: 1, step: 5e-3 },
    ...change,
  };
}

/** Both worlds step alike, and move. */
function compare(scene: Scene, steps: number): { plain: World; fast: World } {
  const plain = createWorld(scene);
  const fast = createWorld(scene, { models: [fiber] });
  const start = plain.hash();
  for (let k = 0; k < steps; k++) {
    const { iterations, substeps } = plain.step();
    expect(fast.step()).toMatchObject({ iterations, substeps });
  }
  expect(plain.hash()).not.toBe(start);
  expect(fast.hash()).toBe(plain.hash());
  fast.samples.forEach((samples, rod) => {
    expect(samples).toEqual(plain.samples[rod]);
  });
  return { plain, fast };
}

describe('fibers move bit for bit as without', () => {
  it.each(['energy-momentum', 'midpoint', 'implicit-euler'] as const)('%s', (integrator) => {
    const step = integrator === 'midpoint' ? 5e-4 : 5e-3;
    compare(fibers({ solver: { fiber: { integrator } }, time: { duration: 1, step } }), 15);
  });

  it('damped by stiffness; with the inertia of the section; with calm rings; with moduli that change', () => {
    compare(fibers({}, { stiffness: 1e-3 }), 6);
    compare(fibers({ solver: { fiber: { inertia: 'section' } } }), 6);
    compare(fibers({ solver: { fiber: { calmRings: true } } }, { mass: 0 }), 6);
    const { rods } = fibers();
    compare(
      fibers({ rods: rods.map((rod, k) => (k === 1 ? { ...rod, animate: { E: { formula: '1 - 2*t*u' } } } : rod)) }),
      6,
    );
  });

  it('under loads that follow them, torques and drag, of one of two or of both', () => {
    const loads = [
      {
        type: 'force' as const,
        rod: 'fiber 0',
        at: 'end' as const,
        force: [0, 0.01, 0] as const,
        frame: 'material' as const,
      },
      { type: 'torque' as const, rod: 'fiber 3', at: 'end' as const, torque: [1e-3, 2e-3, 0] as const },
    ];
    const air = { type: 'air' as const, linear: [1e-2, 5e-2] as const };
    compare(fibers({ loads, fields: [{ ...air, rods: ['fiber 1', 'fiber 4'] }] }), 6);
    compare(fibers({ fields: [air], solver: { fiber: { integrator: 'implicit-euler' } } }), 4);
  });

  it('where a step fails and is halved, by the model and by the world', () => {
    const scene = fibers({ time: { duration: 10, step: 0.1 }, solver: { fiber: { iterations: 4 } } });
    const { plain } = compare(scene, 2);
    expect(plain.step().iterations).toBeGreaterThan(40);
    const few = fibers({ time: { duration: 10, step: 0.2 }, solver: { fiber: { iterations: 3 } } });
    expect(compare(few, 1).plain.step().substeps).toBeGreaterThan(1);
  });

  it('in contact: some touch the floor and each other, some do not', () => {
    const scene = fibers({
      rods: fibers().rods.map((rod, k) => ({
        ...rod,
        // 0 and 1 lie across each other, 2 and 3 fall on the floor, 4 hangs
        shape: {
          type: 'straight',
          from: k === 1 ? [0.1, -0.1, 0.0025] : [0, 0.05 * k, k < 2 ? 0 : -0.018],
          to: k === 1 ? [0.12, 0.1, 0.0025] : [0.2, 0.05 * k, k < 2 ? 0 : -0.018],
        },
      })),
      pins: [
        { rod: 'fiber 0', at: 'start' },
        { rod: 'fiber 0', at: 'end' },
        { rod: 'fiber 4', at: 'start' },
      ],
      contact: { friction: 0.3 },
      colliders: [{ type: 'plane', position: [0, 0, -0.02], normal: [0, 0, 1], friction: 0.3 }],
      time: { duration: 1, step: 1 / 240 },
    });
    const { plain, fast } = compare(scene, 16);
    expect(plain.contactForces().length).toBeGreaterThan(5);
    expect(fast.contactForces()).toEqual(plain.contactForces());
  });

  it('whatever company they are in', () => {
    const scene = fibers();
    const some: Scene = { ...scene, rods: scene.rods.slice(1), pins: scene.pins?.slice(1) };
    const all = createWorld(scene, { models: [fiber] });
    const fewer = createWorld(some, { models: [fiber] });
    for (let k = 0; k < 8; k++) {
      all.step();
      fewer.step();
    }
    expect(fewer.samples[1]).toEqual(all.samples[2]);
  });

  it('and come to rest at the same place', () => {
    const scene = fibers({}, { mass: 1 });
    const hanging = {
      ...scene,
      rods: [scene.rods[0], scene.rods[4]],
      pins: [scene.pins?.[0], scene.pins?.[3]],
    } as Scene;
    const plain = createWorld(hanging);
    const fast = createWorld(hanging, { models: [fiber] });
    expect(fast.equilibrate()).toEqual(plain.equilibrate());
    expect(fast.samples[0].nodePosition).toEqual(plain.samples[0].nodePosition);
  });

  it('two by two', () => {
    const made: number[][] = [];
    const spy = createFiberModel({
      ...kernel,
      createPairs(pairs) {
        made.push(...pairs.map((pair) => pair.map(({ ringCount }) => ringCount)));
        return kernel.createPairs(pairs);
      },
    });
    createWorld(fibers(), { models: [spy] });
    expect(made).toEqual([[11, 11], [11, 11], [8]]);
  });
});
