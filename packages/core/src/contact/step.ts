/**
 * One time step with contact, as a recipe:
 *   1. detect      contacts that touch, or may close within the step          detect/
 *   2. partition   systems into islands, single rods and free systems         solve/islands.ts, solve/singleRods.ts
 *   3. advance     free systems by their model's own scheme
 *   4. solve       single rods in one batch (first pass only), then islands   solve/singleRods.ts, solve/islandSolver.ts
 *   5. check       for contacts that the step missed                          detect/missedContacts.ts
 *   6. repeat      4 and 5, at most 8 passes, for islands that missed contacts
 *   7. subdivide   the step of islands that could not be moved                substeps.ts
 *   8. store       forces as the warm start of the next step                  warmStart.ts
 * Free systems keep their second-order scheme; systems in contact use implicit Euler. Only the island whose step fails is subdivided.
 */

import type { StepOutcome } from '../model.ts';
import { appendContacts, isSorted, sortContacts, takePlaces } from './contactSet.ts';
import type { Attempt } from './context.ts';
import { type ContactContext, NEEDS_RECHECK } from './context.ts';
import { reboundThreshold } from './detect/colliderContacts.ts';
import { findContacts } from './detect/finder.ts';
import { IGNORED, PARTNER, SEARCHED } from './detect/finderData.ts';
import { findFirstImpact } from './detect/firstImpact.ts';
import { commitLinks, recallLinks, rememberLinks } from './links/links.ts';
import { measureLinks } from './links/strain.ts';
import { addReport, clearReport } from './report.ts';
import { placeCollider } from './shapes/collider.ts';
import { addOutcome, canResume, failIsland, revertSystems, setRole, solveIsland } from './solve/islandStep.ts';
import { type Island, isMarked, type Marks, setMark } from './solve/islands.ts';
import { markStart, setBias, slipLimit } from './solve/sideVelocities.ts';
import { stepFailedIslands } from './substeps.ts';
import { applyWarmStart, storeWarmStart, type WarmStart } from './warmStart.ts';

/** Passes of solving and checking before an island that still misses contacts counts as failed. */
const MAX_PASSES = 8;

/** Advances all bundles together from t to t + dt. On failure, or if a load throws, restores all of them. */
export function advanceWithContact(context: ContactContext, t: number, dt: number, robust: boolean): StepOutcome {
  const { bundles, everySystem } = context;
  for (const bundle of bundles) bundle.contact?.hold();
  let isDone = false;
  try {
    const outcome = advanceHeld(context, t, dt, robust);
    isDone = outcome.ok;
    return outcome;
  } finally {
    if (!isDone)
      bundles.forEach((bundle, b) => {
        bundle.contact?.revert(everySystem[b], t);
      });
  }
}

/** Advances all bundles from t to t + dt without undoing a failure. */
function advanceHeld(context: ContactContext, t: number, dt: number, robust: boolean): StepOutcome {
  const { links, contacts, outcome, report, everySystem, failedIslands, log } = context;
  Object.assign(outcome, { iterations: 0, iterationsMax: 0, shifts: 0, substeps: 1 });
  clearReport(report);
  context.retries = context.settings.retries;
  context.departures = Number.POSITIVE_INFINITY;
  const { warmStart } = context;
  const whole = attemptStep(context, {
    t,
    dt,
    robust,
    lenient: robust,
    acceptUnsolved: false,
    within: everySystem,
    warmStart,
  });
  log.writeTo(report, contacts);
  // islands that are stepped in pieces overwrite their contacts
  rememberLinks(links, links.every, dt);
  const ok = whole.ok && (failedIslands.length === 0 || stepFailedIslands(context, { t, dt, robust }, attemptStep));
  if (!ok) return { ...whole, ...outcome, ok: false };
  report.contacts = contacts.count;
  addReport(context.stepReport, report);
  storeWarmStart(warmStart, contacts, dt);
  commitLinks(links);
  return { ok: true, ...outcome };
}

/**
 * Moves the systems of the attempt, all of which are at t, and leaves their contacts in `contacts`. Islands that cannot be moved are listed in
 * `failedIslands`, with their systems at t. Fails if a free system cannot be moved.
 */
export function attemptStep(context: ContactContext, attempt: Attempt): StepOutcome {
  const { systems, singleRods, stepped, outcome, contacts, finder } = context;
  const { t, dt, robust, within, lenient, acceptUnsolved } = attempt;
  context.failedIslands.length = 0;
  for (let s = 0; s < systems.count; s++) setRole(context, s, isMarked(systems, within, s) ? SEARCHED : IGNORED);
  detectContacts(context, attempt);
  let pending = partition(context, within);
  const free = advanceFreeSystems(context, attempt, pending);
  if (!free.ok) return free;
  let failure: StepOutcome['failure'];
  stepped.fill(0);
  context.energies.clear();
  for (let pass = 0; ; pass++) {
    setBias(contacts, finder, dt, reboundThreshold(finder, dt));
    if (pass === 0)
      pending.push(
        ...singleRods.step({ set: contacts, stepped, t, dt, revert: (list) => revertSystems(context, list, t) }),
      );
    for (const island of pending) {
      const one = solveIsland(context, island, { t, dt, robust, pass, lenient, acceptUnsolved });
      if (one.ok) continue;
      failure = one.failure;
      failIsland(context, island, t);
    }
    if (pass === 0) recordSingleRods(context);
    const missed = checkForMissed(context, attempt, pass);
    if (missed.systems.size === 0) return { ok: true, ...outcome, ...(failure && { failure }) };
    pending = [];
    for (const island of context.islands.build(contacts, (s) => missed.systems.has(s))) {
      if (pass < MAX_PASSES) pending.push(prepareAgain(context, island, t));
      else {
        const reason =
          missed.crossed > 0 ? 'rods would pass through each other' : 'rods would sink into what they touch';
        failure = { rod: context.rods[contacts.rodA[island.contacts[0]]].id, reason };
        failIsland(context, island, t);
      }
    }
  }
}

