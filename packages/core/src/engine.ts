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
import type { Model } from './model.ts';
import type { RodStart } from './scene/split.ts';
import type { Scene } from './scene/types.ts';

/** A body over one step. */
export interface BodyMotion {
  readonly id: string;
  /** Where it was at the start of the step, and how it moved. */
  readonly startPosition: Float64Array;
  readonly startOrientation: Float64Array;
  readonly startVelocity: Float64Array;
  readonly startAngularVelocity: Float64Array;
  /** Where rods and loads have brought it, with its velocities; the engine writes here what it changes. */
  readonly pose: BodyPose;
  /** To be set by an engine that wrote to `pose`. */
  changed: boolean;
}

/** Rigid-body engine that a world may hand its bodies to. */
export interface BodyEngine {
  readonly name: string;
  /** Makes the bodies of a scene known to the engine; called once a world. */
  attach(bodies: readonly { readonly body: RigidBody; readonly pose: BodyPose }[], scene: Scene): EngineSession;
}

/** An engine at work in one world. */
export interface EngineSession {
  /** Lets the engine act over dt. Deterministic: the same motions from the same state give the same bits. */
  respond(motions: readonly BodyMotion[], dt: number): void;
  /** All that the engine remembers. */
  save(): Uint8Array;
  restore(bytes: Uint8Array): void;
}

/** How far a step has come that is under way. */
export interface SubstepProgress {
  /** Where the next substep begins [s]. */
  readonly time: number;
  /** The step: where it began, and its length [s]. */
  readonly start: number;
  readonly dt: number;
  /** Substeps that were tried so far, this one included; 1 for a step that goes well. */
  readonly attempts: number;
}

/** What `createWorld` takes beside the scene: models, engines and callbacks. */
export interface WorldOptions {
  /**
   * Called before every substep. Return true to stop: `step` then throws StoppedError, and the world is as it was before the step.
   */
  readonly onSubstep?: (progress: SubstepProgress) => boolean | undefined;
  /** Joints, motors and collisions of bodies; default none. See `@tendril-sim/bridge/rapier`. */
  readonly bodies?: BodyEngine;
  /**
   * The models that scenes may name; of those with the same id and backend the first counts. `createWorld` of `@tendril-sim/core` has all models
   * and takes these before its own, such as the faster ones of `@tendril-sim/core/kernels`; that of `@tendril-sim/core/world` has no others.
   */
  readonly models?: readonly Model[];
  /** Contact, obstacles and links: `contact` of `@tendril-sim/core/contact`. `createWorld` of `@tendril-sim/core` has it by itself. */
  readonly contact?: ContactModule;
  /** Begins at this time, with rods as they are there, in place of the scene's start: after a cut (scene/split.ts). */
  readonly start?: { readonly time: number; readonly rods: readonly RodStart[] };
}
