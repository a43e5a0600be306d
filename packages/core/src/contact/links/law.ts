/** The law of links in the solver of a step: weights, local systems, and right-hand sides. */
import type { Link, LinkGroup } from './linkData.ts';
import { readJoined } from './linkSides.ts';
import { dampingOf, stiffnessOf } from './links.ts';
import {
  APPLY,
  FORCE,
  JOIN,
  type LinkLoopArrays,
  type LinkMixRows,
  lengthOf,
  runLinkLoop,
  START,
  START_BEST,
  UNMIXED,
  WEIGH,
  WRITE,
} from './loops.ts';

const NONE = new Float64Array(0);
const given = new Float64Array(1);

/** Runs a loop of loops.ts over all items; returns the largest result. */
export function loopLinks(
  { rows, shared, all, coarse }: Pick<LinkGroup, 'rows' | 'shared' | 'all' | 'coarse'>,
  kind: number,
  arrays: LinkLoopArrays,
  mix: LinkMixRows = UNMIXED,
  numbers: ArrayLike<number> = NONE,
): number {
  if (shared) return shared.runLinks(kind, mix.capacity, mix.window, numbers);
  const input = { rows, arrays, mix, position: all.position.data, numbers, cells: coarse?.rows };
  return runLinkLoop(kind, input, 0, lengthOf(kind, rows, arrays));
}

/** Runs a loop with one parameter. */
function loopWith(group: LinkGroup, kind: number, arrays: LinkLoopArrays, number: number): number {
  given[0] = number;
  return loopLinks(group, kind, arrays, UNMIXED, given);
}

/**
 * Point masses ρ of the sides. If all rotations are held, the side that turns with the cross-section gets nearly the mass of its node: with its own
 * response, which is that of a freely spinning hair, a cloth of 9 × 9 took three times the iterations, or did not converge.
 */
export function weighLinks(group: LinkGroup, arrays: LinkLoopArrays, touched: boolean): void {
  const { rows, joined, set } = group;
  const { mass, response } = arrays;
  loopWith(group, JOIN, arrays, touched ? 1 : 0);
  readJoined(joined, rows, set);
  loopLinks(group, WEIGH, arrays);
  for (const { sideCount, perEnd, plan, firstSide, broken } of set.others) {
    // nothing pulls at the sides of a broken link
    if (broken[0] === 1) for (let i = 0; i < sideCount; i++) mass[rows.otherSide[firstSide + i]] = 0;
    for (let i = 2; i < sideCount && perEnd === 3 && plan.about === 'all' && broken[0] === 0; i += 3) {
      const [first, second, turning] = [2, 1, 0].map((k) => rows.otherSide[firstSide + i - k]);
      if (response[turning] === 0) continue;
      // a side without mass counts as held, yet next to a pin the cross-section turns
      const beside = mass[first] || mass[second];
      if (beside > 0) mass[turning] = 0.3 * beside;
    }
  }
}

/** Factors of the local laws: 1/a + Σ C Cᵀ/ρ, a = h²k + h c. Returns false if one is not positive. */
export function factorLinks(group: LinkGroup, arrays: LinkLoopArrays): boolean {
  const { dt, set } = group;
  if (loopWith(group, WRITE, arrays, dt) > 0) return false;
  const { mass } = arrays;
  const { otherSide: side } = group.rows;
  for (const link of set.others) {
    const { rows, sideCount, coefficient: c, factor: f, firstSide: first } = link;
    for (let r = 0; r < rows; r++) {
      for (let q = 0; q <= r; q++) {
        let sum = r === q ? 1 / (dt * dt * stiffnessOf(link, r) + dt * dampingOf(link, r)) : 0;
        for (let i = 0; i < sideCount; i++) {
          const rho = mass[side[first + i]];
          if (rho === 0) continue;
          const [a, b] = [3 * (r * sideCount + i), 3 * (q * sideCount + i)];
          sum += (c[a] * c[b] + c[a + 1] * c[b + 1] + c[a + 2] * c[b + 2]) / rho;
        }
        for (let m = 0; m < q; m++) sum -= f[r * rows + m] * f[q * rows + m];
        if (r === q && !(sum > 0)) return false;
        f[r * rows + q] = r === q ? Math.sqrt(sum) : sum / f[q * rows + q];
      }
    }
  }
  return true;
}

