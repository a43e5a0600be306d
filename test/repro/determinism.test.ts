/**
 * A run does not depend on what is read between its steps, nor on being saved and resumed: the hashes are equal.
 *
 * Steps of a length whose multiples are not sums (k·dt ≠ (k − 1)·dt + dt in the last bit), and pins that move, so that a model
 * with a clock of its own would be caught.
 */
import { createPinPose, createWorld, type Model, type Scene, type World } from '@tendril-sim/core';
import { loadDer, loadFiber } from '@tendril-sim/core/kernels';
import { beforeAll, describe, expect, it } from 'vitest';

type Variant = [name: string, scene: Scene, kernels: 'der' | 'fiber' | undefined];

const models: Model[] = [];
beforeAll(async () => {
  models.push(await loadDer(), await loadFiber());
});

/** Two clamped rods side by side, whose clamps move and turn. */
function moving(model: Scene['rods'][number]['model'], solver: Scene['solver'], more: Partial<Scene> = {}): Scene {
  const path = (sign: number) => ({
    keys: [
      { time: 0 },
      { time: 0.0255795, rotation: [0.63, 0.45, -0.62 * sign] as const },
      { time: 0.0369919, offset: [0.0367, -0.04 * sign, -0.0345] as const },
    ],
  });
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [0, 1].map((k) => ({
      id: `rod${k}`,
      ...(model && { model }),
      shape: {
        type: 'arc',
        from: [0.08, -0.02 + 0.1 * k, 0.2],
        tangent: [0.05, -0.8, 0.5],
        normal: [0.8, 0.6, 0.3],
        radius: 0.2,
        angle: 1.2,
      },
      edges: 6,
      section: { type: 'circle', radius: 0.005 },
      material: { E: 3e6, nu: 0.4, density: 900 },
    })),
    pins: [0, 1].map((k) => ({ rod: `rod${k}`, at: 'start', path: path(1 - 2 * k) })),
    solver,
    time: { duration: 1, step: 0.0025422 },
    ...more,
  };
}

const touching: Partial<Scene> = {
  colliders: [
    {
      type: 'sphere',
      radius: 0.06,
      position: [0.1, 0.03, 0.13],
      friction: 0.3,
      path: { keys: [{ time: 0 }, { time: 0.05, offset: [0, 0, 0.05] }] },
    },
  ],
  contact: { friction: 0.3 },
};

const variants: readonly Variant[] = [
  ...(['tr-bdf2', 'bdf2', 'implicit-euler', 'midpoint', 'shake', 'fast-projection'] as const).map(
    (integrator): Variant => [`der ${integrator}`, moving('der', { der: { integrator } }), undefined],
  ),
  ['der with kernels', moving('der', {}), 'der'],
  [
    'der, inextensible',
    { ...moving('der', {}), rods: moving('der', {}).rods.map((r) => ({ ...r, inextensible: true })) },
    undefined,
  ],
  ...(['implicit-euler', 'bdf2', 'semi-implicit'] as const).map(
    (integrator): Variant => [`helix ${integrator}`, moving('helix', { helix: { integrator } }), undefined],
  ),
  ...(['bdf2', 'implicit-euler'] as const).map(
    (integrator): Variant => [`strand ${integrator}`, moving('strand', { strand: { integrator } }), undefined],
  ),
  // rods of one bundle share work space: the first is free, the last is held
  ...(['bdf2', 'implicit-euler'] as const).map((integrator): Variant => {
    const scene = moving('strand', { strand: { integrator } });
    return [`strand ${integrator}, one free`, { ...scene, pins: (scene.pins ?? []).slice(1) }, undefined];
  }),
  ...(['energy-momentum', 'deti-r', 'midpoint', 'implicit-euler'] as const).map(
    (integrator): Variant => [`fiber ${integrator}`, moving('fiber', { fiber: { integrator } }), undefined],
  ),
  ['fiber with kernels', moving('fiber', {}), 'fiber'],
  ...(['tr-bdf2', 'implicit-euler', 'midpoint', 'verlet'] as const).map(
    (integrator): Variant => [
      `cosserat ${integrator}`,
      moving('cosserat', { cosserat: { integrator, section: 'inflated', gyration: 0.02 } }),
      undefined,
    ],
  ),
  ['massspring', moving('massspring', {}), undefined],
  ['massspring published', moving('massspring', { massspring: { theta: 1 } }), undefined],
  ...(['der', 'helix', 'strand', 'fiber'] as const).map(
    (model): Variant => [`${model} in contact`, moving(model, {}, touching), undefined],
  ),
  ['der in contact with kernels', moving('der', {}, touching), 'der'],
  ['fiber in contact with kernels', moving('fiber', {}, touching), 'fiber'],
  [
    'der in a continuum',
    moving('der', {}, { contact: { between: 'continuum', continuum: { cell: 0.02 } } }),
    undefined,
  ],
];

function readEverything(world: World): void {
  world.energies();
  world.momentum();
  world.reactions();
  world.rods.forEach((_, rod) => {
    for (const channel of ['curvature', 'twist', 'tension'] as const) world.channel(rod, channel);
  });
  world.contactForces();
  world.linkForces();
  world.save();
  if (world.colliders.length === 0 && !world.scene.contact) {
    world.modes(3);
    world.matrices();
  }
  for (const grip of world.grips) grip.evaluate(pose, world.time);
}
const pose = createPinPose();

const steps = 11;
describe.each([...variants])('%s', (_, scene, kernels) => {
  const open = (): World => createWorld(scene, { models: models.filter(({ id }) => id === kernels) });
  let expected: string[] = [];
  beforeAll(() => {
    const world = open();
    expected = Array.from({ length: steps }, () => {
      world.step();
      return world.hash();
    });
  });

  it('moves', () => {
    expect(new Set(expected).size).toBe(steps);
  });

  it('is not changed by reading', () => {
    const world = open();
    const found = Array.from({ length: steps }, () => {
      world.step();
      readEverything(world);
      return world.hash();
    });
    expect(found).toEqual(expected);
  });

  it('resumes bit for bit after every step', () => {
    let world = open();
    const found = Array.from({ length: steps }, () => {
      world.step();
      const hash = world.hash();
      const next = open();
      next.restore(world.save());
      expect(next.hash()).toBe(hash);
      world = next;
      return hash;
    });
    expect(found).toEqual(expected);
  });
});
