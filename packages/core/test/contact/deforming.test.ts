/** Obstacles whose surface moves by itself: meshes with keys, and formulas in time. They carry rods, and the energy audit counts their work. */
import { describe, expect, it } from 'vitest';
import { createWorld, type Scene } from '../../src/index.ts';

const RADIUS = 0.01;
const RISE = 4;
const surface = (t: number): number => 0.5 * RISE * t * t;

/** A floor that rises with 4 m/s²: two triangles, or a formula. */
const floors: Record<string, NonNullable<Scene['colliders']>[number]> = {
  'a mesh with smooth keys': {
    type: 'mesh',
    vertices: corners(0),
    faces: [
      [0, 1, 2],
      [0, 2, 3],
    ],
    solid: false,
    interpolation: 'smooth',
    deform: Array.from({ length: 41 }, (_, k) => ({ time: 0.02 * k, vertices: corners(surface(0.02 * k)) })),
  },
  'a mesh with a blend shape': {
    type: 'mesh',
    vertices: corners(1),
    faces: [
      [0, 1, 2],
      [0, 2, 3],
    ],
    solid: false,
    interpolation: 'smooth',
    blend: {
      shapes: [corners(0).map(([, , z]) => [0, 0, z + 1] as const)],
      keys: Array.from({ length: 41 }, (_, k) => ({ time: 0.02 * k, weights: [surface(0.02 * k) - 1] })),
    },
  },
  'a formula in time': { type: 'formula', formula: `z - ${0.5 * RISE}*t^2` },
};

function corners(z: number): [number, number, number][] {
  return [
    [-1, -1, z],
    [1, -1, z],
    [1, 1, z],
    [-1, 1, z],
  ];
}

describe.each(Object.entries(floors))('%s', (_, collider) => {
  it('carries a rod that lies on it, and its work explains the energy', () => {
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [
        {
          id: 'rod',
          shape: { type: 'straight', from: [-0.1, 0, RADIUS], to: [0.1, 0, RADIUS] },
          edges: 6,
          section: { type: 'circle', radius: RADIUS },
          material: { E: 1e8, nu: 0.3, density: 1000 },
        },
      ],
      colliders: [collider],
      time: { duration: 0.6, step: 0.01 },
      solver: { der: { integrator: 'implicit-euler' } },
    });
    for (let k = 0; k < 60; k++) {
      const report = world.step();
      expect(report.energyGain, `at ${world.time} s`).toBeUndefined();
      const x = world.samples[0].nodePosition;
      if (world.time > 0.05)
        for (let i = 0; i < 7; i++)
          expect(Math.abs(x[3 * i + 2] - RADIUS - surface(world.time)), `node ${i} at ${world.time} s`).toBeLessThan(
            2e-5,
          );
    }
    // it moves with the floor
    expect(world.samples[0].nodeVelocity[2]).toBeCloseTo(RISE * 0.6, 1);
  });
});
