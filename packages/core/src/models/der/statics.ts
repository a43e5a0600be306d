/**
 * Equilibria: mixed Newton first; where it does not get through, steps of steepest descent in the mass metric (each a
 * well-posed minimisation of E + M|q − q₀|²/2h²) until Newton does. The verdict on stability is the number of negative
 * pivots of the tangent stiffness; an unstable equilibrium is left along its softest direction.
 */
import { clearBand, factorBand, multiplyBand, solveBand } from '../../linalg/band.ts';
import type { EquilibriumOptions, EquilibriumReport } from '../../model.ts';
import {
  evaluatePins,
  followCenterline,
  placePinned,
  poseSamples,
  rebuildFrames,
  spreadHeldTwist,
  turnHeldFrames,
} from './kinematics.ts';
import { type NewtonResult, solveStage } from './newton.ts';
import { type RestOptions, solveAtRest } from './restNewton.ts';
import type { DerRod, HeldFrames } from './rod.ts';
import { returnToSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts';
import type { Stage, Workspace } from './stage.ts';
import { assembleTangent, closeTangent, solveUnsymmetric, stiffEnough, zeroModeShift } from './tangent.ts';

const ROTATION = 0.5;
const AT_REST = (t: number): Stage => ({ t, inertia: 0, rate: 0 });

type SearchMode = Pick<RestOptions, 'firstShift' | 'keepsBranch'>;

function newtonFromHere(
  der: DerRod,
  work: Workspace,
  t: number,
  tolerance: number,
  iterations: number,
  mode: SearchMode = {},
): NewtonResult {
  return solveAtRest(der, work, t, { tolerance, iterations, rotation: ROTATION, ...mode });
}

/**
 * Descends for at most `count` accepted steps; the step grows while it succeeds. Masses of the metric are the
 * stiffness scale, so that massless rods descend as well.
 */
function descend(der: DerRod, work: Workspace, start: Snapshot, t: number, count: number): number {
  const { q, size, mass, stiffnessScale } = der;
  const trueMass = mass.slice();
  mass.set(stiffnessScale);
  let inertia = 1e-2;
  let iterations = 0;
  for (let accepted = 0, tries = 0; accepted < count && tries < 3 * count; tries++) {
    takeSnapshot(start, der);
    for (let d = 0; d < size; d++) work.qHat[d] = q[d];
    const stage: Stage = { t, inertia, rate: 0 };
    const newton = solveStage(der, work, stage, { tolerance: 1e-6, iterations: 30, rotation: ROTATION });
    iterations += newton.iterations;
    if (newton.converged) {
      accepted++;
      inertia /= 4;
      if (inertia < 1e-12) break;
    } else {
      returnToSnapshot(der, start, work, t);
      inertia *= 16;
      if (inertia > 1e8) break;
    }
  }
  mass.set(trueMass);
  return iterations;
}

const UNKNOWN: Verdict = { negativeModes: -1, criterion: 'none' };

export interface Verdict {
  /** Directions in which the rod would leave; 0 for a stable equilibrium, −1 when it cannot be told. */
  readonly negativeModes: number;
  /**
   * `energy`: negative eigenvalues counted; `divergence`: loads without a potential, only the sign of the determinant;
   * `none`: such loads on a closed rod, whose rigid motions make the determinant zero.
   */
  readonly criterion: 'energy' | 'divergence' | 'none';
}

/**
 * Stability of the present state. With conservative loads: negative eigenvalues of the tangent stiffness; zero modes (free
 * rigid motion, free spin) count as none. Loads that have no potential (followers, wind, dead torques) leave an
 * unsymmetric matrix, whose determinant changes its sign where the equilibrium is lost; flutter is not looked for.
 */
export function judgeStability(der: DerRod, work: Workspace, t: number): Verdict {
  if (!assembleTangent(der, work, AT_REST(t), { multiple: stiffEnough(der), edges: 'all' })) return UNKNOWN;
  if (work.loadJacobian.asymmetry > 1e-4) {
    if (der.rod.closed) return { negativeModes: -1, criterion: 'none' };
    work.step.fill(0);
    const sign = solveUnsymmetric(der, work);
    return { negativeModes: sign > 0 ? 0 : 1, criterion: 'divergence' };
  }
  closeTangent(der, work);
  factorBand(work.factor, work.matrix, zeroModeShift(der), der.softScale, false);
  return { negativeModes: work.factor.negative, criterion: 'energy' };
}

/** Softest direction by inverse iteration with the factored, shifted matrix; deterministic start. */
function findSoftDirection(der: DerRod, work: Workspace, t: number): Float64Array {
  const { size, stiffnessScale, fixed } = der;
  const x = new Float64Array(size);
  for (let d = 0; d < size; d++) x[d] = fixed[d] ? 0 : Math.sin(1 + 0.7 * d) + 0.3 * Math.sin(0.1 * d);
  const y = new Float64Array(size);
  if (!assembleTangent(der, work, AT_REST(t), { multiple: stiffEnough(der), edges: 'all' })) return x;
  closeTangent(der, work);
  // The smallest shift that makes the matrix positive definite lies just above the lowest eigenvalue's size.
  let shift = 1e-9;
  while (!factorBand(work.factor, work.matrix, shift, stiffnessScale, true)) shift *= 1.5;
  for (let k = 0; k < 60; k++) {
    for (let d = 0; d < size; d++) x[d] = fixed[d] ? 0 : x[d] * stiffnessScale[d];
    solveBand(work.factor, work.matrix, x);
    let norm = 0;
    for (let d = 0; d < size; d++) if ((d & 3) !== 3) norm = Math.max(norm, Math.abs(x[d]));
    if (norm === 0) norm = 1;
    for (let d = 0; d < size; d++) x[d] /= norm;
  }
  multiplyBand(y, work.matrix, x);
  clearBand(work.matrix);
  return x;
}

/** Moves pins to where they are at t in pieces that a Newton step can follow; returns the iterations it took. */
function bringPins(der: DerRod, work: Workspace, start: Snapshot, t: number): number {
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
    const turn = Math.acos(Math.min(1, Math.max(-1, dotAt(held.tangent, heldBefore.tangent, 3 * h))));
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
    const newton = newtonFromHere(der, work, t, 1e-4, 40);
    iterations += newton.iterations;
    if (!newton.converged) {
      // the rod must follow before the pin goes on, or its last edge folds over
      returnToSnapshot(der, start, work, t);
      nudge(der, work, t, 2e-3);
      iterations += descend(der, work, start, t, 10);
    }
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

/** Linear blend of frames, made orthonormal again: fine for the small turns it is used for. */
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
  const direction = findSoftDirection(der, work, t);
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

/**
 * First without loads, then in parts that grow while Newton gets through and shrink where it does not: what is too far for
 * one iteration is near for ten, above all for loads that follow the rod. Small loads lead back to a saddle that was left.
 */
function raiseLoads(
  der: DerRod,
  work: Workspace,
  start: Snapshot,
  t: number,
  tolerance: number,
  mode: SearchMode,
): { newton: NewtonResult; iterations: number } {
  let part = 0.1;
  der.loadFactor = 0;
  let newton = { ...newtonFromHere(der, work, t, 1e-6, 60, mode) };
  let { iterations } = newton;
  for (let reached = 0; newton.converged && reached < 1; ) {
    takeSnapshot(start, der);
    der.loadFactor = Math.min(1, reached + part);
    newton = { ...newtonFromHere(der, work, t, der.loadFactor < 1 ? 1e-6 : tolerance, 30, mode) };
    iterations += newton.iterations;
    if (newton.converged) {
      reached = der.loadFactor;
      part *= 1.5;
    } else if (part > 0.004) {
      returnToSnapshot(der, start, work, t);
      part /= 3;
      newton.converged = true;
    }
  }
  der.loadFactor = 1;
  return { newton, iterations };
}

/**
 * Newton, with loads in parts and then descent where it fails. A nudge comes before the descent: a straight inextensible rod that is pushed
 * together has no equilibrium at all on its straight line, and nothing else would make it leave that.
 */
function settle(
  der: DerRod,
  work: Workspace,
  start: Snapshot,
  entry: Snapshot,
  t: number,
  { tolerance, stability }: EquilibriumOptions,
  leaving: boolean,
): { newton: NewtonResult; iterations: number } {
  takeSnapshot(entry, der);
  // on the way from a saddle: a shift well below the softest mode, 100/n⁴, or it would creep
  const shifted: SearchMode = leaving ? { firstShift: Math.min(1e-7, 1 / der.edgeCount ** 4) } : {};
  let newton: NewtonResult = { converged: false, iterations: 0, shifts: 0, residual: 0, tolerance: 0, reason: '' };
  let iterations = 0;
  const isSettled = (): boolean => newton.converged || newton.final === true;
  // a branch that only is to be judged must not be left: first without shifts, which lead downhill
  for (const mode of stability === 'report' ? [{ keepsBranch: true }, shifted] : [shifted]) {
    if (isSettled()) break;
    returnToSnapshot(der, entry, work, t);
    newton = { ...newtonFromHere(der, work, t, tolerance, 60, mode) };
    iterations += newton.iterations;
    if (isSettled() || leaving) continue;
    returnToSnapshot(der, entry, work, t);
    const raised = raiseLoads(der, work, start, t, tolerance, mode);
    newton = raised.newton;
    iterations += raised.iterations;
  }
  for (let round = 0; !isSettled() && round < 6; round++) {
    if (round === 0) returnToSnapshot(der, entry, work, t);
    else rebuildFrames(der, work.edgeWork);
    nudge(der, work, t, 2e-3);
    iterations += descend(der, work, start, t, 20);
    takeSnapshot(entry, der);
    newton = { ...newtonFromHere(der, work, t, tolerance, 100, shifted) };
    iterations += newton.iterations;
    if (!newton.converged) returnToSnapshot(der, entry, work, t);
  }
  return { newton, iterations };
}

export function findEquilibrium(
  der: DerRod,
  work: Workspace,
  start: Snapshot,
  entry: Snapshot,
  t: number,
  options: EquilibriumOptions,
): EquilibriumReport {
  const { v, rod } = der;
  v.fill(0);
  let iterations = bringPins(der, work, start, t);
  let { newton, iterations: spent } = settle(der, work, start, entry, t, options, false);
  iterations += spent;
  let verdict = newton.converged ? judgeStability(der, work, t) : UNKNOWN;
  let saddlesLeft = 0;
  while (newton.converged && verdict.negativeModes > 0 && options.stability === 'seek' && saddlesLeft < 8) {
    saddlesLeft++;
    // farther each time: close to a critical load the way back is short
    nudge(der, work, t, 0.02 * saddlesLeft);
    iterations += descend(der, work, start, t, 60);
    ({ newton, iterations: spent } = settle(der, work, start, entry, t, options, true));
    iterations += spent;
    verdict = newton.converged ? judgeStability(der, work, t) : UNKNOWN;
  }
  v.fill(0);
  der.acceleration.fill(0);
  der.history.fill(0);
  poseSamples(der);
  return {
    rod: rod.id,
    converged: newton.converged,
    iterations,
    residual: newton.residual,
    tolerance: newton.tolerance,
    ...(newton.error !== undefined && newton.error < Infinity && { error: newton.error }),
    negativeModes: verdict.negativeModes,
    stable: verdict.negativeModes === 0,
    criterion: verdict.criterion,
    saddlesLeft,
    ...(newton.converged ? {} : { reason: newton.reason }),
  };
}
