/**
 * The formulas of elements.ts and of a step's inertia, for one spring, one face or one ring: functions of numbers and arrays alone,
 * because kernels/translate.ts makes lane code of them. What is 1 or 0 (`exact`, `pulling`, `matrix`) is known there.
 *
 * Lengths are not looked at here: a spring without length makes numbers that are none, and the caller finds it in `length`.
 *
 * Numbers of cuboid b: tension 8 b (four longitudinal springs, then four faces), direction 36 b (3 a spring, then 6 a face: p, q),
 * length 12 b (1 a spring, then 2 a face).
 */

/**
 * f·(u eᵀ) + g·1, a 3 × 3 block in row-major 12 × 12 ones: added to a at i and to d at j, taken off b at k and
 * off c at l.
 */
function addParts(
  a: Float64Array,
  i: number,
  d: Float64Array,
  j: number,
  b: Float64Array,
  k: number,
  c: Float64Array,
  l: number,
  f: number,
  ux: number,
  uy: number,
  uz: number,
  ex: number,
  ey: number,
  ez: number,
  g: number,
): void {
  const fx = f * ux;
  const fy = f * uy;
  const fz = f * uz;
  const xx = fx * ex + g;
  const xy = fx * ey;
  const xz = fx * ez;
  const yx = fy * ex;
  const yy = fy * ey + g;
  const yz = fy * ez;
  const zx = fz * ex;
  const zy = fz * ey;
  const zz = fz * ez + g;
  a[i] += xx;
  a[i + 1] += xy;
  a[i + 2] += xz;
  a[i + 12] += yx;
  a[i + 13] += yy;
  a[i + 14] += yz;
  a[i + 24] += zx;
  a[i + 25] += zy;
  a[i + 26] += zz;
  d[j] += xx;
  d[j + 1] += xy;
  d[j + 2] += xz;
  d[j + 12] += yx;
  d[j + 13] += yy;
  d[j + 14] += yz;
  d[j + 24] += zx;
  d[j + 25] += zy;
  d[j + 26] += zz;
  b[k] -= xx;
  b[k + 1] -= xy;
  b[k + 2] -= xz;
  b[k + 12] -= yx;
  b[k + 13] -= yy;
  b[k + 14] -= yz;
  b[k + 24] -= zx;
  b[k + 25] -= zy;
  b[k + 26] -= zz;
  c[l] -= xx;
  c[l + 1] -= xy;
  c[l + 2] -= xz;
  c[l + 12] -= yx;
  c[l + 13] -= yy;
  c[l + 14] -= yz;
  c[l + 24] -= zx;
  c[l + 25] -= zy;
  c[l + 26] -= zz;
}

/** Force and matrix of spring n from i to j; direction and length go to `at` and `place`; the blocks are ii, ij, ji, jj. */
function addSpring(
  force: Float64Array,
  x0: Float64Array,
  y: Float64Array,
  i: number,
  j: number,
  tension: Float64Array,
  tau: Float64Array,
  n: number,
  direction: Float64Array,
  at: number,
  length: Float64Array,
  place: number,
  k: number,
  rest: number,
  chi: number,
  exact: number,
  pulling: number,
  matrix: number,
  diagonal: Float64Array,
  ii: number,
  jj: number,
  upper: Float64Array,
  ij: number,
  lower: Float64Array,
  ji: number,
): void {
  const ax = x0[j] - x0[i];
  const ay = x0[j + 1] - x0[i + 1];
  const az = x0[j + 2] - x0[i + 2];
  const bx = y[j] - y[i];
  const by = y[j + 1] - y[i + 1];
  const bz = y[j + 2] - y[i + 2];
  const l0 = Math.sqrt(ax * ax + ay * ay + az * az);
  const l1 = Math.sqrt(bx * bx + by * by + bz * bz);
  const sum = l0 + l1;
  const mean = 1 / sum;
  const ux = (ax + bx) * mean;
  const uy = (ay + by) * mean;
  const uz = (az + bz) * mean;
  const t = k * (0.5 * sum - rest) + 0.5 * chi * k * (l1 - l0);
  force[i] += t * ux;
  force[i + 1] += t * uy;
  force[i + 2] += t * uz;
  force[j] -= t * ux;
  force[j + 1] -= t * uy;
  force[j + 2] -= t * uz;
  tension[n] = t;
  const last = 1 / l1;
  const ex = bx * last;
  const ey = by * last;
  const ez = bz * last;
  direction[at] = ex;
  direction[at + 1] = ey;
  direction[at + 2] = ez;
  length[place] = l1;
  if (matrix === 1) {
    const own = exact === 1 ? t : tau[n];
    const g = (pulling === 1 ? Math.max(own, 0) : own) * mean;
    const f = 0.5 * k * (1 + chi) - g;
    addParts(diagonal, ii, diagonal, jj, upper, ij, lower, ji, f, ux, uy, uz, ex, ey, ez, g);
  }
}

