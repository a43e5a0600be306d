/**
 * Memory that the caller's thread and its workers share, and their synchronization.
 *
 * A request increments one word that all workers watch (requests.ts has its fields). Workers spin on it for some microseconds before they sleep, and so does
 * the caller while it waits for the answer: contact sends hundreds of requests per step, and waking a thread takes 10 to 50 µs.
 *
 * A worker that throws passes the error to the caller and keeps serving. A worker that has ended (out of memory, terminated) does not answer: the
 * caller checks for that every WATCH milliseconds while it waits, and throws. Before it does, it waits for the other workers: one that still moves its
 * rods would write over the state that the caller restores.
 */
import { ANSWER_SIZE } from './answers.ts';
import { decodeError, encodeError, endedError, readText, TEXT_SIZE, writeText } from './failure.ts';
import { decodeRequest, encodeRequest, growsWithRods, REQUEST_SIZE, type Request } from './requests.ts';
import { openWorkStealing, type WorkStealing, workStealingBytes } from './workStealing.ts';

/** Words of `control`. */
const words = {
  /** Number of the last request: 1 more with each. */
  requestNumber: 0,
  /** Number of workers that are ready. */
  ready: 1,
  /** Number of workers that have completed the last request. */
  done: 2,
  /** Number of threads that have copied their share of the state. */
  saved: 3,
  /** 1: the caller gave up on this pool. */
  abandoned: 4,
} as const;

/** Data that all threads get. */
export interface PoolMemory {
  /** Number of threads, including the caller. */
  readonly count: number;
  readonly control: SharedArrayBuffer;
  readonly request: SharedArrayBuffer;
  readonly answers: SharedArrayBuffer;
  readonly errorTexts: SharedArrayBuffer;
  /** 1 for each thread whose part of the last request threw. */
  readonly failed: SharedArrayBuffer;
  /** For each thread: number of the last request that it began. */
  readonly accepted: SharedArrayBuffer;
  /** For each thread: number of the last request for which it no longer touches the state. */
  readonly completed: SharedArrayBuffer;
  /** First side of each thread, see `SidesReference`. */
  readonly sideBounds: SharedArrayBuffer;
  /** 1 for each system that `advance` skips, because contact moves it or the caller does. */
  readonly skipped: SharedArrayBuffer;
  /** 1 for each system that a request concerns. */
  readonly marks: SharedArrayBuffer;
  /** 1 for each rod that its worker must refresh before use, because another thread moved it. */
  readonly workerStale: SharedArrayBuffer;
  /** First rod of each thread, then first part of each. */
  readonly ranges: SharedArrayBuffer;
  /** Time that each thread has worked on its rods in this step [ms]. */
  readonly busy: SharedArrayBuffer;
  readonly workStealing: SharedArrayBuffer;
  /** Offsets of each rod's numbers in q, v and memory, consecutively. */
  readonly starts: SharedArrayBuffer;
  /** State at the start of the world's step: q, v and memory, consecutively; every thread copies a part of it. */
  readonly stepStart: SharedArrayBuffer;
  /** 1 for each thread whose part of `stepStart` is complete. */
  readonly hasSaved: SharedArrayBuffer;
}

export interface WorkerPool {
  readonly count: number;
  readonly control: Int32Array;
  readonly request: Float64Array;
  readonly answers: Float64Array;
  readonly errorTexts: Uint16Array;
  readonly failed: Int32Array;
  readonly accepted: Int32Array;
  readonly completed: Int32Array;
  readonly sideBounds: Float64Array;
  readonly skipped: Uint8Array;
  readonly marks: Uint8Array;
  readonly workerStale: Uint8Array;
  readonly firstRods: Int32Array;
  readonly firstParts: Int32Array;
  readonly busy: Float64Array;
  readonly workStealing: WorkStealing;
  readonly starts: readonly Float64Array[];
  readonly stepStart: Float64Array;
  readonly hasSaved: Int32Array;
  /** In the caller, which has waited for `seconds`: returns the index of a worker that has ended, or 0. */
  readonly findEnded: (seconds: number) => number;
  /** In the caller, which has waited for `seconds`: true if a worker has ended, or the caller need not wait for it any longer. */
  readonly isGone: (thread: number, seconds: number) => boolean;
}

export interface PoolSizes {
  readonly count: number;
  readonly rods: number;
  readonly systems: number;
  /** Numbers of the bundle's state. */
  readonly state: number;
  /** See workStealing.ts. */
  readonly chunks: readonly (readonly number[])[];
}

