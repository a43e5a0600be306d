/** A factor that is constant gives the rod of a scene with that value, in every model that supports the field. */
import { describe, expect, it } from 'vitest';
import {
  type AnimatedField,
  animatedFields,
  availableModels,
  createWorld,
  type ModelId,
  modelCapabilities,
  type RodSpec,
  type Scene,
} from '../../src/index.ts';

const E = 5e7;
const RADIUS = 1e-3;

const rod = (model: ModelId): RodSpec => ({
  id: 'a',
  model,
  shape: { type: 'straight', from: [0, 0, 0], to: [0.2, 0, 0] },
  edges: 5,
  natural: model === 'massspring' ? 'straight' : { curvature: [0, 4, 2] },
  section: { type: 'circle', radius: RADIUS },
  material: { E, G: E / 3, density: 1200, damping: { mass: 2, stiffness: 2e-3 } },
});

const F = 1.25;

/** The rod with a value times F. */
function changed(field: Exclude<AnimatedField, 'friction'>, model: ModelId): RodSpec {
  const base = rod(model);
  const material = (more: object): RodSpec => ({
    ...base,
    material: { ...(base.material as object), ...more } as never,
  });
  switch (field) {
    case 'E':
      return material({ E: F * E });
    case 'G':
      return material({ G: (F * E) / 3 });
    case 'density':
      return material({ density: F * 1200 });
    case 'massDamping':
      return material({ damping: { mass: F * 2, stiffness: 2e-3 } });
    case 'stiffnessDamping':
      return material({ damping: { mass: 2, stiffness: F * 2e-3 } });
    case 'radius':
      return { ...base, section: { type: 'circle', radius: F * RADIUS } };
    case 'curvature':
      return { ...base, natural: { curvature: [0, F * 4, F * 2] } };
    case 'length':
      // natural angles stay
      return { ...base, natural: { curvature: [0, 4 / F, 2 / F], length: F * 0.2 } };
  }
}

function run(spec: RodSpec, model: ModelId): Float64Array {
  const scene: Scene = {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [spec],
    pins: [{ rod: 'a', at: 'start' }],
    time: { duration: 1, step: 4e-3 },
    ...(model === 'helix' && { solver: { helix: { integrator: 'bdf2' } } }),
  };
  const world = createWorld(scene);
  for (let k = 0; k < 12; k++) {
    const report = world.step();
    expect(report.energyGain).toBeUndefined();
    expect(report.momentumGain).toBeUndefined();
  }
  const { kinetic, bending, twisting, stretching, potential } = world.energies();
  const { mass, linear } = world.momentum();
  return Float64Array.from([
    ...world.samples[0].nodePosition,
    ...world.reactions().flatMap(({ force, torque }) => [...force, ...torque]),
    kinetic,
    bending,
    twisting,
    stretching,
    potential,
    mass,
    ...linear,
  ]);
}

/** Runs without factors. */
const bases = new Map<ModelId, Float64Array>();

const fields = animatedFields.filter((field) => field !== 'friction');
const pairs = availableModels().flatMap((model) =>
  fields.filter((field) => modelCapabilities[model].animated.includes(field)).map((field) => [model, field] as const),
);

describe('a constant factor is that value in the scene', () => {
  it.each(pairs)('%s: %s', (model, field) => {
    const wanted = run(changed(field, model), model);
    const found = run({ ...rod(model), animate: { [field]: F } }, model);
    const base = bases.get(model) ?? run(rod(model), model);
    bases.set(model, base);
    const changes = wanted.some((value, k) => Math.abs(value - base[k]) > 1e-3 * Math.abs(value));
    expect(changes).toBe(true);
    const scale = wanted.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
    for (let k = 0; k < wanted.length; k++)
      expect(Math.abs(found[k] - wanted[k])).toBeLessThan(1e-6 * Math.abs(wanted[k]) + 1e-9 * scale);
  });
});
