/**
 * One round of an island's solution: linearize the models' response, find the impulses, step the models under them.
 *
 * A round is exact where the response is linear. Where the rods end elsewhere than the linear response predicts, the callers
 * (activeSolve.ts, fullSolve.ts) take another round from there.
 */
import { contactConstants, contactRounds } from '../../constants.ts';
import type { StepOutcome } from '../../model.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { ContactSet } from '../contactSet.ts';
import type { LinkSet } from '../links/linkData.ts';
import { POSITION_TOLERANCE, solveAdmm, weighContacts } from './admm.ts';
import { readVelocities, replaceByDisplacements } from './displacements.ts';
import { readPush, writePush } from './frictionless.ts';
import { applyRepulsion, solveGaussSeidel, solveLumped } from './gaussSeidel.ts';
import type { Marks } from './islands.ts';
import type { SideArrays, SolveResult } from './sideArrays.ts';
import { type Layout, writeForces } from './sides.ts';

export interface SolveOptions {
  readonly iterations: number;
  readonly tolerance: number;
  readonly solver: 'admm' | 'gauss-seidel' | 'impulses' | 'repulsion';
  readonly repulsion: { readonly stiffness: number; readonly reach: number };
}

/** An island and the step that it is to take. */
export interface IslandProblem {
  /** Contacts of the island; impulses and sliding states are written, and penetrating contacts may be appended. */
  readonly contacts: ContactSet;
  readonly links: LinkSet | undefined;
  /** Its systems. */
  readonly systems: Marks;
  readonly t: number;
  readonly dt: number;
  readonly robust: boolean;
  /** Start from where the systems are; those still at the start of the step are included. */
  readonly resume: boolean;
  /** The caller checks for missed contacts and comes back, so a rough solution is enough where impacts are abrupt. */
  readonly isChecked: boolean;
  /** Appends contacts that the systems, where they are now, penetrate; returns their number. */
  readonly addPenetrations: ((contacts: ContactSet) => number) | undefined;
}

/** What the rounds of an island share. */
export interface IslandRounds {
  readonly layout: Layout;
  readonly rods: readonly Rod[];
  readonly options: SolveOptions;
  /** Of all rounds so far, and of the last solution. */
  readonly total: SolveResult;
  readonly last: SolveResult;
  readonly outcome: { iterations: number; iterationsMax: number; shifts: number };
  /** Whether the last step left rods under way (ContactPort with goals). */
  unfinished: boolean;
  /** Whether the rods came to the velocities that the impulses were computed for; else the impulses belong to another motion. */
  arrived: boolean;
}

/** Rounds per island, and how many more contacts that are added late may cause. */
export const ROUNDS: number = contactRounds.ISLAND_ROUNDS;
export const LATE_ROUNDS = 4;

/** Factor on the solver's tolerance in a round that only has to come near: the response is not linear as far as that. */
export const ROUGH: number = contactConstants.ROUGH;

/** A contact whose gap would be below this part of its size after the step is solved for. */
export const CLOSE: number = contactConstants.CLOSE;

/** Slots of memory (ContactThreads.sideBuffer) for the sides of all contacts, and of those that are solved for. */
export const ALL_SIDES = 0;
export const ACTIVE_SIDES = 1;

/** Velocity that errors are compared with [m/s]; without gravity, links are as exact as a millionth of an edge wants. */
export function velocityScale({ finder, links }: Layout, dt: number): number {
  return Math.max(finder.acceleration * dt, (1e-6 * links.size) / dt);
}

/** How far velocities may be from those of the linear response [m/s]. */
export function predictionLimit({ layout, options, total }: IslandRounds, dt: number): number {
  return Math.max(options.tolerance * velocityScale(layout, dt), total.error);
}

export function failRound({ outcome, rods, layout }: IslandRounds, contacts: ContactSet, reason: string): StepOutcome {
  const rod = contacts.count > 0 ? contacts.rodA[0] : layout.links.plans[0].rodA;
  return { ok: false, ...outcome, failure: { rod: rods[rod].id, reason } };
}

/** How one round is taken. */
export interface RoundOptions {
  /** `fresh`: linearize at the start of the step; `again`: where the rods are; `done`: the response is already known. */
  readonly linearization: 'fresh' | 'again' | 'done';
  /** Step the models only part of the way, because forces will change much. */
  readonly rough: boolean;
  /** Factor on the solver's tolerance. */
  readonly toleranceFactor: number;
}

