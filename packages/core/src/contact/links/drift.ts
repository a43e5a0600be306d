/**
 * The drift of linked rods: a velocity error that a whole group shares, and its correction in every iteration of the solver.
 *
 * The weights ρ follow the response at a point. In hair that is finer than the length that bends in a step, ρ is tens to hundreds of times a link's
 * share of the rod's mass m, and an error that the whole group shares decays by only m/ρ per iteration. So every iteration moves all link sides by
 * one velocity c,
 *     K c = Σ ρ(S v − y),    K = Σ ρ(1 − S H⁻¹ Sᵀ ρ),
 * after which no net force of the point masses is left on the group. c does not strain the links, and at the solution c is zero. K is 3 × 3: the mass
 * of the group, plus the effect of contacts and pins. It takes four solves whenever the weights change, and saves a tenth to a fifth of the
 * iterations. Measurements and other corrections: docs/notes/contact-solver.md#links.
 */
import type { ContactPort } from '../../model.ts';
import type { BundleSides, SideArrays } from '../solve/sideArrays.ts';
import { type LinkRows, rodsOf } from './arrays.ts';
import type { Link, LinkGroup } from './linkData.ts';

/** The links of a group, as far as they move together. */
export interface DriftGroup extends Pick<LinkGroup, 'whole'> {
  readonly set: { readonly others: readonly Pick<Link, 'sideCount' | 'perEnd'>[] };
  readonly rows: DriftRows;
}
/** Sides, as far as they are solved for. */
export interface DriftArrays extends Pick<SideArrays, 'mass' | 'velocityChange' | 'right'> {
  readonly bundles: readonly (Pick<BundleSides, 'sides' | 'velocityChange' | 'right'> & {
    readonly port: Pick<ContactPort, 'solve'>;
  })[];
}
export type DriftRows = Pick<LinkRows, 'head' | 'pull' | 'mass' | 'first' | 'last'>;

/**
 * Net pull of the residual at the sides on each of the rods `from` to `to` of the rows, and the largest velocity that it gives one of them as a whole
 * [m/s]. `wrong` is the residual of the sides, 3 numbers each; it has no reaction at the other end of the links. Residuals of a thousandth of
 * the tolerance, all in one direction, slowed the fall of a fine cloth by 3 %.
 */
export function sumPulls(rows: DriftRows, mass: Float64Array, wrong: Float64Array, from: number, to: number): number {
  const { pull, first, last } = rows;
  let most = 0;
  for (let j = from; j < to; j++) {
    let x = 0;
    let y = 0;
    let z = 0;
    for (let s = first[j]; s < last[j]; s++) {
      x += mass[s] * wrong[3 * s];
      y += mass[s] * wrong[3 * s + 1];
      z += mass[s] * wrong[3 * s + 2];
    }
    pull[3 * j] = x;
    pull[3 * j + 1] = y;
    pull[3 * j + 2] = z;
    if (rows.mass[j] > 0)
      most = Math.max(most, Math.abs(x) / rows.mass[j], Math.abs(y) / rows.mass[j], Math.abs(z) / rows.mass[j]);
  }
  return most;
}

/** Twice the kinetic energy of rods that move by their pulls [J]. */
export function energyOfPulls(rows: DriftRows): number {
  const { pull, mass } = rows;
  let sum = 0;
  for (let j = 0; j < rodsOf(rows); j++)
    if (mass[j] > 0)
      sum +=
        (pull[3 * j] * pull[3 * j] + pull[3 * j + 1] * pull[3 * j + 1] + pull[3 * j + 2] * pull[3 * j + 2]) / mass[j];
  return sum;
}

/** Moves all link sides on rods `from` to `to` of the rows by one velocity. */
export function shiftSides(
  { first, last }: DriftRows,
  velocity: Float64Array,
  by: ArrayLike<number>,
  from: number,
  to: number,
): void {
  const [x, y, z] = [by[0], by[1], by[2]];
  for (let j = from; j < to; j++) {
    for (let s = 3 * first[j]; s < 3 * last[j]; s += 3) {
      velocity[s] += x;
      velocity[s + 1] += y;
      velocity[s + 2] += z;
    }
  }
}

/** K⁻¹ of the group, row by row; zeros if a link holds it to a fixed point, or it cannot move. Overwrites velocities and right-hand sides. */
export function weighWhole(
  { set, rows, whole }: DriftGroup,
  { mass, velocityChange, right, bundles }: DriftArrays,
): void {
  whole.fill(0);
  for (const { sideCount, perEnd } of set.others) if (sideCount === perEnd) return;
  const { pull, first, last } = rows;
  const count = rodsOf(rows);
  const solve = (): void => {
    for (const { port, sides: own, velocityChange: out, right: impulse } of bundles) port.solve(out, impulse, own);
  };
  right.fill(0);
  solve();
  const rest = velocityChange.slice();
  for (let k = 0; k < 3; k++) {
    right.fill(0);
    for (let j = 0; j < count; j++) for (let s = first[j]; s < last[j]; s++) right[3 * s + k] = mass[s];
    solve();
    for (let i = 0; i < velocityChange.length; i++) velocityChange[i] = rest[i] - velocityChange[i];
    for (let j = 0; j < count; j++) for (let s = first[j]; s < last[j]; s++) velocityChange[3 * s + k] += 1;
    sumPulls(rows, mass, velocityChange, 0, count);
    for (let m = 0; m < 3; m++) for (let j = m; j < 3 * count; j += 3) whole[3 * m + k] += pull[j];
  }
  right.fill(0);
  invert(whole);
}

/** Inverts a symmetric 3 × 3 matrix in place; zeros if it is not positive. */
function invert(a: Float64Array): void {
  const [xx, xy, xz, yy, yz, zz] = [a[0], 0.5 * (a[1] + a[3]), 0.5 * (a[2] + a[6]), a[4], 0.5 * (a[5] + a[7]), a[8]];
  const first = yy * zz - yz * yz;
  const second = xz * yz - xy * zz;
  const third = xy * yz - xz * yy;
  const determinant = xx * first + xy * second + xz * third;
  const minor = xx * yy - xy * xy;
  if (!(xx > 0 && minor > 1e-9 * xx * yy && determinant > 1e-9 * minor * zz)) {
    a.fill(0);
    return;
  }
  const d = 1 / determinant;
  const other = d * (xy * xz - xx * yz);
  a.set([d * first, d * second, d * third, d * second, d * (xx * zz - xz * xz), other, d * third, other, d * minor]);
}

/** `part` of c, from the pulls of all rods. */
export function writeShift(out: Float64Array, { rows, whole }: Pick<DriftGroup, 'rows' | 'whole'>, part: number): void {
  const sum = [0, 0, 0];
  for (let j = 0; j < 3 * rodsOf(rows); j++) sum[j % 3] += rows.pull[j];
  for (let m = 0; m < 3; m++)
    out[m] = part * (whole[3 * m] * sum[0] + whole[3 * m + 1] * sum[1] + whole[3 * m + 2] * sum[2]);
}
