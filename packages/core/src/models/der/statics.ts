/**
 * Implements the search for equilibria (statics/search.ts) for a single rod: steps of steepest descent in the metric of the stiffness scale, each a
 * well-posed minimization of E + M|q − q₀|²/2h²; the softest direction; moving pins to time t. The stability verdict is the number of negative pivots of
 * the tangent stiffness.
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
  followCenterline,
  placePinned,
  poseSamples,
  spreadHeldTwist,
  turnHeldFrames,
} from './kinematics.ts';
import { blendNatural } from './naturalBlend.ts';
import { solveStage } from './newton.ts';
import { createRestProblem } from './restNewton.ts';
import type { DerRod, HeldFrames } from './rod.ts';
import { measureSecondVariation } from './secondVariation.ts';
import { returnToSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts';
import type { Stage, Workspace } from './stage.ts';
import { accessEdges, assembleTangent, closeTangent, stiffEnough } from './tangent.ts';

const ROTATION = 0.5;
const AT_REST = (t: number): Stage => ({ t, inertia: 0, rate: 0 });

/** Descends for at most `count` steps. Masses of the metric are the stiffness scale, so that massless rods descend as well. */
function descend(der: DerRod, work: Workspace, start: Snapshot, t: number, count: number): number {
  const { q, mass, stiffnessScale } = der;
  const trueMass = mass.slice();
  mass.set(stiffnessScale);
  const iterations = descendBySteps(
    {
      hold() {
        takeSnapshot(start, der);
        work.qHat.set(q);
      },
      solve(inertia) {
        const stage: Stage = { t, inertia, rate: 0 };
        return solveStage(der, work, stage, { tolerance: 1e-6, iterations: 30, rotation: ROTATION });
      },
      revert: () => returnToSnapshot(der, start, work, t),
    },
    count,
  );
  mass.set(trueMass);
  return iterations;
}

/** Stability of the current state, see `judgeTangent`. */
export function judgeStability(der: DerRod, work: Workspace, t: number): Verdict {
  if (!assembleTangent(der, work, AT_REST(t), { multiple: stiffEnough(der), edges: 'all' })) return noVerdict;
  const loadsDependOnState = dependsOnState(der.drive);
  const { closed } = der.rod;
  return judgeTangent(der, work, {
    zero: (closed ? measureZero(der, work) : 1e-4) / pow(der.edgeCount, 4),
    ring: closed ? { edges: accessEdges(der, work), stride: 4, allowed: 0.1 / pow(der.edgeCount, 4) } : undefined,
    rounding: measureRounding(der, work),
    close: () => closeTangent(der, work),
    measureEnergy: der.held.hinged.includes(1)
      ? undefined
      : (x) => measureSecondVariation(der, work, x, loadsDependOnState),
  });
}

/**
 * Eigenvalue that counts as zero, times n⁴, for a rod that may turn and slide: forces that are not balanced give these motions a stiffness. The softest
 * bending mode has about 100.
 */
function measureZero({ q, edgeCount, fixed, softScale, rod }: DerRod, { residual }: Workspace): number {
  let unbalanced = 0;
  for (let d = 0; d < q.length; d++)
    if (!fixed[d] && (d & 3) !== 3) unbalanced = Math.max(unbalanced, Math.abs(residual[d]) / softScale[d]);
  return Math.min(3, Math.max(1e-4, (60 * unbalanced * pow(edgeCount, 4)) / rod.length));
}

/** Rounding error of the matrix, relative to the stiffest bending: that of its stiffest edge. */
function measureRounding({ edgeCount, stiffnessScale }: DerRod, { edgePenalty }: Workspace): number {
  let largest = 1;
  for (let j = 0; j < edgeCount; j++) largest = Math.max(largest, edgePenalty[j] / stiffnessScale[4 * j]);
  return 1e-15 * largest;
}

/** Moves pins to time t in increments that a Newton step can follow; returns the number of iterations. */
function bringPins(der: DerRod, work: Workspace, system: RestSystem, start: Snapshot, t: number): number {
  const { pins, poses, q, held, edgeLength, fixed } = der;
  const heldBefore = { tangent: held.tangent.slice(), director: held.director.slice(), theta: held.theta.slice() };
  evaluatePins(der, t);
  let pieces = 1;
  const shortest = edgeLength.reduce((a, b) => Math.min(a, b), Infinity);
  const from = poses.map((_, p) => q.slice(4 * pins[p].node, 4 * pins[p].node + 3));
  for (let p = 0; p < pins.length; p++) {
    if (!poses[p].active) continue;
    for (let k = 0; k < 3; k++) {
      if (fixed[4 * pins[p].node + k])
        pieces = Math.max(pieces, Math.abs(poses[p].position[k] - from[p][k]) / (0.3 * shortest));
    }
  }
  for (let h = 0; h < held.count; h++) {
    const turn = acos(Math.min(1, Math.max(-1, dotAt(held.tangent, heldBefore.tangent, 3 * h))));
    pieces = Math.max(pieces, turn / 0.4, Math.abs(held.theta[h] - heldBefore.theta[h]) / (0.3 * der.edgeCount));
  }
  pieces = Math.min(200, Math.ceil(pieces));
  let iterations = 0;
  const target = { tangent: held.tangent.slice(), director: held.director.slice(), theta: held.theta.slice() };
  blendFrames(held, heldBefore, target, 0);
  for (let piece = 1; piece < pieces; piece++) {
    const w = piece / pieces;
    for (let p = 0; p < pins.length; p++) {
      if (!poses[p].active) continue;
      for (let k = 0; k < 3; k++) {
        const d = 4 * pins[p].node + k;
        if (fixed[d]) q[d] = (1 - w) * from[p][k] + w * poses[p].position[k];
      }
    }
    const thetaBefore = held.theta.slice();
    blendFrames(held, heldBefore, target, w);
    spreadHeldTwist(der, thetaBefore, undefined);
    takeSnapshot(start, der);
    const newton = system.newton({ tolerance: 1e-4, iterations: 40 });
    iterations += newton.iterations;
    if (newton.converged || newton.final) continue;
    // the rod must follow before the pin moves on, otherwise its last edge folds over
    returnToSnapshot(der, start, work, t);
    system.nudge(2e-3);
    iterations += system.descend(10);
  }
  const thetaBefore = held.theta.slice();
  blendFrames(held, heldBefore, target, 1);
  spreadHeldTwist(der, thetaBefore, undefined);
  placePinned(der, q, undefined);
  followCenterline(der, work.edgeWork);
  return iterations;
}

