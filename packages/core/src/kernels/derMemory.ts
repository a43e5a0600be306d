/** The kernel's functions and memory, and the work space that pairs of rods share. */

import type { Loads } from '../port.ts';
import type { PairLayout } from './layout.ts';

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
    span: number,
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

/** Work space of all pairs with the same layout. */
export interface Shared extends PairLayout {
  /** Loads of either rod, if they do not depend on its state. */
  readonly loads: readonly [Loads, Loads];
  /** Active pins, one bit each, for which the lists of prescribed and acting terms are written; −1: none. */
  pattern: number;
  /** Prescribed unknowns. */
  fixed: number;
}

/** Memory of all pairs of a bundle, and the kernel's callbacks. */
export interface KernelMemory {
  readonly exports: Exports;
  readonly doubles: Float64Array;
  readonly bytes: Uint8Array;
  readonly integers: Int32Array;
  /** One view per buffer that holds arrays of rods: a view per array would not fit in the cache. */
  readonly wholeOf: (list: Float64Array) => Float64Array;
  /** Loads of the current pair, if they depend on the rods. */
  ask: () => void;
}
