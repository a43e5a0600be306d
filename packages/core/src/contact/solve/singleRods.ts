/**
 * Rods that touch obstacles and nothing else, solved in one batch if the model can (ContactPort.stepSingleRods). In hair on a head, nearly all rods
 * are of this kind.
 *
 * A rod that slides or falls far can end the step deeper in an obstacle than its contacts at the start predict: under a falling hair the surface
 * of a sphere turns by a tenth of a radian per step. So each rod is checked at the end of the step. If it penetrates an obstacle there, the solution continues
 * from that position and its contacts; starting again, as islands do, takes three times as long. Rods that the batch cannot solve are returned as islands.
 */
import type { Bundle, SingleRodBatch, StepOutcome } from '../../model.ts';
import { appendContact, type ContactSet, copyContact, createContactSet, replaceContact } from '../contactSet.ts';
import { reboundThreshold } from '../detect/colliderContacts.ts';
import type { ColliderSearch } from '../detect/colliderSearch.ts';
import type { Finder } from '../detect/finderData.ts';
import type { SolveOptions } from './islandRound.ts';
import type { Island, Systems } from './islands.ts';
import type { SolveResult } from './sideArrays.ts';
import { markSlidingAtStart, setBias, slipLimit } from './sideVelocities.ts';
import {
  addContact,
  clearSingleRods,
  contactOf,
  countContacts,
  createSingleRodList,
  findContact,
  listSingleRods,
  rodOf,
  type SingleRodList,
} from './singleRodList.ts';

/** How often contacts may be added to a rod within the step, and the penetration, in radii, that adds one. */
const MAX_ROUNDS = 5;
const DEEP = 0.04;

export interface SingleRodSolver {
  /** Iterations and error of the last call. */
  readonly outcome: StepOutcome;
  readonly result: SolveResult;
  /** Lists the systems of `within` that touch obstacles and nothing else, by the sorted set. */
  list(set: ContactSet, within: (system: number) => boolean): void;
  /** True if a system is in the list. */
  has(system: number): boolean;
  /**
   * Steps the listed systems. Returns those that it cannot step, as islands at the start of the step.
   */
  step(input: SingleRodStep): readonly Island[];
  /** Returns the rods whose end of step has not been checked; exact in the first call per step, later calls return all rods. */
  takeUncheckedRods(): readonly number[];
}

export interface SingleRodStep {
  /** Contacts of the step; contacts found during the step are added. */
  readonly set: ContactSet;
  /** For each system: 1 once it has moved to the end of the step. Written. */
  readonly stepped: Uint8Array;
  readonly t: number;
  readonly dt: number;
  /** Brings systems back to the start of the step. */
  revert(systems: readonly number[]): void;
}

interface Job extends SingleRodBatch {
  count: number;
  system: Int32Array;
  from: Int32Array;
  to: Int32Array;
  done: Uint8Array;
  fresh: boolean;
  contacts: ContactSet;
  t: number;
  dt: number;
  speed: number;
}

export interface SingleRodParts {
  readonly finder: Finder;
  readonly search: ColliderSearch;
  readonly bundles: readonly Bundle[];
  readonly systems: Systems;
  readonly options: SolveOptions;
  /** True if friction turns rods about their axes. */
  readonly rolling: boolean;
  /** Systems that links hold. */
  readonly linked: readonly number[];
}

/** The arrays and results of the solver. */
interface Batch {
  readonly finder: Finder;
  readonly search: ColliderSearch;
  readonly list: SingleRodList;
  /** Entries that are not finished, ascending. */
  readonly pending: Int32Array;
  pendingCount: number;
  /** Entries that could not be stepped. */
  readonly failed: number[];
  /** For each rod: whether the end of its step was checked. */
  readonly checked: Uint8Array;
  readonly job: Job;
  /** Contacts of the pending rods from the second round on, one rod after the other. */
  readonly gathered: ContactSet;
  /** Penetrations that were found at the end of a round. */
  readonly penetrations: ContactSet;
  readonly outcome: { ok: boolean; iterations: number; iterationsMax: number; shifts: number };
  readonly total: { iterations: number; error: number; converged: boolean };
}

export function createSingleRodSolver(parts: SingleRodParts): SingleRodSolver {
  const { finder, search, bundles, systems, options, rolling, linked } = parts;
  const canBatch = bundles.map(({ contact }) => contact?.stepSingleRods !== undefined);
  const possible = options.solver === 'admm' && !rolling && canBatch.includes(true);
  const capacity = possible ? systems.count : 0;
  const isLinked = new Set(linked);
  const mayList = (s: number): boolean => canBatch[systems.bundleOf[s]] && !isLinked.has(s);
  const list = createSingleRodList(finder, systems, capacity, mayList);
  const gathered = createContactSet();
  const batch: Batch = {
    finder,
    search,
    list,
    pending: new Int32Array(capacity),
    pendingCount: 0,
    failed: [],
    checked: new Uint8Array(finder.rods.length),
    job: createJob(capacity, gathered, options),
    gathered,
    penetrations: createContactSet(),
    outcome: { ok: true, iterations: 0, iterationsMax: 0, shifts: 0 },
    total: { iterations: 0, error: 0, converged: true },
  };
  return {
    outcome: batch.outcome,
    result: batch.total,
    list(set, within) {
      clearSingleRods(list);
      if (possible) listSingleRods(list, set, within);
    },
    has: (s) => list.listed[s] === 1,
    step(input) {
      startStep(batch, input);
      bundles.forEach((bundle, b) => {
        listPending(batch, b);
        for (let round = 0; round < MAX_ROUNDS && batch.pendingCount > 0; round++) {
          stepPending(batch, bundle, input.set, round === 0);
          addPenetrations(batch, input);
        }
      });
      return returnFailed(batch, input);
    },
    takeUncheckedRods() {
      const { checked } = batch;
      const rods: number[] = [];
      for (let r = 0; r < checked.length; r++) if (!checked[r]) rods.push(r);
      // rods that are stepped again must be checked again
      checked.fill(0);
      return rods;
    },
  };
}

