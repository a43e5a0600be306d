/**
 * Crossings: links that hold two points together and the angle between their rods. A cloth has a million of them, so each is one record of 32
 * numbers in a shared array, which an iteration of the solver reads in order.
 *
 * In C, a row of position has one weight w per side, and the row of the angle has a vector ∓n for the two nodes of an end. The local matrix of
 * law.ts, 1/a + Σ C Cᵀ/ρ, is then an arrow: s for the three rows of position, b between them and the angle, d for the angle. Its solution is
 * written out. strain.ts and law.ts are the reference; a test compares both up to rounding (test/contact/linkCrossings.test.ts).
 *
 * All loops run over crossings `begin` to `end` of `member`, so that threads can share them. Measurements: docs/notes/contact-solver.md#links.
 */

import { atan2 } from '../../math/rounded/index.ts';
import type { LinkPlan } from '../../scene/links.ts';
import { GIVEN, type LinkRows, MEMORY, MOST_ROWS, RECORD } from './arrays.ts';

/** The solver's arrays; see SideArrays. */
export interface CrossingArrays {
  readonly mass: Float64Array;
  readonly response: Float64Array;
  readonly reached: Float64Array;
  readonly copy: Float64Array;
  readonly right: Float64Array;
  readonly lawInput: Float64Array;
}

/** Records of crossings, and the list of those to process. */
export type CrossingRows = Pick<LinkRows, 'record' | 'given' | 'side' | 'member'>;

/** Offsets in a record: weights, n of both ends, 1/ρ, the arrow, target of the strains, impulses, those of the linearization, largest response. */
const NORMAL = 4;
const INVERSE = 10;
const ARROW = 14;
const WANTED = 19;
const IMPULSE = 23;
const BEFORE = 27;
const RESPONSE = 31;
/** Offsets in the constants: strains; stiffness and damping of position and angle; the angle at rest. */
const LAW = 4;
const REST = 8;

/** Constants of crossing c. */
export function describeCrossing({ record: r, given }: LinkRows, c: number, plan: LinkPlan, angleRest: number): void {
  const { weightA, weightB } = plan;
  r.set([1 - weightA, weightA, weightB - 1, -weightB], RECORD * c);
  given.set([plan.stiffness, plan.damping, plan.turnStiffness, plan.turnDamping, angleRest], GIVEN * c + LAW);
}

/** Strains, and n. */
export function measureCrossings(
  { record: r, given, node, member }: Pick<LinkRows, 'record' | 'given' | 'node' | 'member'>,
  x: Float64Array,
  begin: number,
  end: number,
): void {
  for (let k = begin; k < end; k++) {
    const c = member[k];
    const o = RECORD * c;
    const g = GIVEN * c;
    const a0 = node[4 * c];
    const a1 = node[4 * c + 1];
    const b0 = node[4 * c + 2];
    const b1 = node[4 * c + 3];
    for (let m = 0; m < 3; m++)
      given[g + m] = r[o] * x[a0 + m] + r[o + 1] * x[a1 + m] + (r[o + 2] * x[b0 + m] + r[o + 3] * x[b1 + m]);
    let ax = x[a1] - x[a0];
    let ay = x[a1 + 1] - x[a0 + 1];
    let az = x[a1 + 2] - x[a0 + 2];
    let bx = x[b1] - x[b0];
    let by = x[b1 + 1] - x[b0 + 1];
    let bz = x[b1 + 2] - x[b0 + 2];
    const a = 1 / Math.sqrt(ax * ax + ay * ay + az * az);
    const b = 1 / Math.sqrt(bx * bx + by * by + bz * bz);
    ax *= a;
    ay *= a;
    az *= a;
    bx *= b;
    by *= b;
    bz *= b;
    let nx = ay * bz - az * by;
    let ny = az * bx - ax * bz;
    let nz = ax * by - ay * bx;
    const sine = Math.sqrt(nx * nx + ny * ny + nz * nz);
    given[g + 3] = given[g + REST] - atan2(sine, ax * bx + ay * by + az * bz);
    if (sine > 1e-9) {
      nx /= sine;
      ny /= sine;
      nz /= sine;
    } else {
      // parallel: any perpendicular direction
      const flat = Math.abs(az) < 0.6;
      const size = Math.sqrt(flat ? ax * ax + ay * ay : ay * ay + az * az);
      nx = flat ? -ay / size : 0;
      ny = flat ? ax / size : -az / size;
      nz = flat ? 0 : ay / size;
    }
    r[o + NORMAL] = a * (ny * az - nz * ay);
    r[o + NORMAL + 1] = a * (nz * ax - nx * az);
    r[o + NORMAL + 2] = a * (nx * ay - ny * ax);
    r[o + NORMAL + 3] = -b * (ny * bz - nz * by);
    r[o + NORMAL + 4] = -b * (nz * bx - nx * bz);
    r[o + NORMAL + 5] = -b * (nx * by - ny * bx);
  }
}

