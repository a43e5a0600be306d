/** Inertia and solutions of cyclic matrices of which a part is singular, against the dense matrix. */
import { expect, it } from 'vitest';
import { createBorderedFactor, factorBand, solveBand } from '../../src/linalg/band.ts';
import { addEntry, createBorderedBand, multiplyBand } from '../../src/linalg/bandMatrix.ts';
import { eigenSymmetric } from '../../src/linalg/jacobi.ts';
import { factorRing } from '../../src/statics/ringFactor.ts';
import { createRandom } from '../der/rods.ts';

const border = 7;
const count = 48;

/** A cyclic matrix that couples eleven unknowns in a row, minus the eigenvalue of the part without the border that is the k-th from below. */
function makeMatrix(seed: number, k: number) {
  const random = createRandom(seed);
  const dense = new Float64Array(count * count);
  for (let start = 0; start < count; start += 4) {
    const at = Array.from({ length: 11 }, (_, m) => (start + m) % count);
    for (const i of at) dense[i * count + i] += 1;
    for (const [a, i] of at.entries())
      for (const j of at.slice(0, a)) {
        const value = random();
        dense[i * count + j] += value;
        dense[j * count + i] += value;
      }
  }
  const rest = count - border;
  const part = Float64Array.from(
    { length: rest * rest },
    (_, e) => dense[(Math.floor(e / rest) + border) * count + (e % rest) + border],
  );
  const singular = eigenSymmetric(part, rest).values[k];
  for (let i = 0; i < count; i++) dense[i * count + i] -= singular;
  const matrix = createBorderedBand(rest, border);
  for (let i = 0; i < count; i++)
    for (let j = 0; j <= i; j++) if (dense[i * count + j] !== 0) addEntry(matrix, i, j, dense[i * count + j]);
  return { matrix, dense };
}

it('signs and solutions are right where the part without the border is singular', () => {
  const scale = new Float64Array(count).fill(1);
  const zero = new Float64Array(count);
  let lost = 0;
  for (let seed = 1; seed <= 10; seed++) {
    const { matrix, dense } = makeMatrix(seed, seed % 5);
    const factor = createBorderedFactor(matrix);
    const right = Float64Array.from({ length: count }, createRandom(seed + 50));
    const errorOf = (x: Float64Array): number => {
      const back = new Float64Array(count);
      multiplyBand(back, matrix, x);
      return Math.max(...back.map((value, d) => Math.abs(value - right[d])));
    };
    const plain = right.slice();
    factorBand(factor, matrix, 0, zero, 'count-negative');
    solveBand(factor, matrix, plain);
    if (!(errorOf(plain) < 1e-6)) lost++;
    const x = right.slice();
    const ring = factorRing({ matrix, factor, scale, allowed: 1e-9, stride: 4 }, zero, false);
    ring.solve(x);
    expect(errorOf(x)).toBeLessThan(1e-9);
    expect(ring.negative).toBe(eigenSymmetric(dense, count).values.filter((value) => value < 0).length);
    expect(ring.negative).toBeGreaterThan(0);
  }
  expect(lost).toBeGreaterThan(3);
});
