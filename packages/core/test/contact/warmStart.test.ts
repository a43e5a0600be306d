/** Where nothing changes, the forces of the last step are those of the next, and the solver has nothing to do. */
import { expect, it } from 'vitest';
import { createWorld } from '../../src/world/world.ts';
import { r, run, straight, sumOf, weightOf } from './support.ts';

it.each([0, 0.4])('a rod at rest on another takes one iteration per step, with friction %f', (friction) => {
  const above = straight('above', [0.003, -0.02, 2 * r], [0.003, 0.02, 2 * r], 5);
  const world = createWorld({
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [straight('below', [-0.05, 0, 0], [0.05, 0, 0], 6), above],
    pins: [
      { rod: 'below', at: 'start' },
      { rod: 'below', at: 'end' },
    ],
    contact: { friction },
    time: { duration: 1, step: 1 / 240 },
  });
  world.step();
  // the first step has to find them
  expect(world.contactReport?.iterations).toBeGreaterThan(2);
  run(world, 49);
  for (let k = 0; k < 10; k++) {
    world.step();
    expect(world.contactReport).toMatchObject({ iterations: 1, converged: true, contacts: 1 });
  }
  const weight = (weightOf(world) * 0.04) / 0.14;
  expect(Math.abs(sumOf(world, 2)) / weight).toBeCloseTo(1, 3);
});
