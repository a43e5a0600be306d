/**
 * The equations of an implicit stage of a rod, as the shared Newton method (mixedNewton.ts) solves them.
 *
 * Unknowns q and the edge tensions λ. One stage solves
 *     c·M(q − q̂) + ∇E(q) + damping − loads + Σ λ_j ∇|e_j| = 0,     |e_j| − ē_j − λ_j/k_j = 0,   k_j = EA/ē_j,
 * with velocities v = s·(q − q̃) of the stage. λ is condensed, so that the matrix keeps the band of bending alone:
 *     K = H + Σ k t tᵀ + (λ/|e|)(I − t tᵀ),   K dq = −r − Aᵀ(k·rl),   dλ = k(A dq + rl).
 * Tension as a separate unknown makes stiff rods cheap: 8 iterations for EA from 1e3 to 1e9 EI/L², where Newton on positions alone stalls from 1e5 on. An
 * inextensible edge drops λ/k from its equation; k is then a penalty, 1e6 times all other stiffness, that only affects the speed of convergence.
 */

import { newtonConstants } from '../../constants.ts';
import { factorBand, solveBand } from '../../linalg/band.ts';
import { clearBand, fixUnknown } from '../../linalg/bandMatrix.ts';
import type { NewtonResult } from '../../statics/search.ts';
import { dependsOnState, solveUnsymmetric, subtractSymmetricPart } from '../loadJacobian.ts';
import { type MixedProblem, type NewtonOptions, solveMixed } from '../mixedNewton.ts';
import { followCenterline } from './kinematics.ts';
import type { DerRod } from './rod.ts';
import { evaluateLoads, evaluateStage, lastTrouble, type Stage, setPenalties, type Workspace } from './stage.ts';
import { measureLoads } from './tangent.ts';

const { RESIDUAL_ROUNDING, LENGTH_ROUNDING, LENGTH_FACTOR, LENGTH_LEAST, SMALL_LEAST, SMALL_SQUARE } = newtonConstants;

/** Reference for the residual: forces, and torques as forces on a lever of the rod's length. */
export function measureConvergence(
  der: DerRod,
  work: Workspace,
  stage: Stage,
  scale: number,
  tolerance: number,
  result: NewtonResult,
): boolean {
  const { size, q, mass, fixed, stiffnessScale, rod, edgeCount } = der;
  const { residual, edgeError, edgePenalty } = work;
  let extent = rod.length;
  let floor = 0;
  let largest = 0;
  let largestTorque = 0;
  let bending = 0;
  let damping = 0;
  for (let i = 0; i < der.joints.count; i++) damping = Math.max(damping, der.joints.damping[i]);
  for (let d = 0; d < size; d++) {
    const r = Math.abs(residual[d]);
    if ((d & 3) === 3) {
      if (r > largestTorque) largestTorque = r;
      continue;
    }
    const x = Math.abs(q[d]);
    if (x > extent) extent = x;
    const k = stiffnessScale[d] * (1 + stage.rate * damping) + stage.inertia * mass[d];
    if (k > floor) floor = k;
    if (stiffnessScale[d] > bending) bending = stiffnessScale[d];
    if (!fixed[d] && !(r <= largest)) largest = r;
  }
  // EI/L² is the force that bends the whole rod; rounding of positions sets the floor
  const l = rod.length;
  const edge = l / edgeCount;
  const elastic = (bending * edge * edge * edge) / (l * l);
  const limit = Math.max(tolerance * Math.max(scale, elastic), RESIDUAL_ROUNDING * floor * extent);
  result.tolerance = limit;
  result.residual = Math.max(largest, largestTorque / l);
  if (!(largest <= limit && largestTorque <= limit * l)) return false;
  for (let j = 0; j < edgeCount; j++) {
    const error = Math.abs(edgeError[j]);
    const rounding = LENGTH_ROUNDING * extent * work.edgeViscous[j];
    const stretch = lengthTolerance(tolerance, der.edgeStiffness[j] < Infinity) * rod.edgeLengthRest[j];
    const strain = der.edgeStiffness[j] < Infinity ? limit / edgePenalty[j] : 0;
    if (!(error <= Math.max(strain, stretch, rounding))) return false;
  }
  return true;
}

/**
 * Admissible deviation of an edge's length from ē + λ/k, relative to ē. Forces are balanced with λ, so this is an error of the length alone. A rotation
 * by δ leaves ½δ²: √20·tolerance may be left to turn. With the accuracy of λ/k instead, hair of tolerance 1e-3 took a third iteration per stage to
 * reduce length errors from 2e-6 to 1e-10, with the forces balanced after the first. At the default tolerance nothing is lost: with 1e-11 a ball on
 * damped beams did not come to rest.
 */
function lengthTolerance(tolerance: number, extensible: boolean): number {
  const turned = LENGTH_FACTOR * tolerance * tolerance;
  return extensible ? turned : Math.max(LENGTH_LEAST, turned);
}

/** After a move below this the residual alone will most likely suffice: lengths are then off by half its square. */
export function smallMove(tolerance: number): number {
  return Math.max(SMALL_LEAST, Math.sqrt(SMALL_SQUARE) * tolerance);
}

