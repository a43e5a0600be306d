/**
 * Rigid bodies inside the explicit schemes: free motion by splitting, and the inverse of the generalised mass.
 *
 * A body drifts with its angular momentum kept in world axes. About its principal axes it turns exactly, one axis after the
 * other and back: x(h/2) y(h/2) z(h) y(h/2) x(h/2). That is symplectic, of second order, and exact for a sphere.
 *
 * NOTE: a junction has no inertia, and an explicit scheme cannot turn what has none. It gets that of the first edge of each
 * clamped rod about the junction, m l²/3, about all axes: (l/L)³ of what the rods have, gone with the edges' length.
 */

import { rotate, solveSymmetric3, writeRotation, writeWorldInertia } from '../../bodies/body.ts';
import { eigenSymmetric } from '../../linalg/jacobi.ts';
import { multiplyQuaternions, quaternionFromRotation } from '../../math/quaternion.ts';
import { cos, hypot, sin } from '../../math/rounded/index.ts';
import { type DerBody, syncPose } from './body.ts';
import type { DerRod } from './rod.ts';

export interface ExplicitBody {
  readonly body: DerBody;
  /** Principal moments, and their axes as columns in body axes. */
  readonly moments: Float64Array;
  readonly axes: Float64Array;
  /** All axes free, and all moments equal. */
  readonly turnsFreely: boolean;
  readonly round: boolean;
  /** Impulse and angular impulse of the constraints since the start of the step [N s, N m s]. */
  readonly impulse: Float64Array;
  readonly angularImpulse: Float64Array;
  /** 1/m along free axes, and the inverse inertia about free axes, world, 3 × 3, at the last `measureInverseMass`. */
  readonly inverseMass: Float64Array;
  readonly inverseInertia: Float64Array;
  /** Orientation before the projection (fast projection). */
  readonly before: Float64Array;
}

/** Rotational inertia of a junction in the explicit schemes. */
export function addStubInertia(body: DerBody, rods: readonly DerRod[]): void {
  if (body.body.mass > 0) return;
  for (const { rod: index, pin } of body.welds) {
    const { rod, edgeCount } = rods[index];
    if (pin.orientation === 'free') continue;
    for (const j of [pin.node - 1, pin.node]) {
      if (j < 0 || j >= edgeCount) continue;
      const mass = 0.5 * (rod.nodeMass[j] + rod.nodeMass[(j + 1) % rod.nodeCount]);
      for (let k = 0; k < 9; k += 4) body.inertia[k] += (mass * (rod.edgeLengthRest[j] * rod.edgeLengthRest[j])) / 3;
    }
  }
}

export function createExplicitBody(body: DerBody): ExplicitBody {
  const { values, vectors } = eigenSymmetric(body.inertia.slice(), 3);
  // right-handed
  const [a, b, c] = [0, 1, 2].map((k) => [vectors[k], vectors[3 + k], vectors[6 + k]]);
  const volume =
    a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  const axes = Float64Array.from(vectors);
  if (volume < 0) for (let k = 0; k < 3; k++) axes[3 * k + 2] *= -1;
  return {
    body,
    moments: Float64Array.from(values),
    axes,
    turnsFreely: body.body.free[3] + body.body.free[4] + body.body.free[5] === 3,
    round: values[2] - values[0] <= 1e-12 * values[2],
    impulse: new Float64Array(3),
    angularImpulse: new Float64Array(3),
    inverseMass: new Float64Array(3),
    inverseInertia: new Float64Array(9),
    before: new Float64Array(4),
  };
}

const column = new Float64Array(3);
const unit = new Float64Array(3);
const locked = new Float64Array(9);

/** Inverse mass and inertia at the current orientation, zero along and about locked axes. */
export function measureInverseMass({ body, inverseMass, inverseInertia }: ExplicitBody): void {
  const { free } = body.body;
  for (let k = 0; k < 3; k++) inverseMass[k] = free[k] && body.mass > 0 ? 1 / body.mass : 0;
  // remove rows and columns of locked axes, and invert the block of the others
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++)
      locked[3 * i + j] = free[3 + i] && free[3 + j] ? body.worldInertia[3 * i + j] : i === j ? 1 : 0;
  for (let k = 0; k < 3; k++) {
    unit.fill(0);
    unit[k] = free[3 + k] ? 1 : 0;
    solveSymmetric3(column, locked, unit);
    for (let i = 0; i < 3; i++) inverseInertia[3 * i + k] = free[3 + i] ? column[i] : 0;
  }
}

const spin = new Float64Array(3);

