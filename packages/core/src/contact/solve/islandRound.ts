/**
 * One round of an island's solution: linearize the models' response, compute the impulses, step the models under them.
 *
 * A round is exact if the response is linear. If the rods end elsewhere than the linear response predicts, the callers (activeSolve.ts,
 * fullSolve.ts) take another round from there.
 */

import { contactConstants, contactRounds } from '../../constants.ts';
import type { StepOutcome } from '../../model.ts';
import type { StepRequest } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { ContactSet } from '../contactSet.ts';
import type { LinkSet } from '../links/linkData.ts';
import { POSITION_TOLERANCE, solveAdmm, weighContacts } from './admm.ts';
import { readVelocities, replaceByDisplacements } from './displacements.ts';
import { readNormalImpulses, writeNormalImpulses } from './frictionless.ts';
import { applyRepulsion, solveGaussSeidel, solveLumped } from './gaussSeidel.ts';
import type { Marks } from './islands.ts';
import type { ImpulseResult, SideArrays } from './sideArrays.ts';
import { type SideLayout, writeForces } from './sides.ts';

export interface SolveOptions {
  readonly iterations: number;
  readonly tolerance: number;
  readonly solver: 'admm' | 'gauss-seidel' | 'impulses' | 'repulsion';
  readonly repulsion: { readonly stiffness: number; readonly reach: number };
}

/** An island and its step. */
export interface IslandProblem extends StepRequest {
  /** Contacts of the island; impulses and sliding states are written, and penetrating contacts may be appended. */
  readonly contacts: ContactSet;
  readonly links: LinkSet | undefined;
  /** Its systems. */
  readonly systems: Marks;
  /** Start from the current state of the systems, including those still at the start of the step. */
  readonly resume: boolean;
  /** The caller checks for missed contacts and calls again, so a rough solution is enough near abrupt impacts. */
  readonly isChecked: boolean;
  /** Appends contacts that the systems penetrate in their current state; returns their number. */
  readonly addPenetrations: ((contacts: ContactSet) => number) | undefined;
}

/** Data that the rounds of an island share. */
export interface IslandRounds {
  readonly layout: SideLayout;
  readonly rods: readonly Rod[];
  readonly options: SolveOptions;
  /** Iterations of all rounds so far, and error of the last solution. */
  readonly total: ImpulseResult;
  readonly last: ImpulseResult;
  readonly outcome: { iterations: number; iterationsMax: number; shifts: number };
  /** True if the last step left rods short of their goals (ContactPort with goals). */
  unfinished: boolean;
  /** True if the rods moved, within a tolerance, as the impulses were computed for; else the impulses belong to another motion. */
  isNearPrediction: boolean;
}

/** Rounds per island, and additional rounds for contacts that are added late. */
export const ROUNDS: number = contactRounds.ISLAND_ROUNDS;
export const LATE_ROUNDS = 4;

/** Factor on the solver's tolerance in a rough round, in which the response is not linear enough for more. */
export const ROUGH: number = contactConstants.ROUGH;

/** A contact is solved for if its gap after the step would be below this fraction of its size. */
export const CLOSE: number = contactConstants.CLOSE;

/** Slots of memory (ContactThreads.sideBuffer) for the sides of all contacts, and of the active ones. */
export const ALL_SIDES = 0;
export const ACTIVE_SIDES = 1;

/** Reference velocity for errors [m/s]; without gravity, such that links are accurate to a millionth of an edge. */
export function velocityScale({ finder, links }: SideLayout, dt: number): number {
  return Math.max(finder.acceleration * dt, (1e-6 * links.size) / dt);
}

/** Difference of velocities from those of the linear response that ends the rounds [m/s]. */
export function predictionLimit({ layout, options, total }: IslandRounds, dt: number): number {
  return Math.max(options.tolerance * velocityScale(layout, dt), total.error);
}

/** Difference with which a step still counts as solved: without gravity, or under much larger loads, the impulses set it [m/s]. */
export function arrivalLimit(rounds: IslandRounds, dt: number): number {
  return Math.max(predictionLimit(rounds, dt), rounds.total.admissible);
}

