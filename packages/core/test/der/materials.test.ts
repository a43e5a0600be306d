/** Rods of `der` with a law of bending and twist: state, contact, bodies, and what they refuse. */
import { describe, expect, it } from 'vitest';
import { createWorld, type LawSpec, type Scene, type World } from '../../src/index.ts';

const soft: LawSpec = {
  type: 'viscoelastic',
  terms: [
    { ratio: 1, time: 0.05 },
    { ratio: 0.5, time: 1 },
  ],
};
const laws: readonly (readonly [string, LawSpec])[] = [
  ['viscoelastic', soft],
  ['elastoplastic', { type: 'elastoplastic', yield: { bending: 1e-4, twist: 1e-4 }, hardening: 0.1 }],
  [
    'table',
    {
      type: 'table',
      moments: [
        [5, 1e-4],
        [20, 1e-3],
      ],
    },
  ],
  ['growth', { type: 'growth', factor: { formula: '1 - 0.5*sin(3*t)' } }],
  ['dahl', { type: 'dahl', limit: { bending: 1e-4, twist: 1e-4 }, stiffness: 1 }],
];

const isElastic = ({ type }: LawSpec): boolean => type === 'table' || type === 'growth';

const rod = (law?: LawSpec): Scene['rods'][number] => ({
  id: 'rod',
  shape: { type: 'helix', radius: 0.05, pitch: 0.04, turns: 2, axis: [1, 0, 0.3] },
  edges: 12,
  section: { type: 'ellipse', a: 4e-3, b: 2e-3 },
  material: { E: 1e6, nu: 0.4, density: 1000 },
  ...(law && { law }),
});
const scene = (law?: LawSpec, more: Partial<Scene> = {}): Scene => ({
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: [rod(law)],
  pins: [{ rod: 'rod', at: 'start' }],
  time: { duration: 1, step: 1e-2 },
  ...more,
});
const run = (world: World, steps: number): World => {
  for (let k = 0; k < steps; k++) expect(world.step(1e-2).energyGain).toBeUndefined();
  return world;
};

const floor: Partial<Scene> = {
  colliders: [{ id: 'floor', type: 'plane', position: [0, 0, -0.12], normal: [0, 0, 1] }],
  contact: { friction: 0.4 },
};
const bob: Partial<Scene> = {
  bodies: [{ id: 'bob', position: [0.08, 0.05, 0], mass: 0.02, inertia: [1e-6, 1e-6, 1e-6] }],
  welds: [{ body: 'bob', rod: 'rod', at: 'end' }],
};

describe.each(laws)('a rod with the law %s', (_, law) => {
  it.each([
    ['free', {}],
    ['in contact', floor],
    ['with a body', bob],
  ] as const)('goes on bit for bit from a saved state, %s', (__, more) => {
    // 5·0.01 + 0.01 and 6·0.01 are different numbers
    const whole = run(createWorld(scene(law, more)), 6);
    const state = whole.save();
    run(whole, 8);
    const resumed = createWorld(scene(law, more));
    resumed.restore(state);
    run(resumed, 8);
    expect(resumed.hash()).toBe(whole.hash());
    expect(resumed.energies()).toEqual(whole.energies());
    // the law matters, or the test would not
    expect(run(createWorld(scene(undefined, more)), 14).hash()).not.toBe(whole.hash());
  });

  it('turns energy into heat, and never back', () => {
    const world = createWorld(scene(law, floor));
    let heat = 0;
    for (let k = 0; k < 40; k++) {
      run(world, 1);
      const { dissipated = -1 } = world.energies();
      expect(dissipated).toBeGreaterThanOrEqual(heat);
      heat = dissipated;
    }
    if (isElastic(law)) expect(heat).toBe(0);
    else expect(heat).toBeGreaterThan(1e-6);
  });

  it('is refused by what does not support it', () => {
    const make =
      (more: Partial<Scene>): (() => World) =>
      () =>
        createWorld(scene(law, more));
    expect(make({ solver: { der: { integrator: 'shake' } } })).toThrow(/shake supports only linear elastic rods/);
    expect(make({ solver: { der: { strain: 'bergou2008' } } })).toThrow(/bergou2008 is for linear elastic rods/);
    expect(make({ rods: [{ ...rod(law), natural: 'equilibrium' }] })).toThrow(/natural: equilibrium is for linear/);
    expect(make({ rods: [{ ...rod(law), model: 'helix' }] })).toThrow(
      /model 'helix' supports only linear elastic rods/,
    );
    expect(make({ pins: [{ rod: 'rod', at: { node: 6 }, release: 0.5 }] })).toThrow(/node 6 that is released/);
    if (isElastic(law)) expect(make({})().modes(1)[0].omega[0]).toBeGreaterThan(0);
    else expect(() => make({})().modes()).toThrow(/has no natural modes/);
  });
});

