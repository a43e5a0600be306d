/**
 * Neutral motions at rest: rigid motions and spin that neither pins nor loads oppose.
 *
 * Along them the tangent stiffness is zero up to rounding, so Newton's step contains rounding divided by rounding. It never becomes small, and
 * moves the rod off its branch. If the loads are balanced along such a motion, it is removed from the step. Inputs: the assembled matrix and the
 * model's rigid motions. See docs/notes/statics-convergence.md.
 */

import { type BorderedFactor, inversePivot } from '../linalg/band.ts';
import { type BorderedBand, multiplyBand, readEntry } from '../linalg/bandMatrix.ts';
import { eigenSymmetric } from '../linalg/jacobi.ts';

export interface NeutralProblem {
  readonly length: number;
  readonly matrix: BorderedBand;
  /** Factor of the matrix with which Newton's step was solved. */
  readonly factor: BorderedFactor;
  readonly residual: Float64Array;
  /** Newton's step [m and rad]. */
  readonly step: Float64Array;
  readonly fixed: Uint8Array;
  readonly isAngle: (d: number) => boolean;
  /** Three translations, three rotations about a point (default: the center) and the spin about the rod's own axis, at the current state. */
  rigidMotions(about?: readonly number[]): readonly Float64Array[];
}

/** Squared fraction of a motion at prescribed unknowns that counts as zero, and fraction of a motion that must remain. */
const HELD = 1e-24;
const DEPENDENT = 1e-8;
/** Relative rounding error of a row of the matrix times a motion. */
const ROUNDING = 1e-14;
/**
 * If all pivots are above this fraction of their entries in the matrix, no motion is neutral. Free rods of 10 to 1,000 edges have one at 1e-10 or below,
 * a clamped rod of 50 edges none below 1e-6.
 */
const NEUTRAL_PIVOT = 1e-7;

/**
 * Returns false if the factor shows that the matrix resists every motion, which saves the search. For z with K z = 0 up to rounding, Σ pivot·(Lᵀz)² is
 * rounding too, so the pivot of the last unknown that z moves is as small.
 */
export function canBeNeutral({ factor, matrix }: NeutralProblem): boolean {
  if (factor.negative > 0 || matrix.borderSize > 0) return true;
  for (let d = 0; d < matrix.size; d++)
    if (!(Math.abs(inversePivot(factor, d) * readEntry(matrix, d, d)) <= 1 / NEUTRAL_PIVOT)) return true;
  return false;
}

/** Weighted inner product. */
function sumProducts(a: Float64Array, b: Float64Array, weight: Float64Array): number {
  let total = 0;
  for (let d = 0; d < a.length; d++) total += a[d] * b[d] * weight[d];
  return total;
}

/** Inner product. */
function dot(a: Float64Array, b: Float64Array): number {
  let total = 0;
  for (let d = 0; d < a.length; d++) total += a[d] * b[d];
  return total;
}

/** Weights that convert angles to lengths: the rod's length squared at angles, 1 at positions. */
function weighUnknowns({ isAngle, length, fixed }: NeutralProblem): Float64Array {
  const weight = new Float64Array(fixed.length);
  for (let d = 0; d < weight.length; d++) weight[d] = isAngle(d) ? length * length : 1;
  return weight;
}

function orthonormalize(motions: readonly Float64Array[], weight: Float64Array): Float64Array[] {
  const basis: Float64Array[] = [];
  for (const motion of motions) {
    const z = motion.slice();
    const before = sumProducts(z, z, weight);
    for (let pass = 0; pass < 2; pass++) {
      for (const y of basis) {
        const along = sumProducts(z, y, weight);
        for (let d = 0; d < z.length; d++) z[d] -= along * y[d];
      }
    }
    const size = sumProducts(z, z, weight);
    if (!(size > DEPENDENT * before)) continue;
    const root = Math.sqrt(size);
    for (let d = 0; d < z.length; d++) z[d] /= root;
    basis.push(z);
  }
  return basis;
}

/** Combinations of `basis` that are eigenvectors of a quadratic form with eigenvalues up to `largest`, smallest first. */
function alignWith(
  form: (i: number, j: number) => number,
  basis: readonly Float64Array[],
  largest: number,
): Float64Array[] {
  const count = basis.length;
  const matrix = new Float64Array(count * count);
  for (let k = 0; k < matrix.length; k++) matrix[k] = form(Math.floor(k / count), k % count);
  const { values, vectors } = eigenSymmetric(matrix, count);
  const aligned: Float64Array[] = [];
  for (let k = 0; k < count; k++) {
    if (!(values[k] <= largest)) continue;
    const z = new Float64Array(basis[0].length);
    for (let i = 0; i < count; i++) {
      const part = vectors[i * count + k];
      for (let d = 0; d < z.length; d++) z[d] += part * basis[i][d];
    }
    aligned.push(z);
  }
  return aligned;
}

/** Orthonormal motions that move no prescribed unknown. */
export function findFreeMotions(problem: NeutralProblem): Float64Array[] {
  const { rigidMotions, fixed } = problem;
  const weight = weighUnknowns(problem);
  const basis = orthonormalize(rigidMotions(), weight);
  if (!fixed.includes(1)) return basis;
  for (let d = 0; d < weight.length; d++) if (!fixed[d]) weight[d] = 0;
  return alignWith((i, j) => sumProducts(basis[i], basis[j], weight), basis, HELD);
}

