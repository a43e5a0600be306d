import { describe, expect, it } from 'vitest';
import type { FiberOptions, Scene } from '../../src/index.ts';
import { createWorld, type World } from '../../src/index.ts';
import { HAIR, hairScene } from './fibers.ts';

const L = 0.25;
/** Weight × length / 2: the unit of energy of a hair that swings. */
const UNIT = (HAIR.mass * 9.81 * L * L) / 2;

function run(world: World, steps: number): { drift: number; solves: number; most: number; substeps: number } {
  const start = world.energies().total;
  let drift = 0;
  let solves = 0;
  let most = 0;
  let substeps = 0;
  for (let k = 0; k < steps; k++) {
    const report = world.step();
    solves += report.iterations / steps;
    most = Math.max(most, report.iterationsMax);
    substeps = Math.max(substeps, report.substeps);
    drift = Math.max(drift, Math.abs(world.energies().total - start) / UNIT);
  }
  return { drift, solves, most, substeps };
}
const swing = (edges: number, step: number, damping = 0, options: FiberOptions = {}): World =>
  createWorld(hairScene(L, edges, { time: { duration: 1, step } }, damping, options));
const tip = (world: World): number[] => [...world.samples[0].nodePosition.slice(-3)];
const apart = (a: readonly number[], b: readonly number[]): number => Math.hypot(...a.map((x, k) => x - b[k]));

describe('energy-momentum', () => {
  it.each([1e-3, 5e-3])('keeps the energy of a falling hair to rounding at a step of %s s', (step) => {
    const { drift, solves, most } = run(swing(20, step, 0, { tolerance: 1e-6 }), Math.round(1 / step));
    expect(drift).toBeLessThan(1e-11);
    expect(solves).toBeLessThan(step === 1e-3 ? 5 : 6.5);
    expect(most).toBeLessThanOrEqual(12);
  });

  it('keeps it to 1e-4 with the default tolerance, in fewer solves', () => {
    const { drift, solves } = run(swing(20, 2e-3), 500);
    expect(drift).toBeLessThan(1e-4);
    expect(solves).toBeLessThan(4);
  });

  it('falls as the reference does: tip after 0.1, 0.2, 0.3 s', () => {
    const world = swing(50, 2e-3);
    for (const [x, y] of [
      [0.2378, -0.0496],
      [0.1156, -0.2177],
      [-0.129, -0.191],
    ]) {
      for (let k = 0; k < 50; k++) world.step();
      expect(apart(tip(world), [x, y, 0])).toBeLessThan(6e-4);
    }
  });

  it('keeps energy, momentum and angular momentum of a free fiber that spins, bends and twists', () => {
    const scene = hairScene(L, 16, { gravity: [0, 0, 0], pins: [], time: { duration: 1, step: 2e-3 } }, 0, {
      tolerance: 1e-6,
    });
    const world = createWorld({
      ...scene,
      rods: [
        {
          ...scene.rods[0],
          natural: { curvature: [20, 10, 10] },
          velocity: { linear: [0.1, 0, 0.2], angular: [3, 2, 8] },
        },
      ],
    });
    const before = { energy: world.energies().total, ...world.momentum() };
    for (let k = 0; k < 250; k++) world.step();
    const { linear, angular } = world.momentum();
    expect(world.energies().bending).toBeGreaterThan(0.01 * before.energy);
    expect(Math.abs(world.energies().total / before.energy - 1)).toBeLessThan(1e-10);
    expect(apart([...linear], [...before.linear]) / Math.hypot(...before.linear)).toBeLessThan(1e-10);
    expect(apart([...angular], [...before.angular]) / Math.hypot(...before.angular)).toBeLessThan(1e-10);
  });

  it('is of second order: the frequency is (2/h) atan(hω/2)', () => {
    const scene = (step: number): World => {
      const base = hairScene(0.1, 8, { gravity: [0, 0, 0], time: { duration: 1, step } }, 0, { tolerance: 1e-9 });
      return createWorld(base);
    };
    const quiet = scene(1e-3);
    const [omega, shape] = [quiet.modes(1)[0].omega[0], quiet.modes(1)[0].shapes[0]];
    for (const step of [0.02, 0.04]) {
      const world = scene(step);
      // released from the mode's own shape: every ring as its node
      const state = world.save();
      for (let i = 0; i < 9; i++)
        for (let c = 0; c < 12; c++) state.bundles[0].q[12 * i + c] += 1e-7 * shape.nodeDisplacement[3 * i + (c % 3)];
      const along = (): number => world.samples[0].nodePosition[25] ** 2 + world.samples[0].nodePosition[26] ** 2;
      world.restore(state);
      const first = Math.sqrt(along());
      const steps = Math.round(1.2 / (omega * step));
      for (let k = 0; k < steps; k++) world.step();
      const found = Math.acos(Math.sqrt(along()) / first) / (steps * step);
      const expected = (2 / step) * Math.atan((step * omega) / 2);
      expect(Math.abs(expected / omega - 1)).toBeGreaterThan(1e-4);
      expect(Math.abs(found / expected - 1)).toBeLessThan(0.1 * Math.abs(expected / omega - 1) + 2e-3);
    }
  });

  it.each([
    [100, 1e-2, -0.26963, 7e-4],
    [100, 1e-3, -0.26963, 1e-4],
    [10, 1e-2, -0.83846, 5e-4],
  ])('loses what damping %s 1/s takes at a step of %s s', (damping, step, expected, within) => {
    const world = swing(20, step, damping);
    const start = world.energies().total;
    let highest = Number.NEGATIVE_INFINITY;
    let last = start;
    for (let k = 0; k < Math.round(0.5 / step); k++) {
      world.step();
      const now = world.energies().total;
      highest = Math.max(highest, now - last);
      last = now;
    }
    expect(Math.abs((last - start) / UNIT - expected)).toBeLessThan(within);
    expect(highest).toBeLessThanOrEqual(1e-9 * UNIT);
  });

  it('falls at exactly g/α in the end', () => {
    const world = createWorld(hairScene(L, 8, { pins: [], time: { duration: 1, step: 0.05 } }, 100));
    for (let k = 0; k < 20; k++) world.step();
    const { nodeVelocity } = world.samples[0];
    for (let i = 0; i <= 8; i++) expect(nodeVelocity[3 * i + 1]).toBeCloseTo(-9.81 / 100, 9);
  });

  it('does on held rings the work that the fiber gains', () => {
    const base = hairScene(0.1, 12, { gravity: [0, 0, 0], time: { duration: 1, step: 1e-3 } }, 0, { tolerance: 1e-6 });
    const path = { keys: [{ time: 0 }, { time: 0.2, offset: [0, 0.02, 0] as const, twist: 2 }] };
    const world = createWorld({
      ...base,
      pins: [
        { rod: 'hair', at: 'start' },
        { rod: 'hair', at: 'end', path },
      ],
    });
    for (let k = 0; k < 250; k++) world.step();
    const moved = world.energies();
    // half a percent for the torque law of a cuboid, the rest is the twist that swings
    expect(Math.abs(moved.twisting / ((0.5 * HAIR.GJ * 4) / 0.1) - 1)).toBeLessThan(0.1);
    const before = moved.total;
    for (let k = 0; k < 200; k++) world.step();
    expect(Math.abs(world.energies().total / before - 1)).toBeLessThan(1e-9);
  });
});

