/**
 * Rods that lie wedged in a gutter, and a coil on a floor: impulses that changed by the same amount in every iteration sent single steps
 * through thousands of iterations, in six pieces and without convergence.
 */
import { findCase } from '@tendril-sim/cases';
import { createWorld, type Scene } from '@tendril-sim/core';
import { sceneFromObject } from '@tendril-sim/io';
import { expect, it } from 'vitest';

/** A coil of five turns that rests on a floor. */
function createCoil(model: 'der' | 'strand', radius: number): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'coil',
        model,
        shape: { type: 'helix', radius: 20 * radius, pitch: 2.1 * radius, turns: 5, center: [0, 0, 1.1 * radius] },
        edges: 60,
        natural: 'initial',
        section: { type: 'circle', radius },
        material: { E: 2e6, nu: 0.4, density: 1200, damping: { mass: 5 } },
      },
    ],
    colliders: [{ type: 'plane', friction: 0.3 }],
    contact: { friction: 0.3 },
    time: { duration: 1, step: 2e-3 },
  };
}

/** `most`: steps of 40 that may be unsolved, and of the last 20 that may be taken in pieces; coils had up to 9 and 6. */
it.each([
  { name: 'a bundle in a gutter', scene: sceneFromObject(findCase('hair-bundle')?.scene(), 'hair-bundle'), most: 0 },
  { name: 'a coil of der', scene: createCoil('der', 1e-3), most: 1 },
  { name: 'a thicker coil of strand', scene: createCoil('strand', 1.2e-3), most: 1 },
])('solves $name in whole steps', ({ scene, most }) => {
  const world = createWorld(scene);
  let [unsolved, inPieces] = [0, 0];
  for (let k = 0; k < 40; k++) {
    const { substeps, contact } = world.step();
    if (!contact?.converged) unsolved++;
    if (substeps > 1 && k >= 20) inPieces++;
  }
  expect(unsolved).toBeLessThanOrEqual(most);
  expect(inPieces).toBeLessThanOrEqual(most);
});
