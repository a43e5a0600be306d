/**
 * Detection of contacts with obstacles, rod by rod: on the calling thread, or by worker threads that process ranges of rods.
 *
 * A rod's contacts with an obstacle depend only on the two, and each thread has both: nodes and edges of the scene are in shared memory, and each
 * thread compiles the obstacles from the scene. Results are appended obstacle by obstacle, in the order of the rods. With any number of threads the
 * contacts and their order are the same, bit for bit.
 */
import { hypot } from '../../math/rounded/index.ts';
import type { Bundle } from '../../model.ts';
import type { Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import {
  type EachRange,
  type SearchCounts,
  type SearchRequest,
  type SharedSearch,
  threadsOf,
} from '../../threads/contactThreads.ts';
import { type ContactSet, createContactSet, ensureCapacity } from '../contactSet.ts';
import { type Cutter, countBytes, createCutter } from '../memory.ts';
import { type Collider, placeCollider, takeHand } from '../shapes/collider.ts';
import { HAND } from '../shapes/handMotion.ts';
import { findWithCollider } from './colliderContacts.ts';
import { sweepCollider } from './colliderSweep.ts';
import { type FinderRows, layOutFinder } from './finderArrays.ts';
import { type ColliderFinder, type Finder, gather, SEARCHED } from './finderData.ts';
import { findMarkedPenetrations, findPenetrations, type PenetrationQuery } from './penetration.ts';
import { gatherEnd } from './rodSweep.ts';

/**
 * Kinds of requests to threads: read positions and velocities at the start of the step; find contacts there; read positions at the end; find penetrations
 * there; find surfaces that rods passed through.
 */
const GATHER = 0;
const FIND = 1;
const GATHER_END = 2;
const FIND_PENETRATIONS = 3;
const SWEEP = 4;

/** Arrays of a finder and inputs of a search, in memory that threads share. */
export interface SearchRows extends FinderRows {
  /** Sizes of the arrays, see `SearchCounts`; gravity; range of a repulsion field. */
  readonly settings: Float64Array;
  /** For each collider: edges that it spares, rods that it acts on, and the motion of a hand that holds it. */
  readonly exempt: readonly Uint8Array[];
  readonly acts: readonly Uint8Array[];
  readonly hands: readonly Float64Array[];
  /** 1 for each rod to search. */
  readonly isSearched: Uint8Array;
}

const SETTINGS_SIZE = 8;

function layOutSearch(counts: SearchCounts, cutter: Cutter): SearchRows {
  const { rods, nodes, colliders } = counts;
  const { doubles, bytes } = cutter;
  const each = <T>(make: () => T): T[] => Array.from({ length: colliders }, make);
  return {
    settings: doubles(SETTINGS_SIZE),
    hands: each(() => doubles(HAND)),
    ...layOutFinder(counts, cutter),
    isSearched: bytes(rods),
    exempt: each(() => bytes(nodes)),
    acts: each(() => bytes(rods)),
  };
}

export const searchBytes = (counts: SearchCounts): number => countBytes((cutter) => layOutSearch(counts, cutter));

export const cutSearch = (buffer: ArrayBufferLike, counts: SearchCounts): SearchRows =>
  layOutSearch(counts, createCutter(buffer));

/** Views of the arrays that the finder's creator has written. */
export function readCounts(buffer: ArrayBufferLike): SearchCounts {
  const [rods, nodes, edges, colliders] = new Float64Array(buffer, 0, 4);
  return { rods, nodes, edges, colliders };
}

/** What a thread needs to detect contacts. */
export function openFinder(rows: SearchRows, colliders: Finder['colliders']): ColliderFinder {
  const gravity = [...rows.settings.subarray(4, 7)];
  return {
    ...rows,
    exempt: [...rows.exempt],
    colliders: colliders.map((collider, k) => ({ ...collider, acts: rows.acts[k] })),
    nodeCount: rows.nodeHeld.length,
    gravity,
    acceleration: hypot(gravity[0], gravity[1], gravity[2]),
    rules: { reach: rows.settings[7] },
  };
}

/** Applies the displacements by hand that the calling thread has set to the obstacles. */
export function takeHands({ colliders }: ColliderFinder, rows: SearchRows): void {
  for (let k = 0; k < colliders.length; k++) takeHand(colliders[k], rows.hands[k]);
}

/** Doubles, integers and bytes of a contact with an obstacle; its other fields are the same for all such contacts. */
const doubles = {
  key: 1,
  weightA: 1,
  normal: 3,
  gap: 1,
  surface: 3,
  leverA: 1,
  point: 3,
  staticFriction: 1,
  dynamicFriction: 1,
  restitution: 1,
  size: 1,
  approach: 1,
  floor: 1,
} as const;
const doubleNames = Object.keys(doubles) as (keyof typeof doubles)[];
const integerNames = ['rodA', 'edgeA', 'collider'] as const;

type FoundRows = Pick<ContactSet, keyof typeof doubles | (typeof integerNames)[number] | 'swept'>;

/** Bytes per contact. */
export const FOUND_BYTES: number = 8 * 19 + 4 * 3 + 1;

/** Memory for `capacity` contacts, `from` bytes into a buffer; both must be multiples of 8. */
export interface FoundMemory {
  readonly buffer: ArrayBufferLike;
  readonly from: number;
  readonly capacity: number;
}

function cutFound({ buffer, from, capacity }: FoundMemory): FoundRows {
  let at = from;
  const rows: Partial<Record<keyof FoundRows, ArrayBufferView>> = {};
  for (const name of doubleNames) {
    rows[name] = new Float64Array(buffer, at, doubles[name] * capacity);
    at += 8 * doubles[name] * capacity;
  }
  for (const name of integerNames) {
    rows[name] = new Int32Array(buffer, at, capacity);
    at += 4 * capacity;
  }
  rows.swept = new Uint8Array(buffer, at, capacity);
  return rows as FoundRows;
}

/** Contacts `first` to `end` of a set, found in the range that begins with a given rod. */
export interface FoundRun {
  readonly rod: number;
  readonly first: number;
  readonly end: number;
}

/** Processes ranges in any order, and records which contacts of a set belong to which range. */
export function noteRuns(runs: FoundRun[], set: ContactSet, each: EachRange): EachRange {
  return (action) => {
    each((from, to) => {
      const first = set.count;
      action(from, to);
      if (set.count > first) runs.push({ rod: from, first, end: set.count });
    });
  };
}

/** Copies a thread's contacts to shared memory, in the order of the rods. */
export function writeFound(memory: FoundMemory, set: ContactSet, runs: readonly FoundRun[]): void {
  const rows = cutFound(memory);
  let at = 0;
  for (const { first, end } of [...runs].sort((a, b) => a.rod - b.rod)) {
    for (const name of doubleNames)
      rows[name].set(set[name].subarray(doubles[name] * first, doubles[name] * end), doubles[name] * at);
    for (const name of integerNames) rows[name].set(set[name].subarray(first, end), at);
    rows.swept.set(set.swept.subarray(first, end), at);
    at += end - first;
  }
}

/** Appends `count` contacts that a thread has found to a set. */
export function appendFound(set: ContactSet, memory: FoundMemory, count: number): void {
  if (count === 0) return;
  const rows = cutFound(memory);
  const at = set.count;
  ensureCapacity(set, at + count);
  set.count = at + count;
  for (const name of doubleNames) set[name].set(rows[name].subarray(0, doubles[name] * count), doubles[name] * at);
  for (const name of integerNames) set[name].set(rows[name].subarray(0, count), at);
  set.swept.set(rows.swept.subarray(0, count), at);
  set.rodB.fill(-1, at, at + count);
  set.edgeB.fill(0, at, at + count);
  set.weightB.fill(0, at, at + count);
  set.leverB.fill(0, at, at + count);
  set.bias.fill(0, at, at + count);
  set.impulse.fill(0, 3 * at, 3 * (at + count));
  set.sliding.fill(0, at, at + count);
  set.slides.fill(0, at, at + count);
}

/** Inputs and output of a search on one thread. */
export interface RangeSearch {
  readonly finder: ColliderFinder;
  /** 1 for each rod to search. */
  readonly asked: Uint8Array;
  /** Samples of the thread's rods; the first belongs to rod `first`. */
  readonly samples: readonly Samples[];
  readonly first: number;
  /** Contacts found are appended here. */
  readonly set: ContactSet;
  /** Calls back with each range that the thread takes. */
  readonly each: EachRange;
}

/** Processes a request for ranges of rods, on a worker or on the calling thread. */
export function searchRanges(search: RangeSearch, { kind, collider: k, t, dt, allowed }: SearchRequest): void {
  const { finder, asked, samples, first, set, each } = search;
  const { nodeOffset, position, velocity, end, colliders } = finder;
  const pass = { finder, set, collider: colliders[k], index: k, t, dt };
  if (kind === GATHER)
    each((from, to) => {
      for (let r = from; r < to; r++) {
        position.set(samples[r - first].nodePosition, 3 * nodeOffset[r]);
        velocity.set(samples[r - first].nodeVelocity, 3 * nodeOffset[r]);
      }
    });
  else if (kind === GATHER_END)
    each((from, to) => {
      for (let r = asked.indexOf(1, from); r >= 0 && r < to; r = asked.indexOf(1, r + 1))
        end.set(samples[r - first].nodePosition, 3 * nodeOffset[r]);
    });
  else if (kind === FIND) {
    placeCollider(colliders[k], t, dt);
    each((from, to) => {
      findWithCollider(pass, from, to);
    });
  } else if (kind === FIND_PENETRATIONS) findMarkedPenetrations({ ...pass, allowed }, asked, each);
  else if (kind === SWEEP) {
    placeCollider(colliders[k], t, dt);
    each((from, to) => {
      sweepCollider(pass, from, to);
    });
  }
}

/** Search for contacts with obstacles, as the calling thread uses it; obstacles are placed at the start of the step. */
export interface ColliderSearch {
  /** Reads current positions and velocities of all nodes. */
  gather(): void;
  /** Reads current positions of all nodes as the end of the step. */
  gatherEnd(): void;
  /** Appends the contacts at the start of the step with collider k. */
  find(set: ContactSet, k: number, t: number, dt: number): void;
  /** Appends contacts of points that ended too deep, as in penetration.ts. `gathered`: positions at the end are up to date (default: no). */
  findPenetrations(set: ContactSet, query: PenetrationQuery & { readonly gathered?: boolean }): void;
  /** Appends contacts of points that passed through surfaces on their way to the end, which must be up to date; returns their number. */
  sweep(set: ContactSet, t: number, dt: number): number;
}

function searchAlone(finder: Finder): ColliderSearch {
  const { colliders } = finder;
  return {
    gather() {
      gather(finder);
    },
    gatherEnd() {
      gatherEnd(finder.end, finder);
    },
    find(set, k, t, dt) {
      findWithCollider({ finder, set, collider: colliders[k], index: k, t, dt });
    },
    findPenetrations(set, query) {
      if (!query.gathered) gatherEnd(finder.end, finder, query.rods);
      findPenetrations(finder, set, query);
    },
    sweep(set, t, dt) {
      const before = set.count;
      eachSurface(finder, (k) => {
        sweepCollider({ finder, set, collider: colliders[k], index: k, t, dt });
      });
      return set.count - before;
    },
  };
}

/** Colliders that have a back side. */
function eachSurface({ colliders }: Finder, action: (k: number) => void): void {
  colliders.forEach(({ shape: { thin } }, k) => {
    if (thin) action(k);
  });
}

/** Shared memory for worker threads that detect contacts. Requires one bundle with all rods in order, and no obstacles on bodies. */
export function shareColliderSearch(
  rods: readonly Rod[],
  bundles: readonly Bundle[],
  placeOfRod: readonly { readonly index: number }[],
  colliders: readonly Collider[],
): { search: SharedSearch; rows: SearchRows } | undefined {
  if (colliders.length === 0 || bundles.length !== 1 || colliders.some(({ body }) => body >= 0)) return undefined;
  if (placeOfRod.some(({ index }, r) => index !== r)) return undefined;
  const sum = (count: (rod: Rod) => number): number => rods.reduce((all, rod) => all + count(rod), 0);
  const counts = {
    rods: rods.length,
    nodes: sum(({ nodeCount }) => nodeCount),
    edges: sum(({ edgeCount }) => edgeCount),
    colliders: colliders.length,
  };
  const search = threadsOf(bundles[0].contact)?.colliderSearch(searchBytes(counts));
  return search && { search, rows: cutSearch(search.buffer, counts) };
}

/** The search of a world; by threads if there is shared memory (`shared`) with the finder's arrays (`rows`). */
export function createColliderSearch(finder: Finder, shared?: SharedSearch, rows?: SearchRows): ColliderSearch {
  const alone = searchAlone(finder);
  return shared && rows ? searchWithThreads(finder, shared, rows, alone) : alone;
}

/** Searches by threads if there is enough work for them, else by `alone`. */
function searchWithThreads(
  finder: Finder,
  shared: SharedSearch,
  rows: SearchRows,
  alone: ColliderSearch,
): ColliderSearch {
  const { colliders, rodRole } = finder;
  const { isSearched } = rows;
  const noContacts = createContactSet(1);
  writeSettings(finder, rows);
  const run = (set: ContactSet, part: Partial<SearchRequest> & { readonly kind: number }): void => {
    const request = { collider: 0, t: 0, dt: 0, allowed: 0, ...part };
    for (let k = 0; k < colliders.length; k++) rows.hands[k].set(colliders[k].hand);
    shared.run(request, (each) => {
      searchRanges({ finder, asked: isSearched, samples: finder.samples, first: 0, set, each }, request);
    });
    shared.read((buffer, from, capacity, count) => {
      appendFound(set, { buffer, from, capacity }, count);
    });
  };
  return {
    gather() {
      if (shared.isWorth(finder.nodeCount)) run(noContacts, { kind: GATHER });
      else alone.gather();
    },
    gatherEnd() {
      if (!shared.isWorth(finder.nodeCount)) return alone.gatherEnd();
      isSearched.fill(1);
      run(noContacts, { kind: GATHER_END });
    },
    find(set, k, t, dt) {
      if (shared.isWorth(countNodes(finder, rodRole, SEARCHED))) run(set, { kind: FIND, collider: k, t, dt });
      else alone.find(set, k, t, dt);
    },
    findPenetrations(set, query) {
      const { t, dt, allowed, rods, gathered } = query;
      if (!markRods(isSearched, rods) || !shared.isWorth(countNodes(finder, isSearched, 1)))
        return alone.findPenetrations(set, query);
      if (!gathered) run(noContacts, { kind: GATHER_END });
      for (let k = 0; k < colliders.length; k++) run(set, { kind: FIND_PENETRATIONS, collider: k, t, dt, allowed });
    },
    sweep(set, t, dt) {
      if (!shared.isWorth(countNodes(finder, rodRole, SEARCHED))) return alone.sweep(set, t, dt);
      const before = set.count;
      eachSurface(finder, (k) => {
        run(set, { kind: SWEEP, collider: k, t, dt });
      });
      return set.count - before;
    },
  };
}

/** Writes the inputs that workers read when they open the finder. */
function writeSettings({ colliders, nodeCount, edgeCount, gravity, rules }: Finder, rows: SearchRows): void {
  rows.settings.set([rows.isSearched.length, nodeCount, edgeCount, colliders.length, ...gravity, rules.reach]);
  colliders.forEach(({ acts }, k) => {
    rows.acts[k].set(acts);
  });
}

/** Number of nodes of the rods whose mark is at least `least`. */
function countNodes({ nodeOffset }: Finder, marks: Uint8Array, least: number): number {
  let sum = 0;
  for (let r = 0; r < marks.length; r++) if (marks[r] >= least) sum += nodeOffset[r + 1] - nodeOffset[r];
  return sum;
}

/** Marks the rods of a list (default: all) with 1. Returns false if the list is not in ascending order. */
function markRods(marks: Uint8Array, list: readonly number[] | undefined): boolean {
  marks.fill(list ? 0 : 1);
  for (let i = 0; list && i < list.length; i++) {
    if (i > 0 && list[i] <= list[i - 1]) return false;
    marks[list[i]] = 1;
  }
  return true;
}
