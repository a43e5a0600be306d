/** Signs of eigenvalues with the edges' own stiffness, against those of the dense matrix. */
import { describe, expect, it } from 'vitest';
import { eigenSymmetric } from '../../src/linalg/jacobi.ts';
import { countSoftened } from '../../src/statics/softenedEdges.ts';
import { createRandom } from '../der/rods.ts';

const size = 24;
const edgeCount = 9;

/** A random matrix whose spectrum reaches from −1 to 4, edges that stretch in random directions, and the matrix that has their own stiffness. */
function makeProblem(seed: number, own: number) {
  const random = createRandom(seed);
  const stretch = Array.from({ length: edgeCount }, () => Float64Array.from({ length: size }, () => random()));
  const raw = Float64Array.from({ length: size * size }, () => random());
  const matrixWith = (stiffness: number): Float64Array =>
    raw.map((_, k) => {
      const [i, j] = [Math.floor(k / size), k % size];
      const edges = stretch.reduce((sum, a) => sum + stiffness * a[i] * a[j], 0);
      return 0.5 * (raw[i * size + j] + raw[j * size + i]) + (i === j ? 1.5 : 0) + edges;
    });
  const { values, vectors } = eigenSymmetric(matrixWith(1), size);
  return {
    stretch,
    negative: values.filter((value) => value < 0).length,
    negativeOwn: eigenSymmetric(matrixWith(own), size).values.filter((value) => value < 0).length,
    solve(x: Float64Array): void {
      const y = new Float64Array(size);
      for (let k = 0; k < size; k++) {
        let along = 0;
        for (let i = 0; i < size; i++) along += vectors[i * size + k] * x[i];
        for (let i = 0; i < size; i++) y[i] += (vectors[i * size + k] * along) / values[k];
      }
      x.set(y);
    },
  };
}

describe.each([
  { own: 5, told: 5 },
  { own: 1e9, told: Infinity },
])('edges of stiffness 1 in place of $told', ({ own, told }) => {
  it('make as many directions unstable as are counted', () => {
    let changed = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const { stretch, negative, negativeOwn, solve } = makeProblem(seed, own);
      const edges = {
        error: new Float64Array(edgeCount),
        penalty: new Float64Array(edgeCount).fill(1),
        stiffness: new Float64Array(edgeCount).fill(told),
        isHeld: () => false,
        writeStretch(out: Float64Array, x: Float64Array) {
          stretch.forEach((a, j) => {
            out[j] = a.reduce((sum, value, d) => sum + value * x[d], 0);
          });
        },
        addPull(out: Float64Array, force: Float64Array) {
          stretch.forEach((a, j) => {
            for (let d = 0; d < size; d++) out[d] -= force[j] * a[d];
          });
        },
      };
      if (negative === 0) continue;
      expect(countSoftened(edges, size, negative, solve)).toBe(negative - negativeOwn);
      if (negative > negativeOwn) changed++;
    }
    expect(changed).toBeGreaterThan(10);
  });
});
