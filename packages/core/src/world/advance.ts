/**
 * Advances the rods of a world over a span of time: in one step, in substeps if that fails, or in two parts if a contact rebounds within it. Each function
 * either advances all rods or restores all of them.
 */

import { SimulationError } from '../errors.ts';
import { combineTaken, type Span, spanTo, sumSubsteps } from '../math/substeps.ts';
import type { StepOutcome } from '../model.ts';
import type { StepRequest } from '../port.ts';
import type { WorldParts } from './build.ts';
import { findFold } from './folds.ts';
import { restoreState, saveRods } from './state.ts';
import type { WorldState } from './types.ts';

/** The outcome of a step in which nothing was solved. */
export const emptyOutcome: StepOutcome = { ok: true, iterations: 0, iterationsMax: 0, shifts: 0, substeps: 0 };

/** Calls `action`; if it throws, such as on a formula that gives NaN, restores the world. */
export function undoOnThrow<T>(world: WorldParts, before: WorldState, action: () => T): T {
  try {
    return action();
  } catch (error) {
    restoreState(world, before);
    throw error;
  }
}

/** Combines several advances: if the last fails or one throws, restores the rods to t. */
function allOrNone<T extends StepOutcome>(world: WorldParts, t: number, advance: () => T): T {
  const { contact, clock } = world;
  const { time } = clock;
  const before = saveRods(world, t);
  const reportBefore = { ...contact?.report };
  const outcome = undoOnThrow(world, before, advance);
  if (!outcome.ok) {
    restoreState(world, before);
    if (contact) Object.assign(contact.report, reportBefore);
  }
  clock.time = time;
  return outcome;
}

/** Advances all rods from t by dt: in one step, or in substeps if that fails. Throws SimulationError if a substep of dt/2^halvings fails. */
export function advanceInSubsteps(world: WorldParts, span: Span): StepOutcome {
  const { t, dt } = span;
  const whole = advanceToImpact(world, { t, dt, robust: false });
  if (whole.ok) return whole;
  const halvings = world.scene.time?.halvings ?? 8;
  // the smallest substeps use the model's most robust scheme
  const { last, ...sum } = allOrNone(world, t, () =>
    sumSubsteps(span, halvings, whole, (from, length, share) =>
      advanceToImpact(world, { t: from, dt: length, robust: share <= 1 / 4 }),
    ),
  );
  if (sum.ok) return sum;
  const failure = last.failure ?? whole.failure;
  const index = world.rods.findIndex(({ id }) => id === failure?.rod);
  const fold = index < 0 ? undefined : findFold(world.rods[index], world.samples[index]);
  throw new SimulationError(
    failure?.rod ?? '',
    t,
    `the step at t = ${t} s failed for rod '${failure?.rod}': ${failure?.reason}${fold ? `; before it, the rod is folded by ${fold.degrees.toFixed(0)}° at node ${fold.node}` : ''}`,
    `try ${fold ? 'more edges, so that no fold is sharper than the rod is, ' : ''}a smaller time.step than ${dt}, more time.halvings than ${halvings}, or some damping`,
  );
}

/** Advances all rods from t by dt; in two parts if a contact rebounds within the step, so that the rebound happens at its time. */
function advanceToImpact(world: WorldParts, step: StepRequest): StepOutcome {
  const { contact, continuum, rods } = world;
  const { t, dt, robust } = step;
  world.budget.spend(t);
  const fault = continuum?.update(dt);
  if (fault) return { ...emptyOutcome, ok: false, failure: { rod: rods[0].id, reason: fault } };
  const impact = contact?.findImpact(t, dt) ?? 0;
  if (!contact || impact === 0) return advanceBundles(world, step);
  return allOrNone(world, t, () => {
    const toImpact = spanTo(t, t + impact);
    const first = advanceBundles(world, { ...toImpact, robust });
    if (!first.ok) return first;
    const afterwards = spanTo(t + toImpact.dt, t + dt);
    const second = advanceBundles(world, { ...afterwards, robust });
    return { ...second, ...combineTaken(first, second, 'after') };
  });
}

/** Advances all bundles, coupled by contact if the scene has contact; either all or none. */
function advanceBundles(world: WorldParts, step: StepRequest): StepOutcome {
  const { contact, bundles } = world;
  if (contact) return contact.advance(step);
  if (bundles.length === 1) return bundles[0].advance(step);
  return allOrNone(world, step.t, () => {
    let sum = emptyOutcome;
    for (const bundle of bundles) {
      const one = bundle.advance(step);
      sum = { ...one, ...combineTaken(sum, one, 'beside') };
      if (!one.ok) break;
    }
    return sum;
  });
}
