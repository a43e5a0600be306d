/**
 * Implicit time integration: each scheme is one or two stages of the mixed Newton method, over a system of rods and the
 * bodies they are welded to.
 *
 * | scheme           | order | remark                                                            |
 * | tr-bdf2          | 2     | default: self-starting, L-stable, best error at equal cost        |
 * | bdf2             | 2     | one solve per step; starts with one step of implicit Euler        |
 * | implicit-euler   | 1     | dissipates; the fallback when another scheme fails                |
 * | midpoint         | 2     | no dissipation; for smooth motion of rods that stretch            |
 *
 * Generalised-α is not offered: a prototype of it blew up on violent motion, at any spectral radius.
 */
import { square } from '../../math/rounded/index.ts';
import { animates } from '../../scene/animate.ts';
import type { NewtonOptions } from '../mixedNewton.ts';
import { addSolve, type RodStep } from '../rodStep.ts';
import { initializeForces, poseSystem, type System, solveSystem } from './coupling.ts';
import { addElasticGradient } from './energy.ts';
import { hasGained, type Mark, markSystem, turnPlaceOf, turnsFar, willTurn } from './guard.ts';
import { evaluatePins, followCenterline, placePinned } from './kinematics.ts';
import { approach } from './predict.ts';
import type { DerRod } from './rod.ts';
import type { StepStart } from './slip.ts';
import { losesTurns } from './slip.ts';
import { returnToSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts';
import { evaluateLoads, type Stage } from './stage.ts';
import { initializeMotion } from './start.ts';

export type ImplicitScheme = 'tr-bdf2' | 'bdf2' | 'implicit-euler' | 'midpoint';

/** A step in progress: the system, its start, and its cost. */
export interface Move {
  readonly system: System;
  /** One for each rod of the system. */
  readonly starts: readonly StepStart[];
  readonly t: number;
  readonly h: number;
  readonly options: NewtonOptions;
  readonly out: RodStep;
}

const bodyMove = new Float64Array(6);

/** Solves the stage; the accelerations are then a = c(q − q̂). */
function runStage({ system, options, out }: Move, stage: Stage): boolean {
  for (const { der } of system.members) placePinned(der, der.q, der.v);
  if (!addSolve(out, solveSystem(system, stage, options))) return false;
  for (const { der, work } of system.members) {
    for (let d = 0; d < der.size; d++)
      der.acceleration[d] = der.mass[d] !== 0 ? stage.inertia * (der.q[d] - work.qHat[d]) : 0;
  }
  for (const body of system.bodies) body.actions.recordForces(body, stage.inertia, stage.rate);
  return true;
}

function implicitEuler(move: Move, guess: 'extrapolated' | 'start'): boolean {
  const { t, h } = move;
  setEulerStage(move);
  return (
    approach(move, t + h, guess === 'extrapolated' ? h : 0, 'by-acceleration') &&
    runStage(move, { t: t + h, inertia: 1 / (h * h), rate: 1 / h, span: h })
  );
}

const trBdf2 = (move: Move): boolean => trapezoidalStage(move) && bdf2Stage(move);

/** Numbers of TR-BDF2 for a step of length h: the first stage ends at γh. */
export function trBdf2Numbers(h: number): Readonly<Record<'gamma' | 'k' | 'w0' | 'w1' | 'd2', number>> {
  const gamma = 2 - Math.SQRT2;
  const w1 = 1 / (gamma * (2 - gamma));
  return { gamma, k: 0.5 * gamma * h, w1, w0: square(1 - gamma) * w1, d2: (h * (1 - gamma)) / (2 - gamma) };
}

/** The first stage of TR-BDF2, by the trapezoidal rule. */
export function trapezoidalStage(move: Move): boolean {
  const { system, t, h } = move;
  const { gamma, k } = trBdf2Numbers(h);
  for (const { der, work } of system.members) {
    const { q, v, acceleration } = der;
    for (let d = 0; d < der.size; d++) {
      work.qHat[d] = q[d] + 2 * k * v[d] + k * k * acceleration[d];
      work.qRate[d] = q[d] + k * v[d];
    }
  }
  for (const body of system.bodies) {
    const { mass } = body;
    const spin = body.pose.angularVelocity.slice();
    body.actions.setBodyStage(body, (i, { position, velocity, momentum, force, torque }) => [
      position[i] + 2 * k * velocity[i] + (mass > 0 ? (k * k * force[i]) / mass : 0),
      position[i] + k * velocity[i],
      momentum[i] + k * torque[i],
      k * spin[i],
    ]);
  }
  return (
    approach(move, t + gamma * h, gamma * h, 'by-acceleration') &&
    runStage(move, { t: t + gamma * h, inertia: 1 / (k * k), rate: 1 / k })
  );
}

/** The second stage, by BDF2 over the start and the first stage. */
function bdf2Stage(move: Move): boolean {
  const { system, starts, t, h } = move;
  const { gamma, w0, w1, d2 } = trBdf2Numbers(h);
  system.members.forEach(({ der, work }, m) => {
    const { q, v } = der;
    for (let d = 0; d < der.size; d++) {
      work.qRate[d] = w1 * q[d] - w0 * starts[m].q[d];
      work.qHat[d] = work.qRate[d] + d2 * (w1 * v[d] - w0 * starts[m].v[d]);
    }
  });
  for (const body of system.bodies) {
    body.actions.setBodyStage(body, (i, start) => {
      const rate = w1 * body.position[i] - w0 * start.position[i];
      const hat = rate + d2 * (w1 * body.velocity[i] - w0 * start.velocity[i]);
      return [hat, rate, w1 * body.momentum[i] - w0 * start.momentum[i], w1 * body.psi[i]];
    });
  }
  return (
    approach(move, t + h, (1 - gamma) * h, 'by-acceleration') &&
    runStage(move, { t: t + h, inertia: 1 / (d2 * d2), rate: 1 / d2 })
  );
}

/** Systems with bodies are rejected at compile time: a body has no history here. */
function bdf2(move: Move): boolean {
  const { system, starts, t, h } = move;
  const [{ der, work }] = system.members;
  const { q, v, size, qBefore, vBefore, history } = der;
  // variable step: r = h/h₋₁; equal steps give the usual 4/3, 1/3, 2/3
  const previous = history[0];
  let solved: boolean;
  if (previous === 0) solved = implicitEuler(move, 'extrapolated');
  else {
    const r = h / previous;
    const a1 = square(1 + r) / (1 + 2 * r);
    const a0 = (r * r) / (1 + 2 * r);
    const b = (h * (1 + r)) / (1 + 2 * r);
    for (let d = 0; d < size; d++) {
      work.qRate[d] = a1 * q[d] - a0 * qBefore[d];
      work.qHat[d] = work.qRate[d] + b * (a1 * v[d] - a0 * vBefore[d]);
    }
    solved =
      approach(move, t + h, h, 'by-acceleration') && runStage(move, { t: t + h, inertia: 1 / (b * b), rate: 1 / b });
  }
  if (!solved) return false;
  qBefore.set(starts[0].q);
  vBefore.set(starts[0].v);
  history[0] = h;
  return true;
}

function midpoint(move: Move): boolean {
  const { system, starts, t, h, out } = move;
  const half = 0.5 * h;
  for (const { der, work } of system.members) {
    work.qRate.set(der.q);
    for (let d = 0; d < der.size; d++) work.qHat[d] = der.q[d] + half * der.v[d];
  }
  for (const body of system.bodies) {
    body.actions.setBodyStage(body, (k, { position, velocity, momentum }) => [
      position[k] + half * velocity[k],
      position[k],
      momentum[k],
      0,
    ]);
  }
  if (
    !approach(move, t + half, half, 'by-velocity') ||
    !runStage(move, { t: t + half, inertia: 1 / (half * half), rate: 1 / half })
  )
    return false;
  // the end is the reflection of the start in the midpoint
  for (const body of system.bodies) {
    const { start, psi } = body;
    for (let k = 0; k < 3; k++) {
      bodyMove[k] = body.position[k] - start.position[k];
      bodyMove[3 + k] = psi[k];
    }
    body.actions.moveBody(body, bodyMove, 0, 1);
    for (let k = 0; k < 3; k++) {
      body.velocity[k] = 2 * body.velocity[k] - start.velocity[k];
      body.momentum[k] = 2 * body.momentum[k] - start.momentum[k];
    }
    body.actions.syncPose(body);
  }
  return system.members.every(({ der, work }, m) => {
    const { q, v } = der;
    for (let d = 0; d < der.size; d++) {
      q[d] = 2 * q[d] - starts[m].q[d];
      v[d] = 2 * v[d] - starts[m].v[d];
    }
    evaluatePins(der, t + h);
    placePinned(der, q, v);
    der.acceleration.fill(0);
    if (followCenterline(der, work.edgeWork) && addElasticGradient(undefined, der, undefined, undefined)) return true;
    out.reason = 'the rod folded onto itself at the end of the step';
    return false;
  });
}

/** Stage of implicit Euler from the start of the step, h long. */
export function setEulerStage({ system, starts, h }: Pick<Move, 'system' | 'starts' | 'h'>): void {
  system.members.forEach(({ der, work }, m) => {
    work.qRate.set(starts[m].q);
    for (let d = 0; d < der.size; d++) work.qHat[d] = starts[m].q[d] + h * starts[m].v[d];
  });
  for (const body of system.bodies) {
    body.actions.setBodyStage(body, (k, { position, velocity, momentum }) => [
      position[k] + h * velocity[k],
      position[k],
      momentum[k],
      0,
    ]);
  }
}

/**
 * Writes the first guess of an implicit Euler step and evaluates poses and loads; returns an error, or an empty string. `starts`: the current state.
 */
export function startEuler(
  system: System,
  starts: readonly StepStart[],
  t: number,
  h: number,
  options: NewtonOptions,
): string {
  const out: RodStep = { ok: false, iterations: 0, iterationsMax: 0, shifts: 0, reason: '' };
  const move: Move = { system, starts, t, h, options, out };
  for (const { der } of system.members) der.material?.advance();
  for (const body of system.bodies) body.actions.beginStep(body);
  setEulerStage(move);
  if (!approach(move, t + h, h, 'by-velocity')) return out.reason;
  const stage: Stage = { t: t + h, inertia: 1 / (h * h), rate: 1 / h, span: h };
  return poseSystem(system, stage) ? '' : 'an edge has no length or a position is not a number';
}

/** Solves an implicit Euler step from the current state; `starts`: its start. On failure the state is arbitrary. */
export function resumeEuler(
  system: System,
  starts: readonly StepStart[],
  t: number,
  h: number,
  options: NewtonOptions,
): RodStep {
  const out: RodStep = { ok: false, iterations: 0, iterationsMax: 0, shifts: 0, reason: '' };
  const move: Move = { system, starts, t, h, options, out };
  setEulerStage(move);
  out.ok = runStage(move, { t: t + h, inertia: 1 / (h * h), rate: 1 / h, span: h }) && keepsTwist(move);
  for (const body of system.bodies) body.actions.syncPose(body);
  for (const { der } of system.members) {
    der.history[0] = 0;
    der.history[1] = 2;
  }
  return out;
}

/** Why a step that lost turns of twist is rejected. */
export const TURNED_OVER = 'an edge turned over on the way to the solution, and the twist with it';

/** False if the search for a solution lost turns of twist; without shifts of a matrix it cannot. */
function keepsTwist({ system, starts, out }: Move): boolean {
  if (out.shifts === 0) return true;
  for (let m = 0; m < system.members.length; m++) {
    if (!losesTurns(system.members[m].der, starts[m])) continue;
    out.ok = false;
    out.reason = TURNED_OVER;
    return false;
  }
  return true;
}

/** After a step with contact the stored accelerations may be those of an impact: recomputes them. */
export function forgetContact(system: System, t: number): void {
  if (!system.members.some(({ der }) => der.history[1] === 2)) return;
  for (const { der, work } of system.members) {
    initializeMotion(der, work, t);
    der.history[0] = 0;
    der.history[1] = 1;
  }
  initializeForces(system, t);
}

/** Largest relative energy gains: of a second-order step, and of the implicit Euler step that replaces it. */
const GAIN = 1e-2;
const GAIN_EULER = 2e-2;

type RodsMove = Move & { readonly starts: readonly Snapshot[] };

/** Restores the start of the step. */
function takeBack({ system, starts, t }: RodsMove): void {
  for (const body of system.bodies) body.actions.cancelStep(body);
  system.members.forEach(({ der, work }, m) => {
    returnToSnapshot(der, starts[m], work, t);
    der.history[0] = 0;
    evaluateLoads(der, t);
  });
}

function stepEuler(move: RodsMove, guess: 'extrapolated' | 'start'): boolean {
  const solved = implicitEuler(move, guess);
  for (const { der } of move.system.members) der.history[0] = 0;
  return solved;
}

/** Records the start of a step with the properties of its end: what properties that change give to a rod is no gain of the step. */
function markStart({ system, t, h }: RodsMove): Mark {
  for (const { der } of system.members) der.adopt?.(t + h);
  const mark = markSystem(system, t);
  for (const { der } of system.members) der.adopt?.(t);
  return mark;
}

const growsRigidly = ({ rod }: DerRod): boolean => rod.inextensible && animates(rod, 'length');

/** A second-order step, or implicit Euler if that would gain energy (guard.ts). */
function stepGuarded(move: RodsMove, advance: (move: Move) => boolean): boolean {
  const { system, starts, t, h, out } = move;
  // the history of BDF2 is overwritten by a step; bodies move the pins of their rods
  const early = advance === bdf2 || system.bodies.length > 0 || system.members.some(({ der }) => willTurn(der, h));
  let before = early ? markStart(move) : undefined;
  if (!advance(move)) return false;
  // natural strain that changes, and inextensible edges that grow, do work of their own
  if (system.members.some(({ der }) => der.material?.law.naturalFactor || growsRigidly(der))) return true;
  if (!system.members.some(({ der }, m) => turnsFar(starts[m].q, 0, der.q, turnPlaceOf(der)))) return true;
  if (system.pair) {
    // each rod is judged separately, so that the result does not depend on which rods a kernel moves together
    out.reason = 'an edge turned far';
    return false;
  }
  if (!before) {
    takeBack(move);
    before = markStart(move);
    if (!advance(move)) return false;
  }
  if (!hasGained(system, { starts, before, t: t + h, h }, GAIN)) return true;
  takeBack(move);
  for (const body of system.bodies) body.actions.beginStep(body);
  if (!stepEuler(move, 'start')) return false;
  if (!hasGained(system, { starts, before, t: t + h, h }, GAIN_EULER)) return true;
  out.reason = 'the step would create energy';
  return false;
}

/** One step of a system; on failure restores it. */
export function stepImplicit(
  { system, starts, t, h, options }: Omit<RodsMove, 'out'>,
  { scheme, robust }: { readonly scheme: ImplicitScheme; readonly robust: boolean },
): RodStep {
  const out: RodStep = { ok: false, iterations: 0, iterationsMax: 0, shifts: 0, reason: '' };
  if (scheme !== 'implicit-euler' && !robust) forgetContact(system, t);
  system.members.forEach(({ der }, m) => {
    der.material?.advance();
    takeSnapshot(starts[m], der);
  });
  for (const body of system.bodies) body.actions.beginStep(body);
  const move: RodsMove = {
    system,
    starts,
    t,
    h,
    options: robust ? { ...options, iterations: 3 * options.iterations } : options,
    out,
  };
  if (robust || scheme === 'implicit-euler') out.ok = stepEuler(move, robust ? 'start' : 'extrapolated');
  else if (scheme === 'midpoint') out.ok = midpoint(move);
  else out.ok = stepGuarded(move, scheme === 'tr-bdf2' ? trBdf2 : bdf2);
  if (out.ok && keepsTwist(move)) {
    // from the state alone, so that a restored run gives the same bits
    for (const body of system.bodies) body.actions.syncPose(body);
    for (const { der } of system.members) der.history[1] = 1;
    return out;
  }
  takeBack(move);
  return out;
}
