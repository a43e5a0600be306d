/**
 * Contact with obstacles merged into Newton's iterations, in double precision: the reference of what the GPU does for thousands of strands in
 * real time. Contact in the world, with all colliders and between rods, is contactPort.ts.
 */
import type { Quaternion, Vector } from './algebra.ts';
import { type Contact, findContacts, pressedStage, solvePressed } from './contactSweeps.ts';
import { zeroVector } from './formulas.ts';
import { BOX, PLANE } from './layout.ts';
import type { Obstacle } from './obstacles.ts';
import { evaluateLoads } from './pose.ts';
import type { BatchRod } from './rod.ts';
import { adoptState, beginSolve, completeStep, keepFrames, type StepOptions, stepStrand } from './step.ts';

const IDENTITY: Quaternion = [0, 0, 0, 1];

/** What an obstacle is made of; it rests where nothing else is said. */
export interface ObstacleOptions {
  readonly position?: Vector;
  readonly frame?: Quaternion;
  readonly friction?: number;
  /** Over a step. */
  readonly turn?: Quaternion;
  readonly shift?: Vector;
}

function createObstacle(kind: number, half: Vector, rounding: number, options: ObstacleOptions): Obstacle {
  const { position = zeroVector(), frame = IDENTITY, friction = 0, turn = IDENTITY, shift = zeroVector() } = options;
  return { kind, frame, position, half, rounding, friction, turn, shift };
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

const noContact: Contact = {
  active: 0,
  part: 0,
  normal: [0, 0, 0],
  offset: 0,
  surface: [0, 0, 0],
  friction: 0,
  force: [0, 0, 0],
  push: [0, 0, 0],
  stiffness: 0,
};

/** Gives a strand a contact radius [m] and obstacles; their number does not change. */
export function meetObstacles({ strand, rod }: BatchRod, radius: number, obstacles: readonly Obstacle[]): void {
  strand.merged = {
    obstacles,
    radius,
    origin: zeroVector(),
    contacts: Array.from({ length: rod.edgeCount }, () => obstacles.flatMap(() => [noContact, noContact, noContact])),
  };
}

export interface MergedReport {
  readonly ok: boolean;
  readonly reason: string;
  /** Deepest overlap at the start of the step [m]. */
  readonly overlap: number;
  /** Whether the strand took implicit Euler because of contact. */
  readonly pressed: boolean;
  /** Turn in the last iteration [rad]. */
  readonly turn: number;
  /** Whether contacts settled within the iterations. */
  readonly settled: boolean;
}

/** One step: the scheme's own where nothing presses, else implicit Euler with at least `iterations` of contact. */
export function stepMerged(
  batch: BatchRod,
  step: { readonly t: number; readonly dt: number; readonly iterations: number },
  options: StepOptions,
): MergedReport {
  const { strand } = batch;
  const { merged } = strand;
  if (!merged) throw new Error('meetObstacles was not called');
  const { t, dt, iterations } = step;
  adoptState(batch, t);
  evaluateLoads(batch, t);
  const [x, y, z] = batch.origin;
  merged.origin = [x, y, z];
  const { overlap, presses } = findContacts(strand, dt);
  if (!presses) {
    strand.merged = undefined;
    const { ok, reason } = stepStrand(batch, t, dt, options, false);
    strand.merged = merged;
    return { ok, reason, overlap, pressed: false, turn: 0, settled: true };
  }
  const tangentBefore = keepFrames(batch);
  const stage = pressedStage(dt);
  strand.exact = false;
  strand.eliminated = [];
  const tip = beginSolve(batch, stage, t + dt);
  const { largest, moves } = solvePressed(strand, stage, tip, iterations);
  const turn = Math.sqrt(largest);
  strand.eliminated = undefined;
  const ok = turn < Infinity;
  if (ok) completeStep(batch, stage, dt, tangentBefore);
  return { ok, reason: ok ? '' : 'contact diverged', overlap, pressed: true, turn, settled: !moves };
}
