/**
 * Implicit steps: backward differences of order 1 and 2 in the joints' rotations, with a step that may change.
 *
 * The unknowns of a step are rotation vectors φ from the current joint rotations, q = qn exp(φ), so no constraint has to keep quaternions at unit length.
 * Rates are w = J(φ)(c0 φ + c2 y₋)/h with y₋ the last joint rotation in the same chart, and another difference gives their rates; then the recursive
 * residual must vanish. The base's origin, where it is free, has three unknowns of its own. Newton uses the exact matrix at every iterate
 * (docs/notes/strand.md#newtons-matrix).
 *
 * NOTE: [Hadap2006 eq. 5] multiplies by ∂F/∂y; it must be the inverse, of ∂F/∂y + (c0/h) ∂F/∂ẏ.
 */

import { pow } from '../../math/rounded/index.ts';
import type { StepRequest } from '../../port.ts';
import { createBulk, isFree, isFreeAt, measureBulk, rotateBack } from './bulk.ts';
import { createDeparture, depart, writeNodes } from './departure.ts';
import { driveBase, passBase, readBase } from './drive.ts';
import { moveAtEnd, writeEndVelocity } from './endVelocity.ts';
import { keepMomentum } from './flight.ts';
import { beginGuard, hasGained, keepReaction } from './guard.ts';
import { leaps, tooFar } from './merit.ts';
import { DRIVEN } from './records.ts';
import type { StrandTree } from './rod.ts';
import { estimateError } from './stepError.ts';
import { type SolveOptions, solveStep } from './stepNewton.ts';
import { type StepWork, setFormula, writePast } from './trial.ts';

export interface StepOptions extends Pick<SolveOptions, 'tolerance' | 'iterations' | 'numeric'> {
  readonly order: 1 | 2;
  /** Largest error of a joint per step [rad]; 0: the length of steps is not controlled. */
  readonly stepError: number;
}

export interface StepResult {
  ok: boolean;
  iterations: number;
  iterationsMax: number;
  substeps: number;
  rejected: number;
  reason: string;
}

const LARGEST_RATIO = 2.4;

/** Largest rotation of joints since the matrix of a first iteration was assembled, for it to be reused [rad]. */
const NEAR_START = 0.02;

function restore(tree: StrandTree, work: StepWork): void {
  const { q, v, rate, originRate, history } = tree;
  if (!tree.departure) history.base.set(work.base0);
  q.set(work.q0);
  v.set(work.v0);
  originRate.set(work.rate0.subarray(0, 3));
  rate.set(work.rate0.subarray(3));
}

/** One step of length h from t; on failure the state is as before. */
function tryStep(tree: StrandTree, work: StepWork, t: number, h: number, order: number, options: StepOptions): number {
  const { linkCount, q, v, history } = tree;
  const { q0, v0, past, phi, predicted } = work;
  const [before] = history.header;
  q0.set(q);
  v0.set(v);
  work.rate0.set(history.rate);
  setFormula(h, before, order);
  if (!tree.departure) driveBase(tree, work.base0, q0, t);
  if (history.header[3] > 0) writePast(past, q0, history.q1, linkCount);
  else past.fill(0);
  const size = 3 * linkCount + 3;
  // along the current rates, and their change over the last step
  const bend = history.header[3] > 0 ? (0.5 * h * h) / before : 0;
  for (let k = 0; k < size; k++) {
    const from = k < 3 * linkCount ? 3 + k : k - 3 * linkCount;
    predicted[k] = h * v0[from] + bend * (v0[from] - history.v1[from]);
  }
  phi.set(predicted);
  let iterations = solveStep(tree, work, t + h, options);
  if (iterations < 0 || tooFar(phi, linkCount)) {
    // fast modes that the step does not resolve spoil the guess: start from the current state
    let spent = Math.abs(iterations);
    restore(tree, work);
    if (!tree.departure) driveBase(tree, work.base0, q0, t);
    phi.fill(0);
    iterations = solveStep(tree, work, t + h, options);
    if (iterations < 0 && tree.departure && !tree.constraints) {
      // links without spin inertia resist spin with GJ alone: at a long lever, forces that are not balanced yet make the matrix indefinite at any h
      spent -= iterations;
      restore(tree, work);
      phi.fill(0);
      iterations = solveStep(tree, work, t + h, { ...options, guarded: true });
    }
    iterations = iterations < 0 || tooFar(phi, linkCount) ? -(spent + Math.abs(iterations)) : spent + iterations;
  }
  if (iterations < 0) restore(tree, work);
  return iterations;
}

