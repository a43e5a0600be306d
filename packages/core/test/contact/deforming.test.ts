/** Obstacles whose surface moves by itself: meshes with keys, and formulas in time. They carry rods, and the energy audit counts their work. */
import { describe, expect, it } from 'vitest';
import { createMesh, type Mesh } from '../../src/contact/shapes/mesh.ts';
import { createWorld, type Scene } from '../../src/index.ts';
import { createTrack } from '../../src/scene/varying.ts';

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

describe('a mesh that deforms', () => {
  /** A tetrahedron that grows and leans, at rest until t = 1. */
  const rest = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1];
  const motion = createTrack([0, 1, 2], [rest, rest, rest.map((x, k) => 1.5 * x + (k === 9 ? 0.4 : 0))], 'linear');
  const create = (): Mesh =>
    createMesh(Float64Array.from(rest), Int32Array.of(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3), { solid: true }, motion);
  const measure = (mesh: Mesh): number[] => {
    const out = new Float64Array(4);
    const values: number[] = [...mesh.bounds];
    // nearest to a face, an edge and a corner, from outside and inside
    for (const [x, y, z] of [
      [0.3, 0.3, -0.1],
      [0.5, -0.2, -0.2],
      [-0.2, -0.3, -0.1],
      [0.2, 0.2, 0.3],
      [0.1, 0.1, 2],
    ]) {
      mesh.distance(out, x, y, z);
      values.push(...out);
      const velocity = new Float64Array(3);
      for (const dt of [0, 0.25, 0.5]) {
        mesh.surfaceVelocity?.(velocity, dt);
        values.push(...velocity);
      }
    }
    return values;
  };

  it('is the same at a time, whatever times it was at before', () => {
    const mesh = create();
    for (const time of [0, 0.5, 1.5, 1.25, 1.5, 1.75, 1.25, 1.5, 0.5, 2, 2.5, 2, 0]) {
      const other = create();
      other.update?.(time);
      mesh.update?.(time);
      expect(measure(mesh), `at ${time} s`).toEqual(measure(other));
    }
  });
});
