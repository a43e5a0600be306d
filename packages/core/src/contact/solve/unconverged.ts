/**
 * What was not solved to its tolerance in a step. The last solution of a system is the one that counts: a group that was looked at again, or
 * could not be moved and is stepped in pieces, is judged by what it was moved with in the end.
 *
 * Rods that touch obstacles alone are solved many at once, with one verdict for all of them: which of many it is cannot be told.
 */
import type { Rod } from '../../scene/compiled.ts';
import type { ContactSet } from '../contactSet.ts';
import type { ContactReport } from '../report.ts';
import type { Collider } from '../shapes/collider.ts';
import type { SolveResult } from './admm.ts';
import type { Systems } from './islands.ts';

export interface Unsolved {
  /** An attempt begins with these contacts: those found on the way have gaps of where rods were for a moment. */
  begin(set: ContactSet): void;
  /** How the group of these systems was solved. */
  note(list: readonly number[], result: SolveResult): void;
  /** How all systems of which `among` is true were solved. */
  noteAll(among: (system: number) => boolean, result: SolveResult): void;
  /** Nothing was noted of the system. */
  unseen(system: number): boolean;
  /** These were not moved. */
  forget(list: readonly number[]): void;
  /** Adds what was noted to the report; `set` has the contacts. */
  tell(report: ContactReport, set: ContactSet): void;
}

const [UNSEEN, SOLVED, MISSED, ONE_OF_MANY] = [0, 1, 2, 3];

export function createUnsolved(systems: Systems, rods: readonly Rod[], colliders: readonly Collider[]): Unsolved {
  const state = new Uint8Array(systems.count);
  const errorOf = new Float64Array(systems.count);
  let overlap = 0;

  /** Of the contacts of the systems with this error, the one that overlaps most. */
  const findWorst = (set: ContactSet, error: number): ContactReport['worst'] => {
    let deepest = -1;
    for (let c = 0; c < set.count; c++) {
      const s = systems.ofRod(set.rodA[c]);
      if (state[s] === MISSED && errorOf[s] === error && (deepest < 0 || set.gap[c] < set.gap[deepest])) deepest = c;
    }
    if (deepest < 0) return undefined;
    const collider = set.collider[deepest];
    const other = collider >= 0 ? colliders[collider].id : rods[set.rodB[deepest]].id;
    return { rod: rods[set.rodA[deepest]].id, other };
  };

  return {
    begin(set) {
      state.fill(UNSEEN);
      errorOf.fill(0);
      overlap = 0;
      for (let c = 0; c < set.count; c++) overlap = Math.max(overlap, -set.gap[c]);
    },
    note(list, { error, converged }) {
      for (const s of list) {
        state[s] = converged ? SOLVED : MISSED;
        errorOf[s] = error;
      }
    },
    noteAll(among, { error, converged }) {
      let last = -1;
      let count = 0;
      for (let s = 0; s < systems.count; s++) {
        if (!among(s)) continue;
        state[s] = converged ? SOLVED : ONE_OF_MANY;
        errorOf[s] = error;
        last = s;
        count++;
      }
      if (count === 1 && !converged) state[last] = MISSED;
    },
    unseen: (s) => state[s] === UNSEEN,
    forget(list) {
      for (const s of list) {
        state[s] = UNSEEN;
        errorOf[s] = 0;
      }
    },
    tell(report, set) {
      let error = 0;
      let missed = -1;
      for (let s = 0; s < systems.count; s++) {
        error = Math.max(error, errorOf[s]);
        if (state[s] >= MISSED && (missed < 0 || errorOf[s] > errorOf[missed])) missed = s;
      }
      if (missed >= 0) {
        report.converged = false;
        if (!report.worst || errorOf[missed] > report.error) report.worst = findWorst(set, errorOf[missed]);
      }
      report.error = Math.max(report.error, error);
      report.overlap = Math.max(report.overlap, overlap);
    },
  };
}
