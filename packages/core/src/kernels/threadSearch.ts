/** Finding contacts with obstacles in threads, both sides: what is done there is in contact/detect/colliderSearch.ts. */

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
import type { ObstacleFinder } from '../contact/detect/finderData.ts';
import { compileColliders } from '../contact/shapes/collider.ts';
import type { Samples } from '../port.ts';
import type { ColliderSpec } from '../scene/types.ts';
import type { EachRange, SharedSearch } from '../threads/contactThreads.ts';
import { claimPieces, resetClaims } from './claims.ts';
import {
  ask,
  type Crew,
  countOf,
  DELIVER,
  DT,
  FOUND,
  finish,
  KIND,
  NODES,
  SEARCH,
  SIZE,
  TIME,
  TOLERANCE,
  TOTAL,
  writeCount,
} from './crew.ts';

/** Contacts that a thread has room for, at first. */
const CAPACITY = 1024;

/** Parameters as of `shareContact`. */
export function shareSearch(
  crew: Crew,
  watch: { readonly alone: boolean },
  leastNodes: number,
  bytes: number,
  enlarge: (slot: number, bytes: number) => SharedArrayBuffer,
  begin: () => void,
): SharedSearch {
  const { numbers, count } = crew;
  begin();
  const buffer = enlarge(NODES, bytes);
  let capacity = CAPACITY;
  let found = enlarge(FOUND, FOUND_BYTES * capacity * (count - 1));
  const request = (command: number): void => {
    numbers[TOTAL] = capacity;
    ask(crew, command);
  };
  return {
    buffer,
    isWorth: (nodes) => !watch.alone && nodes >= leastNodes,
    run({ kind, collider, t, dt, allowed }, own) {
      begin();
      numbers[KIND] = kind;
      numbers[SIZE] = collider;
      numbers[TIME] = t;
      numbers[DT] = dt;
      numbers[TOLERANCE] = allowed;
      resetClaims(crew.claims);
      request(SEARCH);
      own((action) => {
        claimPieces(crew.claims, 0, crew.behind.length, action);
      });
      finish(crew);
    },
    read(action) {
      let most = 0;
      for (let k = 1; k < count; k++) most = Math.max(most, countOf(crew, k));
      if (most > capacity) {
        capacity = 8 * Math.ceil((1.25 * most) / 8);
        found = enlarge(FOUND, FOUND_BYTES * capacity * (count - 1));
        request(DELIVER);
        finish(crew);
      }
      for (let k = 1; k < count; k++) action(found, FOUND_BYTES * capacity * (k - 1), capacity, countOf(crew, k));
    },
  };
}

/** What a thread finds by, and what it has found last. */
export interface Searcher {
  readonly buffer: SharedArrayBuffer;
  readonly rows: SearchRows;
  readonly finder: ObstacleFinder;
  readonly set: ContactSet;
  readonly runs: FoundRun[];
}

function openSearcher(buffer: SharedArrayBuffer, colliders: readonly ColliderSpec[]): Searcher {
  const rows = cutSearch(buffer, readCounts(buffer));
  const compiled = compileColliders({ tendril: 1, rods: [], colliders }, [], [], []);
  return { buffer, rows, finder: openFinder(rows, compiled), set: createContactSet(CAPACITY), runs: [] };
}

/** What a thread finds by, as it is now. */
export function findSearcher(
  { colliders }: { readonly colliders: readonly ColliderSpec[] },
  rooms: readonly (SharedArrayBuffer | undefined)[],
  known: Searcher | undefined,
): Searcher {
  const buffer = rooms[NODES] as SharedArrayBuffer;
  return known?.buffer === buffer ? known : openSearcher(buffer, colliders);
}

/** What thread `index`, whose scene begins with rod `first`, is asked for. */
export function serveSearch(
  crew: Crew,
  {
    index,
    first,
    colliders,
  }: { readonly index: number; readonly first: number; readonly colliders: readonly ColliderSpec[] },
  samples: readonly Samples[],
  rooms: readonly (SharedArrayBuffer | undefined)[],
  command: number,
  known: Searcher | undefined,
): Searcher {
  const { numbers } = crew;
  const searcher = findSearcher({ colliders }, rooms, known);
  const { rows, finder, set, runs } = searcher;
  if (command === SEARCH) {
    takeHands(finder, rows);
    set.count = 0;
    runs.length = 0;
    const each: EachRange = (action) => {
      claimPieces(crew.claims, index, crew.behind.length, action);
    };
    searchRanges(finder, rows.asked, samples, first, set, noteRuns(runs, set, each), {
      kind: numbers[KIND],
      collider: numbers[SIZE],
      t: numbers[TIME],
      dt: numbers[DT],
      allowed: numbers[TOLERANCE],
    });
    writeCount(crew, index, set.count);
  }
  const capacity = numbers[TOTAL];
  if (set.count > 0 && set.count <= capacity)
    writeFound(rooms[FOUND] as SharedArrayBuffer, FOUND_BYTES * capacity * (index - 1), capacity, set, runs);
  return searcher;
}
