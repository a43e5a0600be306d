/** Unit quaternions (w, x, y, z) at an offset of an array, and rotation vectors. */
import { atan2, cos, hypot, sin } from './rounded/index.ts';

/** q = exp(v/2): the rotation by |v| about v. */
export function quaternionFromRotation(out: Float64Array, o: number, v: ArrayLike<number>, i: number): void {
  const angle = hypot(v[i], v[i + 1], v[i + 2]);
  const half = 0.5 * angle;
  // sin(half)/angle by its series where the quotient would lose digits
  const scale = angle < 1e-4 ? 0.5 - (angle * angle) / 48 : sin(half) / angle;
  const x = v[i] * scale;
  const y = v[i + 1] * scale;
  out[o + 3] = v[i + 2] * scale;
  out[o] = cos(half);
  out[o + 1] = x;
  out[o + 2] = y;
}

/** Rotation vector of the shorter way round. */
export function rotationFromQuaternion(out: Float64Array, o: number, q: ArrayLike<number>, i: number): void {
  const sign = q[i] < 0 ? -1 : 1;
  const sine = hypot(q[i + 1], q[i + 2], q[i + 3]);
  const scale = sign * (sine < 1e-8 ? 2 : (2 * atan2(sine, sign * q[i])) / sine);
  const x = q[i + 1] * scale;
  const y = q[i + 2] * scale;
  out[o + 2] = q[i + 3] * scale;
  out[o] = x;
  out[o + 1] = y;
}

/** out = a·b */
export function multiplyQuaternions(
  out: Float64Array,
  o: number,
  a: ArrayLike<number>,
  i: number,
  b: ArrayLike<number>,
  j: number,
): void {
  const w = a[i] * b[j] - a[i + 1] * b[j + 1] - a[i + 2] * b[j + 2] - a[i + 3] * b[j + 3];
  const x = a[i] * b[j + 1] + a[i + 1] * b[j] + a[i + 2] * b[j + 3] - a[i + 3] * b[j + 2];
  const y = a[i] * b[j + 2] - a[i + 1] * b[j + 3] + a[i + 2] * b[j] + a[i + 3] * b[j + 1];
  out[o + 3] = a[i] * b[j + 3] + a[i + 1] * b[j + 2] - a[i + 2] * b[j + 1] + a[i + 3] * b[j];
  out[o] = w;
  out[o + 1] = x;
  out[o + 2] = y;
}
