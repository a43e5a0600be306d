/**
 * What a rigid-body engine is to the world: it brings joints, motors and collisions; the rods bring their own forces.
 *
 * The two take turns [Bergou2008 §8, reuse]. First rods and bodies move together by the rods' own coupling, without lag and in
 * double precision, as if the engine were not there. Then the engine gets each body with the velocity it now has, and may change
 * that velocity and the way the body went: what its joints, contacts and motors do. Bodies that it leaves alone stay exactly as the
 * rods left them, so an empty engine changes nothing. What it touches is as precise as the engine.
 *
 * NOTE: the other way round, rods driven by the engine's poses and answering with reactions, is not well posed: an inextensible
 * rod has no answer to a pose that it cannot reach, and reactions of stiff rods make a lagged exchange unstable.
 */
import type { BodyPose, RigidBody } from './bodies/body.ts';
import type { ContactModule } from './contact/index.ts';
import type { AnimationModule } from './features.ts';
import type { Model } from './model.ts';
import type { RodStart } from './scene/split.ts';
import type { Scene } from './scene/types.ts';
import type { WindModule } from './scene/windParts.ts';
import type { PathModule } from './world/pathPort.ts';

/** A body over one step. */
export interface BodyMotion {
  /** Id of the body. */
  readonly id: string;
  /** Centre of mass at the start of the step [m]. */
  readonly startPosition: Float64Array;
  /** Unit quaternion (w, x, y, z) from body to world axes at the start of the step. */
  readonly startOrientation: Float64Array;
  /** Velocity of the centre of mass at the start of the step [m/s]. */
  readonly startVelocity: Float64Array;
  /** Angular velocity in world axes at the start of the step [rad/s]. */
  readonly startAngularVelocity: Float64Array;
  /** Pose and velocities after rods and loads have moved it; the engine writes its changes here. */
  readonly pose: BodyPose;
  /** To be set by an engine that wrote to `pose`. */
  changed: boolean;
}

/** Rigid-body engine that a world may hand its bodies to. */
export interface BodyEngine {
  /** Name of the engine, for messages. */
  readonly name: string;
  /** Passes the bodies of a scene to the engine; called once per world. */
  attach(bodies: readonly { readonly body: RigidBody; readonly pose: BodyPose }[], scene: Scene): EngineSession;
}

/** An engine at work in one world. */
export interface EngineSession {
  /** Lets the engine act over dt. Deterministic: the same motions from the same state give the same bits. */
  respond(motions: readonly BodyMotion[], dt: number): void;
  /** All that the engine remembers. */
  save(): Uint8Array;
  /** Returns to what `save` returned. */
  restore(bytes: Uint8Array): void;
}

/** Progress of the current step. */
export interface SubstepProgress {
  /** Start of the next substep [s]. */
  readonly time: number;
  /** Start and length of the step [s]. */
  readonly start: number;
  /** Length of the step [s]. */
  readonly dt: number;
  /** Substeps attempted so far, including this one; 1 for a step without failures. */
  readonly attempts: number;
}

/** Options of `createWorld`: models, engine, callbacks. */
export interface WorldOptions {
  /**
   * Called before every substep. Return true to stop: `step` then throws StoppedError, and the world is as it was before the step.
   */
  readonly onSubstep?: (progress: SubstepProgress) => boolean | undefined;
  /** Joints, motors and collisions of bodies; default none. See `@tendril-sim/bridge/rapier`. */
  readonly bodies?: BodyEngine;
  /**
   * Models that scenes may use; the first of several with the same id and backend applies. `createWorld` of `@tendril-sim/core` has all models and
   * puts these before its own, such as the faster ones of `@tendril-sim/core/kernels`; that of `@tendril-sim/core/world` has no others.
   */
  readonly models?: readonly Model[];
  /** Contact, obstacles and links: `contact` of `@tendril-sim/core/contact`. `createWorld` of `@tendril-sim/core` has it by itself. */
  readonly contact?: ContactModule;
  /** Rods whose properties change in time: `animation` of `@tendril-sim/core/features`. `createWorld` of `@tendril-sim/core` has it by itself. */
  readonly animation?: AnimationModule;
  /** Winds with gusts, vortices, turbulence or a grid: `wind` of `@tendril-sim/core/features`. `createWorld` of `@tendril-sim/core` has it by itself. */
  readonly wind?: WindModule;
  /**
   * Equilibria that follow one another are compared, stay on their branch if possible, or report a jump: `paths` of `@tendril-sim/core/features`.
   * `createWorld` of `@tendril-sim/core` has it by itself.
   */
  readonly paths?: PathModule;
  /** Starts at this time with the given state of the rods, instead of at the scene's start: after a cut (scene/split.ts). */
  readonly start?: { readonly time: number; readonly rods: readonly RodStart[] };
}
