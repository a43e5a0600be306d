import { describe, expect, it } from 'vitest';
import { createWorld, type Scene, type StrandOptions } from '../../src/index.ts';
import { FRICTION, ONE_SIDED, solveGaussSeidel, solveSor } from '../../src/models/strand/lcp.ts';

type Pins = NonNullable<Scene['pins']>;

function scene(strand: StrandOptions, pins: Pins, changes: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'a',
        model: 'strand',
        shape: { type: 'straight', from: [0, 0, 0], to: [0.3, 0, 0] },
        edges: 12,
        section: { type: 'stiffness', EI1: 1e-3, GJ: 1e-3, mass: 0.05, inertia: 1e-7, damping: { stiffness: 0.01 } },
      },
    ],
    pins: [{ rod: 'a', at: 'start' }, ...pins],
    time: { duration: 1, step: 0.005 },
    solver: { strand },
    ...changes,
  };
}

describe('a block on a slope as a complementarity problem', () => {
  /** Unit mass: normal and along the slope; accelerations wanted are zero. */
  const g = 9.81;
  const angle = Math.PI / 6;
  const wanted = [g * Math.cos(angle), g * Math.sin(angle), 0];
  const A = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);

  it.each([
    [0.8, g * Math.sin(angle)],
    [0.3, 0.3 * g * Math.cos(angle)],
  ])('μ = %f: both solvers find the friction of Coulomb', (mu, expected) => {
    const kind = Uint8Array.of(ONE_SIDED, FRICTION, FRICTION);
    const x = new Float64Array(3);
    const problem = { A, b: Float64Array.from(wanted), kind, mu: Float64Array.of(0, mu, mu), n: 3 };
    solveGaussSeidel(x, problem, { sweeps: 50, tolerance: 1e-14 });
    expect(x[0]).toBeCloseTo(g * Math.cos(angle), 10);
    expect(x[1]).toBeCloseTo(expected, 10);
    const y = new Float64Array(2);
    const small = Float64Array.of(1, 0, 0, 1);
    const change = solveSor(
      y,
      { A: small, b: Float64Array.from(wanted.slice(0, 2)), kind, mu: Float64Array.of(0, mu), n: 2 },
      { sweeps: 50, omega: 0.9, epsilon: 1e-9 },
    );
    expect(change).toBeLessThan(1e-9);
    expect(y[1]).toBeCloseTo(expected, 6);
  });
});

