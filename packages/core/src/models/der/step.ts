/**
 * Implicit time integration: each scheme is one or two stages of the mixed Newton method.
 *
 * | scheme           | order | remark                                                            |
 * | tr-bdf2          | 2     | default: self-starting, L-stable, best error at equal cost        |
 * | bdf2             | 2     | one solve a step; starts with one step of implicit Euler          |
 * | implicit-euler   | 1     | dissipates; the fallback when another scheme fails                |
 * | midpoint         | 2     | no dissipation; for smooth motion of rods that stretch            |
 *
 * Generalised-α is not offered: a prototype of it blew up on violent motion, at any spectral radius.
 */
import { solveTridiagonal } from '../../linalg/tridiagonal.ts';
import { addElasticGradient } from './energy.ts';
import {
  evaluatePins,
  followCenterline,
  placePinned,
  rebuildFrames,
  spreadHeldTwist,
  turnHeldFrames,
} from './kinematics.ts';
import {
  evaluateLoads,
  evaluateResidual,
  type NewtonOptions,
  type Stage,
  solveStage,
  type Workspace,
} from './newton.ts';
import type { DerRod } from './rod.ts';

export type ImplicitScheme = 'tr-bdf2' | 'bdf2' | 'implicit-euler' | 'midpoint';

export interface RodStep {
  ok: boolean;
  iterations: number;
  iterationsMax: number;
  shifts: number;
  reason: string;
}

/** Copies that bring a rod back after a failed step. */
export interface Snapshot {
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly edgeReference: Float64Array;
  readonly jointReferenceTwist: Float64Array;
  readonly edgeTension: Float64Array;
  readonly edgeTangent: Float64Array;
  readonly acceleration: Float64Array;
  readonly heldTangent: Float64Array;
  readonly heldDirector: Float64Array;
  readonly heldTheta: Float64Array;
}

export function createSnapshot(der: DerRod): Snapshot {
  return {
    q: der.q.slice(),
    v: der.v.slice(),
    edgeReference: der.edgeReference.slice(),
    jointReferenceTwist: der.jointReferenceTwist.slice(),
    edgeTension: der.edgeTension.slice(),
    edgeTangent: der.edgeTangent.slice(),
    acceleration: der.acceleration.slice(),
    heldTangent: der.held.tangent.slice(),
    heldDirector: der.held.director.slice(),
    heldTheta: der.held.theta.slice(),
  };
}

export function takeSnapshot(snapshot: Snapshot, der: DerRod): void {
  snapshot.q.set(der.q);
  snapshot.v.set(der.v);
  snapshot.edgeReference.set(der.edgeReference);
  snapshot.jointReferenceTwist.set(der.jointReferenceTwist);
  snapshot.edgeTension.set(der.edgeTension);
  snapshot.edgeTangent.set(der.edgeTangent);
  snapshot.acceleration.set(der.acceleration);
  snapshot.heldTangent.set(der.held.tangent);
  snapshot.heldDirector.set(der.held.director);
  snapshot.heldTheta.set(der.held.theta);
}

export function returnToSnapshot(der: DerRod, snapshot: Snapshot, work: Workspace, t: number): void {
  der.q.set(snapshot.q);
  der.v.set(snapshot.v);
  der.edgeReference.set(snapshot.edgeReference);
  der.jointReferenceTwist.set(snapshot.jointReferenceTwist);
  der.edgeTension.set(snapshot.edgeTension);
  der.edgeTangent.set(snapshot.edgeTangent);
  der.acceleration.set(snapshot.acceleration);
  evaluatePins(der, t);
  der.held.tangent.set(snapshot.heldTangent);
  der.held.director.set(snapshot.heldDirector);
  der.held.theta.set(snapshot.heldTheta);
  turnHeldFrames(der.held);
  rebuildFrames(der, work.edgeWork);
}

