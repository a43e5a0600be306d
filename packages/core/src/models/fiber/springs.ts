/**
 * The formulas of elements.ts and of a step's inertia, for one spring, one face or one ring. Functions of numbers and arrays only,
 * because kernels/translate.ts translates them to SIMD code. Parameters that are 1 or 0 (`exact`, `pulling`, `matrix`) are constants there.
 *
 * Lengths are not checked here: a spring of length zero gives NaN, and the caller detects it in `length`.
 *
 * Numbers of cuboid b: tension 8 b (four longitudinal springs, then four faces), direction 36 b (3 per spring, then 6 per face: p, q),
 * length 12 b (1 per spring, then 2 per face).
 */

/** Tensions [N] of the iterate and of the matrix, and directions at the end of the step: see `Elements`. */
export interface Tensions {
  readonly tension: Float64Array;
  readonly tau: Float64Array;
  readonly direction: Float64Array;
}

/** Inputs and outputs of the springs in a step from x0 to y: see `addElements`. */
export interface SpringArrays {
  readonly force: Float64Array;
  readonly x0: Float64Array;
  readonly y: Float64Array;
  readonly tension: Float64Array;
  readonly tau: Float64Array;
  readonly direction: Float64Array;
  readonly length: Float64Array;
  readonly longRest: Float64Array;
  readonly shearRest: Float64Array;
  readonly diagonal: Float64Array;
  readonly upper: Float64Array;
  readonly lower: Float64Array;
  /** 1 or 0: the matrix uses the tension of the iterate; only positive tensions; a matrix is assembled at all. */
  readonly exact: number;
  readonly pulling: number;
  readonly matrix: number;
}

/**
 * Of a spring, or of the two diagonals of a shear element from 0 and from 9 on: the mean direction over the step (3), the direction at its
 * end (3), both lengths, and one over their sum.
 */
const axes = new Float64Array(18);

/** Writes direction and length of the spring or diagonal from particle i to j to `axes` at u. */
function writeAxes(s: SpringArrays, i: number, j: number, u: number): void {
  const { x0, y } = s;
  const ax = x0[j] - x0[i];
  const ay = x0[j + 1] - x0[i + 1];
  const az = x0[j + 2] - x0[i + 2];
  const bx = y[j] - y[i];
  const by = y[j + 1] - y[i + 1];
  const bz = y[j + 2] - y[i + 2];
  const l0 = Math.sqrt(ax * ax + ay * ay + az * az);
  const l1 = Math.sqrt(bx * bx + by * by + bz * bz);
  const mean = 1 / (l0 + l1);
  const last = 1 / l1;
  axes[u] = (ax + bx) * mean;
  axes[u + 1] = (ay + by) * mean;
  axes[u + 2] = (az + bz) * mean;
  axes[u + 3] = bx * last;
  axes[u + 4] = by * last;
  axes[u + 5] = bz * last;
  axes[u + 6] = l0;
  axes[u + 7] = l1;
  axes[u + 8] = mean;
}

/** Pulls i and j together along the mean direction at u; keeps direction and length at the end of the step. */
function pullTogether(s: SpringArrays, i: number, j: number, t: number, u: number, at: number, place: number): void {
  const { force, direction, length } = s;
  const x = t * axes[u];
  const y = t * axes[u + 1];
  const z = t * axes[u + 2];
  force[i] += x;
  force[i + 1] += y;
  force[i + 2] += z;
  force[j] -= x;
  force[j + 1] -= y;
  force[j + 2] -= z;
  direction[at] = axes[u + 3];
  direction[at + 1] = axes[u + 4];
  direction[at + 2] = axes[u + 5];
  length[place] = axes[u + 7];
}

/**
 * The 3 × 3 block f·(u eᵀ) + g·1, with the mean direction at u and the final direction at e, in row-major 12 × 12 blocks: adds it to a at i and to d
 * at j, subtracts it from b at k and from c at l.
 */
