/**
 * Follows a branch of equilibria by its arc length (Keller 1977), through folds, where the parameter turns back.
 *
 * A point of the branch is the rod's unknowns x and the parameter t. The next one lies ds farther along the tangent (ẋ, ṫ):
 *     r(x, t) = 0,    ⟨ẋ, Δx⟩ + ṫ Δt/T² = ds,
 * with T the range of the parameter, and ⟨,⟩ the mean over the nodes of displacements divided by the rod's length and of angles divided by a turn.
 * Each Newton step solves twice with the unshifted stiffness matrix, for −r and for −∂r/∂t, and combines the two. Between points, a change of sign of
 * ṫ shows a fold, and a change of the number of negative modes without a fold shows a bifurcation; both are then located.
 */
import { square } from '../math/rounded/index.ts';
import type { BranchEnd, BranchOptions, BranchPoint, BranchPointKind } from '../model.ts';
import { type BranchRod, createBranchProblem } from './branchProblem.ts';
import {
  createTrace,
  type Direction,
  differentiate,
  dot,
  dotDirections,
  findMode,
  findTangent,
  MAX_ITERATIONS,
  solveStep,
  type Trace,
} from './branchTrace.ts';
import { type Correction, createRestTest } from './convergence.ts';
import { measureBending, measureMove, measureScales, solveAtRest } from './newton.ts';
import type { Verdict } from './search.ts';

interface SolveOutcome {
  readonly trouble: string;
  readonly iterations: number;
}

/**
 * Moves by the whole of `step`: a Newton step, or a prediction, which leaves the edges' forces as they are. Pins have then moved alone by as much as several
 * edges, and forces from such stretch would be absurd. Returns the reason if the move is impossible, else ''.
 */
function move({ problem, stepped }: Trace, how: 'predict' | 'correct'): string {
  const fraction = problem.limitStep();
  if (!(fraction > 0)) return 'the Newton step is not a number';
  if (fraction < 1) return 'an edge turns too far';
  for (let d = 0; d < stepped.length; d++) stepped[d] += problem.step[d];
  if (how === 'predict') problem.moveFree(1);
  else problem.takeStep(1);
  return problem.follow();
}

/** Newton's method for the point at arc length ds from the held point. */
function correct(trace: Trace, ds: number): SolveOutcome {
  const { problem, tangent, options, range, byParameter, stepped } = trace;
  const { step } = problem;
  const start = problem.parameter;
  stepped.fill(0);
  const placed = problem.place(start + ds * tangent.t) || problem.evaluateRight();
  if (placed) return { trouble: placed, iterations: 0 };
  for (let d = 0; d < step.length; d++) step[d] = ds * tangent.x[d];
  let trouble = move(trace, 'predict');
  const test = createRestTest(options.tolerance, { keepsBranch: true });
  for (let iterations = 0; iterations < MAX_ITERATIONS && !trouble; iterations++) {
    trouble = problem.linearize('between');
    if (trouble) break;
    const right = step.slice();
    const errors = problem.edgeErrors.slice();
    trouble = differentiate(trace);
    if (trouble) break;
    solveStep(trace, right, errors);
    const missing = ds - dot(trace, tangent.x, stepped) - (tangent.t * (problem.parameter - start)) / (range * range);
    const change =
      (missing - dot(trace, tangent.x, right)) / (tangent.t / (range * range) + dot(trace, tangent.x, byParameter));
    trouble = problem.place(problem.parameter + change) || problem.evaluateRight();
    if (trouble) break;
    solveStep(trace, step, problem.edgeErrors);
    const scales = measureScales(problem, { factored: false });
    const correction: Correction = {
      move: measureMove(problem),
      ...problem.measureEdges(scales.rounding),
      whole: true,
      residual: Infinity,
    };
    const decision = test.decide(correction, scales, () => measureBending(problem, scales));
    trouble = move(trace, 'correct');
    const isSettled = decision === 'converged' && Math.abs(change) <= 1e-9 * range;
    if (isSettled && !trouble) return { trouble: '', iterations: iterations + 1 };
    if (decision === 'rounding' || decision === 'stuck') trouble ||= 'rounding hides the branch';
  }
  return { trouble: trouble || `no convergence in ${MAX_ITERATIONS} iterations`, iterations: MAX_ITERATIONS };
}

