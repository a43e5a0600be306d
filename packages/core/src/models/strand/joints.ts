/**
 * Joints of a tree: stiffness, damping and natural rotation from the halves of the edges on both sides.
 *
 * Input: the arrays of the rods, at the start and again whenever animated properties change. Output: `stiffness`, `damping`, `before`, `after` and `toJoint`.
 */
import { quaternionFromRotation } from '../../math/quaternion.ts';
import { square } from '../../math/rounded/index.ts';
import { animates } from '../../scene/animate.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { BodyLink } from './bodyLinkTypes.ts';
import { writeRotation } from './spatial.ts';
import type { LinkArrays } from './treeArrays.ts';

/** A rod of the tree, its first link, and the link that it grows from, −1 for the base. */
interface LaidRod {
  readonly rod: Rod;
  readonly firstLink: number;
  readonly root: number;
}

const half = new Float64Array(3);
const quarter = new Float64Array(4);

/** exp of the natural rotation over a half, or of its inverse. */
function writeHalf(out: Float64Array, o: number, rod: Rod, k: number, sign: number): void {
  for (let i = 0; i < 3; i++) half[i] = sign * rod.halfStrainRest[3 * k + i];
  quaternionFromRotation(out, o, half, 0);
}

/** `grows`: from another rod. `isNew`: natural halves are written even if they do not change: `natural: equilibrium` replaces them later. */
export function layJoints(
  tree: LinkArrays & { readonly swingOnly: boolean },
  { rod, firstLink, root }: LaidRod,
  grows: boolean,
  isNew: boolean,
): void {
  const { stiffness, damping, before, after, toJoint } = tree;
  for (let j = 0; j < rod.edgeCount; j++) {
    const joint = firstLink + j;
    const moduli = [rod.halfEI1, rod.halfEI2, rod.halfGJ];
    for (let k = 0; k < 3; k++) {
      const own = rod.edgeLengthRest[j] / 2 / moduli[k][2 * j];
      const other = j > 0 ? rod.edgeLengthRest[j - 1] / 2 / moduli[k][2 * j - 1] : 0;
      // halves in series; tan(θ/2) is half of θ
      stiffness[3 * joint + k] = 2 / (own + other);
      const viscous = own * rod.halfDamping[2 * j] + (j > 0 ? other * rod.halfDamping[2 * j - 1] : 0);
      damping[3 * joint + k] = viscous / square(own + other);
    }
    if (j === 0 && root < 0 && !grows && tree.swingOnly) {
      // no axes to distinguish EI1 from EI2, and no twist
      const mean = 0.5 * (stiffness[3 * joint] + stiffness[3 * joint + 1]);
      const loss = 0.5 * (damping[3 * joint] + damping[3 * joint + 1]);
      stiffness.set([mean, mean, 0], 3 * joint);
      damping.set([loss, loss, 0], 3 * joint);
    }
    if (!isNew && !animates(rod, 'curvature')) continue;
    writeHalf(after, 4 * joint, rod, 2 * j, -1);
    if (j > 0) writeHalf(before, 4 * joint, rod, 2 * j - 1, -1);
    else before[4 * joint] = 1;
    writeHalf(quarter, 0, rod, 2 * j, 1);
    writeRotation(toJoint, 9 * joint, quarter, 0);
  }
}

/** The joint of a body link: rigid, a ball joint, or the last half edge of the rod that the body is clamped to. */
export function layBodyJoint(
  { lock: locks, stiffness, damping, before, after, toJoint }: LinkArrays & { readonly lock: Uint8Array },
  j: number,
  { lock, joint }: BodyLink,
  isNew: boolean,
): void {
  locks[j] = lock;
  stiffness.fill(0, 3 * j, 3 * j + 3);
  damping.fill(0, 3 * j, 3 * j + 3);
  if (!joint) return;
  const { rod } = joint;
  const last = 2 * rod.edgeCount - 1;
  const length = rod.edgeLengthRest[rod.edgeCount - 1] / 2;
  [rod.halfEI1, rod.halfEI2, rod.halfGJ].forEach((moduli, k) => {
    const compliance = length / moduli[last];
    stiffness[3 * j + k] = 2 / compliance;
    damping[3 * j + k] = rod.halfDamping[last] / compliance;
  });
  if (!isNew && !animates(rod, 'curvature')) return;
  writeHalf(before, 4 * j, rod, last, -1);
  after.set(joint.after, 4 * j);
  for (let k = 0; k < 4; k++) quarter[k] = k === 0 ? joint.after[0] : -joint.after[k];
  writeRotation(toJoint, 9 * j, quarter, 0);
}
