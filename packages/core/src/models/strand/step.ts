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
import { createBulk, isFree, measureBulk, rotateBack } from './bulk.ts';
import { prepareConstraints } from './constraints.ts';
import { createDeparture, depart, writeNodes } from './departure.ts';
import { driveBase, passBase, readBase } from './drive.ts';
import { moveAtEnd, writeEndVelocity } from './endVelocity.ts';
import { keepMomentum } from './flight.ts';
import { beginGuard, hasGained } from './guard.ts';
import { meetConstraints } from './meetConstraints.ts';
import { roundingOf, sizeOf, tooFar, turnsFar } from './merit.ts';
import { factorShifted, factorSweep, solveSweep } from './newton.ts';
import { writeNumericDirection } from './numeric.ts';
import { DRIVEN } from './records.ts';
import { evaluateResidual } from './residual.ts';
import type { StrandTree } from './rod.ts';
import { estimateError } from './stepError.ts';
import { formula, placeTrial, type StepWork, setFormula, writePast } from './trial.ts';

export interface StepOptions {
  readonly order: 1 | 2;
  /** Newton stops when no joint turns by more [rad], or would in the next iteration. */
  readonly tolerance: number;
  readonly iterations: number;
  /** Largest error of a joint a step [rad]; 0: steps as they are given. */
  readonly stepError: number;
  /** Newton's matrix by differences. */
  readonly numeric: boolean;
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

interface SolveOptions extends StepOptions {
  /** True to start with the matrix that is there. */
  readonly start?: boolean;
  /** True to replace directions that turn a joint far, if the matrix is indefinite, by directions of descent. */
  readonly guarded?: boolean;
}

/**
 * Newton for one step to time t; φ starts as it is in `work.phi`. Returns the iterations, negative when it failed.
 */
function solveStep(tree: StrandTree, work: StepWork, t: number, options: SolveOptions): number {
  const { linkCount, residual, reach } = tree;
  const { phi, trial, direction, sweep } = work;
  const size = 3 * linkCount + 3;
  const rows = tree.constraints?.count ?? 0;
  if (work.lambda.length !== rows) {
    work.lambda = new Float64Array(rows);
    work.lambdaNext = new Float64Array(rows);
  }
  const { lambda, lambdaNext } = work;
  sweep.columns = tree.departure ? 6 : 18;
  sweep.coefficient = formula.c0 / formula.h;
  placeTrial(tree, work, phi, true);
  evaluateResidual(tree, t, tree.originRate, true);
  if (tree.constraints) prepareConstraints(tree.constraints, tree, formula.h);
  let merit = sizeOf(tree);
  // forces that did not change ask for nothing
  if (!tree.constraints && merit <= roundingOf(tree)) return 0;
  let before = 0;
  let keep = options.start === true && !tree.constraints;
  for (let iteration = 1; iteration <= options.iterations; iteration++) {
    if (!(merit < Number.POSITIVE_INFINITY)) return -iteration;
    const { constraints } = tree;
    if (options.numeric && !constraints) {
      if (!writeNumericDirection(direction, tree, work, phi, t)) return -iteration;
    } else {
      if (!keep && !factorSweep(tree, sweep, 0)) return -iteration;
      solveSweep(direction, tree, sweep, residual, undefined, undefined);
      if (options.guarded && sweep.negative > 0 && turnsFar(direction, linkCount)) {
        if (!factorShifted(tree, sweep)) return -iteration;
        solveSweep(direction, tree, sweep, residual, undefined, undefined);
      }
      if (constraints) {
        lambda.set(constraints.force);
        if (!meetConstraints(direction, lambdaNext, constraints, tree, sweep)) return -iteration;
      }
    }
    let turned = 0;
    for (let k = 0; k < 3 * linkCount; k++) turned = Math.max(turned, Math.abs(direction[k]));
    let moved = 0;
    for (let k = 3 * linkCount; k < size; k++) moved = Math.max(moved, Math.abs(direction[k]) / reach);
    const largest = Math.max(turned, moved);
    if (!(largest < Number.POSITIVE_INFINITY)) return -iteration;
    let share = Math.min(1, 1 / turned);
    let improved = false;
    const natural = !constraints && !options.numeric;
    for (let cut = 0; cut < 12; cut++) {
      for (let k = 0; k < size; k++) trial[k] = phi[k] + share * direction[k];
      if (constraints) {
        for (let r = 0; r < constraints.count; r++)
          constraints.force[r] = (1 - share) * lambda[r] + share * lambdaNext[r];
      }
      placeTrial(tree, work, trial, true);
      evaluateResidual(tree, t, tree.originRate, false);
      const next = sizeOf(tree);
      if (next <= merit * (1 - 1e-4 * share) || next <= roundingOf(tree)) {
        merit = next;
        improved = true;
        break;
      }
      // at the floor of rounding a full step is as good as it gets
      if (largest < options.tolerance) {
        improved = true;
        break;
      }
      if (natural && share * largest < NATURAL && isNearer(tree, work, share, largest)) {
        merit = next;
        improved = true;
        break;
      }
      share *= 0.5;
    }
    if (!improved) {
      if (!keep) return -iteration;
      // the matrix that was kept is to blame
      keep = false;
      placeTrial(tree, work, phi, true);
      evaluateResidual(tree, t, tree.originRate, false);
      continue;
    }
    phi.set(trial);
    sweep.drift += share * largest;
    // the next direction shrinks at the least as this one did; near the solution, by the square
    if (share === 1 && largest < Math.max(options.tolerance, SHRINK * before)) {
      if (largest < options.tolerance || largest * largest < options.tolerance * before) return iteration;
    }
    if (merit <= roundingOf(tree)) return iteration;
    keep = !constraints && share === 1 && largest < KEEP && !(keep && largest > 0.3 * before);
    before = share === 1 ? largest : 0;
  }
  return -options.iterations;
}

/**
 * Whether the direction that the same matrix gives at the trial is shorter [Deuflhard2011 §3.3]. Residuals do not tell: a curved hair
 * that twists swings its end, and where it swings by the square of the angle, inertia over h² makes a residual that is larger than
 * the one that is left, though the next iteration takes it away. Judged by residuals alone, Newton crept along such valleys by hundredths
 * of its directions, and the more slowly the smaller the step was that it was cut to: of 60 scenes of two hairs on the edge of a box some
 * had steps of 20 to 55 pieces, and one did not come to its end; now they are cut about as often as with der.
 */
function isNearer(tree: StrandTree, { next, sweep }: StepWork, share: number, largest: number): boolean {
  const { linkCount, reach, residual } = tree;
  solveSweep(next, tree, sweep, residual, undefined, undefined);
  let left = 0;
  for (let k = 0; k < 3 * linkCount; k++) left = Math.max(left, Math.abs(next[k]));
  for (let k = 3 * linkCount; k < 3 * linkCount + 3; k++) left = Math.max(left, Math.abs(next[k]) / reach);
  return left <= (1 - 0.25 * share) * largest;
}

/** How far joints may turn [rad] for the matrix to say so. */
const NATURAL = 0.2;

/** What a direction must shrink by for the next to be foretold. */
const SHRINK = 0.1;

/** After a direction that is smaller [rad] the matrix is kept: what it is wrong by, the next direction is smaller by. */
const KEEP = 5e-4;

/** How far joints may have turned since the matrix of a first iteration was made [rad]. */
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
    // fast modes that the step does not resolve spoil the guess: from where the strand is
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
  /** A step that gains energy all the same is taken. */
  readonly patient: boolean;
}

