/**
 * From edges and joints to gradient and Hessian of the rod.
 *
 * Edges are in mixed form: W = l (n·(ν − ν0) − ½ n·S⁻¹n), with the transmitted force n (material axes) an unknown of its own
 * and ν0 = e3. Its gradient is that of l n·ν alone, and the Hessian holds the geometric part of n and, condensed,
 * l AᵀSA with A = ∂ν/∂(x, ϑ): ν' = RᵀΔx'/l + ν×ϑ'. With n = S(ν − ν0) this is the plain Hessian.
 *
 * NOTE: ν0 = e3. With the exact chord of a helix, nodes would lie on the curve. But compiled rods are chains of edges that have
 * the length of their arc, and those are free of stress with e3.
 */

import { addEntry, type BorderedBand } from '../../linalg/bandMatrix.ts';
import { cos as cosine, sin } from '../../math/rounded/index.ts';
import {
  evaluateJoint,
  evaluateTangentJoint,
  gradientA,
  gradientB,
  hessianAA,
  hessianAB,
  hessianBB,
  jointEnergy,
  writeRotationRate,
} from './joint.ts';
import { closingOf } from './kinematics.ts';
import type { CosseratRod } from './rod.ts';

const moment = new Float64Array(3);
const rate = new Float64Array(3);
const rateA = new Float64Array(3);
const rateB = new Float64Array(3);

/** Adds to (row, column) blocks of unknowns; `column` ≤ `row` unless the rod is closed. */
function addBlock(matrix: BorderedBand, row: number, column: number, block: Float64Array): void {
  if (row === column) {
    for (let i = 0; i < 3; i++) for (let j = 0; j <= i; j++) addEntry(matrix, row + i, row + j, block[3 * i + j]);
    return;
  }
  for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) addEntry(matrix, row + i, column + j, block[3 * i + j]);
}

/** For the joint that closes a rod: transforms the derivatives by B from axes turned by `angle` back to B's own axes. */
function turnClosing(angle: number): void {
  const c = cosine(angle);
  const s = sin(angle);
  const pair = (a: Float64Array, i: number, j: number): void => {
    const x = a[i];
    a[i] = c * x - s * a[j];
    a[j] = s * x + c * a[j];
  };
  pair(gradientB, 0, 1);
  for (let k = 0; k < 3; k++) {
    pair(hessianAB, 3 * k, 3 * k + 1);
    pair(hessianBB, 3 * k, 3 * k + 1);
  }
  for (let k = 0; k < 3; k++) pair(hessianBB, k, 3 + k);
}

/** Angular velocity of held frame h in its own axes; `held`: −1 − h. */
function writeHeldSpin(out: Float64Array, cos: CosseratRod, held: number): void {
  const h = -1 - held;
  out.fill(0);
  addTurnedBack(out, cos.heldQuaternion, 4 * h, cos.poses[cos.heldPin[h]].angularVelocity);
}

/**
 * Writes φ̇ of joint i to `rate`, and the frames' angular velocities in the axes of the joint to `rateA` and `rateB`. A held frame turns
 * with its pin if pins are moving; in a variation of the rod it is still.
 */
function writeJointRate(cos: CosseratRod, i: number, v: Float64Array, closing: number, pins: 'moving' | 'still'): void {
  const { before, after } = cos.joints;
  for (let k = 0; k < 3; k++) {
    rateA[k] = before[i] >= 0 ? v[6 * before[i] + 3 + k] : 0;
    rateB[k] = after[i] >= 0 ? v[6 * after[i] + 3 + k] : 0;
  }
  if (pins === 'moving' && before[i] < 0) writeHeldSpin(rateA, cos, before[i]);
  if (pins === 'moving' && after[i] < 0) writeHeldSpin(rateB, cos, after[i]);
  if (closing !== 0) {
    const c = cosine(closing);
    const s = sin(closing);
    const x = rateB[0];
    rateB[0] = c * x + s * rateB[1];
    rateB[1] = c * rateB[1] - s * x;
  }
  writeRotationRate(rate, cos.jointRotation, 3 * i, rateA, 0, rateB, 0);
}

