/**
 * Newton's method with Levenberg's shift on Φ, by the exact second derivative.
 *
 * In the variables √(K l) κ the elastic part of the Hessian is the identity, so the shift is a multiple of the elastic stiffness and needs no scale. A
 * matrix that is not positive definite is shifted until it is; a step that does not reduce the energy as the quadratic model predicts is repeated with a
 * larger shift. The rotation per step is limited, and a rod that makes slow progress in a plane is pushed out of it.
 *
 * Near the minimum, energies cannot distinguish a good step from a bad one. So a step whose predicted gain is below the noise (`energyNoise`) is accepted,
 * and the residual decides. Reasons and measurements: docs/notes/helix.md#newtons-method.
 */

import { hypot, sin } from '../../math/rounded/index.ts';
import type { NewtonResult } from '../../statics/search.ts';
import {
  collectGradient,
  evaluateEnergy,
  evaluateLoads,
  fillAssembly,
  fillDiagonal,
  measureBlur,
  measureElasticScale,
  measureResidual,
  type Stage,
  type Workspace,
} from './energy.ts';
import { curveStep, steerHold, stiffenHold } from './holdSolve.ts';
import { poseRod, writeAllJacobians } from './kinematics.ts';
import { type HelixBody, hasLiveLoads } from './rod.ts';
import { factorRod, solveRod } from './sweep.ts';

export interface NewtonOptions {
  /** Stop when the residual is below tolerance × force scale. */
  readonly tolerance: number;
  readonly iterations: number;
  /** Largest total rotation of the elements in one step [rad]. */
  readonly rotation: number;
  /** True if a rod that makes slow progress in a plane in which it is unstable is pushed out of it. Default true. */
  readonly leavesPlanes?: boolean;
}

/** Halvings (of the logarithm) between a shift that is too small and one four times as large. */
const REFINEMENTS = 2;
/** Part of the predicted gain below which the step of a held rod is bent along the motions that keep its end. */
const CURVED = 0.75;
/** Steps with an indefinite matrix in a row before the penalty of a held end grows. */
const STIFFENING = 3;
/** Steps with an indefinite matrix in a row before a push, and its size [rad]. */
const PATIENCE = 5;
const KICK = 0.2;

export const createResult = (reason: string): NewtonResult => ({
  converged: false,
  iterations: 0,
  shifts: 0,
  residual: 0,
  tolerance: 0,
  reason,
});

const result = createResult('');

/** Brings `h.q` to a minimum of the stage; on failure `h.q` is the best point found. The pose is that of `h.q`. */
export function solveStage(h: HelixBody, w: Workspace, stage: Stage, options: NewtonOptions): NewtonResult {
  const { q } = h;
  result.converged = false;
  result.iterations = 0;
  result.shifts = 0;
  result.reason = `Newton's method did not converge in ${options.iterations} iterations`;
  let shift = 0;
  let counted = 0;
  let indefinite = 0;
  poseRod(h, q);
  measureBlur(h, w);
  if (!evaluateLoads(h, w, stage)) return fail('a load is not a finite number');
  // a torque has no potential: its work is frozen where it was evaluated, and has to follow
  const live = hasLiveLoads(h) || w.assembly.hasEdgeMoment;
  let energy = evaluateEnergy(h, w, stage);
  if (!Number.isFinite(energy)) return fail('the rod is not in a finite place');
  let last = Number.POSITIVE_INFINITY;
  let drowned = false;
  for (;;) {
    writeAllJacobians(h);
    fillAssembly(h, w, stage);
    counted = result.shifts;
    shift = factorShifted(h, w, stage, shift);
    if (!(shift < 1e24)) return fail('no shift makes the matrix positive definite');
    let residual = collectGradient(h, w, stage);
    const held = h.hold && steerHold(h, w, h.hold);
    if (held) {
      energy += held.energy;
      residual = measureResidual(h, w);
    }
    const elastic = measureElasticScale(h, stage.rate);
    result.residual = residual;
    result.tolerance = options.tolerance * (w.forceScale + elastic.force) + elastic.rounding + w.rounding;
    if (!(residual < Number.POSITIVE_INFINITY)) return fail('the residual is not a finite number');
    const isThere = held?.isThere !== false;
    if (residual <= result.tolerance && isThere) {
      result.converged = true;
      return result;
    }
    // as far as rounding lets it go
    if (isThere && drowned && residual <= 1e3 * result.tolerance && residual > 0.5 * last && shift === 0 && !live) {
      result.converged = true;
      return result;
    }
    last = residual;
    if (result.iterations >= options.iterations) return result;
    indefinite = result.shifts > counted ? indefinite + 1 : 0;
    if (h.hold && indefinite > 0 && indefinite % STIFFENING === 0 && stiffenHold(h.hold))
      energy = evaluateEnergy(h, w, stage);
    // a straight rod that is pushed together has no equilibrium on its line
    const isStuck = held?.isFree === false && residual <= result.tolerance;
    if ((indefinite > PATIENCE && options.leavesPlanes !== false) || isStuck) {
      kick(h, w);
      indefinite = 0;
      energy = evaluateEnergy(h, w, stage);
      result.iterations++;
      continue;
    }
    const outcome = stepFrom(h, w, stage, options, energy, shift);
    shift = outcome.shift;
    drowned = outcome.drowned;
    result.iterations++;
    if (!outcome.moved) return fail('no step lowers the energy');
    energy = outcome.energy;
    if (live) {
      if (!evaluateLoads(h, w, stage)) return fail('a load is not a finite number');
      energy = evaluateEnergy(h, w, stage);
    }
  }
}

