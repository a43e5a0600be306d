/** Defects of the world: modes that were cached too long, reads on several threads, a bound on memory. */
import { createWorld, type Scene, type World } from '@tendril-sim/core';
import { loadDer, loadThreadedDer } from '@tendril-sim/core/kernels';
import { afterAll, expect, it } from 'vitest';
// the sources have no file that a thread could run
import { startThreads } from '../../packages/io/dist/node.js';

const rubber = {
  section: { type: 'circle', radius: 0.004 },
  material: { E: 2e6, nu: 0.4, density: 1000 },
} as const;

/** A bar between two clamps with a body in the middle. */
const bar: Scene = {
  tendril: 1,
  rods: [
    { id: 'left', shape: { type: 'straight', from: [0, 0, 0], to: [0.2, 0, 0] }, edges: 8, ...rubber },
    { id: 'right', shape: { type: 'straight', from: [0.2, 0, 0], to: [0.4, 0, 0] }, edges: 8, ...rubber },
  ],
  bodies: [{ id: 'weight', mass: 0.05, inertia: [1e-5, 1e-5, 1e-5], position: [0.2, 0, 0] }],
  welds: [
    { rod: 'left', at: 'end', body: 'weight' },
    { rod: 'right', at: 'start', body: 'weight' },
  ],
  pins: [
    { rod: 'left', at: 'start' },
    { rod: 'right', at: 'end' },
  ],
  time: { duration: 1, step: 0.01 },
};

const lowest = (world: World): number => world.modes(4)[0].omega[0];

it('finds the modes of rods with bodies anew after a release', () => {
  const [asked, fresh] = [createWorld(bar), createWorld(bar)];
  const held = lowest(asked);
  for (const world of [asked, fresh]) world.grips[1].release();
  expect(lowest(fresh)).toBeLessThan(0.5 * held);
  expect(lowest(asked)).toBe(lowest(fresh));
});

it('finds the modes of rods with bodies anew after a load was added', () => {
  const world = createWorld(bar);
  const before = lowest(world);
  // a spring of 50 N/m that holds the last free node of the left rod where it is
  const { nodePosition } = world.samples[0];
  const home = nodePosition.slice();
  const remove = world.addLoad(0, {
    dependsOnState: true,
    potential: () => 0,
    addLoads({ nodeForce }, samples) {
      for (let k = 3 * 4; k < 3 * 5; k++) nodeForce[k] -= 50 * (samples.nodePosition[k] - home[k]);
    },
  });
  const sprung = lowest(world);
  expect(sprung).toBeGreaterThan(1.1 * before);
  remove();
  expect(lowest(world)).toBe(before);
});

/** Rods that are twisted and pushed together by their moving ends. */
const twisted: Scene = {
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: Array.from({ length: 12 }, (_, k) => ({
    id: `r${k}`,
    shape: { type: 'straight', from: [0, 0.1 * k, 0], to: [1, 0.1 * k, 0] },
    edges: 10,
    section: { type: 'circle', radius: 0.01 },
    material: { E: (1 + (k % 5)) * 1e6, nu: 0.4, density: 1000 },
  })),
  pins: Array.from({ length: 12 }, (_, k) => [
    { rod: `r${k}`, at: 'start' as const },
    {
      rod: `r${k}`,
      at: 'end' as const,
      path: {
        keys: [{ time: 0 }, { time: 0.8, twist: 31.4 + 6.28 * (k % 7), offset: [-0.3 - 0.005 * k, 0, 0.05] as const }],
        interpolation: 'linear' as const,
      },
    },
  ]).flat(),
  time: { duration: 0.8, step: 0.02 },
};

it('does not depend on threads, on reads between steps, nor on the repeat', async () => {
  const threads = startThreads(3);
  afterAll(() => threads.close());
  const [one, three] = [await loadDer(), await loadThreadedDer(threads.ports, { leastParts: 2 })];
  const run = (model: typeof one, reads: boolean): string => {
    const world = createWorld(twisted, { models: [model] });
    for (let k = 0; k < 20; k++) {
      world.step();
      if (!reads) continue;
      world.energies();
      world.reactions();
      world.modes(2);
    }
    return world.hash();
  };
  const expected = run(one, false);
  expect(run(one, true)).toBe(expected);
  expect([run(three, false), run(three, true), run(three, true)]).toEqual([expected, expected, expected]);
});

it('refuses a continuum of cells too small for any memory', () => {
  const scene: Scene = { ...twisted, contact: { between: 'continuum', continuum: { cell: 1e-9 } } };
  expect(() => createWorld(scene)).toThrow(/make the cell larger/);
  // few points, but a grid of 10⁹ cells
  const wide = { ...scene, contact: { between: 'continuum', continuum: { cell: 1e-3 } } } as const;
  expect(() => createWorld(wide)).toThrow(/cells of 0.001 m/);
});