/** Rates of a displacement x at joint i: of its rotation vector and of both frames. Reused by the next call. */
export function rateOf(
  cos: CosseratRod,
  i: number,
  x: Float64Array,
): { readonly rate: Float64Array; readonly first: Float64Array; readonly second: Float64Array } {
  writeJointRate(cos, i, x, closingOf(cos, i), 'still');
  return { rate, first: rateA, second: rateB };
}

/** Moment of joint i at rest [N m]. Reused by the next call. */
export function momentOf(cos: CosseratRod, i: number): Float64Array {
  writeMoment(cos, i, undefined, 0);
  return moment;
}

/** m = K(φ − φ0 + β φ̇), into `moment`. */
function writeMoment(cos: CosseratRod, i: number, viscous: Float64Array | undefined, closing: number): void {
  const { joints, jointRotation: phi } = cos;
  const o = 3 * i;
  for (let k = 0; k < 3; k++) moment[k] = joints.stiffness[o + k] * (phi[o + k] - joints.rest[o + k]);
  if (!viscous || joints.damping[i] === 0) return;
  writeJointRate(cos, i, viscous, closing, 'moving');
  for (let k = 0; k < 3; k++) moment[k] += joints.damping[i] * joints.stiffness[o + k] * rate[k];
}

/**
 * Bend and twist: adds the gradient, and the Hessian if a matrix is given. `viscous`: velocities for stiffness damping; `s`: derivative of velocity
 * by position, which turns damping into stiffness.
 */
export function addJoints(
  cos: CosseratRod,
  gradient: Float64Array,
  matrix: BorderedBand | undefined,
  viscous: Float64Array | undefined,
  s: number,
): void {
  const { joints, jointActive } = cos;
  const withHessian = matrix !== undefined;
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i]) continue;
    const before = joints.before[i];
    const after = joints.after[i];
    if (joints.freeSpin[i]) {
      const edge = 6 * Math.max(before, after) + 3;
      evaluateHeldTangent(cos, i, withHessian ? 'hessian' : 'gradient');
      for (let k = 0; k < 3; k++) gradient[edge + k] += gradientB[k];
      if (matrix) addBlock(matrix, edge, edge, hessianBB);
      continue;
    }
    const closing = closingOf(cos, i);
    writeMoment(cos, i, viscous, closing);
    const factor = viscous ? 1 + s * joints.damping[i] : 1;
    evaluateJoint(cos.jointRotation, 3 * i, moment, joints.stiffness, factor, withHessian ? 'hessian' : 'gradient');
    if (closing !== 0) turnClosing(closing);
    const a = 6 * before + 3;
    const b = 6 * after + 3;
    if (before >= 0) {
      for (let k = 0; k < 3; k++) gradient[a + k] += gradientA[k];
      if (matrix) addBlock(matrix, a, a, hessianAA);
    }
    if (after >= 0) {
      for (let k = 0; k < 3; k++) gradient[b + k] += gradientB[k];
      if (matrix) addBlock(matrix, b, b, hessianBB);
    }
    if (!matrix || before < 0 || after < 0) continue;
    // rows belong to A
    for (let k = 0; k < 3; k++) for (let m = 0; m < 3; m++) addEntry(matrix, a + k, b + m, hessianAB[3 * k + m]);
  }
}

/**
 * A held direction: derivatives of the edge into those of B; returns the energy. Damping of such a half joint is left to mass
 * damping: it has no axes to measure rates about.
 */
export function evaluateHeldTangent(cos: CosseratRod, i: number, what: 'hessian' | 'gradient'): number {
  const { joints, edgeFrame, poses } = cos;
  const edge = Math.max(joints.before[i], joints.after[i]);
  const { tangent } = poses[joints.pin[i]];
  return evaluateTangentJoint(edgeFrame, 9 * edge, tangent, 0, joints.stiffness[3 * i], what);
}

