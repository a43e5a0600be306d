/**
 * Follows equilibria, stable or not: Newton's method with the exact, indefinite matrix, judged by its residual and not by the energy, so that it stays on
 * its branch. Large changes are applied in increments: loads and root from the time at which the rod is in equilibrium; or loads from zero, either together
 * with the natural shape, which starts as the rod's current shape, or from a rod in its natural shape.
 */

import { hypot } from '../../math/rounded/index.ts';
import { type IncrementPath, takeIncrements } from '../../statics/increments.ts';
import type { NewtonResult } from '../../statics/search.ts';
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
import type { Hold } from './hold.ts';
import { addMultipliers, measureGap, projectRates, respondHold, weighHold } from './holdSolve.ts';
import { measurePinRate, placeRoot, poseRod, writeAllJacobians } from './kinematics.ts';
import { createResult, type NewtonOptions } from './newton.ts';
import { evaluateEnergy } from './potential.ts';
import type { HelixBody, HelixRod } from './rod.ts';
import { factorRod, solveRod } from './sweep.ts';

/** Maximum iterations per increment, and maximum total rotation [rad]: a solution beyond it may be on another branch. */
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
  factorRod(h, w.assembly, 'count-negative', 'geometric');
  const gap = h.hold ? (measureGap(h, h.hold) * h.hold.turning) / h.length : 0;
  const residual = Math.max(collectGradient(h, w, stage), gap);
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

/** Replaces the plain Newton step by that of the constrained problem; returns the change of the multipliers. */
function stepHeld(h: HelixBody, w: Workspace, hold: Hold): Float64Array {
  respondHold(h, w, hold);
  return projectRates(
    hold,
    w.step,
    hold.gap.map((gap) => -gap),
  );
}

