/** Detection of contacts with colliders by several threads: the caller's and the workers' side. The search itself is in contact/detect/colliderSearch.ts. */

import { type ContactSet, createContactSet } from '../contact/contactSet.ts';
import {
  cutSearch,
  FOUND_BYTES,
  type FoundRun,
  noteRuns,
  openFinder,
  readCounts,
  type SearchRows,
  searchRanges,
  takeHands,
  writeFound,
} from '../contact/detect/colliderSearch.ts';
import type { ColliderFinder } from '../contact/detect/finderData.ts';
import { compileColliders } from '../contact/shapes/compileCollider.ts';
import type { Samples } from '../port.ts';
import type { ColliderSpec } from '../scene/types.ts';
import { readCount, writeCount } from './answers.ts';
import type { EachRange, SharedSearch } from './contactThreads.ts';
import type { Request } from './requests.ts';
import { isAlone, type SharedBundle, shareBuffer, syncWorkers } from './sharedBundle.ts';
import { slots } from './slots.ts';
import { runRequest, type WorkerPool } from './workerPool.ts';
import { resetWorkStealing, takeChunks } from './workStealing.ts';

/** Initial capacity of contacts per worker. */
const CAPACITY = 1024;

/** The caller's side. `bytes`: size of the search's input. */
export function createSharedSearch(sharedBundle: SharedBundle, bytes: number): SharedSearch {
  const { pool, options } = sharedBundle;
  const { count, workStealing, workerStale } = pool;
  syncWorkers(sharedBundle);
  const buffer = shareBuffer(sharedBundle, slots.nodes, bytes);
  let capacity = CAPACITY;
  let found = shareBuffer(sharedBundle, slots.found, FOUND_BYTES * capacity * (count - 1));
  return {
    buffer,
    isWorth: (nodes) => !isAlone(sharedBundle) && nodes >= options.leastNodes,
    run({ kind: search, collider, t, dt, allowed }, own) {
      syncWorkers(sharedBundle);
      resetWorkStealing(workStealing);
      runRequest(pool, { kind: 'search', search, collider, t, dt, allowed, capacity }, () => {
        own((action) => {
          takeChunks(workStealing, 0, workerStale.length, action);
        });
      });
    },
    read(action) {
      let most = 0;
      for (let k = 1; k < count; k++) most = Math.max(most, readCount(pool, k));
      if (most > capacity) {
        capacity = 8 * Math.ceil((1.25 * most) / 8);
        found = shareBuffer(sharedBundle, slots.found, FOUND_BYTES * capacity * (count - 1));
        runRequest(pool, { kind: 'deliver', capacity }, () => {});
      }
      for (let k = 1; k < count; k++) action(found, FOUND_BYTES * capacity * (k - 1), capacity, readCount(pool, k));
    },
  };
}

/** A thread's search data, and its last results. */
export interface Searcher {
  readonly buffer: SharedArrayBuffer;
  readonly rows: SearchRows;
  readonly finder: ColliderFinder;
  readonly set: ContactSet;
  readonly runs: FoundRun[];
}

function openSearcher(buffer: SharedArrayBuffer, colliders: readonly ColliderSpec[]): Searcher {
  const rows = cutSearch(buffer, readCounts(buffer));
  const compiled = compileColliders({ tendril: 1, rods: [], colliders }, [], [], []);
  return { buffer, rows, finder: openFinder(rows, compiled), set: createContactSet(CAPACITY), runs: [] };
}

/** A thread's current search data. */
export function findSearcher(
  { colliders }: { readonly colliders: readonly ColliderSpec[] },
  buffers: readonly (SharedArrayBuffer | undefined)[],
  known: Searcher | undefined,
): Searcher {
  const buffer = buffers[slots.nodes] as SharedArrayBuffer;
  return known?.buffer === buffer ? known : openSearcher(buffer, colliders);
}

/** The part of a worker that the search needs. */
export interface SearchingWorker {
  readonly pool: WorkerPool;
  readonly task: SearchTask;
  readonly bundle: { readonly samples: readonly Samples[] };
  readonly buffers: readonly (SharedArrayBuffer | undefined)[];
  /** Its last search. */
  readonly searcher?: Searcher;
}

export interface SearchTask {
  readonly index: number;
  /** The first rod of its scene. */
  readonly first: number;
  readonly colliders: readonly ColliderSpec[];
}

/** The worker's side: detects contacts, or delivers its last results again. */
export function serveSearch(worker: SearchingWorker, request: Request<'search' | 'deliver'>): Searcher {
  const { pool, task, bundle, buffers } = worker;
  const { samples } = bundle;
  const { index, first } = task;
  const searcher = findSearcher(task, buffers, worker.searcher);
  const { rows, finder, set, runs } = searcher;
  if (request.kind === 'search') {
    takeHands(finder, rows);
    set.count = 0;
    runs.length = 0;
    const each: EachRange = (action) => {
      takeChunks(pool.workStealing, index, pool.workerStale.length, action);
    };
    const { search: kind, collider, t, dt, allowed } = request;
    const own = { finder, asked: rows.isSearched, samples, first, set, each: noteRuns(runs, set, each) };
    searchRanges(own, { kind, collider, t, dt, allowed });
    writeCount(pool, index, set.count);
  }
  const { capacity } = request;
  if (set.count > 0 && set.count <= capacity) {
    const from = FOUND_BYTES * capacity * (index - 1);
    writeFound({ buffer: buffers[slots.found] as SharedArrayBuffer, from, capacity }, set, runs);
  }
  return searcher;
}