/** First iterate, from the impulses of the linearization and side velocities: those of the start, or `best`. */
export function startLinks(group: LinkGroup, arrays: LinkLoopArrays, mix: LinkMixRows, best: boolean): void {
  loopLinks(group, best ? START_BEST : START, arrays, mix);
  const { copy, lawInput, mass, reached } = arrays;
  const { otherSide: side } = group.rows;
  const { weight } = mix;
  const from = best ? mix.best : reached;
  for (const link of group.set.others) {
    for (let i = 0; i < link.sideCount; i++) {
      const s = side[link.firstSide + i];
      for (let k = 0; k < 3; k++) {
        copy[3 * s + k] = from[3 * s + k];
        weight[3 * s + k] = mass[s];
        const p = impulseAt(link, link.impulseStart, i, k);
        lawInput[3 * s + k] = from[3 * s + k] - (mass[s] > 0 ? p / mass[s] : 0);
      }
    }
  }
}

/** Component k of Cᵀp at side i. */
function impulseAt({ rows, sideCount, coefficient }: Link, impulse: ArrayLike<number>, i: number, k: number): number {
  let sum = 0;
  for (let r = 0; r < rows; r++) sum += coefficient[3 * (r * sideCount + i) + k] * impulse[r];
  return sum;
}

/** The law of every link: computes impulses and copies from q. Returns the largest velocity that an impulse causes [m/s]. */
export function applyLinks(group: LinkGroup, arrays: LinkLoopArrays): number {
  const { mass, copy, lawInput, response } = arrays;
  const { set, dt } = group;
  const { otherSide: side } = group.rows;
  let impulseSpeed = loopLinks(group, APPLY, arrays);
  for (const link of set.others) {
    const { rows, sideCount, coefficient: c, factor: f, impulse: p, strain, firstSide: first } = link;
    for (let r = 0; r < rows; r++) {
      const k = stiffnessOf(link, r);
      let u = (k * strain[r]) / (dt * k + dampingOf(link, r));
      for (let i = 0; i < sideCount; i++) {
        const s = 3 * side[first + i];
        const o = 3 * (r * sideCount + i);
        u += c[o] * lawInput[s] + c[o + 1] * lawInput[s + 1] + c[o + 2] * lawInput[s + 2];
      }
      for (let m = 0; m < r; m++) u += f[r * rows + m] * p[m];
      p[r] = -u / f[r * rows + r];
    }
    for (let r = rows - 1; r >= 0; r--) {
      let sum = p[r];
      for (let m = r + 1; m < rows; m++) sum -= f[m * rows + r] * p[m];
      p[r] = sum / f[r * rows + r];
    }
    for (let i = 0; i < sideCount; i++) {
      const s = side[first + i];
      for (let k = 0; k < 3; k++) {
        // forces only: a cross-section turns so easily that its response to torques is no measure
        if (i % link.perEnd < 2) impulseSpeed = Math.max(impulseSpeed, Math.abs(p[k]) * response[s]);
        const impulse = impulseAt(link, p, i, k);
        copy[3 * s + k] = lawInput[3 * s + k] + (mass[s] > 0 ? impulse / mass[s] : 0);
      }
    }
  }
  return impulseSpeed;
}

/** Right-hand side of the rods' solves: ρ(y − v₀) + Cᵀ(p − p₀); crossings write theirs with their law. */
export function pullSides({ set, rows: { otherSide: side } }: LinkGroup, arrays: LinkLoopArrays): void {
  const { reached, copy, right, mass } = arrays;
  for (const { rows, sideCount, coefficient: c, impulse: p, impulseStart: p0, firstSide } of set.others) {
    for (let i = 0; i < sideCount; i++) {
      const s = side[firstSide + i];
      for (let k = 0; k < 3; k++) {
        let change = 0;
        for (let r = 0; r < rows; r++) change += c[3 * (r * sideCount + i) + k] * (p[r] - p0[r]);
        right[3 * s + k] = mass[s] * (copy[3 * s + k] - reached[3 * s + k]) + change;
      }
    }
  }
}

/** Forces [N] at the sides, those of all bundles; see `writeForces`. */
export function writeLinkForces(group: LinkGroup, arrays: LinkLoopArrays): void {
  const { set, rows, dt } = group;
  loopWith(group, FORCE, arrays, dt);
  for (const link of set.others)
    for (let i = 0; i < link.sideCount; i++) {
      const s = rows.otherSide[link.firstSide + i];
      for (let k = 0; k < 3; k++) arrays.force[3 * s + k] = impulseAt(link, link.impulse, i, k) / dt;
    }
}
