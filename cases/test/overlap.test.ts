/** The meter of overlaps against overlaps that are known; and scenes that no case has, none of which may go deeper than a twentieth. */
import type { SceneInput } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
// gives cases their world
import '../src/index.ts';
import { worldOf } from '../src/case.ts';
import { rodDistance } from '../src/contact.ts';
import { createOverlapMeter } from '../src/overlap.ts';

type Vector = [number, number, number];
type RodInput = SceneInput['rods'][number];

const rope = (id: string, from: Vector, to: Vector, edges: number, radius: number, change: Partial<RodInput> = {}) => ({
  id,
  shape: { type: 'straight' as const, from, to },
  edges,
  section: { type: 'circle' as const, radius },
  material: { E: 5e6, nu: 0.4, density: 1100, damping: { mass: 1 } },
  ...change,
});

describe('the meter', () => {
  const look = (scene: SceneInput): { rods: number; obstacles: number } => {
    const meter = createOverlapMeter(worldOf(scene));
    meter.look();
    return meter;
  };
  const r = 0.002;

  it('finds how deep two rods lie in each other, across and along, over the smaller radius', () => {
    const first = rope('a', [-0.1, 0, 0], [0.1, 0, 0], 7, r);
    for (const depth of [0.3, 0.02, -0.1]) {
      const z = 1.5 * r - 0.5 * r * depth;
      const across = rope('b', [0.013, -0.1, z], [0.013, 0.1, z], 5, 0.5 * r);
      const along = rope('b', [-0.05, 0, z], [0.05, 0, z], 3, 0.5 * r);
      for (const second of [across, along]) {
        const { rods, obstacles } = look({ tendril: 1, rods: [first, second], contact: {} });
        expect(rods).toBeCloseTo(Math.max(0, depth), 9);
        expect(obstacles).toBe(0);
        // rods that do not touch are none of its business
        expect(look({ tendril: 1, rods: [first, second] }).rods).toBe(0);
      }
    }
    const wide = rope('b', [0.013, -0.1, 3 * r], [0.013, 0.1, 3 * r], 5, 0.5 * r);
    expect(look({ tendril: 1, rods: [first, wide], contact: { radius: 2 * r } }).rods).toBeCloseTo(0.5, 9);
  });

  it('finds the same as comparing all with all, of rods long and short, thick and thin, near and far', () => {
    // numbers between −1 and 1 that look like any
    let state = 7;
    const next = (): number => {
      state = (48271 * state) % 2147483647;
      return (2 * state) / 2147483647 - 1;
    };
    let found = 0;
    for (const size of [0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.02, 0.02, 0.02]) {
      const rods = Array.from({ length: 40 }, (_, k) => {
        const from = [0, 1, 2].map(() => size * next() - (k % 8 ? 0 : 5)) as Vector;
        const to = from.map((p) => p + (k === 1 ? 1 : 0.05) * next()) as Vector;
        return rope(`${k}`, from, to, k === 1 ? 2 : 9, r * (k % 5 ? 0.3 : 1));
      });
      const world = worldOf({ tendril: 1, rods, contact: {} });
      let deepest = 0;
      for (let a = 0; a < rods.length; a++)
        for (let b = a + 1; b < rods.length; b++) {
          const radii = [a, b].map((rod) => world.rods[rod].edgeRadius[0]);
          const depth = (radii[0] + radii[1] - rodDistance(world, a, b)) / Math.min(...radii);
          deepest = Math.max(deepest, depth);
        }
      const meter = createOverlapMeter(world);
      meter.look();
      expect(meter.rods).toBe(deepest);
      if (deepest > 0) found++;
    }
    expect(found).toBeGreaterThan(5);
  });

  it('finds a rod in itself, but not beside itself', () => {
    // three quarters of a turn, and the tail crosses the head half a radius too near
    const rod = {
      ...rope('a', [0, 0, 0], [1, 0, 0], 40, r),
      shape: { type: 'formula' as const, x: '0.03*sin(7*u)', y: '0.03*cos(7*u)', z: `${1.5 * r}*u` },
    };
    const { rods } = look({ tendril: 1, rods: [rod], contact: {} });
    expect(rods).toBeGreaterThan(0.4);
    expect(rods).toBeLessThan(0.8);
    expect(look({ tendril: 1, rods: [rod], contact: { self: false } }).rods).toBe(0);
    expect(look({ tendril: 1, rods: [rope('a', [0, 0, 0], [0.1, 0, 0], 200, r)], contact: {} }).rods).toBe(0);
  });

  it('finds nodes and the middles of edges in obstacles, where they are now, and leaves out what is held', () => {
    const scene = (z: number, pins: SceneInput['pins']): SceneInput => ({
      tendril: 1,
      // the middle of the second edge is above the ball
      rods: [rope('a', [-0.03, 0, z], [0.03, 0, z], 3, r)],
      pins,
      colliders: [
        { id: 'ball', type: 'sphere', radius: 0.01, path: { keys: [{ time: 0, offset: [0, 0, -1] }, { time: 1 }] } },
      ],
    });
    expect(look(scene(0.01 + 0.75 * r - 1, [])).obstacles).toBeCloseTo(0.25, 3);
    expect(look(scene(0.01 + 0.75 * r, [])).obstacles).toBe(0);
    const held = [{ rod: 'a', at: { u: 1 / 3 } }];
    expect(look(scene(0.01 + 0.75 * r - 1, held)).obstacles).toBe(0);
  });
});

