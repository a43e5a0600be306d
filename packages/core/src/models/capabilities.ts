/**
 * Capabilities of a model. The world and the scene's checks use these flags, never a model's id; the table in docs/README.md is generated from them.
 */
import type { AnimatedField } from '../scene/values.ts';

/** What a model can simulate. */
export interface Capabilities {
  /** Rods whose last node is joined to the first. */
  readonly closed: boolean;
  /** Cross-sections that bend more easily about one axis than about the other. */
  readonly anisotropic: boolean;
  /** Rods of fixed length. */
  readonly inextensible: boolean;
  /** Cross-sections that shear. */
  readonly shear: boolean;
  /** Fields of `animate` that it supports: properties that change in time. */
  readonly animated: readonly AnimatedField[];
  /** `statics.parameter` may change the rods themselves: stiffness, length, natural shape. */
  readonly changingRods: boolean;
  /** `law`: moments that are not linear elastic. */
  readonly laws: boolean;
  /** `break`: rods that break. */
  readonly breaking: boolean;
  /** Bodies that are welded to rods. */
  readonly bodies: boolean;
  /** Pins that hold a hinge. */
  readonly hinges: boolean;
  /** Rods that grow from other rods. */
  readonly branches: boolean;
  /** `natural: equilibrium`: finds the natural shape for which the initial one is in equilibrium. */
  readonly naturalEquilibrium: boolean;
  /** Contact with obstacles and rods, and links in motion. */
  readonly contact: boolean;
  /** Equations of a rod at rest for others to solve (`Bundle.atRest`): equilibria, modes and matrices with links of any kind. */
  readonly linkedEquilibria: boolean;
  /** Pins out of reach are accepted: their constraints are violated, and every step reports by how much. */
  readonly softPins: boolean;
  /** Equilibria cannot count the turns of a clamp: the world inserts equilibria in between while clamps turn (world/pinTurns.ts). Not in the table. */
  readonly needsTurnStops: boolean;
}
