/**
 * Hinges: a held frame that may turn about one axis of its holder.
 *
 * The angle α has no inertia and no friction: the torque about the axis is zero for any state of the rod. So it is not an unknown of the rod but a
 * minimization inside the adjacent half joints, E*(q, φ) = min_α E(q, φ, α): the gradient of E* is that of E at the minimum, its Hessian that of E minus
 * the rank-one term H_α H_αᵀ/H_αα. Statics, modes, welds and every implicit scheme see a hinge only through these two. Within a rod both half joints
 * share α, which couples the edges before and after it as a joint without a hinge would.
 *
 * α is computed from the state alone, starting from the frame aligned with the edge: it is not part of the state.
 */
import { cos, hypot, sin } from '../../math/rounded/index.ts';
import { angleAbout3 } from '../../math/vec3.ts';
import { addViscous, evaluateDamping, gatherMotion } from './damping.ts';
import { addMixed, type HeldBlock } from './held.ts';
import type { HingeParts } from './hingeParts.ts';
import { addCongruence, addCurvatureOfPrimitives, D, evaluateJoint, H, P, strainOut } from './joint.ts';
import { measureReferenceTwist, turnHeldFrames } from './kinematics.ts';
import type { DerRod } from './rod.ts';
import { GRADIENT, HESSIAN } from './strain.ts';

const across = new Float64Array(6);
const mean = new Float64Array(3);
/** (a × t, t·a): how the four variables of the held frame move with α. */
const column = new Float64Array(4);

/** v rotated by the angle about the unit axis, at offset o. */
function turn(out: Float64Array, o: number, v: Float64Array, axis: Float64Array, angle: number): void {
  const c = cos(angle);
  const s = sin(angle);
  const x = axis[o];
  const y = axis[o + 1];
  const z = axis[o + 2];
  const along = (1 - c) * (x * v[o] + y * v[o + 1] + z * v[o + 2]);
  out[o] = c * v[o] + s * (y * v[o + 2] - z * v[o + 1]) + along * x;
  out[o + 1] = c * v[o + 1] + s * (z * v[o] - x * v[o + 2]) + along * y;
  out[o + 2] = c * v[o + 2] + s * (x * v[o + 1] - y * v[o]) + along * z;
}

/** Held frame h rotated by its angle from the holder's frame. */
function turnHinge(der: DerRod, h: number): void {
  const { held } = der;
  turn(held.tangent, 3 * h, held.baseTangent, held.axis, held.angle[h]);
  turn(held.director, 3 * h, held.baseDirector, held.axis, held.angle[h]);
}

/** Writes the part of v perpendicular to the axis; returns its length. */
function writeAcross(out: number, v: Float64Array, i: number, axis: Float64Array, o: number): number {
  const along = v[i] * axis[o] + v[i + 1] * axis[o + 1] + v[i + 2] * axis[o + 2];
  for (let k = 0; k < 3; k++) across[out + k] = v[i + k] - along * axis[o + k];
  return hypot(across[out], across[out + 1], across[out + 2]);
}

/** Sum over the edges at hinge h. */
function writeMean(der: DerRod, h: number, ofEdge: Float64Array): void {
  const { held, joints } = der;
  const before = held.joints[2 * h];
  const after = held.joints[2 * h + 1];
  for (let k = 0; k < 3; k++)
    mean[k] =
      (before < 0 ? 0 : ofEdge[3 * joints.before[before] + k]) + (after < 0 ? 0 : ofEdge[3 * joints.after[after] + k]);
}

/** Angle that aligns the frame with the edges; if the axis is along the edges, the angle that aligns the material axes. */
function guessAngle(der: DerRod, h: number): number {
  const { held, edgeTangent, edgeM1 } = der;
  const o = 3 * h;
  writeMean(der, h, edgeTangent);
  if (writeAcross(0, held.baseTangent, o, held.axis, o) > 1e-3 && writeAcross(3, mean, 0, held.axis, o) > 1e-3)
    return angleAbout3(across, 0, across, 3, held.axis, o);
  writeMean(der, h, edgeM1);
  writeAcross(0, held.baseDirector, o, held.axis, o);
  writeAcross(3, mean, 0, held.axis, o);
  return angleAbout3(across, 0, across, 3, held.axis, o);
}

