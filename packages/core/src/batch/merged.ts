/**
 * Contact with obstacles merged into Newton's iterations, in double precision: the reference for the GPU, which steps thousands of strands in real
 * time. For contact by the world's solver, with all colliders and between rods, see contactPort.ts.
 */
import type { Quaternion, Vector } from './algebra.ts';
import { findContacts, type Search } from './contactSearch.ts';
import { beginPressed, continuePressed, type PressedProgress, pressedStage, solvePressed } from './contactSweeps.ts';
import { zeroVector } from './formulas.ts';
import { BOX, FIELD, MOST_ALONE, PLANE, type Stage } from './layout.ts';
import { addMissedContacts, changeToEuler } from './missedSweep.ts';
import type { Contact, Obstacle } from './obstacles.ts';
import { evaluateStageLoads } from './pose.ts';
import type { BatchRod } from './rod.ts';
import {
  adoptState,
  beginSolve,
  completeStep,
  continueSolve,
  keepFrames,
  listStages,
  type StepOptions,
} from './step.ts';
import type { Strand } from './strand.ts';

const IDENTITY: Quaternion = [0, 0, 0, 1];

/** Pose, motion and friction of an obstacle; without motion it rests. */
export interface ObstacleOptions {
  /** Position at the start of the step [m]. */
  readonly position?: Vector;
  /** Orientation at the start of the step, unit quaternion. */
  readonly frame?: Quaternion;
  /** Coefficient of friction. */
  readonly friction?: number;
  /** Motion over the step. */
  readonly turn?: Quaternion;
  /** Displacement of the position over the step [m]. */
  readonly shift?: Vector;
}

function createObstacle(kind: number, half: Vector, rounding: number, options: ObstacleOptions): Obstacle {
  const { position = zeroVector(), frame = IDENTITY, friction = 0, turn = IDENTITY, shift = zeroVector() } = options;
  return { kind, frame, position, half, rounding, friction, turn, shift, start: 0, counts: zeroVector() };
}

/** Solid below its position, with its third axis as the normal. */
export function planeObstacle(options: ObstacleOptions): Obstacle {
  return createObstacle(PLANE, zeroVector(), 0, options);
}

/** A sphere as an obstacle of the batch. */
export function sphereObstacle(radius: number, options: ObstacleOptions): Obstacle {
  return createObstacle(BOX, zeroVector(), radius, options);
}

/** Along its third axis; `half`: half the distance between the centres of its ends [m]. */
export function capsuleObstacle(half: number, radius: number, options: ObstacleOptions): Obstacle {
  return createObstacle(BOX, [0, 0, half], radius, options);
}

/** Half lengths with the rounding of its edges. */
export function boxObstacle(half: Vector, rounding: number, options: ObstacleOptions): Obstacle {
  return createObstacle(BOX, [half[0] - rounding, half[1] - rounding, half[2] - rounding], rounding, options);
}

/** A distance field as an obstacle: half lengths of its box, rows along each axis, number of its first row among those of all fields. */
export function fieldObstacle(
  { half, counts, start }: Pick<Obstacle, 'half' | 'counts' | 'start'>,
  options: ObstacleOptions,
): Obstacle {
  return { ...createObstacle(FIELD, half, 0, options), counts, start };
}

export const noContact: Contact = {
  active: 0,
  part: 0,
  normal: [0, 0, 0],
  closing: [0, 0, 0],
  friction: 0,
  force: [0, 0, 0],
  push: [0, 0, 0],
  stiffness: 0,
  tangentStiffness: 0,
};

/** Settings of a strand's contact with obstacles. */
export interface Meeting {
  /** Contact radius [m] of every edge, or of all. */
  readonly radius: number | ArrayLike<number>;
  readonly obstacles: readonly Obstacle[];
  /** For each obstacle: number of edges, counted from the root, that do not touch it; default 0. */
  readonly spared?: ArrayLike<number>;
  /** Rows of all distance fields: distance [m] and normal. */
  readonly fields?: Float32Array;
}

const noFields = new Float32Array(0);

/** Prepares a strand for contact with obstacles, whose number is fixed from then on. */
export function meetObstacles(
  { strand, rod }: BatchRod,
  { radius, obstacles, spared, fields = noFields }: Meeting,
): void {
  strand.merged = {
    obstacles,
    fields,
    radius: typeof radius === 'number' ? new Float64Array(rod.edgeCount).fill(radius) : radius,
    spared: spared ?? new Uint32Array(obstacles.length),
    origin: zeroVector(),
    contacts: Array.from({ length: rod.edgeCount }, () => obstacles.flatMap(() => [noContact, noContact, noContact])),
  };
}

