/** What a program gets wrong is named, not met by an error of JavaScript somewhere inside. */
import { expect, it } from 'vitest';
import { type Channel, createPointSpring, createWorld, type Scene, type WorldState } from '../../src/index.ts';

const scene: Scene = {
  tendril: 1,
  rods: [
    {
      id: 'rod',
      shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
      edges: 4,
      section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1 },
    },
  ],
};

it.each<[string, () => unknown]>([
  ['addLoad: there is no rod 7; rods are 0 to 0', () => createWorld(scene).addLoad(7, createPointSpring(0, 1, 1))],
  ['addLoad: there is no node 99; nodes are 0 to 4', () => createWorld(scene).addLoad(0, createPointSpring(99, 1, 1))],
  ['channel: there is no rod 3; rods are 0 to 0', () => createWorld(scene).channel(3, 'tension')],
  [
    "there is no channel 'strain'; use one of: curvature, twist, tension",
    () => createWorld(scene).channel(0, 'strain' as Channel),
  ],
  ['the saved state belongs to another scene', () => createWorld(scene).restore({} as WorldState)],
  ['the scene has no rods; add at least one', () => createWorld({ tendril: 1 } as Scene)],
])('%s', (message, misuse) => {
  expect(misuse).toThrow(message);
});
