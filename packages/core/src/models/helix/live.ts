/**
 * Equilibria under loads that depend on the state: followers, torques, wind, position-dependent fields.
 *
 * Central differences in every unknown give the derivative of the generalised force, 2·3N evaluations of O(N), and the whole matrix is solved dense. It
 * need not be symmetric; then the equilibrium is lost where the determinant changes its sign, and flutter is not detected.
 */

import { solvePivoted } from '../../linalg/dense.ts';
import { eigenDense } from '../../linalg/eigen.ts';
import { hypot, square } from '../../math/rounded/index.ts';
import { type Schedule, takeIncrements } from '../../statics/increments.ts';
import type { NewtonResult, Verdict } from '../../statics/search.ts';
import {
  collectGradient,
  evaluateLoads,
  fillAssembly,
  fillDiagonal,
  measureBlur,
  measureElasticScale,
  type Stage,
  type Workspace,
} from './energy.ts';
import { poseRod, writeAllJacobians } from './kinematics.ts';
import type { NewtonOptions } from './newton.ts';
import type { HelixBody } from './rod.ts';
import { factorRod } from './sweep.ts';

/** Gradient of elastic energy and loads at the curvatures `kappa`; returns the residual [N], NaN if a load is not finite. */
function evaluateGradient(h: HelixBody, w: Workspace, stage: Stage, kappa: Float64Array): number {
  poseRod(h, kappa);
  if (!evaluateLoads(h, w, stage)) return Number.NaN;
  writeAllJacobians(h);
  fillAssembly(h, w, stage);
  fillDiagonal(h, w, stage, 0);
  factorRod(h, w.assembly, 'count-negative', 'elastic');
  return collectGradient(h, w, stage);
}

export interface LiveTangent {
  /** ∂(gradient)/∂κ, row by row. */
  readonly matrix: Float64Array;
  /** Norm of the antisymmetric part of the loads' contribution, relative to it: 0 for loads with a potential. */
  readonly asymmetry: number;
}

/** The tangent stiffness at `h.q`, elastic part exact, loads by differences. */
export function measureTangent(h: HelixBody, w: Workspace, stage: Stage): LiveTangent {
  const n = h.q.length;
  const matrix = new Float64Array(n * n);
  const at = h.q.slice();
  const plus = new Float64Array(n);
  // one radian of the whole rod in a hundred thousand
  const step = 1e-5 / h.length;
  for (let d = 0; d < n; d++) {
    at[d] = h.q[d] + step;
    evaluateGradient(h, w, stage, at);
    plus.set(w.assembly.gradient);
    at[d] = h.q[d] - step;
    evaluateGradient(h, w, stage, at);
    at[d] = h.q[d];
    for (let r = 0; r < n; r++) matrix[r * n + d] = (plus[r] - w.assembly.gradient[r]) / (2 * step);
  }
  let whole = 0;
  let odd = 0;
  for (let r = 0; r < n; r++) {
    for (let c = 0; c < n; c++) {
      whole += (matrix[r * n + c] * matrix[r * n + c]) / (h.stiffness[r] * h.stiffness[c]);
      odd += square(matrix[r * n + c] - matrix[c * n + r]) / (h.stiffness[r] * h.stiffness[c]);
    }
  }
  for (let d = 0; d < n; d++) matrix[d * (n + 1)] += h.stiffness[d];
  return { matrix, asymmetry: whole > 0 ? Math.sqrt(odd / whole) : 0 };
}

/** Size of the gradient in the metric where the elastic Hessian is the identity [√J]. */
function scaledNorm(h: HelixBody, gradient: Float64Array): number {
  let sum = 0;
  for (let d = 0; d < gradient.length; d++) sum += (gradient[d] * gradient[d]) / h.stiffness[d];
  return Math.sqrt(sum);
}

/**
 * Newton's method from the current state; if that fails, viscous relaxation from there; if that does not converge, from the natural shape with loads raised
 * from zero. A rod that leaves a saddle is relaxed first: Newton's method would lead it back. What other orders find:
 * docs/notes/helix.md#loads-that-depend-on-the-state.
 */
export function findLiveEquilibrium(
  h: HelixBody,
  w: Workspace,
  stage: Stage,
  options: NewtonOptions,
  leaving: boolean,
): NewtonResult {
  const start = h.q.slice();
  let iterations = 0;
  let result: NewtonResult | undefined;
  for (const attempt of leaving ? ATTEMPTS_LEAVING : ATTEMPTS) {
    h.q.set(start);
    result = attempt(h, w, stage, options);
    iterations += result.iterations;
    if (result.converged) break;
  }
  if (!result) throw new Error('no attempt');
  result.iterations = iterations;
  return result;
}

type Solve = (h: HelixBody, w: Workspace, stage: Stage, options: NewtonOptions) => NewtonResult;
const directly: Solve = (h, w, stage, options) => newtonFrom(h, w, stage, options, 'newton');
const viscously: Solve = (h, w, stage, options) =>
  newtonFrom(h, w, stage, { ...options, iterations: 2 * options.iterations }, 'viscous');
const ATTEMPTS: readonly Solve[] = [directly, viscously, raiseLoads];
const ATTEMPTS_LEAVING: readonly Solve[] = [viscously, directly];

/** Total rotation of a rod in a viscous step [rad]. */
const STRIDE = 0.5;
/** Increments of the loads. */
const RAISING: Schedule = { first: 0.1, growth: 1.5, division: 3, least: 1e-3 };

