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
  /** Whether rods lie in ranges, see `Ranges.inRanges`. */
  readonly inRanges: boolean;
  /** Node positions of all rods in shared memory; empty if they are in no single array. */
  readonly positions: Float64Array;
  /** 1 for rods whose derived quantities are behind their state here, because a worker has moved them. */
  readonly stale: Uint8Array;
  /** Whether any rod is stale. */
  hasStale: boolean;
  /** Time of the rods [s], as of the last request. */
  time: number;
  /** 1 for rods with loads or grips that were added while the world runs, and their partners: the caller moves them. */
  readonly overridden: Uint8Array;
  hasOverridden: boolean;
  /** Workers were released. */
  isReleased: boolean;
  /** Ranges end where work stealing ended in the current step. */
  hasMeetings: boolean;
  /** True if the start of the step has not been saved yet; and if rods may have moved since it was. */
  isAtStepStart: boolean;
  hasMoved: boolean;
  /** The caller has written the state for this time, and workers have not been notified. */
  unsyncedTime: number | undefined;
  /** Equilibria with links keep writing to the rods they were given. */
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

/** Before every request: workers update their data from the state that the caller has written. */
export function syncWorkers(sharedBundle: SharedBundle): void {
  if (sharedBundle.unsyncedTime === undefined) return;
  const t = sharedBundle.unsyncedTime;
  sharedBundle.unsyncedTime = undefined;
  runRequest(sharedBundle.pool, { kind: 'refresh', t }, () => {});
}

/** A worker derives the data of rods that it takes over from their state; the caller marks which of its own rods need that (`stale`). */
function moveEnds({ ranges, pool }: SharedBundle, wanted: ArrayLike<number>): void {
  moveRanges(ranges, wanted, (k, from, to) => {
    if (k > 0) pool.behind.fill(1, from, to);
  });
}

/** Between two steps. */
export function rebalance(sharedBundle: SharedBundle): void {
  const { pool, parts, options } = sharedBundle;
  if (isAlone(sharedBundle) || !sharedBundle.inRanges || !parts.refreshRod) return;
  if (!sharedBundle.hasMeetings) moveEnds(sharedBundle, options.balance(pool.firstRods, pool.busy));
  sharedBundle.hasMeetings = false;
  pool.busy.fill(0);
}

/** Ends the ranges where work stealing ended. */
export function moveEndsToMeetings(sharedBundle: SharedBundle): void {
  moveEnds(sharedBundle, listMeetings(sharedBundle.pool.workStealing, sharedBundle.pool.behind.length));
  sharedBundle.hasMeetings = true;
}

/** True if the next request is the first of the world's step: then threads save the state of its start. */
export function beginKeeping(sharedBundle: SharedBundle): boolean {
  if (!sharedBundle.isAtStepStart) return false;
  sharedBundle.pool.keptBy.fill(0);
  sharedBundle.isAtStepStart = false;
  sharedBundle.hasMoved = false;
  return true;
}