/** Where the twist has no inertia it is in equilibrium at every instant, the first included. */
function relaxTwist(der: DerRod, work: Workspace, t: number): void {
  const { mass, fixed, size, edgeCount } = der;
  let massless = false;
  for (let j = 0; j < edgeCount; j++) massless ||= mass[4 * j + 3] === 0;
  if (!massless) return;
  for (let d = 0; d < size; d++) fixed[d] = (d & 3) !== 3 || mass[d] > 0 ? 1 : 0;
  const velocity = der.v.slice();
  const tension = der.edgeTension.slice();
  solveStage(der, work, { t, inertia: 0, rate: 0 }, { tolerance: 1e-12, iterations: 50, rotation: 1 });
  der.v.set(velocity);
  der.edgeTension.set(tension);
  evaluatePins(der, t);
}

/** Accelerations and tensions at the start, so that the first trapezoidal stage has what later ones inherit. */
export function initializeMotion(der: DerRod, work: Workspace, t: number): void {
  const {
    acceleration,
    mass,
    size,
    edgeCount,
    nodeCount,
    edgeLength,
    edgeTangent,
    edgeTension,
    edgeStiffness,
    rod,
    v,
    fixed,
  } = der;
  evaluatePins(der, t);
  relaxTwist(der, work, t);
  for (let j = 0; j < edgeCount; j++) {
    edgeTension[j] = edgeStiffness[j] < Infinity ? edgeStiffness[j] * (edgeLength[j] - rod.edgeLengthRest[j]) : 0;
  }
  // with inertia 0 and a positive rate the residual holds all forces, damping included
  work.qHat.set(der.q);
  if (!evaluateResidual(der, work, { t, inertia: 1, rate: 1 })) return;
  const inverse = (d: number): number => (fixed[d] || mass[d] === 0 ? 0 : 1 / mass[d]);
  if (!rod.closed && rod.inextensible) {
    // tensions that keep the edges' lengths: A M⁻¹ Aᵀ λ = −A M⁻¹ r + |ė⊥|²/|e|, tridiagonal
    const diagonal = new Float64Array(edgeCount);
    const upper = new Float64Array(edgeCount);
    const right = new Float64Array(edgeCount);
    for (let j = 0; j < edgeCount; j++) {
      let along = 0;
      let speed2 = 0;
      for (let k = 0; k < 3; k++) {
        const tk = edgeTangent[3 * j + k];
        const a = 4 * j + k;
        const b = a + 4;
        const rate = v[b] - v[a];
        along += tk * rate;
        speed2 += rate * rate;
        diagonal[j] += tk * tk * (inverse(a) + inverse(b));
        if (j + 1 < edgeCount) upper[j] -= tk * edgeTangent[3 * j + 3 + k] * inverse(b);
        right[j] -= tk * (work.residual[b] * inverse(b) - work.residual[a] * inverse(a));
      }
      right[j] += (speed2 - along * along) / edgeLength[j];
      if (diagonal[j] === 0) diagonal[j] = 1;
    }
    const lower = upper.slice();
    lower.copyWithin(1, 0, edgeCount - 1);
    if (solveTridiagonal(lower, diagonal, upper, right, edgeCount, true)) edgeTension.set(right);
    for (let j = 0; j < edgeCount; j++) {
      const b = j + 1 < nodeCount ? 4 * j + 4 : 0;
      for (let k = 0; k < 3; k++) {
        work.residual[4 * j + k] -= edgeTension[j] * edgeTangent[3 * j + k];
        work.residual[b + k] += edgeTension[j] * edgeTangent[3 * j + k];
      }
    }
  }
  for (let d = 0; d < size; d++) acceleration[d] = -work.residual[d] * inverse(d);
}

/**
 * Starts the iteration at q + h v + ½h²a, as far as no edge turns by more than half a radian. Before the first step
 * the acceleration is left out: that of a rod just let go has a kink at its clamp, from which Newton recovers slowly.
 */
