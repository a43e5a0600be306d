/** Obstacles of every shape: thin ones, solid ones, moving ones. */
import { describe, expect, it } from 'vitest';
import { measureDistance } from '../../src/contact/shapes/collider.ts';
import { compileColliders } from '../../src/contact/shapes/compileCollider.ts';
import type { ColliderSpec, Scene } from '../../src/scene/types.ts';
import { createWorld, type World } from '../../src/world/world.ts';
import { g, icosphere, r, run, straight } from './support.ts';

describe('a surface that is not solid', () => {
  const sheet = (changes: Partial<ColliderSpec>, thrown: number, from: number, contact?: Scene['contact']): World =>
    createWorld({
      ...(contact && { contact }),
      tendril: 1,
      rods: [straight('a', [-0.03, 0.01, from], [0.03, 0, from], 6)],
      // from rest, so that no speed at the start of the step gives it away
      loads: [{ rod: 'a', type: 'distributed', force: [0, 0, thrown * 1000 * Math.PI * r * r] }],
      colliders: [
        {
          type: 'mesh',
          vertices: [
            [-0.1, -0.1, 0],
            [0.1, -0.1, 0],
            [0.1, 0.1, 0],
            [-0.1, 0.1, 0],
          ],
          faces: [[0, 1, 2, 3]],
          solid: false,
          ...changes,
        } as ColliderSpec,
      ],
      time: { duration: 1, step: 1 / 240 },
    });
  const heights = (world: World): number[] =>
    Array.from({ length: 7 }, (_, i) => world.samples[0].nodePosition[3 * i + 2]);

  it('stops what is thrown at it within one step, from either side', () => {
    for (const side of [1, -1]) {
      // 8000 m/s² for 1/240 s: 7 cm and more
      const world = sheet({}, -8000 * side, 0.03 * side);
      for (let k = 0; k < 4; k++) {
        world.step();
        expect(Math.min(...heights(world).map((z) => side * z))).toBeGreaterThan(0.9 * r);
      }
      expect(Math.max(...heights(world).map((z) => side * z))).toBeLessThan(0.02);
    }
  });

  it('lets pass what goes by', () => {
    const world = sheet({ position: [0.2, 0, 0] }, -8000, 0.03);
    world.step();
    expect(Math.max(...heights(world))).toBeLessThan(-0.01);
    expect(world.contactForces().length).toBe(0);
  });

  it('stops it where it moves itself, and without a check of paths it does not', () => {
    const rising = {
      path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, offset: [0, 0, 0.6] }] },
    } as const;
    const world = sheet(rising, -8000, 0.03);
    for (let k = 0; k < 3; k++) world.step();
    expect(Math.min(...heights(world))).toBeGreaterThan(0.6 * world.time + 0.5 * r);
    const through = sheet({}, -8000, 0.03, { continuous: false });
    for (let k = 0; k < 3; k++) through.step();
    expect(Math.max(...heights(through))).toBeLessThan(0);
  });
});

describe('a rod that falls across an obstacle', () => {
  const ball = icosphere(2, 0.05);
  const shapes: readonly (readonly [string, ColliderSpec])[] = [
    ['sphere', { type: 'sphere', radius: 0.05, friction: 0.5 }],
    ['box', { type: 'box', size: [0.06, 0.06, 0.1] }],
    ['capsule', { type: 'capsule', from: [0, -0.1, 0], to: [0, 0.1, 0], radius: 0.05, friction: 0.2 }],
    ['mesh', { type: 'mesh', ...ball, friction: 0.3 }],
    ['surface', { type: 'mesh', ...ball, solid: false }],
    ['formula', { type: 'formula', formula: 'sqrt(x^2 + y^2 + z^2) - 0.05', friction: 0.3 }],
  ];
  it.each(shapes)('%s: stays outside it', (_, shape) => {
    const scene: Scene = {
      tendril: 1,
      gravity: [0, 0, -g],
      rods: [
        {
          id: 'rod',
          shape: { type: 'straight', from: [-0.09, 0.003, 0.056], to: [0.11, -0.005, 0.056] },
          edges: 30,
          section: { type: 'circle', radius: 0.001 },
          material: { E: 2e6, nu: 0.4, density: 1000, damping: { mass: 3 } },
        },
      ],
      colliders: [shape],
      time: { duration: 1, step: 1 / 240 },
    };
    const world = createWorld(scene);
    const [collider] = compileColliders(scene, world.rods, [], []);
    const out = new Float64Array(4);
    let deepest = 0;
    let touched = 0;
    for (let k = 0; k < 72; k++) {
      world.step();
      touched += world.contactForces().length;
      const x = world.samples[0].nodePosition;
      for (let i = 0; i < 60; i++) {
        // nodes and middles
        const o = 3 * (i >> 1);
        const w = i & 1 ? 0.5 : 0;
        const at = [0, 1, 2].map((a) => (1 - w) * x[o + a] + w * x[o + 3 + a]);
        measureDistance(out, collider, at[0], at[1], at[2]);
        deepest = Math.max(deepest, 1 - out[0] / 0.001);
      }
    }
    expect(touched).toBeGreaterThan(20);
    expect(deepest).toBeLessThan(0.05);
  });
});

describe('a moving floor', () => {
  it('carries what lies on it', () => {
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -g],
      rods: [straight('rod', [0, 0, r], [0.1, 0, r], 6)],
      colliders: [
        {
          type: 'plane',
          friction: 0.5,
          path: {
            keys: [
              { time: 0, offset: [0, 0, 0] },
              { time: 0.4, offset: [0.02, 0.01, 0.03] },
            ],
          },
        },
      ],
      time: { duration: 1, step: 1 / 240 },
    });
    run(world, 120);
    const end = world.samples[0].nodePosition;
    expect(end[0]).toBeCloseTo(0.02, 3);
    expect(end[1]).toBeCloseTo(0.01, 3);
    expect(end[2]).toBeCloseTo(0.03 + r, 4);
  });
});
