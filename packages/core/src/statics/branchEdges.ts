/**
 * Newton's equations of a branch with the edges' own stiffness.
 *
 * The matrix K = H + AᵀkA has edges of limited stiffness k, so that bending does not lose digits (A: stretch of the edges per unknown). With this matrix alone, tensions
 * converge linearly, and slowly where the rod is unstable: a localized buckle takes 20 iterations. The step x and the change of tension μ of
 *     H x + Aᵀμ = −r,    A x + c = μ/S
 * follow from the solution x₀ with K, for which μ₀ = k (A x₀ + c):
 *     k A K⁻¹Aᵀ (1 − k/S) μ + (k/S) μ = μ₀,    x = x₀ − K⁻¹Aᵀ (1 − k/S) μ.
 * The matrix on the left is near the identity, so GMRES takes about three solves with the same factor. See docs/notes/statics-convergence.md.
 */
import { solveGmres } from '../linalg/gmres.ts';

/** Edges of a rod at the state of its matrix. */
export interface BranchEdges {
  /** Length minus rest length minus what the tension explains, c [m]. */
  readonly error: Float64Array;
  /** Stiffness in the matrix, k [N/m]. */
  readonly penalty: Float64Array;
  /** Own stiffness, S [N/m]; infinite for inextensible edges. */
  readonly stiffness: ArrayLike<number>;
  /** True if both ends are prescribed. */
  isHeld(edge: number): boolean;
  /** Writes the stretch of every edge, A x. */
  writeStretch(out: Float64Array, x: Float64Array): void;
  /** Adds forces in the edges to the right-hand side: −Aᵀ force. */
  addPull(out: Float64Array, force: Float64Array): void;
}

const TOLERANCE = 1e-11;
const MOST_SOLVES = 40;

/**
 * Corrects the solution x for a right-hand side with the edge errors c. Writes to c the errors for which the matrix alone gives this solution, so that
 * k (A x + c) is the change of tension.
 */
export function solveEdges(
  edges: BranchEdges,
  solve: (x: Float64Array) => void,
  x: Float64Array,
  c: Float64Array,
): void {
  const { penalty, stiffness } = edges;
  const count = c.length;
  const first = new Float64Array(count);
  const tension = new Float64Array(count);
  const force = new Float64Array(count);
  const response = new Float64Array(x.length);
  const fraction = Float64Array.from({ length: count }, (_, j) =>
    edges.isHeld(j) ? 1 : Math.min(1, penalty[j] / stiffness[j]),
  );
  if (fraction.every((one) => one === 1)) return;
  const respond = (mu: Float64Array): void => {
    for (let j = 0; j < count; j++) force[j] = (fraction[j] - 1) * mu[j];
    response.fill(0);
    edges.addPull(response, force);
    solve(response);
  };
  edges.writeStretch(first, x);
  for (let j = 0; j < count; j++) first[j] = penalty[j] * (first[j] + c[j]);
  solveGmres(
    tension,
    first,
    (y, mu) => {
      respond(mu);
      edges.writeStretch(y, response);
      for (let j = 0; j < count; j++) y[j] = fraction[j] === 1 ? mu[j] : penalty[j] * y[j] + fraction[j] * mu[j];
    },
    TOLERANCE,
    MOST_SOLVES,
  );
  respond(tension);
  for (let d = 0; d < x.length; d++) x[d] -= response[d];
  edges.writeStretch(first, x);
  for (let j = 0; j < count; j++) c[j] = tension[j] / penalty[j] - first[j];
}