function predict(der: DerRod, h: number, withAcceleration: boolean): void {
  const { q, v, acceleration, size, edgeCount, nodeCount, edgeLength } = der;
  const half = withAcceleration && der.history[1] > 0 ? 0.5 * h * h : 0;
  let largest = 0;
  for (let j = 0; j < edgeCount; j++) {
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    let move = Math.abs(h * v[a + 3] + half * acceleration[a + 3]);
    for (let k = 0; k < 3; k++) {
      move += Math.abs(h * (v[b + k] - v[a + k]) + half * (acceleration[b + k] - acceleration[a + k])) / edgeLength[j];
    }
    if (!(move <= largest)) largest = move;
  }
  if (!(largest < Infinity)) return;
  const fraction = largest > 0.5 ? 0.5 / largest : 1;
  for (let d = 0; d < size; d++) q[d] += fraction * (h * v[d] + half * acceleration[d]);
}

/** Pins at the time of the next stage, and a first guess for the rod there. */
function approach(der: DerRod, t: number, h: number, withAcceleration: boolean): void {
  const thetaBefore = der.held.theta.slice();
  const start = der.q.slice();
  evaluatePins(der, t);
  if (h > 0) predict(der, h, withAcceleration);
  spreadHeldTwist(der, thetaBefore, start);
}

function runStage(der: DerRod, work: Workspace, stage: Stage, options: NewtonOptions, out: RodStep): boolean {
  placePinned(der, der.q, der.v);
  const newton = solveStage(der, work, stage, options);
  out.iterations += newton.iterations;
  out.iterationsMax = Math.max(out.iterationsMax, newton.iterations);
  out.shifts += newton.shifts;
  if (!newton.converged) out.reason = newton.reason;
  return newton.converged;
}

/** a = c(q − q̂) is what the solved stage says the acceleration is. */
function recordAcceleration(der: DerRod, work: Workspace, inertia: number): void {
  for (let d = 0; d < der.size; d++)
    der.acceleration[d] = der.mass[d] > 0 && !der.fixed[d] ? inertia * (der.q[d] - work.qHat[d]) : 0;
}

function implicitEuler(
  der: DerRod,
  work: Workspace,
  t: number,
  h: number,
  options: NewtonOptions,
  out: RodStep,
  bold: boolean,
): boolean {
  const { q, v, size } = der;
  for (let d = 0; d < size; d++) {
    work.qRate[d] = q[d];
    work.qHat[d] = q[d] + h * v[d];
  }
  approach(der, t + h, bold ? h : 0, true);
  const inertia = 1 / (h * h);
  if (!runStage(der, work, { t: t + h, inertia, rate: 1 / h }, options, out)) return false;
  recordAcceleration(der, work, inertia);
  return true;
}

function trBdf2(
  der: DerRod,
  work: Workspace,
  start: Snapshot,
  t: number,
  h: number,
  options: NewtonOptions,
  out: RodStep,
): boolean {
  const { q, v, size, acceleration } = der;
  const gamma = 2 - Math.SQRT2;
  const k = 0.5 * gamma * h;
  for (let d = 0; d < size; d++) {
    work.qHat[d] = q[d] + 2 * k * v[d] + k * k * acceleration[d];
    work.qRate[d] = q[d] + k * v[d];
  }
  approach(der, t + gamma * h, gamma * h, true);
  if (!runStage(der, work, { t: t + gamma * h, inertia: 1 / (k * k), rate: 1 / k }, options, out)) return false;
  recordAcceleration(der, work, 1 / (k * k));
  const w1 = 1 / (gamma * (2 - gamma));
  const w0 = (1 - gamma) ** 2 * w1;
  const d2 = (h * (1 - gamma)) / (2 - gamma);
  for (let d = 0; d < size; d++) {
    work.qRate[d] = w1 * q[d] - w0 * start.q[d];
    work.qHat[d] = work.qRate[d] + d2 * (w1 * v[d] - w0 * start.v[d]);
  }
  approach(der, t + h, (1 - gamma) * h, true);
  const inertia = 1 / (d2 * d2);
  if (!runStage(der, work, { t: t + h, inertia, rate: 1 / d2 }, options, out)) return false;
  recordAcceleration(der, work, inertia);
  return true;
}

