/** Equilibria with contact against closed forms: forces, order of convergence, stability. */
import { describe, expect, it } from 'vitest';
import { createWorld, type EquilibriumReport, type Scene, type World } from '../../src/index.ts';

type RodSpec = Scene['rods'][number];

const given = (EI: number, mass: number, radius: number): RodSpec['section'] => ({
  type: 'stiffness',
  radius,
  EI1: EI,
  GJ: EI,
  mass,
});

function settle(scene: Scene, t = 0): { world: World; report: EquilibriumReport } {
  const world = createWorld(scene);
  const [report] = world.equilibrate(t);
  return { world, report };
}

describe('a heavy beam that is clamped a little above a floor', () => {
  // y'''' = −w/EI from the point of touchdown, where y = y' = y'' = 0, to the clamp at distance a: h = w a⁴/72EI, clamp force ⅔ w a
  const a = 0.6;
  const h = 1e-6;
  const radius = 1e-4;
  const weight = (72 * h) / (a * a * a * a);
  const beam = (edges: number, model: RodSpec['model'], friction = 0): Scene => ({
    tendril: 1,
    gravity: [0, 0, -1],
    rods: [
      {
        id: 'beam',
        model,
        edges,
        inextensible: true,
        shape: { type: 'straight', from: [0, 0, radius + h], to: [1, 0, radius + h] },
        section: given(1, weight, radius),
      },
    ],
    pins: [{ rod: 'beam', at: 'start' }],
    colliders: [{ id: 'floor', type: 'plane', friction }],
  });

  it('lifts off over a, with the clamp force of theory, at second order', () => {
    const errors = [20, 40].map((edges) => {
      const { world, report } = settle(beam(edges, 'der'));
      expect(report).toMatchObject({ converged: true, stable: true, criterion: 'energy' });
      return world.reactions()[0].force[2] / (weight * a) - 2 / 3;
    });
    expect(Math.abs(errors[1])).toBeLessThan(1e-3);
    expect(errors[0] / errors[1]).toBeGreaterThan(3.5);
    expect(errors[0] / errors[1]).toBeLessThan(4.5);
  });

  it('is followed when the clamp rises a little: no search from the start, and the force of theory', () => {
    const keys = [{ time: 0 }, { time: 1, offset: [0, 0, 0.1 * h] as const }];
    const rising: Scene = { ...beam(40, 'der'), pins: [{ rod: 'beam', at: 'start', path: { keys } }] };
    const { world, report: first } = settle(rising);
    const [next] = world.equilibrate(1);
    expect(next).toMatchObject({ converged: true, stable: true });
    expect(next.iterations).toBeLessThan(0.5 * first.iterations);
    expect(world.reactions()[0].force[2] / (weight * a * 1.1 ** 0.25)).toBeCloseTo(2 / 3, 2);
  });

  it('carries the rest of its weight by the floor, each contact at a gap of rounding', () => {
    const { world } = settle(beam(40, 'der'));
    const contacts = world.contactForces();
    const floor = contacts.reduce((sum, { force }) => sum + force[2], 0);
    expect(floor + world.reactions()[0].force[2]).toBeCloseTo(weight, 10);
    for (const { gap, force } of contacts) {
      expect(Math.abs(gap)).toBeLessThan(1e-4 * h);
      expect(force[2]).toBeGreaterThan(0);
    }
  });
});

/** A soft rod, clamped 10 cm above a floor, that lies on it with half of its length. */
const lying = (model: RodSpec['model'], friction = 0): Scene => ({
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: [
    {
      id: 'rod',
      model,
      edges: 20,
      shape: { type: 'straight', from: [0, 0, 0.1], to: [1, 0, 0.1] },
      section: { type: 'circle', radius: 0.005 },
      material: { E: 2e7, nu: 0.35, density: 1200 },
    },
  ],
  pins: [{ rod: 'rod', at: 'start' }],
  colliders: [{ id: 'floor', type: 'plane', friction }],
});