/** The shear element on the face of cuboid b from corner c to d: diagonals p (c → d) and q (d → c). */
function addShear(
  force: Float64Array,
  x0: Float64Array,
  y: Float64Array,
  b: number,
  c: number,
  d: number,
  tension: Float64Array,
  tau: Float64Array,
  direction: Float64Array,
  length: Float64Array,
  k: number,
  rest: number,
  chi: number,
  exact: number,
  pulling: number,
  matrix: number,
  diagonal: Float64Array,
  upper: Float64Array,
  lower: Float64Array,
): void {
  // i → j is p, m → o is q
  const i = 12 * b + 3 * c;
  const j = 12 * b + 12 + 3 * d;
  const m = 12 * b + 3 * d;
  const o = 12 * b + 12 + 3 * c;
  const p0x = x0[j] - x0[i];
  const p0y = x0[j + 1] - x0[i + 1];
  const p0z = x0[j + 2] - x0[i + 2];
  const q0x = x0[o] - x0[m];
  const q0y = x0[o + 1] - x0[m + 1];
  const q0z = x0[o + 2] - x0[m + 2];
  const p1x = y[j] - y[i];
  const p1y = y[j + 1] - y[i + 1];
  const p1z = y[j + 2] - y[i + 2];
  const q1x = y[o] - y[m];
  const q1y = y[o + 1] - y[m + 1];
  const q1z = y[o + 2] - y[m + 2];
  const lp0 = Math.sqrt(p0x * p0x + p0y * p0y + p0z * p0z);
  const lq0 = Math.sqrt(q0x * q0x + q0y * q0y + q0z * q0z);
  const lp1 = Math.sqrt(p1x * p1x + p1y * p1y + p1z * p1z);
  const lq1 = Math.sqrt(q1x * q1x + q1y * q1y + q1z * q1z);
  const sp = lp0 + lp1;
  const sq = lq0 + lq1;
  const meanP = 1 / sp;
  const meanQ = 1 / sq;
  const ux = (p0x + p1x) * meanP;
  const uy = (p0y + p1y) * meanP;
  const uz = (p0z + p1z) * meanP;
  const wx = (q0x + q1x) * meanQ;
  const wy = (q0y + q1y) * meanQ;
  const wz = (q0z + q1z) * meanQ;
  const t = k * (0.5 * (sp - sq) - rest) + 0.5 * chi * k * (lp1 - lq1 - lp0 + lq0);
  force[i] += t * ux;
  force[i + 1] += t * uy;
  force[i + 2] += t * uz;
  force[j] -= t * ux;
  force[j + 1] -= t * uy;
  force[j + 2] -= t * uz;
  force[m] -= t * wx;
  force[m + 1] -= t * wy;
  force[m + 2] -= t * wz;
  force[o] += t * wx;
  force[o + 1] += t * wy;
  force[o + 2] += t * wz;
  const n = 8 * b + 4 + c;
  const at = 36 * b + 12 + 6 * c;
  const place = 12 * b + 4 + 2 * c;
  tension[n] = t;
  const lastP = 1 / lp1;
  const lastQ = 1 / lq1;
  const ex = p1x * lastP;
  const ey = p1y * lastP;
  const ez = p1z * lastP;
  const gx = q1x * lastQ;
  const gy = q1y * lastQ;
  const gz = q1z * lastQ;
  direction[at] = ex;
  direction[at + 1] = ey;
  direction[at + 2] = ez;
  direction[at + 3] = gx;
  direction[at + 4] = gy;
  direction[at + 5] = gz;
  length[place] = lp1;
  length[place + 1] = lq1;
  if (matrix === 1) {
    const own = exact === 1 ? t : tau[n];
    const half = 0.5 * k * (1 + chi);
    const a = (pulling === 1 ? Math.max(own, 0) : own) * meanP;
    const e = (pulling === 1 ? Math.max(-own, 0) : -own) * meanQ;
    const base = 144 * b;
    const cc = base + 39 * c;
    const cd = base + 36 * c + 3 * d;
    const dc = base + 36 * d + 3 * c;
    const dd = base + 39 * d;
    // p on its ends, q on its ends
    addParts(diagonal, cc, diagonal, dd + 144, upper, cd, lower, dc, half - a, ux, uy, uz, ex, ey, ez, a);
    addParts(diagonal, dd, diagonal, cc + 144, upper, dc, lower, cd, half - e, wx, wy, wz, gx, gy, gz, e);
    // p feels q and q feels p
    addParts(upper, cc, lower, dd, diagonal, cd, diagonal, dc + 144, half, ux, uy, uz, gx, gy, gz, 0);
    addParts(upper, dd, lower, cc, diagonal, dc, diagonal, cd + 144, half, wx, wy, wz, ex, ey, ez, 0);
  }
}