/** Largest gains of energy in a step, as parts of it: of second order, and of first. */
const GAIN = 3e-3;
const GAIN_FIRST = 1e-2;

const baseBefore = new Float64Array(DRIVEN);

interface FirstOptions extends StepOptions {
  /** True: accepts a step even if it gains energy. */
  readonly patient: boolean;
}

/** One first-order step: by rates, or by positions if that would gain energy. */
function tryFirst(tree: StrandTree, work: StepWork, t: number, h: number, options: FirstOptions): number {
  if (isFreeAt(tree, t + h)) return tryByPlaces(tree, work, t, h, options);
  beginGuard(tree, t, t + h);
  const iterations = tryStep(tree, work, t, h, 1, options);
  if (iterations < 0) return iterations;
  if (!hasGained(tree, t + h, h, GAIN_FIRST)) {
    keepReaction(tree);
    return iterations;
  }
  restore(tree, work);
  const more = tryByPlaces(tree, work, t, h, options);
  return more < 0 ? more - iterations : more + iterations;
}

/**
 * One first-order step with inertia computed from the nodes' final positions, as in contact. Differences of rates, in axes that turn with the links,
 * lose momentum and may gain energy.
 */
function tryByPlaces(tree: StrandTree, work: StepWork, t: number, h: number, options: FirstOptions): number {
  tree.flight ??= {
    departure: createDeparture(
      tree.linkCount,
      tree.rods.map(({ samples }) => samples.nodePosition.slice()),
    ),
    bulk: createBulk(),
  };
  const { departure, bulk } = tree.flight;
  const { history } = tree;
  baseBefore.set(history.base);
  beginGuard(tree, t, t + h);
  if (tree.base.pins.length > 0) readBase(work.base0, tree, t);
  else work.base0.fill(0);
  writeNodes(tree, departure, t);
  depart(tree, departure, t, h);
  tree.departure = departure;
  const iterations = tryStep(tree, work, t, h, 1, options);
  tree.departure = undefined;
  if (iterations < 0) return iterations;
  const kinetic = writeEndVelocity(tree, departure, t + h);
  if (isFree(tree)) {
    measureBulk(bulk, tree, departure, kinetic);
    rotateBack(bulk, tree);
  }
  history.base.set(departure.driven);
  moveAtEnd(tree, h, t + h, work.v0);
  if (options.patient || !hasGained(tree, t + h, h, GAIN_FIRST)) return iterations;
  restore(tree, work);
  history.base.set(baseBefore);
  return -iterations;
}

/** One second-order step; a first-order step if that would gain energy, because of vibrations that the step does not resolve. */
function trySecond(tree: StrandTree, work: StepWork, t: number, h: number, options: StepOptions): number {
  beginGuard(tree, t, t + h);
  const iterations = tryStep(tree, work, t, h, 2, options);
  if (iterations < 0) return iterations;
  if (isFree(tree)) {
    if (keepMomentum(tree, work.q0, work.v0)) return iterations;
  } else if (!hasGained(tree, t + h, h, GAIN)) {
    keepReaction(tree);
    return iterations;
  }
  restore(tree, work);
  const more = tryByPlaces(tree, work, t, h, { ...options, patient: false });
  return more < 0 ? more - iterations : more + iterations;
}

function commit(tree: StrandTree, { q0, v0, base0 }: StepWork, h: number): void {
  const { history } = tree;
  passBase(tree, base0);
  history.q2.set(history.q1);
  history.q1.set(q0);
  history.v1.set(v0);
  history.header[1] = history.header[0];
  history.header[0] = h;
  history.header[3] = Math.min(2, history.header[3] + 1);
}

/** State of a tree at the start of a step with contact. */
export interface Start {
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly memory: Float64Array;
}

interface TouchingStep {
  readonly t: number;
  readonly dt: number;
  readonly options: StepOptions;
  /** True to continue from the tree's current state instead of from the start. */
  readonly again: boolean;
}

/**
 * One first-order step from `start`, under the tree's contact forces. Returns the iterations, negative if it failed. Velocities have kinks after a
 * contact, so the next step starts without history.
 */
