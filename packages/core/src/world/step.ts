/**
 * One step of the world. `stepWorld` is the recipe; the functions below it are its stages, in the order of their use.
 *
 * A step either succeeds, whole or in pieces, or throws and leaves the world as it was.
 */
import { SceneError, SimulationError } from '../errors.ts';
import { combineTaken, type Span, spanTo, sumPieces } from '../math/pieces.ts';
import type { StepOutcome } from '../model.ts';
import { moveBodiesOnPaths, readBack, restartMotion, type WorldParts } from './build.ts';
import { type Auditor, inBalance } from './energyAudit.ts';
import { findFold } from './folds.ts';
import { restoreState, saveRods, saveState } from './state.ts';
import type { StepReport, WorldState } from './types.ts';

const nothing: StepOutcome = { ok: true, iterations: 0, iterationsMax: 0, shifts: 0, substeps: 0 };

/** Times closer than this share of a step are the same. */
const SAME = 1e-9;

/** Advances the world by dt. Throws SimulationError if no substep succeeds; the state is then that of before. */
export function stepWorld(world: WorldParts, auditor: Auditor, dt: number, reading: 'now' | 'later'): StepReport {
  const { clock, contact } = world;
  checkStep(dt);
  clock.hasContactForces = false;
  const spans = splitAtJumps(world, endOfStep(world, dt), dt);
  let outcome = nothing;
  let found = inBalance;
  contact?.begin();
  world.budget.begin(clock.time, dt);
  const takeSpan = (span: StepSpan): void => {
    if (span.isAfterJump) restartMotion(world, justAfter(span));
    world.engine?.begin();
    auditor.begin(span.t);
    outcome = combineTaken(outcome, advanceInPieces(world, span), 'after');
    finishSpan(world, span);
    moveBodiesOnPaths(world.bodies, clock.time);
    const more = auditor.check(clock.time, span.dt);
    if (more !== inBalance) found = { ...found, ...more };
    world.engine?.finish(clock.time, span.dt);
  };
  // a single advance restores the state if it throws; all other changes are undone here
  const isSingle = spans.length === 1 && !world.engine && !spans[0].isAfterJump;
  const { time } = clock;
  for (const bundle of world.bundles) bundle.beginStep?.();
  try {
    if (isSingle) takeSpan(spans[0]);
    else undoOnThrow(world, saveState(world), () => spans.forEach(takeSpan));
  } catch (error) {
    for (const bundle of world.bundles) bundle.undoStep?.(time);
    auditor.forget();
    throw error;
  }
  clock.stepCount++;
  if (reading === 'now') readBack(world);
  const report = reportStep(world, outcome, dt);
  return found === inBalance ? report : { ...report, ...found };
}

function checkStep(dt: number): void {
  if (!(dt > 0)) throw new SceneError(['time', 'step'], 'the step must be a positive time; set time.step in the scene');
}

/** (k + 1)·dt after k steps of the same length, so that rounding errors do not accumulate; else the sum. */
function endOfStep({ clock: { time, stepCount } }: WorldParts, dt: number): number {
  const multiple = (stepCount + 1) * dt;
  return Math.abs(multiple - time - dt) < SAME * dt ? multiple : time + dt;
}

/** A part of a step without a jump inside. */
interface StepSpan extends Span {
  /** Start of the next span; t + dt may be less by a rounding error, so that the end is evaluated before a jump. */
  readonly end: number;
  /** Forces have jumped at t: a pin was released, or a load has changed. */
  readonly isAfterJump: boolean;
}

/** The step, split at the times at which pins are released and loads jump. */
function splitAtJumps({ clock: { time }, releases, jumps }: WorldParts, end: number, dt: number): StepSpan[] {
  // field by field: copying an object takes a twentieth of a short explicit step
  if (releases.length === 0 && !jumps) return [{ t: time, dt: spanTo(time, end).dt, end, isAfterJump: false }];
  const same = SAME * dt;
  const loads = jumps?.between(Math.max(0, time - same), end + same) ?? [];
  const all = [...releases, ...loads].filter((at) => at >= time - same && at <= end + same).sort((a, b) => a - b);
  const inside = all.filter((at) => at > time + same && at < end - same);
  const spans: StepSpan[] = [];
  let from = time;
  let isAfterJump = all.some((at) => Math.abs(at - time) <= same);
  for (const to of [...new Set(inside), end]) {
    // a released pin holds up to and including its time; a load has its old value only before its time
    const jump = loads.find((at) => Math.abs(at - to) <= same);
    const last = jump === undefined ? to : Math.min(to, jump) - 1e-12 * Math.max(to, dt);
    spans.push({ ...spanTo(from, last), end: to, isAfterJump });
    from = to;
    isAfterJump = true;
  }
  return spans;
}

