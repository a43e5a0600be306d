/**
 * Equilibria: mixed Newton first, loads in parts where it does not get through, then steps of steepest descent in the metric
 * of the stiffness scale until it does. The verdict on stability is the number of negative pivots of the tangent stiffness;
 * an unstable equilibrium is left along its softest direction.
 */
import { clearBand, factorBand, fixUnknown, solveBand } from '../../linalg/band.ts';
import type { EquilibriumOptions, EquilibriumReport } from '../../model.ts';
import {
  evaluatePins,
  measureStrain,
  moveBy,
  placeHeldFrames,
  placePinned,
  poseSamples,
  rememberHeldFrames,
  spreadHeldTwist,
} from './kinematics.ts';
import { subtractSymmetricPart } from './loadStiffness.ts';
import { measureLoads, type NewtonResult, solveStage, solveUnsymmetric } from './newton.ts';
import type { CosseratRod } from './rod.ts';
import { evaluateLoads, evaluateStage, type Stage, type Workspace } from './stage.ts';
import { returnToSnapshot, type Snapshot, takeSnapshot } from './step.ts';

const ROTATION = 0.5;
const atRest = (t: number): Stage => ({ t, rate: 0, descent: 0 });

function newtonFromHere(
  cos: CosseratRod,
  work: Workspace,
  t: number,
  tolerance: number,
  iterations: number,
  firstShift?: number,
): NewtonResult {
  return {
    ...solveStage(cos, work, atRest(t), {
      tolerance,
      iterations,
      rotation: ROTATION,
      ...(firstShift && { firstShift }),
    }),
  };
}

/** Descends for at most `count` accepted steps, each a well-posed minimisation; the step grows while it succeeds. */
function descend(cos: CosseratRod, work: Workspace, start: Snapshot, t: number, count: number): number {
  let descent = 1e-2;
  let iterations = 0;
  for (let accepted = 0, tries = 0; accepted < count && tries < 3 * count; tries++) {
    takeSnapshot(start, cos);
    work.base.set(cos.q);
    const stage: Stage = { t, rate: 0, descent };
    const newton = solveStage(cos, work, stage, { tolerance: 1e-6, iterations: 30, rotation: ROTATION });
    iterations += newton.iterations;
    if (newton.converged) {
      accepted++;
      descent /= 4;
      if (descent < 1e-12) break;
    } else {
      returnToSnapshot(cos, start);
      descent *= 16;
      if (descent > 1e8) break;
    }
  }
  return iterations;
}

/** Stretch and shear relative to bending that are stiff enough for n edges and no stiffer: more costs digits. */
export function stiffEnough(cos: CosseratRod): number {
  return Math.max(10, 1e3 * Math.min(1, (100 / cos.edgeCount) ** 2));
}

/**
 * Tangent stiffness at the present state, ∂f/∂q of the loads beside it in work.loadJacobian. Rigid edges get a stiffness that is
 * enough; so do, with `cap`, those that are stiffer: signs of soft eigenvalues would drown in the rounding of very stiff ones.
 * Such a stiffness is the same along all three axes, and the strain is made the one that its force would have, e3 + n/S: the
 * rod with that S is then in equilibrium with the same frames, and what costs no energy (free spin, rigid motion) still
 * costs none. (With ν = e3 a free spin has the eigenvalue −n²l/S, and counts as an instability.)
 */
