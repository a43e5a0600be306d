import { describe, expect, it } from 'vitest';
import { createWorld, type Scene, type World } from '../../src/index.ts';

const degree = Math.PI / 180;

/** A stiff free strand that lies on a slope along its fall line. */
function block(angle: number, friction: number): Scene {
  const r = 0.01;
  const normal = [-Math.sin(angle), 0, Math.cos(angle)] as const;
  const along = [Math.cos(angle), 0, Math.sin(angle)] as const;
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'block',
        model: 'strand',
        shape: {
          type: 'straight',
          from: [r * normal[0], 0, r * normal[2]],
          to: [0.3 * along[0] + r * normal[0], 0, 0.3 * along[2] + r * normal[2]],
        },
        edges: 4,
        section: { type: 'stiffness', EI1: 10, GJ: 10, mass: 1, inertia: 1e-4, radius: r },
      },
    ],
    colliders: [{ type: 'plane', normal, friction }],
    time: { duration: 0.5, step: 0.005 },
  };
}

function run(scene: Scene, steps: number): World {
  const world = createWorld(scene);
  for (let k = 0; k < steps; k++) world.step();
  return world;
}

const speedDown = (world: World, angle: number): number =>
  -(world.samples[0].nodeVelocity[0] * Math.cos(angle) + world.samples[0].nodeVelocity[2] * Math.sin(angle));

describe('a block on a slope', () => {
  const critical = Math.atan(0.3);

  it('sticks below the angle of friction and slips above it, within 0.1°', () => {
    expect(Math.abs(speedDown(run(block(critical - 0.1 * degree, 0.3), 40), critical))).toBeLessThan(1e-5);
    expect(speedDown(run(block(critical + 0.1 * degree, 0.3), 40), critical)).toBeGreaterThan(1e-3);
  });

  it('slips with the acceleration of Coulomb', () => {
    const angle = 30 * degree;
    const expected = 9.81 * (Math.sin(angle) - 0.3 * Math.cos(angle));
    expect(speedDown(run(block(angle, 0.3), 60), angle) / 0.3 / expected).toBeCloseTo(1, 4);
    expect(Math.abs(speedDown(run(block(angle, 0.8), 60), angle))).toBeLessThan(1e-5);
  });
});

describe('obstacles', () => {
  const strand = (changes: Partial<Scene>): Scene => ({
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'a',
        model: 'strand',
        shape: { type: 'straight', from: [0, 0, 0.1], to: [0.3, 0, 0.1] },
        edges: 12,
        section: { type: 'circle', radius: 0.002 },
        material: { E: 1e7, nu: 0.3, density: 1000, damping: { mass: 6, stiffness: 0.005 } },
      },
    ],
    pins: [{ rod: 'a', at: 'start' }],
    time: { duration: 1, step: 0.005 },
    ...changes,
  });

  it('carry a strand: it never goes through a sphere, and its weight rests on pin and sphere', () => {
    const world = createWorld(
      strand({ colliders: [{ type: 'sphere', radius: 0.05, position: [0.12, 0, 0], friction: 0.5 }] }),
    );
    let least = 1;
    for (let k = 0; k < 300; k++) {
      world.step();
      const { nodePosition: x } = world.samples[0];
      for (let i = 0; i <= 12; i++)
        least = Math.min(least, Math.hypot(x[3 * i] - 0.12, x[3 * i + 1], x[3 * i + 2]) - 0.052);
    }
    expect(least).toBeGreaterThan(-1e-4);
    const push = world.contactForces().reduce((sum, { force }) => sum + force[2], 0);
    const [{ force }] = world.reactions();
    const weight = 9.81 * world.momentum().mass;
    expect(push).toBeGreaterThan(0.3 * weight);
    expect((push + force[2]) / weight).toBeCloseTo(1, 1);
  });

  it('push a strand when they move', () => {
    const path = { keys: [{ time: 0 }, { time: 0.5, offset: [0, 0.3, 0] as const }] };
    const world = run(
      strand({
        gravity: [0, 0, 0],
        colliders: [
          { type: 'capsule', from: [0.2, 0, 0], to: [0.2, 0, 0.2], radius: 0.02, position: [0, -0.1, 0], path },
        ],
      }),
      100,
    );
    // the capsule has come to y = 0.2 and holds the strand beyond it
    expect(world.samples[0].nodePosition[3 * 12 + 1]).toBeGreaterThan(0.15);
  });

  it('let thin curved hairs slide over an edge in whole steps: Newton is judged by its directions', () => {
    // by residuals alone it crept: steps were cut into hundreds of pieces, and one of these took minutes
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [0, 1].map((k) => ({
        id: `hair${k}`,
        model: 'strand' as const,
        hair: 'wavy' as const,
        shape: { type: 'straight' as const, from: [0.04, 0.001 * k, 0.031], to: [0.19, 0.003 - 0.002 * k, 0.031] },
        edges: 40,
      })),
      pins: [0, 1].map((k) => ({ rod: `hair${k}`, at: 'start' as const })),
      colliders: [{ type: 'box', size: [0.1, 0.1, 0.06] }],
      contact: { friction: 0.2 },
      time: { duration: 0.12, step: 4e-3, halvings: 3 },
    });
    let pieces = 0;
    for (let k = 0; k < 30; k++) {
      pieces += world.step().substeps - 1;
      expect(pieces).toBeLessThan(10);
    }
    // it hangs over the edge, and did not go in
    const { nodePosition: x } = world.samples[0];
    expect(x[3 * 40 + 2]).toBeLessThan(0.02);
    expect(world.contactForces().length).toBeGreaterThan(0);
  });

  it('throw a strand back as their restitution says', () => {
    const drop = strand({
      pins: [],
      rods: [
        {
          id: 'a',
          model: 'strand',
          shape: { type: 'straight', from: [0, 0, 0.1], to: [0.1, 0, 0.1] },
          edges: 2,
          section: { type: 'stiffness', EI1: 5, GJ: 5, mass: 1, inertia: 1e-5, radius: 0.002 },
        },
      ],
      colliders: [{ type: 'plane', restitution: 0.6 }],
      time: { duration: 1, step: 0.001 },
    });
    const world = createWorld(drop);
    let top = 0;
    let landed = false;
    for (let k = 0; k < 320; k++) {
      world.step();
      const z = world.samples[0].nodePosition[5];
      landed ||= z < 0.004;
      if (landed) top = Math.max(top, z);
    }
    expect(landed).toBe(true);
    // e² of the height, less what a step of 1 ms takes
    expect((top - 0.002) / 0.098).toBeGreaterThan(0.355);
    expect((top - 0.002) / 0.098).toBeLessThan(0.3601);
  });

  it('goes on bit for bit from a saved state', () => {
    const scene = strand({ colliders: [{ type: 'sphere', radius: 0.05, position: [0.12, 0, 0], friction: 0.5 }] });
    const whole = run(scene, 60);
    const first = run(scene, 40);
    const second = createWorld(scene);
    second.restore(first.save());
    for (let k = 40; k < 60; k++) second.step();
    expect(second.hash()).toBe(whole.hash());
  });
});
