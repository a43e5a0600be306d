/** Weight acts on the particles that have the mass, so it does not turn a rod about its centre of mass. */
import { expect, it } from 'vitest';
import { createWorld, type RodSpec } from '../../src/index.ts';

const straight = { type: 'straight', from: [0, 0, 0], to: [0.3, 0, 0] } as const;
const curl = { type: 'helix', radius: 0.03, pitch: 0.04, turns: 1.2, axis: [1, 0, 0], start: [0, 0, 1] } as const;

// before, 6.5 and 0.62 rad/s
it.each<[string, RodSpec['shape']]>([
  ['straight rod', straight],
  ['curl', curl],
])('a %s in free fall does not spin', (_, shape) => {
  const section = { type: 'circle', radius: 0.002 } as const;
  const material = { E: 2e8, nu: 0.35, density: 1200 };
  const rods = [{ id: 'rod', model: 'massspring', shape, edges: 14, section, material }] as const;
  const world = createWorld({ tendril: 1, gravity: [1, 2, -9.81], rods, time: { duration: 1, step: 1e-3 } });
  const before = world.energies();
  for (let k = 0; k < 100; k++) world.step();
  expect(Math.max(...world.samples[0].edgeSpin.map(Math.abs))).toBeLessThan(1e-6);
  const after = world.energies();
  expect(Math.abs(after.total - before.total)).toBeLessThan(1e-9 * after.kinetic);
});