/** Derivatives by α of the four variables of held frame h; call after `evaluateJoint`. */
function writeColumn(der: DerRod, h: number, own: number): void {
  const { axis } = der.held;
  const o = 3 * h;
  const t = own === 0 ? 0 : 3;
  const [x, y, z] = [axis[o], axis[o + 1], axis[o + 2]];
  column[0] = y * P[t + 2] - z * P[t + 1];
  column[1] = z * P[t] - x * P[t + 2];
  column[2] = x * P[t + 1] - y * P[t];
  column[3] = x * P[t] + y * P[t + 1] + z * P[t + 2];
}

/** columnᵀ H column */
function measureColumn(own: number): number {
  let sum = 0;
  for (let m = 0; m < 4; m++) for (let n = 0; n < 4; n++) sum += column[m] * column[n] * hessian(own + m, own + n);
  return sum;
}

/** First and second derivative of the joint's energy by α; call after `evaluateJoint`, with its second derivatives in H. */
function slopeAndCurvature(der: DerRod, h: number, own: number): { slope: number; curvature: number } {
  const { axis } = der.held;
  const o = 3 * h;
  writeColumn(der, h, own);
  let slope = 0;
  let curvature = measureColumn(own);
  for (let m = 0; m < 4; m++) {
    let g = 0;
    for (let k = 0; k < 3; k++) g += strainOut[GRADIENT + k] * D[8 * k + own + m];
    slope += g * column[m];
    // second-order part of turning the tangent: a(a·t) − t, of which only the first term changes the energy
    if (m < 3) curvature += g * axis[o + m] * column[3];
  }
  return { slope, curvature };
}

const hessian = (a: number, b: number): number => (a >= b ? H[8 * a + b] : H[8 * b + a]);

/** Energy's second derivatives of half joint i in H. */
function evaluateCurvature(der: DerRod, i: number): boolean {
  if (!evaluateJoint(der, i)) return false;
  H.fill(0);
  addCongruence(strainOut, HESSIAN, 1);
  addCurvatureOfPrimitives();
  return true;
}

const viscous = new Float64Array(8);

/** Angular velocity of every hinged frame: its holder's, and about the axis the one at which damping has no torque there. */
function spinHinges(der: DerRod, v: Float64Array): void {
  const { held, joints, poses } = der;
  for (let h = 0; h < held.count; h++) {
    if (!held.hinged[h] || !isActive(der, h)) continue;
    held.spin.set(poses[held.pin[h]].angularVelocity, 3 * h);
    let slope = 0;
    let curvature = 0;
    for (let side = 0; side < 2; side++) {
      const i = held.joints[2 * h + side];
      if (i < 0 || joints.damping[i] === 0 || !evaluateDamping(der, i, 1)) continue;
      const own = side ? 0 : 4;
      writeColumn(der, h, own);
      curvature += measureColumn(own);
      gatherMotion(der, i, v);
      viscous.fill(0);
      addViscous(viscous, joints.damping[i]);
      for (let m = 0; m < 4; m++) slope += viscous[own + m] * column[m];
    }
    for (let k = 0; k < 3 && curvature > 0; k++) held.spin[3 * h + k] -= (slope / curvature) * held.axis[3 * h + k];
  }
}

/** Slope and curvature of the energy of all half joints at hinge h in α, at its current angle; zero if one cannot be evaluated. */
function evaluateAngle(der: DerRod, h: number): { slope: number; curvature: number } | undefined {
  const { held, joints, jointTwist, jointReferenceTwist, q } = der;
  turnHinge(der, h);
  turnHeldFrames(held);
  let slope = 0;
  let curvature = 0;
  for (let side = 0; side < 2; side++) {
    const i = held.joints[2 * h + side];
    if (i < 0) continue;
    measureReferenceTwist(der, i);
    const own = held.theta[h];
    const twist = side ? q[4 * joints.after[i] + 3] - own : own - q[4 * joints.before[i] + 3];
    jointTwist[i] = twist + jointReferenceTwist[i];
    if (!evaluateCurvature(der, i)) return undefined;
    const one = slopeAndCurvature(der, h, side ? 0 : 4);
    slope += one.slope;
    curvature += one.curvature;
  }
  return { slope, curvature };
}

