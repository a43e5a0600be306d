/** Scenes of several tests. */
import type { Scene } from '@tendril-sim/core';

/** A rope from a clamp down to the floor, its end held up by a spring, pushed along its second half. */
export const pulled: Scene = {
  tendril: 1,
  title: 'Everything pulls',
  gravity: [0, 0, -9.81],
  rods: [
    {
      id: 'rope',
      shape: { type: 'straight', from: [0, 0, 0.05], to: [1, 0, 0.05] },
      edges: 20,
      section: { type: 'circle', radius: 0.005 },
      material: { E: 1e6, nu: 0.4, density: 1000, damping: { mass: 8 } },
    },
  ],
  pins: [{ rod: 'rope', at: 'start' }],
  colliders: [{ type: 'plane', position: [0, 0, 0], normal: [0, 0, 1], friction: 0.3 }],
  links: [{ rod: 'rope', at: 'end', to: { point: [1, 0, 0.3] }, stiffness: 1, damping: 0.05, rest: 'together' }],
  loads: [
    { type: 'distributed', rod: 'rope', from: 0.5, force: [0, 0.2, 0] },
    { type: 'force', rod: 'rope', at: { u: 0.27 }, force: [0, 0, 0.05] },
  ],
  time: { duration: 4, step: 0.01 },
};
