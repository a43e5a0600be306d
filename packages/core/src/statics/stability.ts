/**
 * Verdicts on stability: how many eigenvalues of the tangent stiffness are negative.
 *
 * The pivots of LDLᵀ have the signs of the eigenvalues of a matrix perturbed by rounding. So the matrix is factored twice, with a bound of that
 * perturbation added and subtracted. If the counts agree, they are certain. If not, subspace iteration finds the modes in question, and their energies
 * are summed element by element, from differences of neighbours, where stiff and soft parts do not cancel. See docs/notes/statics-convergence.md.
 */

import { type BorderedFactor, factorBand, solveBand } from '../linalg/band.ts';
import type { BorderedBand } from '../linalg/bandMatrix.ts';
import { eigenSymmetric } from '../linalg/jacobi.ts';
import { sin } from '../math/rounded/index.ts';
import { type Factored, factorRing } from './ringFactor.ts';
import { noVerdict, type Verdict } from './search.ts';
import { countSoftened, type SoftenedEdges, solveEdges } from './softenedEdges.ts';

/** A closed rod may turn, and where it has buckled its shape may slide along it: without stiffness, so that little decides the signs of these motions. */
export interface RingStability {
  /** Edges to which the matrix gives less than their own stiffness. */
  readonly edges: SoftenedEdges;
  /** Unknowns of a node. */
  readonly stride: number;
  /** Eigenvalue, relative to the softest stiffness, that is far below that of any bending mode. */
  readonly allowed: number;
}

export interface StabilityProblem {
  /** Tangent stiffness, prescribed unknowns fixed. */
  readonly matrix: BorderedBand;
  readonly factor: BorderedFactor;
  readonly fixed: Uint8Array;
  /** Stiffness of each unknown by its softest and by its stiffest part. */
  readonly softScale: Float64Array;
  readonly stiffnessScale: Float64Array;
  /** Eigenvalue that counts as zero, relative to the softest: free rigid motion, free spin. */
  readonly zero: number;
  /** Rounding error of the matrix, relative to the stiffest. */
  readonly rounding: number;
  /** xᵀKx of the rod [J], summed element by element; absent if the model does not provide it. */
  readonly measureEnergy?: ((x: Float64Array) => number) | undefined;
  /** If the rod is closed. */
  readonly ring?: RingStability | undefined;
}

/** If rounding mixes more modes than this, there is no verdict. */
const MIXED_MODES = 12;

/** Factors the matrix plus `sign` times the bound on rounding. */
function factorBounded(problem: StabilityProblem, sign: number): Factored {
  const { factor, matrix, softScale, stiffnessScale, zero, rounding, fixed, ring } = problem;
  const weight = softScale.map((soft, d) => (fixed[d] ? 0 : zero * soft + sign * rounding * stiffnessScale[d]));
  if (ring) return factorRing({ ...ring, matrix, factor, scale: softScale }, weight, sign > 0);
  factorBand(factor, matrix, 1, weight, 'count-negative');
  return { negative: factor.negative, solve: (x) => solveBand(factor, matrix, x) };
}

/** Number of negative eigenvalues of the matrix that was factored. */
function countNegative({ ring, fixed }: StabilityProblem, { negative, solve }: Factored): number {
  return ring && negative > 0 ? negative - countSoftened(ring.edges, fixed.length, negative, solve) : negative;
}

/** Orthonormalizes the vectors in the metric of the soft scale. */
function orthonormalize(vectors: readonly Float64Array[], { softScale }: StabilityProblem): void {
  const dot = (a: Float64Array, b: Float64Array): number => {
    let sum = 0;
    for (let d = 0; d < a.length; d++) sum += softScale[d] * a[d] * b[d];
    return sum;
  };
  vectors.forEach((x, k) => {
    for (let pass = 0; pass < 2; pass++) {
      for (const y of vectors.slice(0, k)) {
        const along = dot(x, y);
        for (let d = 0; d < x.length; d++) x[d] -= along * y[d];
      }
      const size = Math.sqrt(dot(x, x));
      for (let d = 0; d < x.length; d++) x[d] /= size;
    }
  });
}

