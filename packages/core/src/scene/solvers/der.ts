/** Options of the model `der`. */
export interface DerOptions {
  /**
   * What computes the rods: `standard` (default), all of DER; `batch`, the formulation of batch/ in double precision, for inextensible
   * rods that are held at their first node and touch nothing.
   */
  readonly backend?: 'standard' | 'batch';
  /**
   * Implicit: `tr-bdf2` (default), `bdf2`, `implicit-euler`, `midpoint`.
   * Explicit, the formulation of the 2008 paper: `shake` (keeps the energy), `fast-projection` (as printed).
   */
  readonly integrator?: 'tr-bdf2' | 'bdf2' | 'implicit-euler' | 'midpoint' | 'shake' | 'fast-projection';
  /** `rotation`: rotation vector between frames (default); `bergou2008`: eq. 3 of the paper. */
  readonly strain?: 'rotation' | 'bergou2008';
  /** Twist with its inertia (default), or without. The explicit integrators are always quasistatic. */
  readonly twist?: 'dynamic' | 'quasistatic';
  /** Newton stops below tolerance × force scale. Default 1e-9. */
  readonly tolerance?: number;
  /** Newton iterations before a step counts as failed. Default 25. */
  readonly iterations?: number;
}
