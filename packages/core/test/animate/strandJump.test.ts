/** A strand whose natural shape changes at once gains the energy of the change and no more, and says when its steps are too long. */
import { expect, it } from 'vitest';
import { createWorld, type World } from '../../src/index.ts';

/** A strand with these factors of its natural curvature, each from a time on. */
function createCurl(keys: readonly (readonly [number, number])[], step: number): World {
  return createWorld({
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
        animate: { curvature: { keys, interpolation: 'step' } },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    time: { duration: 1, step },
  });
}

it('a strand that loses its natural curvature at once gains no energy in the steps after', () => {
  const keys = [
    [0, 1],
    [0.04, 2],
    [0.06, -1],
  ] as const;
  const world = createCurl(keys, 1e-3);
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

// the tip is 0.23 and 0.01 of the length off
it.each([
  [1e-3, true],
  [1.25e-4, false],
])('a strand whose curvature turns round at once has a remark if steps of %d s are too long', (step, isTooLong) => {
  const keys = [
    [0, 1],
    [0.04, -1],
  ] as const;
  const world = createCurl(keys, step);
  const remarks: string[] = [];
  while (world.time < 0.045 - 1e-9) remarks.push(...(world.step().remarks ?? []));
  expect(remarks).toEqual(
    isTooLong ? [expect.stringMatching(/^rod 'rod' from t = 0\.04\d* s on: edge \d+ spins by /)] : [],
  );
});