/**
 * Linearizes links at their current strains, with the solver's current point masses; the current impulses become those of the linearization.
 * Returns how many have a law that is not positive.
 */
export function writeCrossings(
  { record: r, given, side, member }: CrossingRows,
  { mass, response }: CrossingArrays,
  dt: number,
  begin: number,
  end: number,
): number {
  let wrong = 0;
  for (let k = begin; k < end; k++) {
    const c = member[k];
    const o = RECORD * c;
    const g = GIVEN * c;
    const [stiffness, damping, turnStiffness, turnDamping] = [
      given[g + LAW],
      given[g + LAW + 1],
      given[g + LAW + 2],
      given[g + LAW + 3],
    ];
    let most = 0;
    let s = 1 / (dt * dt * stiffness + dt * damping);
    for (let i = 0; i < 4; i++) {
      const at = side[4 * c + i];
      const w = r[o + i];
      const inverse = mass[at] > 0 ? 1 / mass[at] : 0;
      r[o + INVERSE + i] = inverse;
      s += w * w * inverse;
      if (response[at] > most) most = response[at];
    }
    let d = 1 / (dt * dt * turnStiffness + dt * turnDamping);
    for (let m = 0; m < 3; m++) {
      const a = r[o + NORMAL + m];
      const b = r[o + NORMAL + 3 + m];
      const i = o + INVERSE;
      d += a * a * (r[i] + r[i + 1]) + b * b * (r[i + 2] + r[i + 3]);
      r[o + ARROW + 1 + m] = a * (r[o + 1] * r[i + 1] - r[o] * r[i]) + b * (r[o + 3] * r[i + 3] - r[o + 2] * r[i + 2]);
    }
    const [x, y, z] = [r[o + ARROW + 1], r[o + ARROW + 2], r[o + ARROW + 3]];
    const rest = d - (x * x + y * y + z * z) / s;
    if (!(s > 0 && rest > 0)) wrong++;
    r[o + ARROW] = 1 / s;
    r[o + ARROW + 4] = 1 / rest;
    for (let m = 0; m < 4; m++) {
      const force = m < 3 ? stiffness : turnStiffness;
      r[o + WANTED + m] = (force * given[g + m]) / (dt * force + (m < 3 ? damping : turnDamping));
      r[o + BEFORE + m] = r[o + IMPULSE + m];
    }
    r[o + RESPONSE] = most;
  }
  return wrong;
}

/** Component m of the impulse on side i of the crossing at o: IMPULSE or BEFORE. */
function pushOf(r: Float64Array, o: number, impulse: number, i: number, m: number): number {
  const angle = i % 2 === 0 ? -r[o + impulse + 3] : r[o + impulse + 3];
  return r[o + i] * r[o + impulse + m] + angle * r[o + NORMAL + (i < 2 ? 0 : 3) + m];
}

/** Like `startLinks`. */
export function startCrossings(
  { record: r, side, member }: CrossingRows,
  weight: Float64Array,
  { copy, lawInput, mass }: CrossingArrays,
  from: Float64Array,
  begin: number,
  end: number,
): void {
  for (let k = begin; k < end; k++) {
    const c = member[k];
    const o = RECORD * c;
    for (let i = 0; i < 4; i++) {
      const s = side[4 * c + i];
      for (let m = 0; m < 3; m++) {
        const at = 3 * s + m;
        copy[at] = from[at];
        weight[at] = mass[s];
        lawInput[at] = from[at] - pushOf(r, o, BEFORE, i, m) * r[o + INVERSE + i];
      }
    }
  }
}

/** Forces [N] at their sides: the impulses divided by dt. */
export function writeCrossingForces(
  { record: r, side, member }: CrossingRows,
  force: Float64Array,
  dt: number,
  begin: number,
  end: number,
): void {
  for (let k = begin; k < end; k++) {
    const c = member[k];
    const o = RECORD * c;
    for (let i = 0; i < 4; i++) {
      const at = 3 * side[4 * c + i];
      for (let m = 0; m < 3; m++) force[at + m] = pushOf(r, o, IMPULSE, i, m) / dt;
    }
  }
}

/** Initial impulses: the forces in `memory`. */
export function recallCrossings(
  { record: r, member, linkOf }: LinkRows,
  memory: Float64Array,
  dt: number,
  begin: number,
  end: number,
): void {
  for (let k = begin; k < end; k++) {
    const c = member[k];
    const o = RECORD * c + IMPULSE;
    const from = MEMORY * linkOf[c];
    for (let m = 0; m < 4; m++) r[o + m] = dt * memory[from + m];
  }
}

