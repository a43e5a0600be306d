import { describe, expect, it } from 'vitest';
import { createWorld, type Scene, type World } from '../../src/index.ts';
import { eigenGeneral } from '../../src/linalg/eigen.ts';

type Options = NonNullable<NonNullable<Scene['solver']>['cosserat']>;

/** A curled, damped rod in wind and a ring, as in world.test.ts. */
function mixed(cosserat: Options, stiffnessDamping = 1e-4): Scene {
  const material = { E: 1e7, nu: 0.4, density: 1100 };
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'a',
        model: 'cosserat',
        shape: { type: 'helix', radius: 0.05, pitch: 0.1, turns: 2 },
        edges: 24,
        section: { type: 'ellipse', a: 0.004, b: 0.002 },
        material: { ...material, damping: { mass: 0.2, stiffness: stiffnessDamping } },
      },
      {
        id: 'b',
        model: 'cosserat',
        shape: { type: 'ring', radius: 0.1, center: [1, 0, 0] },
        edges: 20,
        section: { type: 'circle', radius: 0.003 },
        material,
      },
    ],
    pins: [{ rod: 'a', at: 'start', path: { keys: [{ time: 0 }, { time: 0.1, offset: [0.02, 0, 0], twist: 4 }] } }],
    fields: [{ type: 'air', wind: ['sin(3*t)', '0', '0'], linear: [0.02, 0.01] }],
    time: { duration: 1, step: 0.005 },
    solver: { cosserat },
  };
}

/** Units of L = EI = ρA = 1, weight 10, let go from the horizontal. */
function swing(cosserat: Options, step: number, section: object = {}, edges = 12): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -10],
    rods: [
      {
        id: 'rod',
        model: 'cosserat',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges,
        section: { type: 'stiffness', EI1: 1, GJ: 2 / 3, mass: 1, radius: 0.01, ...section },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    time: { duration: 1, step },
    solver: { cosserat },
  };
}

const tip = (world: World, rod = 0): number[] => [...world.samples[rod].nodePosition.slice(-3)];
const distance = (a: readonly number[], b: readonly number[]): number => Math.hypot(...a.map((x, k) => x - b[k]));
const after = (scene: Scene, time: number): World => {
  const world = createWorld(scene);
  const steps = Math.round(time / (scene.time?.step ?? 1));
  for (let k = 0; k < steps; k++) world.step();
  return world;
};

describe('restart', () => {
  it.each(['tr-bdf2', 'implicit-euler', 'midpoint', 'verlet'] as const)(
    'continues bit for bit with %s',
    (integrator) => {
      const scene = mixed({ integrator }, integrator === 'verlet' ? 0 : 1e-4);
      const whole = createWorld(scene);
      for (let k = 0; k < 12; k++) whole.step();
      const first = createWorld(scene);
      for (let k = 0; k < 5; k++) first.step();
      const second = createWorld(scene);
      second.restore(first.save());
      expect(second.hash()).toBe(first.hash());
      for (let k = 5; k < 12; k++) second.step();
      expect(second.hash()).toBe(whole.hash());
      expect(second.samples[0].nodePosition).toEqual(whole.samples[0].nodePosition);
      expect(whole.hash()).not.toBe(first.hash());
    },
  );
});

