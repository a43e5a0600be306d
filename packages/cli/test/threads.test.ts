/** Threads, on what `npm run build` made: the same bits whatever their number. */
import { createWorld, type Model, type Scene } from '@tendril/core';
import { loadDer, loadFiber, loadThreadedDer, loadThreadedFiber } from '@tendril/core/kernels';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// the sources have no file that a thread could run
import { startThreads, type Threads } from '../../io/dist/node.js';

let threads: Threads;
let one: Model;
let three: Model;
beforeAll(async () => {
  threads = startThreads(3);
  one = await loadDer();
  three = await loadThreadedDer(threads.ports, { leastParts: 2 });
});
afterAll(() => {
  threads.close();
});

const scene: Scene = {
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: Array.from({ length: 11 }, (_, k) => ({
    id: `hair ${k}`,
    shape: { type: 'straight', from: [0, 0.01 * k, 0], to: [0.1, 0.01 * k, 0] },
    edges: 8 + (k % 2),
    section: { type: 'circle', radius: 3e-5 + 1e-6 * k },
    material: { E: 3.5e9, G: 1e9, density: 1300 },
  })),
  pins: Array.from({ length: 11 }, (_, k) => ({ rod: `hair ${k}`, at: 'start' })),
  time: { duration: 1, step: 0.004 },
};

describe('threads', () => {
  it('give the same bits as one', () => {
    const alone = createWorld(scene, { models: [one] });
    const shared = createWorld(scene, { models: [three] });
    for (let k = 0; k < 10; k++) expect(shared.step().iterations).toBe(alone.step().iterations);
    expect(shared.hash()).toBe(alone.hash());
    expect(shared.energies()).toEqual(alone.energies());
    expect(shared.channel(10, 'curvature')).toEqual(alone.channel(10, 'curvature'));
    expect(shared.samples[10].nodePosition[24]).toBe(alone.samples[10].nodePosition[24]);
    // reading changed nothing
    shared.step();
    alone.step();
    expect(shared.hash()).toBe(alone.hash());
  });

  it('go back to a saved state', () => {
    const shared = createWorld(scene, { models: [three] });
    for (let k = 0; k < 3; k++) shared.step();
    const saved = shared.save();
    const later = (): string => {
      for (let k = 0; k < 3; k++) shared.step();
      return shared.hash();
    };
    const first = later();
    shared.restore(saved);
    expect(later()).toBe(first);
  });

  it('cut a step that fails, as one does', () => {
    const violent: Scene = { ...scene, time: { duration: 10, step: 2 }, solver: { der: { iterations: 3 } } };
    const alone = createWorld(violent, { models: [one] });
    const shared = createWorld(violent, { models: [three] });
    expect(shared.step().substeps).toBe(alone.step().substeps);
    expect(shared.hash()).toBe(alone.hash());
  });

  it.each(['implicit-euler', 'tr-bdf2'] as const)('with contact: %s', (integrator) => {
    const touching: Scene = {
      ...scene,
      pins: scene.pins?.slice(0, 7),
      colliders: [{ type: 'plane', position: [0, 0, -0.01], normal: [0, 0, 1], friction: 0.3 }],
      solver: { der: { integrator } },
    };
    const alone = createWorld(touching, { models: [one] });
    const shared = createWorld(touching, { models: [three] });
    let touched = 0;
    for (let k = 0; k < 30; k++) {
      expect(shared.step().iterations).toBe(alone.step().iterations);
      touched += alone.contactForces().length;
    }
    expect(touched).toBeGreaterThan(50);
    expect(shared.hash()).toBe(alone.hash());
    expect(shared.energies()).toEqual(alone.energies());
  });

  it('leave a world for the next one, which then goes on alone', () => {
    const first = createWorld(scene, { models: [three] });
    first.step();
    const second = createWorld(scene, { models: [three] });
    first.step();
    for (let k = 0; k < 2; k++) second.step();
    expect(second.hash()).toBe(first.hash());
  });
});

describe('threads over fibers', () => {
  const fibers: Scene = {
    ...scene,
    rods: scene.rods.map((rod) => ({ ...rod, model: 'fiber', section: { type: 'circle', radius: 5e-4 } })),
  };
  let plain: Model;
  let shared: Model;
  beforeAll(async () => {
    plain = await loadFiber();
    shared = await loadThreadedFiber(threads.ports, { leastParts: 2 });
  });

  it('give the bits of one, and of none of it', () => {
    const worlds = [
      createWorld(fibers),
      createWorld(fibers, { models: [plain] }),
      createWorld(fibers, { models: [shared] }),
    ];
    for (let k = 0; k < 6; k++) {
      const [iterations, ...others] = worlds.map((world) => world.step().iterations);
      expect(others).toEqual([iterations, iterations]);
    }
    const [alone, , together] = worlds;
    for (const world of worlds) expect(world.hash()).toBe(alone.hash());
    expect(together.energies()).toEqual(alone.energies());
    expect(together.channel(10, 'curvature')).toEqual(alone.channel(10, 'curvature'));
    expect(together.samples[10].nodeVelocity).toEqual(alone.samples[10].nodeVelocity);
    const saved = together.save();
    for (const world of worlds) world.step();
    expect(together.hash()).toBe(alone.hash());
    together.restore(saved);
    expect(together.step().iterations).toBeGreaterThan(11);
    expect(together.hash()).toBe(alone.hash());
  });

  it('cut a step that fails, as one does', () => {
    const violent: Scene = { ...fibers, time: { duration: 10, step: 0.3 }, solver: { fiber: { iterations: 2 } } };
    const alone = createWorld(violent, { models: [plain] });
    const together = createWorld(violent, { models: [shared] });
    const { substeps } = alone.step();
    expect(substeps).toBeGreaterThan(1);
    expect(together.step().substeps).toBe(substeps);
    expect(together.hash()).toBe(alone.hash());
  });

  it('with contact', () => {
    const touching: Scene = {
      ...fibers,
      pins: fibers.pins?.slice(0, 7),
      colliders: [{ type: 'plane', position: [0, 0, -0.003], normal: [0, 0, 1], friction: 0.3 }],
    };
    const alone = createWorld(touching, { models: [plain] });
    const together = createWorld(touching, { models: [shared] });
    let touched = 0;
    for (let k = 0; k < 12; k++) {
      expect(together.step().iterations).toBe(alone.step().iterations);
      touched += alone.contactForces().length;
    }
    expect(touched).toBeGreaterThan(20);
    expect(together.hash()).toBe(alone.hash());
    expect(together.energies()).toEqual(alone.energies());
    expect(together.reactions()).toEqual(alone.reactions());
  });
});
