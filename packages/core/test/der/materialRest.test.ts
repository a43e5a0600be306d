/** Equilibria of rods with a law: branches, contact, derivatives and links, in which what relaxes has relaxed at any clock. */
import { describe, expect, it } from 'vitest';
import { createDerivatives, createWorld, type LawSpec, type Scene, type World } from '../../src/index.ts';

/** Slow compared with every time in these scenes, so that a clock that counts shows. */
const slow: LawSpec = { type: 'viscoelastic', terms: [{ ratio: 2, time: 100 }] };

const largest = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.max(...Array.from(a, (value, k) => Math.abs(value - b[k])));

function column(law?: LawSpec): Scene {
  return {
    tendril: 1,
    rods: [
      {
        id: 'column',
        shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
        edges: 20,
        inextensible: true,
        section: { type: 'stiffness', EI1: 1, EI2: 3, GJ: 1, mass: 1 },
        ...(law && { law }),
      },
    ],
    pins: [{ rod: 'column', at: 'start' }],
    loads: [{ type: 'force', rod: 'column', at: 'end', force: [0.1, 0, -1], factor: { formula: 't' } }],
    statics: { from: 0, to: 8, follow: 'branch' },
  };
}

describe('a branch of a viscoelastic rod', () => {
  it('is that of the elastic rod', () => {
    const ends = [column(slow), column()].map((scene) => {
      const world = createWorld(scene);
      const parameters = [...world.branch()].map(({ parameter }) => parameter);
      return { parameters, x: world.samples[0].nodePosition.slice() };
    });
    expect(ends[0].parameters.at(-1)).toBe(8);
    expect(ends[0].x[0] ** 2 + (ends[0].x[ends[0].x.length - 3] - 0) ** 2).toBeGreaterThan(0.25);
    expect(largest(ends[0].x, ends[1].x)).toBeLessThan(1e-8);
  });
});

/** A heavy strip held above a rough floor; its end lies on it. */
function onFloor(rod: Partial<Scene['rods'][number]>, more: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'strip',
        shape: { type: 'straight', from: [0, 0, 0.05], to: [0.5, 0, 0.05] },
        edges: 25,
        section: { type: 'circle', radius: 2e-3 },
        material: { E: 5e6, nu: 0.4, density: 1200 },
        ...rod,
      },
    ],
    pins: [{ rod: 'strip', at: 'start' }],
    colliders: [{ id: 'floor', type: 'plane', position: [0, 0, 0], normal: [0, 0, 1] }],
    contact: { friction: 0.3 },
    ...more,
  };
}

const settled = (scene: Scene, t?: number): World => {
  const world = createWorld(scene);
  const [{ converged }] = world.equilibrate(t);
  expect(converged).toBe(true);
  return world;
};

describe('a rod with a law on a rough floor', () => {
  it('lies where the elastic rod does, if it relaxes', () => {
    const [relaxed, elastic] = [settled(onFloor({ law: slow })), settled(onFloor({}))];
    expect(largest(relaxed.samples[0].nodePosition, elastic.samples[0].nodePosition)).toBeLessThan(5e-6);
    // and stays there: no time passed in the search
    const before = relaxed.samples[0].nodePosition.slice();
    for (let k = 0; k < 5; k++) relaxed.step(1e-2);
    expect(largest(relaxed.samples[0].nodePosition, before)).toBeLessThan(5e-6);
    const { dissipated = -1 } = relaxed.energies();
    expect(dissipated).toBeGreaterThanOrEqual(0);
    expect(dissipated).toBeLessThan(1e-9);
  });

  // the factors are constant on the way there, and change right after
  it('has grown as much as at that time', () => {
    const natural = (curvature: number) => ({ natural: { curvature: [0, curvature, 0] as const } });
    const grown: LawSpec = { type: 'growth', factor: { formula: '1.5 + 200*max(0, t - 0.5)' } };
    const world = settled(onFloor({ ...natural(-2), law: grown }), 0.5);
    const same = settled(onFloor(natural(-3)), 0.5);
    expect(largest(world.samples[0].nodePosition, same.samples[0].nodePosition)).toBeLessThan(5e-6);
  });

  it('has the moduli of that time', () => {
    const factor = { formula: '2.5 + 200*max(0, t - 0.5)' };
    // the scaffold of a fiber depends on E itself
    const animate = { E: factor, G: factor };
    const world = settled(onFloor({ model: 'fiber', animate }), 0.5);
    const same = settled(onFloor({ model: 'fiber', material: { E: 12.5e6, nu: 0.4, density: 1200 } }), 0.5);
    expect(largest(world.samples[0].nodePosition, same.samples[0].nodePosition)).toBeLessThan(5e-5);
  });
});

