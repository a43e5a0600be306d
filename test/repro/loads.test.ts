/** Loads on rods, nodes and edges that do not exist are rejected: they used to be lost, or to end in an error about destructuring. */
import { createEdgeTorque, createPointSpring, createWorld } from '@tendril-sim/core';
import { expect, it } from 'vitest';

const world = createWorld({
  tendril: 1,
  rods: [
    {
      id: 'rod',
      shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
      edges: 40,
      section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1 },
    },
  ],
  time: { duration: 1, step: 0.01 },
});

it('rejects places that the rod does not have, and takes the last one', () => {
  expect(() => world.addLoad(0, createPointSpring(99, 1, 1))).toThrow('there is no node 99; nodes are 0 to 40');
  expect(() => world.addLoad(0, createEdgeTorque(40))).toThrow('there is no edge 40; edges are 0 to 39');
  expect(() => world.addLoad(7, createPointSpring(0, 1, 1))).toThrow('there is no rod 7; rods are 0 to 0');
  const spring = createPointSpring(40, 10, 1);
  spring.target.set([1, 0, 0.1]);
  const remove = world.addLoad(0, spring);
  world.step();
  expect(world.samples[0].nodePosition[3 * 40 + 2]).toBeGreaterThan(0);
  remove();
});

it.each([
  [-1, 1, 1],
  [0.5, 1, 1],
  [0, Number.NaN, 1],
  [0, 1, -1],
])('rejects a spring at node %d of stiffness %d and damping %d', (node, stiffness, damping) => {
  expect(() => createPointSpring(node, stiffness, damping)).toThrow(RangeError);
});