export function assembleTangent(cos: CosseratRod, work: Workspace, t: number, cap: boolean): boolean {
  const { edgeStiffness, edgeForce, edgeStrain } = cos;
  const multiple = stiffEnough(cos);
  for (let j = 0; j < cos.edgeCount; j++) {
    const o = 3 * j;
    const force = Math.max(Math.abs(edgeForce[o]), Math.abs(edgeForce[o + 1]), Math.abs(edgeForce[o + 2]));
    // under tension the rod is stiffer than it bends: stretch and shear must stay well above that too
    const enough = multiple * cos.stiffnessScale[6 * j] * cos.rod.edgeLengthRest[j] + 1e5 * force;
    const stiffest = Math.max(edgeStiffness[o], edgeStiffness[o + 2]);
    const replace = stiffest === Infinity || (cap && stiffest > enough);
    for (let k = 0; k < 3; k++) {
      work.edgePenalty[o + k] = replace ? enough : edgeStiffness[o + k];
      if (replace) edgeStrain[o + k] = (k === 2 ? 1 : 0) + edgeForce[o + k] / enough;
    }
  }
  evaluateLoads(cos, t);
  clearBand(work.matrix);
  const scale = evaluateStage(cos, work, atRest(t), work.matrix);
  measureStrain(cos);
  if (Number.isNaN(scale)) return false;
  work.loadJacobian.asymmetry = 0;
  if (cos.drive.sources.some((source) => source.dependsOnState)) measureLoads(cos, work, t);
  return true;
}

/** Takes the symmetric part of ∂f/∂q from the tangent stiffness and fixes prescribed unknowns. */
export function closeTangent(cos: CosseratRod, work: Workspace): void {
  if (cos.drive.sources.some((source) => source.dependsOnState))
    subtractSymmetricPart(work.matrix, work.loadJacobian, cos);
  for (let d = 0; d < cos.size; d++) if (cos.fixed[d]) fixUnknown(work.matrix, d);
}

interface Verdict {
  readonly negativeModes: number;
  readonly criterion: 'energy' | 'divergence' | 'none';
}

const UNKNOWN: Verdict = { negativeModes: -1, criterion: 'none' };

/**
 * Below this, relative to the softer bending stiffness, an eigenvalue counts as zero. A closed rod under force does not close
 * with the strain that `assembleTangent` gives it, and its rigid rotations get eigenvalues of −n²l/S: they count as well.
 * (Settling the rod with that S first was tried: near a critical load Newton wanders off along the very mode in question.)
 */
function zeroModeShift(cos: CosseratRod, work: Workspace): number {
  let shift = Math.max(1e-4 / cos.edgeCount ** 4, 1e-15 * stiffEnough(cos));
  if (!cos.rod.closed) return shift;
  for (let j = 0; j < cos.edgeCount; j++) {
    const o = 3 * j;
    const square = cos.edgeForce[o] ** 2 + cos.edgeForce[o + 1] ** 2 + cos.edgeForce[o + 2] ** 2;
    const l = cos.rod.edgeLengthRest[j];
    shift = Math.max(shift, (4 * square * l) / (work.edgePenalty[o] * cos.softScale[6 * j]));
  }
  return shift;
}

/** Negative eigenvalues of the tangent stiffness; zero modes (free rigid motion, free spin) count as none. */
function judgeStability(cos: CosseratRod, work: Workspace, t: number): Verdict {
  if (!assembleTangent(cos, work, t, true)) return UNKNOWN;
  if (work.loadJacobian.asymmetry > 1e-4) {
    if (cos.rod.closed) return UNKNOWN;
    work.step.fill(0);
    const sign = solveUnsymmetric(cos, work);
    return { negativeModes: sign > 0 ? 0 : 1, criterion: 'divergence' };
  }
  closeTangent(cos, work);
  factorBand(work.factor, work.matrix, zeroModeShift(cos, work), cos.softScale, false);
  return { negativeModes: work.factor.negative, criterion: 'energy' };
}

/** Softest direction by inverse iteration with the shifted matrix; deterministic start. */
function findSoftDirection(cos: CosseratRod, work: Workspace, t: number): Float64Array {
  const { size, stiffnessScale, fixed } = cos;
  const x = new Float64Array(size);
  for (let d = 0; d < size; d++) x[d] = fixed[d] ? 0 : Math.sin(1 + 0.7 * d) + 0.3 * Math.sin(0.1 * d);
  if (!assembleTangent(cos, work, t, true)) return x;
  closeTangent(cos, work);
  // the smallest shift that makes the matrix positive definite lies just above the lowest eigenvalue's size
  let shift = 1e-9;
  while (!factorBand(work.factor, work.matrix, shift, stiffnessScale, true)) shift *= 1.5;
  for (let k = 0; k < 60; k++) {
    for (let d = 0; d < size; d++) x[d] = fixed[d] ? 0 : x[d] * stiffnessScale[d];
    solveBand(work.factor, work.matrix, x);
    let norm = 0;
    for (let d = 0; d < size; d++) if (d % 6 < 3) norm = Math.max(norm, Math.abs(x[d]));
    if (norm === 0) norm = 1;
    for (let d = 0; d < size; d++) x[d] /= norm;
  }
  return x;
}

