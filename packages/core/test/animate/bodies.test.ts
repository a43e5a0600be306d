/** A rod whose properties change moves with a body of no weight at its end as without it: the body has taken over the mass of the welded node once. */
import { expect, it } from 'vitest';
import { createWorld, type RodSpec, type Scene } from '../../src/index.ts';

function tipAfter(animate: RodSpec['animate'], more: Partial<Scene>): number[] {
  const world = createWorld({
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, 0], to: [0.3, 0, 0] },
        edges: 8,
        natural: { curvature: [0, 4, 5] },
        section: { type: 'circle', radius: 0.002 },
        material: { E: 2e8, nu: 0.35, density: 1200, damping: { stiffness: 1e-3 } },
        ...(animate && { animate }),
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    time: { duration: 1, step: 2e-3 },
    ...more,
  });
  while (world.time < 0.15 - 1e-9) world.step();
  return [...world.samples[0].nodePosition.slice(-3)];
}

it.each<[string, RodSpec['animate']]>([
  ['stiffness', { E: { formula: '1 + 2*t' } }],
  ['a density that rises', { density: { formula: '1 + 5*t' } }],
  ['a density that falls', { density: { formula: '1 - 4*t' } }],
  ['length', { length: { formula: '1 + t' } }],
])('with %s', (_, animate) => {
  const mass = 1e-7;
  const body: Partial<Scene> = {
    bodies: [{ id: 'speck', mass, inertia: [1e-13, 1e-13, 1e-13], position: [0.3, 0, 0] }],
    welds: [{ rod: 'rod', at: 'end', body: 'speck' }],
  };
  const alone = tipAfter(animate, {});
  // 16 mm apart when the node weighed twice
  expect(Math.hypot(...tipAfter(animate, body).map((x, k) => x - alone[k]))).toBeLessThan(5e-5);
});