function createJob(capacity: number, contacts: ContactSet, { tolerance, iterations }: SolveOptions): Job {
  return {
    count: 0,
    system: new Int32Array(capacity),
    from: new Int32Array(capacity),
    to: new Int32Array(capacity),
    done: new Uint8Array(capacity),
    fresh: true,
    contacts,
    t: 0,
    dt: 0,
    speed: 0,
    tolerance,
    iterations,
    solverIterations: 0,
    error: 0,
    converged: true,
  };
}

function startStep({ finder, list, outcome, total, checked, failed, job }: Batch, { t, dt }: SingleRodStep): void {
  Object.assign(outcome, { iterations: 0, iterationsMax: 0, shifts: 0 });
  Object.assign(total, { iterations: 0, error: 0, converged: true });
  checked.fill(0);
  list.added.clear();
  failed.length = 0;
  Object.assign(job, { t, dt, speed: finder.acceleration * dt });
}

/** All entries of one bundle are pending. */
function listPending(batch: Batch, bundle: number): void {
  const { list, pending } = batch;
  batch.pendingCount = 0;
  for (let i = 0; i < list.count; i++)
    if (list.systems.bundleOf[list.system[i]] === bundle) pending[batch.pendingCount++] = i;
}

/** Steps the pending rods of one bundle: those that succeed stay in `pending`, the others go to `failed`. */
function stepPending(batch: Batch, bundle: Bundle, set: ContactSet, fresh: boolean): void {
  const { list, job, pending, failed, gathered } = batch;
  writeJob(batch, set, fresh);
  const one = bundle.contact?.stepSingleRods?.(job);
  if (one) addToOutcome(batch, one);
  let left = 0;
  for (let w = 0; w < job.count; w++) {
    const i = pending[w];
    if (!one || !job.done[w]) {
      failed.push(i);
      continue;
    }
    pending[left++] = i;
    if (!fresh)
      for (let k = 0; k < countContacts(list, i); k++)
        copyContact(set, contactOf(list, i, k), gathered, job.from[w] + k);
  }
  batch.pendingCount = left;
}

/** Writes the pending rods and their contacts for the model. In the first round the contacts of a rod are contiguous in the set. */
function writeJob({ list, job, pending, pendingCount, gathered }: Batch, set: ContactSet, fresh: boolean): void {
  job.fresh = fresh;
  job.contacts = fresh ? set : gathered;
  job.count = pendingCount;
  gathered.count = 0;
  for (let w = 0; w < pendingCount; w++) {
    const i = pending[w];
    const count = countContacts(list, i);
    job.system[w] = list.systems.numberOf[list.system[i]];
    job.from[w] = fresh ? list.from[i] : gathered.count;
    if (!fresh) for (let k = 0; k < count; k++) appendContact(gathered, set, contactOf(list, i, k));
    job.to[w] = job.from[w] + count;
  }
}

function addToOutcome({ outcome, total, job }: Batch, one: StepOutcome): void {
  outcome.iterations += one.iterations;
  outcome.iterationsMax = Math.max(outcome.iterationsMax, one.iterationsMax);
  outcome.shifts += one.shifts;
  total.iterations = Math.max(total.iterations, job.solverIterations);
  total.error = Math.max(total.error, job.error);
  total.converged &&= job.converged;
}

/** Adds the penetrations of pending rods to their contacts; rods without any are finished. */
function addPenetrations(batch: Batch, { set, stepped, t, dt }: SingleRodStep): void {
  const { finder, search, list, pending, pendingCount, checked, penetrations } = batch;
  const rods = Array.from(pending.subarray(0, pendingCount), (i) => rodOf(list, i));
  penetrations.count = 0;
  search.findPenetrations(penetrations, { t, dt, allowed: DEEP, rods });
  for (let w = 0; w < pendingCount; w++) {
    stepped[list.system[pending[w]]] = 1;
    checked[rods[w]] = 1;
  }
  setBias(penetrations, finder, dt, reboundThreshold(finder, dt));
  markSlidingAtStart(penetrations, finder, slipLimit(batch.job.speed));
  for (let c = 0; c < penetrations.count; c++) {
    checked[penetrations.rodA[c]] = 0;
    mergePenetration(batch, set, c);
  }
  let left = 0;
  for (let w = 0; w < pendingCount; w++) if (!checked[rods[w]]) pending[left++] = pending[w];
  batch.pendingCount = left;
}

/** Appends penetration c to the set, or writes it over the contact at the same place, whose impulse it keeps. */
function mergePenetration({ list, penetrations: from }: Batch, set: ContactSet, c: number): void {
  const i = list.entryOf[list.systems.ofRod(from.rodA[c])];
  const known = findContact(list, i, set, from.key[c]);
  if (known < 0) addContact(list, i, appendContact(set, from, c));
  else replaceContact(set, known, from, c);
}

/** Brings failed systems back to the start of the step and returns each as an island. */
function returnFailed({ list, failed }: Batch, { stepped, revert }: SingleRodStep): Island[] {
  const systems = failed.map((i) => list.system[i]);
  if (systems.length === 0) return [];
  revert(systems);
  for (const s of systems) stepped[s] = 0;
  return failed.map((i) => ({
    systems: [list.system[i]],
    links: undefined,
    contacts: Int32Array.from({ length: countContacts(list, i) }, (_, k) => contactOf(list, i, k)),
  }));
}
