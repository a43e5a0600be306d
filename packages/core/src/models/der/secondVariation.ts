/**
 * The energy of a small displacement, xᵀKx, joint by joint and edge by edge. The same as with the assembled tangent stiffness, but from
 * differences of neighbours: the assembled matrix loses the energy of soft modes in the rounding of its entries.
 */
import { gatherRate, rate } from './damping.ts';
import { addCurvatureOfPrimitives, D, evaluateJoint, H, strainOut } from './joint.ts';
import type { DerRod } from './rod.ts';
import type { Workspace } from './stage.ts';
import { HESSIAN } from './strain.ts';

/** For the current joint, and the displacement in `rate`. */
function jointEnergy(): number {
  const p = [0, 0, 0];
  for (let k = 0; k < 3; k++) for (let a = 0; a < 8; a++) p[k] += D[8 * k + a] * rate[a];
  const o = HESSIAN;
  let energy =
    strainOut[o] * p[0] * p[0] +
    strainOut[o + 3] * p[1] * p[1] +
    strainOut[o + 5] * p[2] * p[2] +
    2 * (strainOut[o + 1] * p[0] * p[1] + strainOut[o + 2] * p[0] * p[2] + strainOut[o + 4] * p[1] * p[2]);
  H.fill(0);
  addCurvatureOfPrimitives();
  for (let a = 0; a < 8; a++) {
    energy += H[8 * a + a] * rate[a] * rate[a];
    for (let b = 0; b < a; b++) energy += 2 * H[8 * a + b] * rate[a] * rate[b];
  }
  return energy;
}

/** With the stretch stiffness and the load Jacobian that `assembleTangent` left in `work`; hinges are not counted. */
export function measureSecondVariation(
  der: DerRod,
  work: Workspace,
  x: Float64Array,
  loadsDependOnState: boolean,
): number {
  const { joints, jointActive, edgeCount, nodeCount, edgeTangent, edgeLength, edgeTension, size } = der;
  let energy = 0;
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i]) continue;
    if (!evaluateJoint(der, i)) return Number.NaN;
    gatherRate(der, i, x);
    energy += jointEnergy();
  }
  for (let j = 0; j < edgeCount; j++) {
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    let along = 0;
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const e = x[b + k] - x[a + k];
      along += edgeTangent[3 * j + k] * e;
      square += e * e;
    }
    energy += work.edgePenalty[j] * along * along + (edgeTension[j] / edgeLength[j]) * (square - along * along);
  }
  if (!loadsDependOnState) return energy;
  const { entries } = work.loadJacobian;
  for (let i = 0; i < size; i++)
    for (let k = -10; k <= 10; k++) energy -= x[i] * entries[21 * i + 10 + k] * x[(i + k + size) % size];
  return energy;
}