describe('integrators', () => {
  // smooth enough for the order to show: loads that grow from nothing
  const gentle = (cosserat: Options, step: number, section: object): Scene => ({
    ...swing(cosserat, step, section),
    gravity: { acceleration: [0, -3, -10], factor: { formula: '(1 - cos(pi*t))/2' } },
  });
  const stretchy = { EA: 400, inertia: 5e-3 };

  it.each([
    ['tr-bdf2', 1.85, 2.2, stretchy],
    ['tr-bdf2', 1.8, 2.3, {}],
    ['midpoint', 1.85, 2.2, stretchy],
    ['implicit-euler', 0.85, 1.15, {}],
  ] as const)('%s has its order', (integrator, least, most, section) => {
    const at = (step: number): number[] => tip(after(gentle({ integrator }, step, section), 0.4));
    const [a, b, c] = [at(0.01), at(0.005), at(0.0025)];
    const order = Math.log2(distance(a, b) / distance(b, c));
    expect(distance(b, c)).toBeGreaterThan(1e-9);
    expect(order).toBeGreaterThan(least);
    expect(order).toBeLessThan(most);
  });

  it('verlet leaves an equilibrium where it is, stretched to many times its length', () => {
    const world = createWorld({
      tendril: 1,
      rods: [
        {
          id: 'r',
          model: 'cosserat',
          shape: { type: 'straight', from: [0, 0, 0], to: [0.08, 0, 0] },
          edges: 4,
          section: { type: 'circle', radius: 2e-4 },
          material: { E: 1e5, nu: 0, density: 300 },
        },
      ],
      pins: [{ rod: 'r', at: 'start' }],
      loads: [{ type: 'force', rod: 'r', at: 'end', force: [0.05, -0.05, -0.05] }],
      time: { duration: 1, step: 5e-4 },
      solver: { cosserat: { integrator: 'verlet' } },
    });
    expect(world.equilibrate()[0].stable).toBe(true);
    const before = world.samples[0].nodePosition.slice();
    expect(Math.abs(before[3 * 4])).toBeGreaterThan(0.2);
    for (let k = 0; k < 4; k++) expect(world.step().energyGain).toBeUndefined();
    for (let k = 0; k < before.length; k++) expect(world.samples[0].nodePosition[k]).toBeCloseTo(before[k], 8);
  });

  it('verlet keeps the energy to 1e-6 of what moves, and agrees with tr-bdf2', () => {
    const gyration = 0.01;
    const explicit = createWorld(swing({ integrator: 'verlet', gyration }, 0.01));
    const start = explicit.energies().total;
    let drift = 0;
    for (let k = 0; k < 60; k++) {
      explicit.step();
      drift = Math.max(drift, Math.abs(explicit.energies().total - start));
    }
    expect(explicit.energies().kinetic).toBeGreaterThan(0.1);
    expect(drift).toBeLessThan(1e-6);
    const implicit = after(swing({ section: 'inflated', gyration }, 0.002), 0.6);
    expect(distance(tip(explicit), tip(implicit))).toBeLessThan(2e-4);
  });

  it('no implicit scheme gains energy', () => {
    for (const integrator of ['tr-bdf2', 'implicit-euler'] as const) {
      const world = createWorld(swing({ integrator }, 0.02));
      const start = world.energies().total;
      for (let k = 0; k < 100; k++) {
        world.step();
        expect(world.energies().total).toBeLessThan(start + 1e-3);
      }
    }
  });

  it('keeps momentum and angular momentum of a free, bent rod', () => {
    const scene: Scene = {
      ...swing({}, 0.005, { EA: 1e4, inertia: 2e-4 }),
      gravity: [0, 0, 0],
      pins: [],
      rods: [
        {
          ...swing({}, 1).rods[0],
          shape: { type: 'arc', from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 1, 0], radius: 0.4, angle: 2 },
          natural: 'straight',
          section: { type: 'stiffness', EI1: 1, EI2: 2, GJ: 0.7, mass: 1, EA: 1e4, inertia: 2e-4 },
          velocity: { linear: [1, 2, 3], angular: [4, -3, 2] },
        },
      ],
    };
    const world = createWorld(scene);
    const before = world.momentum();
    expect(Math.hypot(...before.angular)).toBeGreaterThan(0.5);
    for (let k = 0; k < 40; k++) world.step();
    const now = world.momentum();
    expect(distance([...now.linear], [...before.linear])).toBeLessThan(1e-9);
    expect(distance([...now.angular], [...before.angular])).toBeLessThan(3e-3 * Math.hypot(...before.angular));
  });

  it('damps by mass exactly, and by stiffness as theory says', () => {
    // straight rod that moves freely: only mass damping acts
    const free: Scene = {
      ...swing({ integrator: 'verlet', gyration: 0.02 }, 0.01),
      gravity: [0, 0, 0],
      pins: [],
      rods: [
        {
          ...swing({}, 1).rods[0],
          section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1, damping: { mass: 3 } },
          velocity: { linear: [0, 1, 0] },
        },
      ],
    };
    expect(after(free, 0.5).samples[0].nodeVelocity[1]).toBeCloseTo(Math.exp(-1.5), 10);
    // first mode of a clamped rod: energy falls as exp(−βω²t)
    const beta = 0.02;
    const omega = 1.8751 ** 2;
    const scene: Scene = {
      ...swing({}, 0.002, { damping: { stiffness: beta } }, 20),
      gravity: {
        acceleration: [0, 0, -0.1],
        factor: {
          keys: [
            [0, 1],
            [1e-9, 0],
          ],
          interpolation: 'step',
        },
      },
    };
    const world = createWorld(scene);
    world.equilibrate(0);
    const time = (2 * Math.PI) / omega;
    const energy = (): number => world.energies().total;
    world.step(2e-6);
    const start = energy();
    for (let t = 0; t < 2 * time; t += 0.002) world.step(0.002);
    const rate = -Math.log(energy() / start) / (2 * time);
    expect(rate / (beta * omega ** 2)).toBeGreaterThan(0.9);
    expect(rate / (beta * omega ** 2)).toBeLessThan(1.15);
  });
});

