/**
 * Angular velocity and acceleration, in world axes, of the rotation exp(φ(t)).
 *
 * ω = φ̇ + a2 φ × φ̇ + a3 φ × (φ × φ̇), and its derivative; a2, a3 and their slopes as in rotationSeries.ts, so nothing
 * happens at φ = 0. In body axes the odd powers of φ change their sign.
 */
import { slopeOfSeries, writeRotationSeries } from './rotationSeries.ts';

const a = new Float64Array(6);

/** ω of the rotation vector at `phi[i…]` with the rate at `rate[j…]`. */
export function writeAngularVelocity(
  out: Float64Array,
  phi: ArrayLike<number>,
  i: number,
  rate: ArrayLike<number>,
  j: number,
): void {
  const x = phi[i];
  const y = phi[i + 1];
  const z = phi[i + 2];
  writeRotationSeries(a, x * x + y * y + z * z, 4);
  const p = y * rate[j + 2] - z * rate[j + 1];
  const q = z * rate[j] - x * rate[j + 2];
  const r = x * rate[j + 1] - y * rate[j];
  out[0] = rate[j] + a[2] * p + a[3] * (y * r - z * q);
  out[1] = rate[j + 1] + a[2] * q + a[3] * (z * p - x * r);
  out[2] = rate[j + 2] + a[2] * r + a[3] * (x * q - y * p);
}

/** ω̇, with the second derivative of φ at `second[k…]`. */
export function writeAngularAcceleration(
  out: Float64Array,
  phi: ArrayLike<number>,
  i: number,
  rate: ArrayLike<number>,
  j: number,
  second: ArrayLike<number>,
  k: number,
): void {
  writeAngularVelocity(out, phi, i, second, k);
  const x = phi[i];
  const y = phi[i + 1];
  const z = phi[i + 2];
  const u = rate[j];
  const v = rate[j + 1];
  const w = rate[j + 2];
  writeRotationSeries(a, x * x + y * y + z * z, 6);
  const s = x * u + y * v + z * w;
  const b2 = slopeOfSeries(a, 2) * s;
  const b3 = slopeOfSeries(a, 3) * s;
  // c = φ × φ̇
  const p = y * w - z * v;
  const q = z * u - x * w;
  const r = x * v - y * u;
  out[0] += b2 * p + b3 * (y * r - z * q) + a[3] * (v * r - w * q);
  out[1] += b2 * q + b3 * (z * p - x * r) + a[3] * (w * p - u * r);
  out[2] += b2 * r + b3 * (x * q - y * p) + a[3] * (u * q - v * p);
}
