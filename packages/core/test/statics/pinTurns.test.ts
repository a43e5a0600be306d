/** Clamps that turn far between two equilibria: every turn counts. */
import { createWorld, type Scene } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';

describe.each(['der', 'cosserat'] as const)('a rod of %s with EI = GJ = L = 1', (model) => {
  const straight: Scene['rods'] = [
    {
      id: 'rod',
      model,
      shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
      frame: { twist: 0 },
      edges: 24,
      section: { type: 'stiffness', EA: 1e6, EI1: 1, EI2: 100, GJ: 1, mass: 1, radius: 0.002 },
    },
  ];

  it.each([4, 7, -12])('is bent by the whole rotation of its end, %f rad', (angle) => {
    const world = createWorld({
      tendril: 1,
      rods: straight,
      pins: [
        { rod: 'rod', at: 'start' },
        {
          rod: 'rod',
          at: 'end',
          hold: 'frame',
          path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, rotation: [angle, 0, 0] }] },
        },
      ],
      statics: { stability: 'report' },
    });
    const [{ converged }] = world.equilibrate(1);
    expect(converged).toBe(true);
    expect(world.energies().bending / (angle ** 2 / 2)).toBeCloseTo(1, 3);
  });

  it.each([4, 7])('is twisted by the whole difference of its parameter, %f rad', (angle) => {
    const world = createWorld({
      tendril: 1,
      rods: straight,
      pins: [
        { rod: 'rod', at: 'start' },
        { rod: 'rod', at: 'end' },
      ],
      statics: { stability: 'report', parameter: 'rods.0.frame.twist', from: 0, to: angle },
    });
    world.equilibrate(angle);
    expect(world.energies().twisting / (angle ** 2 / 2)).toBeCloseTo(1, 6);
  });
});
