/**
 * The law of links that hold two places together and the angle between their rods, over numbers that lie in a row: a cloth has a million of
 * them, and one record of 32 numbers is read in a turn of the solver where objects with a dozen arrays were.
 *
 * Of C, rows of position have one weight w a side, the row of the angle a vector ∓n for the two nodes of an end. The local law of linkLaw.ts,
 * 1/a + Σ C Cᵀ/ρ, is then an arrow: a number s for the three rows of position, b between them and the angle's, d; its solution is written
 * out. Follows linkLaw.ts but for rounding, which stays the reference (test/contact/linkCrossings.test.ts). Measured on a cloth of
 * 2 × 250 fibers, where a turn of the solver spent a quarter of its time in the loops over Link.
 */
import { type LinkRows, RECORD } from './linkRows.ts';
import { dampingOf, type Link, stiffnessOf } from './links.ts';

/** The arrays of the solver; see SideArrays. */
export interface CrossingArrays {
  readonly mass: Float64Array;
  readonly response: Float64Array;
  readonly start: Float64Array;
  readonly copy: Float64Array;
  readonly right: Float64Array;
  readonly free: Float64Array;
}

/** Records and sides of a group's crossings. */
export type CrossingRows = Pick<LinkRows, 'record' | 'side'>;

/** Places in a record: weights, n of both ends, 1/ρ, the arrow, what strains ask for, impulses, those made linear at, largest response. */
const NORMAL = 4;
const INVERSE = 10;
const ARROW = 14;
const WANTED = 19;
const IMPULSE = 23;
const BEFORE = 27;
const RESPONSE = 31;

/** Whether a link may have a record: two nodes an end, no offset that its sections carry. */
export function isCrossing({ rows, perEnd, sideCount }: Link): boolean {
  return rows === 4 && perEnd === 2 && sideCount === 4;
}

/** Records of links that are linear where they are, with the solver's masses as they are. False where a law is not positive. */
export function writeCrossings(
  { record: r, side }: CrossingRows,
  links: readonly Link[],
  { mass, response }: CrossingArrays,
  dt: number,
): boolean {
  for (let k = 0; k < links.length; k++) {
    const link = links[k];
    const { coefficient: c, impulse, impulseStart, strain } = link;
    const o = RECORD * k;
    let most = 0;
    let s = 1 / (dt * dt * stiffnessOf(link, 0) + dt * dampingOf(link, 0));
    for (let i = 0; i < 4; i++) {
      const at = side[4 * k + i];
      const w = c[3 * i];
      const inverse = mass[at] > 0 ? 1 / mass[at] : 0;
      r[o + i] = w;
      r[o + INVERSE + i] = inverse;
      s += w * w * inverse;
      if (response[at] > most) most = response[at];
    }
    let d = 1 / (dt * dt * stiffnessOf(link, 3) + dt * dampingOf(link, 3));
    for (let m = 0; m < 3; m++) {
      // C by rows and sides: row 3, sides 1 and 3
      const a = c[39 + m];
      const b = c[45 + m];
      r[o + NORMAL + m] = a;
      r[o + NORMAL + 3 + m] = b;
      const i = o + INVERSE;
      d += a * a * (r[i] + r[i + 1]) + b * b * (r[i + 2] + r[i + 3]);
      r[o + ARROW + 1 + m] = a * (r[o + 1] * r[i + 1] - r[o] * r[i]) + b * (r[o + 3] * r[i + 3] - r[o + 2] * r[i + 2]);
    }
    const [x, y, z] = [r[o + ARROW + 1], r[o + ARROW + 2], r[o + ARROW + 3]];
    const rest = d - (x * x + y * y + z * z) / s;
    if (!(s > 0 && rest > 0)) return false;
    r[o + ARROW] = 1 / s;
    r[o + ARROW + 4] = 1 / rest;
    for (let m = 0; m < 4; m++) {
      const stiffness = stiffnessOf(link, m);
      r[o + WANTED + m] = (stiffness * strain[m]) / (dt * stiffness + dampingOf(link, m));
      r[o + IMPULSE + m] = impulse[m];
      r[o + BEFORE + m] = impulseStart[m];
    }
    r[o + RESPONSE] = most;
  }
  return true;
}

/** Impulses of the records back to their links. */
export function readCrossings({ record }: CrossingRows, links: readonly Link[]): void {
  for (let k = 0; k < links.length; k++) {
    const { impulse } = links[k];
    for (let m = 0; m < 4; m++) impulse[m] = record[RECORD * k + IMPULSE + m];
  }
}

/** Like `startLinks`, for crossings `begin` to `end`. */
export function startCrossings(
  { record: r, side }: CrossingRows,
  weight: Float64Array,
  { copy, free, mass }: CrossingArrays,
  from: Float64Array,
  begin: number,
  end: number,
): void {
  for (let k = begin; k < end; k++) {
    const o = RECORD * k;
    for (let i = 0; i < 4; i++) {
      const s = side[4 * k + i];
      const n = o + NORMAL + (i < 2 ? 0 : 3);
      const angle = i % 2 === 0 ? -r[o + BEFORE + 3] : r[o + BEFORE + 3];
      for (let m = 0; m < 3; m++) {
        const at = 3 * s + m;
        copy[at] = from[at];
        weight[at] = mass[s];
        free[at] = from[at] - (r[o + i] * r[o + BEFORE + m] + angle * r[n + m]) * r[o + INVERSE + i];
      }
    }
  }
}

