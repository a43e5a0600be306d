/** Transforms as the columns of a 3×4 matrix: x, y, z axis and origin. */
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
