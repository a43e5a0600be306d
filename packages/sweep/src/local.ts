/**
 * Runs a study on this machine: a pool of worker processes takes runs in order, finished ones go to the store. Stops early on an
 * interrupt, a deadline, or when the mean of a quantity is known well enough; the same call goes on where it stopped.
 */
import { availableParallelism } from 'node:os';
import { createPool, type Pool, WorkerCrash } from './pool/pool.ts';
import { emptyRow, type Outcome } from './run/execute.ts';
import { placeRecordings } from './run/record.ts';
import { createConvergence } from './stop.ts';
import type { Store } from './store/store.ts';
import type { Plan, RunSpec, Study } from './study/planTypes.ts';
import type { Runs } from './study/runs.ts';

/** Progress of a study, in runs. */
export interface Progress {
  /** Finished runs, failed ones included. */
  readonly done: number;
  /** Runs of the study. */
  readonly total: number;
  /** Failed runs. */
  readonly failed: number;
  /** Estimate from the runs so far [s]; undefined during the first few. */
  readonly secondsLeft?: number;
  /** Mean time per run [s]. */
  readonly secondsPerRun?: number;
}

/** Options of `runLocally`. */
export interface RunOptions {
  /** Default: as many as the machine has cores. */
  readonly workers?: number;
  /** Used instead of a pool of its own and not closed at the end, for programs that run several studies. */
  readonly pool?: Pool;
  /** Asked between runs: true stops the study. */
  readonly isInterrupted?: () => boolean;
  /** Called when a run ends. */
  readonly onProgress?: (progress: Progress) => void;
  /** Called when a run fails. */
  readonly onFailure?: (outcome: Outcome) => void;
}

/** Why a study ended: all runs are done, it was interrupted, its deadline passed, or its mean is known well enough. */
export type End = 'complete' | 'interrupted' | 'deadline' | 'converged';

/** Tries of a run whose worker process dies. */
export const mostTries = 3;

/** True unless the run is `done` or `doubtful`. */
export const isFailure = ({ status }: Pick<Outcome, 'status'>): boolean => status !== 'done' && status !== 'doubtful';

/** Number of runs whose status is a failure. */
export function countFailures(counts: Store['counts']): number {
  return Object.entries(counts).reduce(
    (sum, [status, count]) => (status === 'done' || status === 'doubtful' ? sum : sum + count),
    0,
  );
}

/** Repeats a run whose process dies; after the last try the error is its outcome. */
export async function executeWithTries(
  pool: Pool,
  plan: Plan,
  spec: RunSpec,
  isClosed: () => boolean,
): Promise<Outcome | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      const outcome = await pool.execute(plan, spec);
      return tries === 1 ? outcome : { ...outcome, tries };
    } catch (error) {
      if (!(error instanceof WorkerCrash)) throw error;
      if (isClosed()) return undefined;
      if (tries < mostTries) continue;
      const message = `set aside after ${tries} tries: ${error.message}`;
      return { index: spec.index, hash: spec.hash, status: 'crashed', message, wall: 0, tries, rows: [emptyRow(plan)] };
    }
  }
}

/** Between two calls of fsync [ms]. */
const flushEvery = 1000;

/**
 * Runs what is missing of a study in worker processes of this machine and appends each result to the store. The pool is closed at
 * the end unless `options.pool` gave it.
 */
export async function runLocally(study: Study, runs: Runs, store: Store, options: RunOptions = {}): Promise<End> {
  const size = Math.max(1, Math.min(options.workers ?? availableParallelism(), runs.count - store.done));
  const pool = options.pool ?? createPool(size);
  const flush = setInterval(() => store.flush(), flushEvery);
  const clock = createClock(store, runs.count, options);
  try {
    return await dispatch({ study, runs, store, pool, options, clock });
  } finally {
    clearInterval(flush);
    if (!options.pool) pool.close();
    store.flush();
  }
}

interface Dispatch {
  readonly study: Study;
  readonly runs: Runs;
  readonly store: Store;
  readonly pool: Pool;
  readonly options: RunOptions;
  readonly clock: Clock;
}

async function dispatch({ study, runs, store, pool, options, clock }: Dispatch): Promise<End> {
  const { file } = study;
  const plan = placeRecordings(study.plan, store.folder);
  const deadline =
    file.stop?.deadline === undefined ? Number.POSITIVE_INFINITY : performance.now() + 1000 * file.stop.deadline;
  const convergence = await createConvergence(study, runs, store);
  const flying = new Set<Promise<void>>();
  let ended: End | undefined;
  let fault: unknown;
  const launch = (position: number): void => {
    const job = executeWithTries(pool, plan, runs.spec(position), () => ended !== undefined)
      .then((outcome) => {
        if (!outcome || fault !== undefined) return;
        if (!store.add(outcome)) return;
        convergence?.add(position, outcome);
        clock.finished(outcome);
      })
      .catch((error: unknown) => {
        fault ??= error;
      })
      .finally(() => flying.delete(job));
    flying.add(job);
  };
  const check = (): void => {
    if (options.isInterrupted?.()) ended ??= 'interrupted';
    else if (performance.now() > deadline) ended ??= 'deadline';
  };
  const poll = setInterval(check, 50);
  try {
    const blocks = convergence?.blocks ?? [{ from: 0, to: runs.count }];
    for (const { from, to } of blocks) {
      for (let position = from; position < to && !ended && fault === undefined; position++) {
        if (store.has(position)) continue;
        launch(position);
        // twice as many as processes, so that none waits for the next run
        while (flying.size >= 2 * pool.size && !ended) await Promise.race([...flying, delay(50)]);
        check();
      }
      while (flying.size > 0 && ended !== 'interrupted' && fault === undefined)
        await Promise.race([...flying, delay(50)]);
      if (fault !== undefined) throw fault;
      if (!ended && convergence?.isConverged(to)) ended = 'converged';
      if (ended) return ended;
    }
    return 'complete';
  } finally {
    clearInterval(poll);
    ended ??= 'complete';
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

/** Counts finished runs, estimates the time that is left, and reports both. */
export interface Clock {
  finished(outcome: Outcome): void;
}

/** Runs and time [ms] after which an estimate is shown: the first runs of a process also compile its code. */
const firstFew = 4;
const firstWhile = 3000;

export function createClock(store: Store, total: number, { onProgress, onFailure }: RunOptions): Clock {
  // The rate is that of about the later half of the runs: starting processes and compiling says nothing about those that are left.
  let made = 0;
  let first = 0;
  let [older, newer] = [
    { made, time: performance.now() },
    { made, time: performance.now() },
  ];
  let failed = countFailures(store.counts);
  return {
    finished(outcome) {
      if (isFailure(outcome)) {
        failed++;
        onFailure?.(outcome);
      }
      const time = performance.now();
      made++;
      // at powers of two
      if ((made & (made - 1)) === 0) [older, newer] = [newer, { made, time }];
      const per = (time - older.time) / 1000 / (made - older.made);
      if (made === 1) first = time;
      const isKnown = made >= firstFew && time - first >= firstWhile;
      const known = isKnown ? { secondsLeft: per * (total - store.done), secondsPerRun: per } : {};
      onProgress?.({ done: store.done, total, failed, ...known });
    },
  };
}
