/** Substeps of a strand that moves too fast for its step gain no energy. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createWorld } from '../../src/index.ts';

it('a knot with sharp kinks that springs open in one step gains no energy', () => {
  const points = JSON.parse(readFileSync(new URL('knot.json', import.meta.url), 'utf8')) as [number, number, number][];
  const section = { type: 'stiffness', EI1: 1, GJ: 1, mass: 0.65, radius: 0.02, inertia: 2e-4 } as const;
  const shape = { type: 'points', points } as const;
  const world = createWorld({
    tendril: 1,
    rods: [{ id: 'knot', model: 'strand', natural: 'straight', shape, section }],
    pins: [{ rod: 'knot', at: 'start' }],
    time: { duration: 1, step: 0.02 },
  });
  const before = world.energies().total;
  const { energyGain, substeps = 1 } = world.step();
  expect(energyGain).toBeUndefined();
  // before, 14 J and 77 substeps
  expect(world.energies().total).toBeLessThan(before);
  expect(substeps).toBeLessThan(60);
});