/** Moves to the last point of the branch, at the end of the range. */
function goToBound({ problem, tangent, options }: Trace, bound: number): SolveOutcome {
  const { step } = problem;
  const ds = (bound - problem.parameter) / tangent.t;
  const trouble = problem.place(bound) || problem.evaluateRight();
  if (trouble) return { trouble, iterations: 0 };
  for (let d = 0; d < step.length; d++) step[d] = ds * tangent.x[d];
  problem.moveFree(problem.limitStep());
  const found = solveAtRest(problem, { tolerance: options.tolerance, iterations: 60, keepsBranch: true });
  return { trouble: found.converged ? '' : found.reason, iterations: found.iterations };
}

/** The part of the branch from the held point to the next one. */
interface BranchInterval {
  readonly ds: number;
  readonly after: Direction;
  /** Verdicts at both ends of the interval. */
  readonly verdicts: readonly [Verdict, Verdict];
}

/** Event between the held point and the next point. */
function findEvent(
  { tangent }: Trace,
  { after, verdicts }: BranchInterval,
): 'fold' | 'bifurcation' | 'both' | undefined {
  const [before, behind] = verdicts.map(({ negativeModes }) => negativeModes);
  const folds = tangent.t * after.t < 0;
  const change = before < 0 || behind < 0 ? 0 : Math.abs(behind - before);
  // at a fold one mode changes its sign
  if (folds) return change === 1 || before < 0 || behind < 0 ? 'fold' : 'both';
  return change > 0 ? 'bifurcation' : undefined;
}

/** A fold or bifurcation that was located. */
interface LocatedEvent {
  /** Distance from the held point. */
  readonly along: number;
  /** For a bifurcation: the nearest point found beyond it, and the number of unstable directions there. */
  readonly behind: { readonly ds: number; readonly negativeModes: number };
}

/** Moves to the first event between the points `from` and `stretch.ds` farther than the held point; `modes`: unstable directions at `from`. */
function locate(
  trace: Trace,
  kind: 'fold' | 'bifurcation',
  stretch: BranchInterval,
  from: number,
  modes: number,
): LocatedEvent {
  const { problem, tangent } = trace;
  const there: Direction = { x: new Float64Array(tangent.x.length), t: 0 };
  let [low, high] = [from, stretch.ds];
  let [fLow, fHigh] = [tangent.t, stretch.after.t];
  let last = 0;
  let { negativeModes } = stretch.verdicts[1];
  for (let k = 0; k < 26 && high - low > 1e-7 * stretch.ds; k++) {
    // at a fold ṫ is smooth: false position, halving the value at the end that stays (Illinois)
    const share = kind === 'fold' ? Math.min(0.95, Math.max(0.05, fLow / (fLow - fHigh))) : 0.5;
    const ds = low + share * (high - low);
    problem.revert('point');
    if (correct(trace, ds).trouble) {
      problem.revert('point');
      if (last > 0) correct(trace, last);
      break;
    }
    last = ds;
    let isBefore: boolean;
    if (kind === 'fold') {
      if (findTangent(trace, there, tangent)) break;
      isBefore = there.t * tangent.t > 0;
      if (isBefore) fHigh *= fLow === there.t ? 1 : 0.5;
      else fLow *= 0.5;
      if (isBefore) fLow = there.t;
      else fHigh = there.t;
      if (Math.abs(there.t) <= 1e-7 * Math.abs(tangent.t)) break;
    } else {
      const found = problem.judge().negativeModes;
      isBefore = found === modes;
      // without a verdict there, those at the end of the stretch hold
      if (!isBefore && found >= 0) negativeModes = found;
    }
    if (isBefore) low = ds;
    else high = ds;
  }
  return { along: last, behind: { ds: high, negativeModes } };
}