/** A time at which everything that jumped at the start of the span has its new value. */
function justAfter({ t, dt }: Span): number {
  return t + 2e-9 * dt + 2e-12 * t;
}

/** Sets the clock; if the span ended just before a jump, updates rods to the state that `restore` would give at the jump. */
function finishSpan({ clock, bundles }: WorldParts, { t, dt, end }: StepSpan): void {
  clock.time = end;
  if (t + dt < end - 1e-13 * end) for (const bundle of bundles) bundle.refresh(end);
}

/** Calls `action`; if it throws, such as on a formula that gives NaN, restores the world. */
function undoOnThrow<T>(world: WorldParts, before: WorldState, action: () => T): T {
  try {
    return action();
  } catch (error) {
    restoreState(world, before);
    throw error;
  }
}

/** Several advances as one: if the last fails or one throws, restores the rods to t. */
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

/** Advances everything from t by dt: at once, or in pieces if that fails. Throws if a piece of dt/2^halvings fails. */
function advanceInPieces(world: WorldParts, span: Span): StepOutcome {
  const { t, dt } = span;
  const whole = advanceToImpact(world, t, dt, false);
  if (whole.ok) return whole;
  const halvings = world.scene.time?.halvings ?? 8;
  // the smallest pieces use the model's most robust scheme
  const { last, ...sum } = allOrNone(world, t, () =>
    sumPieces(span, halvings, whole, (from, length, share) => advanceToImpact(world, from, length, share <= 1 / 4)),
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

/** Advances everything from t by dt; in two parts if something rebounds within, so that the rebound happens at its time. */
function advanceToImpact(world: WorldParts, t: number, dt: number, robust: boolean): StepOutcome {
  const { contact, continuum, rods } = world;
  world.budget.spend(t);
  const fault = continuum?.update(dt);
  if (fault) return { ...nothing, ok: false, failure: { rod: rods[0].id, reason: fault } };
  const impact = contact?.findImpact(t, dt) ?? 0;
  if (!contact || impact === 0) return advanceBundles(world, t, dt, robust);
  return allOrNone(world, t, () => {
    const toImpact = spanTo(t, t + impact);
    const first = advanceBundles(world, t, toImpact.dt, robust);
    if (!first.ok) return first;
    const afterwards = spanTo(t + toImpact.dt, t + dt);
    const second = advanceBundles(world, afterwards.t, afterwards.dt, robust);
    return { ...second, ...combineTaken(first, second, 'after') };
  });
}

/** Advances all bundles, coupled by contact if there is any; all or none. */
function advanceBundles(world: WorldParts, t: number, dt: number, robust: boolean): StepOutcome {
  const { contact, bundles } = world;
  if (contact) return contact.advance(t, dt, robust);
  if (bundles.length === 1) return bundles[0].advance(t, dt, robust);
  return allOrNone(world, t, () => {
    let sum = nothing;
    for (const bundle of bundles) {
      const one = bundle.advance(t, dt, robust);
      sum = { ...one, ...combineTaken(sum, one, 'beside') };
      if (!one.ok) break;
    }
    return sum;
  });
}

function reportStep({ bundles, clock, contact }: WorldParts, outcome: StepOutcome, dt: number): StepReport {
  const { iterations, iterationsMax, shifts, substeps = 1, rejected = 0, violation } = outcome;
  const remarks = bundles.flatMap((bundle) => bundle.takeRemarks?.() ?? []);
  return {
    time: clock.time,
    dt,
    substeps,
    iterations,
    iterationsMax,
    shifts,
    rejected,
    ...(violation !== undefined && { violation }),
    ...(contact && { contact: { ...contact.report } }),
    ...(remarks.length > 0 && { remarks }),
  };
}
