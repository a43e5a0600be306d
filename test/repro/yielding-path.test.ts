/** Equilibria one after another of a rod whose law has a memory: a search that fails is reported, and does not end the path. */
import { createWorld, type Scene } from '@tendril-sim/core';
import { expect, it } from 'vitest';

const LENGTH = 0.5;
const ANGLE = 3;
const EI = 2e9 * (Math.PI / 4) * 0.002 ** 4;

const scene: Scene = {
  tendril: 1,
  rods: [
    {
      id: 'wire',
      shape: { type: 'straight', from: [0, 0, 0], to: [LENGTH, 0, 0] },
      edges: 40,
      section: { type: 'circle', radius: 0.002 },
      material: { E: 2e9, nu: 0.3, density: 1000 },
      // perfectly plastic: bends in single joints, so some equilibria are not found
      law: { type: 'elastoplastic', yield: { bending: 2 * EI, twist: 100 * EI } },
    },
  ],
  pins: [
    { rod: 'wire', at: 'start' },
    {
      rod: 'wire',
      at: 'end',
      path: {
        keys: [
          { time: 0 },
          {
            time: 1,
            rotation: [0, -ANGLE, 0],
            offset: [LENGTH * (Math.sin(ANGLE) / ANGLE - 1), 0, (LENGTH * (1 - Math.cos(ANGLE))) / ANGLE],
          },
        ],
      },
    },
  ],
};

it('reports equilibria of a plastic wire that are not found, and goes on', () => {
  const world = createWorld(scene);
  const reports = [0.2, 0.4, 0.6, 0.8, 1].flatMap((t) => world.equilibrate(t));
  expect(reports).toHaveLength(5);
  expect(reports.some(({ converged }) => converged)).toBe(true);
  expect(reports.find(({ converged }) => !converged)?.reason).toBeTruthy();
});