/**
 * A rod that stays in a plane by symmetry may be unstable out of it: nothing pushes it there, but the matrix stays indefinite
 * and every step is short. After some such steps in a row it is pushed along its softest direction, downhill if either way is.
 */
function kick(h: HelixBody, w: Workspace): void {
  const { q, stiffness, elementLength, elementCount } = h;
  const { step, gradient } = w;
  for (let d = 0; d < q.length; d++) step[d] = (sin(1 + 0.7 * d) + 0.3 * sin(0.1 * d)) * Math.sqrt(stiffness[d]);
  for (let round = 0; round < 8; round++) {
    solveRod(h, w.assembly, step);
    let norm = 0;
    for (let d = 0; d < q.length; d++) norm += stiffness[d] * step[d] * step[d];
    const scale = 1 / Math.sqrt(norm);
    for (let d = 0; d < q.length; d++) step[d] *= round < 7 ? scale * stiffness[d] : scale;
  }
  let slope = 0;
  let turn = 0;
  for (let e = 0; e < elementCount; e++) {
    turn += elementLength[e] * hypot(step[3 * e], step[3 * e + 1], step[3 * e + 2]);
    for (let d = 3 * e; d < 3 * e + 3; d++) slope += gradient[d] * step[d];
  }
  const size = (slope > 0 ? -KICK : KICK) / turn;
  for (let d = 0; d < q.length; d++) q[d] += size * step[d];
  poseRod(h, q);
}

function fail(reason: string): NewtonResult {
  result.reason = reason;
  return result;
}

/**
 * Factors with a shift that makes the matrix positive definite: `first` if that will do, else one that is hardly more than
 * needed: twice what is needed creeps away from saddles, and factors are cheap.
 */
function factorShifted(h: HelixBody, w: Workspace, stage: Stage, first: number): number {
  let high = first;
  let low = -1;
  while (!factorWith(h, w, stage, high)) {
    result.shifts++;
    low = high;
    high = Math.max(4 * high, 1e-2);
    if (!(high < 1e24)) return high;
  }
  if (low < 0) return high;
  let factored = high;
  for (let k = 0; k < REFINEMENTS; k++) {
    const middle = low > 0 ? Math.sqrt(low * high) : 0.25 * high;
    factored = middle;
    if (factorWith(h, w, stage, middle)) high = middle;
    else low = middle;
  }
  if (factored !== high) factorWith(h, w, stage, high);
  return high;
}

function factorWith(h: HelixBody, w: Workspace, stage: Stage, shift: number): boolean {
  fillDiagonal(h, w, stage, shift);
  return factorRod(h, w.assembly, true, true);
}

const outcome = { moved: false, drowned: false, shift: 0, energy: 0 };

/** One accepted step from the factored point, with more and more shift until the energy goes down as promised. */
function stepFrom(
  h: HelixBody,
  w: Workspace,
  stage: Stage,
  options: NewtonOptions,
  energy: number,
  firstShift: number,
): typeof outcome {
  const { q, stiffness, elementLength, elementCount } = h;
  const { step, gradient, trial } = w;
  let shift = firstShift;
  outcome.moved = false;
  for (let tries = 0; tries < 60; tries++) {
    for (let d = 0; d < q.length; d++) step[d] = -gradient[d];
    solveRod(h, w.assembly, step);
    let slope = 0;
    let metric = 0;
    let turn = 0;
    for (let e = 0; e < elementCount; e++) {
      let size = 0;
      for (let d = 3 * e; d < 3 * e + 3; d++) {
        slope += gradient[d] * step[d];
        metric += stiffness[d] * step[d] * step[d];
        size += step[d] * step[d];
      }
      turn += elementLength[e] * Math.sqrt(size);
    }
    const part = turn > options.rotation ? options.rotation / turn : 1;
    // m(s) = s g·p + ½ s² pᵀHp with Hp = −g − λKp
    const predicted = -part * slope + 0.5 * part * part * (slope + shift * metric);
    for (let d = 0; d < q.length; d++) trial[d] = q[d] + part * step[d];
    poseRod(h, trial);
    let next = evaluateEnergy(h, w, stage);
    if (h.hold && !(energy - next > CURVED * predicted) && curveStep(h, w, h.hold, part))
      next = evaluateEnergy(h, w, stage);
    const ratio = (energy - next) / predicted;
    const noise = w.energyNoise;
    const drowned = predicted <= 1e2 * noise;
    if (ratio > 1e-4 || (drowned && next - energy <= 4 * noise)) {
      q.set(trial);
      outcome.moved = true;
      outcome.drowned = drowned;
      outcome.energy = next;
      if (ratio > 0.75 || drowned) shift = shift / 8 < 1e-4 ? 0 : shift / 8;
      else if (ratio < 0.25) shift = Math.max(4 * shift, 1e-2);
      outcome.shift = shift;
      return outcome;
    }
    poseRod(h, q);
    shift = factorShifted(h, w, stage, Math.max(4 * shift, 1e-2));
    // the sweep wrote the gradient of the energy's outer part anew: the same numbers
    if (!(shift < 1e24)) break;
  }
  outcome.shift = shift;
  return outcome;
}