/** Largest number of bifurcations between two points. */
const MAX_EVENTS = 20;

/** Bifurcations closer together than this fraction of the interval count as one: rounding separates equal modes, as of a round rod. */
const SAME = 1e-3;

/** The nearest point beyond an event and beyond the points that count as this event. */
function skipSame(
  trace: Trace,
  { ds, verdicts }: BranchInterval,
  behind: LocatedEvent['behind'],
): LocatedEvent['behind'] {
  const next = behind.ds + SAME * ds;
  if (next >= ds) return { ds, negativeModes: verdicts[1].negativeModes };
  trace.problem.revert('point');
  if (correct(trace, next).trouble) return behind;
  const { negativeModes } = trace.problem.judge();
  return negativeModes < 0 ? behind : { ds: next, negativeModes };
}

/** Moves to each event of the stretch in turn; yields its distance from the held point. */
function* locateAll(trace: Trace, kind: 'fold' | 'bifurcation', stretch: BranchInterval): Generator<number> {
  let behind = { ds: 0, negativeModes: stretch.verdicts[0].negativeModes };
  for (let count = 0; count < MAX_EVENTS; count++) {
    const found = locate(trace, kind, stretch, behind.ds, behind.negativeModes);
    yield found.along;
    if (kind === 'fold') return;
    behind = skipSame(trace, stretch, found.behind);
    if (behind.negativeModes === stretch.verdicts[1].negativeModes) return;
  }
}

/** Makes the current point the held point, from which the next one is searched. */
function acceptPoint({ problem, tangent, stepped, start, fromStart }: Trace, after: Direction): void {
  tangent.x.set(after.x);
  tangent.t = after.t;
  for (let d = 0; d < stepped.length; d++) fromStart.x[d] += stepped[d];
  fromStart.t += problem.parameter - start.t;
  start.t = problem.parameter;
  problem.hold('point');
}

/** Factor on the next distance. Edges of limited stiffness in the matrix cost iterations at any distance. */
function adapt(iterations: number, cosine: number): number {
  if (cosine < 0.98 || iterations > 14) return 0.7;
  return iterations <= 9 && cosine > 0.99 ? 1.5 : 1;
}

/** Displacements below this, in the norm of the branch, are rounding. */
const NO_MOVE = 1e-7;

/**
 * Curvature of the branch from the held point to the next: the smaller of the cosines of the angle between the tangents and of that between tangent
 * and chord. The parameter is not counted: where shapes change little, other branches are near in any norm.
 */
function measureTurn(trace: Trace, ds: number, after: Direction): number {
  const { stepped, tangent } = trace;
  const cosine = (a: Float64Array, b: Float64Array, sizes: number): number => dot(trace, a, b) / sizes;
  const [was, is, way] = [tangent.x, after.x, stepped].map((x) => Math.sqrt(dot(trace, x, x)));
  if (Math.min(ds * was, ds * is, way) < NO_MOVE) return 1;
  return Math.min(cosine(tangent.x, after.x, was * is), cosine(tangent.x, stepped, was * way));
}

/** True if the branch has returned to its start, within a fraction of the distance between points, and in its first direction. */
function hasReturned(trace: Trace, ds: number, first: Direction): boolean {
  const { fromStart, range, tangent } = trace;
  const distance = Math.sqrt(dot(trace, fromStart.x, fromStart.x) + square(fromStart.t / range));
  return distance < 0.5 * ds && dotDirections(trace, tangent, first) > 0;
}

/** Result of one attempt to continue. */
type Continuation =
  | { readonly to: 'nowhere'; readonly detail: string }
  | { readonly to: 'bound'; readonly iterations: number }
  | { readonly to: 'point'; readonly iterations: number; readonly cosine: number; readonly verdict: Verdict };

