/** Angles of vectors that almost lie along an axis are rounded as the exact arithmetic rounds them. */
import { expect, it } from 'vitest';
import { exactArctangent2 } from '../../../src/math/rounded/exact.ts';
import { atan2 } from '../../../src/math/rounded/index.ts';
import { createRandom } from '../../der/rods.ts';

it('angles of slopes beyond 2⁻⁶⁰ and 2⁶⁰ are correctly rounded', () => {
  const random = createRandom(7);
  let [flat, steep] = [0, 0];
  for (let k = 0; k < 2000; k++) {
    const small = (1 + random()) * 2 ** -Math.floor(401 + 670 * random());
    const other = (1 + random()) * 2 ** Math.floor(60 * random() - 330 * (k % 2));
    const [y, x] = k % 3 === 0 ? [other, small] : [small, other];
    if (y < x * 2 ** -60) flat++;
    if (x < y * 2 ** -60) steep++;
    for (const [sy, sx] of [
      [1, 1],
      [1, -1],
      [-1, 1],
      [-1, -1],
    ])
      expect(Object.is(atan2(sy * y, sx * x), exactArctangent2(sy * y, sx * x)), `${sy * y}, ${sx * x}`).toBe(true);
  }
  expect(flat).toBeGreaterThan(500);
  expect(steep).toBeGreaterThan(300);
});
