/** Loads and fields in scene files: forces on rods and bodies, wind, force fields. */
import type { Location, Timed, Varying, Vec3 } from './values.ts';

/** On rods; see BodyLoadSpec for bodies. */
export type RodLoadSpec = {
  readonly rod: string;
  /** `world`: keeps its direction (dead); `material`: components along d1, d2, d3, turns with the rod (follower). */
  readonly frame?: 'world' | 'material';
  readonly factor?: Timed;
} & (
  | { readonly type: 'force'; readonly at: Location; readonly force: Vec3 }
  | { readonly type: 'torque'; readonly at: Location; readonly torque: Vec3 }
  /** Force per rest length [N/m] over u in [from, to]. */
  | { readonly type: 'distributed'; readonly force: Vec3; readonly from?: number; readonly to?: number }
);

/** Velocity of the air. */
export interface WindSpec {
  /** Velocity [m/s]; it also transports the turbulence. Default none. */
  readonly mean?: Vec3;
  /** Changes of the speed in time. */
  readonly gust?: GustSpec;
  /** Vortices in the air. */
  readonly vortices?: readonly VortexSpec[];
  /** Random velocities without divergence. */
  readonly turbulence?: TurbulenceSpec;
  /** Velocities on a grid. */
  readonly grid?: SampledWindSpec;
}

/** Velocities on a regular grid, at one instant or at several; trilinear between the grid points. */
export interface SampledWindSpec {
  /** The first grid point [m]. */
  readonly origin: Vec3;
  /** Between grid points [m]: the same along all axes, or along x, y and z. */
  readonly spacing: number | Vec3;
  /** Grid points along x, y and z. Along an axis with one point the wind is constant. */
  readonly count: Vec3;
  /** Instants of the frames [s], increasing; or `every`, starting at `from` (default 0). Absent: one frame, a steady wind. */
  readonly times?: readonly number[] | { readonly from?: number; readonly every: number };
  /** Outside the grid: `still` air, reached within one spacing, or the velocity of the `nearest` point of the grid. */
  readonly outside: 'still' | 'nearest';
  /** Between frames: `linear` (default), or `smooth`, with a continuous rate. The first and last frame extend to all earlier and later times. */
  readonly interpolation?: 'linear' | 'smooth';
  /** Velocities [m/s], three components per point: x fastest, then y, then z, then time. */
  readonly values: readonly number[] | PackedNumbers;
}

/** Many numbers as base64 of their bytes, little endian. */
export type PackedNumbers = { readonly float32: string } | { readonly float64: string };

/** The mean wind times 1 + amplitude·g(t), with g smooth, without a period, between −1 and 1, and 0 at t = 0. */
export interface GustSpec {
  /** Relative to the mean. */
  readonly amplitude: number;
  /** Period of the slowest swing [s]. */
  readonly period: number;
}

/** A straight vortex with a smooth core (Lamb–Oseen): at distance r it turns with Γ/(2πr)·(1 − exp(−r²/core²)). */
export interface VortexSpec {
  /** A point on the axis at t = 0 [m]. */
  readonly center: Vec3;
  /** It turns about this direction by the right-hand rule. */
  readonly axis: Vec3;
  /** Γ [m²/s]. */
  readonly circulation: number;
  /** [m] */
  readonly core: number;
  /** Velocity of the axis [m/s]. Default 0. */
  readonly velocity?: Vec3;
}

/** Random eddies without divergence. */
export interface TurbulenceSpec {
  /** Root mean square of the speed [m/s]. */
  readonly intensity: number;
  /** Size of the largest eddies [m]. */
  readonly length: number;
  /** Each adds eddies of half the size. 1 to 6, default 3. */
  readonly octaves?: number;
  /** Seed of the random eddies, a whole number. Default 0. */
  readonly seed?: number;
  /** In which the largest eddies change [s]. Default length/intensity. */
  readonly time?: number;
}

/** On bodies: keeps its direction; a force acts at the centre of mass. */
export type BodyLoadSpec = {
  readonly body: string;
  readonly factor?: Timed;
} & ({ readonly type: 'body-force'; readonly force: Vec3 } | { readonly type: 'body-torque'; readonly torque: Vec3 });

/** A force or torque on a rod or body. */
export type LoadSpec = RodLoadSpec | BodyLoadSpec;

/** Air or a force field. */
export type FieldSpec = {
  /** Rods it acts on; default all. */
  readonly rods?: readonly string[];
  readonly factor?: Timed;
  /** Factor on the field along the rod; default 1. */
  readonly weight?: Varying;
} /** Air that resists motion relative to the wind, normal and tangential to the rod. */ & (
  | {
      readonly type: 'air';
      /** Velocity [m/s], or three expressions in x, y, z, t, or parts that add up. */
      readonly wind?: Vec3 | readonly [string, string, string] | WindSpec;
      /** Viscous drag per length [N s/m²]: normal, tangential. */
      readonly linear?: readonly [number, number];
      /** Drag ½·density·coefficient·diameter·|v|v per length. */
      readonly quadratic?: { readonly density: number; readonly normal: number; readonly tangential?: number };
    }
  /** Force per mass [m/s²] or per length [N/m]: three expressions in x, y, z, t, u. */
  | { readonly type: 'force'; readonly per: 'mass' | 'length'; readonly formula: readonly [string, string, string] }
);
