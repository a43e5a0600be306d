/**
 * The natural shape of the network, from the rod's natural strain.
 *
 * From the frame at a node, the first half of an edge rotates to its middle, the edge is laid along the frame there, and the second half rotates to the
 * next node. Compiled rods define half edges in the same way, so a rod that starts in its natural shape is at rest to rounding. Rest lengths are the
 * distances between the corners that result.
 */

import { multiplyQuaternions, quaternionFromRotation } from '../../math/quaternion.ts';
import { hypotOf, square } from '../../math/rounded/index.ts';
import type { Rod } from '../../scene/compiled.ts';

export interface RestShape {
  readonly longRest: Float64Array;
  readonly shearRest: Float64Array;
  /** Ratio of GJ to the torsional stiffness of the shear elements about the natural shape, 1 per cuboid: above 1 if that is twisted. */
  readonly twistCorrection: Float64Array;
  /** Particles of the whole natural shape, 12 per ring, with ring 0 at the origin along (d1, d2, d3) = (x, y, z). */
  readonly position: Float64Array;
}

const SIDE = [
  [-1, -1],
  [1, -1],
  [1, 1],
  [-1, 1],
];

/** Rotates (x, y, z) by the unit quaternion. */
function rotated(q: Float64Array, x: number, y: number, z: number): [number, number, number] {
  const [w, a, b, c] = q;
  const p = 2 * (b * z - c * y);
  const r = 2 * (c * x - a * z);
  const s = 2 * (a * y - b * x);
  return [x + w * p + b * s - c * r, y + w * r + c * p - a * s, z + w * s + a * r - b * p];
}

type Ring = readonly (readonly [number, number, number])[];

function ringAt(at: readonly number[], q: Float64Array, width1: number, width2: number): Ring {
  return SIDE.map(([s1, s2]) => {
    const [x, y, z] = rotated(q, 0.5 * width1 * s1, 0.5 * width2 * s2, 0);
    return [at[0] + x, at[1] + y, at[2] + z] as const;
  });
}

const between = (a: readonly number[], b: readonly number[]): number =>
  Math.sqrt(square(a[0] - b[0]) + square(a[1] - b[1]) + square(a[2] - b[2]));

/** |p| − |q| on face c. */
const difference = (near: Ring, far: Ring, c: number): number =>
  between(near[c], far[(c + 1) % 4]) - between(near[(c + 1) % 4], far[c]);

export function buildRest(rod: Rod, width1: number, width2: number): RestShape {
  const { edgeCount, edgeLengthRest, halfStrainRest } = rod;
  const out: RestShape = {
    longRest: new Float64Array(4 * edgeCount),
    shearRest: new Float64Array(4 * edgeCount),
    twistCorrection: new Float64Array(edgeCount),
    position: new Float64Array(12 * rod.nodeCount),
  };
  const frame = Float64Array.of(1, 0, 0, 0);
  const half = new Float64Array(4);
  let at: [number, number, number] = [0, 0, 0];
  let near = ringAt(at, frame, width1, width2);
  near.forEach((corner, c) => {
    out.position.set(corner, 3 * c);
  });
  for (let j = 0; j < edgeCount; j++) {
    const l = edgeLengthRest[j];
    quaternionFromRotation(half, 0, halfStrainRest, 6 * j);
    multiplyQuaternions(frame, 0, frame, 0, half, 0);
    const along = rotated(frame, 0, 0, l);
    at = [at[0] + along[0], at[1] + along[1], at[2] + along[2]];
    quaternionFromRotation(half, 0, halfStrainRest, 6 * j + 3);
    multiplyQuaternions(frame, 0, frame, 0, half, 0);
    const far = ringAt(at, frame, width1, width2);
    far.forEach((corner, c) => {
      out.position.set(corner, 12 * (j + 1) + 3 * c);
    });
    for (let c = 0; c < 4; c++) {
      out.longRest[4 * j + c] = between(near[c], far[c]);
      out.shearRest[4 * j + c] = difference(near, far, c);
    }
    out.twistCorrection[j] = correctTwist(near, at, frame, along, width1, width2);
    near = far;
  }
  return out;
}

/**
 * Factor on the stiffness of the shear elements, relative to straight faces, that gives the right torque about the rest shape. The far ring is turned
 * about the line between the two rings: about its own normal it would also tilt, which is shear, and in a bent cuboid much more of it than of twist.
 */
function correctTwist(
  near: Ring,
  at: readonly number[],
  frame: Float64Array,
  along: readonly number[],
  width1: number,
  width2: number,
): number {
  const angle = 1e-4;
  const l = hypotOf(along);
  const turn = new Float64Array(4);
  const spun = new Float64Array(4);
  const turned = (sign: number): Ring => {
    quaternionFromRotation(
      turn,
      0,
      along.map((x) => (sign * angle * x) / l),
      0,
    );
    multiplyQuaternions(spun, 0, turn, 0, frame, 0);
    return ringAt(at, spun, width1, width2);
  };
  const [plus, minus] = [turned(1), turned(-1)];
  let sum = 0;
  for (let c = 0; c < 4; c++) {
    const slope = (difference(near, plus, c) - difference(near, minus, c)) / (2 * angle);
    const width = c % 2 === 0 ? width1 : width2;
    // on a straight cuboid: slope² (l² + w²) = (a1 a2)²
    sum += (slope * slope * (l * l + width * width)) / (4 * square(width1 * width2));
  }
  return 1 / sum;
}
