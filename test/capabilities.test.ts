/** What models say of themselves: the table in the docs is made from it, and worlds behave so. */
import {
  availableModels,
  type Capabilities,
  createWorld,
  type ModelId,
  modelCapabilities,
  type Scene,
} from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import { read } from './files.ts';

const words: Readonly<Record<keyof Capabilities, string>> = {
  closed: 'closed rods',
  anisotropic: 'sections with two bending stiffnesses',
  inextensible: 'rods of fixed length',
  shear: 'shear',
  changingModuli: '`moduli` that change in time',
  bodies: 'welded bodies',
  hinges: 'hinges',
  branches: 'branches (`parent`)',
  naturalEquilibrium: '`natural: equilibrium`',
  contact: 'contact and links',
  nodalUnknowns: 'modes with links; statics with any link',
  softPins: 'pins beyond reach give way',
  nodeMasses: 'momentum is that of the nodes',
};

function tableOfCapabilities(): string {
  const ids = availableModels();
  const rows = (Object.keys(words) as (keyof Capabilities)[]).map((flag) => [
    words[flag],
    ...ids.map((id) => (modelCapabilities[id][flag] ? 'yes' : '')),
  ]);
  return [['', ...ids.map((id) => `\`${id}\``)], ['---', ...ids.map(() => '---')], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');
}

const rod = (model: ModelId, id = 'a'): Scene['rods'][number] => ({
  id,
  model,
  shape: { type: 'straight', from: [0, 0, 0], to: [0.1, 0, 0] },
  edges: 6,
  section: { type: 'circle', radius: 1e-3 },
  material: { E: 1e8, nu: 0.5, density: 1000 },
});

/** Scenes that need a capability. */
const needs: Partial<Record<keyof Capabilities, (model: ModelId) => Partial<Scene>>> = {
  closed: (model) => ({
    rods: [{ ...rod(model), shape: { type: 'ring', center: [0, 0, 0], radius: 0.1, normal: [0, 0, 1] }, edges: 12 }],
    pins: [],
  }),
  changingModuli: (model) => ({
    rods: [
      {
        ...rod(model),
        moduli: {
          E: {
            keys: [
              [0, 1],
              [1, 2],
            ],
          },
        },
      },
    ],
  }),
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
  it('are the table in docs/README.md', () => {
    expect(read('docs/README.md')).toContain(tableOfCapabilities());
  });

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
});
