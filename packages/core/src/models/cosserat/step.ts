/**
 * Time integration.
 *
 * | scheme         | order | remark                                                                          |
 * | tr-bdf2        | 2     | default: self-starting, L-stable, one trapezoidal and one BDF2 stage [Bank1985] |
 * | implicit-euler | 1     | dissipates; the fallback when another scheme fails                              |
 * | midpoint       | 2     | no dissipation; for smooth motion of rods that shear and stretch                |
 * | verlet         | 2     | explicit.ts                                                                     |
 * The first step after a start or a jump of forces needs accelerations and the forces of rigid edges: both come from one implicit Euler step of a
 * thousandth of the step, which is then undone. NOTE: the printed scheme is not offered (docs/notes/cosserat.md#the-printed-scheme).
 */

import { square } from '../../math/rounded/index.ts';
import { animates } from '../../scene/animate.ts';
import type { NewtonOptions } from '../mixedNewton.ts';
import { addSolve, type RodStep } from '../rodStep.ts';
import { cloneArrays, copyArrays } from '../snapshot.ts';
import { createMark, hasGained, hasTurnedFar, type Mark, markRod } from './guard.ts';
import {
  evaluatePins,
  measureEdges,
  measureStrain,
  placePinned,
  rememberHeldFrames,
  spreadHeldTwist,
  turnQuaternion,
} from './kinematics.ts';
import { solveStage } from './newton.ts';
import type { CosseratRod } from './rod.ts';
import type { Workspace } from './stage.ts';

export type ImplicitScheme = 'tr-bdf2' | 'implicit-euler' | 'midpoint';

const STATE = ['q', 'v', 'acceleration', 'edgeForce', 'heldMemory'] as const;

/** State at the start of a step, for restoring it. */
export interface Snapshot extends Readonly<Record<(typeof STATE)[number], Float64Array>> {
  /** Δ and v of the first of two stages. */
  readonly stageMove: Float64Array;
  readonly stageVelocity: Float64Array;
  /** For the balance of energy. */
  readonly before: Mark;
  readonly after: Mark;
}

export function createSnapshot(cos: CosseratRod): Snapshot {
  return {
    ...cloneArrays(cos, STATE),
    stageMove: cos.v.slice(),
    stageVelocity: cos.v.slice(),
    before: createMark(cos),
    after: createMark(cos),
  };
}

export function takeSnapshot(snapshot: Snapshot, cos: CosseratRod): void {
  copyArrays(snapshot, cos, STATE);
}

export function returnToSnapshot(cos: CosseratRod, snapshot: Snapshot): void {
  copyArrays(cos, snapshot, STATE);
}

/** A step of a rod from t to t + h. */
export interface Move {
  readonly cos: CosseratRod;
  readonly work: Workspace;
  readonly start: Snapshot;
  readonly t: number;
  readonly h: number;
  readonly options: NewtonOptions;
  readonly out: RodStep;
}

const turned = new Float64Array(3);

/** First guess: extrapolates with velocity (and acceleration) over `h`, limited so that nothing turns by more than half a radian. */
function predict({ cos }: Move, h: number): void {
  const { q, v, acceleration, nodeCount, edgeCount, rod } = cos;
  const half = 0.5 * h * h;
  const move = (d: number): number => h * v[d] + half * acceleration[d];
  let largest = 0;
  for (let j = 0; j < edgeCount; j++) {
    const a = 6 * j;
    const b = j + 1 < nodeCount ? a + 6 : 0;
    let turn = 0;
    let way = 0;
    for (let k = 0; k < 3; k++) {
      turn += square(move(a + 3 + k));
      way += square(move(b + k) - move(a + k));
    }
    // lengths, not components: the guess must not depend on the axes
    largest = Math.max(largest, Math.sqrt(turn), Math.sqrt(way) / rod.edgeLengthRest[j]);
  }
  if (!(largest < Infinity)) return;
  const fraction = largest > 0.5 ? 0.5 / largest : 1;
  for (let i = 0; i < nodeCount; i++) for (let k = 0; k < 3; k++) q[7 * i + k] += fraction * move(6 * i + k);
  for (let j = 0; j < edgeCount; j++) {
    for (let k = 0; k < 3; k++) turned[k] = fraction * move(6 * j + 3 + k);
    turnQuaternion(q, 7 * j + 3, turned, 0);
  }
}

/** Pins at the stage's time, a first guess `ahead` of the current state, and Newton; for `strainBefore` see Stage. */
function runStage(move: Move, t: number, rate: number, ahead: number, strainBefore?: Float64Array): boolean {
  const { cos, work, options, out } = move;
  evaluatePins(cos, t);
  if (ahead > 0) predict(move, ahead);
  if (!spreadHeldTwist(cos)) {
    out.reason = 'a clamp turns by more than a joint can count in one step';
    return false;
  }
  placePinned(cos, 'motion');
  const newton = solveStage(cos, work, { t, rate, descent: 0, ...(strainBefore && { strainBefore }) }, options);
  if (!addSolve(out, newton)) return false;
  for (let d = 0; d < cos.size; d++) cos.acceleration[d] = cos.mass[d] > 0 ? work.acceleration[d] : 0;
  rememberHeldFrames(cos);
  return true;
}