describe('derivatives of a viscoelastic rod', () => {
  const hanging = (tilt: number, law?: LawSpec): Scene => ({
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'strip',
        shape: { type: 'straight', from: [0, 0, 0], to: [0.5, 0, 0] },
        edges: 12,
        section: { type: 'circle', radius: 2e-3 },
        material: { E: 5e6, nu: 0.4, density: 1200 },
        ...(law && { law }),
      },
    ],
    pins: [
      { rod: 'strip', at: 'start', tangent: [Math.cos(tilt), 0, -Math.sin(tilt)] },
      { rod: 'strip', at: 'end', hold: 'position', position: [0.45, 0, 0] },
    ],
  });
  it('are those of the elastic rod, by an angle of its clamp too', () => {
    const [one, other] = [slow, undefined].map((law) => {
      const world = settled(hanging(0, law));
      const by = createDerivatives(world).by({ name: 'tilt', value: 0, scene: (tilt) => hanging(tilt, law) });
      return [
        by.of({ of: ({ samples: [{ nodePosition }] }) => nodePosition[3 * 6 + 2] }),
        by.of({ of: (read) => read.reactions()[1].force[2] }),
      ];
    });
    expect(Math.abs(other[0])).toBeGreaterThan(1e-3);
    expect(Math.abs(other[1])).toBeGreaterThan(1e-3);
    for (const k of [0, 1]) expect(one[k] / other[k]).toBeCloseTo(1, 5);
  });

  it('leave a run as it was', () => {
    const [asked, plain] = [0, 1].map(() => createWorld(hanging(0.3, slow)));
    for (let k = 0; k < 5; k++) {
      asked.step(1e-2);
      plain.step(1e-2);
      expect(() => createDerivatives(asked)).toThrow(/not in equilibrium/);
    }
    expect(largest(asked.samples[0].nodePosition, plain.samples[0].nodePosition)).toBeLessThan(1e-9);
  });
});

describe('an elastoplastic wire', () => {
  /** Bent by a couple at its end; EI = 1, yield at κ = 1. */
  const wire = (moment: number): Scene => ({
    tendril: 1,
    rods: [
      {
        id: 'wire',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges: 10,
        inextensible: true,
        section: { type: 'stiffness', EI1: 1, EI2: 1, GJ: 1, mass: 1e-6 },
        law: { type: 'elastoplastic', yield: { bending: 1 }, hardening: 0.5 },
      },
    ],
    pins: [{ rod: 'wire', at: 'start' }],
    loads: [
      { type: 'torque', rod: 'wire', at: 'end', torque: [0, moment, 0], factor: { keys: [[0, 0], [1, 1], [2, 0]] } }, // biome-ignore format: one line
    ],
  });
  const heading = ({ samples: [{ nodePosition: x }] }: World): number => {
    const o = x.length - 6;
    // the last edge is half its length from the end
    return Math.atan2(x[o + 2] - x[o + 5], x[o + 3] - x[o]) / 0.95;
  };

  it('keeps the bend of the last step in an equilibrium after it', () => {
    // M = 1.5: κ = 1 + 0.5/0.5 = 2, of which 2 − 1.5 stays
    const world = createWorld(wire(1.5));
    expect(world.equilibrate(1)[0].converged).toBe(true);
    expect(heading(world)).toBeCloseTo(2, 6);
    // the same in one step of a wire without inertia, to speak of
    const stepped = createWorld({ ...wire(1.5), solver: { der: { integrator: 'implicit-euler' } } });
    stepped.step(1);
    expect(heading(stepped)).toBeCloseTo(2, 3);
    for (const one of [world, stepped]) {
      expect(one.equilibrate(2)[0].converged).toBe(true);
      expect(heading(one)).toBeCloseTo(0.5, 3);
    }
  });
});
