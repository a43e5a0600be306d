/** Rods that are held at both ends: reactions, shapes, verdicts and motion against theory and `der`. */
import { describe, expect, it } from 'vitest';
import { createWorld, type PinSpec, type Scene, type World } from '../../src/index.ts';

/** A round rod of length, bending stiffness and mass 1 along x, clamped at both ends. */
function scene(edges: number, end: Partial<PinSpec>, changes: Partial<Scene> = {}, GJ = 0.7): Scene {
  return {
    tendril: 1,
    rods: [
      {
        id: 'a',
        model: 'helix',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges,
        section: { type: 'stiffness', EI1: 1, GJ, mass: 1, inertia: 1e-4 },
      },
    ],
    pins: [
      { rod: 'a', at: 'start' },
      { rod: 'a', at: 'end', ...end },
    ],
    ...changes,
  };
}

/** Complete elliptic integrals K and E of modulus p, by the arithmetic–geometric mean. */
function elliptic(p: number): { K: number; E: number } {
  let [a, b, c, sum, power] = [1, Math.sqrt(1 - p * p), p, (p * p) / 2, 1];
  while (Math.abs(c) > 1e-16) {
    [a, b, c] = [(a + b) / 2, Math.sqrt(a * b), (a - b) / 2];
    sum += power * c * c;
    power *= 2;
  }
  const K = Math.PI / (2 * a);
  return { K, E: K * (1 - sum) };
}

/** Force that holds the ends of an inextensible clamped rod at `distance` [m], and the height of its arch. */
function clampedElastica(distance: number): { force: number; height: number } {
  let [low, high] = [1e-6, 0.999];
  for (let k = 0; k < 200; k++) {
    const p = (low + high) / 2;
    const { K, E } = elliptic(p);
    if ((2 * E) / K - 1 > distance) low = p;
    else high = p;
  }
  const { K } = elliptic(low);
  return { force: (4 * K) ** 2, height: (4 * low) / (4 * K) };
}

const shorter = (by: number): Partial<PinSpec> => ({ path: { keys: [{ time: 0 }, { time: 1, offset: [-by, 0, 0] }] } });
const turned = (angle: number): Partial<PinSpec> => ({ path: { keys: [{ time: 0 }, { time: 1, twist: angle }] } });

/** The world at t = 1, in equilibrium. */
function settled(input: Scene): { world: World; report: ReturnType<World['equilibrate']>[number] } {
  const world = createWorld(input);
  const [report] = world.equilibrate(1);
  return { world, report };
}

describe('equilibria of a rod that is clamped at both ends', () => {
  // the weight decides which way the rod buckles, and is far too small to matter
  const gravity = [0, 0, -1e-4] as const;

  it('pushed together: the elastica, of second order', () => {
    const by = 0.45;
    const { force, height } = clampedElastica(1 - by);
    const errors = [10, 20].map((n) => {
      const { world, report } = settled(scene(n, shorter(by), { gravity }));
      expect(report).toMatchObject({ converged: true, stable: true, criterion: 'energy' });
      const [start, end] = world.reactions();
      expect(start.force[0]).toBeCloseTo(-end.force[0], 6);
      expect(end.torque[1]).toBeCloseTo(-start.torque[1], 4);
      const middle = world.samples[0].nodePosition[3 * (n / 2) + 2];
      expect(world.samples[0].nodePosition[3 * n]).toBeCloseTo(1 - by, 9);
      return [Math.abs(start.force[0] / force - 1), Math.abs(Math.abs(middle) / height - 1)];
    });
    for (const k of [0, 1]) {
      expect(errors[1][k]).toBeLessThan(0.03);
      expect(Math.log2(errors[0][k] / errors[1][k])).toBeGreaterThan(1.9);
    }
  });

  it('keeps the turns of a clamp, to its last', () => {
    const { world, report } = settled(scene(20, turned(6 * Math.PI), {}, 0.3));
    expect(report).toMatchObject({ converged: true, stable: true });
    const [start, end] = world.reactions();
    expect(end.torque[0]).toBeCloseTo(0.3 * 6 * Math.PI, 7);
    expect(start.torque[0]).toBeCloseTo(-0.3 * 6 * Math.PI, 7);
  });

  // of stiffness so large that it stretches by next to nothing
  const stretchable = (input: Scene): Scene => ({
    ...input,
    rods: input.rods.map((rod) => ({ ...rod, section: { ...(rod.section as object), EA: 1e6 } as never })),
  });

  it.each([
    ['finds the torque at which a twisted rod buckles: 8.987 EI/L, the first root of tan x = x twice', true],
    ['says that a twisted rod without EA cannot buckle between ends at its full length', false],
  ])('%s', (_, withEA) => {
    const critical = 2 * 4.493409457909;
    const modes = [0.99, 1.01].map((factor) => {
      const input = scene(60, turned((critical * factor) / 0.7), { statics: { stability: 'report' } });
      const { report } = settled(withEA ? stretchable(input) : input);
      expect(report.remark !== undefined).toBe(!withEA && factor > 1);
      expect(report.converged).toBe(true);
      return report.negativeModes;
    });
    expect(modes[0]).toBe(0);
    expect(modes[1] > 0).toBe(withEA);
  });
});

