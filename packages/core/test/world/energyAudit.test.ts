import { describe, expect, it } from 'vitest';
import { createWorld, type EnergyGain, type LoadSource, type ModelId, type Scene } from '../../src/index.ts';

const step = 0.005;

function scene(model: ModelId, more: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'rod',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [0.5, 0, 0] },
        edges: model === 'helix' ? 5 : 10,
        section: { type: 'circle', radius: 0.003 },
        material: { E: 1e7, nu: 0.3, density: 1000 },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    time: { duration: 1, step },
    ...more,
  };
}

/** A force on the last node that acts in steps `from` to `to` and that no one else is told of: it is there within steps, not between. */
function secretPush(force: number, from: number, to: number): LoadSource {
  return {
    dependsOnState: true,
    addLoads({ nodeForce }, _samples, t) {
      const within = (t / step) % 1;
      if (t > from * step && t < to * step && within > 0.1 && within < 0.9) nodeForce[nodeForce.length - 1] += force;
    },
    potential: () => 0,
  };
}

function gains(input: Scene, steps: number, secret?: LoadSource): (EnergyGain | undefined)[] {
  const world = createWorld(input);
  if (secret) world.addLoad(0, secret);
  return Array.from({ length: steps }, () => world.step().energyGain);
}

const models = ['der', 'cosserat', 'strand', 'helix', 'fiber', 'massspring'] as const;
const midpoint = { solver: { der: { integrator: 'midpoint' } } } as const;
const none = (list: readonly unknown[]): void => expect(list.filter((one) => one !== undefined)).toEqual([]);