/** Gradient of Σ l n·ν with the current forces n. */
export function addEdgeForces(cos: CosseratRod, gradient: Float64Array): void {
  const { edgeCount, nodeCount, edgeFrame, edgeStrain, edgeForce, rod } = cos;
  for (let j = 0; j < edgeCount; j++) {
    const o = 3 * j;
    const f = 9 * j;
    const n1 = edgeForce[o];
    const n2 = edgeForce[o + 1];
    const n3 = edgeForce[o + 2];
    const a = 6 * j;
    const b = j + 1 < nodeCount ? a + 6 : 0;
    for (let k = 0; k < 3; k++) {
      const force = n1 * edgeFrame[f + k] + n2 * edgeFrame[f + 3 + k] + n3 * edgeFrame[f + 6 + k];
      gradient[a + k] -= force;
      gradient[b + k] += force;
    }
    const l = rod.edgeLengthRest[j];
    const y1 = edgeStrain[o];
    const y2 = edgeStrain[o + 1];
    const y3 = edgeStrain[o + 2];
    gradient[a + 3] += l * (n2 * y3 - n3 * y2);
    gradient[a + 4] += l * (n3 * y1 - n1 * y3);
    gradient[a + 5] += l * (n1 * y2 - n2 * y1);
  }
}

const xx = new Float64Array(9);
const negative = new Float64Array(9);
const xt = new Float64Array(9);
const tx = new Float64Array(9);
const tt = new Float64Array(9);
const sn = new Float64Array(9);

/** Hessian of edge j for stiffness S (3 per edge in `stiffness`) and the current force n. */
export function addEdgeHessian(matrix: BorderedBand, cos: CosseratRod, j: number, stiffness: Float64Array): void {
  const { edgeFrame, edgeStrain, edgeForce, nodeCount, rod } = cos;
  const o = 3 * j;
  const f = 9 * j;
  const l = rod.edgeLengthRest[j];
  const [y1, y2, y3] = [edgeStrain[o], edgeStrain[o + 1], edgeStrain[o + 2]];
  const [n1, n2, n3] = [edgeForce[o], edgeForce[o + 1], edgeForce[o + 2]];
  const s1 = stiffness[o];
  const s2 = stiffness[o + 1];
  const s3 = stiffness[o + 2];
  // S[ν] − [n]: derivative of the force by a rotation, in material axes
  sn.set([0, -s1 * y3 + n3, s1 * y2 - n2, s2 * y3 - n3, 0, -s2 * y1 + n1, -s3 * y2 + n2, s3 * y1 - n1, 0]);
  for (let i = 0; i < 3; i++) {
    for (let k = 0; k < 3; k++) {
      xx[3 * i + k] =
        (s1 * edgeFrame[f + i] * edgeFrame[f + k] +
          s2 * edgeFrame[f + 3 + i] * edgeFrame[f + 3 + k] +
          s3 * edgeFrame[f + 6 + i] * edgeFrame[f + 6 + k]) /
        l;
      negative[3 * i + k] = -xx[3 * i + k];
      xt[3 * i + k] = edgeFrame[f + i] * sn[k] + edgeFrame[f + 3 + i] * sn[3 + k] + edgeFrame[f + 6 + i] * sn[6 + k];
    }
  }
  for (let i = 0; i < 3; i++) for (let k = 0; k < 3; k++) tx[3 * i + k] = -xt[3 * k + i];
  // l[ν]ᵀS[ν] + l(½(nνᵀ + νnᵀ) − (n·ν)1)
  const along = n1 * y1 + n2 * y2 + n3 * y3;
  tt[0] = l * (s2 * y3 * y3 + s3 * y2 * y2 + n1 * y1 - along);
  tt[4] = l * (s1 * y3 * y3 + s3 * y1 * y1 + n2 * y2 - along);
  tt[8] = l * (s1 * y2 * y2 + s2 * y1 * y1 + n3 * y3 - along);
  tt[1] = tt[3] = l * (-s3 * y1 * y2 + 0.5 * (n1 * y2 + n2 * y1));
  tt[2] = tt[6] = l * (-s2 * y1 * y3 + 0.5 * (n1 * y3 + n3 * y1));
  tt[5] = tt[7] = l * (-s1 * y2 * y3 + 0.5 * (n2 * y3 + n3 * y2));
  const a = 6 * j;
  const b = j + 1 < nodeCount ? a + 6 : 0;
  addBlock(matrix, a, a, xx);
  addBlock(matrix, b, b, xx);
  addBlock(matrix, a + 3, a + 3, tt);
  addBlock(matrix, b, a, negative);
  addBlock(matrix, b, a + 3, xt);
  // ϑ against the node before: the transpose, and minus
  addBlock(matrix, a + 3, a, tx);
}

