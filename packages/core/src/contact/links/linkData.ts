/** Types of links: the records that all files of this folder use. */
import type { LinkPlan } from '../../scene/links.ts';
import type { SharedLinks, SharedLoops } from '../../threads/contactThreads.ts';
import type { LinkRows } from './arrays.ts';
import type { CoarseRows } from './coarseBasis.ts';
import type { Positions } from './positions.ts';

export interface Link {
  readonly index: number;
  readonly plan: LinkPlan;
  readonly rows: number;
  /** Sides per end: 1, 2 or 3; the second end of a link to a fixed point has none. */
  readonly perEnd: number;
  readonly sideCount: number;
  /** Index of its first side among those of all links that are not crossings. */
  readonly firstSide: number;
  /** The attached points in the frames of the edges (d1, d2, t) [m]. */
  readonly offsetA: Float64Array;
  readonly offsetB: Float64Array;
  /** The fixed point, including the rest vector. */
  readonly point: Float64Array;
  /** R_Bᵀ R_A at rest, row by row; for a fixed point R_A itself. */
  readonly turnRest: Float64Array;
  /** Angle between the tangents at rest. */
  readonly angleRest: number;
  /** C by rows and sides, 3 numbers each; written at the start of a step. */
  readonly coefficient: Float64Array;
  /** [m] and [rad] */
  readonly strain: Float64Array;
  /** Impulses from the law [N s] and [N m s], and those of the last linearization. */
  readonly impulse: Float64Array;
  readonly impulseStart: Float64Array;
  /** Cholesky factor of the local law. */
  readonly factor: Float64Array;
  /** 1 if it has broken, one number. */
  readonly broken: Float64Array;
}

/** A group of links. */
export interface LinkSet {
  readonly count: number;
  /** Crossings by their index among all of the scene, and all other links. */
  readonly crossings: Int32Array;
  readonly others: readonly Link[];
  /** Rods of the scene that they join. */
  readonly rods: Int32Array;
}

export interface Links {
  readonly count: number;
  readonly plans: readonly LinkPlan[];
  /** All links as objects, created on first use: the solver needs only the rows of crossings. */
  readonly list: readonly Link[];
  readonly every: LinkSet;
  readonly rows: LinkRows;
  /** The group that the rows describe, see selectLinks. */
  selected: LinkSet | undefined;
  /** Threads that share the rows. */
  readonly shared: SharedLinks | undefined;
  /** Positions that crossings index. */
  readonly position: Positions;
  /** Links of each rod of the scene, and the mass per link [kg]. */
  readonly perRod: Int32Array;
  readonly share: Float64Array;
  /** First of each rod's sides in the rows; and the total number. */
  readonly entryOfRod: Int32Array;
  /** The shortest linked edge [m]; 0 without links. */
  readonly size: number;
  /** Velocity from a unit spin, 3 numbers per side of links that are not crossings; written at the start of a step. */
  readonly sideArm: Float64Array;
  /**
   * Results of the last step: forces [N] and torques [N m], the warm start of the next one, and strains by the law, MOST_ROWS numbers per link each.
   * Energies use these strains: measured strains include the solver's tolerance, which dominates ½ k e² of a stiff spring.
   */
  readonly memory: Float64Array;
  /** 1 for each link that has broken, then the energy that they had [J]; part of the saved state if links can break. */
  readonly broken: Float64Array;
  /** Coarse correction of the group that last needed it. */
  readonly coarse: { last?: Coarse };
}

/** The links of an island, and the solver's data on them. */
export interface LinkGroup {
  readonly set: LinkSet;
  /** All links of the scene. */
  readonly all: Links;
  /** By rod of the scene; see countJoined. */
  readonly joined: Float64Array;
  /** Inverse for all rods together, 3 × 3; see drift.ts. */
  readonly whole: Float64Array;
  readonly rows: LinkRows;
  /** Threads that share the rows and the sides. */
  readonly shared: SharedLoops | undefined;
  /** Length of the step [s]. */
  dt: number;
  /** Set if the solver took many iterations: see coarse.ts. */
  coarse?: Coarse;
  /** True if the copies are an initial guess: velocities of the sides under the forces of the last step. */
  guessed: boolean;
}

/** Cells of the links, computed once, and K, recomputed when needed. */
export interface Coarse {
  readonly rows: CoarseRows;
  /** The links that it was computed for. */
  readonly set: LinkSet;
  /** Factors of K, three numbers per corner. */
  readonly factor: Float64Array;
  /** Pᵀ ρ P with its row sums on the diagonal. */
  readonly lumped: Float64Array;
  readonly pull: Float64Array;
  readonly step: Float64Array;
}
