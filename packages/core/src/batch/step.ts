/** Time steps of one strand in double precision: each scheme is one or two stages of Newton's method over sweeps.ts. */
import { DISPLACEMENT, RELATIVE, type Stage, TARGET } from './layout.ts';
import { evaluateLoads, loadsFollow, measureSpin, poseSamples, visitFrames } from './pose.ts';
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

/** Root at the end of a stage: frame, and displacement since the start of the step. */
export function placeRoot(batch: BatchRod, t: number): void {
  const { strand, origin, pose, frame } = batch;
  const { root } = strand;
  evaluateRoot(batch, t);
  root.frameBefore = [frame[0], frame[1], frame[2], frame[3]];
  root.frame = root.kind === 'clamped' ? frameOfPose(pose) : root.frameBefore;
  root.displacement = [pose.position[0] - origin[0], pose.position[1] - origin[1], pose.position[2] - origin[2]];
}

/** Real part of a joint's quaternion below which its rotation, 168° and more, is not followed any further. */
const FOLDED = 0.1;

function findFold({ strand, rod }: BatchRod): string {
  const v = strand.slots[RELATIVE];
  for (let j = strand.root.kind === 'clamped' ? 0 : 1; j < rod.edgeCount; j++) {
    const w2 = 1 - v[3 * j] * v[3 * j] - v[3 * j + 1] * v[3 * j + 1] - v[3 * j + 2] * v[3 * j + 2];
    if (!(w2 > FOLDED * FOLDED)) return `the joint at node ${j} is bent or twisted by more than 168°; use more edges`;
  }
  return '';
}

/** Solves a stage that ends at t; why it failed, or nothing. */
export function solveStage(batch: BatchRod, stage: Stage, t: number, options: StepOptions, out: StepResult): string {
  const { strand, frame } = batch;
  placeRoot(batch, t);
  const follow = loadsFollow(batch);
  evaluateLoads(batch, t);
  let tip = beginStage(strand, stage);
  frame.set(strand.root.frame);
  let before = Infinity;
  for (let k = 1; k <= options.iterations; k++) {
    if (follow) {
      poseSamples(batch, stage);
      evaluateLoads(batch, t);
    }
    const progress = iterateStage(strand, stage, tip);
    tip = progress.tip;
    out.iterations++;
    out.iterationsMax = Math.max(out.iterationsMax, k);
    const turn = Math.sqrt(progress.largest);
    if (!(turn < Infinity)) return 'a load or a position is not a finite number';
    // below 1e-9 rad an iteration that gains nothing any more has met rounding
    if (turn <= options.tolerance || (turn < 1e-9 && turn > 0.5 * before)) return findFold(batch);
    before = turn;
  }
  return `Newton's method did not converge in ${options.iterations} iterations`;
}

/** The first node is where it got to; an edge without a joint before it takes its rotation into the frame of the root. */
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

/** A stage, and where it ends as a part of the step. */
export interface StepStage {
  readonly stage: Stage;
  readonly part: number;
}

/** The stages of a step. `before`: length of the last step, 0 where there is none that this one may use; `robust`: the most forgiving scheme. */
export function listStages(scheme: Scheme, dt: number, before: number, robust: boolean): readonly StepStage[] {
  if (scheme === 'tr-bdf2' && !robust) {
    const [first, second] = trBdf2Stages(dt);
    return [
      { stage: first, part: TR_PART },
      { stage: second, part: 1 },
    ];
  }
  if (scheme === 'bdf2' && !robust && before > 0) return [{ stage: bdf2Stage(dt, before), part: 1 }];
  return [{ stage: eulerStage(dt, scheme === 'tr-bdf2' ? 2 : 1), part: 1 }];
}

/** One step; on failure the strand is anywhere, and the caller restores its state. */
export function stepStrand(batch: BatchRod, t: number, dt: number, options: StepOptions, robust: boolean): StepResult {
  const { strand, history, samples, acceleration, directorBefore } = batch;
  const out: StepResult = { ok: false, iterations: 0, iterationsMax: 0, reason: '' };
  const { scheme } = options;
  const tangentBefore = samples.edgeTangent.slice();
  directorBefore.set(samples.edgeDirector);
  const stages = listStages(scheme, dt, history[0], robust);
  for (const { stage, part } of stages) {
    out.reason = solveStage(batch, stage, t + part * dt, options, out);
    if (out.reason) return out;
  }
  const last = stages[stages.length - 1].stage;
  const [displacement, target] = [DISPLACEMENT, TARGET].map((slot) => strand.slots[slot]);
  for (let k = 0; k < acceleration.length; k++) acceleration[k] = last.inertia * (displacement[k] - target[k]);
  finishStep(strand, last);
  moveOrigin(batch);
  history[0] = dt;
  poseSamples(batch);
  measureSpin(batch, tangentBefore, dt);
  out.ok = true;
  return out;
}

/** The frame of the root belongs to the strand's solver between steps. */
export function adoptState(batch: BatchRod, t: number): void {
  const { frame, strand } = batch;
  evaluateRoot(batch, t);
  const now = [frame[0], frame[1], frame[2], frame[3]] as const;
  strand.root.frame = now;
  strand.root.frameBefore = now;
  poseSamples(batch);
}
