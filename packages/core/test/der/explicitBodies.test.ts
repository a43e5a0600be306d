/** The paper's coupling: rods and bodies by the explicit schemes. */
import { describe, expect, it } from 'vitest';
import { createWorld, type RodSpec, type Scene, type World } from '../../src/index.ts';

type Scheme = 'shake' | 'fast-projection' | 'tr-bdf2';

const section = { type: 'stiffness' as const, EI1: 1, EI2: 1.5, GJ: 0.8, mass: 0.2, radius: 0.01 };
const rod = (id: string, from: readonly [number, number, number], to: readonly [number, number, number]): RodSpec => ({
  id,
  shape: { type: 'straight', from, to },
  edges: 10,
  section,
});

/** Two rods and two tops that tumble through empty space. */
const tumbling = (integrator: Scheme, step: number, changes: Partial<Scene> = {}): World =>
  createWorld({
    tendril: 1,
    rods: [rod('r', [0, 0, 0], [1, 0, 0]), rod('s', [1, 0.1, 0], [1, 1, 0.3])],
    bodies: [
      {
        id: 'b',
        mass: 0.4,
        inertia: [0.02, 0.03, 0.045],
        position: [1.05, 0.02, 0.03],
        velocity: { linear: [0, 1, 0], angular: [3, -4, 5] },
      },
      {
        id: 'c',
        mass: 0.3,
        inertia: [0.01, 0.03, 0.03],
        position: [-0.05, 0.02, 0.03],
        velocity: { angular: [-8, 1, 0] },
      },
    ],
    welds: [
      { rod: 'r', at: 'end', body: 'b' },
      { rod: 'r', at: 'start', body: 'c' },
      { rod: 's', at: 'start', body: 'b' },
    ],
    time: { duration: 1, step },
    solver: { der: { integrator, twist: 'quasistatic', strain: 'bergou2008' } },
    ...changes,
  });

const gap = (a: ArrayLike<number>, b: ArrayLike<number>): number => Math.hypot(...Array.from(a, (x, k) => x - b[k]));

/** Largest relative change of an edge's length. */
function stretch(world: World): number {
  let worst = 0;
  world.rods.forEach(({ edgeCount, edgeLengthRest }, r) => {
    const x = world.samples[r].nodePosition;
    for (let j = 0; j < edgeCount; j++)
      worst = Math.max(
        worst,
        Math.abs(gap(x.subarray(3 * j, 3 * j + 3), x.subarray(3 * j + 3, 3 * j + 6)) / edgeLengthRest[j] - 1),
      );
  });
  return worst;
}

/** Distance of a rod's end from where its body says it is: r + R a. */
function weldGap(world: World, rodIndex: number, node: number, body: number, arm: readonly number[]): number {
  const { position, rotation } = world.bodies[body].pose;
  const x = world.samples[rodIndex].nodePosition.subarray(3 * node, 3 * node + 3);
  const seat = [0, 1, 2].map(
    (k) => position[k] + rotation[3 * k] * arm[0] + rotation[3 * k + 1] * arm[1] + rotation[3 * k + 2] * arm[2],
  );
  return gap(x, seat);
}

