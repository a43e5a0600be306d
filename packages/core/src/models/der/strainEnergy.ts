/**
 * Elastic energy of a rod without its derivatives, at a quarter of their cost: for audits after every step. The same operations in the same order as in
 * strain.ts and joint.ts, so the same bits.
 */
import { cos, hypot, sin } from '../../math/rounded/index.ts';
import { dot3 } from '../../math/vec3.ts';
import type { ElasticEnergy } from './energy.ts';
import { FOLDED } from './joint.ts';
import type { DerRod } from './rod.ts';
import { angleRatio, bergouStrain, JOINT_STRIDE } from './strain.ts';

/** Curvature binormal of a joint at the edge of `FOLDED`: 2 tan(φ/2). */
const FOLDED_CURVATURE = 2 * Math.sqrt((2 - FOLDED) / FOLDED);

/** Strain of the current joint: w1, w2, m. */
const strain = new Float64Array(3);

/** See `rotationStrain`. */
function addRotationEnergy(out: ElasticEnergy, joint: Float64Array, o: number, p: Float64Array): void {
  const w1 = p[0];
  const w2 = p[1];
  const m = p[2];
  const ca = cos(0.5 * m);
  const sa = sin(0.5 * m);
  const c = Math.sqrt(1 / (1 + 0.25 * (w1 * w1 + w2 * w2)));
  const g = angleRatio(c * ca) * c;
  const d1 = g * (0.5 * (ca * w1 + sa * w2)) - joint[o + 3];
  const d2 = g * (0.5 * (ca * w2 - sa * w1)) - joint[o + 4];
  const d3 = g * sa - joint[o + 5];
  out.bending += 0.5 * (joint[o] * d1 * d1 + joint[o + 1] * d2 * d2);
  out.twisting += 0.5 * (joint[o + 2] * d3) * d3;
}

/** See `bergouStrain`. */
function addBergouEnergy(out: ElasticEnergy, joint: Float64Array, o: number, p: Float64Array): void {
  const w1 = p[0];
  const w2 = p[1];
  const m = p[2];
  const c = cos(m);
  const s = sin(m);
  const k1 = 0.5 * joint[o];
  const k2 = 0.5 * joint[o + 1];
  const a1 = w1 - joint[o + 3];
  const a2 = w2 - joint[o + 4];
  const b1 = c * w1 + s * w2 - joint[o + 5];
  const b2 = c * w2 - s * w1 - joint[o + 6];
  const dm = m - joint[o + 7];
  out.bending += 0.5 * (k1 * a1 * a1 + k2 * a2 * a2 + k1 * b1 * b1 + k2 * b2 * b2);
  out.twisting += 0.5 * joint[o + 2] * dm * dm;
}

/** Adds bending and twisting energy of a rod. A joint folded by 180° has the energy at the edge of `FOLDED`, bent about m2 if it has no other axis. */
export function addElasticEnergy(out: ElasticEnergy, der: DerRod): void {
  if (der.material) {
    der.material.addEnergy(out);
    return;
  }
  const { joints, jointActive, jointTwist, held, edgeTangent, edgeM1, edgeM2 } = der;
  const add = der.strain === bergouStrain ? addBergouEnergy : addRotationEnergy;
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i]) continue;
    strain[2] = jointTwist[i];
    const before = joints.before[i];
    const after = joints.after[i];
    const a = before >= 0 ? 3 * before : 3 * (-1 - before);
    const b = after >= 0 ? 3 * after : 3 * (-1 - after);
    const te = before >= 0 ? edgeTangent : held.tangent;
    const tf = after >= 0 ? edgeTangent : held.tangent;
    const m1 = before >= 0 ? edgeM1 : held.m1;
    const m2 = before >= 0 ? edgeM2 : held.m2;
    const chi = 1 + dot3(te, a, tf, b);
    const acrossX = te[a + 1] * tf[b + 2] - te[a + 2] * tf[b + 1];
    const acrossY = te[a + 2] * tf[b] - te[a] * tf[b + 2];
    const acrossZ = te[a] * tf[b + 1] - te[a + 1] * tf[b];
    if (!(chi > FOLDED)) {
      const sine = hypot(acrossX, acrossY, acrossZ);
      const [x, y, z] = sine > 0 ? [acrossX / sine, acrossY / sine, acrossZ / sine] : m2.subarray(a, a + 3);
      strain[0] = FOLDED_CURVATURE * (x * m2[a] + y * m2[a + 1] + z * m2[a + 2]);
      strain[1] = -FOLDED_CURVATURE * (x * m1[a] + y * m1[a + 1] + z * m1[a + 2]);
      add(out, joints.constants, JOINT_STRIDE * i, strain);
      continue;
    }
    const scale = 2 / chi;
    const kbX = scale * acrossX;
    const kbY = scale * acrossY;
    const kbZ = scale * acrossZ;
    strain[0] = kbX * m2[a] + kbY * m2[a + 1] + kbZ * m2[a + 2];
    strain[1] = -(kbX * m1[a] + kbY * m1[a + 1] + kbZ * m1[a + 2]);
    add(out, joints.constants, JOINT_STRIDE * i, strain);
  }
}
