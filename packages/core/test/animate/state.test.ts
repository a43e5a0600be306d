/** Properties that change, seen from outside: saved states, jumps, the audits, kernels. */
import { describe, expect, it } from 'vitest';
import {
  animatedFields,
  createWorld,
  type LoadSource,
  type ModelId,
  modelCapabilities,
  type RodSpec,
  type Scene,
} from '../../src/index.ts';
import { loadDer } from '../../src/kernels/index.ts';

const step = 5e-3;
const formulas: Readonly<Record<string, string>> = {
  E: '1 + 0.5*sin(9*t)*(1 - 0.5*u)',
  G: '1 - 0.5*sin(7*t)',
  curvature: '1 + 4*t',
  length: '1 + 3*t^2*(1 + u)',
  density: '1 + 3*t',
  radius: '1 + 0.3*sin(8*t)',
  massDamping: '1 + 9*t',
  stiffnessDamping: '1 + t',
  friction: '1 + t',
};

function scene(model: ModelId, more: Partial<RodSpec> = {}): Scene {
  const fields = modelCapabilities[model].animated;
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'rod',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [0.3, 0, 0] },
        edges: 6,
        natural: { curvature: [0, 3, 1] },
        section: { type: 'circle', radius: 2e-3 },
        material: { E: 1e7, nu: 0.4, density: 1000, damping: { mass: 0.2, stiffness: 1e-3 } },
        animate: Object.fromEntries(fields.map((field) => [field, { formula: formulas[field] }])),
        ...more,
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    time: { duration: 1, step },
  };
}

/** A force that acts within steps 20 to 24, but not at their ends: the audit is not told of it. */
const secret: LoadSource = {
  dependsOnState: true,
  addLoads({ nodeForce }, _samples, t) {
    const within = (t / step) % 1;
    if (t > 20 * step && t < 25 * step && within > 0.1 && within < 0.9) nodeForce[nodeForce.length - 1] += 1;
  },
  potential: () => 0,
};

const models = (['der', 'cosserat', 'strand', 'helix', 'fiber'] as const).filter(
  (model) => modelCapabilities[model].animated.length > 0,
);

describe('a rod all of whose properties change', () => {
  it.each(models)('continues from a saved state bit for bit, %s', (model) => {
    const world = createWorld(scene(model));
    for (let k = 0; k < 5; k++) world.step();
    const other = createWorld(scene(model));
    other.restore(world.save());
    expect(other.energies()).toEqual(world.energies());
    for (let k = 0; k < 4; k++) {
      world.step();
      other.step();
    }
    expect(other.hash()).toBe(world.hash());
  });

  it.each(models)('is in balance, and is found out if it gains more than that, %s', (model) => {
    // schemes that evaluate loads within a step
    const isHidden = model !== 'der' && model !== 'cosserat';
    const gains = (load?: LoadSource): number => {
      const world = createWorld(scene(model));
      if (load) world.addLoad(0, load);
      let found = 0;
      for (let k = 0; k < 40; k++) {
        const { energyGain, momentumGain } = world.step();
        if (energyGain || momentumGain) found++;
      }
      return found;
    };
    expect(gains()).toBe(0);
    if (!isHidden) expect(gains(secret)).toBeGreaterThan(0);
  });

  it('takes the plain code where a program has kernels', async () => {
    const two = (): Scene => {
      const one = scene('der');
      return {
        ...one,
        rods: [one.rods[0], { ...one.rods[0], id: 'second' }],
        pins: [
          { rod: 'rod', at: 'start' },
          { rod: 'second', at: 'start' },
        ],
      };
    };
    const [plain, fast] = [createWorld(two()), createWorld(two(), { models: [await loadDer()] })];
    for (let k = 0; k < 4; k++) {
      plain.step();
      fast.step();
    }
    expect(fast.hash()).toBe(plain.hash());
  });
});

describe('damping that is switched on within a step', () => {
  it.each(['der', 'cosserat'] as const)('slows a rod from then on, %s', (model) => {
    const rate = 3;
    const world = createWorld({
      ...scene(model, {
        natural: 'straight',
        velocity: { linear: [0, 1, 0] },
        material: { E: 1e7, nu: 0.4, density: 1000, damping: { mass: rate } },
        animate: {
          massDamping: {
            keys: [
              [0, 0],
              [0.0125, 1],
            ],
            interpolation: 'step',
          },
        },
      }),
      gravity: [0, 0, 0],
      pins: [],
    });
    for (let k = 0; k < 20; k++) expect(world.step().momentumGain).toBeUndefined();
    expect(world.samples[0].nodeVelocity[1]).toBeCloseTo(Math.exp(-rate * (0.1 - 0.0125)), 5);
  });
});

describe('mass that is added to a free rod', () => {
  it.each(['der', 'cosserat', 'strand'] as const)('keeps its velocity, %s', (model) => {
    const world = createWorld({
      ...scene(model, {
        natural: 'straight',
        velocity: { linear: [0, 1, 0], angular: [0, 0, 4] },
        animate: { density: { formula: '1 + 5*t' } },
        material: { E: 1e9, nu: 0.4, density: 1000 },
      }),
      gravity: [0, 0, 0],
      pins: [],
    });
    const before = world.momentum();
    for (let k = 0; k < 20; k++) {
      const { momentumGain, energyGain } = world.step();
      expect([momentumGain, energyGain]).toEqual([undefined, undefined]);
    }
    const after = world.momentum();
    expect(after.mass / before.mass).toBeCloseTo(1.5, 9);
    expect(after.linear[1] / before.linear[1]).toBeCloseTo(1.5, 6);
  });
});

describe('what has no meaning', () => {
  const refused = (more: Partial<RodSpec>, model: ModelId = 'der'): (() => unknown) => {
    return () => createWorld(scene(model, { animate: {}, ...more }));
  };
  it('is rejected with the field', () => {
    expect(refused({ animate: { radius: 0 } })).toThrow(/the factor is 0 .* positive/);
    expect(
      refused({
        animate: {
          length: {
            keys: [
              [0, 1],
              [1, -1],
            ],
          },
        },
      }),
    ).toThrow(/-1; it must be positive/);
    expect(refused({ animate: { length: { formula: '1 + t' } }, natural: 'equilibrium' })).toThrow(
      /natural: equilibrium/,
    );
    expect(refused({ animate: { E: 2 }, law: { type: 'growth', factor: 1 } })).toThrow(/'growth'/);
    expect(refused({ animate: { length: 2 } }, 'helix')).toThrow(/'length' that changes in time.*der, cosserat/);
  });
  it('has a place for every field', () => {
    expect(Object.keys(formulas)).toEqual(animatedFields);
  });
});
