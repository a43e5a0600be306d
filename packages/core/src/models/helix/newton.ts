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
import { evaluateEnergy } from './potential.ts';
import { type HelixBody, loadsDependOnState } from './rod.ts';
import { factorRod, solveRod } from './sweep.ts';

export interface NewtonOptions {
  /** Stop when the residual is below tolerance × force scale. */
  readonly tolerance: number;
  readonly iterations: number;
  /** Largest total rotation of the elements in one step [rad]. */
  readonly rotation: number;
  /** True if a rod that makes slow progress in a plane in which it is unstable is pushed out of it. Default true. */
  readonly leavesPlanes?: boolean;
  /** False saves the evaluation after the last iteration, and whether the point has converged is then not known. Default true. */
  readonly checksLast?: boolean;
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

/** State of Newton's method on one stage, which changes from iteration to iteration. */
interface Descent {
  energy: number;
  /** Shift of the matrix. */
  shift: number;
  /** Iterations in a row with an indefinite matrix. */
  indefinite: number;
  residualBefore: number;
  /** True if rounding hid the energy change of the last step. */
  drowned: boolean;
}

/** Finds a minimum of the stage, into `h.q`; on failure `h.q` is the best point found. The pose is that of `h.q`. */
export function solveStage(h: HelixBody, w: Workspace, stage: Stage, options: NewtonOptions): NewtonResult {
  result.converged = false;
  result.iterations = 0;
  result.shifts = 0;
  result.reason = `Newton's method did not converge in ${options.iterations} iterations`;
  poseRod(h, h.q);
  measureBlur(h, w);
  if (!evaluateLoads(h, w, stage)) return fail('a load is not a finite number');
  // a torque has no potential: its work is frozen where it was evaluated, so it is evaluated again after each step
  const needsLoadUpdate = loadsDependOnState(h) || w.assembly.hasEdgeMoment;
  const energy = evaluateEnergy(h, w, stage);
  if (!Number.isFinite(energy)) return fail('a position of the rod is not a finite number');
  const descent = { energy, shift: 0, indefinite: 0, residualBefore: Number.POSITIVE_INFINITY, drowned: false };
  for (;;) {
    const shiftsBefore = result.shifts;
    if (!linearizeStage(h, w, stage, descent)) return fail('no shift makes the matrix positive definite');
    const held = writeResidual(h, w, stage, options.tolerance, descent);
    if (!(result.residual < Number.POSITIVE_INFINITY)) return fail('the residual is not a finite number');
    const isThere = held?.isThere !== false;
    if (isThere && (result.residual <= result.tolerance || (!needsLoadUpdate && isAtRounding(descent)))) {
      result.converged = true;
      return result;
    }
    descent.residualBefore = result.residual;
    if (result.iterations >= options.iterations) return result;
    descent.indefinite = result.shifts > shiftsBefore ? descent.indefinite + 1 : 0;
    if (h.hold && descent.indefinite > 0 && descent.indefinite % STIFFENING === 0 && stiffenHold(h.hold))
      descent.energy = evaluateEnergy(h, w, stage);
    // a straight rod under end compression has no equilibrium on its line
    const isStuck = held?.isFree === false && result.residual <= result.tolerance;
    if ((descent.indefinite > PATIENCE && options.leavesPlanes !== false) || isStuck) {
      kick(h, w);
      descent.indefinite = 0;
      descent.energy = evaluateEnergy(h, w, stage);
      result.iterations++;
      continue;
    }
    const outcome = stepFrom(h, w, stage, options, descent.energy, descent.shift);
    descent.shift = outcome.shift;
    descent.drowned = outcome.drowned;
    result.iterations++;
    if (!outcome.moved) return fail('no step lowers the energy');
    descent.energy = outcome.energy;
    if (options.checksLast === false && result.iterations >= options.iterations) return result;
    if (needsLoadUpdate) {
      if (!evaluateLoads(h, w, stage)) return fail('a load is not a finite number');
      descent.energy = evaluateEnergy(h, w, stage);
    }
  }
}

/** Assembles and factors the matrix at the current pose; returns false if no shift makes it positive definite. */
function linearizeStage(h: HelixBody, w: Workspace, stage: Stage, descent: Descent): boolean {
  writeAllJacobians(h);
  fillAssembly(h, w, stage);
  descent.shift = factorShifted(h, w, stage, descent.shift);
  return descent.shift < 1e24;
}

/** Sets residual and tolerance in `result`; corrects the multipliers of a held end. Returns the state of the held end, if there is one. */
function writeResidual(
  h: HelixBody,
  w: Workspace,
  stage: Stage,
  tolerance: number,
  descent: Descent,
): ReturnType<typeof steerHold> | undefined {
  result.residual = collectGradient(h, w, stage);
  const held = h.hold && steerHold(h, w, h.hold);
  if (held) {
    descent.energy += held.energy;
    result.residual = measureResidual(h, w);
  }
  const elastic = measureElasticScale(h, stage.rate);
  result.tolerance = tolerance * (w.forceScale + elastic.force) + elastic.rounding + w.rounding;
  return held;
}

/** True if rounding prevents further progress. */
function isAtRounding({ drowned, residualBefore, shift }: Descent): boolean {
  const { residual, tolerance } = result;
  return drowned && residual <= 1e3 * tolerance && residual > 0.5 * residualBefore && shift === 0;
}

/**
 * A rod in a plane may be unstable out of it: by symmetry no force acts there, but the matrix stays indefinite and every step is short. After several
 * such steps in a row the rod is pushed along its softest direction, towards lower energy if one of the two signs gives that.
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
 * Factors with a shift that makes the matrix positive definite: `first` if that is enough, otherwise one only slightly larger than needed. With twice
 * the shift needed, Newton leaves saddles very slowly, and factors are cheap.
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
  return factorRod(h, w.assembly, 'stop-at-negative', 'geometric');
}

const outcome = { moved: false, drowned: false, shift: 0, energy: 0 };

/** One accepted step from the factored point; raises the shift until the energy falls as predicted. */
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
    // the sweep wrote the gradient of the outer part of the energy again: the same numbers
    if (!(shift < 1e24)) break;
  }
  outcome.shift = shift;
  return outcome;
}
