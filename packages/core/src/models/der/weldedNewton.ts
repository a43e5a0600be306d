/**
 * Newton for rods and the bodies they are welded to; a part of the model that programs without bodies leave out.
 *
 * A welded node moves with its body: x = r + R a, and its held frame turns with it. The body's displacement and rotation
 * (δr, φ) are the unknowns; the node's are slaved, δx = δr + φ × Ra. Each rod is eliminated by its own banded factor,
 *     S = C − B K⁻¹ Bᵀ   (6 rows of B for each weld),
 * which leaves a small dense system of all bodies. So the cost stays linear in the nodes, forces and torques are exchanged without delay, and momentum
 * passes from rod to body exactly.
 *
 * NOTE: the second-order terms of the weld use the true gradient at the node; with the augmentation k·rl in it Newton
 * breaks down. The rotation block of a body is s²·I; what its spin adds is in gyroscopic.ts.
 */

import { newtonConstants } from '../../constants.ts';
import { clearBand, fixUnknown } from '../../linalg/bandMatrix.ts';
import { factorDense, solveDense } from '../../linalg/dense.ts';
import { factorSparse, solveSparse } from '../../linalg/sparse.ts';
import { hypot } from '../../math/rounded/index.ts';
import type { NewtonResult } from '../../statics/search.ts';
import { dependsOnState, subtractSymmetricPart } from '../loadJacobian.ts';
import { type MixedProblem, type NewtonOptions, solveMixed } from '../mixedNewton.ts';
import { moveBody, writeLoadStiffness } from './body.ts';
import { hasFollowers, refineForFollowers } from './coupledFollow.ts';
import { addWeldResiduals, poseSystem } from './coupling.ts';
import { eliminate, substituteBack } from './elimination.ts';
import { refineSpin } from './gyroscopic.ts';
import { writeHeldTorque } from './held.ts';
import { limitStep, measureConvergence, NO_LENGTH, takeStep, writeRightSide } from './newton.ts';
import type { DerRod } from './rod.ts';
import { evaluateStage, lastTrouble, type Stage, setPenalties, type Workspace } from './stage.ts';
import { measureLoads } from './tangent.ts';
import { addOuter, assembleTies, type System } from './welds.ts';

/** Contribution of loads to a body's rotation block, 3 × 3. */
const rotationBlock = new Float64Array(9);

/** Factors the bodies' matrix; returns its negative pivots, −1 if it is not a number. */
function factorOuter({ outer, bodies, sparse }: System): number {
  const n = 6 * bodies.length;
  if (!sparse) {
    const { positive, negative } = factorDense(outer, n, 3);
    return positive ? 0 : negative || -1;
  }
  const { row, column, slot, values, scale, factor } = sparse;
  for (let k = 0; k < row.length; k++) values[slot[k]] = outer[row[k] * n + column[k]];
  // rounding is judged by the largest of the three unknowns of one kind, as in the dense factor
  for (let i = 0; i < n; i += 3)
    scale.fill(Math.max(Math.abs(values[i]), Math.abs(values[i + 1]), Math.abs(values[i + 2])), i, i + 3);
  return factorSparse(factor, values, 1e-10, scale) ? factor.negative : -1;
}

/** Largest unbalanced force and torque on a body, along its free axes, relative to the tolerance of its rods. */
function bodiesBalance(system: System, stage: Stage, tolerance: number, length: number, result: NewtonResult): boolean {
  let balanced = true;
  for (const { body, mass, inertia, residual, position, momentum } of system.bodies) {
    const extent = hypot(position[0], position[1], position[2]) + length;
    const floor = 1e-14 * (mass * stage.inertia * extent);
    const spin =
      1e-14 * stage.rate * hypot(momentum[0], momentum[1], momentum[2]) +
      1e-15 * stage.inertia * (inertia[0] + inertia[4] + inertia[8]);
    for (let k = 0; k < 6; k++) {
      if (!body.free[k]) continue;
      const size = Math.abs(residual[k]);
      const limit = k < 3 ? Math.max(tolerance, floor) : Math.max(tolerance * length, spin);
      if (!(size <= limit)) balanced = false;
      result.residual = Math.max(result.residual, k < 3 ? size : size / length);
    }
  }
  return balanced;
}

