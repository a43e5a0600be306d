/** One island in one pass of a contact step: solves and steps it, decides whether to accept the step, or restores its start. */

import type { ContactPort, StepOutcome } from '../../model.ts';
import type { StepRequest } from '../../port.ts';
import { appendContact, type ContactSet, copyContact } from '../contactSet.ts';
import { type ContactContext, NEEDS_RECHECK, STEPPED } from '../context.ts';
import { IGNORED } from '../detect/finderData.ts';
import { canSelectContacts } from './islandSolver.ts';
import { type Island, markOnly } from './islands.ts';

/** How to step an island. `pass`: how often islands have been solved again in this attempt because they missed contacts. */
export interface IslandPass extends StepRequest {
  readonly pass: number;
  /** Accept, and report, a step whose contact solver did not converge. */
  readonly acceptsUnconverged: boolean;
  /** Accept, and report, a step that is no solution (`findViolation`). */
  readonly acceptsViolation: boolean;
}

/** Solves for an island's impulses and steps it under them. Appends contacts found in between to `contacts`. */
export function solveIsland(
  context: ContactContext,
  island: Island,
  { t, dt, robust, pass, acceptsUnconverged, acceptsViolation }: IslandPass,
): StepOutcome {
  const { contacts: all, islandContacts: own, systems, solver, missed, stepped, report, log, settings } = context;
  const { contacts, links, systems: list } = island;
  const failed = (reason: string): StepOutcome => {
    return { ...outcome, ok: false, failure: { rod: context.rods[systems.rods[list[0]][0]].id, reason } };
  };
  const resumable = canResume(context, island);
  const atStart = list.filter((s) => !stepped[s]);
  if (settings.keepsLaw) context.energies.record(atStart, t);
  const marks = markOnly(systems, context.islandMarks, list);
  own.count = 0;
  for (const c of contacts) appendContact(own, all, c);
  const outcome = solver.solve({
    contacts: own,
    links,
    systems: marks,
    t,
    dt,
    robust,
    resume: pass > 0 && resumable && list.some((s) => stepped[s]),
    isChecked: pass === 0 && resumable,
    addPenetrations: settings.hasCheapShapes
      ? (of: ContactSet): number => missed.addPenetrations(of, list, t, dt)
      : undefined,
  });
  for (const s of list) stepped[s] = solver.needsRecheck ? NEEDS_RECHECK : STEPPED;
  addOutcome(context, outcome);
  report.iterations = Math.max(report.iterations, solver.result.iterations);
  log.record(list, solver.result);
  returnContacts(all, own, contacts);
  if (!outcome.ok || solver.needsRecheck || !settings.keepsLaw) return outcome;
  if (!solver.result.converged && !links && !acceptsUnconverged && context.retriesLeft > 0) {
    context.retriesLeft--;
    return failed('the contact solver does not converge');
  }
  const reason = findViolation(context, island, t, dt);
  if (reason === undefined) return outcome;
  if (!acceptsViolation && (context.violationsLeft-- > 0 || createsEnergy(context, island, t, dt)))
    return failed(reason);
  log.record(list, { ...solver.result, converged: false });
  return outcome;
}

/** Writes an island's contacts back to the set of all contacts, and appends those that the solver added. */
function returnContacts(all: ContactSet, own: ContactSet, places: ArrayLike<number>): void {
  for (let i = 0; i < places.length; i++) copyContact(all, places[i], own, i);
  for (let i = places.length; i < own.count; i++) appendContact(all, own, i);
}

/** Why the island's last step is not a solution; undefined if it is. */
function findViolation(context: ContactContext, island: Island, t: number, dt: number): string | undefined {
  if (!context.solver.isNearPrediction) return 'the response to contact is too far from linear';
  return createsEnergy(context, island, t, dt) ? 'contact would create energy' : undefined;
}

function createsEnergy(context: ContactContext, { links, systems }: Island, t: number, dt: number): boolean {
  const { islandContacts: contacts, energies, solver, settings } = context;
  // after large impulses, and without gravity, the error that the solver leaves is larger than its tolerance times the reference velocity
  const { converged, error, admissible } = solver.result;
  const slack = Math.max(10 * settings.tolerance * solver.scaleOf(dt), 10 * admissible, converged ? error : 0);
  return !links && energies.measureGain({ systems, contacts, t, dt, slack }) > 0;
}

/** True if an island may continue from its current state, with the contacts that it missed added. */
export function canResume({ settings, bundles, systems }: ContactContext, { links, systems: list }: Island): boolean {
  if (!settings.canResume || links) return false;
  return canSelectContacts([...new Set(list.map((s) => bundles[systems.bundleOf[s]].contact as ContactPort))]);
}

/** Restores an island to the start of the attempt, to be stepped in substeps later. */
export function failIsland(context: ContactContext, island: Island, t: number): void {
  context.failedIslands.push(island);
  for (const s of island.systems) {
    context.stepped[s] = 0;
    setRole(context, s, IGNORED);
  }
  context.log.discard(island.systems);
  revertSystems(context, island.systems, t);
}

export function revertSystems(context: ContactContext, list: readonly number[], t: number): void {
  const marks = markOnly(context.systems, context.islandMarks, list);
  context.bundles.forEach((bundle, b) => {
    bundle.contact?.revert(marks[b], t);
  });
}

/** Sets how a system's rods take part in searches: IGNORED, PARTNER or SEARCHED. */
export function setRole({ systems, finder }: ContactContext, system: number, role: number): void {
  for (const rod of systems.rods[system]) finder.rodRole[rod] = role;
}

export function addOutcome({ outcome }: ContactContext, one: StepOutcome): void {
  outcome.iterations += one.iterations;
  outcome.iterationsMax = Math.max(outcome.iterationsMax, one.iterationsMax);
  outcome.shifts += one.shifts;
  outcome.substeps = Math.max(outcome.substeps, one.substeps ?? 1);
}