function addParts(
  f: number,
  u: number,
  e: number,
  g: number,
  a: Float64Array,
  i: number,
  d: Float64Array,
  j: number,
  b: Float64Array,
  k: number,
  c: Float64Array,
  l: number,
): void {
  const fx = f * axes[u];
  const fy = f * axes[u + 1];
  const fz = f * axes[u + 2];
  const ex = axes[e];
  const ey = axes[e + 1];
  const ez = axes[e + 2];
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

/** Force of spring n from i to j, with its direction at `at` and its length at `place`. */
function addSpring(
  s: SpringArrays,
  i: number,
  j: number,
  n: number,
  at: number,
  place: number,
  k: number,
  rest: number,
  chi: number,
): void {
  writeAxes(s, i, j, 0);
  const l0 = axes[6];
  const l1 = axes[7];
  const t = k * (0.5 * (l0 + l1) - rest) + 0.5 * chi * k * (l1 - l0);
  const { tension } = s;
  tension[n] = t;
  pullTogether(s, i, j, t, 0, at, place);
}

/** Tension of element n in the matrix [N]. */
function tensionOf(s: SpringArrays, n: number): number {
  const { tension, tau } = s;
  return s.exact === 1 ? tension[n] : tau[n];
}

/** Stiffness across its direction that a tension causes [N/m]: the tension over the lengths at u. */
function pullOf(s: SpringArrays, own: number, u: number): number {
  return (s.pulling === 1 ? Math.max(own, 0) : own) * axes[u + 8];
}

/** The shear element on the face of cuboid b from corner c to d: diagonals p (c → d) and q (d → c). */
function addShear(s: SpringArrays, b: number, c: number, d: number, k: number, rest: number, chi: number): void {
  const i = 12 * b + 3 * c;
  const m = 12 * b + 3 * d;
  const n = 8 * b + 4 + c;
  const at = 36 * b + 12 + 6 * c;
  const place = 12 * b + 4 + 2 * c;
  writeAxes(s, i, m + 12, 0);
  writeAxes(s, m, i + 12, 9);
  const p0 = axes[6];
  const p1 = axes[7];
  const q0 = axes[15];
  const q1 = axes[16];
  const t = k * (0.5 * (p0 + p1 - (q0 + q1)) - rest) + 0.5 * chi * k * (p1 - q1 - p0 + q0);
  const { tension } = s;
  tension[n] = t;
  pullTogether(s, i, m + 12, t, 0, at, place);
  pullTogether(s, m, i + 12, -t, 9, at + 3, place + 1);
  if (s.matrix === 1) addShearMatrix(s, b, c, d, 0.5 * k * (1 + chi));
}

/** Matrix of a shear element, after the axes of both diagonals were written; `half`: half the stiffness. */
function addShearMatrix(s: SpringArrays, b: number, c: number, d: number, half: number): void {
  const { diagonal, upper, lower } = s;
  const own = tensionOf(s, 8 * b + 4 + c);
  const a = pullOf(s, own, 0);
  const e = pullOf(s, -own, 9);
  const base = 144 * b;
  const cc = base + 39 * c;
  const cd = base + 36 * c + 3 * d;
  const dc = base + 36 * d + 3 * c;
  const dd = base + 39 * d;
  // blocks of p, and of q, between their own ends
  addParts(half - a, 0, 3, a, diagonal, cc, diagonal, dd + 144, upper, cd, lower, dc);
  addParts(half - e, 9, 12, e, diagonal, dd, diagonal, cc + 144, upper, dc, lower, cd);
  // p acts on q, and q on p
  addParts(half, 0, 12, 0, upper, cc, lower, dd, diagonal, cd, diagonal, dc + 144);
  addParts(half, 9, 3, 0, upper, dd, lower, cc, diagonal, dc, diagonal, cd + 144);
}

/** The longitudinal spring at corner c of cuboid b, and the face from there to corner d; `long`, `shear`: stiffness [N/m]. */
export function addFace(
  s: SpringArrays,
  b: number,
  c: number,
  d: number,
  long: number,
  shear: number,
  chi: number,
): void {
  const { longRest, shearRest, diagonal, upper, lower } = s;
  const i = 12 * b + 3 * c;
  const n = 8 * b + c;
  addSpring(s, i, i + 12, n, 36 * b + 3 * c, 12 * b + c, long, longRest[4 * b + c], chi);
  if (s.matrix === 1) {
    const own = 144 * b + 39 * c;
    const g = pullOf(s, tensionOf(s, n), 0);
    const f = 0.5 * long * (1 + chi) - g;
    addParts(f, 0, 3, g, diagonal, own, diagonal, own + 144, upper, own, lower, own);
  }
  addShear(s, b, c, d, shear, shearRest[4 * b + c], chi);
}

/** Spring n of ring r, between two of its corners, with its direction at `at` and its length at `place`. */
export function addRingSpring(
  s: SpringArrays,
  r: number,
  from: number,
  to: number,
  n: number,
  at: number,
  place: number,
  k: number,
  rest: number,
  chi: number,
): void {
  const { diagonal } = s;
  addSpring(s, 12 * r + 3 * from, 12 * r + 3 * to, n, at, place, k, rest, chi);
  if (s.matrix === 1) {
    const ii = 144 * r + 39 * from;
    const jj = 144 * r + 39 * to;
    const ij = 144 * r + 36 * from + 3 * to;
    const ji = 144 * r + 36 * to + 3 * from;
    const g = pullOf(s, tensionOf(s, n), 0);
    const f = 0.5 * k * (1 + chi) - g;
    addParts(f, 0, 3, g, diagonal, ii, diagonal, jj, diagonal, ij, diagonal, ji);
  }
}

/** Squared rotation [rad²] by dx of a spring of length l from i to j. */
export function turnOf(dx: Float64Array, i: number, j: number, l: number): number {
  const x = dx[j] - dx[i];
  const y = dx[j + 1] - dx[i + 1];
  const z = dx[j + 2] - dx[i + 2];
  return (x * x + y * y + z * z) / (l * l);
}

/** Elongation by dx of a spring or diagonal from i to j, with its direction at `at`. */
function stretchOf(direction: Float64Array, at: number, dx: Float64Array, i: number, j: number): number {
  return (
    direction[at] * (dx[j] - dx[i]) +
    direction[at + 1] * (dx[j + 1] - dx[i + 1]) +
    direction[at + 2] * (dx[j + 2] - dx[i + 2])
  );
}

/** Moves τ of the spring and of the face at corner c of cuboid b by the fraction s towards the tension predicted for dx. */
export function predictFace(
  tensions: Tensions,
  dx: Float64Array,
  b: number,
  c: number,
  d: number,
  long: number,
  shear: number,
  s: number,
): void {
  const { tau, tension, direction } = tensions;
  const i = 12 * b + 3 * c;
  const m = 12 * b + 3 * d;
  const n = 8 * b + c;
  const at = 36 * b + 12 + 6 * c;
  tau[n] += s * (tension[n] + long * stretchOf(direction, 36 * b + 3 * c, dx, i, i + 12) - tau[n]);
  const change = stretchOf(direction, at, dx, i, m + 12) - stretchOf(direction, at + 3, dx, m, i + 12);
  tau[n + 4] += s * (tension[n + 4] + shear * change - tau[n + 4]);
}

/** Like the function above, for spring n of ring r. */
export function predictRingSpring(
  tensions: Tensions,
  dx: Float64Array,
  n: number,
  at: number,
  r: number,
  from: number,
  to: number,
  k: number,
  s: number,
): void {
  const { tau, tension, direction } = tensions;
  const change = stretchOf(direction, at, dx, 12 * r + 3 * from, 12 * r + 3 * to);
  tau[n] += s * (tension[n] + k * change - tau[n]);
}

const ringRate = new Float64Array(12);

/** Subtracts M(moved (y − x0) − speeds v0) of ring r from the residual; M: see `FiberRod`. */
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

/** Adds the mass that couples the particles of ring r through their mean. */
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
