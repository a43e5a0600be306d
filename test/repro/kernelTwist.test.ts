/** Kernels keep the turns of twist that clamps put into a rod, as the plain code does: they lost one or two in a step of a buckled rod. */
import { createWorld, type Scene } from '@tendril-sim/core';
import { loadDer } from '@tendril-sim/core/kernels';
import { describe, expect, it } from 'vitest';
import { linkingNumber } from '../../cases/src/linking.ts';

const wound = (turns: number, close: number, step: number, integrator: 'tr-bdf2' | 'implicit-euler'): Scene => ({
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: ['a', 'b'].map((id, k) => ({
    id,
    shape: { type: 'straight', from: [0, k, 0], to: [1, k, 0] },
    edges: 12,
    section: { type: 'circle', radius: 0.01 },
    material: { E: 7.9e6, nu: 0.4, density: 1000 },
  })),
  pins: ['a', 'b'].flatMap((rod) => [
    { rod, at: 'start' as const },
    {
      rod,
      at: 'end' as const,
      path: {
        keys: [{ time: 0 }, { time: 2, twist: 2 * Math.PI * turns, offset: [-close, 0, 0.05] as const }],
        interpolation: 'linear' as const,
      },
    },
  ]),
  time: { duration: 1.2, step },
  solver: { der: { integrator } },
});

describe('two clamped rods that are wound while their ends approach', () => {
  it.each([
    [7, 0.47, 0.05, 'tr-bdf2'],
    [9, 0.3, 0.02, 'tr-bdf2'],
    [9, 0.47, 0.05, 'tr-bdf2'],
    [9, 0.3, 0.02, 'implicit-euler'],
  ] as const)(
    'have the linking number of the clamps with kernels: %f turns, %f m, steps of %f s, %s',
    async (turns, close, step, integrator) => {
      const world = createWorld(wound(turns, close, step, integrator), { models: [await loadDer()] });
      let error = 0;
      while (world.time < 1.2 - 0.5 * step) {
        world.step();
        error = Math.max(error, Math.abs(linkingNumber(world) - (turns * world.time) / 2));
      }
      expect(error).toBeLessThan(1e-3);
    },
  );
});