describe('a soft rod on a floor', () => {
  it('hangs alike in all models that touch', () => {
    const expected = settle(lying('der')).world.reactions()[0].force[2];
    for (const model of ['fiber', 'helix', 'strand'] as const) {
      const { world, report } = settle(lying(model));
      expect(report.converged, `${model}: ${report.reason}`).toBe(true);
      expect(world.reactions()[0].force[2] / expected, model).toBeGreaterThan(0.98);
      expect(world.reactions()[0].force[2] / expected, model).toBeLessThan(1.02);
    }
  });

  it('stays at rest when it moves on, with the contact forces of the equilibrium', () => {
    const { world } = settle(lying('der'));
    const before = world.samples[0].nodePosition.slice();
    world.step(1e-3);
    const moved = world.samples[0].nodePosition.map((x, k) => Math.abs(x - before[k]));
    expect(Math.max(...moved)).toBeLessThan(1e-9);
  });

  it('has friction within its cone, and is stable where that holds it', () => {
    const { world, report } = settle(lying('der', 0.5));
    expect(report).toMatchObject({ converged: true, stable: true, criterion: 'energy' });
    const contacts = world.contactForces();
    expect(contacts.some(({ force }) => Math.abs(force[0]) > 0.1 * force[2])).toBe(true);
    for (const { force } of contacts) expect(Math.hypot(force[0], force[1])).toBeLessThan(0.5001 * force[2]);
  });
});

describe('a strip that is pressed against a wall', () => {
  // small deflections: over l from each hinge y = (h/π)(sin kx + kx), k = π/l, flat between; P = π²EI/l², shortening 3h²/2l. The flat part
  // buckles when it is as long as both others together, l = L/4
  const h = 0.01;
  const radius = 1e-3;
  const edges = 60;
  const pressed = (l: number): Scene => {
    const height = (x: number): number => (h / Math.PI) * (Math.sin((Math.PI * x) / l) + (Math.PI * x) / l);
    const points = Array.from({ length: edges + 1 }, (_, i): [number, number, number] => {
      const x = i / edges;
      return [x, 0, height(Math.min(x, 1 - x, l))];
    });
    const hinge = { hold: 'hinge', axis: [0, 1, 0] } as const;
    return {
      tendril: 1,
      statics: { stability: 'report' },
      rods: [
        {
          id: 'strip',
          edges,
          inextensible: true,
          shape: { type: 'points', points },
          natural: 'straight',
          frame: { d1: [0, 0, 1] },
          section: { type: 'stiffness', radius, EI1: 1000, EI2: 1, GJ: 1000, mass: 1 },
        },
      ],
      pins: [
        { rod: 'strip', at: 'start', ...hinge },
        { rod: 'strip', at: 'end', ...hinge },
      ],
      colliders: [{ id: 'wall', type: 'plane', normal: [0, 0, -1], position: [0, 0, h + radius], friction: 0 }],
    };
  };

  it('lies flat along it with the force of theory', () => {
    const { world, report } = settle(pressed(0.35));
    expect(report).toMatchObject({ converged: true, stable: true });
    const force = Math.abs(world.reactions()[1].force[0]);
    expect(Math.abs((force * 0.35 * 0.35) / (Math.PI * Math.PI) - 1)).toBeLessThan(0.01);
  });

  it('leaves the wall in the middle once its flat part has buckled', () => {
    const { world, report } = settle(pressed(0.24));
    expect(report).toMatchObject({ converged: true, stable: true, leftBranch: true });
    expect(Math.abs(world.reactions()[1].force[0])).toBeLessThan((0.85 * Math.PI * Math.PI) / (0.24 * 0.24));
    expect(world.samples[0].nodePosition[3 * (edges / 2) + 2]).toBeLessThan(0.9 * h);
  });
});

