/**
 * Rods that links join, each as a whole and all together, while the solver iterates: what is left of the glued masses' pull on them, and a correction
 * of what all have wrong.
 *
 * ρ follow the response at a point, which in hair finer than the length that bends in a step is tens to hundreds of times a link's share of the
 * rod's mass m. A velocity that a whole cloth has wrong changes by m/ρ of itself in a turn: of 2 × 250 hairs that fell on a statue, sides
 * agreed with their copies after 70 turns, and the rods still drifted after 300. So in every turn all sides of links move by one velocity c,
 *     K c = Σ ρ(S v − y),    K = Σ ρ(1 − S H⁻¹ Sᵀ ρ),
 * for which nothing is left to pull the group as a whole; links do not feel it, and at the solution it is nothing. K, 3 × 3, takes four solves
 * where the weights are new: it is the mass of the group, and what contacts and pins add. It saves a tenth to a third of the turns.
 *
 * Tried, on cloths of 50 to 250 fibers each way: polynomials of the place up to degree 3 in place of a constant, which save no more; a velocity
 * for each rod, from its own pull, which does not converge (the pull of links on a rod that are not right yet is taken for its drift); two
 * weights in turn, ρ and one over the response alone: half as many turns that take twice the work, and no convergence where contacts slide, with
 * the contacts solved for in each or in every second; links solved to the end between two turns of the contacts: 10 to 50 of
 * those, of 70 turns each, or 50 if all of them are mixed.
 */
import type { SideArrays } from './admm.ts';
import type { LinkGroup } from './linkLaw.ts';

type DriftArrays = Pick<SideArrays, 'rod' | 'mass'>;
type DriftGroup = Pick<LinkGroup, 'all' | 'side' | 'drift'>;

/** Pull of what is left at the sides on every rod, 3 each. */
function sumPulls({ side, drift }: DriftGroup, { rod, mass }: DriftArrays, wrong: Float64Array): void {
  for (let i = 0; i < side.length; i++) {
    const r = 3 * rod[side[i]];
    drift[r] = 0;
    drift[r + 1] = 0;
    drift[r + 2] = 0;
  }
  for (let i = 0; i < side.length; i++) {
    const s = side[i];
    const r = 3 * rod[s];
    drift[r] += mass[s] * wrong[3 * s];
    drift[r + 1] += mass[s] * wrong[3 * s + 1];
    drift[r + 2] += mass[s] * wrong[3 * s + 2];
  }
}

/**
 * Largest velocity that what is left of the glued masses' pull gives a rod as a whole [m/s]: `wrong` is by how much sides are off, 3 each. It has no
 * counterpart at the other end of the links. Sides of a fine cloth that are off by a thousandth of what they may be, all to one side,
 * slowed its fall by 3 %.
 */
export function measureDrift(group: DriftGroup, arrays: DriftArrays, wrong: Float64Array): number {
  const { all, side, drift } = group;
  sumPulls(group, arrays, wrong);
  let most = 0;
  for (let i = 0, last = -1; i < side.length; i++) {
    const r = arrays.rod[side[i]];
    if (r === last) continue;
    last = r;
    const total = all.share[r] * all.perRod[r];
    for (let k = 0; k < 3 && total > 0; k++) most = Math.max(most, Math.abs(drift[3 * r + k]) / total);
  }
  return most;
}

/** Twice the kinetic energy of rods that move as that pull makes them [J]. */
export function measureDriftEnergy(group: DriftGroup, arrays: DriftArrays, wrong: Float64Array): number {
  const { all, side, drift } = group;
  sumPulls(group, arrays, wrong);
  let sum = 0;
  for (let i = 0; i < side.length; i++) {
    const r = arrays.rod[side[i]];
    const total = all.share[r] * all.perRod[r];
    for (let k = 3 * r; k < 3 * r + 3 && total > 0; k++) {
      sum += drift[k] ** 2 / total;
      // each rod once
      drift[k] = 0;
    }
  }
  return sum;
}

const pull = new Float64Array(3);

/** Σ ρ·wrong over the sides of all links, into `pull`. */
function sumPull(side: Int32Array, mass: Float64Array, wrong: Float64Array): void {
  let x = 0;
  let y = 0;
  let z = 0;
  for (let i = 0; i < side.length; i++) {
    const s = side[i];
    x += mass[s] * wrong[3 * s];
    y += mass[s] * wrong[3 * s + 1];
    z += mass[s] * wrong[3 * s + 2];
  }
  pull[0] = x;
  pull[1] = y;
  pull[2] = z;
}

/** K⁻¹ of the group, by rows; zeros where a link holds it to a point, or nothing lets it move. Overwrites velocities and right sides. */
export function weighWhole({ links, side, whole }: LinkGroup, { mass, velocity, right, sides }: SideArrays): void {
  whole.fill(0);
  for (const { sideCount, perEnd } of links) if (sideCount === perEnd) return;
  const solve = (): void => {
    for (const { port, sides: own, velocity: out, right: impulse } of sides) port.solve(out, impulse, own);
  };
  right.fill(0);
  solve();
  const rest = velocity.slice();
  for (let k = 0; k < 3; k++) {
    right.fill(0);
    for (let i = 0; i < side.length; i++) right[3 * side[i] + k] = mass[side[i]];
    solve();
    for (let i = 0; i < velocity.length; i++) velocity[i] = rest[i] - velocity[i];
    for (let i = 0; i < side.length; i++) velocity[3 * side[i] + k] += 1;
    sumPull(side, mass, velocity);
    for (let m = 0; m < 3; m++) whole[3 * m + k] = pull[m];
  }
  right.fill(0);
  invert(whole);
}

/** Inverse of a symmetric 3 × 3, in place; zeros where it is not positive. */
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

/** Adds `part` of c to what changes in a turn at all sides of links; `change`: in its multiple, by how much they are off. */
export function correctWhole(
  { side, whole }: Pick<LinkGroup, 'side' | 'whole'>,
  { mass }: Pick<SideArrays, 'mass'>,
  change: Float64Array,
  part: number,
): void {
  if (whole[0] === 0) return;
  sumPull(side, mass, change);
  const x = part * (whole[0] * pull[0] + whole[1] * pull[1] + whole[2] * pull[2]);
  const y = part * (whole[3] * pull[0] + whole[4] * pull[1] + whole[5] * pull[2]);
  const z = part * (whole[6] * pull[0] + whole[7] * pull[1] + whole[8] * pull[2]);
  for (let i = 0; i < side.length; i++) {
    const s = 3 * side[i];
    change[s] += x;
    change[s + 1] += y;
    change[s + 2] += z;
  }
}
