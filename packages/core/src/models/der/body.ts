/**
 * Rigid bodies inside the implicit schemes.
 *
 * Translation goes through the same stage as the rods, c·m(r − r̂) = f. Rotation is written for the angular momentum,
 * s(L − L̂) = τ, with the rotation vector ψ since the start of the step as coordinate: ψ̇ = s(ψ − ψ̃) as for any
 * unknown, ω = dexp_ψ(ψ̇), L = R I Rᵀ ω. A free body keeps L exactly; the gyroscopic term is in R.
 */
import { type RigidBody, rotate, solveSymmetric3, writeRotation, writeWorldInertia } from '../../bodies/body.ts';
import { multiplyQuaternions, quaternionFromRotation, rotationFromQuaternion } from '../../math/quaternion.ts';
import type { CompiledBody, Weld } from '../../scene/bodies.ts';

/** Doubles of memory that a body needs. */
export const BODY_MEMORY = 19;

export interface DerBody {
  readonly body: RigidBody;
  readonly pose: CompiledBody['pose'];
  /** Rods of the system that it is welded to. */
  readonly welds: readonly Weld[];
  /** State: position, orientation, velocity, angular momentum, force and torque at the end of the last step. */
  readonly position: Float64Array;
  readonly orientation: Float64Array;
  readonly velocity: Float64Array;
  readonly momentum: Float64Array;
  readonly force: Float64Array;
  readonly torque: Float64Array;
  /** Start of the step. */
  readonly start: {
    readonly position: Float64Array;
    readonly orientation: Float64Array;
    readonly velocity: Float64Array;
    readonly momentum: Float64Array;
    readonly force: Float64Array;
    readonly torque: Float64Array;
  };
  /** ψ since the start of the step, and the stage: r̂, r̃, L̂, ψ̃. */
  readonly psi: Float64Array;
  readonly positionHat: Float64Array;
  readonly positionRate: Float64Array;
  readonly momentumHat: Float64Array;
  readonly psiRate: Float64Array;
  readonly worldInertia: Float64Array;
  /** Residual: 3 forces, 3 torques. */
  readonly residual: Float64Array;
}

export function createDerBody({ body, pose }: CompiledBody, welds: readonly Weld[], memory: Float64Array): DerBody {
  const make = (n = 3): Float64Array => new Float64Array(n);
  return {
    body,
    pose,
    welds,
    position: memory.subarray(0, 3),
    orientation: memory.subarray(3, 7),
    velocity: memory.subarray(7, 10),
    momentum: memory.subarray(10, 13),
    force: memory.subarray(13, 16),
    torque: memory.subarray(16, 19),
    start: {
      position: make(),
      orientation: make(4),
      velocity: make(),
      momentum: make(),
      force: make(),
      torque: make(),
    },
    psi: make(),
    positionHat: make(),
    positionRate: make(),
    momentumHat: make(),
    psiRate: make(),
    worldInertia: make(9),
    residual: make(6),
  };
}

export function initializeBody(der: DerBody, t: number): void {
  const { body } = der;
  der.position.set(body.start.position);
  der.orientation.set(body.start.orientation);
  der.velocity.set(body.start.velocity);
  der.momentum.set(body.start.angularMomentum);
  body.gravity(der.force, t);
  for (let k = 0; k < 3; k++) der.force[k] *= body.free[k] ? body.mass : 0;
  der.torque.fill(0);
  syncPose(der);
}

/** State → pose that pins, observers and pictures read. */
export function syncPose(der: DerBody): void {
  const { pose } = der;
  pose.position.set(der.position);
  pose.orientation.set(der.orientation);
  pose.velocity.set(der.velocity);
  writeRotation(pose.rotation, der.orientation);
  writeWorldInertia(der.worldInertia, pose.rotation, der.body.inertia);
  solveSymmetric3(pose.angularVelocity, der.worldInertia, der.momentum);
}

export function beginStep(der: DerBody): void {
  const { start } = der;
  start.position.set(der.position);
  start.orientation.set(der.orientation);
  start.velocity.set(der.velocity);
  start.momentum.set(der.momentum);
  start.force.set(der.force);
  start.torque.set(der.torque);
  der.psi.fill(0);
}