describe('a rod that is pushed through a horizontal tube', () => {
  // F = min over m of EI (mπ/L)² + (w/c)(L/mπ)² [Paslay1964], c the clearance
  const EI = 1;
  const radius = 1e-3;
  const clearance = 2e-3;
  const weight = (clearance * (3 * Math.PI) ** 4) / 4;
  const critical = Math.min(
    ...[1, 2, 3, 4].map((m) => EI * (m * Math.PI) ** 2 + weight / clearance / (m * Math.PI) ** 2),
  );
  const pushed = (force: number): Scene => ({
    tendril: 1,
    gravity: [0, 0, -1],
    statics: { stability: 'report' },
    rods: [
      {
        id: 'rod',
        edges: 30,
        inextensible: true,
        shape: { type: 'straight', from: [0, 0, -clearance], to: [1, 0, -clearance] },
        section: given(EI, weight, radius),
      },
    ],
    pins: [
      { rod: 'rod', at: 'start', hold: 'position' },
      { rod: 'rod', at: 'end', hold: 'position', axes: ['y', 'z'] },
    ],
    loads: [{ rod: 'rod', type: 'force', at: 'end', force: [-force, 0, 0] }],
    colliders: [
      {
        id: 'tube',
        type: 'capsule',
        from: [-1, 0, 0],
        to: [2, 0, 0],
        radius: radius + clearance,
        hollow: true,
        friction: 0,
      },
    ],
  });

  it('leaves the bottom of the tube at the critical force', () => {
    expect(settle(pushed(0.98 * critical)).report).toMatchObject({ converged: true, negativeModes: 0 });
    expect(settle(pushed(1.02 * critical)).report).toMatchObject({ converged: true, negativeModes: 1 });
  });
});

describe('two cantilevers that cross at their tips', () => {
  const radius = 1e-3;
  const crossed = (model: RodSpec['model']): Scene => ({
    tendril: 1,
    rods: [
      {
        id: 'upper',
        model,
        edges: 16,
        inextensible: true,
        shape: { type: 'straight', from: [-1, 0, 2 * radius], to: [0.02, 0, 2 * radius] },
        section: given(1, 1, radius),
      },
      {
        id: 'lower',
        model,
        edges: 16,
        inextensible: true,
        shape: { type: 'straight', from: [0, -1, 0], to: [0, 0.02, 0] },
        section: given(1, 1, radius),
      },
    ],
    pins: [
      { rod: 'upper', at: 'start' },
      { rod: 'lower', at: 'start' },
    ],
    contact: { friction: 0 },
    loads: [{ rod: 'upper', type: 'force', at: { s: 1 }, force: [0, 0, -0.01] }],
  });

  it('share the load', () => {
    const world = createWorld(crossed('der'));
    for (const report of world.equilibrate()) expect(report).toMatchObject({ converged: true, criterion: 'none' });
    const [{ force }] = world.contactForces();
    expect(Math.abs(force[2])).toBeCloseTo(0.005, 5);
  });

  it('meet where one is lowered onto the other in steps of less than its thickness', () => {
    const scene = crossed('der');
    const path = { keys: [{ time: 0 }, { time: 1, offset: [0, 0, -3 * radius] as [number, number, number] }] };
    const world = createWorld({
      ...scene,
      loads: [],
      rods: scene.rods.map((rod, r) =>
        r > 0 ? rod : { ...rod, shape: { type: 'straight', from: [-1, 0, 3 * radius], to: [0.02, 0, 3 * radius] } },
      ),
      pins: [
        { rod: 'upper', at: 'start', path },
        { rod: 'lower', at: 'start' },
      ],
    });
    for (let k = 0; k <= 4; k++) for (const { converged } of world.equilibrate(k / 4)) expect(converged).toBe(true);
    // both tips bend by half of the overlap of 2 radii: 3EI/L³ each
    expect(Math.abs(world.contactForces()[0].force[2])).toBeCloseTo(3 * radius, 4);
  });
});

describe.each(['der', 'helix', 'strand'] as const)('what comes towards a rod between two instants, %s', (model) => {
  const radius = 1e-3;
  const rod = (id: string, from: [number, number, number], to: [number, number, number]): RodSpec => ({
    id,
    model,
    edges: 20,
    inextensible: true,
    shape: { type: 'straight', from, to },
    section: given(1, 1, radius),
  });
  const rising = (height: number) =>
    ({ keys: [{ time: 0 }, { time: 1, offset: [0, 0, height] as [number, number, number] }] }) as const;

  it('an obstacle does not pass through it: force 3EIδ/a³ of a cantilever that is lifted by δ at a', () => {
    const height = 40 * radius;
    const world = createWorld({
      tendril: 1,
      rods: [rod('rod', [0, 0, 0], [1, 0, 0])],
      pins: [{ rod: 'rod', at: 'start' }],
      colliders: [
        {
          type: 'capsule',
          from: [0.6, -0.3, -2 * radius],
          to: [0.6, 0.3, -2 * radius],
          radius,
          path: rising(height),
        },
      ],
    });
    for (const t of [0, 1]) expect(world.equilibrate(t)[0].converged).toBe(true);
    const lift = world.contactForces().reduce((sum, { force }) => sum + force[2], 0);
    expect((lift * 0.6 ** 3) / (3 * height)).toBeCloseTo(1, 1);
  });

  it('another rod does not: both tips bend by half of what their clamps overlap', () => {
    const height = 40 * radius;
    const world = createWorld({
      tendril: 1,
      rods: [rod('upper', [-1, 0, 3 * radius], [0.02, 0, 3 * radius]), rod('lower', [0, -1, 0], [0, 0.02, 0])],
      pins: [
        { rod: 'upper', at: 'start', path: rising(-height) },
        { rod: 'lower', at: 'start' },
      ],
      contact: { friction: 0 },
    });
    for (const t of [0, 1]) for (const { converged } of world.equilibrate(t)) expect(converged).toBe(true);
    const push = world.contactForces().reduce((sum, { force }) => sum + Math.abs(force[2]), 0);
    expect(push / ((3 * (height - radius)) / 2)).toBeCloseTo(1, 1);
  });
});

