/**
 * One time step with contact, as a recipe; the stages by themselves are in stages.ts:
 *   1. detect      contacts that touch, or may close within the step          detect/
 *   2. partition   systems into islands, single rods and free systems         solve/islands.ts, solve/singleRods.ts
 *   3. advance     free systems by their model's own scheme
 *   4. solve       single rods in one batch (first pass only), then islands   solve/singleRods.ts, solve/islandSolver.ts
 *   5. check       for contacts that the step missed                          detect/missedContacts.ts
 *   6. repeat      4 and 5, at most 8 times, for islands that missed contacts
 *   7. subdivide   the step of islands that could not be moved                substeps.ts
 *   8. store       forces as the warm start of the next step                  warmStart.ts
 * Free systems keep their second-order scheme; systems in contact use implicit Euler. Only the island whose step fails is subdivided.
 */

import type { StepOutcome } from '../model.ts';
import type { StepRequest } from '../port.ts';
import type { ContactContext, StepAttempt } from './context.ts';
import { reboundThreshold } from './detect/colliderContacts.ts';
import { IGNORED, SEARCHED } from './detect/finderData.ts';
import { commitLinks, rememberLinks } from './links/links.ts';
import { addReport, clearReport } from './report.ts';
import { failIsland, revertSystems, setRole, solveIsland } from './solve/islandStep.ts';
import { isMarked } from './solve/islands.ts';
import { setBias } from './solve/sideVelocities.ts';
import {
  advanceFreeSystems,
  checkForMissed,
  detectContacts,
  partition,
  prepareAgain,
  recordSingleRods,
} from './stages.ts';
import { stepFailedIslands } from './substeps.ts';
import { storeWarmStart } from './warmStart.ts';

/** How often an island is solved again for missed contacts before it counts as failed. */
const MAX_REPEATS = 8;

/** Advances all bundles together from t to t + dt. On failure, or if a load throws, restores all of them. */
export function advanceWithContact(context: ContactContext, step: StepRequest): StepOutcome {
  const { bundles, everySystem } = context;
  for (const bundle of bundles) bundle.contact?.hold();
  let isDone = false;
  try {
    const outcome = advanceFromHold(context, step);
    isDone = outcome.ok;
    return outcome;
  } finally {
    if (!isDone)
      bundles.forEach((bundle, b) => {
        bundle.contact?.revert(everySystem[b], step.t);
      });
  }
}

/** Advances all bundles from t, where they have been held, to t + dt; does not undo a failure. */
function advanceFromHold(context: ContactContext, step: StepRequest): StepOutcome {
  const { dt, robust } = step;
  const { links, contacts, outcome, report, everySystem, failedIslands, log } = context;
  Object.assign(outcome, { iterations: 0, iterationsMax: 0, shifts: 0, substeps: 1 });
  clearReport(report);
  context.retriesLeft = context.settings.retries;
  context.violationsLeft = Number.POSITIVE_INFINITY;
  const { warmStart } = context;
  const whole = attemptStep(context, {
    ...step,
    acceptsUnconverged: robust,
    acceptsViolation: false,
    within: everySystem,
    warmStart,
  });
  log.writeTo(report, contacts);
  // islands that are stepped in substeps overwrite their contacts
  rememberLinks(links, links.every, dt);
  const ok = whole.ok && (failedIslands.length === 0 || stepFailedIslands(context, step, attemptStep));
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
export function attemptStep(context: ContactContext, attempt: StepAttempt): StepOutcome {
  const { systems, singleRods, stepped, outcome, contacts, finder } = context;
  const { t, dt, robust, within, acceptsUnconverged, acceptsViolation } = attempt;
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
      const one = solveIsland(context, island, { t, dt, robust, pass, acceptsUnconverged, acceptsViolation });
      if (one.ok) continue;
      failure = one.failure;
      failIsland(context, island, t);
    }
    if (pass === 0) recordSingleRods(context);
    const missed = checkForMissed(context, attempt, pass);
    if (missed.systems.size === 0) return { ok: true, ...outcome, ...(failure && { failure }) };
    pending = [];
    for (const island of context.islands.build(contacts, (s) => missed.systems.has(s))) {
      if (pass < MAX_REPEATS) pending.push(prepareAgain(context, island, t));
      else {
        const reason =
          missed.crossed > 0 ? 'rods would pass through each other' : 'rods would sink into what they touch';
        failure = { rod: context.rods[contacts.rodA[island.contacts[0]]].id, reason };
        failIsland(context, island, t);
      }
    }
  }
}
