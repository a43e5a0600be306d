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
import { eigenSymmetric } from '../linalg/jacobi.ts';
import { sin, square } from '../math/rounded/index.ts';

/** Edges of a rod at the state of its matrix. */
export interface SoftenedEdges {
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
  edges: SoftenedEdges,
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

/** Powers of the matrix in the space in which `countSoftened` looks for its negative eigenvalues. */
const POWERS = 8;

/**
 * How many of the `negative` negative eigenvalues of the matrix, which is factored in `solve`, are positive with the edges' own stiffness. By the inertia of
 * the matrix bordered with A this is the number of negative eigenvalues of
 *     √k (A K⁻¹Aᵀ + 1/(S − k)) √k,
 * which is near the identity but for as many directions. So a Krylov space from that many vectors contains them.
 */
export function countSoftened(
  edges: SoftenedEdges,
  size: number,
  negative: number,
  solve: (x: Float64Array) => void,
): number {
  const { penalty, stiffness } = edges;
  const softened = Array.from(penalty.keys()).filter((j) => !edges.isHeld(j) && penalty[j] < stiffness[j]);
  const force = new Float64Array(penalty.length);
  const stretch = new Float64Array(penalty.length);
  const response = new Float64Array(size);
  const apply = (x: Float64Array): Float64Array => {
    softened.forEach((j, k) => {
      force[j] = -Math.sqrt(penalty[j]) * x[k];
    });
    response.fill(0);
    edges.addPull(response, force);
    solve(response);
    edges.writeStretch(stretch, response);
    return Float64Array.from(
      softened,
      (j, k) => Math.sqrt(penalty[j]) * stretch[j] + (penalty[j] / (stiffness[j] - penalty[j])) * x[k],
    );
  };
  let block: Float64Array[] = Array.from({ length: negative }, (_, b) =>
    Float64Array.from(softened, (_, k) => sin(1 + (0.7 + 0.1 * b) * k) + 0.3 * sin(0.1 * (b + 1) * k)),
  );
  const basis: Float64Array[] = [];
  const images: Float64Array[] = [];
  for (let power = 0; power < POWERS; power++) {
    block = block.filter((x) => basis.length < softened.length && appendOrthonormal(basis, x));
    block = block.map(apply);
    images.push(...block.map((x) => x.slice()));
  }
  const form = Float64Array.from({ length: square(basis.length) }, (_, k) => {
    const [i, j] = [Math.floor(k / basis.length), k % basis.length];
    return basis[Math.min(i, j)].reduce((sum, x, d) => sum + x * images[Math.max(i, j)][d], 0);
  });
  return eigenSymmetric(form, basis.length).values.filter((value) => value < 0).length;
}

/** Makes x orthonormal to the basis and appends it; returns false if the basis contains it. */
function appendOrthonormal(basis: Float64Array[], x: Float64Array): boolean {
  const norm = (): number => Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));
  const before = norm();
  for (let pass = 0; pass < 2; pass++) {
    for (const y of basis) {
      const along = x.reduce((sum, value, d) => sum + value * y[d], 0);
      for (let d = 0; d < x.length; d++) x[d] -= along * y[d];
    }
  }
  const left = norm();
  if (!(left > 1e-10 * before)) return false;
  for (let d = 0; d < x.length; d++) x[d] /= left;
  basis.push(x);
  return true;
}