describe('equilibria', () => {
  it('of a hair with its physical section converge like those of a thick rod', () => {
    const hair: Scene = {
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [
        {
          id: 'hair',
          model: 'cosserat',
          shape: { type: 'straight', from: [0, 0, 0], to: [0.1, 0, 0] },
          edges: 60,
          section: { type: 'circle', radius: 3e-5 },
          material: { E: 3.58e9, G: 1.07e9, density: 1107 },
        },
      ],
      pins: [{ rod: 'hair', at: 'start' }],
    };
    const world = createWorld(hair);
    const [report] = world.equilibrate();
    expect(report).toMatchObject({ converged: true, stable: true, criterion: 'energy' });
    expect(report.iterations).toBeLessThan(12);
    const other = createWorld({ ...hair, rods: [{ ...hair.rods[0], model: 'der' }] });
    other.equilibrate();
    expect(distance(tip(world), tip(other))).toBeLessThan(1e-7);
  });

  it('shear: a stubby cantilever sags by PL³/3EI + PL/kGA', () => {
    const radius = 0.1;
    const E = 1e7;
    const G = 4e6;
    const P = 10;
    const sag = (shearFactor: number): number => {
      const world = createWorld({
        tendril: 1,
        rods: [
          {
            id: 'beam',
            model: 'cosserat',
            shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
            edges: 40,
            section: { type: 'circle', radius },
            material: { E, G, density: 1000 },
          },
        ],
        pins: [{ rod: 'beam', at: 'start' }],
        loads: [{ type: 'force', rod: 'beam', at: 'end', force: [0, 0, -P] }],
        solver: { cosserat: { shearFactor } },
      });
      world.equilibrate();
      return -tip(world)[2];
    };
    const A = Math.PI * radius ** 2;
    const bending = P / (3 * E * ((Math.PI / 4) * radius ** 4));
    expect(sag(0.9) / (bending + P / (0.9 * G * A))).toBeCloseTo(1, 3);
    // the shear alone, free of the bending's discretisation
    expect((sag(0.5) - sag(1)) / (P / (G * A))).toBeCloseTo(1, 3);
  });

  it('count turns of a clamp beyond what a quaternion can tell', () => {
    const turns = 5;
    const world = createWorld({
      tendril: 1,
      rods: [
        {
          id: 'rod',
          model: 'cosserat',
          shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
          edges: 40,
          section: { type: 'stiffness', EI1: 100, GJ: 1, mass: 1, inertia: 1e-3 },
        },
      ],
      pins: [
        { rod: 'rod', at: 'start' },
        {
          rod: 'rod',
          at: 'end',
          path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, twist: 2 * Math.PI * turns }] },
        },
      ],
      time: { duration: 1, step: 0.02 },
    });
    world.equilibrate(1);
    const torque = world.reactions().map((reaction) => reaction.torque[0]);
    expect(torque[1]).toBeCloseTo(2 * Math.PI * turns, 9);
    expect(torque[0]).toBeCloseTo(-2 * Math.PI * turns, 9);
    expect(world.energies().twisting).toBeCloseTo((2 * Math.PI * turns) ** 2 / 2, 7);
  });

  it('hold a direction and leave the spin free', () => {
    const world = createWorld({
      ...swing({}, 0.01),
      pins: [
        { rod: 'rod', at: 'start', hold: 'position' },
        { rod: 'rod', at: 'start', hold: 'tangent' },
      ],
    });
    const [report] = world.equilibrate();
    const clamped = createWorld(swing({}, 0.01));
    clamped.equilibrate();
    expect(report.converged).toBe(true);
    expect(report.stable).toBe(true);
    expect(distance(tip(world), tip(clamped))).toBeLessThan(1e-9);
    expect(distance([...world.reactions()[1].torque], [...clamped.reactions()[0].torque])).toBeLessThan(1e-7);
  });

  it('follow a load that follows', () => {
    const world = createWorld({
      ...swing({}, 0.01, {}, 40),
      gravity: [0, 0, 0],
      loads: [{ type: 'force', rod: 'rod', at: 'end', frame: 'material', force: [0, 2, 0] }],
    });
    const other = createWorld({
      ...swing({}, 0.01, {}, 40),
      rods: [{ ...swing({}, 0.01, {}, 40).rods[0], model: 'der' }],
      gravity: [0, 0, 0],
      loads: [{ type: 'force', rod: 'rod', at: 'end', frame: 'material', force: [0, 2, 0] }],
    });
    const [report] = world.equilibrate();
    other.equilibrate();
    expect(report).toMatchObject({ converged: true, criterion: 'divergence' });
    expect(distance(tip(world), tip(other))).toBeLessThan(1e-6);
  });
});

