/**
 * Rigid bodies inside the implicit schemes.
 *
 * Translation goes through the same stage as the rods, c·m(r − r̂) = f. Rotation is written for the angular momentum,
 * s(L − L̂) = τ, with the rotation vector ψ since the start of the step as coordinate: ψ̇ = s(ψ − ψ̃) as for any
 * unknown, ω = dexp_ψ(ψ̇), L = R I Rᵀ ω. A free body keeps L exactly; the gyroscopic term is in R.
 *
 * The masses of welded nodes belong to the body: they move with it rigidly, on arcs that a scheme for free nodes would replace by chords. So the body in
 * this file is the compound of the user's body and these masses; its centre of mass is shifted by `shift` from that of the user's body.
 */

import { type RigidBody, rotate, solveSymmetric3, writeRotation, writeWorldInertia } from '../../bodies/body.ts';
import { multiplyQuaternions, quaternionFromRotation, rotationFromQuaternion } from '../../math/quaternion.ts';
import { cos, hypot, hypotOf, sin } from '../../math/rounded/index.ts';
import type { CompiledBody, Weld } from '../../scene/bodies.ts';
import { copyArrays } from '../snapshot.ts';
import type { DerRod } from './rod.ts';

/** Doubles of memory that a body needs. */
export const BODY_MEMORY = 22;

/** State of a body. */
interface BodyState {
  readonly position: Float64Array;
  readonly orientation: Float64Array;
  readonly velocity: Float64Array;
  /** Angular momentum. */
  readonly momentum: Float64Array;
  /** At the end of the last step. */
  readonly force: Float64Array;
  readonly torque: Float64Array;
  /** Angular velocity. A junction has no inertia, so that its rotation, which stiffness damping resists, does not follow from a momentum. */
  readonly spin: Float64Array;
}

/** What steps do with a body. Bodies bring these functions, so a rope without bodies does not load them. */
export interface BodyActions {
  readonly adoptPose: typeof adoptPose;
  readonly beginStep: typeof beginStep;
  readonly cancelStep: typeof cancelStep;
  readonly moveBody: typeof moveBody;
  readonly recordForces: typeof recordForces;
  readonly setBodyStage: typeof setBodyStage;
  readonly syncPose: typeof syncPose;
  readonly writeAngularAcceleration: typeof writeAngularAcceleration;
}

export interface DerBody extends BodyState {
  readonly actions: BodyActions;
  readonly body: RigidBody;
  readonly pose: CompiledBody['pose'];
  /** Compound of the body and its welded nodes: mass, inertia about the common centre, and position of that in body axes. */
  readonly mass: number;
  readonly inertia: Float64Array;
  readonly shift: Float64Array;
  /** Its share of the bundle's memory. */
  readonly memory: Float64Array;
  /** Force and torque of contact about the compound's centre over the current step. */
  readonly contact: Float64Array;
  /** Rods of the system that it is welded to. */
  readonly welds: readonly Weld[];
  /** State at the start of the step. */
  readonly start: BodyState;
  /** ψ since the start of the step, and the stage: r̂, r̃, L̂, ψ̃. */
  readonly psi: Float64Array;
  readonly positionHat: Float64Array;
  readonly positionRate: Float64Array;
  readonly momentumHat: Float64Array;
  readonly psiRate: Float64Array;
  readonly worldInertia: Float64Array;
  /** Residual: 3 forces, 3 torques; and the same without the share of its rods. */
  readonly residual: Float64Array;
  readonly ownResidual: Float64Array;
}

