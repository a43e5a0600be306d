/** Types of values that occur throughout a scene: vectors, places on a rod, quantities that vary along it or in time. */

export type Vec3 = readonly [number, number, number];

/** A quantity along a rod; u = s/L runs from 0 to 1 over the rest length. */
export type Varying =
  | number
  /** [u, value] pairs with increasing u; linear between them, constant outside. Two equal u make a jump. */
  | { readonly along: readonly (readonly [number, number])[] }
  /** Expression in `u` (0…1), `s` (metres) and `L` (metres). */
  | { readonly formula: string };

/** A factor in time. */
export type Timed =
  | number
  /** [time, value] pairs; see `interpolation`. Constant outside. */
  | { readonly keys: readonly (readonly [number, number])[]; readonly interpolation?: Interpolation }
  /** Expression in `t` (seconds). */
  | { readonly formula: string };

/** A property of a rod that can change in time. */
export type AnimatedField =
  | 'E'
  | 'G'
  | 'curvature'
  | 'length'
  | 'density'
  | 'radius'
  | 'massDamping'
  | 'stiffnessDamping'
  | 'friction';

/** `smooth`: C2 cubic spline that rests at both ends; `linear`; `step`: holds the last key. */
export type Interpolation = 'smooth' | 'linear' | 'step';

/** A place on a rod: an end, a node index, or a fraction u or length s from the start. */
export type Location = 'start' | 'end' | { readonly node: number } | { readonly u: number } | { readonly s: number };

/** Motion along keys. */
export interface PathSpec {
  /** How values between keys are computed. Default `smooth`. */
  readonly interpolation?: Interpolation;
  /** Keys, in ascending time [s]. */
  readonly keys: readonly {
    readonly time: number;
    /** Displacement [m]. */
    readonly offset?: Vec3;
    /** Rotation vector [rad] in world axes; not reduced, so several turns are several turns. */
    readonly rotation?: Vec3;
    /** Angle about the tangent [rad], on top of `rotation`. */
    readonly twist?: number;
  }[];
}
