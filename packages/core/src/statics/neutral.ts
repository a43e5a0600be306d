/**
 * Neutral motions at rest: rigid motions and spin that neither pins nor loads oppose.
 *
 * Along them the tangent stiffness is zero but for rounding, so Newton's step has a component of rounding divided by rounding:
 * it never becomes small, and it carries a rod off its branch. Where the loads are balanced along such a motion, the step is
 * taken without it. Inputs: the assembled matrix and the model's rigid motions. See docs/notes/statics-convergence.md.
 */

import { type BorderedBand, multiplyBand, readEntry } from '../linalg/band.ts';
import { eigenSymmetric } from '../linalg/jacobi.ts';

export interface NeutralProblem {
  readonly length: number;
  readonly matrix: BorderedBand;
  readonly residual: Float64Array;
  /** Newton's step [m and rad]. */
  readonly step: Float64Array;
  readonly fixed: Uint8Array;
  readonly isAngle: (d: number) => boolean;
  /** Three translations, three rotations and the spin about the rod's own axis, at the present state. */
  rigidMotions(): readonly Float64Array[];
}

/** Squared part of a motion at prescribed unknowns that counts as none, and part of a motion that is left of its kind. */
const HELD = 1e-24;
const DEPENDENT = 1e-8;
/** What rounding does to a row of the matrix times a motion, beside the sizes of both. */
const ROUNDING = 1e-14;

type Metric = (a: Float64Array, b: Float64Array, d: number) => number;

function sum(metric: Metric, a: Float64Array, b: Float64Array): number {
  let total = 0;
  for (let d = 0; d < a.length; d++) total += metric(a, b, d);
  return total;
}

function orthonormalize(motions: readonly Float64Array[], metric: Metric): Float64Array[] {
  const basis: Float64Array[] = [];
  for (const motion of motions) {
    const z = motion.slice();
    const before = sum(metric, z, z);
    for (let pass = 0; pass < 2; pass++) {
      for (const y of basis) {
        const along = sum(metric, z, y);
        for (let d = 0; d < z.length; d++) z[d] -= along * y[d];
      }
    }
    const size = sum(metric, z, z);
    if (!(size > DEPENDENT * before)) continue;
    for (let d = 0; d < z.length; d++) z[d] /= Math.sqrt(size);
    basis.push(z);
  }
  return basis;
}

/** The same space, by the eigenvectors of a form: those of its smallest eigenvalues first. */
function alignWith(
  form: (i: number, j: number) => number,
  basis: readonly Float64Array[],
): { readonly vectors: Float64Array[]; readonly values: Float64Array } {
  const count = basis.length;
  const matrix = Float64Array.from({ length: count * count }, (_, k) => form(Math.floor(k / count), k % count));
  const { values, vectors } = eigenSymmetric(matrix, count);
  const turned = basis.map((_, k) =>
    basis[0].map((_, d) => basis.reduce((total, z, i) => total + vectors[i * count + k] * z[d], 0)),
  );
  return { vectors: turned, values };
}

/** Orthonormal motions that move nothing that is prescribed. */
export function findFreeMotions({ rigidMotions, fixed, isAngle, length }: NeutralProblem): Float64Array[] {
  const metric: Metric = (a, b, d) => a[d] * b[d] * (isAngle(d) ? length * length : 1);
  const basis = orthonormalize(rigidMotions(), metric);
  if (!fixed.includes(1)) return basis;
  const held: Metric = (a, b, d) => (fixed[d] ? metric(a, b, d) : 0);
  const { vectors, values } = alignWith((i, j) => sum(held, basis[i], basis[j]), basis);
  return vectors.filter((_, k) => values[k] <= HELD);
}

/** Of free motions those that the matrix does not oppose. */
function findUnopposed(free: readonly Float64Array[], { matrix, fixed }: NeutralProblem): Float64Array[] {
  const scale = Float64Array.from(fixed, (held, d) => (held ? 0 : Math.sqrt(Math.abs(readEntry(matrix, d, d)))));
  const oppose = (z: Float64Array): Float64Array => {
    const force = new Float64Array(z.length);
    multiplyBand(force, matrix, z);
    return force.map((f, d) => (scale[d] > 0 ? f / scale[d] : 0));
  };
  const forces = free.map(oppose);
  const dot: Metric = (a, b, d) => a[d] * b[d];
  const { vectors } = alignWith((i, j) => sum(dot, forces[i], forces[j]), free);
  return vectors.filter((z) => {
    const size = z.reduce((most, x, d) => Math.max(most, scale[d] * Math.abs(x)), 0);
    return oppose(z).every((f) => Math.abs(f) <= ROUNDING * size);
  });
}

/**
 * Takes neutral motions out of the step. `free`: from `findFreeMotions` at the present state; `allowed`: force out of balance along
 * a motion up to which it counts as balanced [N]. An unbalanced motion stays: the rod has to move that way.
 */
export function removeNeutralMotions(free: readonly Float64Array[], problem: NeutralProblem, allowed: number): void {
  if (free.length === 0) return;
  const { residual, step, isAngle, length } = problem;
  const metric: Metric = (a, b, d) => a[d] * b[d] * (isAngle(d) ? length * length : 1);
  const work: Metric = (a, b, d) => a[d] * b[d];
  for (const z of findUnopposed(free, problem)) {
    const largest = z.reduce((most, x, d) => Math.max(most, Math.abs(x) * (isAngle(d) ? length : 1)), 0);
    if (!(Math.abs(sum(work, z, residual)) <= allowed * largest)) continue;
    const along = sum(metric, z, step);
    for (let d = 0; d < step.length; d++) step[d] -= along * z[d];
  }
}
