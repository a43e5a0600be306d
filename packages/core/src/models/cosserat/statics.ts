/**
 * Implements the search for equilibria (statics/search.ts) for a rod: steps of steepest descent in the metric of the stiffness scale, the softest
 * direction, moving pins to time t. The stability verdict is the number of negative pivots of the tangent stiffness.
 */

import { acos, pow } from '../../math/rounded/index.ts';
import type { EquilibriumOptions, EquilibriumReport } from '../../model.ts';
import { descendBySteps } from '../../statics/descent.ts';
import { solveAtRest } from '../../statics/newton.ts';
import { noVerdict, type RestSystem, seekEquilibrium, type Verdict } from '../../statics/search.ts';
import { findSoftDirection, judgeTangent } from '../bandedStatics.ts';
import { dependsOnState } from '../loadJacobian.ts';
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
import { solveStage } from './newton.ts';
import { createRestProblem } from './restNewton.ts';
import type { CosseratRod } from './rod.ts';
import { measureSecondVariation } from './secondVariation.ts';
import type { Stage, Workspace } from './stage.ts';
import { returnToSnapshot, type Snapshot, takeSnapshot } from './step.ts';
import { assembleTangent, closeTangent } from './tangent.ts';

const ROTATION = 0.5;

/** Descends for at most `count` steps. */
function descend(cos: CosseratRod, work: Workspace, start: Snapshot, t: number, count: number): number {
  return descendBySteps(
    {
      hold() {
        takeSnapshot(start, cos);
        work.base.set(cos.q);
      },
      solve(descent) {
        const stage: Stage = { t, rate: 0, descent };
        return solveStage(cos, work, stage, { tolerance: 1e-6, iterations: 30, rotation: ROTATION });
      },
      revert: () => returnToSnapshot(cos, start),
    },
    count,
  );
}

/**
 * Below this, relative to the softer bending stiffness, an eigenvalue counts as zero. A closed rod under force does not close
 * with the strain that `assembleTangent` gives it, so its rigid rotations get eigenvalues of −n²l/S, which also count as zero.
 * (Finding an equilibrium with that S first does not help: near a critical load Newton moves far along the critical mode.)
 */
function zeroModeShift(cos: CosseratRod, work: Workspace): number {
  let shift = 1e-4 / pow(cos.edgeCount, 4);
  if (!cos.rod.closed) return shift;
  for (let j = 0; j < cos.edgeCount; j++) {
    const o = 3 * j;
    const square =
      cos.edgeForce[o] * cos.edgeForce[o] +
      cos.edgeForce[o + 1] * cos.edgeForce[o + 1] +
      cos.edgeForce[o + 2] * cos.edgeForce[o + 2];
    const l = cos.rod.edgeLengthRest[j];
    shift = Math.max(shift, (4 * square * l) / (work.edgePenalty[o] * cos.softScale[6 * j]));
  }
  return shift;
}

/** Rounding error of the matrix, relative to the stiffest bending: that of its stiffest edge. */
function measureRounding({ edgeCount, stiffnessScale, rod }: CosseratRod, { edgePenalty }: Workspace): number {
  let largest = 1;
  for (let j = 0; j < edgeCount; j++) {
    const stiffest = Math.max(edgePenalty[3 * j], edgePenalty[3 * j + 1], edgePenalty[3 * j + 2]);
    largest = Math.max(largest, stiffest / (stiffnessScale[6 * j] * rod.edgeLengthRest[j]));
  }
  return 1e-15 * largest;
}

/** Stability of the current state, see `judgeTangent`. */
export function judgeStability(cos: CosseratRod, work: Workspace, t: number): Verdict {
  if (!assembleTangent(cos, work, t, 'capped')) return noVerdict;
  const loadsDependOnState = dependsOnState(cos.drive);
  return judgeTangent(cos, work, {
    zero: zeroModeShift(cos, work),
    rounding: measureRounding(cos, work),
    close: () => closeTangent(cos, work),
    measureEnergy: (x) => measureSecondVariation(cos, work, x, loadsDependOnState),
  });
}

