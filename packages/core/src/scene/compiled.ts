/**
 * A compiled scene: the input of the models.
 *
 * A rod is divided into edges, an edge into two halves. Stiffness, mass and natural strain belong to half edges. So
 * a joint is the right half of one edge and the left half of the next, and a clamp at a node is one half alone: it is
 * exactly at its node, and the error is of second order.
 *
 * Nodes 0…n, edges 0…n−1 (closed: as many nodes as edges, edge j joins node j to node (j+1) mod n).
 * Half 2j is the half of edge j next to node j, half 2j+1 the one next to node j+1.
 */
import type { AnimatedField, LawSpec, ModelId } from './types.ts';

/** A compiled rod: lengths, stiffness, masses and natural shape. */
export interface Rod {
  /** Id in the scene. */
  readonly id: string;
  /** Model that simulates it. */
  readonly model: ModelId;
  /** The rod at another value of the parameter that its equilibria follow (`statics.parameter`). */
  readonly at?: (value: number) => Rod;
  /** True for a ring. */
  readonly closed: boolean;
  /** True if its length is fixed. */
  readonly inextensible: boolean;
  /** Parent from which it grows: index of the rod in the scene, and node. */
  readonly parent?: { readonly rod: number; readonly node: number };
  /** Number of nodes. */
  readonly nodeCount: number;
  /** Number of edges. */
  readonly edgeCount: number;
  /** Rest length [m]. */
  readonly length: number;
  /** True if the model computes the natural strain: such that the initial shape is in equilibrium. */
  readonly naturalFromEquilibrium?: boolean;

  /** Initial positions [m], 3 per node. */
  readonly nodePosition: Float64Array;
  /** Initial velocities [m/s], 3 per node. */
  readonly nodeVelocity: Float64Array;
  /** Initial spin of the material about the tangent [rad/s], 1 per edge. */
  readonly edgeSpin: Float64Array;
  /** Initial material axis d1, unit, normal to the edge, 3 per edge. */
  readonly edgeDirector: Float64Array;
  /** Initial twist of the frame at each node [rad], unwrapped, 1 per node: from edge i−1 to edge i (0 at free ends). */
  readonly nodeTwist: Float64Array;
  /** Initial tangent and d1 of the curve at the node itself, unit vectors, 3 per node: the frame that a pin holds. */
  readonly nodeTangent: Float64Array;
  /** Initial d1 at the nodes, unit, 3 per node. */
  readonly nodeDirector: Float64Array;
  /** Pose as written in the scene, if the rod was moved to the start of its pins. */
  readonly laid?: Pick<Rod, 'nodePosition' | 'nodeTangent' | 'nodeDirector'>;
  /** Rest arc length of the node [m]. */
  readonly nodeArc: Float64Array;

  /** [m] */
  readonly edgeLengthRest: Float64Array;
  /** Axial stiffness EA [N] (Infinity when inextensible). */
  readonly edgeEA: Float64Array;
  /** Polar moment of inertia of the edge about its tangent [kg m²]. */
  readonly edgeInertia: Float64Array;
  /** [m] */
  readonly edgeRadius: Float64Array;
  /** [kg] */
  readonly nodeMass: Float64Array;
  /** Mass damping [1/s]. */
  readonly nodeDamping: Float64Array;

  /** Stiffness of the half about d1, d2 [N m²] and of twist [N m²]: mean compliance over the half. */
  readonly halfEI1: Float64Array;
  /** Bending stiffness of the half edges about d2 [N m²]. */
  readonly halfEI2: Float64Array;
  /** Twisting stiffness of the half edges [N m²]. */
  readonly halfGJ: Float64Array;
  /** Stiffness damping [s]. */
  readonly halfDamping: Float64Array;
  /** Natural rotation vector over the half about (d1, d2, d3) [rad], 3 per half: ∫u_natural ds. */
  readonly halfStrainRest: Float64Array;
  /** Properties that change in time; absent if none does. */
  readonly animation?: RodAnimation;
  /** Law of bending and twist; absent: linear elasticity. */
  readonly law?: LawSpec;
  /** Loads at which it breaks; absent: it does not. */
  readonly strength?: RodStrength;
  /** Factors on friction and restitution of contacts, 1 per edge; absent: 1. */
  readonly surface?: { readonly edgeFriction: Float64Array; readonly edgeRestitution: Float64Array };
}

