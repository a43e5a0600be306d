/** Rigid bodies of a scene: the bodies themselves, the rods welded to them, and an engine that moves them. All numbers are SI. */
import type { Location, PathSpec, Vec3 } from './values.ts';

/** A rigid body that rods are welded to. */
export interface BodySpec {
  /** Name for welds and results. */
  readonly id: string;
  /** [kg]; 0 makes a junction: rods that meet without a body between them. */
  readonly mass?: number;
  /** Moments of inertia about the centre of mass in body axes [kg m²]: xx yy zz, or xx yy zz xy xz yz. */
  readonly inertia?: readonly number[];
  /** Mass and inertia from a homogeneous solid, in place of the two above; along the body's axes. */
  readonly solid?: SolidSpec;
  /** Centre of mass at the start [m]. */
  readonly position: Vec3;
  /** Orientation at the start: rotation vector from world to body axes [rad]. */
  readonly rotation?: Vec3;
  /** Velocity at the start [m/s], [rad/s], world axes; default at rest. */
  readonly velocity?: { readonly linear?: Vec3; readonly angular?: Vec3 };
  /** World axes along and about which it may move; default all. A guided body names few. */
  readonly free?: { readonly translation?: readonly Axis[]; readonly rotation?: readonly Axis[] };
  /** Prescribed motion, relative to the start; mass and inertia then have no effect. */
  readonly path?: PathSpec;
}

/** A world axis. */
export type Axis = 'x' | 'y' | 'z';

/** Homogeneous solid that gives a body its mass and inertia. */
export type SolidSpec = { readonly density: number } & (
  | { readonly type: 'sphere'; readonly radius: number }
  /** Edge lengths. */
  | { readonly type: 'box'; readonly size: Vec3 }
  /** Along the body's z axis. */
  | { readonly type: 'cylinder'; readonly radius: number; readonly height: number }
);

/** An external rigid-body engine that moves the bodies: with joints, motors and collisions. */
export interface EngineSpec {
  /** The engine; `@tendril-sim/bridge/rapier` has it. */
  readonly type: 'rapier';
  /** Joints between bodies. */
  readonly joints?: readonly JointSpec[];
  /** A level floor that bodies with a `solid` fall on. */
  readonly ground?: { readonly height: number; readonly friction?: number; readonly restitution?: number };
}

/** A joint between two bodies, or between a body and the world, in the engine. */
export interface JointSpec {
  /** `fixed`, `ball`, `hinge` (turns about `axis`), `slider` (moves along `axis`). */
  readonly type: 'fixed' | 'ball' | 'hinge' | 'slider';
  /** Id of the body. */
  readonly body: string;
  /** The other body; default: the world itself. */
  readonly to?: string;
  /** Where they are joined at the start, world [m]. Default: the body's centre of mass. */
  readonly at?: Vec3;
  /** World direction at the start, for `hinge` and `slider`. */
  readonly axis?: Vec3;
  /** Drives the joint at a speed [rad/s or m/s] with at most this torque [N m] or force [N]. */
  readonly motor?: { readonly speed: number; readonly limit?: number };
}

/** Ties a place on a rod to a body, where both are at the start. */
export interface WeldSpec {
  /** Id of the rod. */
  readonly rod: string;
  /** Place along the rod. */
  readonly at: Location;
  /** Id of the body. */
  readonly body: string;
  /** `clamp` (default): position and frame; `position`: a ball joint; `hinge`: turns about `axis`. */
  readonly hold?: 'clamp' | 'position' | 'hinge';
  /** Axis of a hinge: world direction at the start; it moves with the body. */
  readonly axis?: Vec3;
}
