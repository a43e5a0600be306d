/** Time steps of one strand in double precision: each scheme is one or two stages of Newton's method over sweeps.ts. */
import type { StepRequest } from '../port.ts';
import type { Quaternion } from './algebra.ts';
import { DISPLACEMENT, RELATIVE, type Stage, TARGET } from './layout.ts';
import { evaluateStageLoads, loadsDependOnState, measureSpin, poseSamples, visitFrames } from './pose.ts';
import { type BatchRod, evaluateRoot, frameOfPose } from './rod.ts';
import { bdf2Stage, eulerStage, TR_PART, trBdf2Stages } from './schemes.ts';
import { beginStage, finishStep, iterateStage } from './sweeps.ts';

export type Scheme = 'tr-bdf2' | 'bdf2' | 'implicit-euler';

export interface StepOptions {
  readonly scheme: Scheme;
  /** Newton stops once no edge turns by more than this [rad]. */
  readonly tolerance: number;
  readonly iterations: number;
}

export interface StepResult {
  ok: boolean;
  iterations: number;
  iterationsMax: number;
  reason: string;
}

/** Places the root at the end of a stage: its frame, and its displacement since the start of the step. */
export function placeRoot(batch: BatchRod, t: number): void {
  const { strand, origin, pose, frame } = batch;
  const { root } = strand;
  evaluateRoot(batch, t);
  root.frameBefore = [frame[0], frame[1], frame[2], frame[3]];
  root.frame = root.kind === 'clamped' ? frameOfPose(pose) : root.frameBefore;
  root.displacement = [pose.position[0] - origin[0], pose.position[1] - origin[1], pose.position[2] - origin[2]];
}

/** Turn of an edge in an iteration below which Newton's method uses the exact Hessian of joints [rad]. */
const EXACT_BELOW = 0.05;

/** Real part of a joint's quaternion below which the step fails: its rotation is then 168° or more. */
const FOLDED = 0.1;

function findFold({ strand, rod }: BatchRod): string {
  const v = strand.slots[RELATIVE];
  for (let j = strand.root.kind === 'clamped' ? 0 : 1; j < rod.edgeCount; j++) {
    const w2 = 1 - v[3 * j] * v[3 * j] - v[3 * j + 1] * v[3 * j + 1] - v[3 * j + 2] * v[3 * j + 2];
    if (!(w2 > FOLDED * FOLDED)) return `the joint at node ${j} is bent or twisted by more than 168°; use more edges`;
  }
  return '';
}

/** Places the root at the end of the stage and guesses the rotations of the edges; returns the frame of the last edge. */
export function beginSolve(batch: BatchRod, stage: Stage, t: number): Quaternion {
  placeRoot(batch, t);
  evaluateStageLoads(batch, t);
  const tip = beginStage(batch.strand, stage);
  batch.frame.set(batch.strand.root.frame);
  return tip;
}

/** An iterate of a stage: frame of the last edge, and the reason of a failure or an empty string. */
export interface Iterate {
  readonly tip: Quaternion;
  readonly failure: string;
}

/** Newton iterations of a stage that ends at t, from the current iterate. */
export function continueSolve(
  batch: BatchRod,
  solve: { readonly stage: Stage; readonly tip: Quaternion; readonly t: number },
  options: StepOptions,
  out: StepResult,
): Iterate {
  const { stage, t } = solve;
  let { tip } = solve;
  const loadsChange = loadsDependOnState(batch);
  const { strand } = batch;
  strand.exact = false;
  let grows = false;
  let before = Infinity;
  for (let k = 1; k <= options.iterations; k++) {
    if (loadsChange) {
      poseSamples(batch, stage);
      evaluateStageLoads(batch, t);
    }
    const progress = iterateStage(strand, stage, tip);
    tip = progress.tip;
    out.iterations++;
    out.iterationsMax = Math.max(out.iterationsMax, k);
    const turn = Math.sqrt(progress.largest);
    if (!(turn < Infinity)) return { tip, failure: 'a load or a position is not a finite number' };
    // below 1e-9 rad, an iteration that does not halve the rotation has reached rounding
    if (turn <= options.tolerance || (turn < 1e-9 && turn > 0.5 * before)) return { tip, failure: findFold(batch) };
    // the exact Hessian converges faster, but only close to the solution
    grows ||= strand.exact && turn > before;
    strand.exact = turn < EXACT_BELOW && !grows;
    before = turn;
  }
  return { tip, failure: `Newton's method did not converge in ${options.iterations} iterations` };
}