/** Moves the rod along its softest direction, by `amplitude` of its length or until something turns by 0.3 rad. */
function nudge(cos: CosseratRod, work: Workspace, t: number, amplitude: number): void {
  const direction = findSoftDirection(cos, work, t);
  let largest = 1e-300;
  for (let j = 0; j < cos.edgeCount; j++) {
    const b = j + 1 < cos.nodeCount ? 6 * j + 6 : 0;
    for (let k = 0; k < 3; k++) {
      largest = Math.max(
        largest,
        Math.abs(direction[6 * j + 3 + k]),
        Math.abs(direction[b + k] - direction[6 * j + k]) / cos.rod.edgeLengthRest[j],
      );
    }
  }
  moveBy(cos, direction, Math.min(amplitude * cos.rod.length, 0.3 / largest));
  measureStrain(cos);
}

interface HeldPose {
  readonly tangent: Float64Array;
  readonly director: Float64Array;
  readonly twist: number;
}

/** Frame between two, made orthonormal again: fine for the small turns it is used for. */
function blendPose(cos: CosseratRod, from: readonly HeldPose[], to: readonly HeldPose[], w: number): void {
  cos.poses.forEach((pose, p) => {
    let size = 0;
    for (let k = 0; k < 3; k++) {
      pose.tangent[k] = (1 - w) * from[p].tangent[k] + w * to[p].tangent[k];
      pose.director[k] = (1 - w) * from[p].director[k] + w * to[p].director[k];
      size += pose.tangent[k] ** 2;
    }
    let along = 0;
    for (let k = 0; k < 3; k++) {
      pose.tangent[k] /= Math.sqrt(size);
      along += pose.tangent[k] * pose.director[k];
    }
    let width = 0;
    for (let k = 0; k < 3; k++) {
      pose.director[k] -= along * pose.tangent[k];
      width += pose.director[k] ** 2;
    }
    for (let k = 0; k < 3; k++) pose.director[k] /= Math.sqrt(width);
    pose.twist = (1 - w) * from[p].twist + w * to[p].twist;
  });
  placeHeldFrames(cos);
}

/** Moves pins to where they are at t in pieces that a Newton step can follow; returns the iterations it took. */
function bringPins(cos: CosseratRod, work: Workspace, start: Snapshot, t: number): number {
  const { pins, poses, q, rod, heldPin, heldMemory, fixed } = cos;
  const copy = (): HeldPose[] =>
    poses.map(({ tangent, director, twist }) => ({ tangent: tangent.slice(), director: director.slice(), twist }));
  const before = copy();
  heldPin.forEach((p, h) => {
    before[p] = { ...before[p], twist: heldMemory[5 * h + 4] };
  });
  evaluatePins(cos, t);
  const target = copy();
  const shortest = rod.edgeLengthRest.reduce((a, b) => Math.min(a, b), Infinity);
  const from = pins.map(({ node }) => q.slice(7 * node, 7 * node + 3));
  let pieces = 1;
  pins.forEach(({ node, orientation }, p) => {
    if (!poses[p].active) return;
    for (let k = 0; k < 3; k++)
      if (fixed[6 * node + k])
        pieces = Math.max(pieces, Math.abs(poses[p].position[k] - from[p][k]) / (0.3 * shortest));
    if (orientation === 'free') return;
    const cosine = [0, 1, 2].reduce((sum, k) => sum + before[p].tangent[k] * target[p].tangent[k], 0);
    const turn = Math.acos(Math.min(1, Math.max(-1, cosine)));
    pieces = Math.max(pieces, turn / 0.4, Math.abs(target[p].twist - before[p].twist) / (0.3 * cos.edgeCount));
  });
  pieces = Math.min(200, Math.ceil(pieces));
  let iterations = 0;
  for (let piece = 1; piece <= pieces; piece++) {
    const w = piece / pieces;
    pins.forEach(({ node }, p) => {
      if (!poses[p].active) return;
      for (let k = 0; k < 3; k++)
        if (fixed[6 * node + k]) q[7 * node + k] = (1 - w) * from[p][k] + w * poses[p].position[k];
    });
    if (pieces > 1) blendPose(cos, before, target, w);
    spreadHeldTwist(cos);
    rememberHeldFrames(cos);
    if (piece === pieces) break;
    takeSnapshot(start, cos);
    const newton = newtonFromHere(cos, work, t, 1e-4, 40);
    iterations += newton.iterations;
    if (!newton.converged) returnToSnapshot(cos, start);
  }
  evaluatePins(cos, t);
  placePinned(cos, false);
  measureStrain(cos);
  return iterations;
}