describe('rings that are calmed', () => {
  /** Energy that the springs of the rings hold, in units of the swing. */
  function ringEnergy(world: World, edges: number): number {
    const { q } = world.save().bundles[0];
    const [a, l] = [1e-3, L / edges];
    const k = (20 * HAIR.EI) / (l * a * a);
    const pairs = [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 0],
      [0, 2],
      [1, 3],
    ];
    let sum = 0;
    for (let r = 0; r <= edges; r++) {
      pairs.forEach(([from, to], m) => {
        const [p, o] = [12 * r + 3 * from, 12 * r + 3 * to];
        const length = Math.hypot(q[o] - q[p], q[o + 1] - q[p + 1], q[o + 2] - q[p + 2]);
        sum += 0.5 * k * (length - (m > 3 ? Math.SQRT2 * a : a)) ** 2;
      });
    }
    return sum / UNIT;
  }

  it('hold hardly any energy after seconds, and the whole keeps its own', () => {
    const [calm, plain] = [true, false].map((calmRings) => {
      const world = swing(20, 5e-3, 0, { ...(calmRings && { calmRings }) });
      const { drift, solves } = run(world, 500);
      let rings = 0;
      for (let k = 0; k < 50; k++) {
        world.step();
        rings += ringEnergy(world, 20) / 50;
      }
      return { drift, solves, rings };
    });
    expect(plain.rings).toBeGreaterThan(0.01);
    expect(calm.rings).toBeLessThan(0.05 * plain.rings);
    expect(calm.drift).toBeLessThan(1e-5);
    expect(calm.solves).toBeLessThan(1.1 * plain.solves);
  });

  it('leave a free fiber its momentum and angular momentum', () => {
    const scene = hairScene(L, 10, { gravity: [0, 0, 0], pins: [], time: { duration: 1, step: 2e-3 } }, 0, {
      tolerance: 1e-6,
      calmRings: true,
    });
    const world = createWorld({
      ...scene,
      rods: scene.rods.map((rod) => ({
        ...rod,
        natural: { curvature: [10, 5, 5] as const },
        velocity: { linear: [0.1, 0.2, -0.1] as const, angular: [0, 3, 8] as const },
      })),
    });
    const before = world.momentum();
    const { linear, angular } = { linear: [...before.linear], angular: [...before.angular] };
    const { total } = world.energies();
    for (let k = 0; k < 250; k++) world.step();
    const after = world.momentum();
    expect(apart([...after.linear], linear)).toBeLessThan(1e-9 * Math.hypot(...linear));
    expect(apart([...after.angular], angular)).toBeLessThan(1e-9 * Math.hypot(...angular));
    expect(Math.abs(world.energies().total / total - 1)).toBeLessThan(1e-8);
  });

  it('are refused where damping stills them, and with other integrators', () => {
    expect(() => swing(8, 1e-3, 5, { calmRings: true })).toThrow(
      'has damping, so its rings come to rest by themselves',
    );
    expect(() => swing(8, 1e-3, 0, { calmRings: true, integrator: 'midpoint' })).toThrow('no effect with midpoint');
  });
});