describe('a point on a path', () => {
  const path = {
    keys: [{ time: 0 }, { time: 0.5, offset: [-0.1, 0.1, 0.05] as const }, { time: 1, offset: [-0.05, 0, 0] as const }],
  };

  it('is held there', () => {
    const world = createWorld(scene({}, [{ rod: 'a', at: 'end', hold: 'position', path }]));
    let violation = 0;
    for (let k = 0; k < 100; k++) violation = Math.max(violation, world.step().violation ?? 1);
    expect(violation).toBeLessThan(5e-6);
    const tip = world.samples[0].nodePosition.slice(-3);
    expect(Math.hypot(tip[0] - 0.2, tip[1] - 0.1, tip[2] - 0.05)).toBeLessThan(5e-6);
    expect(world.reactions().map(({ node }) => node)).toEqual([0, 12]);
  });

  it('is held in equilibrium, where clamp and pin carry the weight', () => {
    const world = createWorld(scene({}, [{ rod: 'a', at: 'end', hold: 'position', position: [0.25, 0, 0] }]));
    const [report] = world.equilibrate();
    expect(report.converged).toBe(true);
    expect(report.stable).toBe(true);
    const up = world.reactions().reduce((sum, { force }) => sum + force[2], 0);
    expect(up / (9.81 * 0.015)).toBeCloseTo(1, 6);
    expect(world.samples[0].nodePosition[36]).toBeCloseTo(0.25, 7);
    const sagging = world.samples[0].nodePosition[3 * 6 + 2];
    expect(sagging).toBeLessThan(-0.02);
  });

  it('agrees with an elastic rod', () => {
    const held = (model: 'der' | 'strand'): Scene => {
      const one = scene({}, [{ rod: 'a', at: { u: 0.5 }, hold: 'position', axes: ['z'], position: [0.15, 0, 0.02] }]);
      return { ...one, rods: [{ ...one.rods[0], model, edges: 24 }] };
    };
    const [rod, strand] = (['der', 'strand'] as const).map((model) => {
      const world = createWorld(held(model));
      expect(world.equilibrate()[0].converged).toBe(true);
      return world;
    });
    const a = rod.samples[0].nodePosition;
    const b = strand.samples[0].nodePosition;
    expect(Math.hypot(...a.map((x, k) => x - b[k]))).toBeLessThan(2e-3);
    expect(strand.reactions()[1].force[2] / rod.reactions()[1].force[2]).toBeCloseTo(1, 1);
  });

  it('out of reach is told, pulls with a finite force and does not make the strand jump', () => {
    const far = {
      keys: [{ time: 0 }, { time: 0.5, offset: [0.2, 0, 0] as const }, { time: 1, offset: [-0.05, 0, 0] as const }],
    };
    const world = createWorld(scene({}, [{ rod: 'a', at: 'end', hold: 'position', path: far }]));
    expect(world.warnings.join()).toMatch(/will not be reached/);
    let largest = 0;
    let jump = 0;
    let before = world.samples[0].nodePosition.slice();
    for (let k = 0; k < 200; k++) {
      largest = Math.max(largest, world.step().violation ?? 0);
      const now = world.samples[0].nodePosition;
      for (let i = 0; i < now.length; i++) jump = Math.max(jump, Math.abs(now[i] - before[i]));
      before = now.slice();
    }
    expect(largest).toBeGreaterThan(0.18);
    // the pin moves up to 4 mm a step; a straight strand that is pushed together by that bows out by 17 mm
    expect(jump).toBeLessThan(0.02);
    // and where it comes back within reach it is met again
    expect(world.step().violation).toBeLessThan(1e-5);
  });

  it('out of reach pulls alike along all directions: a turned scene moves in the same way', () => {
    type Triple = readonly [number, number, number];
    const turn = ([x, y, z]: Triple): Triple => [0.8 * x + 0.6 * y, z, 0.6 * x - 0.8 * y];
    const move = (through: (v: Triple) => Triple): { missed: number; x: Float64Array } => {
      const path = { keys: [{ time: 0 }, { time: 0.2, offset: through([0.2, 0.15, -0.1]) }] };
      const world = createWorld({
        tendril: 1,
        gravity: through([1, 2, -9]),
        rods: [
          {
            id: 'a',
            model: 'strand',
            shape: { type: 'straight', from: [0, 0, 0], to: through([0.3, 0, 0.05]) },
            frame: { d1: through([0, 1, 0]) },
            edges: 8,
            section: { type: 'circle', radius: 0.002 },
            material: { E: 1e7, nu: 0.5, density: 1000 },
          },
        ],
        pins: [
          { rod: 'a', at: 'start' },
          { rod: 'a', at: { u: 0.5 }, hold: 'position', path },
        ],
      });
      let missed = 0;
      for (let k = 0; k < 20; k++) missed = Math.max(missed, world.step(0.01).violation ?? 0);
      return { missed, x: world.samples[0].nodePosition };
    };
    const [here, there] = [move((v) => v), move(turn)];
    expect(here.missed).toBeGreaterThan(0.05);
    for (let i = 0; i < here.x.length; i += 3) {
      const moved = turn([here.x[i], here.x[i + 1], here.x[i + 2]]);
      for (let k = 0; k < 3; k++) expect(there.x[i + k]).toBeCloseTo(moved[k], 9);
    }
  });

  it.each([false, true])(
    'that moves sideways out of reach is reported with its distance, with contact: %s',
    (touches) => {
      const offset = [0.2, 0.15, -0.1] as const;
      const path = { keys: [{ time: 0 }, { time: 0.5, offset }] };
      const input = scene({}, [{ rod: 'a', at: { u: 0.5 }, hold: 'position', path }]);
      const world = createWorld(touches ? { ...input, contact: {} } : input);
      const reports = Array.from({ length: 100 }, () => world.step());
      const x = world.samples[0].nodePosition;
      const { nodeCount, length } = world.rods[0];
      const o = (3 * (nodeCount - 1)) / 2;
      const start = createWorld(input).samples[0].nodePosition;
      const gap = Math.hypot(...offset.map((d, k) => x[o + k] - start[o + k] - d));
      expect(gap).toBeGreaterThan(0.1 * length);
      expect(reports.at(-1)?.violation).toBeCloseTo(gap, 12);
      const remarks = reports.flatMap((report) => report.remarks ?? []);
      expect(remarks.filter((remark) => remark.includes('from where its pin holds node'))).toHaveLength(1);
    },
  );
});