/** Moves the masses of the welded nodes from their rods to the body. */
function joinNodes(
  { body }: Pick<CompiledBody, 'body'>,
  welds: readonly Weld[],
  rods: readonly DerRod[],
): Pick<DerBody, 'mass' | 'inertia' | 'shift'> {
  const points = welds.map(({ rod, pin, arm }) => ({ mass: rods[rod].mass[4 * pin.node], arm }));
  for (const { rod, pin } of welds) {
    const { mass, bodyMass } = rods[rod];
    if (bodyMass) bodyMass[pin.node] += mass[4 * pin.node];
    mass.fill(0, 4 * pin.node, 4 * pin.node + 3);
  }
  const mass = body.mass + points.reduce((sum, point) => sum + point.mass, 0);
  const shift = new Float64Array(3);
  for (const point of points) for (let k = 0; k < 3; k++) shift[k] += mass > 0 ? (point.mass * point.arm[k]) / mass : 0;
  const inertia = body.inertia.slice();
  const addPoint = (m: number, at: readonly number[]): void => {
    const square = at[0] * at[0] + at[1] * at[1] + at[2] * at[2];
    for (let i = 0; i < 3; i++)
      for (let j = 0; j < 3; j++) inertia[3 * i + j] += m * ((i === j ? square : 0) - at[i] * at[j]);
  };
  addPoint(body.mass, [...shift]);
  for (const point of points)
    addPoint(
      point.mass,
      [0, 1, 2].map((k) => point.arm[k] - shift[k]),
    );
  return { mass, inertia, shift };
}

export function createDerBody(
  compiled: Pick<CompiledBody, 'body' | 'pose'>,
  welds: readonly Weld[],
  rods: readonly DerRod[],
  memory: Float64Array,
): DerBody {
  const { body, pose } = compiled;
  const make = (n = 3): Float64Array => new Float64Array(n);
  return {
    actions,
    body,
    pose,
    ...joinNodes(compiled, welds, rods),
    welds,
    memory,
    contact: make(6),
    position: memory.subarray(0, 3),
    orientation: memory.subarray(3, 7),
    velocity: memory.subarray(7, 10),
    momentum: memory.subarray(10, 13),
    force: memory.subarray(13, 16),
    torque: memory.subarray(16, 19),
    spin: memory.subarray(19, 22),
    start: {
      position: make(),
      orientation: make(4),
      velocity: make(),
      momentum: make(),
      force: make(),
      torque: make(),
      spin: make(),
    },
    psi: make(),
    positionHat: make(),
    positionRate: make(),
    momentumHat: make(),
    psiRate: make(),
    worldInertia: make(9),
    residual: make(6),
    ownResidual: make(6),
  };
}

/** External force and torque. */
const load = new Float64Array(6);
const offset = new Float64Array(3);
const spin = new Float64Array(3);

/** Pose and momentum at the start; `initializeForces` sets the forces. */
export function initializeBody(der: DerBody): void {
  const { body, pose } = der;
  der.orientation.set(body.start.orientation);
  writeRotation(pose.rotation, der.orientation);
  writeWorldInertia(der.worldInertia, pose.rotation, body.inertia);
  solveSymmetric3(spin, der.worldInertia, body.start.angularMomentum);
  // from the body's own centre to that of the compound
  rotate(offset, 0, pose.rotation, der.shift, 0);
  for (let k = 0; k < 3; k++) {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    der.position[k] = body.start.position[k] + offset[k];
    der.velocity[k] = body.start.velocity[k] + spin[a] * offset[b] - spin[b] * offset[a];
  }
  der.spin.set(spin);
  writeWorldInertia(der.worldInertia, pose.rotation, der.inertia);
  rotate(der.momentum, 0, der.worldInertia, spin, 0);
  syncPose(der);
}

/** Copies pose and velocities of the user's body, as an engine wrote them. */
export function adoptPose(der: DerBody): void {
  const { pose } = der;
  const size = hypotOf(pose.orientation);
  for (let k = 0; k < 4; k++) der.orientation[k] = pose.orientation[k] / size;
  writeRotation(pose.rotation, der.orientation);
  rotate(offset, 0, pose.rotation, der.shift, 0);
  spin.set(pose.angularVelocity);
  for (let k = 0; k < 3; k++) {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    der.position[k] = pose.position[k] + offset[k];
    der.velocity[k] = pose.velocity[k] + spin[a] * offset[b] - spin[b] * offset[a];
  }
  der.spin.set(spin);
  writeWorldInertia(der.worldInertia, pose.rotation, der.inertia);
  rotate(der.momentum, 0, der.worldInertia, spin, 0);
  syncPose(der);
}