/** The same by `der`, which stretches by next to nothing. */
const asDer = (input: Scene): Scene => ({
  ...input,
  rods: input.rods.map((rod) => ({ ...rod, model: 'der', section: { ...(rod.section as object), EA: 1e6 } as never })),
});

describe('against der', () => {
  const gravity = [0, 0, -20] as const;
  it.each([
    ['clamped and turned', { path: { keys: [{ time: 0 }, { time: 1, offset: [-0.3, 0, 0.1], twist: 2 }] } }],
    ['an end that may turn', { hold: 'position', ...shorter(0.3) }],
  ] as [string, Partial<PinSpec>][])('%s: the same reactions', (_, end) => {
    const input = (n: number): Scene => scene(n, end, { gravity });
    const forces = (world: World): number[] => world.reactions().flatMap(({ force }) => force);
    const [coarse, fine] = [8, 16].map((n) => {
      const { world, report } = settled(input(n));
      expect(report).toMatchObject({ converged: true, stable: true });
      expect(report.imbalance).toBeLessThan(1e-6);
      return forces(world);
    });
    const expected = forces(settled(asDer(input(48))).world);
    const error = (found: number[]): number => Math.hypot(...found.map((f, k) => f - expected[k])) / 20;
    expect(error(fine)).toBeLessThan(0.06);
    expect(error(coarse) / error(fine)).toBeGreaterThan(2.5);
  });
});