type HeldPose = { readonly tangent: Float64Array; readonly director: Float64Array; readonly theta: Float64Array };

function dotAt(a: Float64Array, b: Float64Array, o: number): number {
  return a[o] * b[o] + a[o + 1] * b[o + 1] + a[o + 2] * b[o + 2];
}

/** Linear interpolation of frames, orthonormalized: accurate for small rotations. */
function blendFrames(out: HeldFrames, from: HeldPose, to: HeldPose, w: number): void {
  for (let h = 0; h < out.theta.length; h++) {
    const o = 3 * h;
    out.theta[h] = (1 - w) * from.theta[h] + w * to.theta[h];
    for (let k = 0; k < 3; k++) {
      out.tangent[o + k] = (1 - w) * from.tangent[o + k] + w * to.tangent[o + k];
      out.director[o + k] = (1 - w) * from.director[o + k] + w * to.director[o + k];
    }
    const length = Math.sqrt(dotAt(out.tangent, out.tangent, o));
    for (let k = 0; k < 3; k++) out.tangent[o + k] /= length;
    const along = dotAt(out.tangent, out.director, o);
    for (let k = 0; k < 3; k++) out.director[o + k] -= along * out.tangent[o + k];
    const size = Math.sqrt(dotAt(out.director, out.director, o));
    for (let k = 0; k < 3; k++) out.director[o + k] /= size;
  }
  turnHeldFrames(out);
}

/** Moves the rod along its softest direction, by `amplitude` of its length or until some edge turns by 0.3 rad. */
function nudge(der: DerRod, work: Workspace, t: number, amplitude: number): void {
  const { q, size, edgeCount, edgeLength, rod } = der;
  const direction = findSoftDirection(der, work, 4, () => {
    if (!assembleTangent(der, work, AT_REST(t), { multiple: stiffEnough(der), edges: 'all' })) return false;
    closeTangent(der, work);
    return true;
  });
  let largest = 1e-300;
  for (let d = 4; d < size; d++) {
    const turn =
      (d & 3) === 3
        ? direction[d]
        : (direction[d] - direction[d - 4]) / edgeLength[Math.min((d >> 2) - 1, edgeCount - 1)];
    largest = Math.max(largest, Math.abs(turn));
  }
  const scale = Math.min(amplitude * rod.length, 0.3 / largest);
  for (let d = 0; d < size; d++) q[d] += scale * direction[d];
  followCenterline(der, work.edgeWork);
}

/** The search interface for a single rod. */
function createRestSystem(
  der: DerRod,
  work: Workspace,
  places: { readonly start: Snapshot; readonly entry: Snapshot },
  t: number,
): RestSystem {
  const problem = createRestProblem(der, work, AT_REST(t));
  return {
    edgeCount: der.edgeCount,
    newton: (request) => solveAtRest(problem, request),
    setLoads(share) {
      der.loadFactor = share;
    },
    blendNatural: () => blendNatural(der),
    hold: (place) => takeSnapshot(places[place], der),
    revert: (place) => returnToSnapshot(der, places[place], work, t),
    nudge: (amplitude) => nudge(der, work, t, amplitude),
    descend: (count) => descend(der, work, places.start, t, count),
    judge: () => judgeStability(der, work, t),
  };
}

export function findEquilibrium(
  der: DerRod,
  work: Workspace,
  places: { readonly start: Snapshot; readonly entry: Snapshot },
  t: number,
  options: EquilibriumOptions,
): EquilibriumReport {
  der.v.fill(0);
  der.material?.beginRest();
  const system = createRestSystem(der, work, places, t);
  const spent = bringPins(der, work, system, places.start, t);
  const report = seekEquilibrium(system, der.rod.id, options);
  der.v.fill(0);
  der.acceleration.fill(0);
  der.history.fill(0);
  der.material?.endRest(report.converged);
  poseSamples(der);
  return { ...report, iterations: report.iterations + spent };
}
