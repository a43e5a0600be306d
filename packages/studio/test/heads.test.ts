/** The bust on which hair grows. */
import { createHeadField } from '@tendril-sim/core';
import { expect, it } from 'vitest';
import { headMesh } from '../src/worker/groom/heads.ts';

it('what is in the way of hair is a closed surface about the head that is seen', () => {
  const { position, triangle } = headMesh('head', { isFine: false });
  const uses = new Map<string, number>();
  for (let i = 0; i < triangle.length; i += 3)
    for (let k = 0; k < 3; k++) {
      const [a, b] = [triangle[i + k], triangle[i + ((k + 1) % 3)]];
      // each edge once in each direction: closed, without branches, and turned one way
      uses.set(`${a} ${b}`, (uses.get(`${a} ${b}`) ?? 0) + 1);
      expect(a).not.toBe(b);
    }
  for (const [edge, count] of uses) {
    expect(count).toBe(1);
    expect(uses.get(edge.split(' ').reverse().join(' '))).toBe(1);
  }
  const field = createHeadField({ position, triangle }, { draft: true });
  const at = (x: number, y: number, z: number): number => field?.distance(Float64Array.of(x, y, z), 0) ?? Number.NaN;
  expect(at(0, 0, 0)).toBeLessThan(-0.05);
  expect(at(0.15, 0.045, -0.28)).toBeLessThan(-0.02);
  // the top of the skull, by the formula of its ellipsoid
  expect(Math.abs(at(0, 0.014, 0.11))).toBeLessThan(0.002);
  expect(at(0, 0.014, 0.118)).toBeGreaterThan(0.005);
});