/** State → pose of the user's body, which pins, observers and renderers read. */
export function syncPose(der: DerBody): void {
  writeRotation(der.pose.rotation, der.orientation);
  writeWorldInertia(der.worldInertia, der.pose.rotation, der.inertia);
  if (!solveSymmetric3(spin, der.worldInertia, der.momentum)) spin.set(der.spin);
  writePose(der);
}

/** Position and velocity of the user's body from those of the compound, with `spin` as angular velocity. */
function writePose(der: DerBody): void {
  const { pose } = der;
  pose.orientation.set(der.orientation);
  pose.angularVelocity.set(spin);
  rotate(offset, 0, pose.rotation, der.shift, 0);
  for (let k = 0; k < 3; k++) {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    pose.position[k] = der.position[k] - offset[k];
    pose.velocity[k] = der.velocity[k] - (spin[a] * offset[b] - spin[b] * offset[a]);
  }
}

/** The state of a body. */
export const BODY_STATE = ['position', 'orientation', 'velocity', 'momentum', 'force', 'torque', 'spin'] as const;

export function beginStep(der: DerBody): void {
  copyArrays(der.start, der, BODY_STATE);
  der.psi.fill(0);
}

export function cancelStep(der: DerBody): void {
  copyArrays(der, der.start, BODY_STATE);
  syncPose(der);
}

const increment = new Float64Array(4);
const inverse = new Float64Array(4);

type StageNumbers = readonly [hat: number, rate: number, momentumHat: number, psiRate: number];

/** Writes r̂, r̃, L̂, ψ̃ of the next stage, axis by axis, from the start of the step. */
export function setBodyStage(der: DerBody, of: (axis: number, start: DerBody['start']) => StageNumbers): void {
  for (let k = 0; k < 3; k++) {
    const [hat, rate, momentumHat, psiRate] = of(k, der.start);
    der.positionHat[k] = hat;
    der.positionRate[k] = rate;
    der.momentumHat[k] = momentumHat;
    der.psiRate[k] = psiRate;
  }
}

/** Moves the body by a displacement and a rotation vector (world axes), and updates ψ. */
export function moveBody(der: DerBody, step: ArrayLike<number>, o: number, fraction: number): void {
  const { position, orientation, start } = der;
  for (let k = 0; k < 3; k++) {
    position[k] += fraction * step[o + k];
    increment[k] = fraction * step[o + 3 + k];
  }
  quaternionFromRotation(increment, 0, increment, 0);
  multiplyQuaternions(orientation, 0, increment, 0, orientation, 0);
  const size = hypot(orientation[0], orientation[1], orientation[2], orientation[3]);
  for (let k = 0; k < 4; k++) orientation[k] /= size;
  inverse[0] = start.orientation[0];
  for (let k = 1; k < 4; k++) inverse[k] = -start.orientation[k];
  multiplyQuaternions(increment, 0, orientation, 0, inverse, 0);
  rotationFromQuaternion(der.psi, 0, increment, 0);
}

/** ω = dexp_ψ(ψ̇) = ψ̇ + (1−cos φ)/φ² ψ×ψ̇ + (φ−sin φ)/φ³ ψ×(ψ×ψ̇), φ = |ψ|. */
function writeSpin(out: Float64Array, psi: Float64Array, rate: Float64Array): void {
  const angle = hypot(psi[0], psi[1], psi[2]);
  const a2 = angle * angle;
  const c1 = angle < 1e-3 ? 0.5 - a2 / 24 : (1 - cos(angle)) / a2;
  const c2 = angle < 1e-2 ? 1 / 6 - a2 / 120 : (angle - sin(angle)) / (a2 * angle);
  const x = psi[1] * rate[2] - psi[2] * rate[1];
  const y = psi[2] * rate[0] - psi[0] * rate[2];
  const z = psi[0] * rate[1] - psi[1] * rate[0];
  out[0] = rate[0] + c1 * x + c2 * (psi[1] * z - psi[2] * y);
  out[1] = rate[1] + c1 * y + c2 * (psi[2] * x - psi[0] * z);
  out[2] = rate[2] + c1 * z + c2 * (psi[0] * y - psi[1] * x);
}