export function stepWithContact(
  tree: StrandTree,
  work: StepWork,
  start: Start,
  { t, dt, options, again }: TouchingStep,
): number {
  const { linkCount, history } = tree;
  const { q0, v0, past, phi } = work;
  let iterations = -1;
  if (again) {
    q0.set(start.q);
    v0.set(start.v);
    setFormula(dt, dt, 1);
    writePast(phi, q0, tree.q, linkCount);
    past.fill(0);
    // forces changed, the place did not: the matrix of the response is as good as a new one for the first iteration
    iterations = solveStep(tree, work, t + dt, { ...options, start: work.sweep.drift < NEAR_START });
    if (iterations >= 0 && tooFar(phi, linkCount)) iterations = -1;
  }
  if (iterations < 0) {
    tree.q.set(start.q);
    tree.v.set(start.v);
    iterations = tryStep(tree, work, t, dt, 1, options);
  }
  history.header.fill(0);
  return iterations;
}

const result: StepResult = { ok: true, iterations: 0, iterationsMax: 0, substeps: 0, rejected: 0, reason: '' };

export function advanceTree(tree: StrandTree, work: StepWork, step: StepRequest, options: StepOptions): StepResult {
  const { t, dt, robust } = step;
  result.ok = true;
  result.iterations = 0;
  result.iterationsMax = 0;
  result.substeps = 0;
  result.rejected = 0;
  if (options.stepError > 0) return advanceControlled(tree, work, step, options);
  const { header } = tree.history;
  // beyond a ratio of 1 + √2 the second order is not stable
  const first = robust || options.order === 1 || header[3] === 0 || dt > LARGEST_RATIO * header[0];
  const iterations = first
    ? tryFirst(tree, work, t, dt, { ...options, patient: robust })
    : trySecond(tree, work, t, dt, options);
  result.iterations = result.iterationsMax = Math.abs(iterations);
  result.substeps = 1;
  // substeps are short enough to accept any solution
  const isForeign = !robust && leaps(work.phi, work.predicted, tree.linkCount);
  if (iterations >= 0 && !isForeign) {
    commit(tree, work, dt);
    return result;
  }
  result.ok = false;
  result.reason =
    iterations < 0
      ? `Newton did not converge in ${-iterations} iterations`
      : 'a joint leaves its course by more than 1 rad in one step';
  return result;
}

/** As many steps as the error allows, the last of which ends at t + dt. */
function advanceControlled(
  tree: StrandTree,
  work: StepWork,
  { t, dt, robust }: StepRequest,
  options: StepOptions,
): StepResult {
  const { header } = tree.history;
  const end = t + dt;
  let now = t;
  let h = header[2] > 0 ? header[2] : 0.01 * dt;
  const smallest = 1e-7 * dt;
  while (now < end) {
    const left = end - now;
    // two equal steps rather than a whole and a tiny one
    const wanted = h >= left ? left : h > 0.5 * left ? 0.5 * left : h;
    const asked = header[3] < 2 ? wanted : Math.min(wanted, LARGEST_RATIO * header[0]);
    const next = asked >= left ? end : now + asked;
    const step = next - now;
    const order = robust || options.order === 1 || header[3] < 2 ? 1 : 2;
    const iterations =
      order === 1
        ? tryFirst(tree, work, now, step, { ...options, patient: robust })
        : trySecond(tree, work, now, step, options);
    result.iterations += Math.abs(iterations);
    result.iterationsMax = Math.max(result.iterationsMax, Math.abs(iterations));
    if (iterations < 0) {
      result.rejected++;
      h = step / 4;
    } else {
      const error = estimateError(tree, work, { h: step, order, tolerance: options.stepError });
      const factor = Math.min(2, Math.max(0.2, 0.9 * pow(error + 1e-12, -1 / (order + 1))));
      if (error > 1) {
        result.rejected++;
        restore(tree, work);
        h = step * Math.min(factor, 0.9);
      } else {
        commit(tree, work, step);
        result.substeps++;
        now = next;
        // a step that was shortened to end in time is no reason against a longer one
        h = Math.max(step * factor, step < h ? Math.min(h, 2 * step * factor) : 0);
      }
    }
    if (h < smallest) {
      result.ok = false;
      result.reason = `error control asks for steps below ${smallest.toPrecision(2)} s`;
      return result;
    }
  }
  header[2] = h;
  return result;
}
