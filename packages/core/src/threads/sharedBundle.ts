/** The caller's data on its shared bundle, and operations that callerBundle.ts and callerContact.ts have in common. */
import type { Bundle, Drive } from '../model.ts';
import type { Scene } from '../scene/types.ts';
import type { BufferMessage } from './messages.ts';
import type { ThreadableModel } from './modelMaker.ts';
import type { ThreadOptions, ThreadPort } from './options.ts';
import { moveRanges, type Ranges } from './ranges.ts';
import { isAbandoned, runRequest, type WorkerPool } from './workerPool.ts';
import { listMeetings } from './workStealing.ts';

/** Shared memory, and the offsets of each rod's numbers in it. */
export interface SharedArray {
  readonly buffer: SharedArrayBuffer;
  readonly starts: Float64Array;
}

type Parts = NonNullable<Bundle['parts']>;

export interface ShareInput {
  readonly model: ThreadableModel;
  readonly bundle: Bundle;
  readonly parts: Parts;
  readonly drives: readonly Drive[];
  readonly workers: readonly ThreadPort[];
  readonly scene: Scene;
  readonly arrays: readonly SharedArray[];
  readonly options: Required<ThreadOptions>;
}

/** The caller's data on its shared bundle. */
export interface SharedBundle extends ShareInput {
  readonly pool: WorkerPool;
  /** Participating workers. */
  readonly ports: readonly ThreadPort[];
  readonly ranges: Ranges;
  /** True if each thread has a range of rods, see `Ranges.inRanges`. */
  readonly inRanges: boolean;
  /** Node positions of all rods in shared memory; empty if they are in no single array. */
  readonly positions: Float64Array;
  /** 1 for rods whose derived quantities in the caller's thread are out of date, because a worker has moved them. */
  readonly callerStale: Uint8Array;
  /** True if any rod is stale. */
  hasCallerStale: boolean;
  /** Time of the rods [s], as of the last request. */
  time: number;
  /** 1 for rods with loads or grips that were added while the world runs, and their partners: the caller moves them. */
  readonly overridden: Uint8Array;
  hasOverridden: boolean;
  /** True after the workers were released: the caller works alone from then on. */
  isReleased: boolean;
  /** True if work stealing has moved the ends of ranges in the current step. */
  hasMeetings: boolean;
  /** True if the start of the step has not been saved yet. */
  isAtStepStart: boolean;
  /** True if rods may have moved since the start of the step was saved. */
  hasMoved: boolean;
  /** Time of the state that the caller has written and workers have not been notified of; undefined if they are up to date. */
  unsyncedTime: number | undefined;
  /** True once `atRest` was called: equilibria with links may write to the rods at any time. */
  isWrittenByStatics: boolean;
  /** State at the start of a substep of a step. */
  substepStart: Float64Array | undefined;
}

/** True if the caller's thread works without the others. */
export function isAlone({ isReleased, pool }: SharedBundle): boolean {
  return isReleased || pool.count < 2 || isAbandoned(pool);
}

/** Passes a new buffer to the workers, which must return to their event loops for it. */
export function shareBuffer({ pool, ports }: SharedBundle, slot: number, bytes: number): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes);
  const message: BufferMessage = { kind: 'buffer', slot, buffer };
  runRequest(pool, { kind: 'receive' }, () => {
    for (const port of ports) port.postMessage(message);
  });
  return buffer;
}

/** Call before every request: if the caller has written the state, workers then refresh the quantities that they derive from it. */
export function syncWorkers(sharedBundle: SharedBundle): void {
  if (sharedBundle.unsyncedTime === undefined) return;
  const t = sharedBundle.unsyncedTime;
  sharedBundle.unsyncedTime = undefined;
  runRequest(sharedBundle.pool, { kind: 'refresh', t, skips: false }, () => {});
}

/** Moves the ends of ranges. Workers must refresh the rods that they take over; rods that the caller takes over are `callerStale` already. */
function moveEnds({ ranges, pool }: SharedBundle, wanted: ArrayLike<number>): void {
  moveRanges(ranges, wanted, (k, from, to) => {
    if (k > 0) pool.workerStale.fill(1, from, to);
  });
}

/** Between two steps, moves the ends of ranges so that all threads take equally long. */
export function rebalance(sharedBundle: SharedBundle): void {
  const { pool, parts, options } = sharedBundle;
  if (isAlone(sharedBundle) || !sharedBundle.inRanges || !parts.refreshRod) return;
  if (!sharedBundle.hasMeetings) moveEnds(sharedBundle, options.balance(pool.firstRods, pool.busy));
  sharedBundle.hasMeetings = false;
  pool.busy.fill(0);
}

/** Ends the ranges where work stealing ended. */
export function moveEndsToMeetings(sharedBundle: SharedBundle): void {
  moveEnds(sharedBundle, listMeetings(sharedBundle.pool.workStealing, sharedBundle.pool.workerStale.length));
  sharedBundle.hasMeetings = true;
}

/** True if the next request is the first of the world's step: every thread then saves the start of the step. */
export function beginSaving(sharedBundle: SharedBundle): boolean {
  if (!sharedBundle.isAtStepStart) return false;
  sharedBundle.pool.hasSaved.fill(0);
  sharedBundle.isAtStepStart = false;
  sharedBundle.hasMoved = false;
  return true;
}
