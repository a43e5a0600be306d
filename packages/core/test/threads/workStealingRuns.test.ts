/** Rods that lie on a head are taken by whichever thread is free; who moves one, and who did before, changes no bit of it. */
import type { Scene, Vec3 } from '@tendril-sim/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { compare, hireAll, type Team, takeSteps } from './teams.ts';

const COUNT = 48;
const EDGES = 12;

/** A hair that lies on a ball of 5 cm from its root down, and hangs from its widest place. */
function comb(k: number): Vec3[] {
  const radius = 0.05 + 4e-4;
  const start = Math.acos(0.9 - (0.6 * (k + 0.5)) / COUNT);
  const bend = Math.PI / 2 - start;
  return Array.from({ length: EDGES + 1 }, (_, i): Vec3 => {
    const way = (0.1 * i) / EDGES;
    const angle = start + Math.min(bend, way / radius);
    const r = radius * Math.sin(angle);
    const z = radius * Math.cos(angle) - Math.max(0, way - radius * bend);
    return [r * Math.cos(2.4 * k), r * Math.sin(2.4 * k), z];
  });
}

/** The head nods and turns quickly; every eighth pair of hairs lies so near another that they touch. */
function makeScene(contact: Scene['contact']): Scene {
  const keys = [0, 0.05, 0.1, 0.15, 0.2].map((time, i) => ({ time, rotation: [0.3 * (i % 2), 0, 0.5 * i] as Vec3 }));
  const rods = Array.from({ length: COUNT }, (_, k): Scene['rods'][number] => ({
    id: `hair ${k}`,
    shape: { type: 'points', points: comb(k % 8 === 1 ? k - 0.98 : k) },
    section: { type: 'circle', radius: 1e-4 },
    material: { E: 1e9, G: 4e8, density: 1300, damping: { mass: 2 } },
  }));
  const path = { keys, interpolation: 'smooth' } as const;
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods,
    pins: rods.map(({ id }) => ({ rod: id, at: 'start', path })),
    colliders: [{ type: 'sphere', radius: 0.05, friction: 0.3, path }],
    ...(contact && { contact }),
    time: { duration: 1, step: 1 / 120 },
    solver: { der: { integrator: 'implicit-euler' } },
  };
}

describe('rods that threads take from each other', () => {
  let teams: readonly Team[];
  beforeAll(async () => {
    teams = await hireAll();
  });

  const alone: [string, Scene['contact']] = ['alone', { between: 'none', tolerance: 1e-3 }];

  it.each<[string, Scene['contact']]>([
    ...(process.env.TENDRIL_LONG ? [alone] : []),
    ['beside some that touch each other', { radius: 4e-4, friction: 0.2, tolerance: 1e-3 }],
  ])('%s have the bits of one thread', (_, contact) => {
    compare(teams, makeScene(contact), (world) => {
      // what follows from the state is asked for in the middle of it all
      const reports = [takeSteps(world, 3), world.energies(), world.reactions(), takeSteps(world, 3)];
      const forces = world.contactForces();
      expect(forces.filter(({ kind }) => kind !== 'rod').length).toBeGreaterThan(COUNT / 2);
      expect(forces.some(({ kind }) => kind === 'rod')).toBe(contact?.between !== 'none');
      return [...reports, forces];
    });
  });
});
