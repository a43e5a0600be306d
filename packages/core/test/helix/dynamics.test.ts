/** Time steps: order, energy, moving roots, saving, failing. */
import { describe, expect, it } from 'vitest';
import { createWorld, type HelixOptions, type Scene, SimulationError, type World } from '../../src/index.ts';

type Integrator = NonNullable<HelixOptions['integrator']>;
const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.sqrt(Array.from(a).reduce((sum, x, k) => sum + (x - b[k]) ** 2, 0));
const tip = (world: World): Float64Array => world.samples[0].nodePosition.slice(-3);

/** A curled, anisotropic strand that is let go from its natural shape. */
function strand(integrator: Integrator | 'der', step: number, changes: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'a',
        model: integrator === 'der' ? 'der' : 'helix',
        shape: { type: 'helix', axis: [1, 0, 0], start: [0, 1, 0], radius: 0.03, pitch: 0.2, turns: 1.2 },
        edges: 12,
        frame: { follow: 'curve' },
        section: { type: 'stiffness', EI1: 2e-5, EI2: 4e-5, GJ: 2e-5, mass: 1e-3, inertia: 1e-9, radius: 1e-3 },
      },
    ],
    pins: [{ rod: 'a', at: 'start' }],
    time: { duration: 1, step },
    solver: integrator === 'der' ? {} : { helix: { integrator } },
    ...changes,
  };
}

const straight = {
  shape: { type: 'straight' as const, from: [0, 0, 0] as const, to: [0.3, 0, 0] as const },
  frame: { d1: [0, 1, 0] as const },
};

function run(scene: Scene, duration: number): World {
  const world = createWorld(scene);
  const steps = Math.round(duration / (scene.time?.step ?? 1));
  for (let k = 0; k < steps; k++) world.step();
  return world;
}

describe('integrators', () => {
  it.each([
    ['implicit-euler', 1],
    ['semi-implicit', 1],
    ['bdf2', 2],
  ] as const)('%s is of order %s', (integrator, order) => {
    // smooth motion: from the equilibrium, shaken by its root
    const path = {
      keys: [0, 0.05, 0.1, 0.2].map((time, k) => ({
        time,
        offset: [0, 0.02 * k, 0] as const,
        rotation: [0.1 * k, 0, 0.3 * k] as const,
      })),
    };
    const at = (step: number): Float64Array => {
      // the jump of the acceleration at the start excites waves that no such step resolves: they are damped out
      const scene = strand(integrator, step, { pins: [{ rod: 'a', at: 'start', path }] });
      const section = {
        ...(scene.rods[0].section as object),
        damping: { stiffness: 3e-3 },
      } as (typeof scene.rods)[0]['section'];
      const world = createWorld({ ...scene, rods: [{ ...scene.rods[0], section }] });
      world.equilibrate();
      for (let k = 0; k < Math.round(0.05 / step); k++) world.step();
      return world.samples[0].nodePosition.slice();
    };
    const [a, b, c] = [1e-3, 5e-4, 2.5e-4].map(at);
    const measured = Math.log2(distance(a, b) / distance(b, c));
    expect(distance(b, c)).toBeGreaterThan(1e-8);
    expect(Math.abs(measured - order)).toBeLessThan(0.2);
  });

  it('agree with each other and with Discrete Elastic Rods', () => {
    const bdf2 = tip(run(strand('bdf2', 5e-4), 0.1));
    const der = strand('der', 5e-4);
    const fine = run({ ...der, rods: [{ ...der.rods[0], inextensible: true, edges: 60 }] }, 0.1);
    const start = createWorld(strand('bdf2', 1));
    expect(distance(bdf2, tip(start))).toBeGreaterThan(0.02);
    expect(distance(bdf2, tip(fine))).toBeLessThan(3e-3);
    expect(distance(tip(run(strand('semi-implicit', 1e-4), 0.1)), bdf2)).toBeLessThan(1e-3);
    expect(distance(tip(run(strand('implicit-euler', 1e-4), 0.1)), bdf2)).toBeLessThan(3e-3);
  });

  it('keep their promise on energy: the default never gains, the published one does without damping', () => {
    const gain = (integrator: Integrator, step: number, stiffness: number): number => {
      const world = createWorld({
        tendril: 1,
        gravity: [0, 0, -9.81],
        rods: [
          {
            id: 'a',
            model: 'helix',
            hair: 'straight',
            shape: { type: 'straight', from: [0, 0, 0], to: [0.3, 0, 0] },
            edges: 10,
            material: { E: 3.58e9, G: 1.07e9, density: 1300, damping: { stiffness } },
          },
        ],
        pins: [{ rod: 'a', at: 'start' }],
        time: { duration: 1, step, halvings: 0 },
        solver: { helix: { integrator } },
      });
      const start = world.energies().total;
      let most = Number.NEGATIVE_INFINITY;
      try {
        for (let k = 0; k < Math.round(0.5 / step); k++) {
          world.step();
          most = Math.max(most, world.energies().total - start);
        }
      } catch (error) {
        if (!(error instanceof SimulationError)) throw error;
        return Number.POSITIVE_INFINITY;
      }
      return most;
    };
    for (const step of [1 / 30, 1 / 60, 1 / 200]) expect(gain('implicit-euler', step, 0)).toBeLessThan(0);
    expect(gain('semi-implicit', 1 / 60, 0)).toBeGreaterThan(1e-7);
    expect(gain('semi-implicit', 1 / 60, 0.1)).toBeLessThan(0);
  });

  it('conserve energy in the limit: BDF2 loses eight times less at half the step', () => {
    const loss = (step: number): number => {
      const scene = strand('bdf2', step);
      const start = createWorld(scene).energies().total;
      return start - run(scene, 0.1).energies().total;
    };
    const [coarse, fine] = [loss(1e-3), loss(5e-4)];
    expect(coarse).toBeGreaterThan(0);
    expect(coarse / fine).toBeGreaterThan(3.5);
  });
});

