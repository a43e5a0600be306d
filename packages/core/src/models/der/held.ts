/** Frames held by pins and bodies: the torque that holds them, and the second derivatives with respect to their rotation. */
import { addViscous, evaluateDamping, gatherMotion } from './damping.ts';
import { addCongruence, addCurvatureOfPrimitives, D, evaluateJoint, H, P, strainOut } from './joint.ts';
import type { DerRod } from './rod.ts';
import { GRADIENT, HESSIAN } from './strain.ts';

/** Gradient in the eight variables of the current joint. */
const gradient = new Float64Array(8);

/**
 * Torque [N m] that the holder of each held frame exerts on the rod, 3 per frame: the derivative of the energy with respect to a
 * rotation of the frame, t × ∂E/∂t + (∂E/∂θ) t. With rates `v`, damping included.
 */
export function writeHeldTorque(out: Float64Array, der: DerRod, v?: Float64Array): void {
  const { held, jointActive } = der;
  out.fill(0);
  for (let k = 0; k < 2 * held.count; k++) {
    const i = held.joints[k];
    if (i < 0 || !jointActive[i] || !evaluateJoint(der, i)) continue;
    const first = k & 1 ? 0 : 4;
    const t = k & 1 ? 0 : 3;
    const o = 3 * (k >> 1);
    for (let a = 0; a < 8; a++) {
      gradient[a] = 0;
      for (let m = 0; m < 3; m++) gradient[a] += strainOut[GRADIENT + m] * D[8 * m + a];
    }
    if (v && der.joints.damping[i] > 0) {
      gatherMotion(der, i, v);
      addViscous(gradient, der.joints.damping[i]);
    }
    const [x, y, z] = [gradient[first], gradient[first + 1], gradient[first + 2]];
    const spin = gradient[first + 3];
    out[o] += P[t + 1] * z - P[t + 2] * y + spin * P[t];
    out[o + 1] += P[t + 2] * x - P[t] * z + spin * P[t + 1];
    out[o + 2] += P[t] * y - P[t + 1] * x + spin * P[t + 2];
  }
}

const heldColumns = new Float64Array(12);
/** Sums over the half joints of a frame: derivative of the torque by its rotation, and the torque. For one half joint: derivatives by the edge's variables. */
const ownBlock = new Float64Array(9);
const ownTorque = new Float64Array(3);
const edgeBlock = new Float64Array(12);
const force = new Float64Array(3);
/** A row of Cᵀ H, C = ∂(e, θ)/∂φ. */
const turnedRow = new Float64Array(4);

function readHessian(a: number, b: number): number {
  return a >= b ? H[8 * a + b] : H[8 * b + a];
}

/** Which second derivatives `addHeldHessian` adds. */
export interface HeldBlock {
  /** The held frame. */
  readonly h: number;
  /** Row k of the mixed derivatives, by φ_k, begins at `at` + k·der.size. */
  readonly at: number;
  /** 0: of the energy; otherwise of damping, in a stage whose rates change by this times the unknowns [1/s]. */
  readonly rateScale: number;
}

/**
 * Second derivatives with respect to a rotation φ of a held frame: adds to `rotation` (3 × 3) and to the mixed ones with
 * the unknowns, `mixed`. The frame's edge vector and angle move by (φ × t, t·φ).
 */
export function addHeldHessian(rotation: Float64Array, mixed: Float64Array, der: DerRod, block: HeldBlock): void {
  const { joints, held } = der;
  const { h, at, rateScale } = block;
  ownBlock.fill(0);
  ownTorque.fill(0);
  for (let side = 0; side < 2; side++) {
    const i = held.joints[2 * h + side];
    if (i < 0 || !der.jointActive[i] || !evaluateDerivatives(der, i, rateScale)) continue;
    addOwnBlocks(joints.before[i] < 0 ? 0 : 4, rateScale === 0);
    for (let a = 0; a < 3; a++) addMixed(mixed, at + a * der.size, der, i, edgeBlock, 4 * a, 1);
  }
  if (held.hinged[h]) der.hinges?.condenseHeld(ownBlock, ownTorque, mixed, der, block);
  for (let k = 0; k < 9; k++) rotation[k] += ownBlock[k];
}

