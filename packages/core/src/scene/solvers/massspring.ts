/** Options of the model `massspring`. */
export interface MassSpringOptions {
  /** Where in a step springs are evaluated: 0.5 (default, second order) to 1 (dissipates, never fails). */
  readonly theta?: number;
  /** Damping time c of all springs [s], beside the rod's own stiffness damping. Default 1e-4. */
  readonly damping?: number;
  /** Stiffness of altitude springs relative to edge springs. Default 0.02; 0: none. */
  readonly altitude?: number;
  /** Stiffness of the springs that resist stretch relative to edge springs. Default: as EA asks, within 100 and 1000. */
  readonly stretch?: number;
  /** Edges of the chain are kept within 1 ± this of their rest length. Default 0: not at all; 0.1 with the published step. */
  readonly strainLimit?: number;
  /** At most so many solves a step until energy balances. Default 30; 0: the published two, which do not balance it. */
  readonly iterations?: number;
}
