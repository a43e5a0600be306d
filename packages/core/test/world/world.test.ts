import { describe, expect, it } from 'vitest';
import { createWorld, type Scene, SimulationError } from '../../src/index.ts';

function scene(changes: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'a',
        shape: { type: 'helix', radius: 0.05, pitch: 0.1, turns: 2 },
        edges: 24,
        section: { type: 'ellipse', a: 0.004, b: 0.002 },
        material: { E: 1e7, nu: 0.4, density: 1100, damping: { mass: 0.2, stiffness: 1e-4 } },
      },
      {
        id: 'b',
        shape: { type: 'ring', radius: 0.1, center: [1, 0, 0] },
        edges: 20,
        section: { type: 'circle', radius: 0.003 },
        material: { E: 1e7, nu: 0.4, density: 1100 },
      },
    ],
    pins: [{ rod: 'a', at: 'start' }],
    fields: [{ type: 'air', wind: ['sin(3*t)', '0', '0'], linear: [0.02, 0.01] }],
    time: { duration: 1, step: 0.005 },
    ...changes,
  };
}

describe('restart', () => {
  it.each(['tr-bdf2', 'bdf2', 'implicit-euler', 'midpoint'] as const)('continues bit for bit with %s', (integrator) => {
    const options = { solver: { der: { integrator } } };
    const whole = createWorld(scene(options));
    for (let k = 0; k < 20; k++) whole.step();
    const first = createWorld(scene(options));
    for (let k = 0; k < 9; k++) first.step();
    const second = createWorld(scene(options));
    second.restore(first.save());
    expect(second.hash()).toBe(first.hash());
    for (let k = 9; k < 20; k++) second.step();
    expect(second.hash()).toBe(whole.hash());
    expect(second.samples[0].nodePosition).toEqual(whole.samples[0].nodePosition);
    expect(whole.hash()).not.toBe(first.hash());
  });

  it('continues bit for bit with shake', () => {
    const rods = scene().rods.map((rod) => ({ ...rod, material: { E: 1e7, nu: 0.4, density: 1100 } }));
    const options = { rods, solver: { der: { integrator: 'shake' as const } } };
    const whole = createWorld(scene(options));
    for (let k = 0; k < 6; k++) whole.step();
    const first = createWorld(scene(options));
    for (let k = 0; k < 3; k++) first.step();
    const second = createWorld(scene(options));
    second.restore(first.save());
    for (let k = 3; k < 6; k++) second.step();
    expect(second.hash()).toBe(whole.hash());
  });

  it('refuses the state of another scene', () => {
    const other = createWorld(scene({ rods: [scene().rods[0]] }));
    expect(() => createWorld(scene()).restore(other.save())).toThrow(/another scene/);
  });
});

describe('a step that fails', () => {
  /** A blow that turns edges by radians within one step. */
  const violent = (halvings: number): Scene =>
    scene({
      rods: [
        {
          id: 'a',
          shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
          edges: 30,
          section: { type: 'circle', radius: 0.003 },
          material: { E: 1e7, nu: 0.4, density: 1100 },
        },
      ],
      fields: [],
      loads: [{ type: 'force', rod: 'a', at: 'end', force: [0, 40, -60] }],
      time: { duration: 1, step: 0.05, halvings },
      solver: { der: { iterations: 6 } },
    });

  it('is cut into pieces that succeed', () => {
    const world = createWorld(violent(12));
    let substeps = 0;
    for (let k = 0; k < 4; k++) substeps = Math.max(substeps, world.step().substeps);
    expect(substeps).toBeGreaterThan(1);
    expect(world.time).toBeCloseTo(0.2, 12);
  });

  it('says where and what to try, and keeps the last good state', () => {
    const world = createWorld(violent(0));
    let before = world.hash();
    let error: unknown;
    for (let k = 0; k < 20 && !error; k++) {
      before = world.hash();
      try {
        world.step();
      } catch (thrown) {
        error = thrown;
      }
    }
    expect(error).toBeInstanceOf(SimulationError);
    expect((error as SimulationError).message).toMatch(/rod 'a'/);
    expect((error as SimulationError).remedy).toMatch(/time.step/);
    expect(world.hash()).toBe(before);
  });
});

describe('loads', () => {
  it('do the work that the rod gains: power on samples equals power on unknowns', () => {
    // a free rod without stiffness to speak of, pushed for one small step: kinetic energy = impulse²/2m along the load
    const push = createWorld({
      tendril: 1,
      rods: [
        {
          id: 'a',
          shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
          edges: 10,
          section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 2, inertia: 0.01 },
        },
      ],
      loads: [
        { type: 'force', rod: 'a', at: { u: 0.35 }, force: [0.3, 0.2, -0.5] },
        { type: 'torque', rod: 'a', at: { u: 0.5 }, torque: [0.2, 0.1, 0.4] },
      ],
      time: { duration: 1, step: 1e-3 },
    });
    for (let k = 0; k < 10; k++) push.step();
    const { linear, angular } = push.momentum();
    const t = 0.01;
    for (let k = 0; k < 3; k++) expect(linear[k]).toBeCloseTo([0.3, 0.2, -0.5][k] * t, 9);
    // torque and the force's moment about the origin, (0.35, 0, 0) × F
    const expected = [0.2, 0.1 + 0.35 * 0.5, 0.4 + 0.35 * 0.2];
    for (let k = 0; k < 3; k++) expect(angular[k]).toBeCloseTo(expected[k] * t, 5);
  });
});

