/** The kernel's functions and memory, and the work space that pairs of rods share there. */

import type { Loads } from '../port.ts';
import type { Layout } from './layout.ts';

export interface Exports {
  readonly outcomeAddress: () => number;
  readonly solvePair: (
    block: number,
    inertia: number,
    rate: number,
    tolerance: number,
    iterations: number,
    rotation: number,
    firstShift: number,
  ) => number;
  readonly beginStep: (block: number) => number;
  readonly stagePair: (
    block: number,
    kind: number,
    h: number,
    first: number,
    second: number,
    tolerance: number,
    iterations: number,
    rotation: number,
  ) => number;
  readonly contactOutcomeAddress: () => number;
  readonly stepPairInContact: (
    block: number,
    h: number,
    fresh: number,
    firstWaits: number,
    secondWaits: number,
    count: number,
    speed: number,
    precision: number,
    limit: number,
    tolerance: number,
    rotation: number,
  ) => number;
}

/** Work space of the pairs of one layout. */
export interface Shared extends Layout {
  /** Loads of either rod while they do not look at it. */
  readonly loads: readonly [Loads, Loads];
  /** Which pins hold, a bit each, where the lists of what is prescribed and acts are written; −1: they are not. */
  pattern: number;
  /** Prescribed unknowns. */
  fixed: number;
}

/** The memory of all pairs of a bundle, and what the kernel calls back. */
export interface KernelMemory {
  readonly exports: Exports;
  readonly doubles: Float64Array;
  readonly bytes: Uint8Array;
  readonly integers: Int32Array;
  /** One view of each buffer that rods have their arrays in: views of their own are too many to stay in the cache. */
  readonly wholeOf: (list: Float64Array) => Float64Array;
  /** Loads of the pair at work, where they look at the rods. */
  ask: () => void;
}
