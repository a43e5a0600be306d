/** Contact with obstacles by the SIMD kernels, against the same sweeps in double precision, step by step. */
import { beforeAll, describe, expect, test } from 'vitest';
import { loadSimdDer, mergedBatchModel } from '../../src/batch/index.ts';
import { createWorld, type Model, type RodSpec, type Scene, type World } from '../../src/index.ts';
import { farthest } from './scenes.ts';

const RADIUS = 2e-4;
const LENGTH = 0.16;
let simd: Model;
beforeAll(async () => {
  simd = await loadSimdDer();
});

/** Six hairs over a ball that turns, a capsule, a tilted box and a floor: lanes of one block press and fly at different times. */
function sceneOf(changes: Partial<Scene> = {}, damping = { mass: 3, stiffness: 0 }): Scene {
  const hair = (id: string, y: number, z: number): RodSpec => ({
    id,
    shape: { type: 'straight', from: [0, y, z], to: [LENGTH, y + 0.02, z] },
    edges: 12,
    section: { type: 'circle', radius: RADIUS },
    material: { E: 1e8, G: 4e7, density: 1300, damping },
    inextensible: true,
  });
  const rods = [0, 0.2, 0.4, 0.01, 0.7, 0.41].map((y, k) => hair(`hair ${k}`, y, k % 3 === 0 ? 0.05 : 0.03));
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods,
    pins: rods.map(({ id }) => ({ rod: id, at: 'start' as const })),
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
    solver: { der: { twist: 'quasistatic', integrator: 'bdf2' } },
    ...changes,
  } as Scene;
}

/** A roof with its ridge along y. */
const wedge = {
  vertices: [
    [0, 0, 0],
    [0.1, 0, 0],
    [0.05, 0, 0.05],
    [0, 0.1, 0],
    [0.1, 0.1, 0],
    [0.05, 0.1, 0.05],
  ],
  faces: [
    [0, 1, 2],
    [3, 5, 4],
    [0, 3, 4, 1],
    [1, 4, 5, 2],
    [0, 2, 5, 3],
  ],
} as const;

const withBackend = (scene: Scene, backend: 'batch' | 'simd' | 'standard'): Scene => ({
  ...scene,
  solver: { der: { ...scene.solver?.der, backend } },
});
const open = (scene: Scene): World => createWorld(withBackend(scene, 'simd'), { models: [simd] });
const openReference = (scene: Scene): World => createWorld(withBackend(scene, 'batch'), { models: [mergedBatchModel] });

function run(world: World, steps: number): World {
  for (let k = 0; k < steps; k++) world.step();
  return world;
}

