/**
 * One step of a bundle without contact: unit by unit, two rods at once if a kernel supports it, and in substeps if a whole step fails.
 */

import { halvingsLeft, sumSubsteps } from '../../math/substeps.ts';
import type { BundleStep, StepOutcome } from '../../model.ts';
import type { StepRequest } from '../../port.ts';
import type { PartRange, RodStep } from '../rodStep.ts';
import { type DerBundle, renew } from './bundle.ts';
import { clearContact } from './contactSides.ts';
import type { ExplicitSchemes } from './explicitSchemes.ts';
import { canPair } from './kernel.ts';
import { poseSamples, restoreFrames } from './kinematics.ts';
import type { Unit } from './parts.ts';
import { losesTurns } from './slip.ts';
import { returnToState, type Snapshot } from './snapshot.ts';
import { forgetContact, type ImplicitScheme, stepImplicit, TURNED_OVER } from './step.ts';

/** Steps units (systems, or pairs of rods). After a failure the rods' state is arbitrary. */
export function advanceUnits(bundle: DerBundle, { from, to }: PartRange, step: BundleStep): StepOutcome {
  const { units, systems, rods, ders } = bundle;
  const { t, dt, robust, without } = step;
  let iterations = 0;
  let iterationsMax = 0;
  let shifts = 0;
  let substeps = 1;
  const count = (s: number, one: RodStep): StepOutcome | undefined => {
    iterations += one.iterations;
    iterationsMax = Math.max(iterationsMax, one.iterationsMax);
    shifts += one.shifts;
    if (one.ok) return undefined;
    const failure = { rod: rods[systems[s].rods[0]].id, reason: one.reason };
    return { ok: false, iterations, iterationsMax, shifts, failure };
  };
  for (let u = from; u < to; u++) {
    const unit = units[u];
    const together = !robust && !(without && unit.systems.some((s) => without[s]));
    const pair = together ? stepPair(bundle, unit, t, dt) : undefined;
    if (pair) {
      count(unit.systems[0], pair);
      if (pair.ok) continue;
    }
    for (const s of unit.systems) {
      if (without?.[s]) continue;
      const one = advanceInSubsteps(bundle, s, step);
      const failed = count(s, one);
      if (failed) return failed;
      substeps = Math.max(substeps, one.substeps ?? 1);
      for (const k of systems[s].rods) poseSamples(ders[k]);
    }
  }
  return { ok: true, iterations, iterationsMax, shifts, substeps };
}

/** One system, in one step. */
function stepSystem(bundle: DerBundle, s: number, { t, dt, robust }: StepRequest): RodStep {
  const { systems, ders, explicitSchemes, scheme, newton } = bundle;
  const { system, rods: members, starts } = systems[s];
  for (const k of members) {
    renew(bundle, k);
    clearContact(ders[k], 'none');
  }
  for (const body of system.bodies) body.contact.fill(0);
  if (explicitSchemes) return stepExplicitly(bundle, explicitSchemes, s, t, dt);
  return stepImplicit({ system, starts, t, h: dt, options: newton }, { scheme: scheme as ImplicitScheme, robust });
}

/** One step by the explicit scheme, which restarts after implicit steps with contact. */
function stepExplicitly(
  { systems, ders }: DerBundle,
  schemes: ExplicitSchemes,
  s: number,
  t: number,
  dt: number,
): RodStep {
  const members = systems[s].rods;
  if (members.some((k) => ders[k].history[1] === 2)) {
    const reason = schemes.resume(s, t);
    if (reason) return { ok: false, iterations: 0, iterationsMax: 0, shifts: 0, reason };
    for (const k of members) if (ders[k].history[1] === 2) ders[k].history.fill(0);
  }
  return schemes.step(s, t, dt);
}

/**
 * One system, in substeps if the whole step fails: systems are independent, and one hair whose tip whips must not split the steps of all. On failure the
 * system's state is arbitrary.
 */
function advanceInSubsteps(bundle: DerBundle, s: number, interval: StepRequest): RodStep & { substeps?: number } {
  const { systems, scene, coupling } = bundle;
  const { t, dt, robust } = interval;
  const whole = stepSystem(bundle, s, interval);
  // the caller splits the step of a bundle that is one system
  if (whole.ok || systems.length === 1) return whole;
  const { last, ...sum } = sumSubsteps({ t, dt }, halvingsLeft(scene.time, dt), { ...whole }, (from, length, share) => {
    coupling.onSubstep?.(from);
    return stepSystem(bundle, s, { t: from, dt: length, robust: robust || share <= 1 / 4 });
  });
  return { ...sum, reason: last.reason };
}

/** Both rods of a pair at once, if their pins allow it. Returns undefined if they must be stepped one by one. */
function stepPair(bundle: DerBundle, { systems: [a, b], pair }: Unit, t: number, dt: number): RodStep | undefined {
  if (!pair || !canPair(pair.system.members[0], pair.system.members[1])) return undefined;
  const { systems, ders, tools, scheme, newton } = bundle;
  const [first] = systems[a].rods;
  const [second] = systems[b].rods;
  clearContact(ders[first], 'none');
  clearContact(ders[second], 'none');
  if (scheme === 'implicit-euler' || scheme === 'tr-bdf2') {
    const step = stepByKernel(bundle, pair, [first, second], t, dt);
    if (step) return step;
  }
  renew(bundle, first);
  renew(bundle, second);
  const move = { system: pair.system, starts: pair.starts, t, h: dt, options: newton };
  const step = stepImplicit(move, { scheme: scheme as ImplicitScheme, robust: false });
  for (const k of [first, second]) {
    // a kernel rounds sines differently; derived quantities are computed here, so that they depend on the state alone
    restoreFrames(ders[k], tools[k].work.edgeWork);
    poseSamples(ders[k]);
  }
  return step;
}

/** The whole step of two rods in the kernel, which does not update frames and pins. Returns undefined if it cannot. */
function stepByKernel(
  bundle: DerBundle,
  { kernel, system, starts }: NonNullable<Unit['pair']>,
  [first, second]: readonly [number, number],
  t: number,
  dt: number,
): RodStep | undefined {
  const { ders, movedTo, newton } = bundle;
  const scheme = bundle.scheme as 'implicit-euler' | 'tr-bdf2';
  const touched = ders[first].history[1] === 2 || ders[second].history[1] === 2;
  if (touched && scheme === 'tr-bdf2') {
    renew(bundle, first);
    renew(bundle, second);
    forgetContact(system, t);
  }
  const step = kernel.step(scheme, t, dt, newton);
  if (step?.ok) {
    movedTo[first] = t + dt;
    movedTo[second] = t + dt;
    if (step.shifts > 0) checkTwist(bundle, step, [first, second], starts, t);
  }
  return step;
}

/** Rejects a kernel's step that lost turns of twist, as `stepImplicit` does, and returns the rods to their state at t. */
function checkTwist(
  bundle: DerBundle,
  step: RodStep,
  members: readonly number[],
  starts: readonly Snapshot[],
  t: number,
): void {
  const { ders, movedTo } = bundle;
  for (const k of members) renew(bundle, k);
  if (!members.some((k, m) => losesTurns(ders[k], starts[m]))) return;
  step.ok = false;
  step.reason = TURNED_OVER;
  members.forEach((k, m) => {
    returnToState(ders[k], starts[m]);
    movedTo[k] = t;
    renew(bundle, k);
    poseSamples(ders[k]);
  });
}
