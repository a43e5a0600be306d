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
import { isFrictionless, projectImpulses, surfaceAlong } from './frictionless.ts';
import {
  ACTIVE_SIDES,
  ALL_SIDES,
  arrivalLimit,
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
import { isNearPrediction, markSliding, matchesPrediction } from './sideVelocities.ts';

/** If contacts would close by more than this many tolerances, the forces of the last step are a poor prediction: a rough round comes first. */
const { ABRUPT, LATE } = contactConstants;

/**
 * A contact that would close by less than this part of its size is no impact: one round corrects it. Without it every step of a scene without
 * gravity, whose reference velocity is 0, would begin with a rough round and be solved twice (docs/notes/contact-solver.md, "The step of the knot").
 * Not for short substeps of a failed step, in which rods move little.
 */
const GENTLE = 0.05;

/** Index of a contact that is active but not in `contacts` yet. */
const UNPLACED = 2 ** 30;

export interface ActiveContacts {
  /** The active contacts, in order. */
  readonly contacts: ContactSet;
  /** Index in `contacts` of each contact of the island; −1 for inactive ones. */
  placeOf: Int32Array;
  /** How much of `placeOf` is in use. */
  used: number;
  /** Largest velocity at which a newly activated contact would close beyond its gap [m/s]; 0 if none closes by more than GENTLE of its size. */
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
  { dt, robust }: Pick<IslandProblem, 'dt' | 'robust'>,
  margin: number,
): number {
  const gentle = robust ? 0 : GENTLE;
  const { reached, sideA, sideB, axes } = arrays;
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
    if (axes === 1) u += reached[sideA[c]] - (sideB[c] >= 0 ? reached[sideB[c]] : surfaceAlong(set, c));
    for (let k = 0; k < 3 && axes === 3; k++) {
      const other = sideB[c] >= 0 ? reached[3 * sideB[c] + k] : set.surface[o + k];
      u += set.normal[o + k] * (reached[3 * sideA[c] + k] - other);
    }
    const loaded = set.impulse[o] !== 0 || set.impulse[o + 1] !== 0 || set.impulse[o + 2] !== 0;
    if (!loaded && u * dt >= margin * set.size[c]) continue;
    placeOf[c] = UNPLACED;
    if (-u * dt > gentle * set.size[c]) active.worstClosing = Math.max(active.worstClosing, -u);
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
    for (let k = 0; k < axes; k++) some.reached[axes * to + k] = all.reached[axes * from + k];
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
    return stepModels(rounds, problem, all, 'rough');
  }
  return guesses ? guessStep(rounds, problem, all) : linearizeSides(rounds, problem, all, 'first-guess');
}

/** An island that is being solved: its sides, all and active. */
interface ActiveRun {
  readonly rounds: IslandRounds;
  readonly active: ActiveContacts;
  readonly problem: IslandProblem;
  /** Numbers per side: 1 along the normal while no contact has friction. */
  axes: 1 | 3;
  /** Sides of all contacts, and of the active ones. */
  all: SideArrays;
  arrays: SideArrays;
  /** True if the models are at a guess of the step, or at the state of an earlier pass; else they are at its start. */
  readonly hasGuess: boolean;
}

/** With one number per side, impulses must lie along the normals. */
function alignImpulses(set: ContactSet, axes: 1 | 3): 1 | 3 {
  if (axes === 3 || !isFrictionless(set)) return 3;
  projectImpulses(set);
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
    if (mayActivate && activate(active, set, run.all, problem, LATE) > 0) changed = true;
  }
  if (!changed) return false;
  if (!searches) returnActive(active, set);
  gatherActive(active, set);
  run.arrays = layOutActive(run);
  return true;
}

/** Lays out the island and moves the models to the initial state of the step. */
function startRun(
  rounds: IslandRounds,
  active: ActiveContacts,
  problem: IslandProblem,
  axesAtStart: 1 | 3,
): { readonly run: ActiveRun; readonly trouble: StepOutcome | undefined } {
  const { contacts: set, systems } = problem;
  const axes = alignImpulses(set, axesAtStart);
  const all = layOutSides(rounds.layout, set, { systems, axes, slot: ALL_SIDES });
  const hasGuess = problem.resume || all.bundles.every(({ port }) => port.guess);
  clearActive(active);
  const run: ActiveRun = { rounds, active, problem, axes, all, arrays: all, hasGuess };
  return { run, trouble: startRounds(rounds, problem, all, hasGuess) };
}

/** Collects the active contacts and their sides before the first round. */
function selectFirst(run: ActiveRun): void {
  const { active, problem, all, hasGuess } = run;
  gatherActive(active, problem.contacts);
  if (active.contacts.count === problem.contacts.count) return;
  run.arrays = layOutActive(run);
  // without a guess, the first round uses the linearization of all sides
  if (!hasGuess) copyActiveSides(active, run.arrays, all, problem.contacts);
}

/**
 * Takes rounds until the rods move as predicted and no inactive contact closes. Returns the failure, if any, and whether the last round was
 * rough and the caller must call again.
 */
function takeRounds(run: ActiveRun): { readonly trouble?: StepOutcome; readonly needsRecheck: boolean } {
  const { rounds, active, problem, hasGuess } = run;
  const { dt, isChecked } = problem;
  const abrupt = ABRUPT * rounds.options.tolerance * velocityScale(rounds.layout, dt);
  const onlyActive: IslandProblem = { ...problem, contacts: active.contacts };
  let rough = false;
  for (let round = 0, lateRounds = 0; ; round++) {
    rough = round < ROUNDS - 1 && ((isChecked && rough) || active.worstClosing > abrupt);
    active.worstClosing = 0;
    const linearization = round === 0 && !hasGuess ? 'done' : 'current-state';
    const toleranceFactor = rough ? ROUGH : 1;
    const trouble = takeRound(rounds, onlyActive, run.arrays, { linearization, rough, toleranceFactor });
    if (trouble) return { trouble, needsRecheck: false };
    const predicted = !rough && matchesPrediction(run.arrays, predictionLimit(rounds, dt));
    if (addClosed(run, rough, lateRounds < LATE_ROUNDS)) {
      lateRounds++;
      continue;
    }
    const needsRecheck = isChecked && rough;
    if (needsRecheck || predicted || round - lateRounds >= ROUNDS - 1) return { needsRecheck };
  }
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
  const { contacts: set, dt } = problem;
  const finish = (outcome: StepOutcome) => ({ outcome, needsRecheck: false }) as const;
  const { run, trouble: unable } = startRun(rounds, active, problem, axesAtStart);
  if (unable) return finish(unable);
  const isTouched = activate(active, set, run.all, problem, CLOSE) > 0;
  if (!isTouched) return finish(stepModels(rounds, problem, run.all, 'full') ?? { ok: true, ...rounds.outcome });
  selectFirst(run);
  const { trouble, needsRecheck } = takeRounds(run);
  if (trouble) return finish(trouble);
  rounds.isNearPrediction = isNearPrediction(run.arrays, arrivalLimit(rounds, dt));
  markSliding(active.contacts, run.arrays, velocityScale(rounds.layout, dt));
  returnActive(active, set);
  return { outcome: { ok: true, ...rounds.outcome }, needsRecheck };
}
