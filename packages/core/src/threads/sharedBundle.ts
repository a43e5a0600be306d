/** What the caller knows of the bundle that it shares, and the small steps that callerBundle.ts and callerContact.ts have in common. */
import type { Bundle, Drive } from '../model.ts';
import type { Scene } from '../scene/types.ts';
import type { BufferMessage } from './messages.ts';
import type { ThreadableModel } from './modelMaker.ts';
import type { ThreadOptions, ThreadPort } from './options.ts';
import { moveRanges, type Ranges } from './ranges.ts';
import { isAbandoned, runRequest, type WorkerPool } from './workerPool.ts';
import { listMeetings } from './workStealing.ts';

/** Memory that all threads see, and where in it each rod's numbers begin. */
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

/** What the caller knows of the bundle that it shares. */
export interface SharedBundle extends ShareInput {
  readonly pool: WorkerPool;
  /** Workers that take part. */
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
  /** Time of the rods [s], as far as requests tell. */
  time: number;
  /** 1 for rods with loads or grips that were added while the world runs, and their partners: the caller moves them. */
  readonly overridden: Uint8Array;
  hasOverridden: boolean;
  /** Workers were released. */
  isReleased: boolean;
  /** Ranges end where threads have met in the present step. */
  hasMeetings: boolean;
  /** Of the step: nothing was kept of its start yet; and rods may have moved since it was. */
  isAtStepStart: boolean;
  hasMoved: boolean;
  /** The caller has written the state for this time, and workers have not seen it. */
  unsyncedTime: number | undefined;
  /** Equilibria with links write to rods that they were given once. */
  isWrittenByStatics: boolean;
  /** State at the start of a piece of a step. */
  pieceStart: Float64Array | undefined;
}

/** Whether the caller's thread works without the others. */
export function isAlone({ isReleased, pool }: SharedBundle): boolean {
  return isReleased || pool.count < 2 || isAbandoned(pool);
}

/** Hands a new buffer to the workers, who have to return to their event loops for it. */
export function shareBuffer({ pool, ports }: SharedBundle, slot: number, bytes: number): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes);
  const message: BufferMessage = { kind: 'buffer', slot, buffer };
  runRequest(pool, { kind: 'receive' }, () => {
    for (const port of ports) port.postMessage(message);
  });
  return buffer;
}

/** Before every request: workers follow what the caller has written. */
export function syncWorkers(of: SharedBundle): void {
  if (of.unsyncedTime === undefined) return;
  const t = of.unsyncedTime;
  of.unsyncedTime = undefined;
  runRequest(of.pool, { kind: 'refresh', t }, () => {});
}

/** Rods that come to a worker are known to it by their state alone; of its own, the caller knows which are (`stale`). */
function moveEnds({ ranges, pool }: SharedBundle, wanted: ArrayLike<number>): void {
  moveRanges(ranges, wanted, (k, from, to) => {
    if (k > 0) pool.behind.fill(1, from, to);
  });
}

/** Between two steps. */
export function rebalance(of: SharedBundle): void {
  const { pool, parts, options } = of;
  if (isAlone(of) || !of.inRanges || !parts.refreshRod) return;
  if (!of.hasMeetings) moveEnds(of, options.balance(pool.firstRods, pool.busy));
  of.hasMeetings = false;
  pool.busy.fill(0);
}

/** Ranges end where threads have met. */
export function moveEndsToMeetings(of: SharedBundle): void {
  moveEnds(of, listMeetings(of.pool.workStealing, of.pool.behind.length));
  of.hasMeetings = true;
}

/** Whether the next request is the first of the world's step: then threads keep the state where the step begins. */
export function beginKeeping(of: SharedBundle): boolean {
  if (!of.isAtStepStart) return false;
  of.pool.keptBy.fill(0);
  of.isAtStepStart = false;
  of.hasMoved = false;
  return true;
}
