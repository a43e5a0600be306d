/** Arrays over the links of a tree (rod.ts). */

/** Constants of links and their joints. */
export interface LinkArrays {
  /** Parent link, −1 for the base; distance of the joint along the parent's axis [m]; length [m]. */
  readonly parent: Int32Array;
  readonly offset: Float64Array;
  readonly length: Float64Array;
  /** 6 × 6 about the joint [kg, kg m, kg m²], 36 per link. */
  readonly inertia: Float64Array;
  /** Mass at the tip, and its mass damping [kg/s]. */
  readonly tipMass: Float64Array;
  readonly tipDamping: Float64Array;
  /** Mass damping of the link's spin about its axis [N m s]. */
  readonly spinDamping: Float64Array;

  /** K of the joint's law about d1, d2, d3 [N m] and viscous torque per rate [N m s], 3 per joint. */
  readonly stiffness: Float64Array;
  readonly damping: Float64Array;
  /** Δ = before · q · after: both links' frames taken to the joint by the natural halves, 4 per joint. */
  readonly before: Float64Array;
  readonly after: Float64Array;
  /** Rotation matrix of after⁻¹: takes turns in the child's axes to turns of Δ, 9 per joint. */
  readonly toJoint: Float64Array;
}

/** Constants of n links and their joints. */
export function createLinkArrays(n: number): LinkArrays {
  return {
    parent: new Int32Array(n),
    offset: new Float64Array(n),
    length: new Float64Array(n),
    inertia: new Float64Array(36 * n),
    tipMass: new Float64Array(n),
    tipDamping: new Float64Array(n),
    spinDamping: new Float64Array(n),
    stiffness: new Float64Array(3 * n),
    damping: new Float64Array(3 * n),
    before: new Float64Array(4 * n),
    after: new Float64Array(4 * n),
    toJoint: new Float64Array(9 * n),
  };
}

/** Poses, velocities and forces of links, which follow from the state. */
export interface MotionArrays {
  /** Child → parent, and child → world, 9 per link; joint in the world, 3. */
  readonly rotation: Float64Array;
  readonly world: Float64Array;
  readonly origin: Float64Array;
  /** Deformation quaternion, 4 per joint. */
  readonly deformation: Float64Array;
  /** Spatial motion, its carried part X v(parent), the same for acceleration, force; 6 per link. */
  readonly motion: Float64Array;
  readonly carried: Float64Array;
  readonly acceleration: Float64Array;
  readonly carriedAcceleration: Float64Array;
  readonly force: Float64Array;
  /** True motion if the base's is directed by `direct`; otherwise the same array as `motion`. */
  trueMotion: Float64Array;
  /** Loads on a link in world axes: force at the tip 3, torque 3, drag at the tip 6. */
  readonly tipForce: Float64Array;
  /** Without damping. */
  readonly steadyForce: Float64Array;
  readonly linkTorque: Float64Array;
  readonly tipDrag: Float64Array;
  /** Torque of the joints on the child [N m], and the residual of its balance, 3 per joint; the base's 3 after those. */
  readonly torque: Float64Array;
  readonly residual: Float64Array;
  /** Springs at the tips [N/m]. */
  readonly tipSpring: Float64Array;
  /** Forces of constraints at tips (world axes) and on joints (child's axes), 3 each. */
  readonly pull: Float64Array;
  readonly hold: Float64Array;
}

/** Poses, velocities and forces of n links. */
export function createMotionArrays(n: number): MotionArrays {
  return {
    rotation: new Float64Array(9 * n),
    world: new Float64Array(9 * n),
    origin: new Float64Array(3 * n),
    deformation: new Float64Array(4 * n),
    motion: new Float64Array(6 * n),
    carried: new Float64Array(6 * n),
    acceleration: new Float64Array(6 * n),
    carriedAcceleration: new Float64Array(6 * n),
    force: new Float64Array(6 * n),
    trueMotion: new Float64Array(0),
    tipForce: new Float64Array(3 * n),
    steadyForce: new Float64Array(3 * n),
    linkTorque: new Float64Array(3 * n),
    tipDrag: new Float64Array(6 * n),
    torque: new Float64Array(3 * n),
    residual: new Float64Array(3 * n + 3),
    tipSpring: new Float64Array(n),
    pull: new Float64Array(3 * n),
    hold: new Float64Array(3 * n),
  };
}
