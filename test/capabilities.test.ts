/** Worlds behave as the capabilities of their models say; the table in docs/README.md is generated from these (tables.test.ts). */
import {
  animatedFields,
  availableModels,
  type Capabilities,
  createWorld,
  type ModelId,
  modelCapabilities,
  type Scene,
} from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';

const rod = (model: ModelId, id = 'a'): Scene['rods'][number] => ({
  id,
  model,
  shape: { type: 'straight', from: [0, 0, 0], to: [0.1, 0, 0] },
  edges: 6,
  section: { type: 'circle', radius: 1e-3 },
  material: { E: 1e8, nu: 0.5, density: 1000 },
});

/** Scenes that need a capability. */
const needs: Partial<Record<Exclude<keyof Capabilities, 'animated'>, (model: ModelId) => Partial<Scene>>> = {
  closed: (model) => ({
    rods: [{ ...rod(model), shape: { type: 'ring', center: [0, 0, 0], radius: 0.1, normal: [0, 0, 1] }, edges: 12 }],
    pins: [],
  }),
  changingRods: () => ({ statics: { parameter: 'rods.0.material.E', from: 1e8, to: 2e8 } }),
  laws: (model) => ({ rods: [{ ...rod(model), law: { type: 'viscoelastic', terms: [{ ratio: 1, time: 1 }] } }] }),
  breaking: (model) => ({ rods: [{ ...rod(model), break: { tension: 1 } }] }),
  bodies: () => ({
    bodies: [{ id: 'bob', position: [0.1, 0, 0], mass: 0.01, inertia: [1e-6, 1e-6, 1e-6] }],
    welds: [{ body: 'bob', rod: 'a', at: 'end' }],
  }),
  hinges: () => ({ pins: [{ rod: 'a', at: 'start', hold: 'hinge', axis: [0, 1, 0] }] }),
  branches: (model) => ({
    rods: [
      rod(model),
      {
        ...rod(model, 'b'),
        shape: { type: 'straight', from: [0.05, 0, 0], to: [0.05, 0.1, 0] },
        parent: { rod: 'a', at: { u: 0.5 } },
      },
    ],
  }),
  naturalEquilibrium: (model) => ({ rods: [{ ...rod(model), natural: 'equilibrium' }] }),
  contact: () => ({ colliders: [{ id: 'floor', type: 'plane', position: [0, 0, -1], normal: [0, 0, 1] }] }),
};

describe('capabilities', () => {
  it.each(availableModels())('of %s are what its worlds do', (model) => {
    for (const [flag, more] of Object.entries(needs)) {
      const scene: Scene = {
        tendril: 1,
        rods: [rod(model)],
        pins: [{ rod: 'a', at: 'start' }],
        ...more(model),
      };
      const make = (): unknown => createWorld(scene);
      if (modelCapabilities[model][flag as keyof Capabilities]) expect(make, `${model}: ${flag}`).not.toThrow();
      else expect(make, `${model}: ${flag}`).toThrow();
    }
  });

  it.each(availableModels())('of %s animate what they list', (model) => {
    for (const field of animatedFields) {
      const scene: Scene = {
        tendril: 1,
        rods: [{ ...rod(model), animate: { [field]: { formula: '1 + t' } } }],
        pins: [{ rod: 'a', at: 'start' }],
      };
      const make = (): unknown => createWorld(scene);
      if (modelCapabilities[model].animated.includes(field)) expect(make, `${model}: ${field}`).not.toThrow();
      else expect(make, `${model}: ${field}`).toThrow(`'${field}' that changes in time`);
    }
  });
});