const rate = new Float64Array(3);

/** Subtracts external force and torque from the residual. */
export function writeBodyLoad(der: DerBody, t: number): void {
  const { residual } = der;
  der.body.load(load, t);
  rotate(offset, 0, der.pose.rotation, der.shift, 0);
  for (let k = 0; k < 3; k++) {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    residual[k] = -load[k] - der.contact[k];
    // forces act at the body's own centre, −offset from that of the compound
    residual[3 + k] = offset[a] * load[b] - offset[b] * load[a] - load[3 + k] - der.contact[3 + k];
  }
}

/** Velocity, angular momentum and pose of the stage at the current position; residual without the rods' share. */
export function evaluateBody(der: DerBody, t: number, inertia: number, s: number): void {
  const { pose, residual } = der;
  writeRotation(pose.rotation, der.orientation);
  writeWorldInertia(der.worldInertia, pose.rotation, der.inertia);
  for (let k = 0; k < 3; k++) {
    der.velocity[k] = s > 0 ? s * (der.position[k] - der.positionRate[k]) : 0;
    rate[k] = s * (der.psi[k] - der.psiRate[k]);
  }
  writeSpin(spin, der.psi, rate);
  der.spin.set(spin);
  writePose(der);
  rotate(der.momentum, 0, der.worldInertia, spin, 0);
  // the weight of welded nodes is among the rods' loads
  writeBodyLoad(der, t);
  for (let k = 0; k < 3; k++) {
    residual[k] += der.mass * inertia * (der.position[k] - der.positionHat[k]);
    if (s > 0) residual[3 + k] += s * (der.momentum[k] - der.momentumHat[k]);
  }
  der.ownResidual.set(residual);
}

/** Derivative with respect to rotation of the torque of external forces, 3 × 3 at `out`: they act off the compound's centre. */
export function writeLoadStiffness(out: Float64Array, der: DerBody, t: number): void {
  der.body.load(load, t);
  rotate(offset, 0, der.pose.rotation, der.shift, 0);
  const along = offset[0] * load[0] + offset[1] * load[1] + offset[2] * load[2];
  for (let a = 0; a < 3; a++) {
    for (let b = 0; b < 3; b++)
      out[3 * a + b] = 0.5 * (offset[a] * load[b] + load[a] * offset[b]) - (a === b ? along : 0);
  }
}

/** After a solved stage: the force and the torque that it implies, for the next trapezoidal stage. */
export function recordForces(der: DerBody, inertia: number, s: number): void {
  for (let k = 0; k < 3; k++) {
    der.force[k] = der.body.free[k] ? der.mass * inertia * (der.position[k] - der.positionHat[k]) : 0;
    der.torque[k] = der.body.free[3 + k] ? s * (der.momentum[k] - der.momentumHat[k]) : 0;
  }
}

const gyroscopic = new Float64Array(3);

/** α = I⁻¹(τ − ω × L) at the current pose; zero if the body has no inertia. */
export function writeAngularAcceleration(out: Float64Array, der: DerBody): void {
  const { momentum: L, torque } = der;
  const w = der.pose.angularVelocity;
  gyroscopic[0] = torque[0] - (w[1] * L[2] - w[2] * L[1]);
  gyroscopic[1] = torque[1] - (w[2] * L[0] - w[0] * L[2]);
  gyroscopic[2] = torque[2] - (w[0] * L[1] - w[1] * L[0]);
  solveSymmetric3(out, der.worldInertia, gyroscopic);
}

const actions: BodyActions = {
  adoptPose,
  beginStep,
  cancelStep,
  moveBody,
  recordForces,
  setBodyStage,
  syncPose,
  writeAngularAcceleration,
};