/** Force n = S(ν − e3), if S is finite. */
export function stretchForces(cos: CosseratRod): void {
  const { edgeCount, edgeStrain, edgeForce, edgeStiffness } = cos;
  for (let o = 0; o < 3 * edgeCount; o++) {
    if (edgeStiffness[o] < Infinity) edgeForce[o] = edgeStiffness[o] * (edgeStrain[o] - (o % 3 === 2 ? 1 : 0));
  }
}

export interface ElasticEnergies {
  bending: number;
  twisting: number;
  stretching: number;
}

/** Elastic energies; shear counts as stretching. */
export function addElasticEnergies(cos: CosseratRod, out: ElasticEnergies): void {
  const { joints, jointActive, jointRotation, edgeCount, edgeStrain, edgeStiffness, rod } = cos;
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i]) continue;
    if (joints.freeSpin[i]) out.bending += evaluateHeldTangent(cos, i, 'gradient');
    else jointEnergy(out, jointRotation, 3 * i, joints.stiffness, joints.rest);
  }
  for (let o = 0; o < 3 * edgeCount; o++) {
    if (!(edgeStiffness[o] < Infinity)) continue;
    const strain = edgeStrain[o] - (o % 3 === 2 ? 1 : 0);
    out.stretching += 0.5 * rod.edgeLengthRest[(o / 3) | 0] * edgeStiffness[o] * strain * strain;
  }
}

/** Torque [N m] that the holder of each held frame exerts on the rod, in world axes, 3 per frame; with rates `v`, damping included. */
export function writeHeldTorque(out: Float64Array, cos: CosseratRod, v?: Float64Array): void {
  const { joints, jointActive, heldQuaternion, edgeFrame } = cos;
  out.fill(0);
  for (let i = 0; i < joints.count; i++) {
    const before = joints.before[i];
    const after = joints.after[i];
    if (!jointActive[i] || (before >= 0 && after >= 0)) continue;
    const h = -1 - Math.min(before, after);
    const edge = Math.max(before, after);
    if (joints.freeSpin[i]) {
      // reaction on the holder: the negative gradient of the edge, in world axes
      evaluateHeldTangent(cos, i, 'gradient');
      for (let k = 0; k < 3; k++) {
        for (let m = 0; m < 3; m++) out[3 * h + k] -= edgeFrame[9 * edge + 3 * m + k] * gradientB[m];
      }
      continue;
    }
    const closing = closingOf(cos, i);
    writeMoment(cos, i, v, closing);
    evaluateJoint(cos.jointRotation, 3 * i, moment, joints.stiffness, 1, 'gradient');
    if (closing !== 0) turnClosing(closing);
    addRotated(out, 3 * h, heldQuaternion, 4 * h, before < 0 ? gradientA : gradientB);
  }
}

/** out += R(q)ᵀ v */
function addTurnedBack(out: Float64Array, q: Float64Array, i: number, v: Float64Array): void {
  const [w, x, y, z] = [q[i], -q[i + 1], -q[i + 2], -q[i + 3]];
  const tx = 2 * (y * v[2] - z * v[1]);
  const ty = 2 * (z * v[0] - x * v[2]);
  const tz = 2 * (x * v[1] - y * v[0]);
  out[0] += v[0] + w * tx + y * tz - z * ty;
  out[1] += v[1] + w * ty + z * tx - x * tz;
  out[2] += v[2] + w * tz + x * ty - y * tx;
}

/** out += R(q) v */
function addRotated(out: Float64Array, o: number, q: Float64Array, i: number, v: Float64Array): void {
  const [w, x, y, z] = [q[i], q[i + 1], q[i + 2], q[i + 3]];
  const tx = 2 * (y * v[2] - z * v[1]);
  const ty = 2 * (z * v[0] - x * v[2]);
  const tz = 2 * (x * v[1] - y * v[0]);
  out[o] += v[0] + w * tx + y * tz - z * ty;
  out[o + 1] += v[1] + w * ty + z * tx - x * tz;
  out[o + 2] += v[2] + w * tz + x * ty - y * tx;
}
