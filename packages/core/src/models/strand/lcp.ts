/**
 * Linear complementarity problems of contacts and limits: w = A x − b ≥ 0, x ≥ 0, x·w = 0.
 *
 * NOTE: [Hadap2006 eq. 16, 17] point the friction along the motion, where it is zero; it must point against it, and the wanted
 * acceleration is the component along that direction. Their row for the size of friction has a zero on the diagonal,
 * so that Algorithm 2 never converges where something slips: the force alternates between two values. Both solvers here
 * clamp it to the cone instead. `solveSor` is Algorithm 2 with that repair and one direction of friction a contact;
 * `solveGaussSeidel` projects onto the disc |f_t| ≤ μ f_n in the tangent plane and needs no direction.
 */
import { hypot, square } from '../../math/rounded/index.ts';

/** Rows: 0 two-sided; 1 one-sided; 2 friction, clamped to μ times the row before (`sor`), or the first of two in a disc. */
export const TWO_SIDED = 0;
export const ONE_SIDED = 1;
export const FRICTION = 2;

/** w = A x − b with n rows; their kinds, and the coefficient of friction of friction rows. */
export interface LcpProblem {
  readonly A: Float64Array;
  readonly b: Float64Array;
  readonly kind: Uint8Array;
  readonly mu: Float64Array;
  readonly n: number;
}

/**
 * Algorithm 2 with x as a first guess: successive over-relaxation, `epsilon` added to the diagonal. A row of friction is
 * clamped to [0, μ x] of the row before it. Returns the largest change of the last sweep.
 */
export function solveSor(
  x: Float64Array,
  { A, b, kind, mu, n }: LcpProblem,
  { sweeps, omega, epsilon }: { readonly sweeps: number; readonly omega: number; readonly epsilon: number },
): number {
  let change = 0;
  for (let sweep = 0; sweep < sweeps; sweep++) {
    change = 0;
    for (let i = 0; i < n; i++) {
      let sum = b[i];
      for (let j = 0; j < n; j++) if (j !== i) sum -= A[i * n + j] * x[j];
      let next = (1 - omega) * x[i] + (omega * sum) / (A[i * n + i] + epsilon);
      if (kind[i] !== TWO_SIDED && next < 0) next = 0;
      if (kind[i] === FRICTION) next = Math.min(next, mu[i] * x[i - 1]);
      change = Math.max(change, Math.abs(next - x[i]));
      x[i] = next;
    }
  }
  return change;
}

/** Projected Gauss–Seidel; a pair of friction rows after a one-sided one is projected onto its disc. */
export function solveGaussSeidel(
  x: Float64Array,
  { A, b, kind, mu, n }: LcpProblem,
  { sweeps, tolerance }: { readonly sweeps: number; readonly tolerance: number },
): number {
  let change = 0;
  for (let sweep = 0; sweep < sweeps; sweep++) {
    change = 0;
    let size = 0;
    for (let i = 0; i < n; i++) {
      if (kind[i] === FRICTION) {
        change = Math.max(change, projectDisc(x, A, b, mu[i] * x[i - 1], n, i));
        i++;
        continue;
      }
      const next = x[i] + residualOf(x, A, b, n, i) / A[i * n + i];
      const held = kind[i] === TWO_SIDED ? next : Math.max(0, next);
      change = Math.max(change, Math.abs(held - x[i]));
      size = Math.max(size, Math.abs(held));
      x[i] = held;
    }
    if (change <= tolerance * size) break;
  }
  return change;
}

function residualOf(x: Float64Array, A: Float64Array, b: Float64Array, n: number, i: number): number {
  let sum = b[i];
  for (let j = 0; j < n; j++) sum -= A[i * n + j] * x[j];
  return sum;
}

/** A step of both rows with the larger eigenvalue of their 2 × 2, then onto the disc of radius `r`. */
function projectDisc(x: Float64Array, A: Float64Array, b: Float64Array, r: number, n: number, i: number): number {
  const a = A[i * n + i];
  const d = A[(i + 1) * n + i + 1];
  const c = A[i * n + i + 1];
  const largest = 0.5 * (a + d) + Math.sqrt(0.25 * square(a - d) + c * c);
  const u = x[i] + residualOf(x, A, b, n, i) / largest;
  const v = x[i + 1] + residualOf(x, A, b, n, i + 1) / largest;
  const size = hypot(u, v);
  const scale = size > r ? r / size : 1;
  const change = Math.max(Math.abs(scale * u - x[i]), Math.abs(scale * v - x[i + 1]));
  x[i] = scale * u;
  x[i + 1] = scale * v;
  return change;
}