describe('a free system of rods and bodies', () => {
  it('keeps momentum to rounding, edges and welds to 1e-8, and energy to second order', () => {
    const drift = [2e-4, 1e-4].map((step) => {
      const world = tumbling('shake', step);
      const before = world.momentum();
      const energy = world.energies().total;
      let worst = 0;
      for (let k = 0; k < 0.2 / step; k++) {
        world.step();
        worst = Math.max(worst, Math.abs(world.energies().total / energy - 1));
      }
      const after = world.momentum();
      expect(Math.hypot(...before.angular)).toBeGreaterThan(0.1);
      expect(gap(after.linear, before.linear)).toBeLessThan(1e-11);
      expect(gap(after.angular, before.angular)).toBeLessThan(1e-11);
      expect(stretch(world)).toBeLessThan(1e-9);
      expect(weldGap(world, 0, 10, 0, [-0.05, -0.02, -0.03])).toBeLessThan(1e-14);
      return worst;
    });
    expect(drift[0]).toBeLessThan(3e-4);
    expect(drift[0] / drift[1]).toBeGreaterThan(3);
  });

  it('moves as the monolithic implicit coupling says', () => {
    const implicit = tumbling('tr-bdf2', 1e-3);
    for (let k = 0; k < 200; k++) implicit.step();
    for (const [scheme, tolerance] of [
      ['shake', 1e-4],
      ['fast-projection', 2e-4],
    ] as const) {
      const world = tumbling(scheme, 1e-3);
      const start = world.bodies.map(({ pose }) => pose.position.slice());
      for (let k = 0; k < 200; k++) world.step();
      world.bodies.forEach(({ pose }, b) => {
        expect(gap(pose.position, start[b])).toBeGreaterThan(0.02);
        expect(gap(pose.position, implicit.bodies[b].pose.position)).toBeLessThan(tolerance);
        expect(gap(pose.orientation, implicit.bodies[b].pose.orientation)).toBeLessThan(tolerance);
      });
    }
  });

  it('continues bit for bit from a saved state', () => {
    for (const scheme of ['shake', 'fast-projection'] as const) {
      const world = tumbling(scheme, 1e-3);
      for (let k = 0; k < 5; k++) world.step();
      const saved = world.save();
      const hash = world.hash();
      for (let k = 0; k < 5; k++) world.step();
      const other = tumbling(scheme, 1e-3);
      other.restore(saved);
      expect(other.hash()).toBe(hash);
      for (let k = 0; k < 5; k++) other.step();
      expect(other.hash()).toBe(world.hash());
    }
  });

  it('is a free top when the rod weighs and holds next to nothing', () => {
    const light = { type: 'stiffness' as const, EI1: 1e-9, GJ: 1e-9, mass: 1e-8, radius: 0.01 };
    const top = createWorld({
      tendril: 1,
      rods: [{ ...rod('r', [0, 0, 0], [1, 0, 0]), edges: 3, section: light }],
      bodies: [{ id: 'b', mass: 1, inertia: [1, 2, 2.5], position: [0, 0, 0], velocity: { angular: [0.1, 2, 0.05] } }],
      welds: [{ rod: 'r', at: 'start', body: 'b', hold: 'position' }],
      time: { duration: 10, step: 0.01 },
      solver: { der: { integrator: 'shake' } },
    });
    const before = top.momentum().angular.slice();
    const energy = top.energies().kinetic;
    let least = Infinity;
    for (let k = 0; k < 800; k++) {
      top.step();
      least = Math.min(least, top.bodies[0].pose.orientation[0] ** 2 + top.bodies[0].pose.orientation[2] ** 2);
    }
    // about its middle axis it flips over (Dzhanibekov), and energy and momentum stay
    expect(least).toBeLessThan(0.2);
    expect(gap(top.momentum().angular, before)).toBeLessThan(1e-10);
    expect(top.energies().kinetic / energy - 1).toBeLessThan(1e-4);
  });
});

