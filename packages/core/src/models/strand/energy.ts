/**
 * Energy of a joint that is bent and twisted: three laws of the deformation quaternion Δ = (w, x, y, z), w ≥ 0, with the twist about z. All are linear
 * with stiffness K/2 for small angles and grow without bound towards half a turn, as tan(θ/2) [Hadap2006 eq. 18]; K = 2EI/l for a joint of length l.
 *
 * - `gibbs` (default): U = gᵀKg with g = (x, y, z)/w. Conservative and anisotropic.
 * - `swing-twist`: U = −Kb ln n² − Kt ln(w²/n²), n² = w² + z². Conservative; the paper's law and one cross term. Isotropic.
 * - `paper`: as printed, on Δ.
 *
 * Torques are those on the child in the axes in which Δ is written; tangents are ∂τ/∂θ for Δ → Δ exp(θ).
 * NOTE: where this differs from the paper, and why: docs/notes/strand.md#laws-of-joints.
 */

import { log1p } from '../../math/rounded/index.ts';
import type { StrandTree } from './rod.ts';
import { invert3 } from './spatial.ts';

export type JointLaw = 'gibbs' | 'swing-twist' | 'paper';

/** Rows: how (bend x, bend y, twist) = (gx, gy, gt) of swing and twist change with a small turn; and their values. */
const slope = new Float64Array(9);
const angles = new Float64Array(3);

/** tan(bend/2) along x and y, and tan(twist/2). */
function measureSwingTwist(D: Float64Array, i: number, sign: number, what: 'slopes' | 'values'): void {
  const w = sign * D[i];
  const x = sign * D[i + 1];
  const y = sign * D[i + 2];
  const z = sign * D[i + 3];
  const s = 1 / (w * w + z * z);
  const gx = (w * x + y * z) * s;
  const gy = (w * y - z * x) * s;
  const gt = z / w;
  angles[0] = gx;
  angles[1] = gy;
  angles[2] = gt;
  if (what === 'values') return;
  for (let k = 0; k < 3; k++) {
    // δΔ = ½ Δ (0, e_k)
    const dw = -0.5 * (k === 0 ? x : k === 1 ? y : z);
    const dx = 0.5 * (k === 0 ? w : k === 1 ? -z : y);
    const dy = 0.5 * (k === 0 ? z : k === 1 ? w : -x);
    const dz = 0.5 * (k === 0 ? -y : k === 1 ? x : w);
    const dn = 2 * (w * dw + z * dz);
    slope[k] = (dw * x + w * dx + dy * z + y * dz - gx * dn) * s;
    slope[3 + k] = (dw * y + w * dy - dz * x - z * dx - gy * dn) * s;
    slope[6 + k] = (dz - gt * dw) / w;
  }
}

/** tan(bend/2) along x and y and tan(twist/2) of Δ, and how they change with a turn, 3 × 3 by rows. */
export function writeSwingTwist(out: Float64Array, slopes: Float64Array, D: Float64Array, i: number): void {
  measureSwingTwist(D, i, signOf(D, i), 'slopes');
  out.set(angles);
  slopes.set(slope);
}

const signOf = (D: Float64Array, i: number): number => (D[i] < 0 ? -1 : 1);

/** The paper's anisotropy: a stiffness that depends on the direction of the bend axis, K(b) = K1 b1² + K2 b2². */
function stiffnessAlong(gx: number, gy: number, K1: number, K2: number): number {
  const square = gx * gx + gy * gy;
  return square > 0 ? (K1 * gx * gx + K2 * gy * gy) / square : K1;
}

/** Torque of joint j on the child [N m], from its deformation (in D, 4 numbers per joint) and stiffness (in K, 3 per joint). */
export function writeJointTorque(out: Float64Array, law: JointLaw, D: Float64Array, K: Float64Array, j: number): void {
  const [i, k] = [4 * j, 3 * j];
  if (law === 'gibbs') {
    const s = 1 / D[i];
    const gx = D[i + 1] * s;
    const gy = D[i + 2] * s;
    const gz = D[i + 3] * s;
    const ax = K[k] * gx;
    const ay = K[k + 1] * gy;
    const az = K[k + 2] * gz;
    const along = gx * ax + gy * ay + gz * az;
    out[0] = -(ax - (gy * az - gz * ay) + gx * along);
    out[1] = -(ay - (gz * ax - gx * az) + gy * along);
    out[2] = -(az - (gx * ay - gy * ax) + gz * along);
    return;
  }
  measureSwingTwist(D, i, signOf(D, i), 'values');
  const [gx, gy, gt] = angles;
  const cross = law === 'paper' ? 0 : K[k + 2] * gt;
  const Kb = law === 'paper' ? stiffnessAlong(gx, gy, K[k], K[k + 1]) : K[k];
  out[0] = -(Kb * gx - cross * gy);
  out[1] = -(Kb * gy + cross * gx);
  out[2] = -K[k + 2] * gt;
}

