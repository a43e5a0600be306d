/** Edges as links see them: frames and points, and their relative orientation. */

import { rotationFromQuaternion } from '../../math/quaternion.ts';
import { atan2, hypot, square as squareOf } from '../../math/rounded/index.ts';
import type { Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { EdgePose } from '../../scene/links.ts';

/** Frame of an edge, as columns d1, d2, t, and its chord. */
export interface EdgeFrame {
  readonly matrix: Float64Array;
  readonly point: Float64Array;
  length: number;
}
export const createFrame = (): EdgeFrame => ({ matrix: new Float64Array(9), point: new Float64Array(3), length: 0 });

export function readFrame(out: EdgeFrame, samples: Samples, rod: Rod, edge: number, weight: number): void {
  const { nodePosition: x, edgeTangent: t, edgeDirector: d } = samples;
  const a = 3 * edge;
  const b = 3 * ((edge + 1) % rod.nodeCount);
  let square = 0;
  for (let k = 0; k < 3; k++) {
    out.point[k] = (1 - weight) * x[a + k] + weight * x[b + k];
    square += squareOf(x[b + k] - x[a + k]);
    const i = (k + 1) % 3;
    const j = (k + 2) % 3;
    out.matrix[3 * k] = d[a + k];
    out.matrix[3 * k + 1] = t[a + i] * d[a + j] - t[a + j] * d[a + i];
    out.matrix[3 * k + 2] = t[a + k];
  }
  out.length = Math.sqrt(square);
}

/** Writes the frame and chord of an edge in a given pose. */
export function poseFrame(out: EdgeFrame, { from, to, director: d }: EdgePose, weight: number): void {
  out.length = hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
  const t = to.map((x, k) => (x - from[k]) / out.length);
  for (let k = 0; k < 3; k++) {
    const [i, j] = [(k + 1) % 3, (k + 2) % 3];
    out.point[k] = (1 - weight) * from[k] + weight * to[k];
    out.matrix[3 * k] = d[k];
    out.matrix[3 * k + 1] = t[i] * d[j] - t[j] * d[i];
    out.matrix[3 * k + 2] = t[k];
  }
}

/** Writes the frame and chord of an edge in the initial shape of its rod. */
export function startFrame(
  out: EdgeFrame,
  { nodePosition: x, edgeDirector: d, nodeCount }: Rod,
  edge: number,
  weight: number,
): void {
  const a = 3 * edge;
  const b = 3 * ((edge + 1) % nodeCount);
  out.length = hypot(x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]);
  for (let k = 0; k < 3; k++) {
    const [i, j] = [(k + 1) % 3, (k + 2) % 3];
    out.point[k] = (1 - weight) * x[a + k] + weight * x[b + k];
    out.matrix[3 * k] = d[a + k];
    out.matrix[3 * k + 1] = ((x[b + i] - x[a + i]) * d[a + j] - (x[b + j] - x[a + j]) * d[a + i]) / out.length;
    out.matrix[3 * k + 2] = (x[b + k] - x[a + k]) / out.length;
  }
}

export const cross = (out: Float64Array, a: ArrayLike<number>, b: ArrayLike<number>): Float64Array => {
  const x = a[1] * b[2] - a[2] * b[1];
  const y = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
  out[0] = x;
  out[1] = y;
  return out;
};
export const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Writes R_Bᵀ R_A, or R_A for a link to a fixed point. */
export function writeRelative(out: Float64Array, a: Float64Array, b: Float64Array | undefined): void {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++)
      out[3 * i + j] = b ? b[i] * a[j] + b[3 + i] * a[3 + j] + b[6 + i] * a[6 + j] : a[3 * i + j];
  }
}

const tangentA = new Float64Array(3);
const tangentB = new Float64Array(3);

/** Unit normal of the two tangents, and the angle between them. */
export function writeNormal(out: Float64Array, a: Float64Array, b: Float64Array): number {
  for (let k = 0; k < 3; k++) {
    tangentA[k] = a[3 * k + 2];
    tangentB[k] = b[3 * k + 2];
  }
  cross(out, tangentA, tangentB);
  const sine = Math.sqrt(dot(out, out));
  const angle = atan2(sine, dot(tangentA, tangentB));
  // parallel: any perpendicular direction
  if (!(sine > 1e-9)) for (let k = 0; k < 3; k++) out[k] = a[3 * k];
  else for (let k = 0; k < 3; k++) out[k] /= sine;
  return angle;
}

const deviation = new Float64Array(9);
const quaternion = new Float64Array(4);

/** Rotation vector of the matrix D = R_A (R_B C)ᵀ, given row by row. */
export function writeDeviation(
  out: Float64Array,
  a: Float64Array,
  b: Float64Array | undefined,
  rest: Float64Array,
): void {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      let sum = 0;
      for (let m = 0; m < 3; m++) {
        // (R_B C)(j, m)
        const wanted = b
          ? b[3 * j] * rest[m] + b[3 * j + 1] * rest[3 + m] + b[3 * j + 2] * rest[6 + m]
          : rest[3 * j + m];
        sum += a[3 * i + m] * wanted;
      }
      deviation[3 * i + j] = sum;
    }
  }
  writeQuaternion(quaternion, deviation);
  rotationFromQuaternion(out, 0, quaternion, 0);
}

/** Quaternion of a rotation matrix given row by row, w first, w ≥ 0: from the largest of its four squares. */
function writeQuaternion(q: Float64Array, m: Float64Array): void {
  const trace = m[0] + m[4] + m[8];
  if (trace > 0) {
    const s = 2 * Math.sqrt(1 + trace);
    q[0] = 0.25 * s;
    q[1] = (m[7] - m[5]) / s;
    q[2] = (m[2] - m[6]) / s;
    q[3] = (m[3] - m[1]) / s;
    return;
  }
  const k = m[0] >= m[4] && m[0] >= m[8] ? 0 : m[4] >= m[8] ? 1 : 2;
  const i = (k + 1) % 3;
  const j = (k + 2) % 3;
  const s = 2 * Math.sqrt(Math.max(0, 1 + m[4 * k] - m[4 * i] - m[4 * j]));
  const sign = m[3 * j + i] - m[3 * i + j] < 0 ? -1 : 1;
  q[0] = (sign * (m[3 * j + i] - m[3 * i + j])) / s;
  q[1 + k] = sign * 0.25 * s;
  q[1 + i] = (sign * (m[3 * i + k] + m[3 * k + i])) / s;
  q[1 + j] = (sign * (m[3 * j + k] + m[3 * k + j])) / s;
}
