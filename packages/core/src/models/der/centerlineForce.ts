/** Forces of bending and twist on the centreline, for schemes whose frame is in equilibrium at every instant. */
import { cos as cosine, sin as sine } from '../../math/rounded/index.ts';
import type { ExplicitWork } from './explicitWork.ts';
import type { DerRod } from './rod.ts';
import { JOINT_STRIDE } from './strain.ts';

/** Forces on the centreline with the frame in equilibrium: the local form of [Bergou2008 §7.1], in `out` (3 per node). */
export function writeCenterlineForce(out: Float64Array, der: DerRod, work: ExplicitWork): void {
  const { joints, jointActive } = der;
  out.fill(0);
  work.edgeAxial.fill(0);
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i]) continue;
    writeBendingGradient(der, i, work.kb);
    addJointForce(out, der, i, work);
  }
}

/** h = ∂E/∂(κb) of the current joint. */
const gradient = new Float64Array(3);

/** Sets `gradient` from the curvatures along the material axes of both edges of joint i. */
function writeBendingGradient(
  { joints, jointOffset, edgeM1, edgeM2, held }: DerRod,
  i: number,
  kb: Float64Array,
): void {
  const c = joints.constants;
  const o = JOINT_STRIDE * i;
  const kx = kb[3 * i];
  const ky = kb[3 * i + 1];
  const kz = kb[3 * i + 2];
  let hx = 0;
  let hy = 0;
  let hz = 0;
  for (let side = 0; side < 2; side++) {
    const j = side === 0 ? joints.before[i] : joints.after[i];
    const m1 = j >= 0 ? edgeM1 : held.m1;
    const m2 = j >= 0 ? edgeM2 : held.m2;
    const a = j >= 0 ? 3 * j : 3 * (-1 - j);
    const w1 = kx * m2[a] + ky * m2[a + 1] + kz * m2[a + 2];
    const w2 = -(kx * m1[a] + ky * m1[a + 1] + kz * m1[a + 2]);
    // the axes are turned at the joint that closes a ring: into them and back
    const turn = side === 1 ? jointOffset[i] : 0;
    const cos = turn === 0 ? 1 : cosine(turn);
    const sin = turn === 0 ? 0 : sine(turn);
    const g1 = 0.5 * c[o] * (cos * w1 + sin * w2 - c[o + 3 + 2 * side]);
    const g2 = 0.5 * c[o + 1] * (cos * w2 - sin * w1 - c[o + 4 + 2 * side]);
    const f1 = cos * g1 - sin * g2;
    const f2 = sin * g1 + cos * g2;
    hx += f1 * m2[a] - f2 * m1[a];
    hy += f1 * m2[a + 1] - f2 * m1[a + 1];
    hz += f1 * m2[a + 2] - f2 * m1[a + 2];
  }
  gradient[0] = hx;
  gradient[1] = hy;
  gradient[2] = hz;
}

/** Adds −(∇κb)ᵀh and the twist's force on the three nodes of joint i; h is in `gradient`. */
function addJointForce(out: Float64Array, der: DerRod, i: number, work: ExplicitWork): void {
  const { joints, jointTwist, edgeTangent, held, rod, nodeCount } = der;
  const c = joints.constants;
  const o = JOINT_STRIDE * i;
  const before = joints.before[i];
  const after = joints.after[i];
  const kx = work.kb[3 * i];
  const ky = work.kb[3 * i + 1];
  const kz = work.kb[3 * i + 2];
  const hx = gradient[0];
  const hy = gradient[1];
  const hz = gradient[2];
  const twist = c[o + 2] * (jointTwist[i] - c[o + 7]);
  const e = before >= 0 ? edgeTangent : held.tangent;
  const f = after >= 0 ? edgeTangent : held.tangent;
  const a = before >= 0 ? 3 * before : 3 * (-1 - before);
  const b = after >= 0 ? 3 * after : 3 * (-1 - after);
  const chi = 1 + e[a] * f[b] + e[a + 1] * f[b + 1] + e[a + 2] * f[b + 2];
  const kh = kx * hx + ky * hy + kz * hz;
  const node = 3 * joints.node[i];
  if (before >= 0) {
    // −(∇kb)ᵀh with ∇_{i−1} kb = (2[f] + kb fᵀ)/χ|ē|, and twist·∇_{i−1}ψ, ψ = holonomy
    const s = 1 / (chi * rod.edgeLengthRest[before]);
    const t = (0.5 * twist) / rod.edgeLengthRest[before];
    const x = -s * (-2 * (f[b + 1] * hz - f[b + 2] * hy) + f[b] * kh) + t * kx;
    const y = -s * (-2 * (f[b + 2] * hx - f[b] * hz) + f[b + 1] * kh) + t * ky;
    const z = -s * (-2 * (f[b] * hy - f[b + 1] * hx) + f[b + 2] * kh) + t * kz;
    work.edgeAxial[before] += x * e[a] + y * e[a + 1] + z * e[a + 2];
    const p = 3 * before;
    out[p] += x;
    out[p + 1] += y;
    out[p + 2] += z;
    out[node] -= x;
    out[node + 1] -= y;
    out[node + 2] -= z;
  }
  if (after >= 0) {
    const s = 1 / (chi * rod.edgeLengthRest[after]);
    const t = (0.5 * twist) / rod.edgeLengthRest[after];
    const x = -s * (-2 * (e[a + 1] * hz - e[a + 2] * hy) - e[a] * kh) - t * kx;
    const y = -s * (-2 * (e[a + 2] * hx - e[a] * hz) - e[a + 1] * kh) - t * ky;
    const z = -s * (-2 * (e[a] * hy - e[a + 1] * hx) - e[a + 2] * kh) - t * kz;
    work.edgeAxial[after] -= x * f[b] + y * f[b + 1] + z * f[b + 2];
    const n = after + 1 < nodeCount ? 3 * (after + 1) : 0;
    out[n] += x;
    out[n + 1] += y;
    out[n + 2] += z;
    out[node] -= x;
    out[node + 1] -= y;
    out[node + 2] -= z;
  }
}