export interface MergedReport {
  readonly ok: boolean;
  readonly reason: string;
  /** Deepest overlap at the start of the step [m]. */
  readonly overlap: number;
  /** True if the strand took implicit Euler because of contact. */
  readonly pressed: boolean;
  /** Turn in the last iteration [rad]. */
  readonly turn: number;
  /** True if contacts settled within the iterations. */
  readonly settled: boolean;
  /** Number of contacts that carry force, iterations of contact, and largest displacement of a contact in the last one [m]. */
  readonly loaded: number;
  readonly iterations: number;
  readonly error: number;
}

const freeReport = { pressed: false, turn: 0, settled: true, loaded: 0, iterations: 0, error: 0 };

/** A step of a strand among obstacles. */
export interface MergedStep {
  readonly t: number;
  readonly dt: number;
  /** Least number of contact iterations. */
  readonly iterations: number;
  readonly robust?: boolean;
}

/** Where a strand is at the start of a step: what its contacts are, and the tangents of its edges. */
export interface MergedStart extends Search {
  readonly tangentBefore: Float64Array;
}

/** Finds contacts with obstacles at the start of a step. Throws if the strand meets none. */
export function openMergedStep(batch: BatchRod, { t, dt }: MergedStep): MergedStart {
  const { merged } = batch.strand;
  if (!merged) throw new Error('meetObstacles was not called');
  adoptState(batch, t);
  evaluateStageLoads(batch, t);
  const [x, y, z] = batch.origin;
  merged.origin = [x, y, z];
  return { ...findContacts(batch.strand, dt), tangentBefore: keepFrames(batch) };
}

/** The rest of a step that `openMergedStep` began. */
export function closeMergedStep(
  batch: BatchRod,
  step: MergedStep,
  options: StepOptions,
  { overlap, presses, tangentBefore }: MergedStart,
): MergedReport {
  const { strand } = batch;
  const { merged } = strand;
  const { t, dt, iterations, robust = false } = step;
  const pressed = pressedStage(dt);
  let [stage, tip, isPressed] = [pressed, IDENTITY, presses];
  if (!presses) {
    [{ stage }] = listStages(options.scheme, { dt, before: batch.history[0], robust });
    strand.merged = undefined;
    const out = { ok: true, iterations: 0, iterationsMax: 0, reason: '' };
    const iterate = continueSolve(batch, { stage, tip: beginSolve(batch, stage, t + dt), t: t + dt }, options, out);
    strand.merged = merged;
    if (iterate.failure) return { ...freeReport, ok: false, reason: iterate.failure, overlap };
    tip = iterate.tip;
    isPressed = addMissedContacts(strand, true);
    if (isPressed) changeToEuler(strand, dt);
  } else tip = beginSolve(batch, stage, t + dt);
  if (!isPressed) {
    completeStep(batch, stage, dt, tangentBefore);
    return { ...freeReport, ok: true, reason: '', overlap };
  }
  const progress = solveContacts(strand, pressed, tip, iterations);
  if (progress.largest < Infinity) completeStep(batch, pressed, dt, tangentBefore);
  return reportProgress(progress, overlap);
}

export function reportProgress(progress: PressedProgress, overlap: number): MergedReport {
  const turn = Math.sqrt(progress.largest);
  const ok = turn < Infinity;
  return {
    ok,
    reason: ok ? '' : 'contact diverged',
    overlap,
    pressed: true,
    turn,
    settled: !progress.moves,
    loaded: progress.loaded,
    iterations: progress.iterations,
    error: Math.sqrt(progress.change),
  };
}

/** One step: by the scene's scheme if no contact carries force, else by implicit Euler with at least `iterations` contact iterations. */
export function stepMerged(batch: BatchRod, step: MergedStep, options: StepOptions): MergedReport {
  return closeMergedStep(batch, step, options, openMergedStep(batch, step));
}

/** Iterations of contact, until contacts have settled and none is missed. */
export function solveContacts(strand: Strand, stage: Stage, start: Quaternion, least: number): PressedProgress {
  strand.exact = false;
  strand.eliminated = [];
  let progress = solvePressed(strand, stage, start, least);
  // in the second half of the iterations there is too little left for a contact more
  while (!progress.moves && 2 * progress.iterations <= MOST_ALONE && addMissedContacts(strand, false)) {
    const tip = beginPressed(strand, stage, progress.tip);
    progress = continuePressed(strand, stage, tip, {
      first: progress.iterations,
      end: MOST_ALONE,
      least: 0,
      largest: progress.largest,
      boost: 1,
    });
  }
  strand.eliminated = undefined;
  return progress;
}
