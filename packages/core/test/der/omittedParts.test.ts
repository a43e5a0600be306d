/** A model and a world made from few parts: what they leave out is rejected with the part to pass, not computed without it. */
import { expect, it } from 'vitest';
import { contact } from '../../src/contact/index.ts';
import { paths } from '../../src/features.ts';
import { createPointSpring } from '../../src/fields/hand.ts';
import type { EquilibriumReport } from '../../src/model.ts';
import * as exported from '../../src/models/der/index.ts';
import type { RodSpec, Scene } from '../../src/scene/types.ts';
import { createWorld } from '../../src/world/create.ts';

const { createDerModel, derContact, derModes, derParts } = exported;

const rod: RodSpec = {
  id: 'rod',
  shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
  edges: 10,
  section: { type: 'circle', radius: 0.005 },
  material: { E: 1e7, nu: 0.5, density: 1000 },
};
const swing: Scene = {
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: [rod],
  pins: [{ rod: 'rod', at: 'start' }],
  time: { duration: 1, step: 0.01 },
};
const link = { rod: 'rod', at: 'end', to: { point: [1, 0, 0] }, stiffness: 10 } as const;

it.each<[string, Scene, RegExp]>([
  ['a hinge', { ...swing, pins: [{ rod: 'rod', at: 'start', hold: 'hinge', axis: [0, 1, 0] }] }, /pass derHinges/],
  ['laws', { ...swing, rods: [{ ...rod, law: { type: 'growth', factor: 1 } }] }, /pass derMaterials/],
  ['rods that break', { ...swing, rods: [{ ...rod, break: { tension: 1 } }] }, /pass derBreaking/],
  ['natural: equilibrium', { ...swing, rods: [{ ...rod, natural: 'equilibrium' }] }, /pass derNatural/],
  ['explicit integrators', { ...swing, solver: { der: { integrator: 'shake' } } }, /pass derExplicit/],
  [
    'bodies',
    {
      ...swing,
      bodies: [{ id: 'fork', mass: 0, position: [1, 0, 0] }],
      welds: [{ rod: 'rod', at: 'end', body: 'fork' }],
    },
    /pass derBodies/,
  ],
  [
    'bodies on a path',
    {
      ...swing,
      bodies: [{ id: 'hand', position: [1, 0, 0], path: { keys: [{ time: 0 }, { time: 1, offset: [0, 0, 1] }] } }],
      welds: [{ rod: 'rod', at: 'end', body: 'hand' }],
    },
    /pass derBodies/,
  ],
  ['loads on bodies', { ...swing, loads: [{ type: 'body-force', body: 'fork', force: [1, 0, 0] }] }, /pass derBodies/],
  ['branches of equilibria', { ...swing, statics: { parameter: 'gravity.2', from: -9, to: -10 } }, /pass derBranches/],
  ['contact', { ...swing, contact: {} }, /pass contact of @tendril-sim\/core\/contact/],
  ['colliders', { ...swing, colliders: [{ type: 'plane' }] }, /pass contact of @tendril-sim\/core\/contact/],
  ['links', { ...swing, links: [link] }, /pass contact of @tendril-sim\/core\/contact/],
])('a rope without %s rejects a scene that needs them', (_, scene, message) => {
  expect(() => createWorld(scene, { models: [createDerModel()] })).toThrow(message);
});

it('a rope steps and finds equilibria; modes and matrices need a part', () => {
  const world = createWorld(swing, { models: [createDerModel()] });
  world.step();
  expect(world.equilibrate()[0].stable).toBe(true);
  expect(() => world.modes(1)).toThrow(/pass derModes/);
  expect(() => world.matrices()).toThrow(/pass derModes/);
  const whole = createWorld(swing, { models: [createDerModel({ modes: derModes })] });
  whole.equilibrate();
  expect(whole.modes(1)[0].omega[0]).toBeGreaterThan(0);
});

it('links come with contact', () => {
  const models = [createDerModel({ contact: derContact })];
  const linked = createWorld({ ...swing, links: [link] }, { models, contact });
  for (let k = 0; k < 20; k++) linked.step();
  expect(linked.linkForces()).toHaveLength(1);
  expect(linked.samples[0].nodePosition[32]).toBeGreaterThan(-0.2);
});

/** A strip that buckles upwards, because its clamp tilts; then the clamp turns over, and the strip snaps: equilibria before and after. */
function snapOver(parts: { readonly paths?: typeof paths }): EquilibriumReport[] {
  const section = { type: 'stiffness', EI1: 1, EI2: 30, GJ: 1, mass: 0.1 } as const;
  const scene: Scene = {
    tendril: 1,
    rods: [{ id: 'rod', shape: rod.shape, edges: 20, inextensible: true, section }],
    pins: [
      {
        rod: 'rod',
        at: 'start',
        path: { keys: [{ time: 0 }, { time: 2, rotation: [0, -0.5, 0] }, { time: 3, rotation: [0, 1, 0] }] },
      },
      {
        rod: 'rod',
        at: 'end',
        hold: 'position',
        path: { keys: [{ time: 0 }, { time: 2, offset: [-0.1, 0, 0] }, { time: 3, offset: [-0.1, 0, 0] }] },
      },
    ],
  };
  const world = createWorld(scene, { models: [createDerModel()], ...parts });
  return [1, 2, 3].map((t) => world.equilibrate(t)[0]);
}

it('without paths, an equilibrium that follows another one says that it was not compared with it', () => {
  const bare = snapOver({});
  for (const { converged, jump } of bare) expect({ converged, jump }).toEqual({ converged: true });
  expect(bare[0].remark).toBeUndefined();
  for (const { remark } of bare.slice(1)) expect(remark).toMatch(/not compared .* pass paths of @tendril-sim/);
  const whole = snapOver({ paths });
  for (const { converged, remark } of whole) expect({ converged, remark }).toEqual({ converged: true });
  expect(whole.map(({ jump }) => jump !== undefined)).toEqual([false, false, true]);
});

it('without paths, no remark on an equilibrium that follows none, or that has nothing to compare', () => {
  const world = createWorld(swing, { models: [createDerModel()] });
  const remarkAt = (t?: number): string | undefined => world.equilibrate(t)[0].remark;
  expect([remarkAt(), remarkAt()]).toEqual([undefined, undefined]);
  world.step();
  expect(remarkAt(1)).toBeUndefined();
  expect(remarkAt(1.1)).toMatch(/not compared/);
  // what is changed by hand does work that no force shows
  world.addLoad(0, createPointSpring(10, 0, 0));
  expect(remarkAt(1.1)).toBeUndefined();
  expect(remarkAt(1.2)).toBeUndefined();
});

it('every part is exported by its own name', () => {
  const names = Object.keys(derParts).map((part) => `der${part[0].toUpperCase()}${part.slice(1)}`);
  expect(names.filter((name) => !(name in exported))).toEqual([]);
});