/** The longitudinal spring at corner c of cuboid b, and the face from there to corner d. */
export function addFace(
  force: Float64Array,
  x0: Float64Array,
  y: Float64Array,
  b: number,
  c: number,
  d: number,
  tension: Float64Array,
  tau: Float64Array,
  direction: Float64Array,
  length: Float64Array,
  longRest: Float64Array,
  shearRest: Float64Array,
  long: number,
  shear: number,
  chi: number,
  exact: number,
  pulling: number,
  matrix: number,
  diagonal: Float64Array,
  upper: Float64Array,
  lower: Float64Array,
): void {
  const i = 12 * b + 3 * c;
  const own = 144 * b + 39 * c;
  addSpring(
    force,
    x0,
    y,
    i,
    i + 12,
    tension,
    tau,
    8 * b + c,
    direction,
    36 * b + 3 * c,
    length,
    12 * b + c,
    long,
    longRest[4 * b + c],
    chi,
    exact,
    pulling,
    matrix,
    diagonal,
    own,
    own + 144,
    upper,
    own,
    lower,
    own,
  );
  const rest = shearRest[4 * b + c];
  addShear(
    force,
    x0,
    y,
    b,
    c,
    d,
    tension,
    tau,
    direction,
    length,
    shear,
    rest,
    chi,
    exact,
    pulling,
    matrix,
    diagonal,
    upper,
    lower,
  );
}

/** Spring n of ring r, between two of its corners. */
export function addRingSpring(
  force: Float64Array,
  x0: Float64Array,
  y: Float64Array,
  r: number,
  from: number,
  to: number,
  tension: Float64Array,
  tau: Float64Array,
  n: number,
  direction: Float64Array,
  at: number,
  length: Float64Array,
  place: number,
  k: number,
  rest: number,
  chi: number,
  exact: number,
  pulling: number,
  matrix: number,
  diagonal: Float64Array,
): void {
  addSpring(
    force,
    x0,
    y,
    12 * r + 3 * from,
    12 * r + 3 * to,
    tension,
    tau,
    n,
    direction,
    at,
    length,
    place,
    k,
    rest,
    chi,
    exact,
    pulling,
    matrix,
    diagonal,
    144 * r + 39 * from,
    144 * r + 39 * to,
    diagonal,
    144 * r + 36 * from + 3 * to,
    diagonal,
    144 * r + 36 * to + 3 * from,
  );
}

/** Squared turn [rad²] that dx makes of a spring of length l from i to j. */
export function turnOf(dx: Float64Array, i: number, j: number, l: number): number {
  const x = dx[j] - dx[i];
  const y = dx[j + 1] - dx[i + 1];
  const z = dx[j + 2] - dx[i + 2];
  return (x * x + y * y + z * z) / (l * l);
}