/** Linearizes, solves and steps. Returns the failure, if any. */
export function takeRound(
  rounds: IslandRounds,
  problem: IslandProblem,
  arrays: SideArrays,
  { linearization, rough, toleranceFactor }: RoundOptions,
): StepOutcome | undefined {
  const { contacts, dt } = problem;
  const unable =
    linearization === 'done' ? undefined : linearizeSides(rounds, problem, arrays, linearization === 'fresh');
  if (unable) return unable;
  if (arrays.axes === 1) readPush(contacts, arrays);
  else arrays.impulseStart.set(contacts.impulse.subarray(0, 3 * contacts.count));
  for (const { impulse, impulseStart } of arrays.links?.set.others ?? []) impulseStart.set(impulse);
  const trouble = findImpulses(rounds, problem, arrays, toleranceFactor);
  if (trouble) return trouble;
  if (arrays.axes === 1) writePush(contacts, arrays);
  writeForces(contacts, arrays, dt);
  return stepModels(rounds, problem, arrays, rough);
}

/** Response of all sides, at a first guess of the step (`fresh`) or where the rods are. */
export function linearizeSides(
  rounds: IslandRounds,
  { contacts, t, dt }: IslandProblem,
  arrays: SideArrays,
  fresh: boolean,
): StepOutcome | undefined {
  writeForces(contacts, arrays, dt);
  for (const one of arrays.sides) {
    const { port, sides, systems, start, response } = one;
    if (!port.linearize(start, response, systems, sides, t, dt, fresh))
      return failRound(rounds, contacts, 'the response to contact cannot be found');
    // without a guess, a fresh start has moved nothing yet
    if (!fresh || port.guess) replaceByDisplacements(one, arrays.rod, rounds.layout.finder, dt);
    if (arrays.links && !sides.goal) arrays.copy.set(start, 3 * one.from);
  }
  if (arrays.links) arrays.links.guessed = fresh;
  return undefined;
}

/** Moves the models to their own first guess of the step, under the forces of the last one. */
export function guessStep(
  rounds: IslandRounds,
  { contacts, t, dt }: IslandProblem,
  arrays: SideArrays,
): StepOutcome | undefined {
  writeForces(contacts, arrays, dt);
  for (const one of arrays.sides) {
    const { port, sides, systems, start } = one;
    if (!port.guess?.(start, systems, sides, t, dt))
      return failRound(rounds, contacts, 'the response to contact cannot be found');
    replaceByDisplacements(one, arrays.rod, rounds.layout.finder, dt);
  }
  return undefined;
}

function findImpulses(
  rounds: IslandRounds,
  { contacts, dt }: IslandProblem,
  arrays: SideArrays,
  factor: number,
): StepOutcome | undefined {
  const { layout, rods, options, last, total } = rounds;
  const { solver, tolerance, iterations, repulsion } = options;
  const scale = velocityScale(layout, dt);
  if (solver === 'admm') {
    if (!weighContacts(contacts, arrays)) return failRound(rounds, contacts, 'the response to contact is not positive');
    solveAdmm(last, contacts, arrays, {
      scale,
      tolerance: factor * tolerance,
      limit: iterations,
      positionTolerance: (factor * POSITION_TOLERANCE) / dt,
    });
  } else if (solver === 'gauss-seidel') {
    for (const { port, sides, systems } of arrays.sides)
      if (!port.factor(systems, sides)) return failRound(rounds, contacts, 'the response to contact is not positive');
    solveGaussSeidel(last, contacts, arrays, scale, tolerance, iterations);
  } else if (solver === 'impulses') solveLumped(last, contacts, arrays, layout.finder, tolerance * scale);
  else applyRepulsion(last, contacts, rods, repulsion.stiffness, repulsion.reach, dt);
  total.iterations += last.iterations;
  total.error = last.error;
  total.converged = last.converged;
  return undefined;
}

/** Steps the models under the forces at the sides, and reads the velocities they come to. */
export function stepModels(
  rounds: IslandRounds,
  { t, dt, robust }: IslandProblem,
  arrays: SideArrays,
  rough: boolean,
): StepOutcome | undefined {
  const { outcome, layout } = rounds;
  rounds.unfinished = false;
  for (const { port, sides, systems } of arrays.sides) {
    const one = port.step(systems, sides, t, dt, robust, rough);
    rounds.unfinished ||= one.unfinished ?? false;
    outcome.iterations += one.iterations;
    outcome.iterationsMax = Math.max(outcome.iterationsMax, one.iterationsMax);
    outcome.shifts += one.shifts;
    if (!one.ok) return { ...one, ...outcome };
  }
  readVelocities(arrays, layout.finder, dt);
  return undefined;
}
