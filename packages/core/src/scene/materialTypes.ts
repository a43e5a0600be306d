/** Materials and laws of bending and twist, as a scene gives them. */
import type { Timed, Varying } from './values.ts';

/** Elastic moduli, density and damping. */
export interface MaterialSpec {
  /** Young's modulus [Pa]. */
  readonly E: Varying;
  /** Shear modulus [Pa]; or give Poisson's ratio `nu`: one of the two. */
  readonly G?: Varying;
  /** Poisson's ratio, in place of `G`. */
  readonly nu?: Varying;
  /** [kg/m³] */
  readonly density: Varying;
  /** Damping; default none. */
  readonly damping?: DampingSpec;
}

/** Rayleigh damping: force = −(mass·M + stiffness·K) v, the second as viscous strain rate (Kelvin–Voigt). */
export interface DampingSpec {
  /** [1/s] */
  readonly mass?: Varying;
  /** [s] */
  readonly stiffness?: Varying;
}

/** Loads at which a rod breaks: as soon as one of them is reached, the edge there is cut. */
export interface BreakSpec {
  /** Tension [N]. */
  readonly tension?: Varying;
  /** Bending moment about any axis [N m]. */
  readonly moment?: Varying;
}

/** Law by which moments follow from strain, in place of linear elasticity. */
export type LawSpec = ViscoelasticSpec | ElastoplasticSpec | TableSpec | DahlSpec | GrowthSpec;

/**
 * Generalised Maxwell solid: a stiffness K that relaxes as K·(1 + Σ ratio·exp(−t/time)). The section gives the K of long times.
 */
export interface ViscoelasticSpec {
  /** Kind of law. */
  readonly type: 'viscoelastic';
  /** Prony series: stiffness relative to that of long times, and relaxation time [s]. */
  readonly terms: readonly { readonly ratio: number; readonly time: number }[];
}

/** Bending and twist that yield: linear elastic up to a yield moment, then linear kinematic hardening. */
export interface ElastoplasticSpec {
  /** Kind of law. */
  readonly type: 'elastoplastic';
  /** Moments [N m] at which the section yields: of bending about any axis, and of twist (default: twist does not yield). */
  readonly yield: { readonly bending: number; readonly twist?: number };
  /** Stiffness beyond the yield moment relative to the elastic one, from 0 to below 1; default 0: perfectly plastic. */
  readonly hardening?: number;
  /** Bingham: the moment above the yield moment relaxes with this time [s]; default 0: plastic strain does not depend on speed. */
  readonly time?: number;
}

/** Nonlinear elastic bending: moment by curvature, linear between points and odd. Twist stays linear. */
export interface TableSpec {
  /** Kind of law. */
  readonly type: 'table';
  /** Curvature [1/m] and moment [N m] of points, by growing positive curvature; the first piece starts at 0, 0. */
  readonly moments: readonly (readonly [number, number])[];
  /** Axis of the section to which the table applies; default `all`: any axis. */
  readonly axis?: 'all' | 'd1' | 'd2';
}

/** Linear elastic bending and twist with internal friction after Dahl: hysteresis that does not depend on speed. */
export interface DahlSpec {
  /** Kind of law. */
  readonly type: 'dahl';
  /** Largest moments of friction [N m]: of bending in any direction, and of twist (default: none). */
  readonly limit: { readonly bending: number; readonly twist?: number };
  /** Initial stiffness of the friction, relative to the elastic stiffness. */
  readonly stiffness: number;
}

/** Linear elastic, with natural curvature and twist that change in time: growth, shape memory, bimetal. */
export interface GrowthSpec {
  /** Kind of law. */
  readonly type: 'growth';
  /** Factor on the natural curvature and twist. */
  readonly factor: Timed;
}
