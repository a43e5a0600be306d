/** The hair of Michels et al. 2015: E 3.58 GPa, G 1.07 GPa, 60 µm, 31.3 µg/cm; held at one end, let go straight. */
import type { FiberOptions } from '@tendril-sim/core';
import type { SceneInput } from '@tendril-sim/io';

export const hair = { L: 0.25, EA: 10.122, EI: 2.2775e-9, GJ: 1.3614e-9, mass: 3.13e-6, g: 9.81 };
/** Half its weight times its length [J]: the unit of energy of its swing. */
export const swingEnergy: number = (hair.mass * hair.g * (hair.L * hair.L)) / 2;

export function swingingHair(
  edges: number,
  step: number,
  duration: number,
  damping: number,
  options: FiberOptions,
): SceneInput {
  return {
    tendril: 1,
    title: 'A hair is let go',
    gravity: [0, -hair.g, 0],
    rods: [
      {
        id: 'hair',
        model: 'fiber',
        shape: { type: 'straight', from: [0, 0, 0], to: [hair.L, 0, 0] },
        edges,
        section: {
          type: 'stiffness',
          EA: hair.EA,
          EI1: hair.EI,
          GJ: hair.GJ,
          mass: hair.mass,
          radius: 3e-5,
          damping: { mass: damping },
        },
      },
    ],
    pins: [{ rod: 'hair', at: 'start' }],
    time: { duration, step },
    solver: { fiber: { scaffold: 1e-3, ...options } },
    output: { every: 0.02 },
  };
}