/** Newton's method without shifts from h.q; fails if the residual does not fall or the rod turns too far. */
function solveNear(h: HelixBody, w: Workspace, stage: Stage, tolerance: number): NewtonResult {
  const out = createResult(`Newton's method did not converge in ${ITERATIONS} iterations on its branch`);
  const { step, gradient, trial } = w;
  const { hold } = h;
  if (hold) weighHold(h, hold, stage.inertia);
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
    const force = hold && stepHeld(h, w, hold);
    trial.set(h.q);
    let part = Math.min(1, TURN / measureTurn(h, step));
    turned += part * measureTurn(h, step);
    if (!(turned <= 2 * TURN)) break;
    const before = residual;
    const multiplier = hold?.multiplier.slice();
    for (let halving = 0; halving < 4; halving++, part /= 2) {
      if (hold && force && multiplier) {
        hold.multiplier.set(multiplier);
        addMultipliers(h, hold, force, part);
      }
      for (let d = 0; d < h.q.length; d++) h.q[d] = trial[d] + part * step[d];
      ({ residual, limit } = evaluate(h, w, stage, tolerance));
      // the residual may grow while a bend that is too sharp opens, but not for long
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

/** Increments of a path of equilibria, `share` from 0 to 1: the first and largest, what an increment sets, and the time of a share [s]. */
interface LoadPath {
  readonly largest: number;
  set(share: number): void;
  timeOf(share: number): number;
}

/** Saves and restores the curvatures and the forces of a pin that holds the end. */
function createHolder(h: HelixRod): Pick<IncrementPath<NewtonResult>, 'hold' | 'revert'> {
  const kept = h.q.slice();
  const keptMultiplier = h.hold?.multiplier.slice();
  return {
    hold() {
      kept.set(h.q);
      if (h.hold) keptMultiplier?.set(h.hold.multiplier);
    },
    revert() {
      h.q.set(kept);
      if (keptMultiplier) h.hold?.multiplier.set(keptMultiplier);
    },
  };
}

/** Takes increments on the branch; on failure the rod is at the last point of it. */
function followPath(
  h: HelixRod,
  w: Workspace,
  { largest, set, timeOf }: LoadPath,
  options: NewtonOptions,
): NewtonResult {
  const { last, iterations } = takeIncrements(
    {
      solve(share) {
        const t = timeOf(share);
        placeRoot(h, t);
        set(share);
        w.kappaBefore.set(h.q);
        const tolerance = share < 1 ? Math.max(1e-8, options.tolerance) : options.tolerance;
        return solveNear(h, w, { t, inertia: 0, rate: 0 }, tolerance);
      },
      ...createHolder(h),
    },
    { first: largest, largest, growth: 2, division: 4, least: SMALLEST_PART * largest },
  );
  set(1);
  return { ...last, iterations };
}

/** Raises the loads at t from zero, and with them the natural shape from the current one. */
function raiseLoads(h: HelixRod, w: Workspace, t: number, options: NewtonOptions): NewtonResult {
  const laid = h.q.slice();
  const own = h.kappaRest.slice();
  const set = (share: number): void => {
    h.loadFactor = share;
    for (let d = 0; d < own.length; d++) h.kappaRest[d] = share < 1 ? laid[d] + share * (own[d] - laid[d]) : own[d];
  };
  return followPath(h, w, { largest: 1, set, timeOf: () => t }, options);
}

/** Moves the rod to its equilibrium at t; on failure it is at the last point of the branch. */
export function followBranch(h: HelixRod, w: Workspace, t: number, options: NewtonOptions): NewtonResult {
  const from = h.rootTime;
  let out: NewtonResult;
  // the natural shape of a rod that is held at both ends is elsewhere
  if (h.hold !== undefined || isAtRest(h, w, from)) {
    // at most a fraction of a turn per increment, so that no turn of a clamp is lost
    const largest = h.hold ? 1 / countIncrements(h, from, t) : 1;
    out = followPath(h, w, { largest, set: () => {}, timeOf: (share) => from + share * (t - from) }, options);
  } else {
    out = raiseLoads(h, w, t, options);
    if (!out.converged) {
      h.q.set(h.kappaRest);
      const { iterations } = out;
      out = raiseLoads(h, w, t, options);
      out.iterations += iterations;
    }
  }
  placeRoot(h, t);
  poseRod(h, h.q);
  return out;
}

/** Motion of the pins between two positions of a held rod: rotation [rad], or distance over a tenth of the length. */
const STRIDE = 0.5;
const REACH = 0.1;
const SAMPLES = 64;

/** Number of increments into which the motion of the pins is divided. */
function countIncrements(h: HelixRod, from: number, t: number): number {
  const rate = new Float64Array(6);
  const dt = (t - from) / SAMPLES;
  let way = 0;
  if (dt === 0) return 1;
  for (let k = 0; k < SAMPLES; k++) {
    for (const pins of [{ place: h.place, clamp: h.clamp }, h.hold && { place: h.hold.pin, clamp: h.hold.pin }]) {
      if (!pins) continue;
      measurePinRate(rate, pins.place, pins.clamp, from + k * dt, dt);
      const turn = Math.abs(dt) * hypot(rate[3], rate[4], rate[5]);
      const distance = Math.abs(dt) * hypot(rate[0], rate[1], rate[2]);
      way += Math.max(turn / STRIDE, distance / (REACH * h.length));
    }
  }
  return Math.max(1, Math.ceil(way));
}

/**
 * Finds the equilibrium at t of a rod that is held at both ends, by following the motion of its pins since the last equilibrium, so that no turn of a
 * clamp is lost. `settle` finds the equilibrium with the pins at a given time, to a tolerance.
 */
export function followPins(
  h: HelixRod,
  w: Workspace,
  t: number,
  settle: (t: number, tolerance?: number) => NewtonResult,
): NewtonResult {
  const from = h.rootTime;
  const first = 1 / countIncrements(h, from, t);
  const { last, iterations } = takeIncrements(
    {
      solve(share) {
        const now = share === 1 ? t : from + share * (t - from);
        placeRoot(h, now);
        w.kappaBefore.set(h.q);
        return { ...settle(now, share < 1 ? 1e-6 : undefined) };
      },
      ...createHolder(h),
    },
    { first, growth: 1, division: 4, least: SMALLEST_PART * first },
  );
  return { ...last, iterations };
}