/** How much dx lengthens what goes from i to j in the direction at `at`. */
function stretchOf(direction: Float64Array, at: number, dx: Float64Array, i: number, j: number): number {
  return (
    direction[at] * (dx[j] - dx[i]) +
    direction[at + 1] * (dx[j + 1] - dx[i + 1]) +
    direction[at + 2] * (dx[j + 2] - dx[i + 2])
  );
}

/** τ of the spring and of the face at corner c of cuboid b move by the share s towards the tension that dx would bring. */
export function predictFace(
  tau: Float64Array,
  tension: Float64Array,
  direction: Float64Array,
  dx: Float64Array,
  b: number,
  c: number,
  d: number,
  long: number,
  shear: number,
  s: number,
): void {
  const i = 12 * b + 3 * c;
  const m = 12 * b + 3 * d;
  const n = 8 * b + c;
  const at = 36 * b + 12 + 6 * c;
  tau[n] += s * (tension[n] + long * stretchOf(direction, 36 * b + 3 * c, dx, i, i + 12) - tau[n]);
  const change = stretchOf(direction, at, dx, i, m + 12) - stretchOf(direction, at + 3, dx, m, i + 12);
  tau[n + 4] += s * (tension[n + 4] + shear * change - tau[n + 4]);
}

/** The same of spring n of ring r. */
export function predictRingSpring(
  tau: Float64Array,
  tension: Float64Array,
  n: number,
  direction: Float64Array,
  at: number,
  dx: Float64Array,
  r: number,
  from: number,
  to: number,
  k: number,
  s: number,
): void {
  const change = stretchOf(direction, at, dx, 12 * r + 3 * from, 12 * r + 3 * to);
  tau[n] += s * (tension[n] + k * change - tau[n]);
}

const ringRate = new Float64Array(12);

/** Takes M(moved (y − x0) − speeds v0) of ring r off the residual; M: see `FiberRod`. */
export function subtractInertia(
  residual: Float64Array,
  x0: Float64Array,
  y: Float64Array,
  v0: Float64Array,
  r: number,
  moved: number,
  speeds: number,
  mass: number,
  coupling: number,
): void {
  const o = 12 * r;
  for (let k = 0; k < 12; k++) ringRate[k] = moved * (y[o + k] - x0[o + k]) - speeds * v0[o + k];
  for (let k = 0; k < 3; k++) {
    const shared = coupling * (ringRate[k] + ringRate[k + 3] + ringRate[k + 6] + ringRate[k + 9]);
    for (let c = 0; c < 4; c++) residual[o + 3 * c + k] -= mass * ringRate[3 * c + k] + shared;
  }
}

/** Adds mass·1 to the diagonal block of ring r. */
export function addRingMass(diagonal: Float64Array, r: number, mass: number): void {
  for (let k = 0; k < 12; k++) diagonal[144 * r + 13 * k] += mass;
}

/** Adds what couples the particles of ring r through their mean. */
export function addRingCoupling(diagonal: Float64Array, r: number, coupling: number): void {
  for (let a = 0; a < 4; a++)
    for (let b = 0; b < 4; b++) for (let k = 0; k < 3; k++) diagonal[144 * r + 36 * a + 12 * k + 3 * b + k] += coupling;
}

/** Adds w·drag of ring r, which acts on its mean and is spread over its particles. */
export function addRingDrag(diagonal: Float64Array, r: number, drag: Float64Array, w: number): void {
  const o = 6 * r;
  for (let a = 0; a < 4; a++) {
    for (let b = 0; b < 4; b++) {
      const at = 144 * r + 36 * a + 3 * b;
      diagonal[at] += w * drag[o];
      diagonal[at + 1] += w * drag[o + 1];
      diagonal[at + 2] += w * drag[o + 2];
      diagonal[at + 12] += w * drag[o + 1];
      diagonal[at + 13] += w * drag[o + 3];
      diagonal[at + 14] += w * drag[o + 4];
      diagonal[at + 24] += w * drag[o + 2];
      diagonal[at + 25] += w * drag[o + 4];
      diagonal[at + 26] += w * drag[o + 5];
    }
  }
}