/** Free motions that the matrix does not resist. */
function findUnopposed(free: readonly Float64Array[], { matrix, fixed }: NeutralProblem): Float64Array[] {
  const scale = new Float64Array(fixed.length);
  for (let d = 0; d < scale.length; d++) scale[d] = fixed[d] ? 0 : Math.sqrt(Math.abs(readEntry(matrix, d, d)));
  const oppose = (z: Float64Array): Float64Array => {
    const force = new Float64Array(z.length);
    multiplyBand(force, matrix, z);
    for (let d = 0; d < force.length; d++) force[d] = scale[d] > 0 ? force[d] / scale[d] : 0;
    return force;
  };
  const forces = free.map(oppose);
  return alignWith((i, j) => dot(forces[i], forces[j]), free, Number.POSITIVE_INFINITY).filter((z) => {
    let size = 0;
    for (let d = 0; d < z.length; d++) size = Math.max(size, scale[d] * Math.abs(z[d]));
    return oppose(z).every((f) => Math.abs(f) <= ROUNDING * size);
  });
}

/** A rigid motion as a combination of rigid motions about the origin, so it is the same motion in any state of the rod. */
export type RigidMotion = Float64Array;

const ORIGIN = [0, 0, 0];
/** Eigenvalues of the search for symmetries from which a motion is resisted or held. */
const RESISTED = 1e-12;

/**
 * Rigid motions that pins allow and that the assembled matrix does not resist, at an equilibrium. `rounding`: the force that counts as none, relative to the
 * largest terms of its row. Includes motions that move nothing at this state, as a turn about the axis of a straight rod with the opposite spin.
 */
export function findSymmetries(problem: NeutralProblem, rounding: number): RigidMotion[] {
  const { matrix, fixed } = problem;
  const weight = weighUnknowns(problem);
  const motions = problem.rigidMotions(ORIGIN);
  const sizes = motions.map((z) => Math.sqrt(sumProducts(z, z, weight)));
  const scale = Float64Array.from(fixed, (isFixed, d) => (isFixed ? 0 : Math.sqrt(Math.abs(readEntry(matrix, d, d)))));
  /** What opposes a motion: its displacement of prescribed unknowns, or the force against it relative to the stiffness. */
  const oppositions = motions.map((motion, k) => {
    const z = motion.map((value) => value / sizes[k]);
    const force = new Float64Array(z.length);
    multiplyBand(force, matrix, z);
    let largest = 0;
    for (let d = 0; d < z.length; d++) largest = Math.max(largest, scale[d] * Math.abs(z[d]));
    return { opposition: force.map((f, d) => (fixed[d] ? Math.sqrt(weight[d]) * z[d] : f / scale[d])), largest };
  });
  const stiffest = Math.max(...oppositions.map(({ largest }) => largest));
  const columns = oppositions.map(({ opposition }) => opposition.map((f, d) => (fixed[d] ? f : f / stiffest)));
  const count = columns.length;
  const gram = Float64Array.from({ length: count * count }, (_, k) =>
    dot(columns[Math.floor(k / count)], columns[k % count]),
  );
  const { values, vectors } = eigenSymmetric(gram, count);
  const found: RigidMotion[] = [];
  for (let k = 0; k < count; k++) {
    if (!(values[k] <= RESISTED)) continue;
    const parts = Float64Array.from({ length: count }, (_, i) => vectors[i * count + k]);
    const isOpposed = columns[0].some(
      (_, d) => !(Math.abs(columns.reduce((sum, c, i) => sum + parts[i] * c[d], 0)) <= rounding),
    );
    if (!isOpposed) found.push(parts.map((part, i) => part / sizes[i]));
  }
  return found;
}

/** Fraction of the motions in a combination that must remain. */
const LEFT = 1e-8;

/** Displacements by rigid motions at the current state, orthonormal; motions that move no node are omitted. */
export function moveRigidly(problem: NeutralProblem, combinations: readonly RigidMotion[]): Float64Array[] {
  if (combinations.length === 0) return [];
  const weight = weighUnknowns(problem);
  const motions = problem.rigidMotions(ORIGIN);
  const moved: Float64Array[] = [];
  for (const parts of combinations) {
    const z = new Float64Array(weight.length);
    let whole = 0;
    for (const [k, motion] of motions.entries()) {
      for (let d = 0; d < z.length; d++) z[d] += parts[k] * motion[d];
      whole += Math.abs(parts[k]) * Math.sqrt(sumProducts(motion, motion, weight));
    }
    if (sumProducts(z, z, weight) > LEFT * LEFT * whole * whole) moved.push(z);
  }
  return orthonormalize(moved, weight);
}

/**
 * Removes neutral motions from the step. `free`: from `findFreeMotions` at the current state; `allowed`: unbalanced force along a motion up to which it
 * counts as balanced [N]. An unbalanced motion stays: the rod has to move that way.
 */
export function removeNeutralMotions(free: readonly Float64Array[], problem: NeutralProblem, allowed: number): void {
  if (free.length === 0) return;
  const { residual, step, isAngle, length } = problem;
  const weight = weighUnknowns(problem);
  for (const z of findUnopposed(free, problem)) {
    let largest = 0;
    for (let d = 0; d < z.length; d++) largest = Math.max(largest, Math.abs(z[d]) * (isAngle(d) ? length : 1));
    if (!(Math.abs(dot(z, residual)) <= allowed * largest)) continue;
    const along = sumProducts(z, step, weight);
    for (let d = 0; d < step.length; d++) step[d] -= along * z[d];
  }
}
