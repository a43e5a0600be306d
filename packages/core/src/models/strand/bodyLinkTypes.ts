/** Data of body links: links of a tree that carry a body (bodyLinks.ts). */
import type { BodyPose } from '../../bodies/body.ts';
import type { CompiledBody } from '../../scene/bodies.ts';
import type { Rod } from '../../scene/compiled.ts';

/** Joints of `StrandTree.lock`: one with the rod's stiffness, one that does not turn, one that turns freely. */
export const ELASTIC = 0;
export const RIGID = 1;
export const BALL = 2;

/** A body of a tree, in the axes of its first link. */
export interface CarriedBody {
  readonly id: string;
  readonly pose: BodyPose;
  /** The weld: part of the tree, and node. */
  readonly part: number;
  readonly node: number;
  readonly link: number;
  /** Centre of mass from the link's joint [m], and the body's axes. */
  readonly center: Float64Array;
  readonly axes: Float64Array;
}

/** A body link before it is part of a tree; `body` is set on the first link of each body. */
export interface BodyLink {
  readonly lock: typeof ELASTIC | typeof RIGID | typeof BALL;
  /** Of an elastic joint. */
  readonly joint?: BodyJoint;
  readonly body?: CompiledBody;
  /** Node of the rod that it grows from. */
  readonly node: number;
}

/** The joint between the end of a rod and the body that is clamped to it: the last half edge of the rod. */
export interface BodyJoint {
  readonly rod: Rod;
  /** Quaternion from the axes of the rod at its end to those of the link. */
  readonly after: Float64Array;
}
