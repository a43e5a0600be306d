/**
 * Spatial algebra on flat arrays: motions (ω; v) and forces (n; f), six numbers at an offset. [Featherstone2008 §2]
 *
 * NOTE: [Hadap2006] writes forces as (f; n), with an inverse transform and a "spatial transpose"; in the order used here
 * forces go to the parent with the transpose of what brings motions to the child, and Sᵀ f is the first three numbers.
 *
 * `R` is a 3 × 3 matrix by rows that takes child components to parent components; the joint lies at (0, 0, d) of the
 * parent, on its axis.
 */

/** out = R v */
export function turn(out: Float64Array, o: number, R: Float64Array, r: number, v: Float64Array, i: number): void {
  const x = v[i];
  const y = v[i + 1];
  const z = v[i + 2];
  out[o] = R[r] * x + R[r + 1] * y + R[r + 2] * z;
  out[o + 1] = R[r + 3] * x + R[r + 4] * y + R[r + 5] * z;
  out[o + 2] = R[r + 6] * x + R[r + 7] * y + R[r + 8] * z;
}

/** out = Rᵀ v */
export function turnBack(out: Float64Array, o: number, R: Float64Array, r: number, v: Float64Array, i: number): void {
  const x = v[i];
  const y = v[i + 1];
  const z = v[i + 2];
  out[o] = R[r] * x + R[r + 3] * y + R[r + 6] * z;
  out[o + 1] = R[r + 1] * x + R[r + 4] * y + R[r + 7] * z;
  out[o + 2] = R[r + 2] * x + R[r + 5] * y + R[r + 8] * z;
}

/** out = A B, 3 × 3. */
export function multiply3(out: Float64Array, o: number, A: Float64Array, a: number, B: Float64Array, b: number): void {
  for (let i = 0; i < 3; i++) {
    const x = A[a + 3 * i];
    const y = A[a + 3 * i + 1];
    const z = A[a + 3 * i + 2];
    for (let k = 0; k < 3; k++) out[o + 3 * i + k] = x * B[b + k] + y * B[b + 3 + k] + z * B[b + 6 + k];
  }
}

/** Motion from parent to child: ω' = Rᵀω, v' = Rᵀ(v + ω × p). */
export function bringMotion(
  out: Float64Array,
  o: number,
  R: Float64Array,
  r: number,
  d: number,
  m: Float64Array,
  i: number,
): void {
  const ax = m[i];
  const ay = m[i + 1];
  const az = m[i + 2];
  const vx = m[i + 3] + d * ay;
  const vy = m[i + 4] - d * ax;
  const vz = m[i + 5];
  for (let k = 0; k < 3; k++) {
    const c0 = R[r + k];
    const c1 = R[r + 3 + k];
    const c2 = R[r + 6 + k];
    out[o + k] = c0 * ax + c1 * ay + c2 * az;
    out[o + 3 + k] = c0 * vx + c1 * vy + c2 * vz;
  }
}

/** Adds the child's force to the parent's: f' = R f, n' = R n + p × f'. */
export function addForce(
  out: Float64Array,
  o: number,
  R: Float64Array,
  r: number,
  d: number,
  f: Float64Array,
  i: number,
): void {
  const fx = R[r] * f[i + 3] + R[r + 1] * f[i + 4] + R[r + 2] * f[i + 5];
  const fy = R[r + 3] * f[i + 3] + R[r + 4] * f[i + 4] + R[r + 5] * f[i + 5];
  const fz = R[r + 6] * f[i + 3] + R[r + 7] * f[i + 4] + R[r + 8] * f[i + 5];
  out[o] += R[r] * f[i] + R[r + 1] * f[i + 1] + R[r + 2] * f[i + 2] - d * fy;
  out[o + 1] += R[r + 3] * f[i] + R[r + 4] * f[i + 1] + R[r + 5] * f[i + 2] + d * fx;
  out[o + 2] += R[r + 6] * f[i] + R[r + 7] * f[i + 1] + R[r + 8] * f[i + 2];
  out[o + 3] += fx;
  out[o + 4] += fy;
  out[o + 5] += fz;
}

/** out = v × m for motions: (ω × mω; v × mω + ω × mv). Not in place. */
export function crossMotion(
  out: Float64Array,
  o: number,
  v: Float64Array,
  i: number,
  m: Float64Array,
  j: number,
): void {
  out[o] = v[i + 1] * m[j + 2] - v[i + 2] * m[j + 1];
  out[o + 1] = v[i + 2] * m[j] - v[i] * m[j + 2];
  out[o + 2] = v[i] * m[j + 1] - v[i + 1] * m[j];
  out[o + 3] = v[i + 4] * m[j + 2] - v[i + 5] * m[j + 1] + v[i + 1] * m[j + 5] - v[i + 2] * m[j + 4];
  out[o + 4] = v[i + 5] * m[j] - v[i + 3] * m[j + 2] + v[i + 2] * m[j + 3] - v[i] * m[j + 5];
  out[o + 5] = v[i + 3] * m[j + 1] - v[i + 4] * m[j] + v[i] * m[j + 4] - v[i + 1] * m[j + 3];
}

