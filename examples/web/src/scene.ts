/** The scene that the page and its worker share: a rope, pinned at its start, with z up and SI units. */
import type { Scene } from '@tendril-sim/core';

export const rope: Scene = {
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: [
    {
      id: 'rope',
      shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
      edges: 60,
      section: { type: 'circle', radius: 0.012 },
      material: { E: 2e6, nu: 0.45, density: 1000, damping: { mass: 0.6, stiffness: 0.005 } },
    },
  ],
  pins: [{ rod: 'rope', at: 'start', hold: 'position' }],
  time: { duration: 3600, step: 1 / 240 },
};