/** Newton, with loads in parts and then descent where it fails. */
function settle(
  cos: CosseratRod,
  work: Workspace,
  start: Snapshot,
  entry: Snapshot,
  t: number,
  tolerance: number,
  leaving: boolean,
): { newton: NewtonResult; iterations: number } {
  takeSnapshot(entry, cos);
  const shift = leaving ? Math.min(1e-7, 1 / cos.edgeCount ** 4) : undefined;
  let newton = newtonFromHere(cos, work, t, tolerance, 60, shift);
  let { iterations } = newton;
  if (!newton.converged && !leaving) {
    returnToSnapshot(cos, entry);
    for (let part = 1; part <= 10; part++) {
      cos.loadFactor = part / 10;
      newton = newtonFromHere(cos, work, t, part < 10 ? 1e-6 : tolerance, 60);
      iterations += newton.iterations;
      if (!newton.converged) break;
    }
    cos.loadFactor = 1;
  }
  for (let round = 0; !newton.converged && round < 6; round++) {
    if (round === 0) returnToSnapshot(cos, entry);
    measureStrain(cos);
    nudge(cos, work, t, 2e-3);
    iterations += descend(cos, work, start, t, 20);
    takeSnapshot(entry, cos);
    newton = newtonFromHere(cos, work, t, tolerance, 100, shift);
    iterations += newton.iterations;
    if (!newton.converged) returnToSnapshot(cos, entry);
  }
  return { newton, iterations };
}

export function findEquilibrium(
  cos: CosseratRod,
  work: Workspace,
  start: Snapshot,
  entry: Snapshot,
  t: number,
  options: EquilibriumOptions,
): EquilibriumReport {
  cos.v.fill(0);
  let iterations = bringPins(cos, work, start, t);
  let { newton, iterations: spent } = settle(cos, work, start, entry, t, options.tolerance, false);
  iterations += spent;
  let verdict = newton.converged ? judgeStability(cos, work, t) : UNKNOWN;
  let saddlesLeft = 0;
  while (newton.converged && verdict.negativeModes > 0 && options.stability === 'seek' && saddlesLeft < 8) {
    saddlesLeft++;
    // farther each time: close to a critical load the way back is short
    nudge(cos, work, t, 0.02 * saddlesLeft);
    iterations += descend(cos, work, start, t, 60);
    ({ newton, iterations: spent } = settle(cos, work, start, entry, t, options.tolerance, true));
    iterations += spent;
    verdict = newton.converged ? judgeStability(cos, work, t) : UNKNOWN;
  }
  cos.v.fill(0);
  cos.acceleration.fill(0);
  // at rest the acceleration is known: it is zero
  cos.history[0] = newton.converged ? 1 : 0;
  measureStrain(cos);
  poseSamples(cos);
  return {
    rod: cos.rod.id,
    converged: newton.converged,
    iterations,
    residual: newton.residual,
    tolerance: newton.tolerance,
    negativeModes: verdict.negativeModes,
    stable: verdict.negativeModes === 0,
    criterion: verdict.criterion,
    saddlesLeft,
    ...(newton.converged ? {} : { reason: newton.reason }),
  };
}