describe('what has no equilibrium, or none that is found', () => {
  it('slides down a slope that is too steep: not converged', () => {
    const scene = (friction: number): Scene => ({
      ...lying('der', friction),
      pins: [],
      gravity: [3, 0, -9],
    });
    expect(settle(scene(0.5)).report.converged).toBe(true);
    const { report } = settle(scene(0.2));
    expect(report.converged).toBe(false);
    expect(report.reason).toMatch(/still move/);
  });

  it('ends inside a floor, where its clamp goes: not converged', () => {
    const [height, radius] = [0.01, 0.005];
    const offset: [number, number, number] = [0, 0, -4 * height];
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [
        {
          id: 'rod',
          edges: 20,
          inextensible: true,
          shape: { type: 'straight', from: [0, 0, height], to: [0.5, 0, height] },
          section: { type: 'circle', radius },
          material: { E: 3e8, nu: 0.35, density: 1000 },
        },
      ],
      pins: [{ rod: 'rod', at: 'start', path: { keys: [{ time: 0 }, { time: 1, offset }] } }],
      colliders: [{ id: 'floor', type: 'plane' }],
    });
    expect(world.equilibrate(0)[0].converged).toBe(true);
    const [{ converged, reason }] = world.equilibrate(1);
    expect(converged).toBe(false);
    expect(reason).toMatch(/deep in an obstacle/);
  });

  it('is rejected with bodies', () => {
    const body = {
      id: 'bob',
      mass: 1,
      inertia: [1, 1, 1] as [number, number, number],
      position: [1, 0, 0.1] as [number, number, number],
    };
    const scene: Scene = { ...lying('der'), bodies: [body], welds: [{ rod: 'rod', at: 'end', body: 'bob' }] };
    expect(() => settle(scene)).toThrow(/rigid bodies/);
  });
});

describe('a straight strip between clamps that approach each other', () => {
  const strip = (wall: boolean): Scene => ({
    tendril: 1,
    rods: [
      {
        id: 'strip',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges: 20,
        inextensible: true,
        frame: { d1: [0, 0, 1] },
        section: { type: 'stiffness', EI1: 10, EI2: 1, GJ: 1, mass: 1, radius: 1e-3 },
      },
    ],
    pins: [
      { rod: 'strip', at: 'start' },
      { rod: 'strip', at: 'end', path: { keys: [{ time: 0 }, { time: 1, offset: [-0.03, 0, 0] }] } },
    ],
    ...(wall && { colliders: [{ id: 'wall', type: 'plane', position: [0, 0, -0.3], friction: 0 }] }),
  });

  it('buckles also where there is a wall that it does not touch', () => {
    const [force, expected] = [true, false].map((wall) => {
      const world = createWorld(strip(wall));
      world.equilibrate(0);
      expect(world.equilibrate(1)[0]).toMatchObject({ converged: true, stable: true });
      return world.reactions()[1].force[0];
    });
    expect(force / expected).toBeCloseTo(1, 9);
    // 4π² EI/L² and a little more
    expect(expected / (-4 * Math.PI ** 2)).toBeGreaterThan(1);
    expect(expected / (-4 * Math.PI ** 2)).toBeLessThan(1.02);
  });
});