/** Turns every hinged frame to zero torque about its axis. Edges and material frames must be up to date. */
function swingHinges(der: DerRod): void {
  const { held } = der;
  for (let h = 0; h < held.count; h++) {
    if (!held.hinged[h] || !isActive(der, h)) continue;
    held.angle[h] = guessAngle(der, h);
    for (let iteration = 0; iteration < 20; iteration++) {
      const now = evaluateAngle(der, h);
      if (!now || !(now.curvature > 0)) break;
      const move = -now.slope / now.curvature;
      if (Math.abs(move) < 1e-15) break;
      held.angle[h] += Math.max(-0.5, Math.min(0.5, move));
    }
  }
}

/** True if the pin of held frame h is active. */
function isActive({ held, jointActive }: DerRod, h: number): boolean {
  const i = held.joints[2 * h] >= 0 ? held.joints[2 * h] : held.joints[2 * h + 1];
  return jointActive[i] === 1;
}

/** ∂²E/∂α∂(e, θ) of the edges before and after a hinge. */
const mixed = new Float64Array(8);

/**
 * Fills `mixed`; returns ∂²E/∂α², 0 if there is nothing to eliminate. With a rate scale, of its damping in place of its energy:
 * both torques about the axis vanish, that of the energy at α and that of damping at α̇.
 */
function measureAngle(der: DerRod, h: number, rateScale: number): number {
  const { held } = der;
  mixed.fill(0);
  let sum = 0;
  for (let side = 0; side < 2; side++) {
    const i = held.joints[2 * h + side];
    if (i < 0) continue;
    const own = side ? 0 : 4;
    if (rateScale > 0) {
      if (!evaluateDamping(der, i, rateScale)) return 0;
      writeColumn(der, h, own);
      sum += measureColumn(own);
    } else {
      if (!evaluateCurvature(der, i)) return 0;
      sum += slopeAndCurvature(der, h, own).curvature;
    }
    for (let n = 0; n < 4; n++)
      for (let m = 0; m < 4; m++) mixed[4 * side + n] += column[m] * hessian(own + m, 4 - own + n);
  }
  return sum > 0 ? sum : 0;
}

/**
 * Contribution of eliminating α of hinge h to the second derivatives in (e, θe, f, θf) of the edges before and after it: −m mᵀ/c, into H. Returns the
 * joint with these variables, −1 if there is no contribution. With a rate scale, of damping; see `measureAngle`.
 */
function condenseHinge(der: DerRod, h: number, rateScale: number): number {
  if (!isActive(der, h)) return -1;
  const curvature = measureAngle(der, h, rateScale);
  if (curvature === 0) return -1;
  for (let a = 0; a < 8; a++) for (let b = 0; b <= a; b++) H[8 * a + b] = -(mixed[a] * mixed[b]) / curvature;
  const before = der.held.joints[2 * h];
  const after = der.held.joints[2 * h + 1];
  // within a rod the joint that replaces the hinge after its release lies between the same edges
  return before < 0 ? after : after < 0 ? before : after + 1;
}

const turning = new Float64Array(3);

/**
 * The same for a frame that a body holds: `rotation` (3 × 3) of all its half joints, the torque of its holder, and the mixed derivatives
 * with the unknowns, row a of which begins at `at` + a·size. A turn φ of the body and one of α do not commute, which adds
 * ½ a × τ to their mixed derivative.
 */
function condenseHeldHinge(
  rotation: Float64Array,
  torque: Float64Array,
  out: Float64Array,
  der: DerRod,
  { h, at, rateScale }: HeldBlock,
): void {
  const { axis, joints } = der.held;
  const curvature = measureAngle(der, h, rateScale);
  if (curvature === 0) return;
  const o = 3 * h;
  for (let k = 0; k < 3; k++) {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    let sum = 0.5 * (axis[o + a] * torque[b] - axis[o + b] * torque[a]);
    for (let m = 0; m < 3; m++) sum += rotation[3 * k + m] * axis[o + m];
    turning[k] = sum;
  }
  for (let a = 0; a < 3; a++) {
    for (let b = 0; b < 3; b++) rotation[3 * a + b] -= (turning[a] * turning[b]) / curvature;
    for (let side = 0; side < 2; side++) {
      const i = joints[2 * h + side];
      if (i >= 0) addMixed(out, at + a * der.size, der, i, mixed, 4 * side, -turning[a] / curvature);
    }
  }
}

/** What rods with hinges need beyond other rods. */
export const hingeParts: HingeParts = {
  turn: turnHinge,
  swing: swingHinges,
  spin: spinHinges,
  condense: condenseHinge,
  condenseHeld: condenseHeldHinge,
};
