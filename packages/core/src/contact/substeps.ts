/** Repeats the step of islands that failed in substeps, one island at a time; all others wait at the end of the step. */

import { stepInSubsteps } from '../math/substeps.ts';
import type { StepOutcome } from '../model.ts';
import { copyState } from '../models/stateParts.ts';
import type { StepRequest } from '../port.ts';
import { appendContact, type ContactSet, createContactSet, sortContacts } from './contactSet.ts';
import type { ContactContext, StepAttempt } from './context.ts';
import { rememberLinks, resumeLinks } from './links/links.ts';
import { revertSystems } from './solve/islandStep.ts';
import { type Island, isMarked, markOnly } from './solve/islands.ts';
import { copyWarmStart, storeWarmStart, type WarmStart } from './warmStart.ts';

type StepFunction = (context: ContactContext, attempt: StepAttempt) => StepOutcome;

/**
 * How often an island may be halved because its rods do not follow their impulses. If that does not help, as for a hair squeezed between
 * obstacles, it is accepted as unsolved unless it creates energy: halving it to the limit made such steps twenty times as long.
 */
const MAX_VIOLATIONS = 12;

/**
 * A step that was split has not converged if its contacts sink by more than this part of their size. Every substep may miss positions by 2 % of it
 * (POSITION_TOLERANCE in solve/admm.ts); in a rod squeezed between obstacles, 32 substeps add up to half of its thickness.
 */
const SUNK = 0.1;

/** Steps all failed islands in substeps; returns false if one fails again or collides with another, and then all systems are at t. */
export function stepFailedIslands(context: ContactContext, interval: StepRequest, attemptStep: StepFunction): boolean {
  const { systems, contacts, finder, bundles, missed } = context;
  const failed = [...context.failedIslands];
  const islandOf = new Map(failed.flatMap((island, k) => island.systems.map((s) => [s, k] as const)));
  /** Contacts of all systems that have been stepped. */
  const done = createContactSet();
  for (let c = 0; c < contacts.count; c++)
    if (!islandOf.has(systems.ofRod(contacts.rodA[c]))) appendContact(done, contacts, c);
  const positions = finder.position.slice();
  const start = bundles.map(({ state: { q, v, memory } }) => ({ q: q.slice(), v: v.slice(), memory: memory.slice() }));
  let ok = false;
  try {
    ok =
      failed.every(
        (island) => isSelfContained(context, island) && stepIsland(context, island, interval, { done, attemptStep }),
      ) && !missed.meetsOthers(islandOf, positions);
    if (ok) sortContacts(contacts, done);
    return ok;
  } finally {
    // the substeps overwrote the saved start of the step
    if (!ok) {
      const marks = markOnly(systems, context.substepMarks, [...islandOf.keys()]);
      bundles.forEach((bundle, b) => {
        copyState(bundle.state, start[b]);
        bundle.refresh(interval.t);
        bundle.contact?.hold(marks[b]);
      });
    }
  }
}

/** Steps one island in substeps and appends its contacts to `done`. */
function stepIsland(
  context: ContactContext,
  { links: linked, systems: list }: Island,
  { t, dt, robust }: StepRequest,
  { done, attemptStep }: { readonly done: ContactSet; readonly attemptStep: StepFunction },
): boolean {
  const { systems, bundles, links, contacts, outcome, settings } = context;
  const within = markOnly(systems, context.substepMarks, list);
  const warmStart: WarmStart = { data: new Float64Array(0), count: 0 };
  copyWarmStart(warmStart, context.warmStart, (rod) => isMarked(systems, within, systems.ofRod(rod)));
  if (linked) resumeLinks(links, linked);
  let last = dt;
  let substeps = 0;
  let [shallowest, deepest] = [Number.POSITIVE_INFINITY, 0];
  const halvings = settings.halvings(dt);
  context.violationsLeft = MAX_VIOLATIONS;
  const finished = stepInSubsteps({ t, dt }, halvings, (from, length, share) => {
    settings.spend(from);
    bundles.forEach((bundle, b) => {
      bundle.contact?.hold(within[b]);
    });
    const one = attemptStep(context, {
      t: from,
      dt: length,
      robust: robust || share <= 1 / 4,
      acceptsUnconverged: robust || share <= 1 / 32,
      acceptsViolation: share === 2 ** -halvings,
      within,
      warmStart,
    });
    if (!one.ok || context.failedIslands.length > 0) {
      revertSystems(context, list, from);
      return false;
    }
    last = length;
    substeps++;
    deepest = context.log.startDepth;
    shallowest = Math.min(shallowest, deepest);
    context.log.writeTo(context.report, contacts);
    storeWarmStart(warmStart, contacts, last);
    if (linked) rememberLinks(links, linked, last);
    return true;
  });
  outcome.substeps = Math.max(outcome.substeps, substeps);
  if (deepest - shallowest > SUNK) {
    const { iterations, error } = context.report;
    context.log.record(list, { iterations, error, converged: false });
    context.log.writeTo(context.report, contacts);
  }
  for (let c = 0; c < contacts.count && finished; c++) {
    const i = appendContact(done, contacts, c);
    for (let k = 3 * i; k < 3 * i + 3; k++) done.impulse[k] *= dt / last;
  }
  return finished;
}

/** True if no other system carries an obstacle, which would have to move along. */
function isSelfContained({ colliders, placeOfBody, systems }: ContactContext, { systems: list }: Island): boolean {
  return colliders.every(({ body }) => {
    const place = body < 0 ? undefined : placeOfBody[body];
    return !place || list.includes(systems.ofBody(place));
  });
}