function startVectors({ fixed, softScale }: StabilityProblem, count: number): Float64Array[] {
  return Array.from({ length: count }, (_, k) =>
    softScale.map((_, d) => (fixed[d] ? 0 : sin(1 + (0.7 + 0.1 * k) * d) + 0.3 * sin(0.1 * (k + 1) * d))),
  );
}

/** One subspace iteration towards the lowest modes with the factored matrix, to which the bound on rounding was added. */
function iterateLowest(
  problem: StabilityProblem,
  { solve }: Factored,
  vectors: readonly Float64Array[],
  iterations: number,
): void {
  const { fixed, softScale, ring } = problem;
  for (let iteration = 0; iteration < iterations; iteration++) {
    for (const x of vectors) {
      for (let d = 0; d < x.length; d++) x[d] = fixed[d] ? 0 : x[d] * softScale[d];
      solve(x);
      if (ring) solveEdges(ring.edges, solve, x, new Float64Array(ring.edges.penalty.length));
    }
    orthonormalize(vectors, problem);
  }
}

/** Eigenvalues, relative to the soft scale, of the energy in the span of these vectors. */
function measureEigenvalues(
  vectors: readonly Float64Array[],
  measureEnergy: (x: Float64Array) => number,
): Float64Array {
  const count = vectors.length;
  const form = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    form[i * count + i] = measureEnergy(vectors[i]);
    for (let j = 0; j < i; j++) {
      const sum = measureEnergy(vectors[i].map((x, d) => x + vectors[j][d]));
      const difference = measureEnergy(vectors[i].map((x, d) => x - vectors[j][d]));
      form[i * count + j] = (sum - difference) / 4;
      form[j * count + i] = form[i * count + j];
    }
  }
  return eigenSymmetric(form, count).values;
}

/** True if rounding far exceeds the softest bending mode, 1e6 times `zero`, so that nothing of its shape remains. */
function hidesAll({ softScale, stiffnessScale, zero, rounding }: StabilityProblem): boolean {
  return softScale.some((soft, d) => rounding * stiffnessScale[d] > 1e7 * zero * soft);
}

/** Counts negative modes; `none` if rounding hides a sign and the model provides no energy per element. */
export function judgeEnergy(problem: StabilityProblem): Verdict {
  const count = (sign: number): number => countNegative(problem, factorBounded(problem, sign));
  const possible = count(-1);
  // rounding mixes a doubtful mode with its neighbours: include them
  const mixed = possible > 0 ? count(-8) : 0;
  const factored = factorBounded(problem, 1);
  const certain = countNegative(problem, factored);
  if (certain > 0 || possible === 0) return { negativeModes: certain, criterion: 'energy' };
  const { measureEnergy, zero } = problem;
  if (!measureEnergy || mixed > MIXED_MODES || hidesAll(problem)) return noVerdict;
  const vectors = startVectors(problem, mixed + 3);
  iterateLowest(problem, factored, vectors, 30);
  const [before] = measureEigenvalues(vectors, measureEnergy);
  iterateLowest(problem, factored, vectors, 30);
  const values = measureEigenvalues(vectors, measureEnergy);
  const negativeModes = values.filter((value) => value < -zero).length;
  // estimates come from above: positive values must have converged, negative values are certain
  const isSettled = Math.abs(before - values[0]) <= 0.1 * Math.abs(values[0]) + zero;
  return negativeModes > 0 || isSettled ? { negativeModes, criterion: 'energy' } : noVerdict;
}

/**
 * Loads without a potential: the sign of the determinant, which changes where the equilibrium is lost. `signOf` computes it with these numbers added to
 * the diagonal; no verdict if rounding may change it.
 */
export function judgeDivergence(
  { softScale, stiffnessScale, zero, rounding }: Omit<StabilityProblem, 'matrix' | 'factor' | 'measureEnergy'>,
  signOf: (added: Float64Array) => number,
): Verdict {
  const [low, high] = [-1, 1].map((sign) =>
    signOf(softScale.map((soft, d) => zero * soft + sign * rounding * stiffnessScale[d])),
  );
  return low === high && low !== 0 ? { negativeModes: low > 0 ? 0 : 1, criterion: 'divergence' } : noVerdict;
}