describe('a root that moves', () => {
  const path = {
    keys: [0, 0.1, 0.2, 0.3, 0.4].map((time, k) => ({
      time,
      offset: [0, 0.05 * (k % 2), 0.02 * k] as const,
      rotation: [0, 0.4 * (k % 2), 0.3 * k] as const,
    })),
  };

  it.each(['bdf2', 'semi-implicit'] as const)(
    'shakes the rod as it does a rod of Discrete Elastic Rods (%s)',
    (integrator) => {
      const pins = [{ rod: 'a', at: 'start' as const, path }];
      const scene = strand(integrator, integrator === 'bdf2' ? 1e-3 : 2e-4, { pins });
      const helix = run({ ...scene, rods: [{ ...scene.rods[0], edges: 36 }] }, 0.25);
      const der = strand('der', 1e-3, { pins });
      const other = run({ ...der, rods: [{ ...der.rods[0], inextensible: true, edges: 60 }] }, 0.25);
      const still = run(strand(integrator, 1e-3), 0.25);
      expect(distance(tip(helix), tip(still))).toBeGreaterThan(0.03);
      expect(distance(tip(helix), tip(other))).toBeLessThan(1.5e-3);
    },
  );

  it('carries a rigid rod along: the nodes move with the frame', () => {
    const scene = strand('bdf2', 1e-3, { pins: [{ rod: 'a', at: 'start', path }], gravity: [0, 0, 0] });
    const section = { type: 'stiffness' as const, EI1: 1e3, GJ: 1e3, mass: 1e-3 };
    const world = createWorld({ ...scene, rods: [{ ...scene.rods[0], ...straight, section }] });
    for (let k = 0; k < 150; k++) world.step();
    const { nodePosition: x, edgeTangent: t } = world.samples[0];
    for (let k = 0; k < 3; k++) expect(x[36 + k]).toBeCloseTo(x[k] + 0.3 * t[k], 6);
    expect(Math.hypot(t[1], t[2])).toBeGreaterThan(0.2);
  });

  it('is held by the reaction: it balances weight, loads and what goes into the motion', () => {
    const pins = [{ rod: 'a', at: 'start' as const, path }];
    for (const integrator of ['implicit-euler', 'bdf2', 'semi-implicit'] as const) {
      const world = createWorld(strand(integrator, 1e-3, { pins }));
      for (let k = 0; k < 80; k++) world.step();
      const before = world.momentum();
      world.step();
      const after = world.momentum();
      const [reaction] = world.reactions();
      for (let k = 0; k < 3; k++) {
        const rate = (after.linear[k] - before.linear[k]) / 1e-3;
        const weight = k === 2 ? -9.81 * after.mass : 0;
        expect(Math.abs(reaction.force[k] + weight - rate)).toBeLessThan(0.05 * 9.81 * after.mass);
      }
    }
  });
});

