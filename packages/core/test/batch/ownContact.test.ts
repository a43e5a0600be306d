/** Worlds whose strands merge contact into their own iterations, in double precision, against the contact of contact/. */
import { describe, expect, test } from 'vitest';
import { mergedBatchModel } from '../../src/batch/index.ts';
import { createWorld, type RodSpec, type Scene, type World } from '../../src/index.ts';

const RADIUS = 2e-4;
const hair = {
  section: { type: 'circle', radius: RADIUS },
  material: { E: 1e8, G: 4e7, density: 1300, damping: { mass: 3 } },
  inextensible: true,
} as const;

function rod(id: string, from: [number, number, number], to: [number, number, number]): RodSpec {
  return { id, shape: { type: 'straight', from, to }, edges: 12, ...hair };
}

/** Hair over a ball that turns, a capsule, a tilted box and a floor; one hair is free. */
function sceneOf(changes: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      rod('ball', [0, 0, 0.05], [0.16, 0.02, 0.05]),
      rod('capsule', [0, 0.2, 0.03], [0.16, 0.2, 0.03]),
      rod('box', [0, 0.4, 0.03], [0.16, 0.42, 0.03]),
      rod('free', [0, 0.6, 0.004], [0.16, 0.62, 0.02]),
    ],
    pins: ['ball', 'capsule', 'box'].map((id) => ({ rod: id, at: 'start' as const })),
    colliders: [
      {
        id: 'head',
        type: 'sphere',
        radius: 0.05,
        friction: 0.3,
        path: { keys: [{ time: 0 }, { time: 0.2, offset: [0.01, 0, 0], rotation: [0, 0.4, 0.2] }] },
      },
      { id: 'bar', type: 'capsule', from: [0.05, 0.1, 0], to: [0.07, 0.3, -0.01], radius: 0.02, friction: 0.2 },
      {
        id: 'block',
        type: 'box',
        size: [0.06, 0.08, 0.04],
        rounding: 0.008,
        rotation: [0, 0.2, 0.3],
        position: [0.08, 0.4, 0],
      },
      { id: 'floor', type: 'plane', position: [0, 0.5, -0.03], friction: 0.5 },
    ],
    time: { step: 1 / 480, duration: 1 },
    solver: { der: { backend: 'batch', twist: 'quasistatic', integrator: 'implicit-euler' } },
    ...changes,
  } as Scene;
}

const merged = (changes: Partial<Scene> = {}): World => createWorld(sceneOf(changes), { models: [mergedBatchModel] });

function run(world: World, steps: number): World {
  for (let k = 0; k < steps; k++) world.step();
  return world;
}

function distance(a: World, b: World): number {
  return Math.max(
    ...a.samples.flatMap(({ nodePosition: x }, r) =>
      Array.from(x, (one, k) => Math.abs(one - b.samples[r].nodePosition[k])),
    ),
  );
}

/** Clamped hair that falls on a tilted floor and slides; where it is after 0.3 s. */
function onTiltedFloor(backend: 'batch' | 'standard', step: number): World {
  const scene = sceneOf({
    rods: [{ ...rod('hair', [0, 0, 0.02], [0.2, 0.03, 0.02]), edges: 20 }],
    pins: [{ rod: 'hair', at: 'start' }],
    colliders: [{ id: 'floor', type: 'plane', position: [0, 0, -0.02], rotation: [0.3, 0.1, 0], friction: 0.3 }],
    time: { step, duration: 1 },
    solver: { der: { backend, twist: 'quasistatic', integrator: 'bdf2' } },
  });
  const world = createWorld(scene, backend === 'batch' ? { models: [mergedBatchModel] } : {});
  return run(world, Math.round(0.3 / step));
}

