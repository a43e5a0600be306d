/**
 * Contact on a branch of equilibria. Which contacts are closed changes at single points, where the branch has a corner. The follower goes along the
 * smooth branch with the present contacts; if a point breaks the contact law, it locates where that begins, opens or closes the contacts there, and goes on
 * in the direction in which the law holds.
 */
import type { BranchContacts } from '../model.ts';
import { correct } from './branchCorrector.ts';
import { type Direction, dotDirections, findTangent, type Trace } from './branchTrace.ts';

/** Excess within which contacts change together, as in symmetric shapes. */
const TOGETHER = 1e-5;
const MOST_STEPS = 60;

/** Number of contacts that break the law at the current state. */
export function countBroken({ problem }: Trace, contacts: BranchContacts): number {
  problem.evaluateRight();
  return contacts.listBroken(problem.parameter);
}

/** Moves contacts that have slid along the rod; true if there are any. */
export function hasSlid({ problem }: Trace, contacts: BranchContacts): boolean {
  problem.evaluateRight();
  return contacts.slide(problem.parameter);
}

const largest = (values: readonly number[]): number => Math.max(...values);

/** The distance from the held point at which the first of the listed contacts reaches its limit; `ds`: where it is beyond. The state is then there. */
export function locateBroken(trace: Trace, contacts: BranchContacts, ds: number): number {
  const { problem } = trace;
  const measureAt = (at: number): number => {
    problem.revert('point');
    if (at > 0 && correct(trace, at).trouble) return Number.NaN;
    problem.evaluateRight();
    return largest(contacts.measureListed());
  };
  let [low, high] = [0, ds];
  let fHigh = measureAt(ds);
  let fLow = Math.min(measureAt(0), -1e-12);
  let found = ds;
  for (let k = 0; k < MOST_STEPS && high - low > 1e-10 * ds; k++) {
    // false position, halving the value at the end that stays (Illinois), and a bisection at times
    // without an equilibrium at ds, its excess is not a number
    const share = k % 4 === 3 || Number.isNaN(fHigh) ? 0.5 : Math.min(0.99, Math.max(0.01, fLow / (fLow - fHigh)));
    found = low + share * (high - low);
    const f = measureAt(found);
    if (Math.abs(f) < 1e-9) break;
    if (f > 0) {
      [high, fHigh] = [found, f];
      fLow *= 0.5;
    } else {
      // without an equilibrium there, look closer to the other end
      [low, fLow] = [found, f < 0 ? f : fLow];
      fHigh *= 0.5;
    }
  }
  return found;
}

/** True if the tangent leads back where the branch came from, as where contacts without force change. */
function isReverse(trace: Trace, before: Direction): boolean {
  const { tangent } = trace;
  const sizes = dotDirections(trace, tangent, tangent) * dotDirections(trace, before, before);
  return dotDirections(trace, tangent, before) < -0.9999 * Math.sqrt(sizes);
}

/** Solves again with the contacts as they are now: those that have closed overlapped a little. */
function settle(trace: Trace): string {
  const { problem, start } = trace;
  problem.revert('point');
  const { trouble } = correct(trace, 0);
  if (trouble) return trouble;
  start.t = problem.parameter;
  problem.hold('point');
  return '';
}

/**
 * Which contacts near their limit to close: those that broke the law change; all; then other choices. `again`: contacts have just changed here, so that all
 * are tried first: those of symmetric shapes may otherwise close and open in turn.
 */
function* choose(wereClosed: readonly boolean[], broken: number, again: boolean): Generator<boolean[]> {
  const count = wereClosed.length;
  const all = new Array<boolean>(count).fill(true);
  if (again) yield all;
  yield wereClosed.map((was, k) => was !== k < broken);
  if (!again) yield all;
  if (count > 6) return;
  for (let bits = 2 ** count - 2; bits >= 0; bits--)
    yield Array.from({ length: count }, (_, k) => (bits >> k) % 2 === 1);
}

/** Largest number of choices of closed contacts to be tried at one corner. */
const MOST_CHOICES = 100;

/** Parts of the stride at which a direction from a corner is tried. */
const PARTS = [1 / 8, 1 / 64, 1 / 512];

/**
 * Tries to go on from the held point with the listed contacts as they are. Returns '' if the rod then obeys the contact law; or the contacts that break it
 * nearest to the corner in the direction of the branch, if they can be found.
 */
function tryDirections(
  trace: Trace,
  contacts: BranchContacts,
  old: Direction,
  after: Direction,
): '' | boolean[] | undefined {
  const { problem, tangent, options } = trace;
  let broken: boolean[] | undefined;
  if (findTangent(trace, after, old)) return undefined;
  for (const sign of [1, -1])
    for (const part of PARTS) {
      tangent.x.set(after.x.map((value) => sign * value));
      tangent.t = sign * after.t;
      if (isReverse(trace, old)) continue;
      problem.revert('point');
      if (correct(trace, part * options.stride).trouble) continue;
      problem.evaluateRight();
      const found = contacts.whichListedBreak();
      if (!found.includes(true)) return '';
      if (sign > 0) broken = found;
    }
  return broken;
}

/**
 * Switches the listed contacts that are at their limit, at the held point, and finds the direction in which the branch goes on. If a choice of closed contacts
 * breaks the law at some of them, the next choice switches these. Returns why there is no direction, or ''; the rod is then at the held point.
 */
export function turnAtContacts(trace: Trace, contacts: BranchContacts, again: boolean): string {
  const { problem, tangent } = trace;
  problem.evaluateRight();
  contacts.keepListed(contacts.measureListed().map((excess) => excess > -TOGETHER));
  const old: Direction = { x: tangent.x.slice(), t: tangent.t };
  const after: Direction = { x: new Float64Array(old.x.length), t: 0 };
  const count = contacts.measureListed().length;
  contacts.addNear(problem.parameter, TOGETHER);
  const tried = new Set<string>();
  for (const first of choose(contacts.wereClosed(), count, again)) {
    for (let isClosed: boolean[] | undefined = first; isClosed && tried.size < MOST_CHOICES; ) {
      const choice: boolean[] = isClosed;
      if (tried.has(choice.join())) break;
      tried.add(choice.join());
      problem.revert('point');
      contacts.setListed(choice);
      const broken = tryDirections(trace, contacts, old, after);
      if (broken === '') return settle(trace);
      isClosed = broken?.map((is, k) => choice[k] !== is);
    }
  }
  contacts.setListed(contacts.wereClosed());
  tangent.x.set(old.x);
  tangent.t = old.t;
  problem.revert('point');
  return 'no direction was found in which the contacts that change here obey the contact law';
}
