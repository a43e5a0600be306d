/**
 * One step of the world. `stepWorld` is the recipe; the functions below it are its stages, in the order of their use.
 *
 * A step either succeeds, possibly in substeps, or throws and leaves the world as it was.
 */
import { SceneError } from '../errors.ts';
import { combineTaken, spanTo } from '../math/substeps.ts';
import type { Bundle, StepOutcome } from '../model.ts';
import { refuseParameter } from '../scene/check.ts';
import { emptyOutcome, undoOnThrow } from './advance.ts';
import { animateRods } from './animateRods.ts';
import { advanceToBreak, type Breaks, breakLoaded, createBreaks } from './breaking.ts';
import { moveBodiesOnPaths, readBack, restartMotion, type WorldParts } from './build.ts';
import { type Auditor, type Findings, inBalance } from './energyAudit.ts';
import { finishSpan, justAfter, type StepSpan, splitStep } from './spans.ts';
import { saveState } from './state.ts';
import type { StepReport } from './types.ts';

/** Outcome of the spans of a step so far, and findings of the audit. */
interface Progress {
  outcome: StepOutcome;
  found: Findings;
  readonly breaks: Breaks;
}

/** Advances the world by dt. Throws SimulationError if a step fails at the shortest substep; the world is then as before. */
export function stepWorld(world: WorldParts, auditor: Auditor, dt: number, reading: 'now' | 'later'): StepReport {
  checkStep(world, dt);
  const spans = splitStep(world, dt);
  beginStep(world, dt);
  const progress: Progress = { outcome: emptyOutcome, found: inBalance, breaks: createBreaks() };
  takeAllOrNone(world, auditor, spans, (span) => takeSpan(world, auditor, span, progress));
  world.clock.stepCount++;
  world.clock.lastStep = dt;
  if (reading === 'now') readBack(world);
  return reportStep(world, progress, dt);
}

function checkStep({ scene }: WorldParts, dt: number): void {
  refuseParameter(scene);
  if (!(dt > 0)) throw new SceneError(['time', 'step'], 'the step must be a positive time; set time.step in the scene');
}

function beginStep({ clock, contact, budget, bundles }: WorldParts, dt: number): void {
  clock.hasContactForces = false;
  contact?.begin();
  budget.begin(clock.time, dt);
  for (const bundle of bundles) bundle.beginStep?.();
}

/** Takes the spans one after the other; if one throws, restores the world. */
function takeAllOrNone(
  world: WorldParts,
  auditor: Auditor,
  spans: readonly StepSpan[],
  take: (span: StepSpan) => void,
): void {
  // a single advance restores the state if it throws; all other changes are undone here
  const isSingle = spans.length === 1 && !world.engine && !spans[0].isAfterJump && world.breakables.length === 0;
  const { time } = world.clock;
  try {
    if (isSingle) take(spans[0]);
    else undoOnThrow(world, saveState(world), () => spans.forEach(take));
  } catch (error) {
    for (const bundle of world.bundles) bundle.undoStep?.(time);
    auditor.forget();
    throw error;
  }
}

/** Takes a span, in parts that end where something breaks. */
function takeSpan(world: WorldParts, auditor: Auditor, span: StepSpan, progress: Progress): void {
  if (span.isAfterJump) restartMotion(world, justAfter(span));
  breakLoaded(world, progress.breaks, span.t);
  for (let rest = span; ; ) {
    const { end } = takePart(world, auditor, rest, progress);
    breakLoaded(world, progress.breaks, end);
    if (end === span.end) return;
    rest = { ...span, ...spanTo(end, span.t + span.dt) };
  }
}

/**
 * Advances rods, up to where something breaks, moves bodies on paths, audits the energy, and finally lets the rigid-body engine act. Returns the part of the
 * span that was taken.
 */
function takePart(world: WorldParts, auditor: Auditor, span: StepSpan, progress: Progress): StepSpan {
  const { clock, engine, bodies } = world;
  engine?.begin();
  auditor.begin(span);
  const { outcome, part } = advanceToBreak(world, span, progress.breaks);
  progress.outcome = combineTaken(progress.outcome, outcome, 'after');
  finishSpan(world, part);
  moveBodiesOnPaths(bodies, clock.time);
  const found = auditor.check(clock.time, part.dt);
  animateRods(world, clock.time);
  if (found !== inBalance) progress.found = { ...progress.found, ...found };
  engine?.finish(clock.time, part.dt);
  return part;
}

/** Largest distance of a constraint from its goal; undefined if there are none, or all are met. */
function measureViolation(bundles: readonly Bundle[]): number | undefined {
  let largest = 0;
  for (const { violation } of bundles) if (violation) largest = Math.max(largest, violation());
  return largest > 0 ? largest : undefined;
}

function reportStep(world: WorldParts, { outcome, found, breaks }: Progress, dt: number): StepReport {
  const { bundles, clock, contact, takeRemarks } = world;
  const { iterations, iterationsMax, shifts, substeps = 1, rejected = 0 } = outcome;
  const remarks = takeRemarks(clock.time);
  const violation = measureViolation(bundles);
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
    ...(breaks.list.length > 0 && { breaks: breaks.list }),
    ...found,
  };
}
