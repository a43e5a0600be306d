/** Threads over hairs that touch each other and obstacles. */
import { type Scene, SimulationError } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import { compare, floorAt, hairs, hireAll, repeat, takeSteps, touch } from './teams.ts';

type Rod = Scene['rods'][number];

const teams = await hireAll();

const count = 20;
const shaken: NonNullable<NonNullable<Scene['pins']>[number]['path']> = {
  keys: [
    { time: 0, offset: [0, 0, 0] },
    { time: 0.03, offset: [0, 0, 0] },
    { time: 0.08, offset: [0.02, 0, 0] },
    { time: 0.13, offset: [-0.02, 0.01, 0], rotation: [0, 0.5, 0] },
  ],
};
/** Hairs all over a ball of 2 cm, which is shaken; every third has another number of edges. */
const ball = (contact: Scene['contact'], more: Partial<Scene> = {}): Scene => {
  const rods = Array.from({ length: count }, (_, k): Rod => {
    const z = 1 - (2 * (k + 0.5)) / count;
    const a = 2.4 * k;
    const s = Math.sqrt(1 - z * z);
    const at = (r: number): [number, number, number] => [r * s * Math.cos(a), r * s * Math.sin(a), r * z];
    return {
      id: `hair ${k}`,
      shape: { type: 'straight', from: at(0.02), to: at(0.08) },
      edges: k % 3 === 1 ? 7 : 8,
      section: { type: 'circle', radius: 3e-5 },
      material: { E: 1e8, G: 4e7, density: 1300, damping: { mass: 5 } },
    };
  });
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods,
    pins: rods.map(({ id }) => ({ rod: id, at: 'start', path: shaken })),
    colliders: [{ type: 'sphere', radius: 0.02 - 3e-5, friction: 0.3, path: shaken }],
    contact,
    time: { duration: 1, step: 1 / 240 },
    ...more,
  };
};
const touching = ball({ radius: 6e-4, friction: 0.2, tolerance: 1e-3 });
/** Hairs that meet obstacles alone. */
// with a limit of iterations, steps that are not solved are not split: the bits are what is compared
const apart = (more: Partial<Scene> = {}): Scene => ball({ between: 'none', tolerance: 1e-3, iterations: 300 }, more);

describe('threads over hairs that touch', () => {
  it.each([0.2, 0])('each other, with friction %f', (friction) => {
    const scene: Scene = {
      ...touching,
      colliders: (touching.colliders ?? []).map((collider) => ({ ...collider, friction })),
      contact: { ...touching.contact, friction },
    };
    compare(teams, scene, (world) => {
      const { reports, touched } = touch(world, 40, 'rod');
      expect(touched).toBeGreaterThan(60);
      reports.push(world.energies(), world.momentum(), world.reactions(), world.channel(19, 'curvature'), world.save());
      // reading changed nothing
      return [...reports, ...takeSteps(world, 1)];
    });
  });

  it('a moving ball, each by itself', () => {
    const free = apart();
    // by one layout, ranges may end after every other rod
    const alike: Scene = { ...free, rods: free.rods.map((rod) => ({ ...rod, edges: 8 })) };
    const places = compare(teams, alike, (world) => {
      const { reports, touched } = touch(world, 40);
      expect(touched).toBeGreaterThan(100);
      return [...reports, world.energies(), world.reactions()];
    });
    // rods have changed hands
    for (const many of places) expect(many).toBeGreaterThan(2);
  });

  it('obstacles of all kinds, moved by hand on the way', () => {
    const strip = (z: number): [number, number, number][] => [
      [-0.1, -0.1, z],
      [0.1, -0.1, z],
      [0.1, 0.1, z],
      [-0.1, 0.1, z],
    ];
    // it rises to where hairs end, and does not pinch them: what becomes of pinched hair depends on rounding
    const bed = strip(-0.079);
    const colliders: Scene['colliders'] = [
      { type: 'sphere', radius: 0.0203, friction: { static: 0.4, dynamic: 0.2 }, path: shaken },
      { type: 'sphere', radius: 0.084, hollow: true, friction: 0.1 },
      {
        type: 'box',
        size: [0.06, 0.1, 0.02],
        position: [0.05, 0, -0.06],
        rods: Array.from({ length: count >> 1 }, (_, k) => `hair ${2 * k}`),
      },
      {
        type: 'mesh',
        vertices: bed,
        faces: [
          [0, 1, 2],
          [0, 2, 3],
        ],
        solid: false,
        friction: 0.3,
        deform: [
          { time: 0, vertices: bed },
          { time: 0.2, vertices: strip(-0.06) },
        ],
      },
    ];
    const met = new Set<string>();
    compare(teams, apart({ colliders }), (world) => {
      // the roots lie in the first
      expect(world.warnings.join()).toContain('held inside');
      const meet = (): void => {
        for (const { other } of world.contactForces()) met.add(other);
      };
      const reports = takeSteps(world, 20, meet);
      world.colliders[2].move([-0.01, 0.002, 0.001], world.time, 0.02);
      reports.push(...takeSteps(world, 16, meet));
      return [...reports, world.contactForces(), world.save(), world.energies()];
    });
    expect([...met].sort()).toEqual(colliders.map((_, k) => `collider ${k}`));
  });

  it('a floor, of many layouts, some without a partner', () => {
    const rods = Array.from(
      { length: 40 },
      (_, k): Rod => ({
        id: `hair ${k}`,
        shape: { type: 'straight', from: [0, 0.004 * k, 0], to: [0.1, 0.004 * k, 0] },
        edges: 4 + ((7 * k) % 9),
        section: { type: 'circle', radius: 2e-4 },
        material: { E: 1e8, G: 4e7, density: 1300 },
      }),
    );
    const pins = rods.map(({ id }) => ({ rod: id, at: 'start' }) as const);
    compare(teams, { ...hairs, rods, pins, colliders: floorAt(-0.01) }, (world) => {
      const reports = takeSteps(world, 18);
      expect(world.contactForces().length).toBeGreaterThan(20);
      return reports;
    });
  });

  it('go back to a saved state, and on from it', () => {
    compare(teams, touching, (world) => {
      for (let k = 0; k < 30; k++) world.step();
      return repeat(world, 4);
    });
  });

  it('say which of them fails, and leave all as it was', () => {
    const violent = ball(touching.contact, {
      solver: { der: { iterations: 2 } },
      time: { duration: 1, step: 1 / 60, halvings: 0 },
    });
    compare(teams, violent, (world) => {
      for (let k = 0; k < 30; k++) {
        const before = world.hash();
        try {
          world.step();
        } catch (error) {
          expect(error).toBeInstanceOf(SimulationError);
          expect(world.hash()).toBe(before);
          return [k, String(error), before];
        }
      }
      throw new Error('no step failed');
    });
  });

  it('cut the steps of groups that fail', () => {
    const violent = ball(touching.contact, {
      solver: { der: { iterations: 3 } },
      time: { duration: 1, step: 1 / 80 },
    });
    compare(teams, violent, (world) => {
      const reports: unknown[] = [];
      let substeps = 0;
      for (let k = 0; k < 8; k++) {
        const report = world.step();
        substeps += report.substeps;
        reports.push(report, world.hash());
      }
      expect(substeps).toBeGreaterThan(8);
      return reports;
    });
  });
});