function bdf2(
  der: DerRod,
  work: Workspace,
  start: Snapshot,
  t: number,
  h: number,
  options: NewtonOptions,
  out: RodStep,
): boolean {
  const { q, v, size, qBefore, vBefore, history } = der;
  // variable step: r = h/h₋₁; equal steps give the usual 4/3, 1/3, 2/3
  const previous = history[0];
  let solved: boolean;
  if (previous === 0) solved = implicitEuler(der, work, t, h, options, out, true);
  else {
    const r = h / previous;
    const a1 = (1 + r) ** 2 / (1 + 2 * r);
    const a0 = (r * r) / (1 + 2 * r);
    const b = (h * (1 + r)) / (1 + 2 * r);
    for (let d = 0; d < size; d++) {
      work.qRate[d] = a1 * q[d] - a0 * qBefore[d];
      work.qHat[d] = work.qRate[d] + b * (a1 * v[d] - a0 * vBefore[d]);
    }
    approach(der, t + h, h, true);
    solved = runStage(der, work, { t: t + h, inertia: 1 / (b * b), rate: 1 / b }, options, out);
    if (solved) recordAcceleration(der, work, 1 / (b * b));
  }
  if (!solved) return false;
  qBefore.set(start.q);
  vBefore.set(start.v);
  history[0] = h;
  return true;
}

function midpoint(
  der: DerRod,
  work: Workspace,
  start: Snapshot,
  t: number,
  h: number,
  options: NewtonOptions,
  out: RodStep,
): boolean {
  const { q, v, size } = der;
  const half = 0.5 * h;
  for (let d = 0; d < size; d++) {
    work.qRate[d] = q[d];
    work.qHat[d] = q[d] + half * v[d];
  }
  approach(der, t + half, half, false);
  if (!runStage(der, work, { t: t + half, inertia: 1 / (half * half), rate: 1 / half }, options, out)) return false;
  for (let d = 0; d < size; d++) {
    q[d] = 2 * q[d] - start.q[d];
    v[d] = 2 * v[d] - start.v[d];
  }
  evaluatePins(der, t + h);
  placePinned(der, q, v);
  der.acceleration.fill(0);
  if (followCenterline(der, work.edgeWork) && addElasticGradient(undefined, der, undefined, undefined)) return true;
  out.reason = 'the rod folded onto itself at the end of the step';
  return false;
}

/** One step of one rod; on failure the rod is back where it was. */
export function stepImplicit(
  der: DerRod,
  work: Workspace,
  start: Snapshot,
  scheme: ImplicitScheme,
  t: number,
  h: number,
  options: NewtonOptions,
  robust: boolean,
): RodStep {
  const out: RodStep = { ok: false, iterations: 0, iterationsMax: 0, shifts: 0, reason: '' };
  takeSnapshot(start, der);
  if (robust || scheme === 'implicit-euler') {
    out.ok = implicitEuler(
      der,
      work,
      t,
      h,
      robust ? { ...options, iterations: 3 * options.iterations } : options,
      out,
      !robust,
    );
    der.history[0] = 0;
  } else if (scheme === 'tr-bdf2') out.ok = trBdf2(der, work, start, t, h, options, out);
  else if (scheme === 'bdf2') out.ok = bdf2(der, work, start, t, h, options, out);
  else out.ok = midpoint(der, work, start, t, h, options, out);
  if (out.ok) der.history[1] = 1;
  else {
    returnToSnapshot(der, start, work, t);
    der.history[0] = 0;
    evaluateLoads(der, t);
  }
  return out;
}