/** Projects momenta on the free axes: m v = 0 along locked ones, L = I ω with ω about free axes alone. */
export function guideMomentum(explicit: ExplicitBody): void {
  const { body, inverseInertia, turnsFreely } = explicit;
  for (let k = 0; k < 3; k++) if (!body.body.free[k]) body.velocity[k] = 0;
  if (turnsFreely) return;
  rotate(spin, 0, inverseInertia, body.momentum, 0);
  rotate(body.momentum, 0, body.worldInertia, spin, 0);
}

const turn = new Float64Array(4);
const momentum = new Float64Array(3);
const principal = new Float64Array(3);

/** q ← q · (rotation by `angle` about principal axis k), and the momentum in principal axes with it. */
function turnAbout({ axes }: ExplicitBody, orientation: Float64Array, k: number, angle: number): void {
  const half = sin(0.5 * angle);
  turn[0] = cos(0.5 * angle);
  for (let i = 0; i < 3; i++) turn[1 + i] = half * axes[3 * i + k];
  multiplyQuaternions(orientation, 0, orientation, 0, turn, 0);
  const a = (k + 1) % 3;
  const b = (k + 2) % 3;
  const c = cos(angle);
  const s = sin(angle);
  const x = principal[a];
  principal[a] = c * x + s * principal[b];
  principal[b] = c * principal[b] - s * x;
}

/** Pose of the body after h from the start of the step, with its velocity and momentum including the constraints' impulses. */
export function driftBody(explicit: ExplicitBody, h: number): void {
  const { body, impulse, angularImpulse, inverseMass, moments, axes } = explicit;
  const { start, position, orientation } = body;
  for (let k = 0; k < 3; k++) {
    position[k] = start.position[k] + h * (body.velocity[k] + inverseMass[k] * impulse[k]);
    momentum[k] = body.momentum[k] + angularImpulse[k];
  }
  orientation.set(start.orientation);
  if (explicit.round || !explicit.turnsFreely) {
    // a sphere, or a body on guides: exact for all but a body that is free about two axes
    rotate(spin, 0, explicit.inverseInertia, momentum, 0);
    for (let k = 0; k < 3; k++) turn[k] = h * spin[k];
    quaternionFromRotation(turn, 0, turn, 0);
    multiplyQuaternions(orientation, 0, turn, 0, orientation, 0);
  } else {
    writeRotation(body.pose.rotation, orientation);
    const R = body.pose.rotation;
    for (let k = 0; k < 3; k++) column[k] = R[k] * momentum[0] + R[3 + k] * momentum[1] + R[6 + k] * momentum[2];
    for (let k = 0; k < 3; k++) principal[k] = axes[k] * column[0] + axes[3 + k] * column[1] + axes[6 + k] * column[2];
    turnAbout(explicit, orientation, 0, (0.5 * h * principal[0]) / moments[0]);
    turnAbout(explicit, orientation, 1, (0.5 * h * principal[1]) / moments[1]);
    turnAbout(explicit, orientation, 2, (h * principal[2]) / moments[2]);
    turnAbout(explicit, orientation, 1, (0.5 * h * principal[1]) / moments[1]);
    turnAbout(explicit, orientation, 0, (0.5 * h * principal[0]) / moments[0]);
  }
  const size = hypot(orientation[0], orientation[1], orientation[2], orientation[3]);
  for (let k = 0; k < 4; k++) orientation[k] /= size;
  writeRotation(body.pose.rotation, orientation);
}

/** Adds the constraints' impulses to the velocities. */
export function commitImpulses({ body, impulse, angularImpulse, inverseMass }: ExplicitBody): void {
  for (let k = 0; k < 3; k++) {
    body.velocity[k] += inverseMass[k] * impulse[k];
    body.momentum[k] += angularImpulse[k];
  }
  impulse.fill(0);
  angularImpulse.fill(0);
}

const inverse = new Float64Array(4);

/**
 * After a projection that moved the body to where it is now: v += Δr/h and ω += (2/h) Im(q q₀⁻¹), with q₀ the orientation
 * before it. NOTE: [Bergou2008 §8.1] prints the second for q̇ and without taking the imaginary part; of the two quaternions
 * of one rotation, the one near q₀ must be taken.
 */
export function followProjection(explicit: ExplicitBody, moved: Float64Array, h: number): void {
  const { body, before } = explicit;
  inverse[0] = before[0];
  for (let k = 1; k < 4; k++) inverse[k] = -before[k];
  multiplyQuaternions(turn, 0, body.orientation, 0, inverse, 0);
  const sign = turn[0] < 0 ? -2 / h : 2 / h;
  writeWorldInertia(body.worldInertia, body.pose.rotation, body.inertia);
  solveSymmetric3(spin, body.worldInertia, body.momentum);
  for (let k = 0; k < 3; k++) {
    body.velocity[k] += moved[k] / h;
    spin[k] += sign * turn[1 + k];
  }
  rotate(body.momentum, 0, body.worldInertia, spin, 0);
  syncPose(body);
}
