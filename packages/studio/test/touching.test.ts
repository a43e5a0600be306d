/** What the page says of contact is what core does. */
import { createWorld, type Scene, SceneError } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import { cannotTouch } from '../src/ui/touching.ts';
import { applyVariant } from '../src/worker/lane.ts';

const bare: Scene = {
  tendril: 1,
  rods: [
    {
      id: 'rod',
      shape: { type: 'straight', from: [0, 0, 0.1], to: [1, 0, 0.1] },
      edges: 8,
      section: { type: 'circle', radius: 0.01 },
      material: { E: 1e6, nu: 0.4, density: 1000 },
    },
  ],
  pins: [{ rod: 'rod', at: 'start' }],
  time: { duration: 1, step: 0.01 },
};
const floor: Scene = { ...bare, colliders: [{ type: 'plane', position: [0, 0, 0], normal: [0, 0, 1] }] };
const each: Scene = { ...bare, contact: { friction: 0.3 } };

const inextensible = (scene: Scene): Scene => ({
  ...scene,
  rods: scene.rods.map((rod) => ({ ...rod, inextensible: true })),
});

const refusal = (scene: Scene, id: string): string => {
  try {
    createWorld(applyVariant(scene, { id, label: id }));
    return '';
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    return error.message;
  }
};

const variants = [
  ...['der', 'helix', 'strand', 'fiber', 'cosserat', 'massspring'],
  ...['der/implicit-euler', 'der/midpoint', 'der/shake'],
];

describe('the list of models to compare', () => {
  it.each(variants)('says of %s whether it can touch', (id) => {
    expect(cannotTouch(id, bare)).toBeUndefined();
    for (const scene of [floor, each, inextensible(floor), inextensible(each)])
      expect(cannotTouch(id, scene) !== undefined).toBe(
        /does not support contact|contact must too/.test(refusal(scene, id)),
      );
  });
});
