/**
 * The interface of constitutive laws, which models share: from the strain of a section of a rod to moments, tangent stiffness and internal variables.
 *
 * A section is a piece of a rod with one strain: a joint of `der`. Strain and moments are those of the whole piece: rotation vector [rad] between its ends
 * less the natural one, and moments [N m], both along (d1, d2, d3) in the order of the model's stiffness. Internal variables belong to the state: the
 * model saves them. Their values belong to the instant `elapsed` seconds ago and change only in `advance`. `respond` may be called for any number of trial
 * strains, so a failed step has nothing to undo.
 */

/** Outputs of `respond`, by index: moments [N m]. */
export const MOMENT = 0;
/** Tangent stiffness ∂moment/∂strain [N m], symmetric, packed 11 12 13 22 23 33. */
export const TANGENT = 3;
/** Recoverable energy of bending and of twist [J]. */
export const STORED_BEND = 9;
export const STORED_TWIST = 10;
/** Energy turned into heat since the instant of the internal variables [J]; never negative. */
export const DISSIPATED = 11;
export const RESPONSE = 12;

/** One section: the numbers of it that a law needs. */
export interface Section {
  /** Strain less natural strain [rad], 3. */
  readonly strain: Float64Array;
  /** Elastic stiffness over length for each component [N m], 3. */
  readonly stiffness: Float64Array;
  /** [m] */
  length: number;
}

/** A constitutive law of bending and twist. */
export interface SectionLaw {
  /** Internal variables per section. */
  readonly size: number;
  /** True if moments follow from the strain alone: there is an elastic energy, and equilibria and modes have their usual meaning. */
  readonly isElastic: boolean;
  /** True if moments are linear in strain at equilibrium, with the stiffness of the section. */
  readonly isLinearAtRest: boolean;
  /** Factor on the natural strain at time t [s]; it does work on the rod. Absent: 1. */
  naturalFactor?(t: number): number;
  /**
   * Moments, tangent and energies. `variables` from `at`: internal variables, those of `elapsed` seconds ago; Infinity: long ago. All zero: a section
   * that has always been in its natural shape.
   */
  respond(out: Float64Array, section: Section, variables: Float64Array, at: number, elapsed: number): void;
  /** Replaces the internal variables by those after this strain was reached. */
  advance(section: Section, variables: Float64Array, at: number, elapsed: number): void;
}

export function createSection(): Section {
  return { strain: new Float64Array(3), stiffness: new Float64Array(3), length: 1 };
}
