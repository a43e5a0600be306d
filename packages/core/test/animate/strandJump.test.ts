/** A strand whose natural shape changes at once gains the energy of the change and no more. */
import { expect, it } from 'vitest';
import { createWorld } from '../../src/index.ts';

it('a strand that loses its natural curvature at once gains no energy in the steps after', () => {
  const world = createWorld({
    tendril: 1,
    rods: [
      {
        id: 'rod',
        model: 'strand',
        shape: { type: 'straight', from: [0, 0, 0], to: [0.3, 0, 0] },
        edges: 24,
        frame: { d1: [0, 1, 0] },
        natural: { curvature: [0, 5, 6] },
        section: { type: 'circle', radius: 0.003 },
        material: { E: 2e7, nu: 0.35, density: 1200, damping: { mass: 4, stiffness: 1e-3 } },
        animate: {
          curvature: {
            keys: [
              [0, 1],
              [0.04, 2],
              [0.06, -1],
            ],
            interpolation: 'step',
          },
        },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    time: { duration: 1, step: 1e-3 },
  });
  while (world.time < 0.06 - 1e-9) world.step();
  let before = world.energies().total;
  for (let k = 0; k < 15; k++) {
    expect(world.step().energyGain).toBeUndefined();
    const { total } = world.energies();
    // backward differences of the rates alone gain a third
    expect(total).toBeLessThan(1.005 * before);
    before = total;
  }
});
