/** Joints between edges, as `der` and `cosserat` have them: which of them are active, and means over them. */
import type { PinPose } from '../scene/compiled.ts';

/** A rod with joints at its nodes. */
export interface JointedRod {
  readonly joints: {
    readonly count: number;
    readonly node: Int32Array;
    readonly length: Float64Array;
    readonly mode: Uint8Array;
    readonly pin: Int32Array;
  };
  readonly jointActive: Uint8Array;
}

/** Joints exist always (mode 0), only while their pin holds (mode 1), or only while it does not (mode 2). */
export function switchJoints({
  joints,
  jointActive,
  poses,
}: JointedRod & { readonly poses: readonly PinPose[] }): void {
  const { count, mode, pin } = joints;
  for (let i = 0; i < count; i++) if (mode[i]) jointActive[i] = poses[pin[i]].active === (mode[i] === 1) ? 1 : 0;
}

/** Mean over the active joints at each node, weighted by length: a held node has a joint on either side. */
export function averageJoints(
  out: Float64Array,
  { joints, jointActive }: JointedRod,
  angleOf: (joint: number) => number,
): void {
  const lengthAt = new Float64Array(out.length);
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i]) continue;
    out[joints.node[i]] += angleOf(i);
    lengthAt[joints.node[i]] += joints.length[i];
  }
  for (let i = 0; i < out.length; i++) if (lengthAt[i] > 0) out[i] /= lengthAt[i];
}