export function createPoolMemory({ count, rods, systems, state, chunks }: PoolSizes): PoolMemory {
  const workStealing = new SharedArrayBuffer(workStealingBytes(chunks));
  openWorkStealing(workStealing, chunks.length, chunks);
  return {
    count,
    control: new SharedArrayBuffer(4 * Object.keys(words).length),
    request: new SharedArrayBuffer(8 * REQUEST_SIZE),
    answers: new SharedArrayBuffer(8 * ANSWER_SIZE * count),
    errorTexts: new SharedArrayBuffer(2 * TEXT_SIZE * count),
    failed: new SharedArrayBuffer(4 * count),
    accepted: new SharedArrayBuffer(4 * count),
    completed: new SharedArrayBuffer(4 * count),
    sideBounds: new SharedArrayBuffer(8 * (count + 1)),
    skipped: new SharedArrayBuffer(systems),
    marks: new SharedArrayBuffer(systems),
    workerStale: new SharedArrayBuffer(rods),
    ranges: new SharedArrayBuffer(4 * 2 * (count + 1)),
    busy: new SharedArrayBuffer(8 * count),
    workStealing,
    starts: new SharedArrayBuffer(8 * 3 * (rods + 1)),
    stepStart: new SharedArrayBuffer(8 * state),
    hasSaved: new SharedArrayBuffer(4 * count),
  };
}

/** Functions of the caller, which has the workers' ports. */
type Watch = Pick<WorkerPool, 'findEnded' | 'isGone'>;

export function openPool(
  memory: PoolMemory,
  { findEnded, isGone }: Watch = { findEnded: () => 0, isGone: () => true },
): WorkerPool {
  const { count } = memory;
  const firstOf = (kind: number): Int32Array => new Int32Array(memory.ranges, 4 * kind * (count + 1), count + 1);
  // none if rods do not lie in ranges
  const zones = memory.workStealing.byteLength > 4 ? count - 1 : 0;
  return {
    count,
    control: new Int32Array(memory.control),
    request: new Float64Array(memory.request),
    answers: new Float64Array(memory.answers),
    errorTexts: new Uint16Array(memory.errorTexts),
    failed: new Int32Array(memory.failed),
    accepted: new Int32Array(memory.accepted),
    completed: new Int32Array(memory.completed),
    sideBounds: new Float64Array(memory.sideBounds),
    skipped: new Uint8Array(memory.skipped),
    marks: new Uint8Array(memory.marks),
    workerStale: new Uint8Array(memory.workerStale),
    firstRods: firstOf(0),
    firstParts: firstOf(1),
    busy: new Float64Array(memory.busy),
    workStealing: openWorkStealing(memory.workStealing, zones),
    starts: [0, 1, 2].map((k) => {
      const each = memory.starts.byteLength / 3;
      return new Float64Array(memory.starts, k * each, each / 8);
    }),
    stepStart: new Float64Array(memory.stepStart),
    hasSaved: new Int32Array(memory.hasSaved),
    findEnded,
    isGone,
  };
}

/** Index of the first of thread k's share of `all` items. */
export function shareOf(all: number, k: number, count: number): number {
  return Math.floor((all * k) / count);
}

/** Reads of a word before a thread sleeps: about 50 µs. */
const SPINS = 5000;
/** Interval at which a waiting thread checks for workers that have ended [ms]. */
const WATCH = 100;

/** Waits until the word has the value. Throws if a worker has ended, or the caller has given up. */
function waitFor(pool: WorkerPool, word: number, value: number): void {
  const { control } = pool;
  for (let k = 0; k < SPINS; k++) if (Atomics.load(control, word) === value) return;
  // counts waits instead of reading the clock: a machine that was suspended meanwhile is not the worker's fault
  for (let waits = 1; ; waits++) {
    const seen = Atomics.load(control, word);
    if (seen === value) return;
    if (Atomics.wait(control, word, seen, WATCH) !== 'timed-out') continue;
    if (Atomics.load(control, words.abandoned) === 1) throw new Error('the caller of this thread has given up');
    const ended = pool.findEnded((waits * WATCH) / 1000);
    // the answer may have arrived just before the worker ended
    if (ended > 0 && Atomics.load(control, word) !== value) {
      abandonPool(pool);
      waitForSurvivors(pool);
      throw endedError(ended);
    }
  }
}

/** Waits until no worker is in the middle of the last request; those that have not begun it will not, see `acceptRequest`. */
function waitForSurvivors(pool: WorkerPool): void {
  const { control, completed, count, isGone } = pool;
  const requestNumber = Atomics.load(control, words.requestNumber);
  for (let thread = 1; thread < count; thread++) {
    for (let waits = 0; !isUnaccepted(pool, thread) && !isGone(thread, (waits * WATCH) / 1000); waits++) {
      const seen = Atomics.load(completed, thread);
      if (seen === requestNumber) break;
      Atomics.wait(completed, thread, seen, WATCH);
    }
  }
}

/** Gives up the pool: workers that wait for others stop waiting, and begin no more requests. */
export function abandonPool({ control }: WorkerPool): void {
  Atomics.store(control, words.abandoned, 1);
}

