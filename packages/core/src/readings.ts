/** What is read from rods and bodies: energies, momentum, reactions of pins. */

/** [J] */
export interface Energies {
  /** Kinetic energy of translation and rotation [J]. */
  kinetic: number;
  /** Elastic energy of bending [J]. */
  bending: number;
  /** Elastic energy of twist [J]. */
  twisting: number;
  /** Elastic energy of stretch [J]. */
  stretching: number;
  /** Gravity and dead loads. */
  potential: number;
  /** Sum of the others [J]. */
  total: number;
  /** Energy that laws of rods have turned into heat since the start, and that broken edges had; not part of `total`, and absent without such rods. */
  dissipated?: number;
  /** Part of `potential` that no load on nodes shows: of weight that acts beside the axis. Absent without such weight. */
  beside?: number;
}

/** Momentum [kg m/s] and angular momentum about the origin [kg m²/s]; centre of mass [m]; mass [kg]. */
export interface Momentum {
  /** Momentum [kg m/s]. */
  readonly linear: Float64Array;
  /** Angular momentum about the origin [kg m²/s]. */
  readonly angular: Float64Array;
  /** Centre of mass [m]. */
  readonly center: Float64Array;
  /** Mass [kg]. */
  mass: number;
}

/** Reaction of a pin or weld on its rod. */
export interface Reaction {
  /** The rod. */
  readonly rod: string;
  /** Index of the held node. */
  readonly node: number;
  /** Force on the rod in world axes [N]. */
  readonly force: readonly [number, number, number];
  /** Torque on the rod in world axes [N m]. */
  readonly torque: readonly [number, number, number];
  /** Why force and torque are not those of the motion, soon after a jump of velocity; absent if they are. */
  readonly unsettled?: string;
}
