/**
 * Solution of an island with its active contacts only.
 *
 * Contacts are created if their gap may close within the step, and many of them carry no force in the end (hair on a head: the nodes next to the
 * middles of the edges). Models that can guess the step, or compute the response of selected sides, predict which contacts would close under the
 * forces of the last step. The solver ignores the others and checks them after each round: one that would have closed becomes active, and the
 * solution continues. In the end the contact law holds for all. Long hair at rest on a head needs a third of its contacts.
 */
import { contactConstants } from '../../constants.ts';
import type { StepOutcome } from '../../model.ts';
import { appendContact, type ContactSet, copyContact, createContactSet } from '../contactSet.ts';
import { readVelocities } from './displacements.ts';
import { isFrictionless, straighten, surfaceAlong } from './frictionless.ts';
import {
  ACTIVE_SIDES,
  ALL_SIDES,
  CLOSE,
  guessStep,
  type IslandProblem,
  type IslandRounds,
  LATE_ROUNDS,
  linearizeSides,
  predictionLimit,
  ROUGH,
  ROUNDS,
  stepModels,
  takeRound,
  velocityScale,
} from './islandRound.ts';
import type { SideArrays } from './sideArrays.ts';
import { layOutSides, writeForces } from './sides.ts';
import { hasArrived, isPredicted, markSliding } from './sideVelocities.ts';

/** If contacts would close by more than this many tolerances, the forces of the last step are a poor prediction: a rough round comes first. */
const { ABRUPT, LATE } = contactConstants;

/** Index of a contact that is active but not in `contacts` yet. */
const UNPLACED = 2 ** 30;

export interface ActiveContacts {
  /** The active contacts, in order. */
  readonly contacts: ContactSet;
  /** Index in `contacts` of each contact of the island; −1 for inactive ones. */
  placeOf: Int32Array;
  /** How much of `placeOf` is in use. */
  used: number;
  /** Largest velocity at which a newly activated contact would close beyond its gap [m/s]. */
  worstClosing: number;
}

export function createActiveContacts(): ActiveContacts {
  return { contacts: createContactSet(), placeOf: new Int32Array(64).fill(-1), used: 0, worstClosing: 0 };
}

function clearActive(active: ActiveContacts): void {
  active.placeOf.fill(-1, 0, active.used);
  active.used = 0;
}

/** Activates contacts whose gap would be below `margin` of their size at the end of the step; returns how many are new. */
function activate(
  active: ActiveContacts,
  set: ContactSet,
  arrays: SideArrays,
  { dt, margin }: { readonly dt: number; readonly margin: number },
): number {
  const { start, sideA, sideB, axes } = arrays;
  let fresh = 0;
  active.worstClosing = 0;
  if (active.placeOf.length < set.count) {
    const longer = new Int32Array(2 * set.count).fill(-1);
    longer.set(active.placeOf);
    active.placeOf = longer;
  }
  const { placeOf } = active;
  active.used = Math.max(active.used, set.count);
  for (let c = 0; c < set.count; c++) {
    if (placeOf[c] >= 0) continue;
    const o = 3 * c;
    let u = set.bias[c];
    if (axes === 1) u += start[sideA[c]] - (sideB[c] >= 0 ? start[sideB[c]] : surfaceAlong(set, c));
    for (let k = 0; k < 3 && axes === 3; k++) {
      const other = sideB[c] >= 0 ? start[3 * sideB[c] + k] : set.surface[o + k];
      u += set.normal[o + k] * (start[3 * sideA[c] + k] - other);
    }
    const loaded = set.impulse[o] !== 0 || set.impulse[o + 1] !== 0 || set.impulse[o + 2] !== 0;
    if (!loaded && u * dt >= margin * set.size[c]) continue;
    placeOf[c] = UNPLACED;
    active.worstClosing = Math.max(active.worstClosing, -u);
    fresh++;
  }
  return fresh;
}

function gatherActive({ contacts, placeOf }: ActiveContacts, set: ContactSet): void {
  contacts.count = 0;
  for (let c = 0; c < set.count; c++) if (placeOf[c] >= 0) placeOf[c] = appendContact(contacts, set, c);
}

function returnActive({ contacts, placeOf }: ActiveContacts, set: ContactSet): void {
  for (let c = 0; c < set.count; c++)
    if (placeOf[c] >= 0 && placeOf[c] < UNPLACED) copyContact(set, c, contacts, placeOf[c]);
}

/** Copies velocities and responses of the active contacts' sides out of those of all. */
function copyActiveSides({ placeOf }: ActiveContacts, some: SideArrays, all: SideArrays, set: ContactSet): void {
  const { axes } = all;
  const copy = (to: number, from: number): void => {
    if (from < 0) return;
    some.response[to] = all.response[from];
    for (let k = 0; k < axes; k++) some.start[axes * to + k] = all.start[axes * from + k];
  };
  for (let c = 0; c < set.count; c++) {
    if (placeOf[c] < 0) continue;
    copy(some.sideA[placeOf[c]], all.sideA[c]);
    copy(some.sideB[placeOf[c]], all.sideB[c]);
  }
}

