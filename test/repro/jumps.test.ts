/** Loads that end abruptly: a step does not go over the jump, and the next one does not start from the accelerations of the old load. */
import {
  createWorld,
  type LoadSource,
  type ModelId,
  type Scene,
  type World,
  type WorldOptions,
} from '@tendril-sim/core';
import { loadDer, loadThreadedDer } from '@tendril-sim/core/kernels';
import { afterAll, describe, expect, it } from 'vitest';
// the sources have no file that a thread could run
import { startThreads } from '../../packages/io/dist/node.js';

const NODE = 12;
const FORCE = 0.05;
const RELEASE = 0.1;
const END = 0.12;

type Factor = { readonly formula: string } | { readonly keys: [number, number][]; readonly interpolation: 'step' };

/** Cantilevers whose ends are pulled down, by a factor in time or by whoever adds a load. */
function cantilever(model: ModelId, step: number, factor?: Factor, rods = 1): Scene {
  const ids = Array.from({ length: rods }, (_, k) => `rod${k}`);
  return {
    tendril: 1,
    rods: ids.map((id, k) => ({
      id,
      model,
      edges: NODE,
      shape: { type: 'straight', from: [0, k, 0], to: [0.5, k, 0] },
      section: { type: 'circle', radius: 0.002 },
      material: { E: 1e7, nu: 0.3, density: 1000 },
    })),
    pins: ids.map((rod) => ({ rod, at: 'start' })),
    loads: factor ? ids.map((rod) => ({ type: 'force', rod, at: 'end', force: [0, 0, -FORCE], factor })) : [],
    time: { duration: 1, step },
  };
}

const weight: LoadSource = {
  addLoads({ nodeForce }) {
    nodeForce[3 * NODE + 2] -= FORCE;
  },
  potential: ({ nodePosition }) => FORCE * nodePosition[3 * NODE + 2],
  dependsOnState: false,
};

const energyOf = (world: World): number => {
  const { kinetic, bending, twisting, stretching } = world.energies();
  return kinetic + bending + twisting + stretching;
};

/** Energy of the rods shortly after the load has gone [J], by a factor in time or, without one, by the function that takes it away. */
function energyAfter(model: ModelId, step: number, factor?: Factor): number {
  const world = createWorld(cantilever(model, step, factor));
  const remove = factor ? () => {} : world.addLoad(0, weight);
  while (world.time < END - 0.5 * step) {
    if (Math.abs(world.time - RELEASE) < 0.5 * step) remove();
    world.step();
  }
  return energyOf(world);
}

const ways: readonly [string, Factor | undefined][] = [
  ['t < 0.1', { formula: 't < 0.1' }],
  ['t <= 0.1', { formula: 't <= 0.1' }],
  ['1 - floor(10 t)', { formula: '1 - floor(10*t)' }],
  ['a key with interpolation: step', { keys: [[0, 1], [RELEASE, 0]], interpolation: 'step' }], // biome-ignore format: one line
  ['addLoad', undefined],
];

describe.each(['der', 'cosserat'] as const)('%s, whose end is let go', (model) => {
  // 1.4 % off at 4 ms and of first order, before
  const exact = energyAfter(model, 2.5e-4, ways[0][1]);

  it.each(ways)('has the energy that the load has put in, to second order: %s', (_, factor) => {
    const [coarse, fine] = [4e-3, 2e-3].map((step) => Math.abs(energyAfter(model, step, factor) / exact - 1));
    expect(coarse).toBeLessThan(3e-3);
    expect(fine).toBeLessThan(5e-4);
  });

  it('and within a step', () => {
    const factor = { formula: 't < 0.1009' };
    const reference = energyAfter(model, 2.5e-4, factor);
    expect(Math.abs(energyAfter(model, 2e-3, factor) / reference - 1)).toBeLessThan(5e-4);
  });
});

it('does not split steps at the end of a ramp, and finds square waves', () => {
  const substeps = (formula: string, steps: number): number[] => {
    const world = createWorld(cantilever('der', 2e-3, { formula }));
    return Array.from({ length: steps }, () => world.step().substeps);
  };
  expect(substeps('t < 0.003 ? t/0.003 : 1', 3)).toEqual([1, 1, 1]);
  expect(substeps('mod(t, 0.005) < 0.0025', 5)).toEqual([1, 2, 2, 2, 1]);
});

describe('a jump on other threads, by kernels and after a restart', () => {
  const factor = { formula: 't < 0.0311' };
  const run = (options: WorldOptions, added: boolean): string => {
    const world = createWorld(cantilever('der', 2e-3, added ? undefined : factor, 8), options);
    const remove = added ? [2, 5].map((rod) => world.addLoad(rod, weight)) : [];
    for (let k = 0; k < 20; k++) {
      if (k === 14) for (const take of remove) take();
      world.step();
    }
    return world.hash();
  };

  it('gives the same bits', async () => {
    const threads = startThreads(2);
    afterAll(() => threads.close());
    const [one, two] = [await loadDer(), await loadThreadedDer(threads.ports, { leastParts: 2 })];
    for (const added of [false, true]) expect(run({ models: [two] }, added)).toBe(run({ models: [one] }, added));
  });

  it.each(['der', 'cosserat', 'helix', 'fiber', 'strand'] as const)('%s resumes bit for bit around it', (model) => {
    const scene: Scene = {
      ...cantilever(model, 2e-3, { formula: 't < 0.008' }),
      pins: [{ rod: 'rod0', at: 'start', path: { keys: [{ time: 0 }, { time: 1, twist: 3, offset: [0, 0.3, 0] }] } }],
    };
    const through = createWorld(scene);
    for (let k = 0; k < 6; k++) {
      const resumed = createWorld(scene);
      resumed.restore(through.save());
      through.step();
      resumed.step();
      expect(resumed.hash()).toBe(through.hash());
    }
  });
});