export function failRound({ outcome, rods, layout }: IslandRounds, contacts: ContactSet, reason: string): StepOutcome {
  const rod = contacts.count > 0 ? contacts.rodA[0] : layout.links.plans[0].rodA;
  return { ok: false, ...outcome, failure: { rod: rods[rod].id, reason } };
}

/** Options of a round. */
export interface RoundOptions {
  /** The state at which the models are linearized; `done`: the response is already known. */
  readonly linearization: 'first-guess' | 'current-state' | 'done';
  /** Step the models only roughly, because forces will change considerably. */
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
  const unable = linearization === 'done' ? undefined : linearizeSides(rounds, problem, arrays, linearization);
  if (unable) return unable;
  if (arrays.axes === 1) readNormalImpulses(contacts, arrays);
  else arrays.impulseStart.set(contacts.impulse.subarray(0, 3 * contacts.count));
  for (const { impulse, impulseStart } of arrays.links?.set.others ?? []) impulseStart.set(impulse);
  const trouble = findImpulses(rounds, problem, arrays, toleranceFactor);
  if (trouble) return trouble;
  if (arrays.axes === 1) writeNormalImpulses(contacts, arrays);
  writeForces(contacts, arrays, dt);
  return stepModels(rounds, problem, arrays, rough ? 'rough' : 'full');
}

/** Response of all sides, at a first guess of the step or at the current state. */
export function linearizeSides(
  rounds: IslandRounds,
  { contacts, t, dt }: IslandProblem,
  arrays: SideArrays,
  at: 'first-guess' | 'current-state',
): StepOutcome | undefined {
  writeForces(contacts, arrays, dt);
  for (const one of arrays.bundles) {
    const { port, sides, systems, reached, response } = one;
    if (!port.linearize({ velocity: reached, response }, systems, sides, { t, dt, fresh: at === 'first-guess' }))
      return failRound(rounds, contacts, 'the response to contact cannot be found');
    // without a guess, a fresh start has moved nothing yet
    if (at === 'current-state' || port.guess) replaceByDisplacements(one, arrays.rod, rounds.layout.finder, dt);
    if (arrays.links && !sides.goal) arrays.copy.set(reached, 3 * one.from);
  }
  if (arrays.links) arrays.links.guessed = at === 'first-guess';
  return undefined;
}

/** Moves the models to their first guess of the step, under the forces of the last one. */
export function guessStep(
  rounds: IslandRounds,
  { contacts, t, dt }: IslandProblem,
  arrays: SideArrays,
): StepOutcome | undefined {
  writeForces(contacts, arrays, dt);
  for (const one of arrays.bundles) {
    const { port, sides, systems, reached } = one;
    if (!port.guess?.(reached, systems, sides, { t, dt }))
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
    for (const { port, sides, systems } of arrays.bundles)
      if (!port.factor(systems, sides)) return failRound(rounds, contacts, 'the response to contact is not positive');
    solveGaussSeidel(last, contacts, arrays, scale, tolerance, iterations);
  } else if (solver === 'impulses') solveLumped(last, contacts, arrays, layout.finder, tolerance * scale);
  else applyRepulsion(last, contacts, rods, repulsion.stiffness, repulsion.reach, dt);
  total.iterations += last.iterations;
  total.error = last.error;
  total.admissible = last.admissible;
  total.converged = last.converged;
  return undefined;
}

/** Steps the models under the forces at the sides, and reads the resulting velocities. */
export function stepModels(
  rounds: IslandRounds,
  { t, dt, robust }: IslandProblem,
  arrays: SideArrays,
  accuracy: 'rough' | 'full',
): StepOutcome | undefined {
  const { outcome, layout } = rounds;
  rounds.unfinished = false;
  for (const { port, sides, systems } of arrays.bundles) {
    const one = port.step(systems, sides, { t, dt, robust, rough: accuracy === 'rough' });
    rounds.unfinished ||= one.unfinished ?? false;
    outcome.iterations += one.iterations;
    outcome.iterationsMax = Math.max(outcome.iterationsMax, one.iterationsMax);
    outcome.shifts += one.shifts;
    if (!one.ok) return { ...one, ...outcome };
  }
  readVelocities(arrays, layout.finder, dt);
  return undefined;
}
