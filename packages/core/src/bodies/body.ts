/**
 * Rigid bodies: their properties (constant) and their pose (state). The model that owns the welded rods moves them.
 *
 * Orientation is a unit quaternion (w, x, y, z) from body to world axes; angular momentum is kept in world axes about
 * the centre of mass, so a free body conserves it exactly, and the gyroscopic term needs no formula.
 */

export interface RigidBody {
  /** Id in the scene. */
  readonly id: string;
  /** [kg] */
  readonly mass: number;
  /** Inertia about the centre of mass in body axes [kg m²], 3 × 3. */
  readonly inertia: Float64Array;
  /** 1 if the body may move: along x, y, z, about x, y, z (world axes). */
  readonly free: Uint8Array;
  /** Pose, velocity and angular momentum at the start. */
  readonly start: BodyState;
  /** Force at the centre of mass, weight included [N], and torque [N m] at time t, world axes, 6 numbers. */
  load(out: Float64Array, t: number): void;
}

export interface BodyState {
  readonly position: Float64Array;
  readonly orientation: Float64Array;
  readonly velocity: Float64Array;
  readonly angularMomentum: Float64Array;
}

/** Current pose of a body, for pins attached to it, observers and pictures. */
export interface BodyPose {
  /** Centre of mass [m]. */
  readonly position: Float64Array;
  /** Unit quaternion w, x, y, z of the rotation from body to world axes. */
  readonly orientation: Float64Array;
  /** Body to world, 3 × 3, row-major. */
  readonly rotation: Float64Array;
  /** Velocity of the centre of mass [m/s]. */
  readonly velocity: Float64Array;
  /** World axes [rad/s]. */
  readonly angularVelocity: Float64Array;
}

/** Kinetic energies of a body [J], of its centre of mass and of its rotation about it. */
export interface BodyEnergies {
  /** Of the centre of mass [J]. */
  readonly translational: number;
  /** Of the rotation about the centre of mass [J]. */
  readonly rotational: number;
}

export function bodyEnergies(
  { mass, inertia }: RigidBody,
  { rotation, velocity, angularVelocity }: BodyPose,
): BodyEnergies {
  // angular velocity in body axes, in which the inertia is constant
  const spin = [0, 1, 2].map(
    (k) =>
      rotation[k] * angularVelocity[0] + rotation[3 + k] * angularVelocity[1] + rotation[6 + k] * angularVelocity[2],
  );
  let rotational = 0;
  let squared = 0;
  for (let i = 0; i < 3; i++) {
    squared += velocity[i] * velocity[i];
    for (let j = 0; j < 3; j++) rotational += 0.5 * spin[i] * inertia[3 * i + j] * spin[j];
  }
  return { translational: 0.5 * mass * squared, rotational };
}

export function createBodyPose(): BodyPose {
  return {
    position: new Float64Array(3),
    orientation: Float64Array.of(1, 0, 0, 0),
    rotation: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
    velocity: new Float64Array(3),
    angularVelocity: new Float64Array(3),
  };
}

export function writeRotation(out: Float64Array, q: ArrayLike<number>): void {
  const w = q[0];
  const x = q[1];
  const y = q[2];
  const z = q[3];
  out[0] = 1 - 2 * (y * y + z * z);
  out[1] = 2 * (x * y - w * z);
  out[2] = 2 * (x * z + w * y);
  out[3] = 2 * (x * y + w * z);
  out[4] = 1 - 2 * (x * x + z * z);
  out[5] = 2 * (y * z - w * x);
  out[6] = 2 * (x * z - w * y);
  out[7] = 2 * (y * z + w * x);
  out[8] = 1 - 2 * (x * x + y * y);
}

/** R·v at offset o. */
export function rotate(out: Float64Array, o: number, rotation: Float64Array, v: ArrayLike<number>, i: number): void {
  const x = v[i];
  const y = v[i + 1];
  const z = v[i + 2];
  out[o] = rotation[0] * x + rotation[1] * y + rotation[2] * z;
  out[o + 1] = rotation[3] * x + rotation[4] * y + rotation[5] * z;
  out[o + 2] = rotation[6] * x + rotation[7] * y + rotation[8] * z;
}

/** R I Rᵀ, 3 × 3. */
export function writeWorldInertia(out: Float64Array, rotation: Float64Array, inertia: Float64Array): void {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      let sum = 0;
      for (let a = 0; a < 3; a++)
        for (let b = 0; b < 3; b++) sum += rotation[3 * i + a] * inertia[3 * a + b] * rotation[3 * j + b];
      out[3 * i + j] = sum;
    }
  }
}

/**
 * x = A⁻¹ b for a symmetric positive 3 × 3. False, and x = 0, if A is singular up to rounding: a junction has no inertia but that of nodes
 * which lie at its centre, or a rounding error beside it.
 */
export function solveSymmetric3(out: Float64Array, A: Float64Array, b: ArrayLike<number>): boolean {
  const c00 = A[4] * A[8] - A[5] * A[7];
  const c01 = A[5] * A[6] - A[3] * A[8];
  const c02 = A[3] * A[7] - A[4] * A[6];
  const determinant = A[0] * c00 + A[1] * c01 + A[2] * c02;
  // the product of the diagonal is the upper bound of the determinant, whatever the units of each axis
  if (!(determinant > 1e-12 * A[0] * A[4] * A[8])) {
    out.fill(0);
    return false;
  }
  const x = b[0];
  const y = b[1];
  const z = b[2];
  out[0] = (c00 * x + (A[2] * A[7] - A[1] * A[8]) * y + (A[1] * A[5] - A[2] * A[4]) * z) / determinant;
  out[1] = (c01 * x + (A[0] * A[8] - A[2] * A[6]) * y + (A[2] * A[3] - A[0] * A[5]) * z) / determinant;
  out[2] = (c02 * x + (A[1] * A[6] - A[0] * A[7]) * y + (A[0] * A[4] - A[1] * A[3]) * z) / determinant;
  return true;
}