describe('contact by SIMD', () => {
  test.each([
    ['without damping of joints', { mass: 3, stiffness: 0 }],
    ['without damping', { mass: 0, stiffness: 0 }],
    ['with damping of joints', { mass: 3, stiffness: 3e-4 }],
  ])('follows the reference step by step, %s', (_, damping) => {
    const [world, reference] = [open(sceneOf({}, damping)), openReference(sceneOf({}, damping))];
    const start = world.samples.map(({ nodePosition }) => nodePosition.slice());
    let [contacts, mixed] = [0, 0];
    for (let k = 0; k < 34; k++) {
      const found = world.step().contact;
      const expected = reference.step().contact;
      contacts = Math.max(contacts, found?.contacts ?? 0);
      expect(found?.contacts).toBe(expected?.contacts);
      expect(found?.iterations).toBe(expected?.iterations);
      expect(Math.abs((found?.overlap ?? 0) - (expected?.overlap ?? 0))).toBeLessThan(1e-3 * RADIUS);
      if (world.contactForces().length > 0 && new Set(world.contactForces().map(({ rod }) => rod)).size < 6) mixed++;
      world.samples.forEach(({ nodePosition }, s) => {
        // contacts count as settled within 2 % of the radius: rounding may decide whether one of them presses
        expect(farthest(nodePosition, reference.samples[s].nodePosition)).toBeLessThan(0.02 * RADIUS);
      });
    }
    expect(contacts).toBeGreaterThan(5);
    expect(mixed).toBeGreaterThan(8);
    world.samples.forEach(({ nodePosition }, s) => {
      expect(farthest(nodePosition, start[s])).toBeGreaterThan(2e-3);
    });
  });

  test('pinned hair follows the reference, and free hair is moved beside the kernels', () => {
    const scene = sceneOf();
    const pins = scene.pins?.flatMap((pin, k) =>
      k === 5 ? [] : [k % 2 === 0 ? pin : { ...pin, hold: 'position' as const }],
    );
    const [world, reference] = [
      open({ ...scene, ...(pins && { pins }) }),
      openReference({ ...scene, ...(pins && { pins }) }),
    ];
    expect(world.warnings.join()).toMatch(/'hair 5' is computed.*free at its first node and may meet colliders/);
    let contacts = 0;
    for (let k = 0; k < 24; k++) {
      contacts = Math.max(contacts, world.step().contact?.contacts ?? 0);
      reference.step();
    }
    expect(contacts).toBeGreaterThan(3);
    world.samples.forEach(({ nodePosition }, s) => {
      expect(farthest(nodePosition, reference.samples[s].nodePosition)).toBeLessThan(1e-5 * LENGTH);
    });
  });

  test('distance fields: a ring, an ellipsoid that turns and a mesh, as the reference does and near the contact solver', () => {
    const scene = sceneOf({
      colliders: [
        {
          id: 'ring',
          type: 'torus',
          ring: 0.04,
          radius: 0.02,
          position: [0.08, 0.2, 0],
          rotation: [0.2, 0.1, 0],
          friction: 0.2,
        },
        {
          id: 'head',
          type: 'ellipsoid',
          radii: [0.1, 0.08, 0.047],
          friction: 0.3,
          path: { keys: [{ time: 0 }, { time: 0.2, offset: [0.01, 0, 0], rotation: [0, 0.4, 0.2] }] },
        },
        { id: 'wedge', type: 'mesh', ...wedge, position: [0.03, 0.35, -0.04], friction: 0.2 },
      ],
    });
    const [world, reference, exact] = [open(scene), openReference(scene), createWorld(withBackend(scene, 'standard'))];
    const others = new Set<string>();
    let [error, off] = [0, 0];
    for (let k = 0; k < 34; k++) {
      const found = world.step().contact;
      const expected = reference.step().contact;
      exact.step();
      expect(found?.contacts).toBe(expected?.contacts);
      for (const { other } of world.contactForces()) others.add(other);
      world.samples.forEach(({ nodePosition }, s) => {
        error = Math.max(error, farthest(nodePosition, reference.samples[s].nodePosition));
        off = Math.max(off, farthest(nodePosition, exact.samples[s].nodePosition));
      });
    }
    expect([...others].sort()).toEqual(['head', 'ring', 'wedge']);
    expect(error).toBeLessThan(1e-5 * LENGTH);
    expect(off).toBeLessThan(RADIUS);
    // a mesh has edges that no table resolves
    expect(world.warnings.join()).toMatch(/collider 'wedge' is a table of distances.*off by up to/);
    expect(world.warnings.join()).not.toMatch(/'head' is a table/);
  });

  test('shapes without a distance field are refused', () => {
    const refused =
      (collider: object): (() => World) =>
      () =>
        open(sceneOf({ colliders: [collider] } as Partial<Scene>));
    expect(refused({ id: 'wall', type: 'mesh', ...wedge, solid: false })).toThrow(/has no surfaces without an inside/);
    expect(refused({ id: 'wave', type: 'formula', formula: 'z + 0.1 + 0.01*sin(t)' })).toThrow(
      /has no colliders that change/,
    );
  });

  test('a saved state has the contacts: the run goes on with the same bits', () => {
    const world = run(open(sceneOf()), 40);
    const state = world.save();
    const hash = run(world, 10).hash();
    world.restore(state);
    expect(run(world, 10).hash()).toBe(hash);
    const other = open(sceneOf());
    other.restore(state);
    expect(run(other, 10).hash()).toBe(hash);
    world.restore({ ...state, contact: new Float64Array(0) });
    expect(run(world, 10).hash()).not.toBe(hash);
  });
});
