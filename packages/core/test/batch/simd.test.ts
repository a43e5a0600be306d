/** The SIMD kernels, translated from the same sweeps, against the reference in double precision, step by step; and as a backend of a world. */
import { beforeAll, describe, expect, test } from 'vitest';
import { loadSimdDer } from '../../src/batch/index.ts';
import {
  createWorld,
  type FieldSpec,
  type LoadSpec,
  type Model,
  type PinSpec,
  type RodSpec,
  type Scene,
  type World,
} from '../../src/index.ts';
import { farthest, material, rod, sceneOf } from './scenes.ts';

const LENGTH = 0.3;
let simd: Model;
beforeAll(async () => {
  simd = await loadSimdDer();
});

const shapes: readonly Partial<RodSpec>[] = [
  { natural: { curvature: [3, 2, 1] } },
  {
    shape: { type: 'helix', radius: 0.012, pitch: 0.04, turns: 3 },
    natural: 'initial',
    section: { type: 'circle', radius: 60e-6 },
  },
  { natural: 'initial', section: { type: 'circle', radius: 60e-6 } },
];

/** Seven rods, so that the second block of four has a lane without a rod of its own. */
function hairs(
  der: NonNullable<Scene['solver']>['der'],
  changes: Partial<RodSpec> = {},
  pin: Partial<PinSpec> = {},
): Scene {
  const rods = Array.from(
    { length: 7 },
    (_, k): RodSpec => ({ ...rod, edges: 9, ...shapes[k % shapes.length], ...changes, id: `hair ${k}` }),
  );
  const pins = rods.map(({ id }): PinSpec => ({ rod: id, at: 'start', ...pin }));
  return sceneOf({ rods, pins, solver: { der: { twist: 'quasistatic', ...der } } });
}

function openBoth(scene: Scene): { readonly reference: World; readonly world: World } {
  const { der } = scene.solver ?? {};
  const withBackend = (backend: 'batch' | 'simd'): Scene => ({ ...scene, solver: { der: { ...der, backend } } });
  return { reference: createWorld(withBackend('batch')), world: createWorld(withBackend('simd'), { models: [simd] }) };
}

const path: Partial<PinSpec> = {
  path: {
    interpolation: 'smooth',
    keys: [{ time: 0 }, { time: 0.1, offset: [0.01, -0.02, 0.03], rotation: [0.3, -0.2, 0.6] }],
  },
};
const damped = (damping: { mass?: number; stiffness?: number }): Partial<RodSpec> => ({
  material: { ...material, damping },
});

const curly: Partial<RodSpec> = { ...shapes[1] };
const thrown: Partial<RodSpec> = { ...curly, velocity: { linear: [0.4, -0.2, 0.6], angular: [3, 5, -2] } };

/** Drag by speed and by its square, in a wind that changes with time. */
const gusts: FieldSpec = {
  type: 'air',
  wind: ['0.5 + 5*t', '-1', '8*t'],
  linear: [2e-4, 1e-4],
  quadratic: { density: 1.2, normal: 1.2, tangential: 0.3 },
};

/** Clamped, pinned, free and released hair in one scene. */
function mixedRoots(): Scene {
  const scene = hairs({ integrator: 'bdf2' }, curly);
  const pins = scene.pins?.flatMap((pin, k): PinSpec[] => {
    if (k < 2) return [pin];
    if (k < 4) return [{ ...pin, hold: 'position' }];
    return k < 6 ? [{ ...pin, release: 0.03 }] : [];
  });
  return { ...scene, ...(pins && { pins }) };
}

const torqueOn = (id: string): LoadSpec => ({ rod: id, type: 'torque', at: 'end', torque: [4e-9, 8e-9, 1e-8] });