/** Moves the rod along its softest direction, by `amplitude` of its length or until something turns by 0.3 rad. */
function nudge(cos: CosseratRod, work: Workspace, t: number, amplitude: number): void {
  const direction = findSoftDirection(cos, work, 6, () => {
    if (!assembleTangent(cos, work, t, 'capped')) return false;
    closeTangent(cos, work);
    return true;
  });
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
      size += pose.tangent[k] * pose.tangent[k];
    }
    let along = 0;
    for (let k = 0; k < 3; k++) {
      pose.tangent[k] /= Math.sqrt(size);
      along += pose.tangent[k] * pose.director[k];
    }
    let width = 0;
    for (let k = 0; k < 3; k++) {
      pose.director[k] -= along * pose.tangent[k];
      width += pose.director[k] * pose.director[k];
    }
    for (let k = 0; k < 3; k++) pose.director[k] /= Math.sqrt(width);
    pose.twist = (1 - w) * from[p].twist + w * to[p].twist;
  });
  placeHeldFrames(cos);
}

/** Moves pins to time t in increments that a Newton step can follow; returns the number of iterations. */
function bringPins(cos: CosseratRod, system: RestSystem, t: number): number {
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
    const turn = acos(Math.min(1, Math.max(-1, cosine)));
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
    system.hold('start');
    const newton = system.newton({ tolerance: 1e-4, iterations: 40 });
    iterations += newton.iterations;
    if (!newton.converged) system.revert('start');
  }
  evaluatePins(cos, t);
  placePinned(cos, 'pose');
  measureStrain(cos);
  return iterations;
}

/** Sets the natural strain of joints between that of the current state (share 0) and the rod's own (share 1). */
function blendNatural({ joints, jointRotation, jointActive }: CosseratRod): (share: number) => void {
  const own = joints.rest.slice();
  const laid = own.map((rest, k) => {
    const i = Math.floor(k / 3);
    return jointActive[i] && !joints.freeSpin[i] ? jointRotation[k] : rest;
  });
  return (share) => {
    for (let k = 0; k < own.length; k++) joints.rest[k] = share < 1 ? laid[k] + share * (own[k] - laid[k]) : own[k];
  };
}

/** The search interface for a rod. */
function createRestSystem(
  cos: CosseratRod,
  work: Workspace,
  places: { readonly start: Snapshot; readonly entry: Snapshot },
  t: number,
): RestSystem {
  const problem = createRestProblem(cos, work, { t, rate: 0, descent: 0 });
  return {
    edgeCount: cos.edgeCount,
    newton: (request) => solveAtRest(problem, request),
    setLoads(share) {
      cos.loadFactor = share;
    },
    blendNatural: () => blendNatural(cos),
    hold: (place) => takeSnapshot(places[place], cos),
    revert(place) {
      returnToSnapshot(cos, places[place]);
      measureStrain(cos);
    },
    nudge: (amplitude) => nudge(cos, work, t, amplitude),
    descend: (count) => descend(cos, work, places.start, t, count),
    judge: () => judgeStability(cos, work, t),
  };
}

export function findEquilibrium(
  cos: CosseratRod,
  work: Workspace,
  places: { readonly start: Snapshot; readonly entry: Snapshot },
  t: number,
  options: EquilibriumOptions,
): EquilibriumReport {
  cos.v.fill(0);
  const system = createRestSystem(cos, work, places, t);
  const spent = bringPins(cos, system, t);
  const report = seekEquilibrium(system, cos.rod.id, options);
  cos.v.fill(0);
  cos.acceleration.fill(0);
  // at rest the acceleration is known: it is zero
  cos.history[0] = report.converged ? 1 : 0;
  measureStrain(cos);
  poseSamples(cos);
  return { ...report, iterations: report.iterations + spent };
}