/** Raises the loads from zero, where the natural shape is in equilibrium. */
function raiseLoads(h: HelixBody, w: Workspace, stage: Stage, options: NewtonOptions): NewtonResult {
  const before = new Float64Array(h.q.length);
  const rough = { ...options, tolerance: Math.max(options.tolerance, 1e-6), iterations: 25 };
  h.q.set(h.kappaRest);
  const { last, iterations } = takeIncrements(
    {
      solve(share) {
        h.loadFactor = share;
        return newtonFrom(h, w, stage, share < 1 ? rough : options, 'newton');
      },
      hold: () => before.set(h.q),
      revert: () => h.q.set(before),
    },
    RAISING,
  );
  h.loadFactor = 1;
  last.iterations = iterations;
  return last;
}

/**
 * Method `viscous`: steps need not reduce the residual. (J + λK)Δκ = −g is then a backward Euler step of length 1/λ in a fluid whose drag on curvatures is
 * their stiffness, with λ such that the rod turns by about STRIDE per step: less near an equilibrium, where it becomes Newton's method. (The usual λ
 * that follows the residual was very slow for a rod that points against the wind.)
 */
function newtonFrom(
  h: HelixBody,
  w: Workspace,
  stage: Stage,
  options: NewtonOptions,
  method: 'viscous' | 'newton',
): NewtonResult {
  const { q } = h;
  const trial = new Float64Array(q.length);
  const gradient = new Float64Array(q.length);
  const result: NewtonResult = {
    converged: false,
    iterations: 0,
    shifts: 0,
    residual: 0,
    tolerance: 0,
    reason: `Newton's method did not converge in ${options.iterations} iterations`,
  };
  const isViscous = method === 'viscous';
  const limit = isViscous ? 2 * STRIDE : options.rotation;
  let shift = isViscous ? 1 : 0;
  measureBlur(h, w);
  for (;;) {
    result.residual = evaluateGradient(h, w, stage, q);
    const elastic = measureElasticScale(h, 0);
    result.tolerance = options.tolerance * (w.forceScale + elastic.force) + elastic.rounding + w.rounding;
    if (!(result.residual < Number.POSITIVE_INFINITY)) {
      result.reason = 'a load is not a finite number';
      return result;
    }
    result.converged = result.residual <= result.tolerance;
    if (result.converged || result.iterations >= options.iterations) return result;
    gradient.set(w.gradient);
    const norm = scaledNorm(h, gradient);
    const { matrix } = measureTangent(h, w, stage);
    let turn: number | undefined;
    for (let tries = 0; tries < 12 && turn === undefined; tries++) {
      const step = takeShiftedStep(h, { matrix, gradient, shift }, trial, limit);
      if (step) {
        evaluateGradient(h, w, stage, trial);
        const isNearer = scaledNorm(h, w.gradient) < (isViscous ? Infinity : norm * (1 - 1e-4 * step.part));
        if (isNearer) ({ turn } = step);
      }
      if (turn === undefined) {
        shift = Math.max(8 * shift, 1e-2);
        result.shifts++;
      }
    }
    if (turn === undefined) {
      result.reason = 'no step brings the rod nearer to an equilibrium';
      return result;
    }
    q.set(trial);
    result.iterations++;
    if (isViscous) shift *= Math.min(4, Math.max(0.25, turn / STRIDE));
    else shift = shift / 8 < 1e-4 ? 0 : shift / 8;
  }
}

/**
 * Writes q + part·Δκ to `trial`, with (J + λK) Δκ = −g; the part is such that the rod turns by at most `limit` [rad]. Returns the turn of the
 * whole step and the part; undefined if the matrix is singular.
 */
function takeShiftedStep(
  { q, stiffness, elementLength, elementCount }: HelixBody,
  {
    matrix,
    gradient,
    shift,
  }: { readonly matrix: Float64Array; readonly gradient: Float64Array; readonly shift: number },
  trial: Float64Array,
  limit: number,
): { readonly turn: number; readonly part: number } | undefined {
  const n = q.length;
  const shifted = matrix.slice();
  const step = gradient.map((g) => -g);
  for (let d = 0; d < n; d++) shifted[d * (n + 1)] += shift * stiffness[d];
  if (solvePivoted(shifted, n, step) === 0) return undefined;
  let turn = 0;
  for (let e = 0; e < elementCount; e++)
    turn += elementLength[e] * hypot(step[3 * e], step[3 * e + 1], step[3 * e + 2]);
  const part = Math.min(1, limit / turn);
  for (let d = 0; d < n; d++) trial[d] = q[d] + part * step[d];
  return { turn, part };
}

export function judgeLiveStability(h: HelixBody, w: Workspace, t: number, zero: number): Verdict {
  const stage: Stage = { t, inertia: 0, rate: 0 };
  const n = h.q.length;
  const { matrix, asymmetry } = measureTangent(h, w, stage);
  evaluateGradient(h, w, stage, h.q);
  if (asymmetry > 1e-4) {
    const sign = solvePivoted(matrix, n, new Float64Array(n));
    return { negativeModes: sign > 0 ? 0 : 1, criterion: 'divergence' };
  }
  const scaled = new Float64Array(n * n);
  for (let r = 0; r < n; r++)
    for (let c = 0; c < n; c++)
      scaled[r * n + c] = (0.5 * (matrix[r * n + c] + matrix[c * n + r])) / Math.sqrt(h.stiffness[r] * h.stiffness[c]);
  const { values } = eigenDense(scaled, n);
  return { negativeModes: values.filter((value) => value < -zero).length, criterion: 'energy' };
}
