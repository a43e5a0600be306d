/**
 * Work that contact can delegate to worker threads, besides the ContactPort that a model implements.
 *
 * A bundle whose rods are shared among threads has a port with a member `threads` (`shareContact` in callerContact.ts creates it). Contact gets it from `threadsOf`,
 * and does the work itself if there is none. Models do not see this file. Types only: contact imports it, and the implementation imports contact.
 */
import type { ContactPort } from '../model.ts';
import type { ContactSides } from '../port.ts';

/** A port whose bundle is shared among threads. */
export interface ThreadedContactPort extends ContactPort {
  readonly threads: ContactThreads;
}

/** Undefined if only the caller's thread moves the bundle. */
export function threadsOf(port: Partial<ThreadedContactPort> | undefined): ContactThreads | undefined {
  return port?.threads;
}

/** Each member returns undefined (or false) if there is too little work to share: the caller then does it alone. */
export interface ContactThreads {
  /**
   * Zeroed shared memory of `bytes` bytes for contact sides of the marked systems. The memory stays valid until the same slot, 0 or 1, is requested
   * again. Layout: contact/solve/sideArrays.ts.
   */
  sideBuffer(slot: number, bytes: number, systems: Uint8Array): ArrayBufferLike | undefined;
  /** Loops of the contact solver over these sides; they must lie in a `sideBuffer`. */
  solverLoops(sides: ContactSides): SharedLoops | undefined;
  /**
   * Memory of `bytes` bytes for the search for contacts with colliders. Called once, and only if the bundle has all rods of the
   * scene in their order and no collider is attached to a body.
   */
  colliderSearch(bytes: number): SharedSearch | undefined;
  /**
   * Replaces the velocities at the sides by displacement over dt (contact/solve/displacements.ts): `own(end)` does it for the caller's
   * sides 0 to `end`, the other threads for the rest.
   */
  addDisplacements(sides: ContactSides, dt: number, own: (end: number) => void): boolean;
  /** Memory of `bytes` bytes for the rows of links (contact/links/arrays.ts), all of which join rods of this bundle. Called once. */
  linkRows(bytes: number): SharedLinks | undefined;
}

/** Loop `kind` over all blocks of `size` numbers; other fields as in `MixRows` and `MixPart` of contact/solve/vectorLoops.ts. */
export interface SharedLoop {
  readonly kind: number;
  readonly capacity: number;
  readonly window: number;
  readonly size: number;
  readonly count: number;
  readonly slot: number;
  readonly gamma: Float64Array;
}

/** Loops of the contact solver over the numbers of all sides, by several threads: see contact/solve/vectorLoops.ts. */
export interface SharedLoops {
  /** Shared memory of at least `bytes` bytes, valid until more are requested. */
  memory(bytes: number): ArrayBufferLike;
  /** Runs a loop over all blocks. */
  run(loop: SharedLoop): void;
  /** Shared memory for the contact law (contact/solve/lawArrays.ts); `runLaw` returns the largest velocity that an impulse causes. */
  lawMemory(bytes: number): ArrayBufferLike;
  runLaw(contacts: number): number;
  /** Runs loop `kind` of contact/links/loops.ts over the rows in the memory of SharedLinks; returns the largest result. */
  runLinks(kind: number, capacity: number, window: number, numbers: ArrayLike<number>): number;
  /** Memory for contact/links/coarseBasis.ts; keeps its contents until more is requested. */
  coarseMemory(bytes: number): ArrayBufferLike;
}

/** Rows of links (contact/links/arrays.ts) in shared memory. */
export interface SharedLinks {
  readonly memory: ArrayBufferLike;
  /** Runs a loop that uses no sides; returns false, and does nothing, if no threads took part. */
  run(kind: number, numbers: ArrayLike<number>): boolean;
}

/** Parts of a scene that detection of contacts with obstacles needs. */
export interface SearchCounts {
  readonly rods: number;
  readonly nodes: number;
  readonly edges: number;
  readonly colliders: number;
}

/** A request to threads, in numbers of contact/detect/colliderSearch.ts: kind, collider, step, and depth that counts as too deep [radii]. */
export interface SearchRequest {
  readonly kind: number;
  readonly collider: number;
  readonly t: number;
  readonly dt: number;
  readonly allowed: number;
}

/** Processes ranges of rods, one after the other. */
export type EachRange = (action: (from: number, to: number) => void) => void;

/** Detection of contacts with obstacles by several threads, over ranges of rods: see contact/detect/colliderSearch.ts. */
export interface SharedSearch {
  /** Shared memory. */
  readonly buffer: ArrayBufferLike;
  /** True if a search over `nodes` nodes is worth sharing. */
  isWorth(nodes: number): boolean;
  /** Processes all rods: `own` is called for the caller's ranges, in their order. */
  run(request: SearchRequest, own: (each: EachRange) => void): void;
  /** Calls `action` for each worker's results of the last search, in the order of the rods: their memory, its capacity, and the number of contacts. */
  read(action: (buffer: ArrayBufferLike, from: number, capacity: number, count: number) => void): void;
}