/** out += v ×* f for forces: (ω × n + v × f; ω × f). */
export function addCrossForce(
  out: Float64Array,
  o: number,
  v: Float64Array,
  i: number,
  f: Float64Array,
  j: number,
): void {
  out[o] += v[i + 1] * f[j + 2] - v[i + 2] * f[j + 1] + v[i + 4] * f[j + 5] - v[i + 5] * f[j + 4];
  out[o + 1] += v[i + 2] * f[j] - v[i] * f[j + 2] + v[i + 5] * f[j + 3] - v[i + 3] * f[j + 5];
  out[o + 2] += v[i] * f[j + 1] - v[i + 1] * f[j] + v[i + 3] * f[j + 4] - v[i + 4] * f[j + 3];
  out[o + 3] += v[i + 1] * f[j + 5] - v[i + 2] * f[j + 4];
  out[o + 4] += v[i + 2] * f[j + 3] - v[i] * f[j + 5];
  out[o + 5] += v[i] * f[j + 4] - v[i + 1] * f[j + 3];
}

/** out = I m, 6 × 6 by rows. */
export function applyInertia(
  out: Float64Array,
  o: number,
  inertia: Float64Array,
  i: number,
  m: Float64Array,
  j: number,
): void {
  const a = m[j];
  const b = m[j + 1];
  const c = m[j + 2];
  const d = m[j + 3];
  const e = m[j + 4];
  const f = m[j + 5];
  for (let r = 0; r < 6; r++) {
    const s = i + 6 * r;
    out[o + r] =
      inertia[s] * a +
      inertia[s + 1] * b +
      inertia[s + 2] * c +
      inertia[s + 3] * d +
      inertia[s + 4] * e +
      inertia[s + 5] * f;
  }
}

/** Inverse of a 3 × 3 matrix by rows; returns its determinant. Does not write `out` if that is 0 or NaN. */
export function invert3(out: Float64Array, o: number, A: Float64Array, a: number): number {
  const c00 = A[a + 4] * A[a + 8] - A[a + 5] * A[a + 7];
  const c01 = A[a + 5] * A[a + 6] - A[a + 3] * A[a + 8];
  const c02 = A[a + 3] * A[a + 7] - A[a + 4] * A[a + 6];
  const determinant = A[a] * c00 + A[a + 1] * c01 + A[a + 2] * c02;
  const s = 1 / determinant;
  if (!(Math.abs(s) < Number.POSITIVE_INFINITY)) return 0;
  const c10 = A[a + 2] * A[a + 7] - A[a + 1] * A[a + 8];
  const c11 = A[a] * A[a + 8] - A[a + 2] * A[a + 6];
  const c12 = A[a + 1] * A[a + 6] - A[a] * A[a + 7];
  const c20 = A[a + 1] * A[a + 5] - A[a + 2] * A[a + 4];
  const c21 = A[a + 2] * A[a + 3] - A[a] * A[a + 5];
  const c22 = A[a] * A[a + 4] - A[a + 1] * A[a + 3];
  out[o] = c00 * s;
  out[o + 1] = c10 * s;
  out[o + 2] = c20 * s;
  out[o + 3] = c01 * s;
  out[o + 4] = c11 * s;
  out[o + 5] = c21 * s;
  out[o + 6] = c02 * s;
  out[o + 7] = c12 * s;
  out[o + 8] = c22 * s;
  return determinant;
}

/** Rotation matrix by rows of the unit quaternion (w, x, y, z). */
export function writeRotation(out: Float64Array, o: number, q: Float64Array, i: number): void {
  const w = q[i];
  const x = q[i + 1];
  const y = q[i + 2];
  const z = q[i + 3];
  out[o] = 1 - 2 * (y * y + z * z);
  out[o + 1] = 2 * (x * y - w * z);
  out[o + 2] = 2 * (x * z + w * y);
  out[o + 3] = 2 * (x * y + w * z);
  out[o + 4] = 1 - 2 * (x * x + z * z);
  out[o + 5] = 2 * (y * z - w * x);
  out[o + 6] = 2 * (x * z - w * y);
  out[o + 7] = 2 * (y * z + w * x);
  out[o + 8] = 1 - 2 * (x * x + y * y);
}