const left = new Float64Array(9);
const right = new Float64Array(9);

/** ∂τ/∂θ of joint j, 3 × 3 by rows. */
export function writeJointTangent(out: Float64Array, law: JointLaw, D: Float64Array, K: Float64Array, j: number): void {
  if (law === 'gibbs') writeGibbsTangent(out, D, K, j);
  else writeSwingTwistTangent(out, law, D, K, j);
}

/** Tangent with Gibbs vectors: the product of two matrices, ∂τ/∂g and ∂g/∂θ. */
function writeGibbsTangent(out: Float64Array, D: Float64Array, K: Float64Array, j: number): void {
  const s = 1 / D[4 * j];
  const gx = D[4 * j + 1] * s;
  const gy = D[4 * j + 2] * s;
  const gz = D[4 * j + 3] * s;
  writeGibbsSlope(left, gx, gy, gz, K, 3 * j);
  // δg = ½ (1 + [g] + g gᵀ) δθ
  right[0] = 1 + gx * gx;
  right[1] = -gz + gx * gy;
  right[2] = gy + gx * gz;
  right[3] = gz + gy * gx;
  right[4] = 1 + gy * gy;
  right[5] = -gx + gy * gz;
  right[6] = -gy + gz * gx;
  right[7] = gx + gz * gy;
  right[8] = 1 + gz * gz;
  for (let r = 0; r < 9; r += 3) {
    const x = -0.5 * left[r];
    const y = -0.5 * left[r + 1];
    const z = -0.5 * left[r + 2];
    out[r] = x * right[0] + y * right[3] + z * right[6];
    out[r + 1] = x * right[1] + y * right[4] + z * right[7];
    out[r + 2] = x * right[2] + y * right[5] + z * right[8];
  }
}

/** −∂τ/∂g: K + [Kg] − [g]K + (g·Kg) + 2 g (Kg)ᵀ, 3 × 3 by rows. */
function writeGibbsSlope(out: Float64Array, gx: number, gy: number, gz: number, K: Float64Array, k: number): void {
  const ax = K[k] * gx;
  const ay = K[k + 1] * gy;
  const az = K[k + 2] * gz;
  const along = gx * ax + gy * ay + gz * az;
  out[0] = K[k] + along + 2 * gx * ax;
  out[1] = -az + gz * K[k + 1] + 2 * gx * ay;
  out[2] = ay - gy * K[k + 2] + 2 * gx * az;
  out[3] = az - gz * K[k] + 2 * gy * ax;
  out[4] = K[k + 1] + along + 2 * gy * ay;
  out[5] = -ax + gx * K[k + 2] + 2 * gy * az;
  out[6] = -ay + gy * K[k] + 2 * gz * ax;
  out[7] = ax - gx * K[k + 1] + 2 * gz * ay;
  out[8] = K[k + 2] + along + 2 * gz * az;
}

function writeSwingTwistTangent(out: Float64Array, law: JointLaw, D: Float64Array, K: Float64Array, j: number): void {
  const [i, k] = [4 * j, 3 * j];
  measureSwingTwist(D, i, signOf(D, i), 'slopes');
  const [gx, gy, gt] = angles;
  const Kt = K[k + 2];
  const paper = law === 'paper';
  const Kb = paper ? stiffnessAlong(gx, gy, K[k], K[k + 1]) : K[k];
  // K(b) turns with the axis: ∂K/∂gx = 2 gx (K1 − K)/g², and so for gy
  const square = gx * gx + gy * gy;
  const slopeX = paper && square > 0 ? (2 * gx * (K[k] - Kb)) / square : 0;
  const slopeY = paper && square > 0 ? (2 * gy * (K[k + 1] - Kb)) / square : 0;
  const cross = paper ? 0 : Kt;
  for (let c = 0; c < 3; c++) {
    const dx = slope[c];
    const dy = slope[3 + c];
    const dt = slope[6 + c];
    const dK = slopeX * dx + slopeY * dy;
    out[c] = -(Kb * dx + dK * gx - cross * (gt * dy + dt * gy));
    out[3 + c] = -(Kb * dy + dK * gy + cross * (gt * dx + dt * gx));
    out[6 + c] = -Kt * dt;
  }
}