/** Loads at which a rod breaks; infinite where the scene gives none. */
export interface RodStrength {
  /** Tension at the middle of each edge [N]. */
  readonly edgeTension: Float64Array;
  /** Bending moment at each node [N m]. */
  readonly nodeMoment: Float64Array;
}

/** Properties of a rod that change in time. */
export interface RodAnimation {
  readonly fields: readonly AnimatedField[];
  /** Factor at time t [s] and fraction u of the rest length; 1 for a field that does not change. */
  factor(field: AnimatedField, t: number, u: number): number;
  /**
   * Writes the values of time t to the rod's arrays: lengths, masses, stiffness, damping, natural strain, radius and friction. `length` and `nodeArc` stay
   * those of the start, so that u = nodeArc/length is a place in the material. Returns the time of the values: not t in a search for equilibrium, where
   * time stands still.
   */
  moveTo(t: number): number;
}

/** A pin at an instant. */
export interface PinPose {
  /** [m]. */
  readonly position: Float64Array;
  /** [m/s]. */
  readonly velocity: Float64Array;
  /** Angular velocity of the frame in world axes, including its twist [rad/s]. */
  readonly angularVelocity: Float64Array;
  /** Unit tangent that a clamp prescribes. */
  readonly tangent: Float64Array;
  /** d1 before `twist` is applied. */
  readonly director: Float64Array;
  /** Axis of a hinge, unit. */
  readonly axis: Float64Array;
  /** Angle about the tangent [rad], unwrapped. */
  twist: number;
  /** False once released. */
  active: boolean;
}

/** How a pin moves, in world axes: for models whose unknowns are relative to it. */
export interface PinMotion {
  /** [m/s²] */
  readonly acceleration: Float64Array;
  /** [rad/s], [rad/s²] */
  readonly angularVelocity: Float64Array;
  readonly angularAcceleration: Float64Array;
}

/** A compiled pin. */
export interface Pin {
  /** Index in the scene's rods. */
  readonly rod: number;
  /** Index of the node. */
  readonly node: number;
  /** True if the position is held along x. */
  readonly holdX: boolean;
  /** True if the position is held along y. */
  readonly holdY: boolean;
  /** True if the position is held along z. */
  readonly holdZ: boolean;
  /** `hinge`: the frame may turn about the pose's axis. */
  readonly orientation: 'free' | 'tangent' | 'frame' | 'hinge';
  /** Writes the pose that the pin prescribes at time t [s]. */
  evaluate(pose: PinPose, t: number): void;
  /** True if the pose is the same at all times, as long as no grip moves it. */
  readonly isStill?: boolean;
  /** `active` of the pose, without the rest. */
  holds(t: number): boolean;
  /** Rates of the pose; absent if the velocity of the path jumps (interpolation linear or step). */
  readonly evaluateMotion?: (motion: PinMotion, t: number) => void;
}

/** True if active pin p is the first that holds coordinate k of its node: of several pins, the first carries the force. */
export function isFirstToHold(pins: readonly Pin[], poses: readonly PinPose[], p: number, k: number): boolean {
  const holds = ({ holdX, holdY, holdZ }: Pin): boolean => [holdX, holdY, holdZ][k];
  return p === pins.findIndex((pin, i) => poses[i].active && pin.node === pins[p].node && holds(pin));
}

export function createPinMotion(): PinMotion {
  return {
    acceleration: new Float64Array(3),
    angularVelocity: new Float64Array(3),
    angularAcceleration: new Float64Array(3),
  };
}

/** Allocates the pose of a pin. */
export function createPinPose(): PinPose {
  return placePinPose((length) => new Float64Array(length));
}

/** Its numbers are in memory that the caller allocates. */
export function placePinPose(allocate: (length: number) => Float64Array): PinPose {
  return {
    position: allocate(3),
    velocity: allocate(3),
    angularVelocity: allocate(3),
    tangent: allocate(3),
    director: allocate(3),
    axis: allocate(3),
    twist: 0,
    active: true,
  };
}