describe('the other integrators', () => {
  it('midpoint gains energy on the same swing and stops; backward Euler loses half of it', () => {
    const euler = run(swing(10, 2e-3, 0, { integrator: 'implicit-euler' }), 250);
    expect(euler.drift).toBeGreaterThan(0.05);
    const world = swing(10, 5e-3, 0, { integrator: 'midpoint' });
    expect(world.warnings.join()).toMatch(/midpoint/);
    const start = world.energies().total;
    let drift = 0;
    try {
      for (let k = 0; k < 400 && drift < 0.05; k++) {
        world.step();
        drift = (world.energies().total - start) / UNIT;
      }
    } catch {
      drift = Infinity;
    }
    expect(drift).toBeGreaterThan(0.05);
  });

  it('deti-r agrees with energy-momentum when damped, in one solve a step', () => {
    const a = swing(16, 1e-3, 10, { integrator: 'deti-r' });
    const b = swing(16, 1e-3, 10);
    const { solves } = run(a, 300);
    run(b, 300);
    expect(solves).toBeLessThan(1.2);
    expect(apart(tip(a), tip(b))).toBeLessThan(2e-4);
  });

  it('deti-r takes the work of a load for work: one solve a step, and second order in positions and velocities', () => {
    const pushed = (steps: number, integrator: FiberOptions['integrator']): { world: World; solves: number } => {
      const world = createWorld({
        ...hairScene(L, 10, { time: { duration: 0.2, step: 0.2 / steps } }, 10, { integrator, tolerance: 1e-7 }),
        gravity: [0, 0, 0],
        loads: [
          {
            type: 'distributed',
            rod: 'hair',
            force: [0, 3e-5, 0],
            factor: { formula: 'sin(5*pi*t)^4' },
          },
        ],
      });
      return { world, solves: run(world, steps).solves };
    };
    const spin = ({ world }: { world: World }): number[] => [...world.samples[0].nodeVelocity.slice(-3)];
    const fine = pushed(1600, 'energy-momentum');
    const [coarse, better] = [pushed(100, 'deti-r'), pushed(200, 'deti-r')];
    expect(coarse.solves).toBeLessThan(1.1);
    expect(apart(tip(fine.world), [L, 0, 0])).toBeGreaterThan(5e-3);
    for (const what of [spin, (one: { world: World }) => tip(one.world)]) {
      const errors = [coarse, better].map((one) => apart(what(one), what(fine)));
      expect(Math.log2(errors[0] / errors[1]), String(errors)).toBeGreaterThan(1.7);
    }
  });

  it('deti-r is stable at a damping of 100 1/s and a step of 1e-2 s', () => {
    const world = swing(16, 1e-2, 100, { integrator: 'deti-r' });
    const { solves } = run(world, 40);
    expect(solves).toBeCloseTo(1, 12);
    // g/α = 0.098 m/s
    expect(apart(tip(world), [0.2436, -0.0377, 0])).toBeLessThan(5e-4);
  });

  it('deti finds the equilibrium of a small load exactly', () => {
    const base = (integrator: 'deti' | 'energy-momentum'): Scene =>
      hairScene(0.05, 6, { gravity: [0, -2e-4, 0], time: { duration: 1, step: 0.02 } }, 60, { integrator });
    const world = createWorld(base('deti'));
    for (let k = 0; k < 60; k++) world.step();
    const still = createWorld(base('energy-momentum'));
    still.equilibrate();
    expect(still.samples[0].nodePosition[19]).toBeLessThan(-1e-7);
    expect(world.samples[0].nodePosition[19] / still.samples[0].nodePosition[19]).toBeCloseTo(1, 6);
  });

  it('deti is the same by Lanczos as by eigenvectors, with damping by mass, stiffness and beyond', () => {
    const ends = (['eigenbasis', 'krylov'] as const).map((functions) => {
      const options: FiberOptions = { integrator: 'deti', functions, series: [1e-12] };
      const more: Partial<Scene> = { gravity: [0, -0.2, 0], time: { duration: 1, step: 1e-3 } };
      const world = createWorld(hairScene(0.05, 4, more, { mass: 5, stiffness: 1e-4 }, options));
      for (let k = 0; k < 8; k++) world.step();
      return world.samples[0].nodePosition[13];
    });
    expect(ends[0]).toBeLessThan(-1e-6);
    expect(ends[1] / ends[0]).toBeCloseTo(1, 7);
  });

  it('deti stops before it is wrong, and says what to use', () => {
    const world = swing(8, 1e-3, 1, { integrator: 'deti' });
    expect(() => run(world, 300)).toThrow(/energy-momentum/);
  });

  it('deti shares a basis between rods that lie differently', () => {
    const base = hairScene(0.05, 6, { gravity: [0, 0, 0] }, 2, { integrator: 'deti', scaffold: 1e-3 });
    const rod = base.rods[0];
    const scene: Scene = {
      ...base,
      rods: [
        { ...rod, id: 'a' },
        {
          ...rod,
          id: 'b',
          shape: { type: 'straight', from: [0, 0, 0.1], to: [0, 0.05, 0.1] },
          frame: { d1: [1, 0, 0] },
        },
      ],
      pins: [
        { rod: 'a', at: 'start' },
        { rod: 'b', at: 'start' },
      ],
      loads: [
        { type: 'force', rod: 'a', at: 'end', force: [0, 1e-8, 0] },
        { type: 'force', rod: 'b', at: 'end', force: [-1e-8, 0, 0] },
      ],
    };
    const world = createWorld(scene);
    for (let k = 0; k < 50; k++) world.step();
    const [a, b] = [tip(world), [...world.samples[1].nodePosition.slice(-3)]];
    expect(a[1]).toBeGreaterThan(1e-5);
    expect(b[0]).toBeCloseTo(-a[1], 12);
  });
});

