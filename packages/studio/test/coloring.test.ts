/** The quantity by which a scene is coloured first. */
import { type SceneInput, sceneFromObject } from '@tendril-sim/io';
import { expect, it } from 'vitest';
import { coloringOf } from '../src/worker/coloring.ts';

const withTorque = (torque: [number, number, number], frame?: 'material'): ReturnType<typeof coloringOf> => {
  const scene: SceneInput = {
    tendril: 1,
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, 1], to: [1, 0, 1] },
        edges: 4,
        section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1, radius: 0.01 },
      },
    ],
    loads: [{ type: 'torque', rod: 'rod', at: 'end', torque, ...(frame && { frame }) }],
  };
  return coloringOf(sceneFromObject(scene));
};

it('is the curvature where a torque bends a straight rod, and the twist where it twists one', () => {
  expect(withTorque([0, -1.5, 0])).toBe('curvature');
  expect(withTorque([0.2, -1.5, 0])).toBe('twist');
  // a torque that turns with the rod may become either
  expect(withTorque([0, 1, 0], 'material')).toBe('twist');
});
