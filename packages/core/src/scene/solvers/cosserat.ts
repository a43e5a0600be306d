/** Options of the model `cosserat`. */
export interface CosseratOptions {
  /** Implicit: `tr-bdf2` (default), `implicit-euler`, `midpoint`. Explicit: `verlet`, which takes as many steps as it must. */
  readonly integrator?: 'tr-bdf2' | 'implicit-euler' | 'midpoint' | 'verlet';
  /**
   * `physical`: shear, stretch and rotary inertia of the rod as it is (default of the implicit integrators).
   * `inflated`: those of a thicker rod, bending, twist and mass as they are (default of `verlet`).
   */
  readonly section?: 'physical' | 'inflated';
  /** Radius of gyration r of the inflated section [m]: GA = EI/r², rotary inertia mass·r². Default length/250. */
  readonly gyration?: number;
  /** Radius of gyration for stretch alone [m]: EA = EI/r². Default: as `gyration`. */
  readonly axialGyration?: number;
  /** Factor k of the shear stiffness k·GA of a physical section. Default 1. */
  readonly shearFactor?: number;
  /** Newton stops below tolerance × force scale. Default 1e-9. */
  readonly tolerance?: number;
  /** Newton iterations before a step counts as failed. Default 25. */
  readonly iterations?: number;
}