/** The bodies' own part of their equations. */
export function startOuter(system: System, stage: Stage): void {
  system.outer.fill(0);
  system.outerRight.fill(0);
  system.bodies.forEach((body, b) => {
    const { mass, worldInertia } = body;
    writeLoadStiffness(rotationBlock, body, stage.t);
    for (let k = 0; k < 3; k++) {
      addOuter(system, 6 * b + k, 6 * b + k, stage.inertia * mass);
      for (let m = 0; m < 3; m++)
        addOuter(
          system,
          6 * b + 3 + k,
          6 * b + 3 + m,
          stage.inertia * worldInertia[3 * k + m] + rotationBlock[3 * k + m],
        );
    }
  });
}

/** Removes locked axes from the bodies' equations. */
export function lockAxes(system: System): void {
  const n = 6 * system.bodies.length;
  const { outer, outerRight } = system;
  system.bodies.forEach(({ body }, b) => {
    for (let k = 0; k < 6; k++) {
      const i = 6 * b + k;
      if (body.free[k]) continue;
      for (let j = 0; j < n; j++) {
        outer[i * n + j] = 0;
        outer[j * n + i] = 0;
      }
      outer[i * n + i] = 1;
      outerRight[i] = 0;
    }
  });
}

function solveFactored({ outer, bodies, sparse }: System, x: Float64Array): void {
  if (sparse) solveSparse(sparse.factor, x);
  else solveDense(outer, 6 * bodies.length, x);
}

/** Solves the bodies' equations for their steps; shifts the diagonal if necessary. */
function solveOuter(system: System, shift: number, rate: number): boolean {
  const n = 6 * system.bodies.length;
  const { outer, outerRight, outerShift } = system;
  lockAxes(system);
  // symmetric up to rounding; the factor reads the lower triangle
  for (let i = 0; i < n; i++) {
    outerShift[i] = shift * Math.abs(outer[i * n + i]);
    outer[i * n + i] += outerShift[i];
  }
  if (factorOuter(system) !== 0) return false;
  system.outerSaved.set(outerRight);
  solveFactored(system, outerRight);
  if (rate > 0) refineSpin(system, system.outerSaved, rate, solveFactored);
  return true;
}

/** Residuals and matrices of all rods at the current state. */
function assembleMembers({ members }: System, stage: Stage): void {
  for (const { der, work } of members) {
    clearBand(work.matrix);
    evaluateStage(der, work, stage, work.matrix);
    addLoadStiffness(der, work, stage);
  }
}

/** At rest: symmetric part of the load Jacobian; coupledFollow.ts adds the other. In time steps inertia keeps the iteration convergent without it. */
function addLoadStiffness(der: DerRod, work: Workspace, stage: Stage): void {
  work.loadJacobian.asymmetry = 0;
  if (stage.rate > 0 || !dependsOnState(der.drive)) return;
  measureLoads(der, work, stage.t);
  subtractSymmetricPart(work.matrix, work.loadJacobian);
}

/** Computes residuals of all rods, and their matrices if requested; writes the scale of each rod's forces. */
function evaluateMembers({ members, bodies }: System, stage: Stage, withMatrix: boolean, scales: Float64Array): string {
  // a body's weight is a load of its rods
  let weight = 0;
  for (const { residual } of bodies) weight += Math.abs(residual[0]) + Math.abs(residual[1]) + Math.abs(residual[2]);
  for (let m = 0; m < members.length; m++) {
    const { der, work } = members[m];
    if (withMatrix) clearBand(work.matrix);
    scales[m] = evaluateStage(der, work, stage, withMatrix ? work.matrix : undefined) + weight;
    if (Number.isNaN(scales[m])) return lastTrouble();
    if (withMatrix) addLoadStiffness(der, work, stage);
  }
  return '';
}

/** True if forces balance on every rod and body. The residual is the largest of all; the tolerance is that of the rod with the largest. */
function systemBalances(
  system: System,
  stage: Stage,
  { scales, tolerance }: { readonly scales: Float64Array; readonly tolerance: number },
  result: NewtonResult,
): boolean {
  let balanced = true;
  let limit = 0;
  let length = 0;
  let residual = 0;
  system.members.forEach(({ der, work }, m) => {
    if (!measureConvergence(der, work, stage, scales[m], tolerance, result)) balanced = false;
    limit = Math.max(limit, result.tolerance);
    residual = Math.max(residual, result.residual);
    length = Math.max(length, der.rod.length);
  });
  result.residual = residual;
  result.tolerance = limit;
  addWeldResiduals(system, stage.rate);
  return bodiesBalance(system, stage, limit, length, result) && balanced;
}