/** Finds the contacts at the start of the step, sorts them and applies the warm start. */
function detectContacts(context: ContactContext, { t, dt, within, warmStart }: Attempt): void {
  const { contacts, links, rods, samples, systems } = context;
  findSortedContacts(context, t, dt, warmStart);
  context.log.begin(contacts);
  for (const { system, links: some } of context.islands.linked) {
    if (!isMarked(systems, within, system)) continue;
    measureLinks(links, some, rods, samples);
    recallLinks(links, some, warmStart !== context.warmStart, dt);
  }
}

export function findSortedContacts(context: ContactContext, t: number, dt: number, warmStart: WarmStart): void {
  const { colliders, search, found, contacts, finder, solver } = context;
  for (const collider of colliders) placeCollider(collider, t, dt);
  search.gather();
  found.count = 0;
  findContacts(finder, found, t, dt, search.find);
  sortContacts(contacts, found);
  markStart(contacts, finder, slipLimit(solver.scaleOf(dt)));
  applyWarmStart(contacts, warmStart, dt);
}

/** Islands to solve. Single rods that touch only obstacles are handled by their own solver. */
function partition({ systems, singleRods, islands, contacts }: ContactContext, within: Marks): Island[] {
  const takesPart = (s: number): boolean => isMarked(systems, within, s);
  singleRods.list(contacts, takesPart);
  return islands.build(contacts, (s) => takesPart(s) && !singleRods.has(s));
}

/** Advances the systems without contacts and links by their model's own scheme. */
function advanceFreeSystems(
  context: ContactContext,
  { t, dt, robust, within }: Attempt,
  islands: readonly Island[],
): StepOutcome {
  const { bundles, systems, singleRods, leftOut } = context;
  for (let s = 0; s < systems.count; s++)
    setMark(systems, leftOut, s, isMarked(systems, within, s) && !singleRods.has(s) ? 0 : 1);
  for (const island of islands) for (const s of island.systems) setMark(systems, leftOut, s, 1);
  for (let b = 0; b < bundles.length; b++) {
    const one = bundles[b].advance(t, dt, robust, leftOut[b]);
    addOutcome(context, one);
    if (!one.ok) return one;
  }
  return { ok: true, ...context.outcome };
}

function recordSingleRods(context: ContactContext): void {
  const { singleRods, report, log, stepped } = context;
  addOutcome(context, singleRods.outcome);
  report.iterations = Math.max(report.iterations, singleRods.result.iterations);
  log.recordBatch((s) => singleRods.has(s) && stepped[s] > 0 && !log.hasRecord(s), singleRods.result);
}

/** Detects contacts that the pass missed, and merges them into `contacts`. Returns the systems that must be solved again. */
function checkForMissed(
  context: ContactContext,
  { t, dt, lenient }: Attempt,
  pass: number,
): { crossed: number; systems: Set<number> } {
  const { contacts, found, islandContacts, finder, systems, stepped, report, missed, singleRods } = context;
  const result = missed.find({ t, dt, pass, lenient, unchecked: singleRods.unchecked });
  report.swept += result.crossed;
  for (let s = 0; s < systems.count; s++) if (stepped[s] === NEEDS_RECHECK) result.systems.add(s);
  if (!isSorted(contacts)) {
    islandContacts.count = 0;
    appendContacts(islandContacts, contacts);
    sortContacts(contacts, islandContacts);
  }
  if (result.systems.size > 0 && found.count > 0) {
    // a contact found now takes precedence over an earlier one with the same key
    takePlaces(found, contacts);
    appendContacts(found, contacts);
    sortContacts(contacts, found);
  }
  // all others have been checked and keep their state
  if (result.systems.size > 0)
    for (let r = 0; r < finder.rodRole.length; r++) finder.rodRole[r] = Math.min(finder.rodRole[r], PARTNER);
  return result;
}

/** Prepares an island that missed contacts for its next pass: from its current state, or from the start of the step. */
function prepareAgain(context: ContactContext, island: Island, t: number): Island {
  const { stepped } = context;
  revertSystems(context, canResume(context, island) ? island.systems.filter((s) => !stepped[s]) : island.systems, t);
  for (const s of island.systems) setRole(context, s, SEARCHED);
  return island;
}

/** Time until the first impact that rebounds within the step, or 0. The world splits the step there. */
export function findImpact(context: ContactContext, t: number, dt: number): number {
  if (!context.settings.hasRestitution) return 0;
  context.finder.rodRole.fill(SEARCHED);
  findSortedContacts(context, t, dt, context.warmStart);
  return findFirstImpact(context.contacts, context.finder, dt);
}
