/**
 * What a step missed: looks where the rods have come to for what passed through or lies too deep, as contacts to solve the step again with.
 */
import type { ContactSpec } from '../../scene/types.ts';
import { appendContact, type ContactSet, copyContact } from '../contactSet.ts';
import type { Systems } from '../solve/islands.ts';
import { DEEPER, markStart, setBias, slipLimit } from '../solve/sideVelocities.ts';
import { reboundThreshold } from './colliderContacts.ts';
import type { Search } from './colliderSearch.ts';
import type { Finder } from './finder.ts';
import { sweepPairs } from './rodSweep.ts';

/** How deep things may lie in each other at the end of a step, in radii, before it is looked at again: at first, and at last. */
const DEEP = 0.04;
const DEEPEST = 0.048;

export interface Watch {
  /** Systems whose contacts, which are then in `raw`, were missed: what passed through (`met` of them), or ended too deep. */
  findMissed(
    t: number,
    dt: number,
    round: number,
    lenient: boolean,
    unchecked: () => readonly number[],
  ): { met: number; missed: Set<number> };
  /** Adds to a set what the systems in `list` have sunk into, where they are now; how much that is. */
  lookEarly(of: ContactSet, list: readonly number[], t: number, dt: number): number;
  /** Whether systems met others than those of their own group on the way from `positions`; the finder looks at those systems. */
  meetsOthers(groupOf: ReadonlyMap<number, number>, positions: Float64Array): boolean;
}

/** `raw`: where what is found goes. `scaleOf`: what velocities are compared with in a step [m/s]. */
export function createWatch(
  finder: Finder,
  search: Search,
  systems: Systems,
  spec: ContactSpec | undefined,
  raw: ContactSet,
  scaleOf: (dt: number) => number,
): Watch {
  const { colliders, rules, end } = finder;
  const exact = (spec?.solver ?? 'admm') === 'admm';
  const paths = spec?.continuous ?? true;
  const continuous = rules.pairs && paths && spec?.solver !== 'repulsion';
  const sweeping = colliders.some(({ shape }) => shape.thin) && paths && exact;
  /** The other solvers leave more behind than DEEPER, round after round. */
  const deeper = exact ? DEEPER : 0.01;

  return {
    findMissed(t, dt, round, lenient, unchecked) {
      const swept = continuous || sweeping;
      if (swept) search.gatherEnd();
      raw.count = 0;
      // what ends a little too deep after all is left to the next step; more is worth a cut of this one
      const deep = round < 2 ? DEEP : lenient ? Number.POSITIVE_INFINITY : DEEPEST;
      let met = continuous ? sweepPairs(finder, raw, end, deep, deeper) : 0;
      if (sweeping) met += search.sweep(raw, t, dt);
      if (exact) search.findSunken(raw, t, dt, deep, round === 0 ? unchecked() : undefined, swept);
      markStart(raw, finder, slipLimit(scaleOf(dt)));
      const missed = new Set<number>();
      for (let c = 0; c < raw.count; c++) {
        missed.add(systems.ofRod(raw.rodA[c]));
        if (raw.rodB[c] >= 0) missed.add(systems.ofRod(raw.rodB[c]));
      }
      return { met, missed };
    },
    lookEarly(of, list, t, dt) {
      const members = list.flatMap((s) => systems.rods[s]);
      raw.count = 0;
      search.findSunken(raw, t, dt, DEEP, members, false);
      setBias(raw, finder, dt, reboundThreshold(finder, dt));
      markStart(raw, finder, slipLimit(scaleOf(dt)));
      if (raw.count === 0) return 0;
      // by a table: those that were added before are not in order
      const places = new Map<number, number>();
      for (let c = of.count - 1; c >= 0; c--) places.set(of.key[c], c);
      for (let c = 0; c < raw.count; c++) {
        const there = places.get(raw.key[c]) ?? -1;
        if (there < 0) appendContact(of, raw, c);
        else {
          for (let k = 0; k < 3; k++) raw.impulse[3 * c + k] = of.impulse[3 * there + k];
          raw.sliding[c] = of.sliding[there];
          copyContact(of, there, raw, c);
        }
      }
      return raw.count;
    },
    meetsOthers(groupOf, positions) {
      if (!continuous) return false;
      finder.look.fill(1);
      for (const s of groupOf.keys()) for (const rod of systems.rods[s]) finder.look[rod] = 2;
      finder.position.set(positions);
      search.gatherEnd();
      raw.count = 0;
      sweepPairs(finder, raw, end, DEEPEST, deeper);
      for (let c = 0; c < raw.count; c++)
        if (groupOf.get(systems.ofRod(raw.rodA[c])) !== groupOf.get(systems.ofRod(raw.rodB[c]))) return true;
      return false;
    },
  };
}
