/** The stages of a step with contact (step.ts) that are not folders of their own: each reads and writes the context. */
import type { StepOutcome } from '../model.ts';
import { appendContacts, isSorted, sortContacts, takePlaces } from './contactSet.ts';
import { type ContactContext, NEEDS_RECHECK, type StepAttempt } from './context.ts';
import { animateFinder, findContacts } from './detect/finder.ts';
import { PARTNER, SEARCHED } from './detect/finderData.ts';
import { findFirstImpact } from './detect/firstImpact.ts';
import { recallLinks } from './links/links.ts';
import { measureLinks } from './links/strain.ts';
import { placeCollider } from './shapes/collider.ts';
import { addOutcome, canResume, revertSystems, setRole } from './solve/islandStep.ts';
import { type Island, isMarked, type Marks, setMark } from './solve/islands.ts';
import { markSlidingAtStart, slipLimit } from './solve/sideVelocities.ts';
import { applyWarmStart, type WarmStart } from './warmStart.ts';

/** Finds the contacts at the start of the step, sorts them and applies the warm start. */
export function detectContacts(context: ContactContext, { t, dt, within, warmStart }: StepAttempt): void {
  const { contacts, links, rods, samples, systems } = context;
  findSortedContacts(context, t, dt, warmStart);
  context.log.begin(contacts);
  for (const { system, links: some } of context.islands.linked) {
    if (!isMarked(systems, within, system)) continue;
    measureLinks(links, some, rods, samples);
    recallLinks(links, some, warmStart !== context.warmStart ? 'last-substep' : 'last-step', dt);
  }
}

export function findSortedContacts(context: ContactContext, t: number, dt: number, warmStart: WarmStart): void {
  const { colliders, search, found, contacts, finder, solver } = context;
  for (const collider of colliders) placeCollider(collider, t, dt);
  animateFinder(finder, t, dt);
  search.gather();
  found.count = 0;
  findContacts(finder, found, t, dt, search.find);
  sortContacts(contacts, found);
  markSlidingAtStart(contacts, finder, slipLimit(solver.scaleOf(dt)));
  applyWarmStart(contacts, warmStart, dt);
}

/** Islands to solve. Single rods that touch only obstacles are handled by their own solver. */
export function partition({ systems, singleRods, islands, contacts }: ContactContext, within: Marks): Island[] {
  const takesPart = (s: number): boolean => isMarked(systems, within, s);
  singleRods.list(contacts, takesPart);
  return islands.build(contacts, (s) => takesPart(s) && !singleRods.has(s));
}

/** Advances the systems without contacts and links by their model's own scheme. */
export function advanceFreeSystems(
  context: ContactContext,
  { t, dt, robust, within }: StepAttempt,
  islands: readonly Island[],
): StepOutcome {
  const { bundles, systems, singleRods, leftOut } = context;
  for (let s = 0; s < systems.count; s++)
    setMark(systems, leftOut, s, isMarked(systems, within, s) && !singleRods.has(s) ? 0 : 1);
  for (const island of islands) for (const s of island.systems) setMark(systems, leftOut, s, 1);
  for (let b = 0; b < bundles.length; b++) {
    const one = bundles[b].advance({ t, dt, robust, without: leftOut[b] });
    addOutcome(context, one);
    if (!one.ok) return one;
  }
  return { ok: true, ...context.outcome };
}

export function recordSingleRods(context: ContactContext): void {
  const { singleRods, report, log, stepped } = context;
  addOutcome(context, singleRods.outcome);
  report.iterations = Math.max(report.iterations, singleRods.result.iterations);
  log.recordBatch((s) => singleRods.has(s) && stepped[s] > 0 && !log.hasRecord(s), singleRods.result);
}

/** Detects contacts that the pass missed, and merges them into `contacts`. Returns the systems that must be solved again. */
export function checkForMissed(
  context: ContactContext,
  { t, dt, acceptsUnconverged }: StepAttempt,
  pass: number,
): { crossed: number; systems: Set<number> } {
  const { contacts, found, islandContacts, finder, systems, stepped, report, missed, singleRods } = context;
  const result = missed.find({
    t,
    dt,
    pass,
    leavesPenetration: acceptsUnconverged,
    takeUncheckedRods: singleRods.takeUncheckedRods,
  });
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
export function prepareAgain(context: ContactContext, island: Island, t: number): Island {
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