describe('what it reports', () => {
  it('matrices that give the modes', () => {
    const scene = swing({}, 0.01, { EA: 400, inertia: 5e-3, damping: { stiffness: 0.1, mass: 2 } }, 4);
    const world = createWorld(scene);
    world.equilibrate();
    const [matrices] = world.matrices();
    const [modes] = world.modes(3);
    expect(modes.omega[0]).toBeGreaterThan(1);
    expect(matrices.size).toBe(4 * 6);
    expect(matrices.labels[0]).toBe('edge 0 rotation d1');
    expect(matrices.labels.at(-1)).toBe('node 4 z');
    const dense = (sparse: typeof matrices.mass): number[][] => {
      const out = matrices.labels.map(() => matrices.labels.map(() => 0));
      sparse.row.forEach((row, k) => {
        out[row][sparse.column[k]] = sparse.value[k];
        out[sparse.column[k]][row] = sparse.value[k];
      });
      return out;
    };
    const flat = (sparse: typeof matrices.mass): Float64Array => Float64Array.from(dense(sparse).flat());
    const all = eigenGeneral(flat(matrices.stiffness), flat(matrices.mass), matrices.size);
    for (let k = 0; k < 3; k++) expect(Math.sqrt(all?.values[k] ?? 0)).toBeCloseTo(modes.omega[k], 6);
    const C = dense(matrices.damping);
    expect(C.every((row, i) => row.every((value, j) => Math.abs(value - C[j][i]) < 1e-9))).toBe(true);
    // without loads there is no geometric stiffness: C = 2 M + 0.1 K
    const [unloaded] = createWorld({ ...scene, gravity: [0, 0, 0] }).matrices();
    const [M, K, D] = [unloaded.mass, unloaded.stiffness, unloaded.damping].map(dense);
    const largest = Math.max(...K.flat().map(Math.abs));
    const errors = D.flatMap((row, i) => row.map((value, j) => Math.abs(value - 2 * M[i][j] - 0.1 * K[i][j])));
    expect(Math.max(...errors)).toBeLessThan(1e-12 * largest);
  });

  it('weight as reactions, tension and curvature', () => {
    const world = createWorld(swing({}, 0.01, {}, 40));
    world.equilibrate();
    expect(world.reactions()[0].force[2]).toBeCloseTo(10, 8);
    const curvature = world.channel(0, 'curvature');
    // bending stiffness is 1
    expect(curvature[0]).toBeCloseTo(Math.abs(world.reactions()[0].torque[1]), 8);
    // along each edge the weight of what hangs from it
    const { edgeTangent } = world.samples[0];
    world.channel(0, 'tension').forEach((tension, j) => {
      expect(tension).toBeCloseTo((-10 * (39.5 - j) * edgeTangent[3 * j + 2]) / 40, 8);
    });
  });
});

describe('what it refuses', () => {
  const refuse =
    (change: Partial<Scene>, options: Options = {}): (() => World) =>
    () =>
      createWorld({ ...swing(options, 0.01), ...change });
  it('names the field and the remedy', () => {
    expect(refuse({}, { gyration: 0.01 })).toThrow(/gyration.*physical section; add section: inflated/);
    expect(refuse({}, { section: 'inflated', shearFactor: 0.9 })).toThrow(/shearFactor/);
    expect(refuse({}, { integrator: 'midpoint' })).toThrow(/inextensible.*section: inflated, or use tr-bdf2/);
    expect(refuse({}, { integrator: 'verlet', section: 'physical' })).toThrow(/inextensible/);
    expect(
      refuse(
        {
          rods: [
            {
              ...swing({}, 1).rods[0],
              section: { type: 'stiffness', EI1: 1, GJ: 1, EA: 10, mass: 1, damping: { stiffness: 1 } },
            },
          ],
        },
        { integrator: 'verlet' },
      ),
    ).toThrow(/no stiffness damping/);
    expect(refuse({}, { integrator: 'verlet', gyration: 1e-7 })).toThrow(/substeps/);
    const changing = { ...swing({}, 1).rods[0], animate: { E: { formula: '1 + t' } } };
    expect(refuse({ rods: [changing] }, { integrator: 'verlet' })).toThrow(/'animate'/);
    expect(
      refuse({
        bodies: [{ id: 'ball', mass: 1, inertia: [1, 1, 1], position: [1, 0, 0] }],
        welds: [{ rod: 'rod', at: 'end', body: 'ball' }],
      }),
    ).toThrow(/does not move bodies; use model: der/);
  });
});