/** Adds bending and twisting energy of joint j [J]. The law `paper` has no energy; that of `swing-twist` is used instead. */
export function addJointEnergy(
  out: { bending: number; twisting: number },
  law: JointLaw,
  D: Float64Array,
  K: Float64Array,
  j: number,
): void {
  const [i, k] = [4 * j, 3 * j];
  const w = D[i];
  const x = D[i + 1];
  const y = D[i + 2];
  const z = D[i + 3];
  if (law === 'gibbs') {
    out.bending += (K[k] * x * x + K[k + 1] * y * y) / (w * w);
    out.twisting += (K[k + 2] * z * z) / (w * w);
    return;
  }
  // n² = 1 − x² − y² and w² = n² − z², so that small angles do not cancel
  const bend = x * x + y * y;
  const Kb = law === 'paper' ? stiffnessAlong(x, y, K[k], K[k + 1]) : K[k];
  out.bending -= Kb * log1p(-bend);
  out.twisting -= K[k + 2] * log1p((-z * z) / (1 - bend));
}

const trial = new Float64Array(4);
const torque = new Float64Array(3);
const tangent = new Float64Array(9);

/**
 * The deformation Δ at which the joint's torque is T; it always exists, because tan(θ/2) is unbounded. Closed form, except for `gibbs`, which uses
 * Newton's method from g = K⁻¹T.
 */
export function writeDeformation(out: Float64Array, law: JointLaw, T: Float64Array, K: Float64Array): boolean {
  if (law === 'gibbs') return invertGibbs(out, T, K);
  const gt = -T[2] / K[2];
  let gx: number;
  let gy: number;
  if (law === 'paper') {
    // along the torque: K(b) of the direction, found by a few substitutions where the section is not round
    gx = -T[0] / K[0];
    gy = -T[1] / K[1];
    for (let n = 0; n < 60; n++) {
      const Kb = stiffnessAlong(gx, gy, K[0], K[1]);
      gx = -T[0] / Kb;
      gy = -T[1] / Kb;
    }
  } else {
    const s = -T[2];
    const determinant = K[0] * K[0] + s * s;
    gx = (-K[0] * T[0] - s * T[1]) / determinant;
    gy = (-K[0] * T[1] + s * T[0]) / determinant;
  }
  // swing·twist with the bend axis written in the child's axes, that is after the twist
  const c = 1 / Math.sqrt(1 + gt * gt);
  const n = 1 / Math.sqrt(1 + gx * gx + gy * gy);
  out[0] = c * n;
  out[1] = n * (c * gx - c * gt * gy);
  out[2] = n * (c * gy + c * gt * gx);
  out[3] = c * gt * n;
  return true;
}

function invertGibbs(out: Float64Array, T: Float64Array, K: Float64Array): boolean {
  let gx = -T[0] / K[0];
  let gy = -T[1] / K[1];
  let gz = -T[2] / K[2];
  const size = Math.abs(T[0]) + Math.abs(T[1]) + Math.abs(T[2]);
  let best = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 60; n++) {
    const s = 1 / Math.sqrt(1 + gx * gx + gy * gy + gz * gz);
    trial[0] = s;
    trial[1] = gx * s;
    trial[2] = gy * s;
    trial[3] = gz * s;
    writeJointTorque(torque, 'gibbs', trial, K, 0);
    const r = Math.abs(torque[0] - T[0]) + Math.abs(torque[1] - T[1]) + Math.abs(torque[2] - T[2]);
    if (r < best) {
      best = r;
      out.set(trial);
    } else if (best <= 1e-12 * size) break;
    if (best === 0) break;
    writeGibbsSlope(tangent, gx, gy, gz, K, 0);
    const [rx, ry, rz] = [torque[0] - T[0], torque[1] - T[1], torque[2] - T[2]];
    if (invertSmall() === 0) break;
    gx += left[0] * rx + left[1] * ry + left[2] * rz;
    gy += left[3] * rx + left[4] * ry + left[5] * rz;
    gz += left[6] * rx + left[7] * ry + left[8] * rz;
  }
  return best <= 1e-12 * size + 1e-300;
}

const invertSmall = (): number => invert3(left, 0, tangent, 0);

const energies = { bending: 0, twisting: 0 };

/** Elastic energy of all joints. */
export function elasticEnergy(tree: StrandTree): { readonly bending: number; readonly twisting: number } {
  energies.bending = 0;
  energies.twisting = 0;
  for (let j = 0; j < tree.linkCount; j++) {
    if (j === 0 && !tree.rootHeld) continue;
    const law = j === 0 && tree.swingOnly ? 'swing-twist' : tree.law;
    addJointEnergy(energies, law, tree.deformation, tree.stiffness, j);
  }
  return energies;
}
