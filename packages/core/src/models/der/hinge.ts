/**
 * Hinged ends: a held frame that may turn about one axis of what holds it.
 *
 * The angle α has no inertia and no friction: it is where the torque about the axis is zero, for any place of the rod. So it is no
 * unknown of the rod but a minimisation inside the one half joint beside it, E*(q, φ) = min_α E(q, φ, α): the gradient of E* is
 * that of E at the minimum, its Hessian that of E less the rank-one term H_α H_αᵀ/H_αα. Statics, modes, welds and every implicit
 * scheme see a hinge through these two alone.
 *
 * α is found from the state alone, starting where the frame lies along the edge: nothing has to be remembered.
 */
import { angleAbout3 } from '../../math/vec3.ts';
import { addCongruence, addCurvatureOfPrimitives, D, evaluateJoint, H, P, strainOut } from './joint.ts';
import { measureReferenceTwist, turnHeldFrames } from './kinematics.ts';
import type { DerRod } from './rod.ts';
import { GRADIENT, HESSIAN } from './strain.ts';

const across = new Float64Array(6);
/** (a × t, t·a): how the four variables of the held frame move with α. */
const column = new Float64Array(4);

/** v rotated by the angle about the unit axis, at offset o. */
function turn(out: Float64Array, o: number, v: Float64Array, axis: Float64Array, angle: number): void {
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  const x = axis[o];
  const y = axis[o + 1];
  const z = axis[o + 2];
  const along = (1 - c) * (x * v[o] + y * v[o + 1] + z * v[o + 2]);
  out[o] = c * v[o] + s * (y * v[o + 2] - z * v[o + 1]) + along * x;
  out[o + 1] = c * v[o + 1] + s * (z * v[o] - x * v[o + 2]) + along * y;
  out[o + 2] = c * v[o + 2] + s * (x * v[o + 1] - y * v[o]) + along * z;
}

/** Held frame h turned by its angle from where the holder has it. */
export function turnHinge(der: DerRod, h: number): void {
  const { held } = der;
  turn(held.tangent, 3 * h, held.baseTangent, held.axis, held.angle[h]);
  turn(held.director, 3 * h, held.baseDirector, held.axis, held.angle[h]);
}

/** Writes the part of v across the axis; returns its length. */
function writeAcross(out: number, v: Float64Array, i: number, axis: Float64Array, o: number): number {
  const along = v[i] * axis[o] + v[i + 1] * axis[o + 1] + v[i + 2] * axis[o + 2];
  for (let k = 0; k < 3; k++) across[out + k] = v[i + k] - along * axis[o + k];
  return Math.hypot(across[out], across[out + 1], across[out + 2]);
}

/** Where the frame lies along the edge; where the axis does so itself, where the material axes agree. */
function guessAngle(der: DerRod, h: number, edge: number): number {
  const { held, edgeTangent, edgeM1 } = der;
  const o = 3 * h;
  if (
    writeAcross(0, held.baseTangent, o, held.axis, o) > 1e-3 &&
    writeAcross(3, edgeTangent, 3 * edge, held.axis, o) > 1e-3
  )
    return angleAbout3(across, 0, across, 3, held.axis, o);
  writeAcross(0, held.baseDirector, o, held.axis, o);
  writeAcross(3, edgeM1, 3 * edge, held.axis, o);
  return angleAbout3(across, 0, across, 3, held.axis, o);
}

/** Slope and curvature of the joint's energy in α, from what `evaluateJoint` left; H must hold its second derivatives. */
function slopeAndCurvature(der: DerRod, h: number, own: number): { slope: number; curvature: number } {
  const { axis } = der.held;
  const o = 3 * h;
  const t = own === 0 ? 0 : 3;
  const [x, y, z] = [axis[o], axis[o + 1], axis[o + 2]];
  column[0] = y * P[t + 2] - z * P[t + 1];
  column[1] = z * P[t] - x * P[t + 2];
  column[2] = x * P[t + 1] - y * P[t];
  column[3] = x * P[t] + y * P[t + 1] + z * P[t + 2];
  let slope = 0;
  let curvature = 0;
  for (let m = 0; m < 4; m++) {
    let g = 0;
    for (let k = 0; k < 3; k++) g += strainOut[GRADIENT + k] * D[8 * k + own + m];
    slope += g * column[m];
    // second-order part of turning the tangent: a(a·t) − t, of which the energy feels the first alone
    if (m < 3) curvature += g * axis[o + m] * column[3];
    for (let n = 0; n < 4; n++) curvature += column[m] * column[n] * hessian(own + m, own + n);
  }
  return { slope, curvature };
}

