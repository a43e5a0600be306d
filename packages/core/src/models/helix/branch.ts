/**
 * Follows equilibria, stable or not: Newton's method with the exact, indefinite matrix, judged by its residual and not by the energy, so that it stays on
 * its branch. Large changes are applied in increments: loads and root from the time at which the rod is in equilibrium, or loads from zero if the rod is
 * in its natural shape.
 */

import { hypot } from '../../math/rounded/index.ts';
import type { NewtonResult } from '../../statics/search.ts';
import {
  collectGradient,
  evaluateEnergy,
  evaluateLoads,
  fillAssembly,
  fillDiagonal,
  measureBlur,
  measureElasticScale,
  type Stage,
  type Workspace,
} from './energy.ts';
import { placeRoot, poseRod, writeAllJacobians } from './kinematics.ts';
import { createResult, type NewtonOptions } from './newton.ts';
import type { HelixBody, HelixRod } from './rod.ts';
import { factorRod, solveRod } from './sweep.ts';

/** Maximum iterations per increment, and maximum total rotation [rad]: a farther solution may be on another branch. */
const ITERATIONS = 15;
const TURN = 1;
const SMALLEST_PART = 1 / 512;

/** Gradient and factor at h.q; returns the residual and its reference. */
function evaluate(h: HelixBody, w: Workspace, stage: Stage, tolerance: number): { residual: number; limit: number } {
  poseRod(h, h.q);
  measureBlur(h, w);
  if (!evaluateLoads(h, w, stage)) return { residual: Number.POSITIVE_INFINITY, limit: 0 };
  evaluateEnergy(h, w, stage);
  writeAllJacobians(h);
  fillAssembly(h, w, stage);
  fillDiagonal(h, w, stage, 0);
  factorRod(h, w.assembly, false, true);
  const residual = collectGradient(h, w, stage);
  const elastic = measureElasticScale(h, stage.rate);
  return { residual, limit: tolerance * (w.forceScale + elastic.force) + elastic.rounding + w.rounding };
}

/** Total rotation of the rod by a change of the curvatures [rad]. */
function measureTurn(h: HelixBody, step: Float64Array): number {
  let turn = 0;
  for (let e = 0; e < h.elementCount; e++)
    turn += h.elementLength[e] * hypot(step[3 * e], step[3 * e + 1], step[3 * e + 2]);
  return turn;
}

/** Newton's method without shifts from h.q; fails if the residual does not fall or the rod turns too far. */
function solveNear(h: HelixBody, w: Workspace, stage: Stage, tolerance: number): NewtonResult {
  const out = createResult(`Newton's method did not converge in ${ITERATIONS} iterations on its branch`);
  const { step, gradient, trial } = w;
  let { residual, limit } = evaluate(h, w, stage, tolerance);
  let turned = 0;
  for (; out.iterations < ITERATIONS; out.iterations++) {
    out.residual = residual;
    out.tolerance = limit;
    if (residual <= limit) {
      out.converged = true;
      return out;
    }
    if (!(residual < Number.POSITIVE_INFINITY)) break;
    for (let d = 0; d < h.q.length; d++) step[d] = -gradient[d];
    solveRod(h, w.assembly, step);
    trial.set(h.q);
    let part = Math.min(1, TURN / measureTurn(h, step));
    turned += part * measureTurn(h, step);
    if (!(turned <= 2 * TURN)) break;
    const before = residual;
    for (let halving = 0; halving < 4; halving++, part /= 2) {
      for (let d = 0; d < h.q.length; d++) h.q[d] = trial[d] + part * step[d];
      ({ residual, limit } = evaluate(h, w, stage, tolerance));
      // it may grow on the way out of a bend that is too sharp, but not for long
      if (residual < Math.max(before, limit)) break;
    }
    if (!(residual < 4 * before)) break;
  }
  return out;
}

/** True if the rod is in equilibrium with root and loads at t. */
function isAtRest(h: HelixRod, w: Workspace, t: number): boolean {
  placeRoot(h, t);
  const { residual, limit } = evaluate(h, w, { t, inertia: 0, rate: 0 }, 1e-6);
  return residual <= limit;
}

/** Moves the rod to its equilibrium at t; on failure it is at the last point of the branch. */
export function followBranch(h: HelixRod, w: Workspace, t: number, options: NewtonOptions): NewtonResult {
  const from = h.rootTime;
  const resumes = isAtRest(h, w, from);
  if (!resumes) h.q.set(h.kappaRest);
  const kept = h.q.slice();
  let out = createResult('');
  let [iterations, done, part] = [0, 0, 1];
  while (done < 1) {
    const next = Math.min(1, done + part);
    const now = resumes ? from + next * (t - from) : t;
    placeRoot(h, now);
    h.loadFactor = resumes ? 1 : next;
    w.kappaBefore.set(h.q);
    const tolerance = next < 1 ? Math.max(1e-8, options.tolerance) : options.tolerance;
    out = solveNear(h, w, { t: now, inertia: 0, rate: 0 }, tolerance);
    iterations += out.iterations;
    if (out.converged) {
      done = next;
      part *= 2;
      kept.set(h.q);
    } else {
      h.q.set(kept);
      part /= 4;
      if (part < SMALLEST_PART) break;
    }
  }
  h.loadFactor = 1;
  placeRoot(h, t);
  poseRod(h, h.q);
  return { ...out, iterations };
}
