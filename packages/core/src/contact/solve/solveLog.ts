/**
 * Log of how each system's contacts were solved in a step, for the contact report.
 *
 * The last solution of a system counts: an island that was solved again, or was stepped in substeps, is judged by its last solution.
 * Rods that touch obstacles only are solved in one batch with one verdict, so the log cannot say which of them did not converge.
 */
import type { Rod } from '../../scene/compiled.ts';
import type { ContactSet } from '../contactSet.ts';
import type { ContactReport } from '../report.ts';
import type { Collider } from '../shapes/collider.ts';
import type { Systems } from './islands.ts';
import type { SolveResult } from './sideArrays.ts';

export interface SolveLog {
  /** Starts an attempt. Overlaps are measured here: contacts found later have gaps from the middle of the step. */
  begin(set: ContactSet): void;
  /** Deepest overlap at the start of the attempt, relative to the size of the contact. */
  readonly startDepth: number;
  /** Records how the island of these systems was solved. */
  record(list: readonly number[], result: SolveResult): void;
  /** Records one verdict for all systems that `among` selects. */
  recordBatch(among: (system: number) => boolean, result: SolveResult): void;
  hasRecord(system: number): boolean;
  /** Discards the records of systems that did not move. */
  discard(list: readonly number[]): void;
  /** Adds the records to the report; `set` has the contacts. */
  writeTo(report: ContactReport, set: ContactSet): void;
}

const [NONE, SOLVED, UNCONVERGED, UNCONVERGED_IN_BATCH] = [0, 1, 2, 3];

export function createSolveLog(systems: Systems, rods: readonly Rod[], colliders: readonly Collider[]): SolveLog {
  const state = new Uint8Array(systems.count);
  const errorOf = new Float64Array(systems.count);
  let [overlap, depth] = [0, 0];
  return {
    get startDepth() {
      return depth;
    },
    begin(set) {
      state.fill(NONE);
      errorOf.fill(0);
      [overlap, depth] = measureOverlaps(set);
    },
    record(list, { error, converged }) {
      for (const s of list) {
        state[s] = converged ? SOLVED : UNCONVERGED;
        errorOf[s] = error;
      }
    },
    recordBatch(among, { error, converged }) {
      let last = -1;
      let count = 0;
      for (let s = 0; s < systems.count; s++) {
        if (!among(s)) continue;
        state[s] = converged ? SOLVED : UNCONVERGED_IN_BATCH;
        errorOf[s] = error;
        last = s;
        count++;
      }
      if (count === 1 && !converged) state[last] = UNCONVERGED;
    },
    hasRecord: (s) => state[s] !== NONE,
    discard(list) {
      for (const s of list) {
        state[s] = NONE;
        errorOf[s] = 0;
      }
    },
    writeTo(report, set) {
      let error = 0;
      let missed = -1;
      for (let s = 0; s < systems.count; s++) {
        error = Math.max(error, errorOf[s]);
        if (state[s] >= UNCONVERGED && (missed < 0 || errorOf[s] > errorOf[missed])) missed = s;
      }
      if (missed >= 0) {
        report.converged = false;
        if (!report.worst || errorOf[missed] > report.error) {
          const hasError = (s: number): boolean => state[s] === UNCONVERGED && errorOf[s] === errorOf[missed];
          const c = findDeepest(set, (rod) => hasError(systems.ofRod(rod)));
          report.worst = c < 0 ? undefined : namePair(set, c, rods, colliders);
        }
      }
      report.error = Math.max(report.error, error);
      report.overlap = Math.max(report.overlap, overlap);
    },
  };
}

/** Deepest overlap [m], and deepest relative to the size of its contact. */
function measureOverlaps({ gap, size, count }: ContactSet): [number, number] {
  let [overlap, depth] = [0, 0];
  for (let c = 0; c < count; c++) {
    overlap = Math.max(overlap, -gap[c]);
    depth = Math.max(depth, -gap[c] / size[c]);
  }
  return [overlap, depth];
}

/** The contact with the largest overlap among those whose first rod is selected; −1 if there is none. */
function findDeepest(set: ContactSet, selects: (rod: number) => boolean): number {
  let deepest = -1;
  for (let c = 0; c < set.count; c++)
    if (selects(set.rodA[c]) && (deepest < 0 || set.gap[c] < set.gap[deepest])) deepest = c;
  return deepest;
}

/** Names of the rods, or of the rod and the collider, of contact c. */
function namePair(
  { collider, rodA, rodB }: ContactSet,
  c: number,
  rods: readonly Rod[],
  colliders: readonly Collider[],
): NonNullable<ContactReport['worst']> {
  return { rod: rods[rodA[c]].id, other: collider[c] >= 0 ? colliders[collider[c]].id : rods[rodB[c]].id };
}
