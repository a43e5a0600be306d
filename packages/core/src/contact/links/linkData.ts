/** Types of links: the records that all files of this folder work on. */
import type { LinkPlan } from '../../scene/links.ts';
import type { SharedLinks, SharedLoops } from '../../threads/contactThreads.ts';
import type { LinkRows } from './arrays.ts';
import type { CoarseRows } from './coarseBasis.ts';
import type { Positions } from './positions.ts';

export interface Link {
  readonly index: number;
  readonly plan: LinkPlan;
  readonly rows: number;
  /** Sides of an end: 1, 2 or 3; the second end of a link to a point has none. */
  readonly perEnd: number;
  readonly sideCount: number;
  /** Place of its first side among those of all links that are no crossings. */
  readonly firstSide: number;
  /** The carried points in the frames of the edges (d1, d2, t) [m]. */
  readonly offsetA: Float64Array;
  readonly offsetB: Float64Array;
  /** The fixed point, rest vector included. */
  readonly point: Float64Array;
  /** R_Bᵀ R_A at rest, by rows; for a point R_A itself. */
  readonly turnRest: Float64Array;
  /** Angle between the tangents at rest. */
  readonly angleRest: number;
  /** C by rows and sides, 3 each; written at the start of a step. */
  readonly coefficient: Float64Array;
  /** [m] and [rad] */
  readonly strain: Float64Array;
  /** What the law gives [N s] and [N m s], and the same at the last linearisation. */
  readonly impulse: Float64Array;
  readonly impulseStart: Float64Array;
  /** Cholesky factor of the local law. */
  readonly factor: Float64Array;
}

/** Links that belong together. */
export interface LinkSet {
  readonly count: number;
  /** Crossings by their number among all of the scene, and all others. */
  readonly crossings: Int32Array;
  readonly others: readonly Link[];
  /** Rods of the scene that they hold. */
  readonly rods: Int32Array;
}

export interface Links {
  readonly count: number;
  readonly plans: readonly LinkPlan[];
  /** All of them as objects, made when first asked for: the solver knows crossings by their rows alone. */
  readonly list: readonly Link[];
  readonly every: LinkSet;
  readonly rows: LinkRows;
  /** Those that the rows are about, see selectLinks. */
  selected: LinkSet | undefined;
  /** Threads that see the rows. */
  readonly shared: SharedLinks | undefined;
  /** Where crossings find their nodes. */
  readonly position: Positions;
  /** Links of each rod of the scene, and the part of its mass that each of them has to itself [kg]. */
  readonly perRod: Int32Array;
  readonly share: Float64Array;
  /** First of each rod's sides in the rows; and the number of all. */
  readonly entryOfRod: Int32Array;
  /** The shortest edge that is linked [m]; 0 without links. */
  readonly size: number;
  /** Velocity that unit spin gives, 3 a side of those that are no crossings; written at the start of a step. */
  readonly sideArm: Float64Array;
  /**
   * Of the last step: forces [N] and torques [N m], which the next one starts from, and strains as the law has them, MOST_ROWS a
   * link each. Energies go by these strains: those measured carry the solver's tolerance, and ½ k e² of a stiff spring much of it.
   */
  readonly memory: Float64Array;
  /** Of those that were last in need of it. */
  readonly coarse: { last?: Coarse };
}

/** The links of a group of contacts, and what the solver knows of them. */
export interface LinkGroup {
  readonly set: LinkSet;
  /** All links of the scene. */
  readonly all: Links;
  /** By rod of the scene; see countJoined. */
  readonly joined: Float64Array;
  /** Of all rods together, 3 × 3; see drift.ts. */
  readonly whole: Float64Array;
  readonly rows: LinkRows;
  /** Threads that see the rows and the sides. */
  readonly shared: SharedLoops | undefined;
  /** Length of the step [s]. */
  dt: number;
  /** Where it took long: see coarse.ts. */
  coarse?: Coarse;
  /** Whether the copies are a guess to start from: velocities of the sides under the forces of the last step. */
  guessed: boolean;
}

/** What is made of the links once, and of K now and then. */
export interface Coarse {
  readonly rows: CoarseRows;
  /** The links that it was made for. */
  readonly set: LinkSet;
  /** Factors of K, of three numbers a corner. */
  readonly factor: Float64Array;
  /** Pᵀ ρ P with the sums of its rows on the diagonal. */
  readonly lumped: Float64Array;
  readonly pull: Float64Array;
  readonly step: Float64Array;
}
