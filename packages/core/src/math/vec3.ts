/** Vectors as three consecutive entries of an array; `o` marks where they start. */
import { atan2 } from './rounded/index.ts';

export function dot3(a: ArrayLike<number>, i: number, b: ArrayLike<number>, j: number): number {
  return a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2];
}

/**
 * Parallel transport: d turned by the smallest rotation that takes unit s to unit t, then made normal to t and unit.
 * No trigonometry and no axis: d + b×d + b×(b×d)/(1+s·t), b = s×t. [Bergou2008 §4.2.2]
 */
export function transport3(
  out: Float64Array,
  o: number,
  d: ArrayLike<number>,
  i: number,
  s: ArrayLike<number>,
  j: number,
  t: ArrayLike<number>,
  k: number,
): void {
  const tx = t[k];
  const ty = t[k + 1];
  const tz = t[k + 2];
  const bx = s[j + 1] * tz - s[j + 2] * ty;
  const by = s[j + 2] * tx - s[j] * tz;
  const bz = s[j] * ty - s[j + 1] * tx;
  const inverse = 1 / Math.max(1 + s[j] * tx + s[j + 1] * ty + s[j + 2] * tz, 1e-12);
  const dx = d[i];
  const dy = d[i + 1];
  const dz = d[i + 2];
  const cx = by * dz - bz * dy;
  const cy = bz * dx - bx * dz;
  const cz = bx * dy - by * dx;
  let x = dx + cx + (by * cz - bz * cy) * inverse;
  let y = dy + cy + (bz * cx - bx * cz) * inverse;
  let z = dz + cz + (bx * cy - by * cx) * inverse;
  const along = x * tx + y * ty + z * tz;
  x -= along * tx;
  y -= along * ty;
  z -= along * tz;
  const scale = 1 / Math.sqrt(x * x + y * y + z * z);
  out[o] = x * scale;
  out[o + 1] = y * scale;
  out[o + 2] = z * scale;
}

/** Signed angle from unit a to unit b about unit t (both normal to t). */
export function angleAbout3(
  a: ArrayLike<number>,
  i: number,
  b: ArrayLike<number>,
  j: number,
  t: ArrayLike<number>,
  k: number,
): number {
  const sine =
    t[k] * (a[i + 1] * b[j + 2] - a[i + 2] * b[j + 1]) +
    t[k + 1] * (a[i + 2] * b[j] - a[i] * b[j + 2]) +
    t[k + 2] * (a[i] * b[j + 1] - a[i + 1] * b[j]);
  return atan2(sine, dot3(a, i, b, j));
}
