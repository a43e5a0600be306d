/** The test of a step's energy counts the work of what moves the rods: a clamp that turns a rod against the floor does work, and contact creates none. */
import { expect, it } from 'vitest';
import { createWorld } from '../../src/world/world.ts';
import { g, r, straight } from './support.ts';

it.each([
  ['down', [0, 0.5, 0]],
  ['aside', [0.2, 0.3, 0.4]],
] as const)('a clamp that presses a rod %s on the floor is taken in whole steps', (_, rotation) => {
  const world = createWorld({
    tendril: 1,
    gravity: [0, 0, -g],
    rods: [straight('rod', [0, 0, 2 * r], [0.1, 0, r], 12)],
    pins: [{ rod: 'rod', at: 'start', path: { keys: [{ time: 0 }, { time: 0.1, rotation }] } }],
    colliders: [{ type: 'plane', friction: 0.3 }],
    time: { duration: 0.1, step: 1 / 240 },
  });
  const before = world.energies().bending;
  for (let k = 0; k < 24; k++) {
    const { substeps, contact, energyGain } = world.step();
    expect({ k, substeps, converged: contact?.converged, energyGain }).toEqual({ k, substeps: 1, converged: true });
  }
  expect(world.contactForces().length).toBeGreaterThan(0);
  expect(world.energies().bending - before).toBeGreaterThan(1e-4);
});