function implicitEuler(move: Move, h: number, guess: 'extrapolated' | 'start'): boolean {
  const { cos, work } = move;
  work.base.set(cos.q);
  work.moveHat.fill(0);
  work.velocityHat.set(cos.v);
  // the rate of strain is that of the motion, at the lengths of the end
  cos.adopt?.(move.t + h);
  measureEdges(cos);
  work.strainBefore.set(cos.edgeStrain);
  return runStage(move, move.t + h, 1 / h, guess === 'extrapolated' ? h : 0, work.strainBefore);
}

/** Accelerations and edge forces at the start. */
function initializeMotion(move: Move): boolean {
  const { cos, start } = move;
  cos.acceleration.fill(0);
  if (!implicitEuler(move, 1e-3 * move.h, 'start')) return false;
  cos.q.set(start.q);
  cos.v.set(start.v);
  cos.heldMemory.set(start.heldMemory);
  cos.history[0] = 1;
  return true;
}

function trBdf2(move: Move): boolean {
  const { cos, work, start, t, h } = move;
  const { size, v, acceleration } = cos;
  const gamma = 2 - Math.SQRT2;
  const k = 0.5 * gamma * h;
  work.base.set(cos.q);
  for (let d = 0; d < size; d++) {
    work.moveHat[d] = k * v[d];
    work.velocityHat[d] = v[d] + k * acceleration[d];
  }
  if (!runStage(move, t + gamma * h, 1 / k, gamma * h)) return false;
  start.stageMove.set(work.move);
  start.stageVelocity.set(v);
  const w1 = 1 / (gamma * (2 - gamma));
  const w0 = square(1 - gamma) * w1;
  const d2 = (h * (1 - gamma)) / (2 - gamma);
  for (let d = 0; d < size; d++) {
    work.moveHat[d] = w1 * start.stageMove[d];
    work.velocityHat[d] = w1 * v[d] - w0 * start.v[d];
  }
  return runStage(move, t + h, 1 / d2, (1 - gamma) * h);
}

function midpoint(move: Move): boolean {
  const { cos, work, start, t, h } = move;
  work.base.set(cos.q);
  work.moveHat.fill(0);
  work.velocityHat.set(cos.v);
  if (!runStage(move, t + 0.5 * h, 2 / h, 0.5 * h)) return false;
  // the end is the reflection of the start in the midpoint
  const { q, v, nodeCount, edgeCount, size } = cos;
  for (let i = 0; i < nodeCount; i++) for (let k = 0; k < 3; k++) q[7 * i + k] = 2 * q[7 * i + k] - start.q[7 * i + k];
  for (let j = 0; j < edgeCount; j++) turnQuaternion(q, 7 * j + 3, work.move, 6 * j + 3);
  for (let d = 0; d < size; d++) v[d] = 2 * v[d] - start.v[d];
  evaluatePins(cos, t + h);
  placePinned(cos, 'motion');
  if (measureStrain(cos)) {
    rememberHeldFrames(cos);
    return true;
  }
  move.out.reason = 'a joint turned too far at the end of the step';
  return false;
}

/** Largest accepted gains of energy, relative to it: of a second-order step, and of the implicit Euler step that replaces it. */
const GAIN = 1e-2;
const GAIN_EULER = 2e-2;

/** Records the start of a step with the properties of its end: what properties that change give to a rod is no gain of the step. */
function markStart({ cos, start, t, h }: Move): void {
  cos.adopt?.(t + h);
  if (cos.adopt) measureStrain(cos);
  markRod(start.before, cos, t);
  cos.adopt?.(t);
  if (cos.adopt) measureStrain(cos);
}

/** TR-BDF2, or implicit Euler if that would gain energy (guard.ts). */
function stepGuarded(move: Move): boolean {
  const { cos, work, start, t, h, out } = move;
  const { before, after } = start;
  // inextensible edges that grow do work of their own
  const measured = !(cos.rod.inextensible && animates(cos.rod, 'length'));
  if (measured) markStart(move);
  if (!trBdf2(move)) return false;
  if (!measured || !hasTurnedFar(cos, before)) return true;
  const taken = { work, start, before, after, t: t + h, h };
  if (!hasGained(cos, taken, GAIN)) return true;
  returnToSnapshot(cos, start);
  evaluatePins(cos, t);
  measureStrain(cos);
  if (!implicitEuler(move, h, 'start')) return false;
  if (!hasGained(cos, taken, GAIN_EULER)) return true;
  out.reason = 'the step would create energy';
  return false;
}

/** One step; on failure restores the rod. */
export function stepImplicit(
  asked: Move,
  { scheme, robust }: { readonly scheme: ImplicitScheme; readonly robust: boolean },
): void {
  const { cos, start, t, h, options, out } = asked;
  takeSnapshot(start, cos);
  const known = cos.history[0];
  const move: Move = robust ? { ...asked, options: { ...options, iterations: 3 * options.iterations } } : asked;
  if (robust || scheme === 'implicit-euler') {
    out.ok = implicitEuler(move, h, robust ? 'start' : 'extrapolated');
    cos.history[0] = 1;
  } else if (scheme === 'midpoint') {
    out.ok = midpoint(move);
  } else out.ok = (cos.history[0] > 0 || initializeMotion(move)) && stepGuarded(move);
  if (out.ok) return;
  returnToSnapshot(cos, start);
  cos.history[0] = known;
  evaluatePins(cos, t);
  measureStrain(cos);
}