const hessian = (a: number, b: number): number => (a >= b ? H[8 * a + b] : H[8 * b + a]);

/** Turns every hinged frame to where the torque about its axis is zero. Edges and material frames must be up to date. */
export function swingHinges(der: DerRod): void {
  const { held, joints, jointActive, jointTwist, jointReferenceTwist, q } = der;
  for (let i = 0; i < joints.count; i++) {
    const before = joints.before[i];
    const after = joints.after[i];
    const h = before < 0 ? -1 - before : after < 0 ? -1 - after : -1;
    if (h < 0 || !held.hinged[h] || !jointActive[i]) continue;
    const edge = before < 0 ? after : before;
    held.angle[h] = guessAngle(der, h, edge);
    for (let iteration = 0; iteration < 20; iteration++) {
      turnHinge(der, h);
      turnHeldFrames(held);
      measureReferenceTwist(der, i);
      const own = held.theta[h];
      const twist = before < 0 ? q[4 * after + 3] - own : own - q[4 * before + 3];
      jointTwist[i] = twist + jointReferenceTwist[i];
      if (!evaluateJoint(der, i)) break;
      H.fill(0);
      addCongruence(strainOut, HESSIAN, 1);
      addCurvatureOfPrimitives();
      const { slope, curvature } = slopeAndCurvature(der, h, before < 0 ? 0 : 4);
      if (!(curvature > 0)) break;
      const move = -slope / curvature;
      if (Math.abs(move) < 1e-15) break;
      held.angle[h] += Math.max(-0.5, Math.min(0.5, move));
    }
  }
}

/** Which held frame of joint i is hinged; −1 for none. */
export function hingeOf(der: DerRod, i: number): number {
  const before = der.joints.before[i];
  const after = der.joints.after[i];
  const h = before < 0 ? -1 - before : after < 0 ? -1 - after : -1;
  return h >= 0 && der.held.hinged[h] ? h : -1;
}

/** Takes α out of the elastic second derivatives of joint i in H: what is left is how the edge feels the hinge. */
export function condenseHinge(der: DerRod, i: number, h: number): void {
  const own = der.joints.before[i] < 0 ? 0 : 4;
  const other = 4 - own;
  const { curvature } = slopeAndCurvature(der, h, own);
  if (!(curvature > 0)) return;
  const mixed = mixedWithAngle(own, other);
  for (let a = 0; a < 4; a++)
    for (let b = 0; b <= a; b++) H[8 * (other + a) + other + b] -= (mixed[a] * mixed[b]) / curvature;
}

const mixedOut = new Float64Array(4);

/** ∂²E/∂α∂(edge's four variables). */
function mixedWithAngle(own: number, other: number): Float64Array {
  for (let n = 0; n < 4; n++) {
    mixedOut[n] = 0;
    for (let m = 0; m < 4; m++) mixedOut[n] += column[m] * hessian(own + m, other + n);
  }
  return mixedOut;
}

/**
 * The same for a frame that a body holds: `rotation` (3 × 3) and `mixed` (3 × 4, with the edge's variables) of this one joint, and the
 * torque of its holder. A turn φ of the body and one of α do not commute, which adds ½ a × τ to their mixed derivative.
 */
export function condenseHeldHinge(
  der: DerRod,
  i: number,
  h: number,
  rotation: Float64Array,
  mixed: Float64Array,
  torque: Float64Array,
): void {
  const own = der.joints.before[i] < 0 ? 0 : 4;
  const { curvature } = slopeAndCurvature(der, h, own);
  if (!(curvature > 0)) return;
  const { axis } = der.held;
  const o = 3 * h;
  const side = [0, 1, 2].map((k) => {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    let sum = 0.5 * (axis[o + a] * torque[b] - axis[o + b] * torque[a]);
    for (let m = 0; m < 3; m++) sum += rotation[3 * k + m] * axis[o + m];
    return sum;
  });
  const edge = mixedWithAngle(own, 4 - own);
  for (let a = 0; a < 3; a++) {
    for (let b = 0; b < 3; b++) rotation[3 * a + b] -= (side[a] * side[b]) / curvature;
    for (let n = 0; n < 4; n++) mixed[4 * a + n] -= (side[a] * edge[n]) / curvature;
  }
}
