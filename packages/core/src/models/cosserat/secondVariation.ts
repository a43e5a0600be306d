/**
 * The energy of a small displacement, xᵀKx, joint by joint and edge by edge. The same as with the assembled tangent stiffness, but from
 * differences of neighbours: the assembled matrix loses the energy of soft modes in the rounding of its entries.
 */
import { square } from '../../math/rounded/index.ts';
import { evaluateHeldTangent, momentOf, rateOf } from './energy.ts';
import { hessianBB, inverseSeries } from './joint.ts';
import type { CosseratRod } from './rod.ts';
import type { Workspace } from './stage.ts';

type Vector = readonly [number, number, number];

const cross = (a: ArrayLike<number>, b: ArrayLike<number>): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** φ'·Kφ' + φ'·(N(δ_B − δ_A) − ½ m×(δ_A + δ_B)); see joint.ts. */
function jointEnergy(cos: CosseratRod, i: number, x: Float64Array): number {
  const { joints, jointRotation } = cos;
  const o = 3 * i;
  const phi = [jointRotation[o], jointRotation[o + 1], jointRotation[o + 2]];
  const { rate, first, second } = rateOf(cos, i, x);
  const m = momentOf(cos, i);
  const { a, b } = inverseSeries(dot(phi, phi));
  const difference = [second[0] - first[0], second[1] - first[1], second[2] - first[2]];
  const turned = cross(m, [first[0] + second[0], first[1] + second[1], first[2] + second[2]]);
  const twice = dot(cross(phi, cross(phi, m)), difference);
  const [along, alongM, alongPhi] = [dot(m, phi), dot(m, difference), dot(phi, difference)];
  let energy = 0;
  for (let k = 0; k < 3; k++) {
    const n = b * phi[k] * twice + a * (along * difference[k] - 2 * phi[k] * alongM + m[k] * alongPhi);
    energy += rate[k] * (joints.stiffness[o + k] * rate[k] + n - 0.5 * turned[k]);
  }
  return energy;
}

/** l ν'·Sν' − 2 d·(n×ϑ) + l((n·ϑ)(ν·ϑ) − (n·ν)ϑ·ϑ) with d = RᵀΔx, ν' = d/l + ν×ϑ. */
function edgeEnergy(cos: CosseratRod, work: Workspace, j: number, x: Float64Array): number {
  const { edgeFrame, edgeForce, edgeStrain, edgeStiffness, nodeCount, rod } = cos;
  const a = 6 * j;
  const b = j + 1 < nodeCount ? a + 6 : 0;
  const l = rod.edgeLengthRest[j];
  const move = [x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]];
  const turn = [x[a + 3], x[a + 4], x[a + 5]];
  const d = [0, 1, 2].map((k) => dot(edgeFrame.subarray(9 * j + 3 * k, 9 * j + 3 * k + 3), move));
  const force = [edgeForce[3 * j], edgeForce[3 * j + 1], edgeForce[3 * j + 2]];
  // if the stiffness was replaced, use the strain that belongs to the force: see assembleTangent
  const strain = [0, 1, 2].map((k) => {
    const S = work.edgePenalty[3 * j + k];
    return S === edgeStiffness[3 * j + k] ? edgeStrain[3 * j + k] : (k === 2 ? 1 : 0) + force[k] / S;
  });
  const turned = cross(strain, turn);
  let energy = -2 * dot(d, cross(force, turn));
  energy += l * (dot(force, turn) * dot(strain, turn) - dot(force, strain) * dot(turn, turn));
  for (let k = 0; k < 3; k++) energy += l * work.edgePenalty[3 * j + k] * square(d[k] / l + turned[k]);
  return energy;
}

/** With the edges' stiffness and the load Jacobian that `assembleTangent` left in `work`. */
export function measureSecondVariation(
  cos: CosseratRod,
  work: Workspace,
  x: Float64Array,
  loadsDependOnState: boolean,
): number {
  const { joints, jointActive, edgeCount, size } = cos;
  let energy = 0;
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i]) continue;
    if (!joints.freeSpin[i]) {
      energy += jointEnergy(cos, i, x);
      continue;
    }
    evaluateHeldTangent(cos, i, 'hessian');
    const o = 6 * Math.max(joints.before[i], joints.after[i]) + 3;
    for (let k = 0; k < 9; k++) energy += hessianBB[k] * x[o + Math.floor(k / 3)] * x[o + (k % 3)];
  }
  for (let j = 0; j < edgeCount; j++) energy += edgeEnergy(cos, work, j, x);
  if (!loadsDependOnState) return energy;
  const { entries } = work.loadJacobian;
  for (let i = 0; i < size; i++)
    for (let k = -10; k <= 10; k++) energy -= x[i] * entries[21 * i + 10 + k] * x[(i + k + size) % size];
  return energy;
}
