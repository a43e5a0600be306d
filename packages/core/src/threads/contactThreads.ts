/**
 * What contact can hand to worker threads, beside the ContactPort that a model implements.
 *
 * A bundle whose rods are shared among threads has a port with a member `threads` (contactRequests.ts makes it). Contact asks `threadsOf` for
 * it, and does the work itself where there is none. Models do not see this file. Types only: contact imports it, and the
 * implementation imports contact.
 */
import type { ContactPort } from '../model.ts';
import type { ContactSides } from '../port.ts';

/** A port whose bundle is shared among threads. */
export interface ThreadedContactPort extends ContactPort {
  readonly threads: ContactThreads;
}

/** Undefined: the bundle is moved by the caller's thread alone. */
export function threadsOf(port: Partial<ThreadedContactPort> | undefined): ContactThreads | undefined {
  return port?.threads;
}

/** Each member returns undefined (or false) where the work is too little to share: the caller then does it alone. */
export interface ContactThreads {
  /**
   * Zeroed memory of `bytes` bytes for contact sides that all threads see, for work on the marked systems. It belongs to the caller until
   * the same slot, 0 or 1, is asked for again. Layout: contact/solve/sideArrays.ts.
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

/** Loops of the contact solver over the numbers of all sides, by several threads: see contact/solve/vectorLoops.ts. */
export interface SharedLoops {
  /** At least so many bytes that all threads see, until more are asked for. */
  memory(bytes: number): ArrayBufferLike;
  /** Loop `kind` over all blocks of `size` numbers; the rest as of `runLoop`. */
  run(
    kind: number,
    capacity: number,
    window: number,
    size: number,
    count: number,
    slot: number,
    gamma: Float64Array,
  ): void;
  /** The same for the law of contact (contact/solve/lawArrays.ts); returns the largest velocity that an impulse makes. */
  lawMemory(bytes: number): ArrayBufferLike;
  runLaw(contacts: number): number;
  /** And for links (contact/links/loops.ts): loop `kind` over the rows that SharedLinks has memory for; returns the largest of what is found. */
  runLinks(kind: number, capacity: number, window: number, numbers: ArrayLike<number>): number;
  /** For contact/links/coarseBasis.ts: stays as it is until more is asked for. */
  coarseMemory(bytes: number): ArrayBufferLike;
}

/** Rows of links (contact/links/arrays.ts) that threads see. */
export interface SharedLinks {
  readonly memory: ArrayBufferLike;
  /** A loop that does not look at sides; false where no threads took part, and nothing is done. */
  run(kind: number, numbers: ArrayLike<number>): boolean;
}

/** What a scene has that contacts with obstacles are found of. */
export interface SearchCounts {
  readonly rods: number;
  readonly nodes: number;
  readonly edges: number;
  readonly colliders: number;
}

/** What is asked of threads, in numbers of contact/detect/colliderSearch.ts: what, with which collider, in which step, and how deep is too deep [radii]. */
export interface SearchRequest {
  readonly kind: number;
  readonly collider: number;
  readonly t: number;
  readonly dt: number;
  readonly allowed: number;
}

/** Does something with ranges of rods, one after the other. */
export type EachRange = (action: (from: number, to: number) => void) => void;

/** Finding contacts with obstacles by several threads, over ranges of rods: see contact/detect/colliderSearch.ts. */
export interface SharedSearch {
  /** Memory that all threads see. */
  readonly buffer: ArrayBufferLike;
  /** Whether to ask threads about so many nodes. */
  isWorth(nodes: number): boolean;
  /** Has it done for all rods: `own` does it for the ranges that the caller gets, in their order. */
  run(request: SearchRequest, own: (each: EachRange) => void): void;
  /** What the others have found since: where it is, for how many there is room, and how many it is; in the order of the rods. */
  read(action: (buffer: ArrayBufferLike, from: number, capacity: number, count: number) => void): void;
}
