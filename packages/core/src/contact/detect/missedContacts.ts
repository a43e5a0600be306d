/** Detects contacts that a step missed: rods that passed through a rod or surface within the step, or penetrate one too deeply at its end. */
import type { ContactSpec } from '../../scene/types.ts';
import { appendContact, type ContactSet, replaceContact } from '../contactSet.ts';
import type { Systems } from '../solve/islands.ts';
import { DEEPER, markSlidingAtStart, setBias, slipLimit } from '../solve/sideVelocities.ts';
import { reboundThreshold } from './colliderContacts.ts';
import type { ColliderSearch } from './colliderSearch.ts';
import { type Finder, PARTNER, SEARCHED } from './finderData.ts';
import { sweepPairs } from './rodSweep.ts';

/** Penetration at the end of a step, in radii, above which the step is solved again: in the first pass, and in the last. */
const DEEP = 0.04;
const DEEPEST = 0.048;

export interface MissedContactQuery {
  readonly t: number;
  readonly dt: number;
  /** How often the step has been checked before. */
  readonly pass: number;
  /** Leave deep penetration to the next step. */
  readonly leavesPenetration: boolean;
  /** Rods that have not been checked for penetration yet; called in the first pass. */
  readonly takeUncheckedRods: () => readonly number[];
}

export interface MissedContactDetector {
  /** Writes the missed contacts to `found`; returns how many were crossings during the step, and the systems concerned. */
  find(query: MissedContactQuery): { crossed: number; systems: Set<number> };
  /** Adds contacts where the listed systems penetrate something in their current state; returns their number. */
  addPenetrations(to: ContactSet, list: readonly number[], t: number, dt: number): number;
  /** True if systems collided with systems of other islands on the way from `positions`. */
  meetsOthers(islandOf: ReadonlyMap<number, number>, positions: Float64Array): boolean;
}

export interface DetectorParts {
  readonly finder: Finder;
  readonly search: ColliderSearch;
  readonly systems: Systems;
  readonly spec: ContactSpec | undefined;
  /** Contacts found are appended here. */
  readonly found: ContactSet;
  /** Reference velocity for errors of a step [m/s]. */
  readonly scaleOf: (dt: number) => number;
}

export function createMissedContactDetector(parts: DetectorParts): MissedContactDetector {
  const { finder, search, systems, spec, found, scaleOf } = parts;
  const { colliders, rules, end } = finder;
  const exact = (spec?.solver ?? 'admm') === 'admm';
  const paths = spec?.continuous ?? true;
  const continuous = rules.pairs && paths && spec?.solver !== 'repulsion';
  const sweeping = colliders.some(({ shape }) => shape.thin) && paths && exact;
  /** Solvers other than ADMM leave more penetration than DEEPER in every pass. */
  const deeper = exact ? DEEPER : 0.01;

  return {
    find({ t, dt, pass, leavesPenetration, takeUncheckedRods }) {
      const swept = continuous || sweeping;
      if (swept) search.gatherEnd();
      found.count = 0;
      // slight penetration that remains is left to the next step; deeper penetration justifies subdividing this one
      const deep = pass < 2 ? DEEP : leavesPenetration ? Number.POSITIVE_INFINITY : DEEPEST;
      let crossed = continuous ? sweepPairs(finder, found, end, deep, deeper) : 0;
      if (sweeping) crossed += search.sweep(found, t, dt);
      if (exact)
        search.findPenetrations(found, {
          t,
          dt,
          allowed: deep,
          rods: pass === 0 ? takeUncheckedRods() : undefined,
          gathered: swept,
        });
      markSlidingAtStart(found, finder, slipLimit(scaleOf(dt)));
      return { crossed, systems: systemsOf(found, systems) };
    },
    addPenetrations(to, list, t, dt) {
      const members = list.flatMap((s) => systems.rods[s]);
      found.count = 0;
      search.findPenetrations(found, { t, dt, allowed: DEEP, rods: members });
      setBias(found, finder, dt, reboundThreshold(finder, dt));
      markSlidingAtStart(found, finder, slipLimit(scaleOf(dt)));
      mergeContacts(to, found);
      return found.count;
    },
    meetsOthers(islandOf, positions) {
      if (!continuous) return false;
      finder.rodRole.fill(PARTNER);
      for (const s of islandOf.keys()) for (const rod of systems.rods[s]) finder.rodRole[rod] = SEARCHED;
      finder.position.set(positions);
      search.gatherEnd();
      found.count = 0;
      sweepPairs(finder, found, end, DEEPEST, deeper);
      for (let c = 0; c < found.count; c++)
        if (islandOf.get(systems.ofRod(found.rodA[c])) !== islandOf.get(systems.ofRod(found.rodB[c]))) return true;
      return false;
    },
  };
}

/** Systems that contacts join. */
function systemsOf({ count, rodA, rodB }: ContactSet, systems: Systems): Set<number> {
  const list = new Set<number>();
  for (let c = 0; c < count; c++) {
    list.add(systems.ofRod(rodA[c]));
    if (rodB[c] >= 0) list.add(systems.ofRod(rodB[c]));
  }
  return list;
}

/** Appends contacts to a set, or writes them over those with the same key, which keep their impulses. */
function mergeContacts(to: ContactSet, found: ContactSet): void {
  if (found.count === 0) return;
  // by a table, because contacts added earlier are not sorted
  const places = new Map<number, number>();
  for (let c = to.count - 1; c >= 0; c--) places.set(to.key[c], c);
  for (let c = 0; c < found.count; c++) {
    const known = places.get(found.key[c]) ?? -1;
    if (known < 0) appendContact(to, found, c);
    else replaceContact(to, known, found, c);
  }
}