/** Like `applyLinks` and `pullSides`, for crossings `begin` to `end`. */
export function applyCrossings(
  { record: r, side }: CrossingRows,
  arrays: CrossingArrays,
  begin: number,
  end: number,
): number {
  const { free } = arrays;
  let swing = 0;
  for (let k = begin; k < end; k++) {
    const o = RECORD * k;
    const a = 3 * side[4 * k];
    const b = 3 * side[4 * k + 1];
    const c = 3 * side[4 * k + 2];
    const d = 3 * side[4 * k + 3];
    const ux = r[o + WANTED] + r[o] * free[a] + r[o + 1] * free[b] + r[o + 2] * free[c] + r[o + 3] * free[d];
    const uy =
      r[o + WANTED + 1] + r[o] * free[a + 1] + r[o + 1] * free[b + 1] + r[o + 2] * free[c + 1] + r[o + 3] * free[d + 1];
    const uz =
      r[o + WANTED + 2] + r[o] * free[a + 2] + r[o + 1] * free[b + 2] + r[o + 2] * free[c + 2] + r[o + 3] * free[d + 2];
    const turn =
      r[o + WANTED + 3] +
      r[o + NORMAL] * (free[b] - free[a]) +
      r[o + NORMAL + 1] * (free[b + 1] - free[a + 1]) +
      r[o + NORMAL + 2] * (free[b + 2] - free[a + 2]) +
      r[o + NORMAL + 3] * (free[d] - free[c]) +
      r[o + NORMAL + 4] * (free[d + 1] - free[c + 1]) +
      r[o + NORMAL + 5] * (free[d + 2] - free[c + 2]);
    const inverse = r[o + ARROW];
    const bx = r[o + ARROW + 1];
    const by = r[o + ARROW + 2];
    const bz = r[o + ARROW + 3];
    const angle = ((bx * ux + by * uy + bz * uz) * inverse - turn) * r[o + ARROW + 4];
    const px = -(ux + bx * angle) * inverse;
    const py = -(uy + by * angle) * inverse;
    const pz = -(uz + bz * angle) * inverse;
    const x = px < 0 ? -px : px;
    const y = py < 0 ? -py : py;
    const z = pz < 0 ? -pz : pz;
    const largest = r[o + RESPONSE] * (x > y ? (x > z ? x : z) : y > z ? y : z);
    if (largest > swing) swing = largest;
    r[o + IMPULSE] = px;
    r[o + IMPULSE + 1] = py;
    r[o + IMPULSE + 2] = pz;
    r[o + IMPULSE + 3] = angle;
    const dx = px - r[o + BEFORE];
    const dy = py - r[o + BEFORE + 1];
    const dz = pz - r[o + BEFORE + 2];
    const change = angle - r[o + BEFORE + 3];
    follow(arrays, a, r, o, 0, NORMAL, -1, px, py, pz, angle, dx, dy, dz, change);
    follow(arrays, b, r, o, 1, NORMAL, 1, px, py, pz, angle, dx, dy, dz, change);
    follow(arrays, c, r, o, 2, NORMAL + 3, -1, px, py, pz, angle, dx, dy, dz, change);
    follow(arrays, d, r, o, 3, NORMAL + 3, 1, px, py, pz, angle, dx, dy, dz, change);
  }
  return swing;
}

/** Copy of one side, and what its rod follows: ρ(y − v₀) + Cᵀ(p − p₀). `at`: its first number. */
function follow(
  { mass, copy, free, start, right }: CrossingArrays,
  at: number,
  r: Float64Array,
  o: number,
  i: number,
  normal: number,
  sign: number,
  px: number,
  py: number,
  pz: number,
  angle: number,
  dx: number,
  dy: number,
  dz: number,
  change: number,
): void {
  const w = r[o + i];
  const inverse = r[o + INVERSE + i];
  const rho = mass[at / 3];
  const nx = sign * r[o + normal];
  const ny = sign * r[o + normal + 1];
  const nz = sign * r[o + normal + 2];
  const x = free[at] + (w * px + nx * angle) * inverse;
  const y = free[at + 1] + (w * py + ny * angle) * inverse;
  const z = free[at + 2] + (w * pz + nz * angle) * inverse;
  copy[at] = x;
  copy[at + 1] = y;
  copy[at + 2] = z;
  right[at] = rho * (x - start[at]) + w * dx + nx * change;
  right[at + 1] = rho * (y - start[at + 1]) + w * dy + ny * change;
  right[at + 2] = rho * (z - start[at + 2]) + w * dz + nz * change;
}
