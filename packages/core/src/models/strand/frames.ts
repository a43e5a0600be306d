/** Frames and rotations between them, as matrices and quaternions; the deformation of a joint. */
import { multiplyQuaternions } from '../../math/quaternion.ts';
import type { StrandTree } from './rod.ts';

const quarter = new Float64Array(4);

/** Frame with the columns d1, t × d1, t as a matrix by rows. */
export function writeFrame(
  out: Float64Array,
  o: number,
  tangent: ArrayLike<number>,
  t: number,
  director: ArrayLike<number>,
  d: number,
): void {
  const [x, y, z] = [tangent[t], tangent[t + 1], tangent[t + 2]];
  const [a, b, c] = [director[d], director[d + 1], director[d + 2]];
  out[o] = a;
  out[o + 3] = b;
  out[o + 6] = c;
  out[o + 1] = y * c - z * b;
  out[o + 4] = z * a - x * c;
  out[o + 7] = x * b - y * a;
  out[o + 2] = x;
  out[o + 5] = y;
  out[o + 8] = z;
}

/** Unit quaternion of a rotation matrix by rows, w ≥ 0. */
export function writeQuaternion(out: Float64Array, o: number, R: Float64Array, r: number): void {
  const trace = R[r] + R[r + 4] + R[r + 8];
  const candidates = [trace, R[r], R[r + 4], R[r + 8]];
  let largest = 0;
  for (let k = 1; k < 4; k++) if (candidates[k] > candidates[largest]) largest = k;
  const p = R[r + 7] - R[r + 5];
  const s = R[r + 2] - R[r + 6];
  const u = R[r + 3] - R[r + 1];
  if (largest === 0) quarter.set([1 + trace, p, s, u]);
  else if (largest === 1) quarter.set([p, 1 + R[r] - R[r + 4] - R[r + 8], R[r + 1] + R[r + 3], R[r + 2] + R[r + 6]]);
  else if (largest === 2) quarter.set([s, R[r + 1] + R[r + 3], 1 - R[r] + R[r + 4] - R[r + 8], R[r + 5] + R[r + 7]]);
  else quarter.set([u, R[r + 2] + R[r + 6], R[r + 5] + R[r + 7], 1 - R[r] - R[r + 4] + R[r + 8]]);
  let norm = 0;
  for (let k = 0; k < 4; k++) norm += quarter[k] * quarter[k];
  const scale = (quarter[0] < 0 ? -1 : 1) / Math.sqrt(norm);
  for (let k = 0; k < 4; k++) out[o + k] = quarter[k] * scale;
}

const product = new Float64Array(4);

/** Δ = before · q · after of joint j, with w ≥ 0. */
export function writeDelta(tree: StrandTree, j: number): void {
  const { before, after, deformation: out, q } = tree;
  multiplyQuaternions(product, 0, before, 4 * j, q, 3 + 4 * j);
  multiplyQuaternions(out, 4 * j, product, 0, after, 4 * j);
  if (out[4 * j] >= 0) return;
  for (let k = 0; k < 4; k++) out[4 * j + k] = -out[4 * j + k];
}
