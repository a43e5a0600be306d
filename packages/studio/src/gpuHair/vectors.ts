/** Vectors of three numbers. */

export type Vector = readonly [number, number, number];

/** p + s d. */
export const along = (p: Vector, d: Vector, s: number): Vector => [p[0] + s * d[0], p[1] + s * d[1], p[2] + s * d[2]];

export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** The direction of a vector, with another length. */
export function scaleTo(v: Vector, length: number): Vector {
  const s = length / Math.hypot(...v);
  return [v[0] * s, v[1] * s, v[2] * s];
}