describe('SIMD step by step', () => {
  test.each<[string, Scene]>([
    ['bdf2', hairs({ integrator: 'bdf2' })],
    ['bdf2, moving roots', hairs({ integrator: 'bdf2' }, {}, path)],
    ['tr-bdf2, moving roots', hairs({ integrator: 'tr-bdf2' }, {}, path)],
    ['implicit Euler, damping of mass', hairs({ integrator: 'implicit-euler' }, damped({ mass: 3 }))],
    ['bdf2, damping of stiffness, moving roots', hairs({ integrator: 'bdf2' }, damped({ stiffness: 5e-3 }), path)],
    [
      'tr-bdf2, both dampings, moving roots',
      hairs({ integrator: 'tr-bdf2' }, damped({ mass: 1.5, stiffness: 2e-3 }), path),
    ],
    ['two edges', hairs({ integrator: 'bdf2' }, { edges: 2, shape: rod.shape })],
    ['bdf2, pinned roots that move', hairs({ integrator: 'bdf2' }, curly, { ...path, hold: 'position' })],
    [
      'tr-bdf2, pinned roots, both dampings',
      hairs({ integrator: 'tr-bdf2' }, { ...curly, ...damped({ mass: 1.5, stiffness: 2e-3 }) }, { hold: 'position' }),
    ],
    ['bdf2, free', { ...hairs({ integrator: 'bdf2' }, thrown), pins: [] }],
    ['implicit Euler, free, damping of mass', { ...hairs({}, { ...thrown, ...damped({ mass: 3 }) }), pins: [] }],
    ['bdf2, some released, some pinned', mixedRoots()],
    ['bdf2 in a wind that rises, moving roots', { ...hairs({ integrator: 'bdf2' }, {}, path), fields: [gusts] }],
    [
      'tr-bdf2 in the wind, some in another, damping of joints',
      {
        ...hairs({ integrator: 'tr-bdf2' }, damped({ stiffness: 2e-3 }), path),
        fields: [
          { ...gusts, rods: ['hair 0', 'hair 3', 'hair 4'] },
          {
            type: 'air',
            linear: [4e-4, 2e-4],
            factor: { formula: '1 + 20*t' },
            rods: ['hair 1', 'hair 6'],
          },
        ],
      },
    ],
  ])('%s', (_, scene) => {
    const { reference, world } = openBoth(scene);
    expect(world.warnings.join()).not.toMatch(/without SIMD/);
    const starts = reference.samples.map(({ nodePosition }) => nodePosition.slice());
    for (let k = 0; k < 24; k++) {
      reference.step();
      world.step();
      world.samples.forEach(({ nodePosition, nodeVelocity }, s) => {
        expect(farthest(nodePosition, reference.samples[s].nodePosition)).toBeLessThan(3e-6 * LENGTH);
        expect(farthest(nodeVelocity, reference.samples[s].nodeVelocity)).toBeLessThan(1e-3);
      });
    }
    world.samples.forEach(({ nodePosition }, s) => {
      expect(farthest(nodePosition, starts[s])).toBeGreaterThan(0.01);
    });
  });

  test('one step from equal states is within 1e-6 of the largest displacement', () => {
    const { reference, world } = openBoth(hairs({ integrator: 'bdf2' }));
    for (let k = 0; k < 10; k++) reference.step();
    world.restore(reference.save());
    const before = reference.samples.map(({ nodePosition }) => nodePosition.slice());
    reference.step();
    world.step();
    world.samples.forEach(({ nodePosition }, s) => {
      const expected = reference.samples[s].nodePosition;
      const way = farthest(expected, before[s]);
      expect(way).toBeGreaterThan(1e-3);
      expect(farthest(nodePosition, expected)).toBeLessThan(1e-6 * LENGTH + 1e-6 * way);
    });
  });
});

