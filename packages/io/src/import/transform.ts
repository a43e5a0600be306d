/** Transforms as the columns of a 3×4 matrix: x, y, z axis and origin. */
import { acos, sin } from '@tendril-sim/core/math';

export type Transform = readonly number[];

export const identity: Transform = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

export function fromQuaternion(w: number, x: number, y: number, z: number): Transform {
  return [
    1 - 2 * (y * y + z * z),
    2 * (x * y + w * z),
    2 * (x * z - w * y),
    2 * (x * y - w * z),
    1 - 2 * (x * x + z * z),
    2 * (y * z + w * x),
    2 * (x * z + w * y),
    2 * (y * z - w * x),
    1 - 2 * (x * x + y * y),
    0,
    0,
    0,
  ];
}

/** First `b`, then `a`. */
export function compose(a: Transform, b: Transform): Transform {
  const out = new Array<number>(12);
  for (let c = 0; c < 4; c++)
    for (let r = 0; r < 3; r++)
      out[3 * c + r] = a[r] * b[3 * c] + a[3 + r] * b[3 * c + 1] + a[6 + r] * b[3 * c + 2] + (c === 3 ? a[9 + r] : 0);
  return out;
}

export function determinant(m: Transform): number {
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[3] * (m[1] * m[8] - m[2] * m[7]) + m[6] * (m[1] * m[5] - m[2] * m[4]);
}

/** The inverse; undefined if the transform flattens space. */
export function invert(m: Transform): Transform | undefined {
  const det = determinant(m);
  if (!(Math.abs(det) > 0)) return undefined;
  // rows of the inverse are cross products of two columns
  const row = (a: number, b: number): number[] => [
    (m[a + 1] * m[b + 2] - m[a + 2] * m[b + 1]) / det,
    (m[a + 2] * m[b] - m[a] * m[b + 2]) / det,
    (m[a] * m[b + 1] - m[a + 1] * m[b]) / det,
  ];
  const rows = [row(3, 6), row(6, 0), row(0, 3)];
  const origin = rows.map(([x, y, z]) => -(x * m[9] + y * m[10] + z * m[11]));
  return [...[0, 1, 2].flatMap((c) => rows.map((one) => one[c])), ...origin];
}

/** A transform from a 4×4 matrix of row vectors, as USD and Alembic store it: the last row is the origin. */
export function fromMatrix(m: ArrayLike<number>, first = 0): Transform {
  return [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14].map((k) => m[first + k]);
}

/** Points, 3 numbers each. */
export function transformAll(values: Float64Array, m: Transform): Float64Array {
  const out = new Float64Array(values.length);
  for (let i = 0; i < values.length; i += 3)
    for (let k = 0; k < 3; k++)
      out[i + k] = m[k] * values[i] + m[3 + k] * values[i + 1] + m[6 + k] * values[i + 2] + m[9 + k];
  return out;
}

export function normalizeQuaternion(values: readonly number[]): number[] {
  const size = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) || 1;
  return values.map((value) => value / size);
}

/** The shorter way between two unit quaternions, at constant angular velocity; components in any order. */
export function slerp(a: ArrayLike<number>, b: ArrayLike<number>, t: number): number[] {
  const dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = dot < 0 ? -1 : 1;
  const angle = acos(Math.min(1, sign * dot));
  const [p, q] = angle < 1e-6 ? [1 - t, t] : [sin((1 - t) * angle) / sin(angle), sin(t * angle) / sin(angle)];
  return normalizeQuaternion([0, 1, 2, 3].map((k) => p * a[k] + sign * q * b[k]));
}