/** One step of first order: by rates where that does not gain energy, else by places. */
function tryFirst(tree: StrandTree, work: StepWork, t: number, h: number, options: FirstOptions): number {
  if (isFree(tree)) return tryByPlaces(tree, work, t, h, options);
  beginGuard(tree, t);
  const iterations = tryStep(tree, work, t, h, 1, options);
  if (iterations < 0 || !hasGained(tree, t + h, h, GAIN_FIRST)) return iterations;
  restore(tree, work);
  const more = tryByPlaces(tree, work, t, h, options);
  return more < 0 ? more - iterations : more + iterations;
}

/**
 * One step of first order. Differences of rates, in axes that turn with the links, lose momentum and may gain energy: this one takes inertia
 * from where its nodes come to, as in contact.
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
  beginGuard(tree, t);
  if (tree.base.pins.length > 0) readBase(work.base0, tree, t);
  else work.base0.fill(0);
  depart(tree, departure, t, h);
  writeNodes(tree, departure);
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

/** One step of second order; of first, where it would gain energy: there are vibrations that the step does not resolve. */
function trySecond(tree: StrandTree, work: StepWork, t: number, h: number, options: StepOptions): number {
  beginGuard(tree, t);
  const iterations = tryStep(tree, work, t, h, 2, options);
  if (iterations < 0) return iterations;
  if (isFree(tree) ? keepMomentum(tree, work.q0, work.v0) : !hasGained(tree, t + h, h, GAIN)) return iterations;
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

/** What a tree was at the start of a step with contact. */
export interface Start {
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly memory: Float64Array;
}

/**
 * One step of first order from `start`, under the tree's contact forces; `again`: going on from where it came to.
 * Returns the iterations, negative when it failed. What follows a contact has kinks, so the next step has no past.
 */
export function stepWithContact(
  tree: StrandTree,
  work: StepWork,
  start: Start,
  t: number,
  dt: number,
  options: StepOptions,
  again: boolean,
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

export function advanceTree(
  tree: StrandTree,
  work: StepWork,
  t: number,
  dt: number,
  options: StepOptions,
  robust: boolean,
): StepResult {
  result.ok = true;
  result.iterations = 0;
  result.iterationsMax = 0;
  result.substeps = 0;
  result.rejected = 0;
  if (options.stepError > 0) return advanceControlled(tree, work, t, dt, options, robust);
  const { header } = tree.history;
  // beyond a ratio of 1 + √2 the second order is not stable
  const first = robust || options.order === 1 || header[3] === 0 || dt > LARGEST_RATIO * header[0];
  const iterations = first
    ? tryFirst(tree, work, t, dt, { ...options, patient: robust })
    : trySecond(tree, work, t, dt, options);
  result.iterations = result.iterationsMax = Math.abs(iterations);
  result.substeps = 1;
  if (iterations >= 0) commit(tree, work, dt);
  else {
    result.ok = false;
    result.reason = `Newton did not converge in ${-iterations} iterations`;
  }
  return result;
}

/** As many steps as the error allows, the last of which ends at t + dt. */
function advanceControlled(
  tree: StrandTree,
  work: StepWork,
  t: number,
  dt: number,
  options: StepOptions,
  robust: boolean,
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
        // a step that was cut short to end in time says nothing against a longer one
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