describe('explicit schemes with bodies', () => {
  it('trade kinetic energy for twist at the frequency of the torque transducer', () => {
    const [GJ, length, I1, I2] = [0.8, 1.5, 0.03, 0.05];
    const omega = Math.sqrt((GJ / length) * (1 / I1 + 1 / I2));
    for (const integrator of ['shake', 'fast-projection'] as const) {
      const flywheel = (id: string, I: number, x: number, spin: number) => ({
        id,
        mass: 2,
        inertia: [I, I, I],
        position: [x, 0, 0] as const,
        velocity: { angular: [spin, 0, 0] as const },
      });
      const world = createWorld({
        tendril: 1,
        rods: [{ ...rod('r', [0, 0, 0], [length, 0, 0]), section: { ...section, EI2: 1, GJ } }],
        bodies: [flywheel('a', I1, 0, 5), flywheel('b', I2, length, (-5 * I1) / I2)],
        welds: [
          { rod: 'r', at: 'start', body: 'a' },
          { rod: 'r', at: 'end', body: 'b' },
        ],
        time: { duration: 1, step: (0.25 * Math.PI) / omega / 50 },
        solver: { der: { integrator } },
      });
      const energy = world.energies().total;
      // a quarter of a period: all of it is twist
      for (let k = 0; k < 100; k++) world.step();
      expect(world.energies().twisting / energy).toBeCloseTo(1, integrator === 'shake' ? 3 : 2);
      for (let k = 0; k < 100; k++) world.step();
      expect(world.bodies[0].pose.angularVelocity[0]).toBeCloseTo(-5, 2);
      expect(world.energies().total / energy).toBeCloseTo(1, integrator === 'shake' ? 5 : 2);
    }
  });

  it('let a guided, tuned body on a spring bounce and turn as the implicit one does', () => {
    const spring = (integrator: Scheme): World =>
      createWorld({
        tendril: 1,
        rods: [
          {
            id: 'spring',
            shape: { type: 'helix', axis: [0, 0, 1], start: [1, 0, 0], radius: 0.01, pitch: 0.005, turns: 5 },
            edges: 40,
            section: { type: 'circle', radius: 5e-4 },
            material: { E: 2e11, nu: 0.3, density: 8000 },
          },
        ],
        pins: [{ rod: 'spring', at: 'start' }],
        bodies: [
          {
            id: 'bob',
            mass: 0.5,
            inertia: [6.43e-5, 6.43e-5, 6.43e-5],
            position: [0, 0, 0.025],
            velocity: { linear: [0, 0, 0.1] },
            free: { translation: ['z'], rotation: ['z'] },
          },
        ],
        welds: [{ rod: 'spring', at: 'end', body: 'bob' }],
        time: { duration: 1, step: 1e-3 },
        solver: { der: { integrator, twist: 'quasistatic', strain: 'bergou2008' } },
      });
    const [a, b] = (['shake', 'tr-bdf2'] as const).map((scheme) => {
      const world = spring(scheme);
      for (let k = 0; k < 220; k++) world.step();
      return world.bodies[0].pose;
    });
    expect(Math.abs(a.position[2] - 0.025)).toBeGreaterThan(2e-3);
    expect(Math.abs(a.orientation[3])).toBeGreaterThan(5e-3);
    expect(a.position[2]).toBeCloseTo(b.position[2], 5);
    expect(a.orientation[3]).toBeCloseTo(b.orientation[3], 3);
    expect(Math.abs(a.position[0])).toBeLessThan(1e-9);
  });

  it('join halves at a junction, and an inner node to a body, as the implicit ones do', () => {
    const scene = (integrator: Scheme): World =>
      createWorld({
        tendril: 1,
        gravity: [0, 0, -5],
        rods: [
          { ...rod('a', [0, 0, 0], [0.5, 0, 0]), edges: 8 },
          { ...rod('b', [0.5, 0, 0], [1, 0, 0]), edges: 8 },
        ],
        pins: [{ rod: 'a', at: 'start' }],
        bodies: [
          { id: 'j', mass: 0, position: [0.5, 0, 0] },
          { id: 'm', mass: 0.1, inertia: [1e-3, 1e-3, 1e-3], position: [0.75, 0.1, 0] },
        ],
        welds: [
          { rod: 'a', at: 'end', body: 'j' },
          { rod: 'b', at: 'start', body: 'j' },
          { rod: 'b', at: { node: 4 }, body: 'm' },
        ],
        time: { duration: 1, step: 2e-3 },
        solver: { der: { integrator, twist: 'quasistatic', strain: 'bergou2008' } },
      });
    const [a, b] = (['shake', 'tr-bdf2'] as const).map((scheme) => {
      const world = scene(scheme);
      for (let k = 0; k < 100; k++) world.step();
      return world;
    });
    const end = (world: World): Float64Array => world.samples[1].nodePosition.slice(-3);
    expect(end(b)[2]).toBeLessThan(-0.05);
    expect(Math.abs(b.bodies[1].pose.position[1] - 0.1)).toBeGreaterThan(1e-4);
    // the junction's inertia in the explicit scheme is of the order of one edge
    expect(gap(end(a), end(b))).toBeLessThan(2e-3);
    expect(gap(a.bodies[1].pose.orientation, b.bodies[1].pose.orientation)).toBeLessThan(5e-3);
  });

  it('come to rest where statics says', () => {
    const scene = (integrator: Scheme): World =>
      createWorld({
        tendril: 1,
        gravity: [0, 0, -1],
        rods: [{ ...rod('r', [0, 0, 0], [1, 0, 0]), section: { ...section, damping: { mass: 6 } } }],
        pins: [{ rod: 'r', at: 'start' }],
        bodies: [{ id: 'b', mass: 0.02, inertia: [1e-3, 1e-3, 1e-3], position: [1.1, 0, 0.05] }],
        welds: [{ rod: 'r', at: 'end', body: 'b' }],
        time: { duration: 10, step: 0.01 },
        solver: { der: { integrator, strain: 'bergou2008' } },
      });
    const world = scene('shake');
    for (let k = 0; k < 600; k++) world.step();
    const still = scene('tr-bdf2');
    still.equilibrate();
    expect(still.bodies[0].pose.position[2]).toBeLessThan(0.03);
    expect(gap(world.bodies[0].pose.position, still.bodies[0].pose.position)).toBeLessThan(1e-5);
  });

  it('leave no NaN behind when a twist flings a body', () => {
    for (const integrator of ['shake', 'tr-bdf2'] as const) {
      const world = createWorld({
        tendril: 1,
        rods: [
          {
            ...rod('r', [0, 0, 0], [1, 0, 0]),
            edges: 20,
            frame: { twist: 60 },
            natural: 'straight',
          },
        ],
        pins: [{ rod: 'r', at: 'start' }],
        bodies: [{ id: 'b', mass: 0.01, inertia: [1e-6, 1e-6, 1e-6], position: [1, 0.02, 0] }],
        welds: [{ rod: 'r', at: 'end', body: 'b' }],
        time: { duration: 0.2, step: 0.01, halvings: 6 },
        solver: { der: { integrator } },
      });
      try {
        for (let k = 0; k < 10; k++) world.step();
      } catch (error) {
        expect(String(error)).toContain('failed for rod');
      }
      const { q, v, memory } = world.save().bundles[0];
      for (const array of [q, v, memory]) expect(array.every((x) => Number.isFinite(x))).toBe(true);
      expect(Math.abs(world.bodies[0].pose.orientation[0])).toBeLessThan(1.0000001);
    }
  });
});