/** Right-hand side of a rod and its ties to the bodies, without its prescribed unknowns. */
export function assembleMember(system: System, member: System['members'][number], rateScale: number): void {
  const { der, work } = member;
  writeRightSide(der, work);
  assembleTies(system, member, { elastic: true, rateScale });
  for (let d = 0; d < der.size; d++) {
    if (!der.fixed[d]) continue;
    fixUnknown(work.matrix, d);
    work.step[d] = 0;
  }
}

/** Eliminates the rods and solves for the bodies; returns false if a matrix with this shift is not positive definite. */
function eliminateRods(system: System, stage: Stage, shift: number): boolean {
  const { members, bodies } = system;
  startOuter(system, stage);
  // the rods' part is added with their ties
  for (let b = 0; b < bodies.length; b++)
    for (let k = 0; k < 6; k++) system.outerRight[6 * b + k] -= bodies[b].ownResidual[k];
  for (const member of members) {
    assembleMember(system, member, stage.rate);
    if (!eliminate(system, member, shift, 'stop-at-negative')) return false;
  }
  return solveOuter(system, shift, stage.rate);
}

/** Fraction of the step that turns no edge and no body by more than `rotation`. */
function limitSystemStep({ members, bodies, outerRight }: System, rotation: number): number {
  let fraction = 1;
  for (const { der, work } of members) fraction = Math.min(fraction, limitStep(der, work.step, rotation));
  for (let b = 0; b < bodies.length; b++) {
    const o = 6 * b + 3;
    const turn = hypot(outerRight[o], outerRight[o + 1], outerRight[o + 2]);
    if (turn * fraction > rotation) fraction = rotation / turn;
  }
  return fraction;
}

/** One stage of a system with bodies. */
function createSystemProblem(system: System, stage: Stage, options: NewtonOptions): MixedProblem {
  const { members, bodies } = system;
  const scales = new Float64Array(members.length);
  return {
    smallMove: newtonConstants.SMALL_LEAST,
    pose: (isFirst) => (poseSystem(system, stage, isFirst) ? '' : NO_LENGTH),
    evaluate: (withMatrix) => evaluateMembers(system, stage, withMatrix, scales),
    hasConverged: (result) => systemBalances(system, stage, { scales, tolerance: options.tolerance }, result),
    assemble: () => assembleMembers(system, stage),
    solve(shift, attempt) {
      // the attempt before has overwritten fixed rows
      if (attempt > 0) assembleMembers(system, stage);
      if (!eliminateRods(system, stage, shift)) return false;
      for (const member of members) substituteBack(system, member);
      if (stage.rate === 0 && stage.inertia === 0 && hasFollowers(system))
        refineForFollowers(system, shift, options.unshift ?? false, solveFactored);
      return true;
    },
    limitStep: () => limitSystemStep(system, options.rotation),
    takeStep(fraction) {
      let largest = 0;
      for (const { der, work } of members) largest = Math.max(largest, takeStep(der, work, fraction));
      for (let b = 0; b < bodies.length; b++) moveBody(bodies[b], system.outerRight, 6 * b, fraction);
      return largest;
    },
  };
}

/** Negative eigenvalues of the whole system's tangent stiffness: those of the rods with welds fixed, plus those of the condensed matrix. */
export function countNegativePivots(system: System, t: number): number {
  const stage: Stage = { t, inertia: 0, rate: 0 };
  if (!poseSystem(system, stage)) return -1;
  startOuter(system, stage);
  let negative = 0;
  for (const member of system.members) {
    const { der, work } = member;
    clearBand(work.matrix);
    if (Number.isNaN(evaluateStage(der, work, stage, work.matrix))) return -1;
    addLoadStiffness(der, work, stage);
    writeHeldTorque(member.heldTorque, der);
    writeRightSide(der, work);
    assembleTies(system, member, { elastic: true, rateScale: stage.rate });
    for (let d = 0; d < der.size; d++) if (der.fixed[d]) fixUnknown(work.matrix, d);
    eliminate(system, member, 1e-12, 'count-negative');
    negative += member.order.factor.negative;
  }
  lockAxes(system);
  return negative + Math.max(0, factorOuter(system));
}

/** Solves one stage of a system with bodies, see `solveMixed`. */
export function solveWelded(system: System, stage: Stage, options: NewtonOptions): NewtonResult {
  for (const { der, work } of system.members) setPenalties(der, work, stage.inertia);
  return solveMixed(createSystemProblem(system, stage, options), options);
}
