/** Rotations between frames that are given by their tangent and director. */

import { multiplyQuaternions, quaternionFromRotation, rotationFromQuaternion } from './quaternion.ts';
import { hypot } from './rounded/index.ts';

interface Frame {
  readonly tangent: ArrayLike<number>;
  readonly director: ArrayLike<number>;
}

const from = new Float64Array(4);
const to = new Float64Array(4);
const vector = new Float64Array(3);

/** Unit quaternion of the frame with columns director, tangent × director, tangent. */
export function writeFrameQuaternion(out: Float64Array, { tangent: t, director: d }: Frame): void {
  const ex = t[1] * d[2] - t[2] * d[1];
  const ey = t[2] * d[0] - t[0] * d[2];
  const ez = t[0] * d[1] - t[1] * d[0];
  // from the largest of the four squares, which loses no digits
  const w = 1 + d[0] + ey + t[2];
  const x = 1 + d[0] - ey - t[2];
  const y = 1 - d[0] + ey - t[2];
  const z = 1 - d[0] - ey + t[2];
  const most = Math.max(w, x, y, z);
  const wx = ez - t[1];
  const wy = t[0] - d[2];
  const wz = d[1] - ex;
  const xy = d[1] + ex;
  const xz = t[0] + d[2];
  const yz = ez + t[1];
  if (w === most) writeUnit(out, w, wx, wy, wz);
  else if (x === most) writeUnit(out, wx, x, xy, xz);
  else if (y === most) writeUnit(out, wy, xy, y, yz);
  else writeUnit(out, wz, xz, yz, z);
}

function writeUnit(out: Float64Array, w: number, x: number, y: number, z: number): void {
  const size = hypot(w, x, y, z);
  out[0] = w / size;
  out[1] = x / size;
  out[2] = y / size;
  out[3] = z / size;
}

const isSame = (a: ArrayLike<number>, b: ArrayLike<number>): boolean => a[0] === b[0] && a[1] === b[1] && a[2] === b[2];

/** Rotation vector of the shortest rotation that takes frame a to frame b [rad], in world axes; exactly zero for equal frames. */
export function rotationBetween(a: Frame, b: Frame): [number, number, number] {
  if (isSame(a.tangent, b.tangent) && isSame(a.director, b.director)) return [0, 0, 0];
  writeFrameQuaternion(from, a);
  writeFrameQuaternion(to, b);
  for (let k = 1; k < 4; k++) from[k] = -from[k];
  multiplyQuaternions(to, 0, to, 0, from, 0);
  rotationFromQuaternion(vector, 0, to, 0);
  return [vector[0], vector[1], vector[2]];
}

const turn = new Float64Array(4);

/** Rotates the vector at offset o of x in place by a rotation vector. */
export function rotateVector(x: Float64Array, o: number, rotation: ArrayLike<number>): void {
  quaternionFromRotation(turn, 0, rotation, 0);
  const [w, a, b, c] = turn;
  const [vx, vy, vz] = [x[o], x[o + 1], x[o + 2]];
  const sx = 2 * (b * vz - c * vy);
  const sy = 2 * (c * vx - a * vz);
  const sz = 2 * (a * vy - b * vx);
  x[o] = vx + w * sx + b * sz - c * sy;
  x[o + 1] = vy + w * sy + c * sx - a * sz;
  x[o + 2] = vz + w * sz + a * sy - b * sx;
}