/** Limits the step so that no edge turns by more than `rotation`; returns the fraction. */
export function limitStep(der: DerRod, step: Float64Array, rotation: number): number {
  const { edgeCount, nodeCount, edgeTangent, edgeLength } = der;
  const broken = der.breaking?.broken;
  let largest = 0;
  for (let j = 0; j < edgeCount; j++) {
    if (broken && broken[j] === 1) continue;
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    const x = step[b] - step[a];
    const y = step[b + 1] - step[a + 1];
    const z = step[b + 2] - step[a + 2];
    const along = x * edgeTangent[3 * j] + y * edgeTangent[3 * j + 1] + z * edgeTangent[3 * j + 2];
    const across = Math.sqrt(Math.max(0, x * x + y * y + z * z - along * along)) / edgeLength[j];
    largest = Math.max(largest, across, Math.abs(step[a + 3]), -along / edgeLength[j]);
  }
  return largest > rotation ? rotation / largest : 1;
}

/** Right-hand side −r − Aᵀ(k·rl) of the Newton equation, into work.step. */
export function writeRightSide(der: DerRod, work: Workspace): void {
  const { size, edgeCount, nodeCount, edgeTangent } = der;
  const { step, residual, edgePenalty, edgeError } = work;
  for (let d = 0; d < size; d++) step[d] = -residual[d];
  for (let j = 0; j < edgeCount; j++) {
    const pull = edgePenalty[j] * edgeError[j];
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    for (let k = 0; k < 3; k++) {
      step[a + k] += pull * edgeTangent[3 * j + k];
      step[b + k] -= pull * edgeTangent[3 * j + k];
    }
  }
}

/** Adds `fraction` of work.step to q, and of the corresponding change to λ; returns the largest relative move of an edge. */
export function takeStep(der: DerRod, work: Workspace, fraction: number): number {
  const { size, q, edgeCount, nodeCount, edgeTangent, edgeTension, edgeLength } = der;
  const { step, edgePenalty, edgeError, edgeViscous } = work;
  let largest = 0;
  for (let j = 0; j < edgeCount; j++) {
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    const o = 3 * j;
    const x = step[b] - step[a];
    const y = step[b + 1] - step[a + 1];
    const z = step[b + 2] - step[a + 2];
    const along = x * edgeTangent[o] + y * edgeTangent[o + 1] + z * edgeTangent[o + 2];
    edgeTension[j] += fraction * edgePenalty[j] * (edgeViscous[j] * along + edgeError[j]);
    const move = Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) / edgeLength[j];
    if (move > largest) largest = move;
    const turn = Math.abs(step[a + 3]);
    if (turn > largest) largest = turn;
  }
  for (let d = 0; d < size; d++) q[d] += fraction * step[d];
  return largest;
}

/** Why `followCenterline` failed. */
export const NO_LENGTH: string = 'an edge has no length or a position is not a number';

/** One stage of a single rod. */
function createStageProblem(der: DerRod, work: Workspace, stage: Stage, options: NewtonOptions): MixedProblem {
  const { size, q, v, fixed } = der;
  const { matrix, factor, step, qRate } = work;
  const loadsDependOnState = dependsOnState(der.drive);
  let scale = 0;
  return {
    smallMove: smallMove(options.tolerance),
    pose(isFirst) {
      if (!followCenterline(der, work.edgeWork)) return NO_LENGTH;
      for (let d = 0; d < size; d++) if (!fixed[d] || stage.rate === 0) v[d] = stage.rate * (q[d] - qRate[d]);
      if (loadsDependOnState || isFirst) evaluateLoads(der, stage.t);
      return '';
    },
    evaluate(withMatrix) {
      if (withMatrix) clearBand(matrix);
      scale = evaluateStage(der, work, stage, withMatrix ? matrix : undefined);
      return Number.isNaN(scale) ? lastTrouble() : '';
    },
    hasConverged: (result) => measureConvergence(der, work, stage, scale, options.tolerance, result),
    assemble() {
      clearBand(matrix);
      evaluateStage(der, work, stage, matrix);
    },
    prepare() {
      writeRightSide(der, work);
      for (let d = 0; d < size; d++) if (fixed[d]) step[d] = 0;
      const needsJacobian = loadsDependOnState && stage.rate === 0 && der.loadFactor > 0;
      if (needsJacobian) measureLoads(der, work, stage.t);
      // at rest and with follower loads, the whole unsymmetric matrix makes Newton quadratic
      if (needsJacobian && stage.inertia === 0 && !der.rod.closed && solveUnsymmetric(fixed, work) !== 0) return true;
      if (needsJacobian) subtractSymmetricPart(matrix, work.loadJacobian);
      for (let d = 0; d < size; d++) if (fixed[d]) fixUnknown(matrix, d);
      return false;
    },
    solve(shift) {
      if (!factorBand(factor, matrix, shift, der.stiffnessScale, 'stop-at-negative')) return false;
      solveBand(factor, matrix, step);
      return true;
    },
    limitStep: () => limitStep(der, step, options.rotation),
    takeStep: (fraction) => takeStep(der, work, fraction),
  };
}

/** Solves the stage from the current q, λ (prescribed unknowns already in place), see `solveMixed`. */
export function solveStage(der: DerRod, work: Workspace, stage: Stage, options: NewtonOptions): NewtonResult {
  setPenalties(der, work, stage.inertia);
  return solveMixed(createStageProblem(der, work, stage, options), options);
}
