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
import { countBroken, hasSlid, locateBroken, turnAtContacts } from './branchContacts.ts';
import { correct, type SolveOutcome } from './branchCorrector.ts';
import { type BranchRod, createBranchProblem } from './branchProblem.ts';
import { createTrace, type Direction, dot, dotDirections, findMode, findTangent, type Trace } from './branchTrace.ts';
import { solveAtRest } from './newton.ts';
import type { Verdict } from './search.ts';

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
  if (!trouble && (t > high + trace.range || t < low - trace.range))
    return { to: 'nowhere', detail: 'the parameter changes by more than its range' };
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

/** A place on the branch, as the follower goes along it. */
interface Walk {
  readonly trace: Trace;
  /** Direction at the next point. */
  readonly after: Direction;
  arc: number;
  verdict: Verdict;
  /** Distance to the next point. */
  ds: number;
  /** Why the last attempt failed. */
  detail: string;
  /** Arc length at which contacts changed last. */
  lastCorner: number;
}

function pointAt(
  { trace: { problem }, arc }: Walk,
  kind: BranchPointKind,
  verdict: Verdict,
  { iterations = 0, along = 0 } = {},
): BranchPoint {
  problem.finish();
  return { kind, parameter: problem.parameter, arc: arc + along, iterations, ...verdict };
}

/** The next point at `walk.ds`, or nearer where a contact opens or closes; undefined if a shorter distance must be tried. */
function takeStep(walk: Walk): { readonly next: Continuation; readonly isCorner: boolean } | undefined {
  const { trace, after, ds } = walk;
  const { contacts, shortest } = trace.options;
  let next = advance(trace, ds, after);
  for (let k = 0; k < 3 && contacts && next.to !== 'nowhere' && hasSlid(trace, contacts); k++)
    next = advance(trace, ds, after);
  if (next.to === 'nowhere') {
    walk.detail = next.detail;
    return undefined;
  }
  const isBroken = contacts !== undefined && countBroken(trace, contacts) > 0;
  if (contacts?.trouble) walk.detail = contacts.trouble;
  if (contacts?.trouble && ds > 1e3 * shortest) return undefined;
  if (next.to === 'bound') {
    // an event before the end of the range is located from a point within it
    const isMissed = isBroken || walk.verdict.negativeModes !== trace.problem.judge().negativeModes;
    return isMissed && ds > 16 * shortest ? undefined : { next, isCorner: false };
  }
  if (!isBroken || !contacts) return { next, isCorner: false };
  walk.ds = locateBroken(trace, contacts, ds);
  next = advance(trace, walk.ds, after);
  if (next.to === 'point') return { next, isCorner: true };
  if (next.to === 'nowhere') walk.detail = next.detail;
  walk.ds = ds;
  return undefined;
}

/** Points with events between the held point and the next; false if they cannot be told apart at this distance. */
function* findEvents(walk: Walk, next: Continuation & { readonly to: 'point' }): Generator<BranchPoint, boolean> {
  const { trace, after, ds, verdict } = walk;
  const { problem, tangent, options } = trace;
  const stretch = { ds, after, verdicts: [verdict, next.verdict] as const };
  const event = tangent.t !== 0 ? findEvent(trace, stretch) : undefined;
  if (event === 'both' && ds > 16 * options.shortest) return false;
  if (!event) return true;
  const kind = event === 'bifurcation' ? 'bifurcation' : 'fold';
  for (const along of locateAll(trace, kind, stretch)) yield pointAt(walk, kind, problem.judge(), { along });
  problem.revert('point');
  correct(trace, ds);
  return true;
}

/** Opens or closes contacts at the held point. */
function turnCorner(walk: Walk): BranchPoint {
  const { trace, verdict } = walk;
  const { tangent, options, problem } = trace;
  const before = { t: tangent.t, modes: verdict.negativeModes };
  const again = walk.arc - walk.lastCorner < 1e-4 * options.stride;
  if (options.contacts) walk.detail = turnAtContacts(trace, options.contacts, again);
  walk.lastCorner = walk.arc;
  walk.verdict = problem.judge();
  walk.ds = options.stride / 8;
  if (before.t * tangent.t < 0) return pointAt(walk, 'fold', walk.verdict);
  // where a contact opens that held a part in an unstable shape, branches meet as at a bifurcation
  const isBifurcation = before.modes >= 0 && walk.verdict.negativeModes > before.modes;
  return pointAt(walk, isBifurcation ? 'bifurcation' : 'contact', walk.verdict);
}

/** True for a side branch that would lead into an obstacle at once. */
function isBlocked({ trace: { options }, arc }: Walk): boolean {
  const { contacts, start, stride } = options;
  return start !== 'along' && arc < 1e-3 * stride && contacts?.wereClosed().some((was) => !was) === true;
}

function startWalk(trace: Trace): Walk {
  const { problem, tangent, options } = trace;
  problem.hold('point');
  const verdict = problem.judge();
  const detail = options.start === 'along' ? findTangent(trace, tangent, undefined) : findMode(trace, tangent);
  problem.revert('point');
  const ds = options.start === 'along' ? options.stride : options.stride / 4;
  return { trace, after: { x: new Float64Array(tangent.x.length), t: 0 }, arc: 0, verdict, ds, detail, lastCorner: -1 };
}

/**
 * Follows the branch from the rod's current equilibrium. While a point is yielded, the rod is in that state; it may be saved or read, not changed.
 */
export function* followBranch(rod: BranchRod, options: BranchOptions): Generator<BranchPoint, BranchEnd> {
  const trace = createTrace(createBranchProblem(rod), options);
  const { tangent, problem } = trace;
  const walk = startWalk(trace);
  yield pointAt(walk, 'start', walk.verdict);
  if (walk.detail) return { reason: 'lost', detail: walk.detail };
  const first: Direction = { x: tangent.x.slice(), t: tangent.t };
  for (let count = 1; count < options.points; ) {
    if (walk.ds < options.shortest) return { reason: 'lost', detail: walk.detail };
    const step = takeStep(walk);
    if (!step && options.contacts?.trouble && walk.ds <= 2e3 * options.shortest)
      return { reason: 'lost', detail: walk.detail };
    if (step?.next.to === 'bound') {
      yield pointAt(walk, 'end', problem.judge(), { iterations: step.next.iterations, along: walk.ds });
      return { reason: 'range', detail: '' };
    }
    if (step?.next.to !== 'point' || !(yield* findEvents(walk, step.next))) {
      walk.ds /= 2;
      continue;
    }
    const { next, isCorner } = step;
    walk.arc += walk.ds;
    // if rounding allows no verdict, the next verdict is compared with the last one available
    if (next.verdict.negativeModes >= 0) walk.verdict = next.verdict;
    if (isCorner && isBlocked(walk)) return { reason: 'blocked', detail: 'an obstacle does not let the branch begin' };
    acceptPoint(trace, walk.after);
    count++;
    if (isCorner) {
      yield turnCorner(walk);
      if (walk.detail) return { reason: 'lost', detail: walk.detail };
      continue;
    }
    if (options.contacts?.openIdle()) walk.verdict = problem.judge();
    yield pointAt(walk, 'point', walk.verdict, next);
    if (count > 4 && hasReturned(trace, walk.ds, first)) return { reason: 'closed', detail: '' };
    walk.ds = Math.min(options.stride, walk.ds * adapt(next.iterations, next.cosine));
  }
  return { reason: 'points', detail: '' };
}