describe('motion', () => {
  it('has the frequencies of a clamped beam, of second order', () => {
    const errors = [12, 24].map((n) => {
      const { omega } = createWorld(scene(n, {})).modes(2)[0];
      expect(omega[1] / omega[0]).toBeCloseTo(1, 6);
      return Math.abs(omega[0] / 4.730040744862704 ** 2 - 1);
    });
    expect(errors[1]).toBeLessThan(4e-3);
    expect(Math.log2(errors[0] / errors[1])).toBeGreaterThan(1.9);
  });

  /** An arch that a force pushes aside, smoothly, and lets go. */
  const pushed = (solver: Scene['solver'], steps: number, edges = 6): Scene => ({
    tendril: 1,
    rods: [
      {
        id: 'a',
        model: 'helix',
        shape: { type: 'arc', from: [0, 0, 0], tangent: [1, 0, 1], normal: [1, 0, -1], radius: 0.5, angle: 2 },
        edges,
        section: { type: 'stiffness', EI1: 1, GJ: 0.7, mass: 1, inertia: 1e-3, damping: { mass: 10 } },
      },
    ],
    pins: [
      { rod: 'a', at: 'start' },
      { rod: 'a', at: 'end' },
    ],
    loads: [{ type: 'distributed', rod: 'a', force: [10, 40, 20], factor: { formula: 'sin(2*pi*t)^4' } }],
    solver,
    time: { duration: 0.3, step: 0.3 / steps },
  });
  const run = (input: Scene, steps: number): World => {
    const world = createWorld(input);
    for (let k = 0; k < steps; k++) world.step();
    return world;
  };
  const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
    Math.hypot(...Array.from(a, (x, k) => x - b[k]));

  it.each([
    ['implicit-euler', 0.9],
    ['bdf2', 1.8],
  ] as const)('%s has order %d in the step', (integrator, least) => {
    const shapes = [160, 320, 640].map(
      (steps) => run(pushed({ helix: { integrator } }, steps), steps).samples[0].nodePosition,
    );
    const [coarse, fine] = [distance(shapes[0], shapes[1]), distance(shapes[1], shapes[2])];
    expect(coarse).toBeGreaterThan(1e-6);
    expect(Math.log2(coarse / fine)).toBeGreaterThan(least);
  });

  it('moves as der does, to second order, and the end stays in its place', () => {
    const errors = [12, 24].map((n) => {
      const world = run(pushed({ helix: { integrator: 'bdf2' } }, 5 * n, n), 5 * n);
      const other = run(asDer(pushed({ der: { integrator: 'tr-bdf2' } }, 5 * n, n)), 5 * n);
      const start = createWorld(pushed({}, 1, n)).samples[0].nodePosition;
      const middle = (x: Float64Array): Float64Array => x.slice(1.5 * n, 1.5 * n + 3);
      const [x, y] = [world, other].map(({ samples }) => middle(samples[0].nodePosition));
      expect(distance(y, middle(start))).toBeGreaterThan(0.1);
      expect(distance(world.samples[0].nodePosition.slice(-3), start.slice(-3))).toBeLessThan(1e-9);
      const [r, s] = [world, other].map((one) => one.reactions()[1]);
      return [distance(x, y), distance(r.force, s.force) / Math.hypot(...s.force), distance(r.torque, s.torque)];
    });
    for (let k = 0; k < 3; k++) {
      expect(errors[1][k]).toBeLessThan([3e-3, 0.01, 0.03][k]);
      expect(errors[0][k] / errors[1][k]).toBeGreaterThan(2.5);
    }
  });

  it('goes on bit for bit from a saved state', () => {
    const world = run(pushed({ helix: { integrator: 'bdf2' } }, 40), 20);
    const copy = createWorld(pushed({ helix: { integrator: 'bdf2' } }, 40));
    copy.restore(world.save());
    for (const one of [world, copy]) for (let k = 0; k < 5; k++) one.step();
    expect(copy.hash()).toBe(world.hash());
  });
});

describe('what is refused', () => {
  it.each([
    ['a pin between the ends', { at: { u: 0.5 } }, /holds a rod at its start and its end/],
    ['a tangent alone', { hold: 'tangent' }, /only hold: clamp and hold: position at the end/],
    ['one axis', { hold: 'position', axes: ['x'] }, /without axes/],
    ['a release', { release: 1 }, /cannot let go/],
  ] as [string, Partial<PinSpec>, RegExp][])('%s', (_, end, message) => {
    expect(() => createWorld(scene(10, end))).toThrow(message);
  });
});

describe('ends that a rod of fixed length cannot follow', () => {
  const moved = (x: number): Partial<PinSpec> => ({ path: { keys: [{ time: 0 }, { time: 1, offset: [x, 0, 0] }] } });
  const time = { duration: 1, step: 0.01 };

  it('are refused', () => {
    expect(() => createWorld(scene(10, moved(0.01), { time }))).toThrow(/1\.01\d* m apart at t = 1 s/);
  });

  it('make a straight rod buckle to a side that nothing decides, which is said', () => {
    const warningsOf = (x: number): string => createWorld(scene(10, moved(x), { time })).warnings.join();
    expect(warningsOf(-0.1)).toContain('has to buckle');
    expect(warningsOf(0)).toBe('');
  });
});