/** Solves a stage that ends at t; returns the reason of a failure, or an empty string. */
export function solveStage(batch: BatchRod, stage: Stage, t: number, options: StepOptions, out: StepResult): string {
  const tip = beginSolve(batch, stage, t);
  return continueSolve(batch, { stage, tip, t }, options, out).failure;
}

/** Moves the origin to the first node; without a joint at the root, the frame of the root takes the rotation of the first edge. */
function moveOrigin(batch: BatchRod): void {
  const { strand, origin, pose, frame } = batch;
  const moved = strand.slots[DISPLACEMENT];
  for (let k = 0; k < 3; k++) origin[k] = strand.root.kind === 'free' ? origin[k] + moved[k] : pose.position[k];
  if (strand.root.kind === 'clamped') return;
  visitFrames(batch, (j, q) => {
    if (j === 0) frame.set(q);
  });
  strand.slots[RELATIVE].fill(0, 0, 3);
  strand.root.frame = [frame[0], frame[1], frame[2], frame[3]];
}

/** Value of `history` after a step with contact: velocities jumped, so the next step starts without history. */
export const AFTER_CONTACT = -1;

/** A stage, and its end as a part of the step. */
export interface StepStage {
  readonly stage: Stage;
  readonly part: number;
}

/** The stages of a step. `before`: length of the last step, 0 or `AFTER_CONTACT` if this one must not continue from it; `robust`: use the most stable scheme. */
export function listStages(
  scheme: Scheme,
  { dt, before, robust }: Pick<StepRequest, 'dt' | 'robust'> & { readonly before: number },
): readonly StepStage[] {
  if (scheme === 'tr-bdf2' && !robust && before !== AFTER_CONTACT) {
    const [first, second] = trBdf2Stages(dt);
    return [
      { stage: first, part: TR_PART },
      { stage: second, part: 1 },
    ];
  }
  if (scheme === 'bdf2' && !robust && before > 0) return [{ stage: bdf2Stage(dt, before), part: 1 }];
  const stage = eulerStage(dt, scheme === 'tr-bdf2' ? 2 : 1);
  return [{ stage: robust ? { ...stage, guessRate: 0 } : stage, part: 1 }];
}

/** Records material directors at the start of a step, from which the spin of edges is measured; returns the tangents. */
export function keepFrames({ samples, directorBefore }: BatchRod): Float64Array {
  directorBefore.set(samples.edgeDirector);
  return samples.edgeTangent.slice();
}

/** Computes velocities, accelerations and samples after the last stage. */
export function completeStep(batch: BatchRod, last: Stage, dt: number, tangentBefore: Float64Array): void {
  const { strand, history, acceleration } = batch;
  const [displacement, target] = [DISPLACEMENT, TARGET].map((slot) => strand.slots[slot]);
  for (let k = 0; k < acceleration.length; k++) acceleration[k] = last.inertia * (displacement[k] - target[k]);
  finishStep(strand, last);
  moveOrigin(batch);
  history[0] = dt;
  poseSamples(batch);
  measureSpin(batch, tangentBefore, dt);
}

/** One step; after a failure the state is arbitrary, and the caller restores it. */
export function stepStrand(batch: BatchRod, { t, dt, robust }: StepRequest, options: StepOptions): StepResult {
  const { history } = batch;
  const out: StepResult = { ok: false, iterations: 0, iterationsMax: 0, reason: '' };
  const { scheme } = options;
  const tangentBefore = keepFrames(batch);
  const stages = listStages(scheme, { dt, before: history[0], robust });
  for (const { stage, part } of stages) {
    out.reason = solveStage(batch, stage, t + part * dt, options, out);
    if (out.reason) return out;
  }
  completeStep(batch, stages[stages.length - 1].stage, dt, tangentBefore);
  out.ok = true;
  return out;
}

/** Copies the frame of the root from the state to the solver, and evaluates the pin at t. */
export function adoptState(batch: BatchRod, t: number): void {
  const { frame, strand } = batch;
  evaluateRoot(batch, t);
  const now = [frame[0], frame[1], frame[2], frame[3]] as const;
  strand.root.frame = now;
  strand.root.frameBefore = now;
  poseSamples(batch);
}