/** Adds scale times the four numbers of half joint i's edge at `o`, by (e, θ), to the row of unknowns at `row`. */
export function addMixed(
  mixed: Float64Array,
  row: number,
  { joints, nodeCount }: DerRod,
  i: number,
  values: Float64Array,
  o: number,
  scale: number,
): void {
  const before = joints.before[i];
  const after = joints.after[i];
  const node = 4 * joints.node[i];
  const to = before < 0 ? (after + 1 < nodeCount ? 4 * (after + 1) : 0) : node;
  const from = before < 0 ? node : 4 * before;
  for (let n = 0; n < 3; n++) {
    mixed[row + to + n] += scale * values[o + n];
    mixed[row + from + n] -= scale * values[o + n];
  }
  mixed[row + 4 * (before < 0 ? after : before) + 3] += scale * values[o + 3];
}

function evaluateDerivatives(der: DerRod, i: number, rateScale: number): boolean {
  if (rateScale > 0) return der.joints.damping[i] > 0 && evaluateDamping(der, i, rateScale);
  if (!evaluateJoint(der, i)) return false;
  H.fill(0);
  addCongruence(strainOut, HESSIAN, 1);
  addCurvatureOfPrimitives();
  return true;
}

/** The current joint, its held frame's variables from `own` on: adds to ownBlock and, if `elastic`, to ownTorque; writes edgeBlock. */
function addOwnBlocks(own: number, elastic: boolean): void {
  const other = 4 - own;
  const t = own === 0 ? 0 : 3;
  const tx = P[t];
  const ty = P[t + 1];
  const tz = P[t + 2];
  // columns of ∂(e, θ)/∂φ: φ × t and t·φ, 4 × 3
  heldColumns[1] = tz;
  heldColumns[2] = -ty;
  heldColumns[3] = -tz;
  heldColumns[5] = tx;
  heldColumns[6] = ty;
  heldColumns[7] = -tx;
  heldColumns[9] = tx;
  heldColumns[10] = ty;
  heldColumns[11] = tz;
  let gx = 0;
  let gy = 0;
  let gz = 0;
  let spin = 0;
  for (let k = 0; k < 3 && elastic; k++) {
    gx += strainOut[GRADIENT + k] * D[8 * k + own];
    gy += strainOut[GRADIENT + k] * D[8 * k + own + 1];
    gz += strainOut[GRADIENT + k] * D[8 * k + own + 2];
    spin += strainOut[GRADIENT + k] * D[8 * k + own + 3];
  }
  force[0] = gx;
  force[1] = gy;
  force[2] = gz;
  ownTorque[0] += ty * gz - tz * gy + spin * tx;
  ownTorque[1] += tz * gx - tx * gz + spin * ty;
  ownTorque[2] += tx * gy - ty * gx + spin * tz;
  for (let a = 0; a < 3; a++) {
    for (let n = 0; n < 4; n++) {
      let turned = 0;
      let sum = 0;
      for (let m = 0; m < 4; m++) {
        const c = heldColumns[3 * m + a];
        turned += c * readHessian(own + m, own + n);
        sum += c * readHessian(own + m, other + n);
      }
      turnedRow[n] = turned;
      edgeBlock[4 * a + n] = sum;
    }
    for (let b = 0; b < 3; b++) {
      // second-order part of turning t; its trace −(t·g)I is zero, since the energy does not depend on the length of t
      let sum = 0.5 * (P[t + a] * force[b] + force[a] * P[t + b]);
      for (let n = 0; n < 4; n++) sum += turnedRow[n] * heldColumns[3 * n + b];
      ownBlock[3 * a + b] += sum;
    }
  }
}
