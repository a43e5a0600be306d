/** Steps islands that could not be moved in one step in pieces, one island at a time; all others wait at the end of the step. */
import { stepInPieces } from '../math/pieces.ts';
import type { StepOutcome } from '../model.ts';
import { copyState } from '../models/stateParts.ts';
import { appendContact, type ContactSet, createContactSet, sortContacts } from './contactSet.ts';
import type { Attempt, ContactContext } from './context.ts';
import { rememberLinks, resumeLinks } from './links/links.ts';
import { revertSystems } from './solve/islandStep.ts';
import { type Island, isMarked, markOnly } from './solve/islands.ts';
import { copyWarmStart, storeWarmStart, type WarmStart } from './warmStart.ts';

type Interval = Pick<Attempt, 't' | 'dt' | 'robust'>;
type AttemptStep = (context: ContactContext, attempt: Attempt) => StepOutcome;

/**
 * How often an island may be halved because its rods do not follow their impulses. If that does not help, as for a hair squeezed between
 * obstacles, it is accepted as unsolved unless it creates energy: halving it to the limit made such steps twenty times as long.
 */
const MAX_DEPARTURES = 12;

/** Steps all failed islands in pieces; returns false if one fails again or collides with another, and then all systems are at t. */
export function stepFailedIslands(context: ContactContext, interval: Interval, attemptStep: AttemptStep): boolean {
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
    // the pieces overwrote the saved start of the step
    if (!ok) {
      const marks = markOnly(systems, context.pieceMarks, [...islandOf.keys()]);
      bundles.forEach((bundle, b) => {
        copyState(bundle.state, start[b]);
        bundle.refresh(interval.t);
        bundle.contact?.hold(marks[b]);
      });
    }
  }
}

/** Steps one island in pieces and appends its contacts to `done`. */
function stepIsland(
  context: ContactContext,
  { links: linked, systems: list }: Island,
  { t, dt, robust }: Interval,
  { done, attemptStep }: { readonly done: ContactSet; readonly attemptStep: AttemptStep },
): boolean {
  const { systems, bundles, links, contacts, outcome, settings } = context;
  const within = markOnly(systems, context.pieceMarks, list);
  const warmStart: WarmStart = { data: new Float64Array(0), count: 0 };
  copyWarmStart(warmStart, context.warmStart, (rod) => isMarked(systems, within, systems.ofRod(rod)));
  if (linked) resumeLinks(links, linked);
  let last = dt;
  let pieces = 0;
  const halvings = settings.halvings(dt);
  context.departures = MAX_DEPARTURES;
  const finished = stepInPieces({ t, dt }, halvings, (from, length, share) => {
    settings.spend(from);
    bundles.forEach((bundle, b) => {
      bundle.contact?.hold(within[b]);
    });
    const one = attemptStep(context, {
      t: from,
      dt: length,
      robust: robust || share <= 1 / 4,
      lenient: robust || share <= 1 / 32,
      acceptUnsolved: share === 2 ** -halvings,
      within,
      warmStart,
    });
    if (!one.ok || context.failedIslands.length > 0) {
      revertSystems(context, list, from);
      return false;
    }
    last = length;
    pieces++;
    context.log.writeTo(context.report, contacts);
    storeWarmStart(warmStart, contacts, last);
    if (linked) rememberLinks(links, linked, last);
    return true;
  });
  outcome.substeps = Math.max(outcome.substeps, pieces);
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