/** Results of a step of length dt for the next: see `rememberLinks`. */
export function rememberCrossings(
  { record: r, given, member, linkOf, next }: LinkRows,
  dt: number,
  begin: number,
  end: number,
): void {
  for (let k = begin; k < end; k++) {
    const c = member[k];
    const o = RECORD * c + IMPULSE;
    const g = GIVEN * c;
    const to = MEMORY * linkOf[c];
    for (let m = 0; m < 4; m++) {
      const law = g + LAW + (m < 3 ? 0 : 2);
      const force = r[o + m] / dt;
      const rate = given[law + 1] / dt;
      next[to + m] = force;
      // force = −k e − c (e − e₀)/h
      next[to + MOST_ROWS + m] = (rate * given[g + m] - force) / (given[law] + rate);
    }
  }
}

/** Like `applyLinks` and `pullSides`. */
export function applyCrossings(
  { record: r, side, member }: CrossingRows,
  arrays: CrossingArrays,
  begin: number,
  end: number,
): number {
  const { lawInput: q } = arrays;
  let impulseSpeed = 0;
  for (let k = begin; k < end; k++) {
    const at = member[k];
    const o = RECORD * at;
    const a = 3 * side[4 * at];
    const b = 3 * side[4 * at + 1];
    const c = 3 * side[4 * at + 2];
    const d = 3 * side[4 * at + 3];
    const ux = r[o + WANTED] + r[o] * q[a] + r[o + 1] * q[b] + r[o + 2] * q[c] + r[o + 3] * q[d];
    const uy = r[o + WANTED + 1] + r[o] * q[a + 1] + r[o + 1] * q[b + 1] + r[o + 2] * q[c + 1] + r[o + 3] * q[d + 1];
    const uz = r[o + WANTED + 2] + r[o] * q[a + 2] + r[o + 1] * q[b + 2] + r[o + 2] * q[c + 2] + r[o + 3] * q[d + 2];
    const turn =
      r[o + WANTED + 3] +
      r[o + NORMAL] * (q[b] - q[a]) +
      r[o + NORMAL + 1] * (q[b + 1] - q[a + 1]) +
      r[o + NORMAL + 2] * (q[b + 2] - q[a + 2]) +
      r[o + NORMAL + 3] * (q[d] - q[c]) +
      r[o + NORMAL + 4] * (q[d + 1] - q[c + 1]) +
      r[o + NORMAL + 5] * (q[d + 2] - q[c + 2]);
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
    if (largest > impulseSpeed) impulseSpeed = largest;
    r[o + IMPULSE] = px;
    r[o + IMPULSE + 1] = py;
    r[o + IMPULSE + 2] = pz;
    r[o + IMPULSE + 3] = angle;
    writeSide(arrays, a, r, o, 0);
    writeSide(arrays, b, r, o, 1);
    writeSide(arrays, c, r, o, 2);
    writeSide(arrays, d, r, o, 3);
  }
  return impulseSpeed;
}

/**
 * Writes the velocity y of side i of the crossing at o to `copy`, and the right-hand side of its rod's solve, ρ(y − v₀) + Cᵀ(p − p₀); p is the
 * impulse in the record. `at`: index of the side's first number.
 */
function writeSide(
  { mass, copy, lawInput, reached, right }: CrossingArrays,
  at: number,
  r: Float64Array,
  o: number,
  i: number,
): void {
  const px = r[o + IMPULSE];
  const py = r[o + IMPULSE + 1];
  const pz = r[o + IMPULSE + 2];
  const angle = r[o + IMPULSE + 3];
  const dx = px - r[o + BEFORE];
  const dy = py - r[o + BEFORE + 1];
  const dz = pz - r[o + BEFORE + 2];
  const change = angle - r[o + BEFORE + 3];
  const normal = i < 2 ? NORMAL : NORMAL + 3;
  const sign = (i & 1) === 0 ? -1 : 1;
  const w = r[o + i];
  const inverse = r[o + INVERSE + i];
  const rho = mass[at / 3];
  const nx = sign * r[o + normal];
  const ny = sign * r[o + normal + 1];
  const nz = sign * r[o + normal + 2];
  const x = lawInput[at] + (w * px + nx * angle) * inverse;
  const y = lawInput[at + 1] + (w * py + ny * angle) * inverse;
  const z = lawInput[at + 2] + (w * pz + nz * angle) * inverse;
  copy[at] = x;
  copy[at + 1] = y;
  copy[at + 2] = z;
  right[at] = rho * (x - reached[at]) + w * dx + nx * change;
  right[at + 1] = rho * (y - reached[at + 1]) + w * dy + ny * change;
  right[at + 2] = rho * (z - reached[at + 2]) + w * dz + nz * change;
}
