/** Rods that lie on a floor: every step is solved in one piece, and the energy audit has nothing to report. */
import { createWorld, type ModelId, type Scene } from '@tendril-sim/core';
import { expect, it } from 'vitest';

interface Lying {
  readonly model?: ModelId;
  readonly length: number;
  readonly radius: number;
  readonly E: number;
  readonly edges: number;
  readonly friction: number;
  readonly step: number;
}

const lying = ({ model = 'der', length, radius, E, edges, friction, step }: Lying): Scene => ({
  tendril: 1,
  rods: [
    {
      id: 'rod',
      model,
      shape: { type: 'straight', from: [0, 0, radius], to: [length, 0, radius] },
      edges,
      section: { type: 'circle', radius },
      material: { E, nu: 0.4, density: 1000, damping: { mass: 5 } },
    },
  ],
  colliders: [{ id: 'floor', type: 'plane', friction }],
  time: { duration: 1, step },
});

function countTroubles(scene: Scene, steps: number): { unsolved: number; split: number; gains: number } {
  const world = createWorld(scene);
  const troubles = { unsolved: 0, split: 0, gains: 0 };
  for (let k = 0; k < steps; k++) {
    const { contact, substeps, energyGain } = world.step();
    if (!contact?.converged) troubles.unsolved++;
    if (substeps > 1) troubles.split++;
    if (energyGain) troubles.gains++;
  }
  return troubles;
}

it.each([0, 0.3])('a load presses a rod on a floor without gravity, friction %s', (friction) => {
  const scene = lying({ length: 0.2, radius: 2e-3, E: 1e8, edges: 10, friction, step: 4e-3 });
  const pressed: Scene = { ...scene, loads: [{ type: 'distributed', rod: 'rod', force: [0, 0, -5] }] };
  expect(countTroubles(pressed, 50)).toEqual({ unsolved: 0, split: 0, gains: 0 });
});

it.each<[string, Lying]>([
  ['der', { length: 0.032, radius: 7.9e-4, E: 1.5e8, edges: 5, friction: 0.8, step: 1 / 60 }],
  ['fiber', { length: 0.051, radius: 8.8e-4, E: 6.4e7, edges: 7, friction: 0.3, step: 0.01 }],
  ['strand', { length: 0.153, radius: 3.4e-3, E: 4.8e5, edges: 15, friction: 0.8, step: 1 / 60 }],
])('the tolerance of contact is no gain of energy: %s', (model, rod) => {
  const scene = lying({ ...rod, model: model as ModelId });
  expect(countTroubles({ ...scene, gravity: [0, 0, -9.81] }, 60)).toEqual({ unsolved: 0, split: 0, gains: 0 });
});
