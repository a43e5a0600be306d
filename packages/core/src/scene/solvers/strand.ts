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
}