describe('velocity at the start', () => {
  it('is what a clamped rod can have of it', () => {
    const scene = strand('bdf2', 1e-3, { gravity: undefined });
    const rod = scene.rods[0];
    // a turn about the root, which is at the start: 0.15 from the middle of the rod
    const turning = { linear: [0, 0.15 * 2, 0] as const, angular: [0, 0, 2] as const };
    const world = createWorld({ ...scene, rods: [{ ...rod, ...straight, velocity: turning }] });
    const { nodeVelocity } = world.samples[0];
    expect(Math.abs(nodeVelocity[3 * 12 + 1] / 0.6 - 1)).toBeLessThan(0.05);
    expect(Math.hypot(nodeVelocity[0], nodeVelocity[1], nodeVelocity[2])).toBe(0);
    // spinning about its own axis cannot be had at the clamp
    const spinning = createWorld({ ...scene, rods: [{ ...rod, ...straight, velocity: { angular: [5, 0, 0] } }] });
    expect(spinning.samples[0].edgeSpin[11]).toBeGreaterThan(1);
    expect(spinning.energies().kinetic).toBeGreaterThan(0);
  });
});

describe('loads in motion', () => {
  it('drag brings a rod to rest where Discrete Elastic Rods have it', () => {
    const changes: Partial<Scene> = {
      fields: [{ type: 'air', wind: [0, 1, 0], linear: [0.02, 0.01], quadratic: { density: 1.2, normal: 1 } }],
      loads: [{ type: 'torque', rod: 'a', at: 'end', torque: [2e-5, 0, 1e-5] }],
    };
    const helix = run(strand('bdf2', 5e-3, changes), 3);
    expect(helix.energies().kinetic).toBeLessThan(1e-9);
    const settled = createWorld(strand('bdf2', 5e-3, changes));
    expect(settled.equilibrate()[0].converged).toBe(true);
    expect(distance(tip(helix), tip(settled))).toBeLessThan(1e-5);
    expect(Math.abs(tip(settled)[1])).toBeGreaterThan(0.02);
  });

  it('damping of mass and stiffness takes the energy that the free motion keeps', () => {
    const left = (damping: object): number => {
      const scene = strand('bdf2', 1e-3, { gravity: undefined });
      const natural = { curl: { radius: 0.035, pitch: 0.2 } };
      const section = { ...(scene.rods[0].section as object), damping } as Scene['rods'][0]['section'];
      return run({ ...scene, rods: [{ ...scene.rods[0], natural, section }] }, 0.2).energies().total;
    };
    const free = left({});
    expect(free).toBeGreaterThan(0);
    expect(left({ mass: 10 })).toBeLessThan(0.5 * free);
    expect(left({ stiffness: 0.02 })).toBeLessThan(0.5 * free);
  });
});