export function isAbandoned({ control }: WorkerPool): boolean {
  return Atomics.load(control, words.abandoned) === 1;
}

/** In a worker: waits for the next request after `requestNumber`, and returns it with its number. */
export function waitForRequest(
  { control, request }: WorkerPool,
  requestNumber: number,
): { requestNumber: number; request: Request } {
  let seen = Atomics.load(control, words.requestNumber);
  for (let k = 0; k < SPINS && seen === requestNumber; k++) seen = Atomics.load(control, words.requestNumber);
  while (seen === requestNumber) {
    Atomics.wait(control, words.requestNumber, requestNumber);
    seen = Atomics.load(control, words.requestNumber);
  }
  return { requestNumber: seen, request: decodeRequest(request) };
}

/** In a worker: begins a request. Returns false if the caller has given up, and may have restored the state: the worker must not touch it. */
export function acceptRequest(pool: WorkerPool, thread: number, requestNumber: number): boolean {
  // in this order: either the caller sees that the worker has begun, or the worker that the caller has given up
  Atomics.store(pool.accepted, thread, requestNumber);
  if (!isAbandoned(pool)) return true;
  completeRequest(pool, thread);
  return false;
}

/** In a worker: it no longer touches the state for the request that it began last. */
export function completeRequest({ accepted, completed }: WorkerPool, thread: number): void {
  Atomics.store(completed, thread, Atomics.load(accepted, thread));
  Atomics.notify(completed, thread);
}

/** True if a worker has not begun the last request. */
export function isUnaccepted({ accepted, control }: WorkerPool, thread: number): boolean {
  return Atomics.load(accepted, thread) !== Atomics.load(control, words.requestNumber);
}

/** Sends a request without waiting for an answer. */
export function sendRequest({ control, request: memory, failed }: WorkerPool, request: Request): void {
  encodeRequest(memory, request);
  failed.fill(0);
  Atomics.store(control, words.done, 0);
  Atomics.store(control, words.saved, 0);
  Atomics.add(control, words.requestNumber, 1);
  Atomics.notify(control, words.requestNumber);
}

/**
 * Sends a request, processes the caller's own part, and waits for the workers. Throws the error of the first thread that threw, in the order of the
 * rods, as a single thread would: the caller has the first range.
 */
export function runRequest<T>(pool: WorkerPool, request: Request, own: () => T): T {
  const start = performance.now();
  sendRequest(pool, request);
  let result: { readonly value: T } | { readonly error: unknown };
  try {
    result = { value: own() };
  } catch (error) {
    result = { error };
  }
  if (growsWithRods(request.kind)) pool.busy[0] += performance.now() - start;
  waitFor(pool, words.done, pool.count - 1);
  if ('error' in result) throw result.error;
  throwFailure(pool);
  return result.value;
}

/** In a worker: processes its part of a request, and passes errors to the caller. */
export function serveRequest(pool: WorkerPool, thread: number, request: Request, action: () => void): void {
  const start = performance.now();
  try {
    action();
  } catch (error) {
    noteFailure(pool, thread, error);
  }
  if (growsWithRods(request.kind)) pool.busy[thread] += performance.now() - start;
  completeRequest(pool, thread);
  reportDone(pool);
}

/** Counts one more thread at a barrier; the last of `all` wakes the waiting threads. */
function arrive(control: Int32Array, word: number, all: number): void {
  if (Atomics.add(control, word, 1) + 1 === all) Atomics.notify(control, word);
}

export function reportDone({ control, count }: WorkerPool): void {
  arrive(control, words.done, count - 1);
}

/** Waits until all threads, including the caller, have arrived here. */
export function meetAll(pool: WorkerPool): void {
  arrive(pool.control, words.saved, pool.count);
  waitFor(pool, words.saved, pool.count);
}

/** In a worker: reports that it is ready; with an error: that it never will be. */
export function reportReady(pool: WorkerPool, thread: number, error?: unknown): void {
  if (error !== undefined) noteFailure(pool, thread, error);
  Atomics.add(pool.control, words.ready, 1);
  Atomics.notify(pool.control, words.ready);
}

/** Waits until `count` workers are ready. Rethrows the error of a worker that failed. */
export function waitForReady(pool: WorkerPool, count: number): void {
  waitFor(pool, words.ready, count);
  throwFailure(pool);
}

function noteFailure({ failed, errorTexts }: WorkerPool, thread: number, error: unknown): void {
  writeText(errorTexts, thread, encodeError(error));
  Atomics.store(failed, thread, 1);
}

function throwFailure({ failed, errorTexts, count }: WorkerPool): void {
  for (let k = 1; k < count; k++) if (Atomics.load(failed, k) === 1) throw decodeError(readText(errorTexts, k));
}