describe('the audit of energy', () => {
  it.each(models)('finds nothing in a swing, %s', (model) => {
    none(gains(scene(model), 60));
  });

  it.each(['tr-bdf2', 'midpoint'] as const)(
    'finds nothing in the first steps from rest under a torque, %s',
    (integrator) => {
      const { rods, ...rest } = scene('der');
      const world = createWorld({
        ...rest,
        rods: [
          { ...rods[0], section: { type: 'circle', radius: 0.008 }, material: { E: 6e8, nu: 0.35, density: 1000 } },
        ],
        bodies: [
          {
            id: 'b',
            solid: { type: 'box', density: 1000, size: [0.014, 0.0096, 0.0064] },
            position: [0.52, 0.003, -0.01],
          },
        ],
        welds: [{ rod: 'rod', at: 'end', body: 'b' }],
        loads: [{ type: 'body-torque', body: 'b', torque: [-0.4, 0, 0.3] }],
        solver: { der: { integrator } },
      });
      none(Array.from({ length: 30 }, () => world.step(1e-3).energyGain));
    },
  );

  it('knows that a branch is held by the rod that it grows from', () => {
    const { rods, ...rest } = scene('strand');
    const branch = { ...rods[0], id: 'branch', parent: { rod: 'rod', at: { u: 0.6 } } } as const;
    const shape = { type: 'straight', from: [0.3, 0, 0], to: [0.3, 0.2, 0] } as const;
    const world = createWorld({ ...rest, rods: [...rods, { ...branch, shape }] });
    for (let k = 0; k < 40; k++) {
      const { momentumGain, energyGain } = world.step();
      expect([momentumGain, energyGain]).toEqual([undefined, undefined]);
    }
  });

  it('reports energy that comes from nowhere, in the step in which it comes', () => {
    // the midpoint rule asks for loads in the middle of a step alone
    const found = gains(scene('der', midpoint), 40, secretPush(20, 20, 22));
    none(found.slice(0, 20));
    const gain = found[21];
    expect(gain).toBeDefined();
    expect(gain?.gain).toBeGreaterThan(0.05 * (gain?.scale ?? 0));
    expect(gain?.step).toBeGreaterThan(0);
  });

  it('compares with the energy at hand', () => {
    none(gains(scene('der', midpoint), 40, secretPush(0.02, 20, 22)));
  });

  const wave = {
    keys: [
      { time: 0 },
      { time: 0.15, offset: [0.1, 0.2, -0.1], rotation: [0, 0.4, 0.3] },
      { time: 0.3, offset: [0, -0.1, 0.1], rotation: [0.2, 0, -0.3] },
    ],
  } as const;

  it.each(models)('knows what a moving clamp does, %s', (model) => {
    none(gains(scene(model, { pins: [{ rod: 'rod', at: 'start', path: wave }] }), 60));
  });

  const weight = { id: 'weight', mass: 0.01, inertia: [1e-6, 2e-6, 2e-6], position: [0.5, 0.01, 0] } as const;
  const welded = { bodies: [weight], welds: [{ rod: 'rod', at: 'end', body: 'weight' }] } as const;
  const linked = { links: [{ rod: 'rod', at: 'end', to: { point: [0.5, 0.02, 0] }, stiffness: 20 }] } as const;

  // 50, 51 and 52 of 60 steps were reported
  it.each<[string, ModelId, Partial<Scene>]>([
    ['is welded to a body', 'der', welded],
    ['has a link', 'der', linked],
    ['has a link', 'fiber', linked],
  ])('knows the work of a moving clamp whose rod %s, %s', (_, model, more) => {
    const input = scene(model, { pins: [{ rod: 'rod', at: 'start', path: wave }], ...more });
    none(gains(input, 60));
  });

  it('reports a gain of a rod that a moving clamp and a body hold', () => {
    const input = scene('der', { ...midpoint, pins: [{ rod: 'rod', at: 'start', path: wave }], ...welded });
    const found = gains(input, 22, secretPush(20, 20, 22));
    none(found.slice(10, 20));
    expect(found[21]?.gain).toBeGreaterThan(1);
  });

  const twist = { keys: [{ time: 0 }, { time: 0.2, rotation: [6, 0, 0] }] } as const;
  const wide = { cosserat: { section: 'inflated', gyration: 0.02 }, fiber: { scaffold: 0.02 } } as const;

  it.each(['cosserat', 'fiber', 'helix', 'massspring'] as const)(
    "knows the model's own inertia where a clamp twists the rod, %s",
    (model) => {
      const input = { pins: [{ rod: 'rod', at: 'start', path: twist }], solver: wide, gravity: [0, 0, 0] } as const;
      none(gains(scene(model, input), 60));
    },
  );

  it('knows the branches that a moving base carries', () => {
    const { rods, ...rest } = scene('strand', { pins: [{ rod: 'rod', at: 'start', path: wave }] });
    const branch = { ...rods[0], id: 'branch', parent: { rod: 'rod', at: { u: 0.6 } } } as const;
    const shape = { type: 'straight', from: [0.3, 0, 0], to: [0.3, 0.4, 0] } as const;
    none(gains({ ...rest, rods: [...rods, { ...branch, shape }] }, 60));
  });

  // a rod at 45 degrees to the axis of its clamp, which turns by 1 rad in 10 ms
  it.each([
    [2e-3, 0.579, true],
    [5e-4, 0.444, false],
  ])('reports what a strand gains where its base turns too fast for the step of %d s', (dt, energy, isReported) => {
    const { rods } = scene('strand');
    const shape = { type: 'straight', from: [0, 0, 0], to: [0.7, 0, -0.7] } as const;
    const rod = { ...rods[0], shape, section: { type: 'circle', radius: 0.01 } } as const;
    const path = { keys: [{ time: 0 }, { time: 0.01, rotation: [1, 0, 0] }] } as const;
    const time = { duration: 0.25, step: dt };
    const world = createWorld({ tendril: 1, rods: [rod], pins: [{ rod: 'rod', at: 'start', path }], time });
    const reports = Array.from({ length: Math.round(0.25 / dt) }, () => world.step().energyGain !== undefined);
    // 0.466 J with short steps
    expect(world.energies().total).toBeCloseTo(energy, 2);
    expect(reports.includes(true)).toBe(isReported);
  });

  it('knows what loads do that change in time and place', () => {
    const loads = [
      { type: 'force', rod: 'rod', at: 'end', force: [0, 0.1, 0.2], factor: { formula: 'sin(30*t)' } },
      { type: 'torque', rod: 'rod', at: 'end', torque: [0.002, 0, 0] },
    ] as const;
    const fields = [
      { type: 'air', quadratic: { density: 1.2, normal: 1 }, wind: [2, 5, 0] },
      { type: 'force', per: 'mass', formula: ['-40*x', '0', '3*sin(9*t)'] },
    ] as const;
    none(gains(scene('der', { loads, fields }), 60));
  });

  it('knows what a torque does that turns a body', () => {
    const { rods } = scene('der');
    const body = { id: 'wheel', mass: 0.1, inertia: [1e-4, 1e-4, 1e-4], position: [0.5, 0, 0] } as const;
    const factor = { formula: '1 + sin(30*t)' };
    const loads = [{ type: 'body-torque', body: 'wheel', torque: [0.001, 0, 0], factor }] as const;
    const welds = [{ rod: 'rod', at: 'end', body: 'wheel' }] as const;
    none(gains({ tendril: 1, rods, bodies: [body], welds, loads, time: { duration: 1, step } }, 20));
  });

  it('knows what an obstacle does that moves', () => {
    const colliders = [
      {
        id: 'ball',
        type: 'sphere',
        radius: 0.05,
        position: [0.3, -0.1, 0],
        path: { keys: [{ time: 0 }, { time: 0.2, offset: [0, 0.2, 0] }] },
      },
    ] as const;
    none(gains(scene('der', { gravity: [0, 0, 0], colliders }), 60));
  });

  describe('of momentum', () => {
    const flight = (model: ModelId, more: Partial<Scene> = {}): Scene => {
      const { pins: _, ...free } = scene(model, more);
      const velocity = { linear: [1, 0, 2], angular: [3, -2, 4] } as const;
      return { ...free, rods: free.rods.map((rod) => ({ ...rod, velocity })) };
    };
    const impulses = (input: Scene, secret?: LoadSource): (number | undefined)[] => {
      const world = createWorld(input);
      if (secret) world.addLoad(0, secret);
      return Array.from({ length: 40 }, () => world.step().momentumGain?.impulse);
    };

    it.each(['der', 'cosserat', 'strand', 'fiber', 'massspring'] as const)(
      'finds nothing in free flight, %s',
      (model) => {
        const loads = [
          { type: 'force', rod: 'rod', at: 'end', force: [0, 0.1, 0.2], factor: { formula: 'sin(30*t)' } },
        ] as const;
        none(impulses(flight(model, { loads })));
      },
    );

    it.each(['der', 'cosserat', 'strand', 'fiber', 'massspring'] as const)('finds no rounding at rest, %s', (model) => {
      const pins = [{ rod: 'rod', at: 'start', release: 3.5 * step }] as const;
      none(impulses(scene(model, { pins, gravity: [0, 0, 0] })));
    });

    it('reports a push that no load explains', () => {
      const found = impulses(flight('der', midpoint), secretPush(5, 20, 22));
      none(found.slice(0, 20));
      // 5 N over two steps
      expect(found[25]).toBeCloseTo(2 * 5 * step, 4);
    });
  });

  it('changes no bit', () => {
    // what reads most: contact, a pin on a path and a load
    const input = scene('der', {
      colliders: [{ id: 'floor', type: 'plane', position: [0, 0, -0.2] }],
      pins: [{ rod: 'rod', at: 'start', path: { keys: [{ time: 0 }, { time: 0.2, offset: [0, 0.1, 0] }] } }],
    });
    const audited = createWorld(input);
    // strands that are directed are not audited, and this scene has none
    const plain = createWorld({ ...input, solver: { strand: { direct: [] } } });
    for (let k = 0; k < 40; k++) {
      audited.step();
      plain.step();
      expect(audited.hash()).toBe(plain.hash());
    }
  });

  /** A limp hair that a force far above its weight throws, for a few long steps. */
  const thrown = (model: ModelId, force: [number, number, number], more: Partial<Scene>): Scene => ({
    ...scene(model, more),
    rods: [
      {
        id: 'rod',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [0.05, 0, 0] },
        edges: 9,
        section: { type: 'circle', radius: 2.6e-4 },
        material: { E: 1e5, nu: 0, density: 302 },
      },
    ],
    loads: [{ type: 'force', rod: 'rod', at: 'end', force }],
  });

  it('looks at the last step of a scene that is shorter than its interval', () => {
    const solver: Scene['solver'] = { der: { integrator: 'shake' } };
    const time = { duration: 0.001178, step: 0.0002944, halvings: 4 };
    const found = gains(thrown('der', [-0.0014, -0.0493, 0.0499], { pins: [], solver, time }), 4);
    expect(found.map((gain) => gain !== undefined)).toEqual([false, false, false, true]);
  });

  it('allows for the tolerance of contact only where something touches', () => {
    const solver: Scene['solver'] = { helix: { integrator: 'semi-implicit' } };
    const time = { duration: 0.008631, step: 0.002877, halvings: 4 };
    const shape = { type: 'helix', radius: 0.002517, pitch: 0.01259, turns: 0.5, axis: [1, 0, 0] } as const;
    const json = thrown('helix', [0.05, -0.0107, -0.0287], {
      gravity: [0.24, -11.95, 11.9],
      contact: {},
      solver,
      time,
    });
    const [rod] = json.rods;
    const curl = { ...rod, shape, edges: 5, section: { type: 'circle', radius: 1.023e-4 } } as const;
    expect(gains({ ...json, rods: [curl] }, 3).at(-1)?.gain).toBeGreaterThan(2e-5);
  });

  it('finds what an explicit step gains, although it looks at every eighth only', () => {
    const short = 2e-4;
    const secret: LoadSource = {
      dependsOnState: true,
      addLoads({ nodeForce }, _samples, t) {
        if (Math.round(t / short) % 8 !== 0) nodeForce[nodeForce.length - 1] -= 0.3;
      },
      potential: () => 0,
    };
    const input = scene('der', { solver: { der: { integrator: 'shake' } }, time: { duration: 0.04, step: short } });
    const reports = [false, true].map((isPushed) => {
      const world = createWorld(input);
      if (isPushed) world.addLoad(0, secret);
      return Array.from({ length: 200 }, () => world.step().energyGain).filter((gain) => gain !== undefined).length;
    });
    expect(reports[0]).toBe(0);
    expect(reports[1]).toBeGreaterThan(5);
  });
});