/** From the held point ds farther, or to the end of the range; writes the tangent there to `after`. */
function advance(trace: Trace, ds: number, after: Direction): Continuation {
  const { problem, tangent, options } = trace;
  const [low, high] = [Math.min(options.from, options.to), Math.max(options.from, options.to)];
  problem.revert('point');
  const { trouble, iterations } = correct(trace, ds);
  const t = problem.parameter;
  if (!trouble && (t > high || t < low) && tangent.t !== 0) {
    problem.revert('point');
    const bound = goToBound(trace, t > high ? high : low);
    return bound.trouble ? { to: 'nowhere', detail: bound.trouble } : { to: 'bound', iterations: bound.iterations };
  }
  const detail = trouble || findTangent(trace, after, tangent);
  if (detail) return { to: 'nowhere', detail };
  const cosine = Math.min(dotDirections(trace, after, tangent), measureTurn(trace, ds, after));
  // the first point from a bifurcation may turn towards the parameter
  if (cosine < 0.95 && tangent.t !== 0) return { to: 'nowhere', detail: 'the branch turns too sharply' };
  return { to: 'point', iterations, cosine, verdict: problem.judge() };
}

/**
 * Follows the branch from the rod's current equilibrium. While a point is yielded, the rod is in that state; it may be saved or read, not changed.
 */
export function* followBranch(rod: BranchRod, options: BranchOptions): Generator<BranchPoint, BranchEnd> {
  const problem = createBranchProblem(rod);
  const trace = createTrace(problem, options);
  const { tangent } = trace;
  const after: Direction = { x: new Float64Array(tangent.x.length), t: 0 };
  let arc = 0;
  const pointAt = (kind: BranchPointKind, verdict: Verdict, iterations: number, along = 0): BranchPoint => {
    problem.finish();
    return { kind, parameter: problem.parameter, arc: arc + along, iterations, ...verdict };
  };
  problem.hold('point');
  let verdict = problem.judge();
  let detail = options.start === 'along' ? findTangent(trace, tangent, undefined) : findMode(trace, tangent);
  problem.revert('point');
  yield pointAt('start', verdict, 0);
  if (detail) return { reason: 'lost', detail };
  const first: Direction = { x: tangent.x.slice(), t: tangent.t };
  let ds = options.start === 'along' ? options.stride : options.stride / 4;
  for (let count = 1; count < options.points; ) {
    if (ds < options.shortest) return { reason: 'lost', detail };
    const next = advance(trace, ds, after);
    if (next.to === 'bound') {
      const last = problem.judge();
      // an event before the end of the range is located from a point within it
      const isMissed = verdict.negativeModes !== last.negativeModes && ds > 16 * options.shortest;
      if (!isMissed) {
        yield pointAt('end', last, next.iterations, ds);
        return { reason: 'range', detail: '' };
      }
    }
    const stretch = next.to === 'point' && { ds, after, verdicts: [verdict, next.verdict] as const };
    const event = stretch && tangent.t !== 0 ? findEvent(trace, stretch) : undefined;
    if (!stretch || (event === 'both' && ds > 16 * options.shortest)) {
      if (next.to === 'nowhere') detail = next.detail;
      ds /= 2;
      continue;
    }
    if (event) {
      const kind = event === 'bifurcation' ? 'bifurcation' : 'fold';
      for (const along of locateAll(trace, kind, stretch)) yield pointAt(kind, problem.judge(), 0, along);
      problem.revert('point');
      correct(trace, ds);
    }
    arc += ds;
    // if rounding allows no verdict, the next verdict is compared with the last one available
    if (next.verdict.negativeModes >= 0) verdict = next.verdict;
    acceptPoint(trace, after);
    yield pointAt('point', next.verdict, next.iterations);
    count++;
    if (count > 4 && hasReturned(trace, ds, first)) return { reason: 'closed', detail: '' };
    ds = Math.min(options.stride, ds * adapt(next.iterations, next.cosine));
  }
  return { reason: 'points', detail: '' };
}
