/** Answers of worker threads, in shared memory: the outcome of a step, yes or no, or a count. */
import type { StepOutcome } from '../model.ts';
import { readText, writeText } from './failure.ts';
import type { WorkerPool } from './workerPool.ts';

/** The outcome of a worker's part of a request. The last three are those of single rods against colliders (`SingleRodBatch`). */
export interface Answer extends StepOutcome {
  readonly solverIterations?: number;
  readonly error?: number;
  readonly converged?: boolean;
}

/** Fields of an answer, in the order of their slots. */
const places = {
  ok: 0,
  iterations: 1,
  iterationsMax: 2,
  shifts: 3,
  substeps: 4,
  rejected: 5,
  unfinished: 6,
  solverIterations: 7,
  error: 8,
  converged: 9,
} as const;

export const ANSWER_SIZE: number = Object.keys(places).length;

export function writeAnswer({ answers, errorTexts }: WorkerPool, thread: number, answer: Answer): void {
  const at = ANSWER_SIZE * thread;
  answers[at + places.ok] = answer.ok ? 1 : 0;
  answers[at + places.iterations] = answer.iterations;
  answers[at + places.iterationsMax] = answer.iterationsMax;
  answers[at + places.shifts] = answer.shifts;
  answers[at + places.substeps] = answer.substeps ?? 1;
  answers[at + places.rejected] = answer.rejected ?? 0;
  answers[at + places.unfinished] = answer.unfinished ? 1 : 0;
  answers[at + places.solverIterations] = answer.solverIterations ?? 0;
  answers[at + places.error] = answer.error ?? 0;
  answers[at + places.converged] = answer.converged === false ? 0 : 1;
  writeText(errorTexts, thread, answer.failure ? JSON.stringify(answer.failure) : '');
}

export function writeSuccess({ answers }: WorkerPool, thread: number, ok: boolean): void {
  answers[ANSWER_SIZE * thread] = ok ? 1 : 0;
}

/** True if all workers succeeded. */
export function allSucceeded({ answers, count }: WorkerPool): boolean {
  for (let k = 1; k < count; k++) if (answers[ANSWER_SIZE * k] !== 1) return false;
  return true;
}

export function writeCount({ answers }: WorkerPool, thread: number, found: number): void {
  answers[ANSWER_SIZE * thread] = found;
}

export function readCount({ answers }: WorkerPool, thread: number): number {
  return answers[ANSWER_SIZE * thread];
}

/**
 * Combines the outcomes of the caller and the workers. Threads own rods in order: up to the first failure the sum equals that of a single thread,
 * which stops there.
 */
export function combineAnswers(
  { answers, errorTexts, count }: WorkerPool,
  own: StepOutcome,
): Required<Omit<Answer, 'failure'>> & Pick<Answer, 'failure'> {
  let { ok, iterations, iterationsMax, shifts, substeps = 1, rejected = 0, unfinished = false, failure } = own;
  let [solverIterations, error, converged] = [0, 0, true];
  for (let k = 1; k < count && ok; k++) {
    const at = ANSWER_SIZE * k;
    ok = answers[at + places.ok] === 1;
    iterations += answers[at + places.iterations];
    iterationsMax = Math.max(iterationsMax, answers[at + places.iterationsMax]);
    shifts += answers[at + places.shifts];
    substeps = Math.max(substeps, answers[at + places.substeps]);
    rejected += answers[at + places.rejected];
    unfinished ||= answers[at + places.unfinished] === 1;
    solverIterations = Math.max(solverIterations, answers[at + places.solverIterations]);
    error = Math.max(error, answers[at + places.error]);
    converged &&= answers[at + places.converged] === 1;
    if (ok) continue;
    const text = readText(errorTexts, k);
    failure = text ? (JSON.parse(text) as NonNullable<StepOutcome['failure']>) : { rod: '', reason: 'the step failed' };
  }
  return {
    ok,
    iterations,
    iterationsMax,
    shifts,
    substeps,
    rejected,
    unfinished,
    solverIterations,
    error,
    converged,
    ...(failure && { failure }),
  };
}
