/** The natural shape brought from that of the current state to the rod's own, for equilibria that are approached in increments. */
import { cos, sin } from '../../math/rounded/index.ts';
import { D, evaluateJoint } from './joint.ts';
import type { DerRod } from './rod.ts';
import { angleRatio, bergouStrain, JOINT_STRIDE } from './strain.ts';

/** Index of the first constant of a joint that holds natural strain. */
const REST = 3;

/** Strain of a joint in the terms of its constants, see `rotationStrain` and `bergouStrain`. */
function writeStrain(out: Float64Array, o: number, isBergou: boolean, w1: number, w2: number, m: number): void {
  const angle = isBergou ? m : 0.5 * m;
  const c = cos(angle);
  const s = sin(angle);
  const v1 = c * w1 + s * w2;
  const v2 = c * w2 - s * w1;
  if (isBergou) {
    out.set([w1, w2, v1, v2, m], o);
    return;
  }
  const scale = Math.sqrt(1 / (1 + 0.25 * (w1 * w1 + w2 * w2)));
  const g = angleRatio(scale * c) * scale;
  out.set([0.5 * g * v1, 0.5 * g * v2, g * s], o);
}

/**
 * Sets the natural strain between that of the current state (share 0) and the rod's own (share 1). Undefined for a rod whose law prescribes its natural
 * shape, or whose edges fold back.
 */
export function blendNatural(der: DerRod): ((share: number) => void) | undefined {
  const { joints, jointActive, jointTwist } = der;
  if (der.material) return undefined;
  const own = joints.constants.slice();
  const laid = own.slice();
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i] || joints.freeSpin[i]) continue;
    if (!evaluateJoint(der, i)) return undefined;
    writeStrain(laid, JOINT_STRIDE * i + REST, der.strain === bergouStrain, -D[11], D[3], jointTwist[i]);
  }
  return (share) => {
    for (let k = 0; k < own.length; k++)
      if (k % JOINT_STRIDE >= REST) joints.constants[k] = share < 1 ? laid[k] + share * (own[k] - laid[k]) : own[k];
  };
}
