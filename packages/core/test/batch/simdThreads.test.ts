/** The SIMD kernels in several threads: the same bits whatever their number, and what happens if one of them ends. */
import { afterAll, expect, test } from 'vitest';
// the sources have no file that a thread could run
import { startSimdThreads, type Threads } from '../../../io/dist/node.js';
import { loadSimdDer } from '../../src/batch/index.ts';
import { createWorld, type PinSpec, type RodSpec, type Scene, type World } from '../../src/index.ts';
import { farthest, rod, sceneOf } from './scenes.ts';

const LENGTH = 0.3;
const three = startSimdThreads(3);
const mortal = startSimdThreads(2);
afterAll(() => {
  three.close();
  mortal.close();
});

/** With some of the workers. */
async function open(scene: Scene, workers: Threads['ports']): Promise<World> {
  return createWorld(scene, { models: [await loadSimdDer({ workers, leastRods: 2 })] });
}

/** Curly hair: clamped with two numbers of edges, pinned, free, in groups that do not fill their blocks. */
function hairs(changes: Partial<Scene> = {}, loose = true): Scene {
  const rods = Array.from({ length: 26 }, (_, k): RodSpec => {
    const helix = { type: 'helix', radius: 0.012 + 1e-4 * k, pitch: 0.04, turns: 3 } as const;
    const straight = { type: 'straight', from: [0, 0.01 * k, 0], to: [LENGTH, 0.01 * k, 1e-4 * k] } as const;
    const shape = loose ? helix : straight;
    return { ...rod, id: `hair ${k}`, edges: k % 5 === 0 ? 7 : 9, shape, natural: 'initial' };
  });
  const pins = rods.flatMap(({ id }, k): PinSpec[] => {
    if (loose && k % 4 === 3) return [];
    return [{ rod: id, at: 'start', ...(loose && k % 4 === 2 && { hold: 'position' as const }) }];
  });
  return sceneOf({
    rods,
    pins,
    solver: { der: { twist: 'quasistatic', integrator: 'bdf2', backend: 'simd' } },
    ...changes,
  });
}

const ball: Partial<Scene> = {
  colliders: [
    { type: 'sphere', radius: 0.05, position: [0.15, 0.1, -0.052], friction: 0.3 },
    { type: 'plane', position: [0, 0, -0.004], normal: [0, 0, 1], friction: 0.3 },
  ],
};

function run(world: World, steps: number): World {
  for (let k = 0; k < steps; k++) world.step();
  return world;
}

test.each([
  ['without colliders', hairs()],
  ['with colliders', hairs(ball, false)],
])('one, two and three threads have the same bits, %s', async (_, scene) => {
  const alone = createWorld(scene, { models: [await loadSimdDer()] });
  expect(alone.warnings.join()).not.toMatch(/without SIMD/);
  const reports = Array.from({ length: 8 }, () => alone.step());
  if (scene.colliders) expect(alone.contactForces().length).toBeGreaterThan(20);
  for (const workers of [three.ports.slice(1), three.ports]) {
    const world = await open(scene, workers);
    for (const report of reports) expect(world.step()).toEqual(report);
    expect(world.hash()).toBe(alone.hash());
    expect(world.contactForces()).toEqual(alone.contactForces());
  }
  // and from a state that another number of threads has saved in the middle
  const resumed = await open(scene, three.ports);
  resumed.restore(run(await open(scene, three.ports.slice(1)), 4).save());
  expect(run(resumed, 4).hash()).toBe(alone.hash());
});

test('a worker that ends is reported, and the run goes on in double precision', async () => {
  const scene = hairs();
  const alone = run(createWorld(scene, { models: [await loadSimdDer()] }), 10);
  const world = await open(scene, mortal.ports);
  for (let k = 0; k < 5; k++) world.step(undefined, 'later');
  mortal.close();
  const remarks = Array.from({ length: 5 }, () => world.step().remarks ?? []).flat();
  expect(remarks.join()).toMatch(/SIMD kernels was lost \(worker thread 1 has ended\); the run continues in double/);
  world.samples.forEach(({ nodePosition }, s) => {
    expect(farthest(nodePosition, alone.samples[s].nodePosition)).toBeLessThan(3e-6 * LENGTH);
  });
});