describe('joints', () => {
  const limits = Array.from({ length: 12 }, (_, node) => ({ rod: 'a', at: { node }, bend: 0.05 }));

  it.each(['gauss-seidel', 'sor'] as const)('do not bend beyond their limits, with %s', (lcp) => {
    const world = createWorld(scene({ joints: limits, lcp }, []));
    let most = 0;
    for (let k = 0; k < 100; k++) {
      world.step();
      const bends = world.channel(0, 'curvature').map((kappa, i) => kappa * (i === 0 ? 0.0125 : 0.025));
      most = Math.max(most, ...bends);
    }
    expect(most).toBeGreaterThan(0.0499);
    expect(most).toBeLessThan(0.0502);
  });

  it('do not twist beyond their limits', () => {
    const twist = Array.from({ length: 12 }, (_, node) => ({ rod: 'a', at: { node }, twist: [-0.02, 0.1] as const }));
    const loads = [{ type: 'torque' as const, rod: 'a', at: 'end' as const, torque: [-0.1, 0, 0] as const }];
    const world = createWorld(scene({ joints: twist }, [], { gravity: [0, 0, 0], loads }));
    for (let k = 0; k < 100; k++) world.step();
    const least = Math.min(...world.channel(0, 'twist').map((rate, i) => rate * (i === 0 ? 0.0125 : 0.025)));
    expect(least).toBeCloseTo(-0.02, 4);
  });

  it('are held to a value in time', () => {
    const hold = {
      rotation: [0, 0.8, 0] as const,
      factor: {
        keys: [
          [0, 0],
          [0.4, 1],
        ] as const,
      },
    };
    const world = createWorld(scene({ joints: [{ rod: 'a', at: { node: 6 }, hold }] }, []));
    for (let k = 0; k < 100; k++) world.step();
    expect(world.channel(0, 'curvature')[6] * 0.025).toBeCloseTo(0.8, 2);
  });

  it('go on bit for bit from a saved state', () => {
    const input = scene({ joints: limits }, [{ rod: 'a', at: 'end', hold: 'position', axes: ['y'] }]);
    const whole = createWorld(input);
    const first = createWorld(input);
    for (let k = 0; k < 30; k++) whole.step();
    for (let k = 0; k < 17; k++) first.step();
    const second = createWorld(input);
    second.restore(first.save());
    for (let k = 17; k < 30; k++) second.step();
    expect(second.hash()).toBe(whole.hash());
  });

  it.each([
    [[{ rod: 'a', at: { node: 3 }, twist: [0.2, 0.1] }], /not in increasing order/],
    [[{ rod: 'b', at: { node: 3 }, bend: 1 }], /unknown rod/],
    [[{ rod: 'a', at: 'end', bend: 1 }], /has no joint/],
    [[{ rod: 'a', at: { node: 3 } }], /does nothing/],
    [[{ rod: 'a', at: { node: 3 }, bend: 4 }], /between 0 and π/],
  ] as [NonNullable<StrandOptions['joints']>, RegExp][])('%o is refused', (joints, message) => {
    expect(() => createWorld(scene({ joints }, []))).toThrow(message);
  });
});

describe('branches that cannot be', () => {
  const rod = (id: string, parent?: { rod: string; at: 'start' | 'end' }): Scene['rods'][number] => ({
    id,
    model: 'strand',
    shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
    edges: 2,
    section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1 },
    ...(parent && { parent }),
  });
  it.each([
    [[rod('a', { rod: 'b', at: 'start' }), rod('b', { rod: 'a', at: 'start' })], /in a circle/],
    [[rod('a', { rod: 'b', at: 'start' }), rod('b')], /parents first/],
    [[rod('a'), rod('b', { rod: 'a', at: 'end' })], /away from node/],
    [[rod('a', { rod: 'a', at: 'start' })], /from itself/],
    [[{ ...rod('a'), model: 'der' }, rod('b', { rod: 'a', at: 'start' })], /junction/],
    [[{ ...rod('a'), shape: { type: 'ring', radius: 1 } }], /closed/],
  ] as [Scene['rods'], RegExp][])('%#', (rods, message) => {
    expect(() => createWorld({ tendril: 1, rods })).toThrow(message);
  });
});