describe('statics', () => {
  const cantilever = (EA: number | undefined, EI = 1): Scene => ({
    tendril: 1,
    gravity: [0, 0, -1],
    rods: [
      {
        id: 'a',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges: 40,
        section: { type: 'stiffness', EA, EI1: EI, GJ: 1, mass: 10 },
      },
    ],
    pins: [{ rod: 'a', at: 'start' }],
  });

  it.each([1e3, 1e5, 1e7, 1e9, undefined])('takes at most 10 Newton iterations with EA = %s', (EA) => {
    const [report] = createWorld(cantilever(EA)).equilibrate();
    expect(report.converged).toBe(true);
    expect(report.stable).toBe(true);
    expect(report.iterations).toBeGreaterThan(2);
    expect(report.iterations).toBeLessThanOrEqual(10);
  });

  it('feels five per cent of stiffness', () => {
    const tip = (EI: number): number => {
      const world = createWorld(cantilever(undefined, EI));
      world.equilibrate();
      return world.samples[0].nodePosition[3 * 40 + 2];
    };
    expect(Math.abs(tip(1.05) - tip(1))).toBeGreaterThan(5e-3);
  });

  it('leaves an unstable equilibrium, or stays and says so', () => {
    const column = (stability: 'seek' | 'report'): Scene => ({
      tendril: 1,
      rods: [
        {
          id: 'a',
          shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
          edges: 30,
          section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1 },
        },
      ],
      pins: [{ rod: 'a', at: 'start' }],
      loads: [{ type: 'force', rod: 'a', at: 'end', force: [0, 0, -4] }],
      statics: { stability },
    });
    const stay = createWorld(column('report'));
    expect(stay.equilibrate()[0]).toMatchObject({ converged: true, stable: false, negativeModes: 2 });
    expect(Math.hypot(...stay.samples[0].nodePosition.slice(-3, -1))).toBeLessThan(1e-9);
    const seek = createWorld(column('seek'));
    const [report] = seek.equilibrate();
    expect(report).toMatchObject({ converged: true, stable: true });
    expect(report.saddlesLeft).toBeGreaterThan(0);
    expect(Math.hypot(...seek.samples[0].nodePosition.slice(-3, -1))).toBeGreaterThan(0.5);
  });
});

describe('reactions', () => {
  const beam = (integrator: 'tr-bdf2' | 'shake'): Scene => ({
    tendril: 1,
    gravity: [0, 0, -10],
    rods: [
      {
        id: 'a',
        shape: { type: 'straight', from: [0, 0, 0], to: [2, 0, 0] },
        edges: 40,
        section: { type: 'stiffness', EI1: 30, EI2: 50, GJ: 8, mass: 0.5, damping: { mass: 20 } },
      },
    ],
    pins: [{ rod: 'a', at: 'start' }],
    loads: [
      { type: 'force', rod: 'a', at: 'end', force: [1, 2, -3] },
      { type: 'torque', rod: 'a', at: 'end', torque: [0.4, 0, 0] },
    ],
    time: { duration: 3, step: 0.01 },
    solver: { der: { integrator } },
  });

  it('hold up the weight and the loads, with their moments', () => {
    const world = createWorld(beam('tr-bdf2'));
    world.equilibrate();
    const [reaction] = world.reactions();
    const tip = world.samples[0].nodePosition.slice(-3);
    const { center } = world.momentum();
    const cross = (a: ArrayLike<number>, b: ArrayLike<number>): number[] =>
      [0, 1, 2].map((k) => a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
    // the torque is dead and stays along x; the last edge takes it as a couple and a twist
    const moment = [0, 1, 2].map((k) => cross(tip, [1, 2, -3])[k] + cross(center, [0, 0, -10])[k] + [0.4, 0, 0][k]);
    [-1, -2, 13].forEach((force, k) => {
      expect(reaction.force[k]).toBeCloseTo(force, 7);
    });
    expect(Math.hypot(...moment)).toBeGreaterThan(5);
    for (let k = 0; k < 3; k++) expect(reaction.torque[k]).toBeCloseTo(-moment[k], 6);
  });

  it('agree between the implicit and the explicit scheme once the motion has died out', () => {
    const tension = (integrator: 'tr-bdf2' | 'shake'): number => {
      const scene = beam(integrator);
      // the explicit scheme takes no torques
      const world = createWorld({ ...scene, loads: scene.loads?.slice(0, 1) });
      for (let k = 0; k < 300; k++) world.step();
      return world.channel(0, 'tension')[20];
    };
    const implicit = tension('tr-bdf2');
    expect(Math.abs(implicit)).toBeGreaterThan(0.5);
    expect(Math.abs(tension('shake') - implicit)).toBeLessThan(0.02 * Math.abs(implicit));
  });
});