/** Initial state of the step: the current state, the models' guess, or the linear step from the start. */
function startRounds(
  rounds: IslandRounds,
  problem: IslandProblem,
  all: SideArrays,
  guesses: boolean,
): StepOutcome | undefined {
  if (problem.resume) {
    writeForces(problem.contacts, all, problem.dt);
    return stepModels(rounds, problem, all, true);
  }
  return guesses ? guessStep(rounds, problem, all) : linearizeSides(rounds, problem, all, true);
}

/** An island that is being solved: its sides, all and active. */
interface ActiveRun {
  readonly rounds: IslandRounds;
  readonly active: ActiveContacts;
  readonly problem: IslandProblem;
  /** Numbers per side: 1 along the normal while no contact has friction. */
  axes: 1 | 3;
  all: SideArrays;
  arrays: SideArrays;
}

/** With one number per side, impulses must lie along the normals. */
function alignImpulses(set: ContactSet, axes: 1 | 3): 1 | 3 {
  if (axes === 3 || !isFrictionless(set)) return 3;
  straighten(set);
  return 1;
}

function layOutAll({ rounds: { layout }, problem: { contacts, systems } }: ActiveRun, axes: 1 | 3): SideArrays {
  return layOutSides(layout, contacts, { systems, axes, slot: ALL_SIDES });
}

function layOutActive({ rounds: { layout }, active, problem: { systems }, axes }: ActiveRun): SideArrays {
  return layOutSides(layout, active.contacts, { systems, axes, slot: ACTIVE_SIDES });
}

/**
 * Activates contacts that the last round closed, and after a `rough` round adds those of penetrating points; true if there are new ones.
 * `mayActivate`: contacts have not been activated too often.
 */
function addClosed(run: ActiveRun, rough: boolean, mayActivate: boolean): boolean {
  const { rounds, active, problem } = run;
  const { contacts: set, dt, addPenetrations } = problem;
  let changed = false;
  const searches = rough && addPenetrations !== undefined;
  if (searches) {
    returnActive(active, set);
    // penetration in intermediate rounds does not count as missed
    changed = addPenetrations(set) > 0;
    run.axes = alignImpulses(set, run.axes);
    if (changed) run.all = layOutAll(run, run.axes);
  }
  if (active.contacts.count < set.count) {
    readVelocities(run.all, rounds.layout.finder, dt);
    // contacts that close no deeper than resting contacts may stay inactive
    if (mayActivate && activate(active, set, run.all, { dt, margin: LATE }) > 0) changed = true;
  }
  if (!changed) return false;
  if (!searches) returnActive(active, set);
  gatherActive(active, set);
  run.arrays = layOutActive(run);
  return true;
}

/**
 * Solves the island and steps it. `needsRecheck`: it was solved roughly near an abrupt impact, and the caller must call again.
 */
export function solveWithActiveContacts(
  rounds: IslandRounds,
  active: ActiveContacts,
  problem: IslandProblem,
  axesAtStart: 1 | 3,
): { readonly outcome: StepOutcome; readonly needsRecheck: boolean } {
  const { layout, options, outcome } = rounds;
  const { contacts: set, systems, dt, isChecked } = problem;
  const fail = (trouble: StepOutcome) => ({ outcome: trouble, needsRecheck: false }) as const;
  const scale = velocityScale(layout, dt);
  const axes = alignImpulses(set, axesAtStart);
  const all = layOutSides(layout, set, { systems, axes, slot: ALL_SIDES });
  const run: ActiveRun = { rounds, active, problem, axes, all, arrays: all };
  clearActive(active);
  const guesses = problem.resume || all.sides.every(({ port }) => port.guess);
  const unable = startRounds(rounds, problem, all, guesses);
  if (unable) return fail(unable);
  if (activate(active, set, all, { dt, margin: CLOSE }) === 0)
    return fail(stepModels(rounds, problem, all, false) ?? { ok: true, ...outcome });
  gatherActive(active, set);
  const some: IslandProblem = { ...problem, contacts: active.contacts };
  if (active.contacts.count < set.count) run.arrays = layOutActive(run);
  if (!guesses && run.arrays !== all) copyActiveSides(active, run.arrays, all, set);
  let rough = false;
  let needsRecheck = false;
  for (let round = 0, late = 0; ; round++) {
    rough = round < ROUNDS - 1 && ((isChecked && rough) || active.worstClosing > ABRUPT * options.tolerance * scale);
    active.worstClosing = 0;
    const linearization = round === 0 && !guesses ? 'done' : 'again';
    const trouble = takeRound(rounds, some, run.arrays, { linearization, rough, toleranceFactor: rough ? ROUGH : 1 });
    if (trouble) return fail(trouble);
    const predicted = !rough && isPredicted(run.arrays, predictionLimit(rounds, dt));
    if (addClosed(run, rough, late < LATE_ROUNDS)) {
      late++;
      continue;
    }
    needsRecheck = isChecked && rough;
    if (needsRecheck || predicted || round - late >= ROUNDS - 1) break;
  }
  rounds.arrived = hasArrived(run.arrays, predictionLimit(rounds, dt));
  markSliding(active.contacts, run.arrays, scale);
  returnActive(active, set);
  return { outcome: { ok: true, ...outcome }, needsRecheck };
}