const scenes: Readonly<Record<string, SceneInput>> = {
  'ropes on a rock of triangles that spins and hops': {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: Array.from({ length: 4 }, (_, k) =>
      rope(`${k}`, [-0.15, 0.03 * k - 0.05, 0.1 + 0.01 * k], [0.15, 0.035 * k - 0.06, 0.1 + 0.015 * k], 20, 0.0025),
    ),
    colliders: [
      {
        id: 'rock',
        type: 'mesh',
        friction: 0.4,
        // two pyramids, base to base, askew
        vertices: [
          [0.07, 0, 0],
          [0, 0.06, 0.01],
          [-0.06, 0, 0],
          [0, -0.07, -0.01],
          [0.01, 0, 0.07],
          [0, 0.01, -0.06],
        ],
        faces: [
          [0, 1, 4],
          [1, 2, 4],
          [2, 3, 4],
          [3, 0, 4],
          [1, 0, 5],
          [2, 1, 5],
          [3, 2, 5],
          [0, 3, 5],
        ],
        path: { keys: [{ time: 0 }, { time: 0.3, rotation: [0, 0, 2], offset: [0, 0, 0.05] }, { time: 0.6 }] },
      },
    ],
    contact: { friction: 0.3 },
    time: { duration: 0.5, step: 1 / 240 },
  },
  'a field that breathes and sweeps through hair': {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: Array.from({ length: 8 }, (_, k) =>
      rope(`${k}`, [0.02 * k - 0.07, 0, 0.2], [0.02 * k - 0.07, 0.001 * k, -0.05], 20, 0.001, {
        material: { E: 1e8, nu: 0.4, density: 1100 },
      }),
    ),
    pins: Array.from({ length: 8 }, (_, k) => ({ rod: `${k}`, at: 'start' as const })),
    colliders: [
      {
        id: 'torus',
        type: 'formula',
        formula: 'sqrt((sqrt(x^2 + y^2) - 0.06)^2 + z^2) - 0.02 - 0.003*sin(20*t)',
        friction: 0.2,
        path: {
          keys: [
            { time: 0, offset: [0, -0.15, 0.05] },
            { time: 0.4, offset: [0, 0.1, 0.05], rotation: [0.6, 0, 0] },
          ],
        },
      },
    ],
    contact: { friction: 0.2 },
    time: { duration: 0.5, step: 1 / 240 },
  },
  'a stick that beats through hair': {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: Array.from({ length: 8 }, (_, k) =>
      rope(`${k}`, [0.006 * k, 0.002 * (k % 3), 0], [0.006 * k, 0.002 * (k % 3), -0.2], 16, 0.001, {
        material: { E: 2e8, nu: 0.4, density: 1100 },
      }),
    ),
    pins: Array.from({ length: 8 }, (_, k) => ({ rod: `${k}`, at: 'start' as const })),
    colliders: [
      {
        id: 'stick',
        type: 'capsule',
        from: [-0.05, 0, 0],
        to: [0.12, 0, 0],
        radius: 0.004,
        path: {
          keys: [
            { time: 0, offset: [0, -0.05, -0.1] },
            { time: 0.1, offset: [0, 0.05, -0.12] },
            { time: 0.2, offset: [0, -0.08, -0.14], rotation: [0, 0.3, 0] },
          ],
        },
      },
    ],
    contact: { friction: 0.2 },
    time: { duration: 0.3, step: 1 / 240 },
  },
  'ropes of two models across each other': {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: Array.from({ length: 6 }, (_, k) => {
      const z = 0.02 + 0.014 * k;
      return k % 2
        ? rope(`${k}`, [-0.1, 0.01 * k - 0.03, z], [0.1, 0.012 * k - 0.03, z], 16, 0.003, { model: 'strand' })
        : rope(`${k}`, [0.012 * k - 0.03, -0.1, z], [0.01 * k - 0.03, 0.1, z], 16, 0.003);
    }),
    colliders: [{ id: 'floor', type: 'plane', friction: 0.3 }],
    contact: { friction: 0.3 },
    time: { duration: 0.5, step: 1 / 240 },
  },
  'a ball on a rope falls into a net': {
    tendril: 1,
    gravity: [0, 0, -9.81],
    bodies: [{ id: 'ball', solid: { type: 'sphere', radius: 0.02, density: 3000 }, position: [0, 0, 0.1] }],
    rods: [
      ...Array.from({ length: 10 }, (_, k) => {
        const a = 0.012 * (k - (k % 2 ? 5 : 4));
        return k % 2
          ? rope(`${k}`, [-0.1, a, 0.003], [0.1, a, 0.003], 20, 0.002)
          : rope(`${k}`, [a, -0.1, -0.003], [a, 0.1, -0.003], 20, 0.002);
      }),
      rope('tail', [0, 0, 0.12], [0, 0, 0.2], 6, 0.001),
    ],
    welds: [{ rod: 'tail', at: 'start', body: 'ball' }],
    pins: Array.from({ length: 10 }, (_, k) =>
      (['start', 'end'] as const).map((at) => ({ rod: `${k}`, at, hold: 'position' as const })),
    ).flat(),
    colliders: [{ id: 'ball', type: 'sphere', radius: 0.02, body: 'ball', friction: 0.3 }],
    contact: { friction: 0.2 },
    time: { duration: 0.3, step: 1 / 240 },
  },
  'a rod wound up on itself': {
    tendril: 1,
    gravity: [0, 0, -1],
    rods: [
      rope('rod', [0, 0, 0], [0.4, 0, 0], 56, 0.0025, {
        material: { E: 2e6, nu: 0.4, density: 1000, damping: { mass: 10, stiffness: 5e-4 } },
      }),
    ],
    pins: [
      { rod: 'rod', at: 'start' },
      {
        rod: 'rod',
        at: 'end',
        path: {
          interpolation: 'linear',
          keys: [{ time: 0 }, { time: 0.8, offset: [-0.2, 0, 0], twist: '6 turns' }],
        },
      },
    ],
    contact: { friction: 0.3 },
    time: { duration: 0.8, step: 1 / 240 },
  },
};

describe('what goes into each other', () => {
  it.each(Object.keys(scenes))('%s: by no more than a twentieth of the radius, at any step', (name) => {
    const scene = scenes[name];
    const world = worldOf(scene);
    // what a body carries lies in it
    const meter = createOverlapMeter(world, { except: (rod, node) => world.rods[rod].id === 'tail' && node < 2 });
    const steps = Math.round(((scene.time?.duration as number) ?? 0) / (scene.time?.step as number));
    let contacts = 0;
    for (let k = 0; k < steps; k++) {
      world.step();
      meter.look();
      contacts += world.contactForces().length;
    }
    expect(contacts).toBeGreaterThan(50);
    expect(meter.deepest, meter.where).toBeLessThan(0.05);
    // it is measured at all: contacts are never exactly where they should be
    expect(meter.deepest).toBeGreaterThan(0);
  });
});