describe('merged contact in a world', () => {
  test('hair on a tilted floor is much closer to the contact solver than either is to small steps', () => {
    const [coarse, merged, fine] = [
      onTiltedFloor('standard', 1 / 240),
      onTiltedFloor('batch', 1 / 240),
      onTiltedFloor('standard', 1 / 960),
    ];
    const error = distance(coarse, fine);
    expect(error).toBeGreaterThan(5e-4);
    expect(distance(merged, coarse)).toBeLessThan(0.1 * error);
  });

  test('moves hair as the contact solver does, and reports as it does', () => {
    const solver = { der: { backend: 'standard', twist: 'quasistatic', integrator: 'implicit-euler' } } as const;
    const [one, exact] = [merged(), createWorld(sceneOf({ solver }))];
    let [contacts, converged, overlap] = [0, 0, 0];
    for (let k = 0; k < 72; k++) {
      const { contact } = one.step();
      exact.step();
      contacts = Math.max(contacts, contact?.contacts ?? 0);
      overlap = Math.max(overlap, contact?.overlap ?? 0);
      if (contact?.converged) converged++;
    }
    expect(distance(one, createWorld(sceneOf()))).toBeGreaterThan(0.02);
    expect(distance(one, exact)).toBeLessThan(2e-3);
    expect(contacts).toBeGreaterThan(8);
    expect(overlap).toBeLessThan(1.5 * RADIUS);
    expect(converged).toBeGreaterThan(50);
    const others = new Set(one.contactForces().map(({ other }) => other));
    expect(others).toEqual(new Set(exact.contactForces().map(({ other }) => other)));
  });

  test('forces of contact carry the weight, and reactions balance them', () => {
    const world = merged({
      rods: [rod('free', [0, 0, RADIUS], [0.16, 0, RADIUS])],
      pins: [],
      colliders: [{ type: 'plane', friction: 0.5 }],
    });
    run(world, 100);
    const weight = 9.81 * world.rods[0].nodeMass.reduce((sum, m) => sum + m);
    const lift = world.contactForces().reduce((sum, { force }) => sum + force[2], 0);
    expect(lift / weight).toBeCloseTo(1, 3);
    expect(Math.max(...Array.from(world.channel(0, 'tension'), Math.abs))).toBeLessThan(1e-3 * weight);
  });

  test('forces of short steps: a thick rope that slides along a bar carries its weight there, and friction follows', () => {
    const scene = sceneOf({
      rods: [
        {
          ...rod('rope', [0, 0, 0], [0.4, 0, 0]),
          edges: 16,
          section: { type: 'circle', radius: 5e-3 },
          material: { E: 1e8, G: 4e7, density: 1000, damping: { mass: 10 } },
        },
      ],
      pins: [{ rod: 'rope', at: 'start', path: { keys: [{ time: 0 }, { time: 0.16, offset: [0.01, -0.08, -0.04] }] } }],
      colliders: [{ type: 'capsule', radius: 0.04, from: [0.2, -0.3, -0.06], to: [0.2, 0.3, -0.06], friction: 0.5 }],
      time: { step: 2.5e-4, duration: 1 },
    });
    const worlds = [createWorld(scene), createWorld(scene, { models: [mergedBatchModel] })] as const;
    const lift = [0, 0];
    for (let k = 0; k < 480; k++)
      worlds.forEach((world, w) => {
        world.step();
        for (const { force } of world.contactForces()) lift[w] += force[2];
      });
    expect(lift[1] / lift[0]).toBeCloseTo(1, 1);
    expect(distance(...worlds)).toBeLessThan(2e-4);
  });

  test('a saved state has the contacts: the run goes on with the same bits', () => {
    const world = run(merged(), 40);
    const state = world.save();
    const hash = run(world, 10).hash();
    world.restore(state);
    expect(run(world, 10).hash()).toBe(hash);
    const other = merged();
    other.restore(state);
    expect(run(other, 10).hash()).toBe(hash);
    // without them it does not
    world.restore({ ...state, contact: new Float64Array(0) });
    expect(run(world, 10).hash()).not.toBe(hash);
  });

  test('a collider leaves the root of a hair alone that is held inside it', () => {
    const world = merged({
      rods: [rod('hair', [0, 0, 0.03], [0, 0, 0.19])],
      pins: [{ rod: 'hair', at: 'start' }],
      colliders: [{ id: 'head', type: 'sphere', radius: 0.05 }],
    });
    expect(world.warnings.join()).toMatch(/held inside collider 'head'/);
    const before = world.samples[0].nodePosition.slice();
    run(world, 40);
    expect(Math.max(...world.samples[0].nodePosition.map((x, k) => Math.abs(x - before[k])))).toBeLessThan(1e-6);
  });

  test.each<[string, Partial<Scene>, RegExp]>([
    [
      'a formula',
      { colliders: [{ type: 'formula', formula: 'z' }] },
      /no colliders (that change|without a bounding box)/,
    ],
    ['a hollow', { colliders: [{ type: 'sphere', radius: 1, hollow: true }] }, /no hollow colliders/],
    ['a rebound', { colliders: [{ type: 'plane', restitution: 0.5 }] }, /no restitution/],
    ['some rods', { colliders: [{ type: 'plane', rods: ['ball'] }] }, /act on some rods only/],
    ['two frictions', { colliders: [{ type: 'plane', friction: { static: 0.5, dynamic: 0.3 } }] }, /static friction/],
    ['a continuum', { contact: { between: 'continuum', continuum: { cell: 0.01 } } }, /no hair as a continuum/],
    ['rolling', { contact: { rolling: true } }, /no friction that turns rods/],
    ['two frictions of rods', { contact: { friction: { static: 0.5, dynamic: 0.3 } } }, /static friction/],
    ['TR-BDF2', { solver: { der: { backend: 'batch', integrator: 'tr-bdf2' } } }, /a scheme with one stage/],
  ])('%s is refused', (_, changes, message) => {
    expect(() => merged(changes)).toThrow(message);
  });
});
