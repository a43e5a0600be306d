import type { Location, PathSpec, Timed, Varying, Vec3 } from '../values.ts';

/** Options of the model `strand`. */
export interface StrandOptions {
  /** Backward differences of order 2 (`bdf2`, default) or 1 (`bdf1`). */
  readonly integrator?: 'bdf2' | 'bdf1';
  /**
   * Largest error of a joint in a step [rad]: steps are then cut and stretched inside a step of the world. Default: steps
   * as they are given.
   */
  readonly tolerance?: number;
  /** Newton stops when no joint turns by more [rad]. Default 1e-8. */
  readonly accuracy?: number;
  /** Newton iterations before a step counts as failed. Default 40. */
  readonly iterations?: number;
  /** Newton's matrix: `exact` (default), or `numeric`, by differences: slower, but knows how any load changes. */
  readonly jacobian?: 'exact' | 'numeric';
  /** Law of the joints: `gibbs` (default), `swing-twist` (round sections), `paper` (has no potential). */
  readonly stiffness?: 'gibbs' | 'swing-twist' | 'paper';
  /** What an animator asks of strands. */
  readonly direct?: readonly StrandDirection[];
  /** Joints that are limited, or held to a value. */
  readonly joints?: readonly StrandJoint[];
  /** How the forces of limits are found: `gauss-seidel` (default), or `sor`, after the paper. */
  readonly lcp?: 'gauss-seidel' | 'sor';
}

/** Direction of strands; `rods` names those without a parent, default all of the model. */
export interface StrandDirection {
  readonly rods?: readonly string[];
  /** β: share of the base's velocity and acceleration that strands feel; 1 is physics. */
  readonly timeScale?: Timed;
  /** γ: share of a reference frame's motion that is taken off the base's before that. */
  readonly local?: {
    readonly amount: Timed;
    /** A point of the frame at t = 0 [m], about which the path turns. */
    readonly position: Vec3;
    readonly path: PathSpec;
  };
  /** Springs that pull every node to an animated pose. */
  readonly pose?: {
    /** Spring and damper per mass [1/s²], [1/s]; times `factor` in time. */
    readonly strength: Varying;
    readonly damping?: Varying;
    readonly factor?: Timed;
    /** Curvature and twist rate (u1, u2, u3) about d1, d2, d3 [1/m] in time, or `initial`. */
    readonly keys: readonly {
      readonly time: number;
      readonly curvature: 'initial' | readonly [Varying, Varying, Varying];
    }[];
  };
}

/** The joint at a node. Angles are those from the natural shape. */
export interface StrandJoint {
  readonly rod: string;
  readonly at: Location;
  /** Largest bend [rad]. */
  readonly bend?: number;
  /** Least and largest twist [rad]. */
  readonly twist?: readonly [number, number];
  /** Rotation vector about d1, d2, d3 [rad] that the joint is held to, times a factor in time. */
  readonly hold?: { readonly rotation: Vec3; readonly factor?: Timed };
}