describe('state', () => {
  it.each(['implicit-euler', 'bdf2', 'semi-implicit'] as const)('restores bit for bit (%s)', (integrator) => {
    const scene = strand(integrator, 2e-3, {
      fields: [{ type: 'air', wind: [0, 1, 0], linear: [0.02, 0.01] }],
      solver: { helix: { integrator, elements: 5 } },
    });
    const world = createWorld(scene);
    for (let k = 0; k < 7; k++) world.step();
    const saved = world.save();
    for (let k = 0; k < 9; k++) world.step();
    const other = createWorld(scene);
    other.restore(saved);
    for (let k = 0; k < 9; k++) other.step();
    expect(other.hash()).toBe(world.hash());
    expect(other.reactions()).toEqual(world.reactions());
    expect(Array.from(other.samples[0].edgeSpin)).toEqual(Array.from(world.samples[0].edgeSpin));
  });

  it('is untouched by a step that fails', () => {
    const scene = strand('implicit-euler', 1e-2, {
      time: { duration: 1, step: 1e-2, halvings: 0 },
      solver: { helix: { iterations: 1, tolerance: 1e-14 } },
    });
    const world = createWorld(scene);
    const before = world.hash();
    const place = world.samples[0].nodePosition.slice();
    expect(() => world.step()).toThrow(SimulationError);
    expect(world.hash()).toBe(before);
    expect(Array.from(world.samples[0].nodePosition)).toEqual(Array.from(place));
  });

  it('of a rod does not depend on the rods beside it', () => {
    const scene = strand('bdf2', 2e-3);
    const rod = scene.rods[0];
    const other = {
      ...rod,
      id: 'b',
      section: { type: 'stiffness' as const, EI1: 1e-5, GJ: 1e-5, mass: 2e-3 },
    };
    const both = createWorld({
      ...scene,
      rods: [other, rod],
      pins: [
        { rod: 'b', at: 'start' },
        { rod: 'a', at: 'start' },
      ],
    });
    const alone = createWorld(scene);
    for (let k = 0; k < 10; k++) {
      both.step();
      alone.step();
    }
    expect(Array.from(both.samples[1].nodePosition)).toEqual(Array.from(alone.samples[0].nodePosition));
  });
});

describe('rounding', () => {
  // energies cannot tell a good step here: what it gains is less than what rounding makes of the work of the weight
  it.each([
    [0, 'implicit-euler'],
    [10, 'implicit-euler'],
    [0, 'bdf2'],
    [10, 'bdf2'],
  ] as const)('does not keep short stiff hair from its rest, %s m from the origin (%s)', (far, integrator) => {
    for (const [length, step] of [
      [0.01, 1e-3],
      [0.012, 2e-3],
      [0.015, 4e-3],
    ]) {
      const scene: Scene = {
        tendril: 1,
        gravity: [0, 0, -9.81],
        rods: [
          {
            id: 'a',
            model: 'helix',
            hair: 'straight',
            shape: { type: 'straight', from: [far, far, far], to: [far + 0.8 * length, far, far + 0.6 * length] },
            edges: 10,
          },
        ],
        pins: [{ rod: 'a', at: 'start' }],
        time: { duration: 1, step },
        solver: { helix: { integrator } },
      };
      const world = createWorld(scene);
      let most = 0;
      for (let k = 0; k < 300; k++) most = Math.max(most, world.step().iterations);
      expect(most).toBeLessThanOrEqual(4);
      expect(most).toBeGreaterThan(0);
      const rest = createWorld(scene);
      expect(rest.equilibrate()[0]).toMatchObject({ converged: true, stable: true });
      const end = tip(rest);
      const sag = far + 0.6 * length - end[2];
      expect(sag).toBeGreaterThan(1e-3 * length);
      expect(distance(tip(world), end)).toBeLessThan(1e-6 * sag + 1e-14);
    }
  });
});

describe('a twist without inertia', () => {
  it('that cannot come to rest in one step asks for an inertia, which helps', () => {
    const scene = (inertia: number): Scene => ({
      tendril: 1,
      rods: [
        {
          id: 'a',
          model: 'helix',
          shape: { type: 'helix', axis: [1, 0, 0], radius: 0.1, pitch: 0.3, turns: 1 },
          edges: 28,
          frame: { follow: 'curve' },
          natural: 'straight',
          section: { type: 'stiffness', EI1: 1e-3, GJ: 1e-3, mass: 1, ...(inertia > 0 && { inertia }) },
        },
      ],
      pins: [{ rod: 'a', at: 'start' }],
      time: { duration: 1, step: 1e-3 },
    });
    expect(() => createWorld(scene(0)).step()).toThrow(/no inertia: give the section an `inertia`/);
    expect(createWorld(scene(1e-6)).step().iterations).toBeLessThan(20);
  });
});
