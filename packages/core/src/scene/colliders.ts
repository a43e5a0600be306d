/** Contact in a scene: obstacles, and the options for contact with them and between rods. */
import type { PathSpec, Timed, Vec3 } from './values.ts';

/** Coulomb friction: one coefficient, or a static and a lower dynamic one, times a factor in time. */
export type FrictionSpec = number | { readonly static: number; readonly dynamic: number; readonly factor?: Timed };

/** An obstacle: at `position`, rotated by `rotation`, moved by a path, or attached to a body. */
export type ColliderSpec = {
  /** Default: 'collider' and its number. */
  readonly id?: string;
  /** Position of the shape's origin [m]; in body axes if it is attached to a body. Default 0. */
  readonly position?: Vec3;
  /** Rotation vector [rad], likewise. Default none. */
  readonly rotation?: Vec3;
  /** Motion relative to that pose, about its pivot. */
  readonly path?: PathSpec;
  /** Point that rotations of the path turn about [m]. Default: `position`. */
  readonly pivot?: Vec3;
  /** The body to which it is attached; contact forces act on the body. */
  readonly body?: string;
  /** Rods it acts on; default all. */
  readonly rods?: readonly string[];
  /** Default 0. */
  readonly friction?: FrictionSpec;
  /** Speed after an impact over the speed before, 0 (default) to 1. */
  readonly restitution?: number;
  /** The space outside is solid, and rods are kept inside. */
  readonly hollow?: boolean;
  /** In pictures, such as `#d8ab8b`. */
  readonly color?: string;
} & ColliderShape;

/** Shape of a collider. */
export type ColliderShape =
  /** Half space below the plane through the origin. */
  | { readonly type: 'plane'; readonly normal?: Vec3 }
  | { readonly type: 'sphere'; readonly radius: number }
  /** Radii along x, y and z, about the origin. */
  | { readonly type: 'ellipsoid'; readonly radii: Vec3 }
  /** All points within `radius` of the line from `from` to `to`. */
  | { readonly type: 'capsule'; readonly from: Vec3; readonly to: Vec3; readonly radius: number }
  /** A ring about the z axis: all points within `radius` of a circle of radius `ring`. */
  | { readonly type: 'torus'; readonly ring: number; readonly radius: number }
  /** Edge lengths, about the origin; `rounding` is the radius of its edges, within the size. */
  | { readonly type: 'box'; readonly size: Vec3; readonly rounding?: number }
  /** Faces wind counter-clockwise seen from outside. */
  | {
      readonly type: 'mesh';
      readonly vertices: readonly Vec3[];
      /** Indices of three or more vertices each. */
      readonly faces: readonly (readonly number[])[];
      /** True (default): closed, with an inside. False: a surface with which rods collide on both sides. */
      readonly solid?: boolean;
      /** Vertices in time, for a mesh that deforms. */
      readonly deform?: readonly { readonly time: number; readonly vertices: readonly Vec3[] }[];
      /** Blend shapes, for a mesh that deforms in few ways: in time, weighted displacements are added to `vertices`. Instead of `deform`. */
      readonly blend?: BlendSpec;
      /** Between the keys of `deform` or `blend`: `linear` (default), or `smooth`, with continuous accelerations as in a path. */
      readonly interpolation?: 'linear' | 'smooth';
    }
  /** Expression in x, y, z (its own axes) and t: negative inside. */
  | { readonly type: 'formula'; readonly formula: string }
  /** Signed distances [m] on a grid, x fastest; linear between. */
  | {
      readonly type: 'grid';
      readonly origin: Vec3;
      /** Between grid points [m]. */
      readonly spacing: number;
      /** Grid points along x, y, z. */
      readonly count: Vec3;
      readonly values: readonly number[];
    };

/** Blend shapes and their weights in time. */
export interface BlendSpec {
  /** Displacements of all vertices at weight 1 [m]. */
  readonly shapes: readonly (readonly Vec3[])[];
  /** A weight per shape. */
  readonly keys: readonly { readonly time: number; readonly weights: readonly number[] }[];
}

/** Options of contact. If present, rods also touch each other; obstacles act without it. */
export interface ContactSpec {
  /** How rods touch rods; default `pairs`. */
  readonly between?: 'pairs' | 'continuum' | 'none';
  /** True if a rod collides with itself. Default true. */
  readonly self?: boolean;
  /** Between rods; default 0. */
  readonly friction?: FrictionSpec;
  /** Contact radius between rods [m]; default: that of their section. */
  readonly radius?: number;
  /** True if friction turns a rod about its own axis. Default false. */
  readonly rolling?: boolean;
  /** Default `admm`. */
  readonly solver?: 'admm' | 'gauss-seidel' | 'impulses' | 'repulsion';
  /** Largest number of iterations per round. Default 1000; only then are steps that do not converge halved. */
  readonly iterations?: number;
  /** Largest error of a contact's velocity, relative to the velocity that gravity or the motion causes in a step. Default 1e-4. */
  readonly tolerance?: number;
  /** True if paths are checked for crossings within a step. Default true. */
  readonly continuous?: boolean;
  /** For `repulsion`: stiffness [N/m], reach [m]. */
  readonly repulsion?: { readonly stiffness: number; readonly reach: number };
  /** For `continuum`: cell [m], volume fraction or density at which hair resists, time of averaging [s]. */
  readonly continuum?: ContinuumSpec;
}

/** Dense hair as a mass on a grid. */
export interface ContinuumSpec {
  /** Edge of a cell [m]. */
  readonly cell: number;
  /** Mass per volume beyond which hair resists being pressed together [kg/m³]; default: twice the density at the start. */
  readonly density?: number;
  /** Time in which the velocities of neighbouring cells become equal [s]. Default 0.02. */
  readonly relaxation?: number;
}