describe('a fiber', () => {
  it.each(['energy-momentum', 'deti', 'deti-r'] as const)(
    'goes on from a saved state bit for bit, %s',
    (integrator) => {
      const scene = hairScene(0.05, 6, { gravity: [0, -0.2, 0.1] }, 20, { integrator });
      const world = createWorld(scene);
      for (let k = 0; k < 10; k++) world.step();
      const saved = world.save();
      for (let k = 0; k < 10; k++) world.step();
      const other = createWorld(scene);
      other.restore(saved);
      for (let k = 0; k < 10; k++) other.step();
      expect(other.hash()).toBe(world.hash());
      expect(other.samples[0].edgeSpin).toEqual(world.samples[0].edgeSpin);
    },
  );

  it('softens while it runs where its moduli change', () => {
    const soft = (animate: Scene['rods'][number]['animate']): World => {
      const base = hairScene(0.05, 8, { gravity: [0, -1, 0], time: { duration: 1, step: 5e-3 } }, 60);
      return createWorld({ ...base, rods: [{ ...base.rods[0], ...(animate && { animate }) }] });
    };
    const factor = {
      keys: [
        [0, 1],
        [0.3, 0.25],
      ] as const,
    };
    const changing = soft({ E: factor, G: factor });
    for (let k = 0; k < 400; k++) changing.step();
    const still = soft({ E: 0.25, G: 0.25 });
    still.equilibrate();
    const stiff = soft(undefined);
    stiff.equilibrate();
    expect(tip(still)[1] / tip(stiff)[1]).toBeGreaterThan(3);
    expect(tip(changing)[1] / tip(still)[1]).toBeCloseTo(1, 3);
    // along the rod as well: only the far half gets soft
    const half = soft({ E: { formula: 'u > 0.5 ? 0.25 : 1' } });
    half.equilibrate();
    expect(tip(half)[1] / tip(stiff)[1]).toBeGreaterThan(1.1);
    expect(tip(half)[1] / tip(stiff)[1]).toBeLessThan(2);
  });
});
