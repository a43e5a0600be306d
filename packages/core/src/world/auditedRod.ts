/** Data of the energy audit for each rod, kept from one audit to the next. */
import type { Momentum, Reaction } from '../model.ts';
import type { Samples } from '../port.ts';
import type { Pin, PinPose, Rod } from '../scene/compiled.ts';

export interface Work {
  /** [J] */
  done: number;
  /** Uncertainty: how much larger it may have been [J]. */
  doubt: number;
  /** Energy that mass damping has dissipated; not part of `done` [J]. */
  damped: number;
  /** False if the work of something cannot be determined. */
  isKnown: boolean;
}

export interface AuditedRod {
  readonly rod: Rod;
  /** [kg] */
  readonly mass: number;
  readonly samples: Samples;
  /** Reactions of the pins, if the audit takes their work from these, and their values now and at the start of the step. */
  readonly measureReactions: ((t: number, when: 'after-step' | 'any-time') => Reaction[]) | undefined;
  reactions: readonly Reaction[];
  reactionsBefore: readonly Reaction[];
  /** Adds the rod's momentum; absent if it is that of its nodes and spinning edges. */
  readonly addMomentum: ((out: Momentum) => void) | undefined;
  /** Pins without a body, and their previous and current positions. */
  readonly pins: readonly Pin[];
  before: readonly PinPose[];
  after: readonly PinPose[];
  /** At the start of the step: position and velocity of nodes, direction and spin of edges, loads. */
  readonly position: Float64Array;
  readonly velocity: Float64Array;
  readonly tangent: Float64Array;
  readonly director: Float64Array;
  readonly spin: Float64Array;
  readonly force: Float64Array;
  readonly torque: Float64Array;
  /** True if the momentum at the start of a step must be measured then: the model gives it, or masses change. Else it follows from the motion. */
  readonly measuresAtStart: boolean;
  /** Momentum at the start of the step, known from there on only with `measuresAtStart`; and now. */
  readonly momentum: RodMomentum;
  readonly momentumNow: RodMomentum;
  /** Mass damping [1/s], mean over the mass. */
  damping: number;
  /** Momentum that added mass has brought in this step, and its moment about the origin; zero unless properties are animated. */
  readonly given: Float64Array;
  /** Rotation of each pin over the step [rad], 3 numbers per pin. */
  readonly pinTurns: Float64Array;
  /** Displacement and rotation [rad] of the pins over the step, if they move as one. */
  readonly displacement: Float64Array;
  readonly turn: Float64Array;
  motion: 'none' | 'together' | 'apart';
  /** Force of contacts over the step, and its moment about the origin. */
  readonly contact: Float64Array;
  /** Unexplained momentum while the rod was free, its uncertainty, and the largest momentum so far [N s]. */
  readonly free: { readonly impulse: Float64Array; doubt: number; scale: number };
  /** Momentum below this is rounding: a millionth of that of vibrations with a strain of order one [N s]. */
  readonly momentumFloor: number;
}

/** Momentum and angular momentum about the origin, six numbers each: of the nodes as point masses, and what the rod has beyond that, such as spin. */
export interface RodMomentum {
  readonly nodes: Float64Array;
  readonly rest: Float64Array;
}
