/**
 * Stiffness damping of a joint: β K times the rate of its strain. The rate includes the rotation of held frames, which turn with their holder. So a
 * rod that turns rigidly with its clamp or body is not damped, and the momentum that damping removes from the rod acts on the holder.
 */
import { addCongruence, D, evaluateJoint, H, strainOut } from './joint.ts';
import type { DerRod, HeldFrames } from './rod.ts';
import { GAUSS_NEWTON } from './strain.ts';

/** Rates of (e, θe, f, θf), as of the last gathering. */
export const rate: Float64Array = new Float64Array(8);

/** Rates of (e, θe, f, θf) at joint i from those of the unknowns, with held frames at rest: a variation of the rod. */
export function gatherRate(der: DerRod, i: number, v: Float64Array): void {
  const { joints, nodeCount } = der;
  const before = joints.before[i];
  const after = joints.after[i];
  const o = 4 * joints.node[i];
  for (let k = 0; k < 3; k++) {
    rate[k] = before >= 0 ? v[o + k] - v[4 * before + k] : 0;
    rate[4 + k] = after >= 0 ? v[(after + 1 < nodeCount ? 4 * (after + 1) : 0) + k] - v[o + k] : 0;
  }
  rate[3] = before >= 0 ? v[4 * before + 3] : 0;
  rate[7] = after >= 0 ? v[4 * after + 3] : 0;
}

/** Rates of (e, θe, f, θf) at joint i of a rod that moves: held frames turn with their holders. */
export function gatherMotion(der: DerRod, i: number, v: Float64Array): void {
  gatherRate(der, i, v);
  const before = der.joints.before[i];
  const after = der.joints.after[i];
  if (before < 0) turnRate(der.held, -1 - before, 0);
  else if (after < 0) turnRate(der.held, -1 - after, 4);
}

/** Rates of held frame h: its edge vector is its unit tangent. */
function turnRate({ spin, tangent }: HeldFrames, h: number, at: number): void {
  const o = 3 * h;
  const [x, y, z] = [spin[o], spin[o + 1], spin[o + 2]];
  const [tx, ty, tz] = [tangent[o], tangent[o + 1], tangent[o + 2]];
  rate[at] = y * tz - z * ty;
  rate[at + 1] = z * tx - x * tz;
  rate[at + 2] = x * ty - y * tx;
  rate[at + 3] = x * tx + y * ty + z * tz;
}

/** β·JᵀKJ·v of the current joint with the rates that were gathered, added to g. */
export function addViscous(g: Float64Array, beta: number): void {
  let r1 = 0;
  let r2 = 0;
  let r3 = 0;
  for (let a = 0; a < 8; a++) {
    r1 += D[a] * rate[a];
    r2 += D[8 + a] * rate[a];
    r3 += D[16 + a] * rate[a];
  }
  const o = GAUSS_NEWTON;
  const f1 = beta * (strainOut[o] * r1 + strainOut[o + 1] * r2 + strainOut[o + 2] * r3);
  const f2 = beta * (strainOut[o + 1] * r1 + strainOut[o + 3] * r2 + strainOut[o + 4] * r3);
  const f3 = beta * (strainOut[o + 2] * r1 + strainOut[o + 4] * r2 + strainOut[o + 5] * r3);
  for (let a = 0; a < 8; a++) g[a] += f1 * D[a] + f2 * D[8 + a] + f3 * D[16 + a];
}

/** Writes the viscous stiffness of half joint i to H, for a stage with this rate scale. */
export function evaluateDamping(der: DerRod, i: number, rateScale: number): boolean {
  if (!evaluateJoint(der, i)) return false;
  H.fill(0);
  addCongruence(strainOut, GAUSS_NEWTON, rateScale * der.joints.damping[i]);
  return true;
}