export function cancelStep(der: DerBody): void {
  const { start } = der;
  der.position.set(start.position);
  der.orientation.set(start.orientation);
  der.velocity.set(start.velocity);
  der.momentum.set(start.momentum);
  der.force.set(start.force);
  der.torque.set(start.torque);
  syncPose(der);
}

const increment = new Float64Array(4);
const inverse = new Float64Array(4);

/** Moves the body by a displacement and a rotation vector (world axes), and updates ψ. */
export function moveBody(der: DerBody, step: ArrayLike<number>, o: number, fraction: number): void {
  const { position, orientation, start } = der;
  for (let k = 0; k < 3; k++) {
    position[k] += fraction * step[o + k];
    increment[k] = fraction * step[o + 3 + k];
  }
  quaternionFromRotation(increment, 0, increment, 0);
  multiplyQuaternions(orientation, 0, increment, 0, orientation, 0);
  const size = Math.hypot(orientation[0], orientation[1], orientation[2], orientation[3]);
  for (let k = 0; k < 4; k++) orientation[k] /= size;
  inverse[0] = start.orientation[0];
  for (let k = 1; k < 4; k++) inverse[k] = -start.orientation[k];
  multiplyQuaternions(increment, 0, orientation, 0, inverse, 0);
  rotationFromQuaternion(der.psi, 0, increment, 0);
}

/** ω = dexp_ψ(ψ̇) = ψ̇ + (1−cos φ)/φ² ψ×ψ̇ + (φ−sin φ)/φ³ ψ×(ψ×ψ̇), φ = |ψ|. */
function writeSpin(out: Float64Array, psi: Float64Array, rate: Float64Array): void {
  const angle = Math.hypot(psi[0], psi[1], psi[2]);
  const a2 = angle * angle;
  const c1 = angle < 1e-3 ? 0.5 - a2 / 24 : (1 - Math.cos(angle)) / a2;
  const c2 = angle < 1e-2 ? 1 / 6 - a2 / 120 : (angle - Math.sin(angle)) / (a2 * angle);
  const x = psi[1] * rate[2] - psi[2] * rate[1];
  const y = psi[2] * rate[0] - psi[0] * rate[2];
  const z = psi[0] * rate[1] - psi[1] * rate[0];
  out[0] = rate[0] + c1 * x + c2 * (psi[1] * z - psi[2] * y);
  out[1] = rate[1] + c1 * y + c2 * (psi[2] * x - psi[0] * z);
  out[2] = rate[2] + c1 * z + c2 * (psi[0] * y - psi[1] * x);
}

const rate = new Float64Array(3);
const gravity = new Float64Array(3);

/** Velocity, angular momentum and pose of the stage at the present position; residual without the rods' share. */
export function evaluateBody(der: DerBody, t: number, inertia: number, s: number): void {
  const { body, pose, residual } = der;
  body.gravity(gravity, t);
  pose.position.set(der.position);
  pose.orientation.set(der.orientation);
  writeRotation(pose.rotation, der.orientation);
  writeWorldInertia(der.worldInertia, pose.rotation, body.inertia);
  for (let k = 0; k < 3; k++) {
    if (s > 0) der.velocity[k] = s * (der.position[k] - der.positionRate[k]);
    else der.velocity[k] = 0;
    rate[k] = s * (der.psi[k] - der.psiRate[k]);
    residual[k] = body.mass * (inertia * (der.position[k] - der.positionHat[k]) - gravity[k]);
  }
  writeSpin(pose.angularVelocity, der.psi, rate);
  pose.velocity.set(der.velocity);
  rotate(der.momentum, 0, der.worldInertia, pose.angularVelocity, 0);
  for (let k = 0; k < 3; k++) residual[3 + k] = s > 0 ? s * (der.momentum[k] - der.momentumHat[k]) : 0;
}

/** After a solved stage: the force and the torque that it implies, for the next trapezoidal stage. */
export function recordForces(der: DerBody, inertia: number, s: number): void {
  for (let k = 0; k < 3; k++) {
    der.force[k] = der.body.free[k] ? der.body.mass * inertia * (der.position[k] - der.positionHat[k]) : 0;
    der.torque[k] = der.body.free[3 + k] ? s * (der.momentum[k] - der.momentumHat[k]) : 0;
  }
}
