/** What a strand of the reference keeps besides its own state: air around it, contact with obstacles and with other strands. */
import type { Vector } from './algebra.ts';
import type { Contact, Obstacle } from './obstacles.ts';
import type { EdgeName, PairWeight, Partner } from './pairs.ts';
import type { Strand } from './strand.ts';

/** Air around a strand that is the same everywhere. */
export interface StrandAir {
  /** As in AirDrag, 4 per edge. */
  readonly coefficients: Float64Array;
  /** Now: wind [m/s], and the factor of the drag; 0 where the loads have it. */
  wind: Vector;
  factor: number;
}

/** What the merged contact solver keeps of a strand. */
export interface MergedContact {
  obstacles: readonly Obstacle[];
  /** Rows of all distance fields: distance [m] and normal. */
  readonly fields: Float32Array;
  /** By edge, three for each obstacle, then PAIR_SLOTS where strands meet strands. */
  readonly contacts: Contact[][];
  /** Contact radius of every edge [m]. */
  readonly radius: ArrayLike<number>;
  /** Edges from the first on that an obstacle leaves alone, by obstacle. */
  readonly spared: ArrayLike<number>;
  /** Position of the first node at the start of the step [m]. */
  origin: Vector;
  /** Where strands meet strands. */
  pairs?: StrandPairs;
}

/** What contact between strands keeps of a strand. */
export interface StrandPairs {
  readonly index: number;
  /** All strands that may meet. */
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