test('flat hair that buckles sideways is followed through', () => {
  // an ellipse that bends about its stiffer axis, with the slightest push across
  const flat: Partial<RodSpec> = {
    shape: { type: 'straight', from: [0, 0, 0], to: [-0.068, -0.1335, 0.05] },
    edges: 31,
    natural: 'initial',
    section: { type: 'stiffness', EI1: 3.6744e-9, EI2: 6.1146e-9, GJ: 2.744e-9, mass: 5e-6 },
  };
  const one = sceneOf({ gravity: [1e-3, 0, -9.81], time: { step: 1 / 60, duration: 1 } }, flat);
  const { reference, world } = openBoth({
    ...one,
    solver: { der: { integrator: 'implicit-euler', twist: 'quasistatic', tolerance: 1e-3 } },
  });
  let [iterations, across] = [0, 0];
  for (let k = 0; k < 24; k++) {
    iterations = Math.max(iterations, world.step().iterationsMax);
    reference.step();
    const [x, y] = world.samples[0].nodePosition.slice(-3);
    across = Math.max(across, Math.abs(x * 0.1335 - y * 0.068) / 0.15);
    expect(farthest(world.samples[0].nodePosition, reference.samples[0].nodePosition)).toBeLessThan(1e-3);
  }
  expect(iterations).toBeGreaterThan(25);
  expect(across).toBeGreaterThan(1e-3);
});

describe('backend: simd', () => {
  const run = (world: World, steps: number): World => {
    for (let k = 0; k < steps; k++) world.step();
    return world;
  };
  const open = (scene: Scene): World => openBoth(scene).world;

  test.each([
    ['clamped', hairs({ integrator: 'bdf2' }, damped({ mass: 1.5, stiffness: 2e-3 }), path)],
    ['free', { ...hairs({ integrator: 'bdf2' }, thrown), pins: [] }],
  ])('two runs, and a run that is saved and restored, have the same bits: %s', (_, scene) => {
    const whole = run(open(scene), 12);
    const half = run(open(scene), 6);
    const resumed = open(scene);
    resumed.restore(half.save());
    expect(run(resumed, 6).hash()).toBe(whole.hash());
    expect(run(open(scene), 12).hash()).toBe(whole.hash());
    expect(run(open(scene), 11).hash()).not.toBe(whole.hash());
  });

  test('edges keep their length over a thousand steps', () => {
    const world = run(
      open(hairs({ integrator: 'bdf2' }, { edges: 6, shape: rod.shape, section: { type: 'circle', radius: 1e-3 } })),
      1000,
    );
    world.rods.forEach(({ edgeCount, edgeLengthRest }, s) => {
      const x = world.samples[s].nodePosition;
      for (let j = 0; j < edgeCount; j++) {
        const length = Math.hypot(...[0, 1, 2].map((k) => x[3 * j + 3 + k] - x[3 * j + k]));
        expect(Math.abs(length / edgeLengthRest[j] - 1)).toBeLessThan(2e-7);
      }
    });
  });

  test('rods that the kernels do not cover are moved beside them, and a warning says so', () => {
    const scene = hairs({ integrator: 'bdf2' });
    const { reference, world } = openBoth({ ...scene, loads: [torqueOn('hair 0')] });
    expect(world.warnings.join()).toMatch(/'hair 0' is computed in double precision, without SIMD: it has loads/);
    run(reference, 10);
    run(world, 10);
    world.samples.forEach(({ nodePosition }, s) => {
      expect(farthest(nodePosition, reference.samples[s].nodePosition)).toBeLessThan(3e-6 * LENGTH);
    });
  });

  test('wind that differs from place to place, and two winds at once, are left to the reference', () => {
    const scene = hairs({ integrator: 'bdf2' });
    const one = { type: 'air', linear: [2e-4, 1e-4], wind: ['x', '0', '0'], rods: ['hair 2'] } as const;
    const two = { type: 'air', linear: [2e-4, 1e-4], rods: ['hair 5'] } as const;
    const { world } = openBoth({ ...scene, fields: [one, two, two] });
    expect(world.warnings.join()).toMatch(/'hair 2' and 1 others are computed.*wind that varies from place to place/);
  });

  test('what it cannot compute is refused', () => {
    const scene = hairs({ backend: 'simd' });
    expect(() => createWorld(scene)).toThrow(/needs its kernels.*loadSimdDer/);
    const loads = scene.rods.map(({ id }) => torqueOn(id));
    expect(() => createWorld({ ...scene, loads }, { models: [simd] })).toThrow(/simd backend cannot move rod 'hair 0'/);
  });
});