/** A pull along the axis, so that there is one equilibrium. */
const gentle: Partial<Scene> = { gravity: [3, 0, 0] };

describe('rods with tables and friction', () => {
  it('reject numbers that make no law', () => {
    const make =
      (law: LawSpec): (() => World) =>
      () =>
        createWorld(scene(law));
    const table = (...moments: [number, number][]): LawSpec => ({ type: 'table', moments });
    expect(make(table())).toThrow(/needs at least one point/);
    expect(make(table([1, 1], [1, 2]))).toThrow(/curvature is 1 1\/m after 1 1\/m/);
    expect(make({ type: 'dahl', limit: { bending: 0 }, stiffness: 1 })).toThrow(/friction of bending is 0 N m/);
    expect(make({ type: 'dahl', limit: { bending: 1 }, stiffness: 0 })).toThrow(/stiffness of friction is 0/);
  });
});

describe('an elastoplastic rod', () => {
  it('rejects numbers that make no law', () => {
    const make =
      (more: object): (() => World) =>
      () =>
        createWorld(scene({ type: 'elastoplastic', yield: { bending: 1 }, ...more }));
    expect(make({ yield: { bending: 0 } })).toThrow(/yield moment of bending is 0 N m/);
    expect(make({ yield: { bending: 1, twist: -1 } })).toThrow(/yield moment of twist is -1 N m/);
    expect(make({ hardening: 1 })).toThrow(/hardening is 1; it is the stiffness beyond yield/);
    expect(make({ time: -1 })).toThrow(/relaxation time is -1 s/);
  });
});

describe('a viscoelastic rod', () => {
  it('comes to rest where the elastic one does, with the same verdict and derivatives', () => {
    const [relaxed, elastic] = [createWorld(scene(soft, gentle)), createWorld(scene(undefined, gentle))];
    run(relaxed, 5);
    const [a, b] = [relaxed.equilibrate()[0], elastic.equilibrate()[0]];
    expect(a.converged && b.converged).toBe(true);
    expect(a.stable).toBe(b.stable);
    const [x, y] = [relaxed.samples[0].nodePosition, elastic.samples[0].nodePosition];
    expect(Math.max(...x.map((value, k) => Math.abs(value - y[k])))).toBeLessThan(1e-8);
    expect(relaxed.linearize()).toHaveLength(1);
    // at rest it stays, whatever the time that passes
    const before = x.slice();
    run(relaxed, 10);
    expect(Math.max(...x.map((value, k) => Math.abs(value - before[k])))).toBeLessThan(1e-8);
  });

  it('rejects terms that make no law', () => {
    const make =
      (terms: { ratio: number; time: number }[]): (() => World) =>
      () =>
        createWorld(scene({ type: 'viscoelastic', terms }));
    expect(make([])).toThrow(/needs at least one term/);
    expect(make([{ ratio: -1, time: 1 }])).toThrow(/ratio of stiffnesses is -1/);
    expect(make([{ ratio: 1, time: 0 }])).toThrow(/relaxation time is 0 s/);
  });
});
