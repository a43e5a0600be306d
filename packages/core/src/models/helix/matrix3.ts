/** 3×3 matrices, row by row, at offsets of arrays; `out` may not be an input. */

/** out = a b */
export function multiply33(out: Float64Array, o: number, a: Float64Array, i: number, b: Float64Array, j: number): void {
  for (let r = 0; r < 3; r++) {
    const x = a[i + 3 * r];
    const y = a[i + 3 * r + 1];
    const z = a[i + 3 * r + 2];
    out[o + 3 * r] = x * b[j] + y * b[j + 3] + z * b[j + 6];
    out[o + 3 * r + 1] = x * b[j + 1] + y * b[j + 4] + z * b[j + 7];
    out[o + 3 * r + 2] = x * b[j + 2] + y * b[j + 5] + z * b[j + 8];
  }
}

/** out = aᵀ b */
export function multiplyTransposed33(
  out: Float64Array,
  o: number,
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
): void {
  for (let r = 0; r < 3; r++) {
    const x = a[i + r];
    const y = a[i + 3 + r];
    const z = a[i + 6 + r];
    out[o + 3 * r] = x * b[j] + y * b[j + 3] + z * b[j + 6];
    out[o + 3 * r + 1] = x * b[j + 1] + y * b[j + 4] + z * b[j + 7];
    out[o + 3 * r + 2] = x * b[j + 2] + y * b[j + 5] + z * b[j + 8];
  }
}

/** out += factor·(aᵀ b) */
export function addTransposed33(
  out: Float64Array,
  o: number,
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  factor: number,
): void {
  for (let r = 0; r < 3; r++) {
    const x = factor * a[i + r];
    const y = factor * a[i + 3 + r];
    const z = factor * a[i + 6 + r];
    out[o + 3 * r] += x * b[j] + y * b[j + 3] + z * b[j + 6];
    out[o + 3 * r + 1] += x * b[j + 1] + y * b[j + 4] + z * b[j + 7];
    out[o + 3 * r + 2] += x * b[j + 2] + y * b[j + 5] + z * b[j + 8];
  }
}

/** out += aᵀ [v], where [v] x = v × x */
export function addTransposedCross33(out: Float64Array, o: number, a: Float64Array, i: number, v: Float64Array): void {
  const vx = v[0];
  const vy = v[1];
  const vz = v[2];
  for (let r = 0; r < 3; r++) {
    const x = a[i + r];
    const y = a[i + 3 + r];
    const z = a[i + 6 + r];
    out[o + 3 * r] += y * vz - z * vy;
    out[o + 3 * r + 1] += z * vx - x * vz;
    out[o + 3 * r + 2] += x * vy - y * vx;
  }
}
