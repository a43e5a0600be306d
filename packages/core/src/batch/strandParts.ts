/** Data of a strand of the reference besides its state: air around it, contact with obstacles and with other strands. */
import type { Vector } from './algebra.ts';
import type { Contact, Obstacle } from './obstacles.ts';
import type { EdgeName, PairWeight, Partner } from './pairs.ts';
import type { Strand } from './strand.ts';

/** Uniform air around a strand. */
export interface StrandAir {
  /** As in AirDrag, 4 per edge. */
  readonly coefficients: Float64Array;
  /** Current wind [m/s], and the factor of the drag; 0 if the loads include the drag. */
  wind: Vector;
  factor: number;
}

/** Data of the merged contact solver for a strand. */
export interface MergedContact {
  obstacles: readonly Obstacle[];
  /** Rows of all distance fields: distance [m] and normal. */
  readonly fields: Float32Array;
  /** For each edge: three per obstacle, then PAIR_SLOTS if strands may touch strands. */
  readonly contacts: Contact[][];
  /** Contact radius of every edge [m]. */
  readonly radius: ArrayLike<number>;
  /** For each obstacle: number of edges, counted from the root, that do not touch it. */
  readonly spared: ArrayLike<number>;
  /** Position of the first node at the start of the step [m]. */
  origin: Vector;
  /** Present if strands may touch strands. */
  pairs?: StrandPairs;
}

/** Data of contact between strands for one strand. */
export interface StrandPairs {
  readonly index: number;
  /** All strands that may touch. */
  readonly all: readonly Strand[];
  readonly friction: number;
  /** Contact radius of every edge [m]. */
  readonly radius: ArrayLike<number>;
  /** By edge and slot. */
  readonly partners: Partner[][];
  readonly weights: PairWeight[][];
  /** By edge, nearest first. */
  candidates: readonly (readonly EdgeName[])[];
  /** Positions of nodes at the start of the step, and their predicted displacements over it [m]. */
  readonly positions: Float64Array;
  readonly predicted: Float64Array;
}
