/** The law of links in the solver of a step: their weights, the local systems, what the sides follow. */
import { dampingOf, type Link, stiffnessOf } from './links.ts';

/** The links of a group of contacts, and where their sides stand among those of the group. */
export interface LinkGroup {
  readonly links: readonly Link[];
  /** By side of the links in turn. */
  readonly side: Int32Array;
  /** Sides at the busiest node of each. */
  readonly crowd: Int32Array;
  /** Length of the step [s]. */
  dt: number;
}

/** The arrays of the solver that links have to do with; see SideArrays. */
interface SolverArrays {
  readonly mass: Float64Array;
  readonly response: Float64Array;
  readonly start: Float64Array;
  readonly copy: Float64Array;
  readonly right: Float64Array;
  readonly free: Float64Array;
}

/** Point masses ρ of the sides. */
export function weighLinks({ links, side, crowd }: LinkGroup, arrays: SolverArrays): void {
  let s = 0;
  for (const { sideCount } of links) {
    for (let i = 0; i < sideCount; i++, s++) {
      const response = arrays.response[side[s]];
      arrays.mass[side[s]] = response > 0 ? 1 / (crowd[s] * response) : 0;
    }
  }
}

/** Factors of the local laws: 1/a + Σ C Cᵀ/ρ, a = h²k + h c. False where one is not positive. */
export function factorLinks({ links, side, dt }: LinkGroup, { mass }: SolverArrays): boolean {
  let first = 0;
  for (const link of links) {
    const { rows, sideCount, coefficient: c, factor: f } = link;
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
    first += sideCount;
  }
  return true;
}

/** What the solver iterates on, from the impulses as they are. */
export function startLinks({ links, side }: LinkGroup, weight: Float64Array, arrays: SolverArrays): void {
  const { start, copy, free, mass } = arrays;
  let first = 0;
  for (const link of links) {
    for (let i = 0; i < link.sideCount; i++) {
      const s = side[first + i];
      for (let k = 0; k < 3; k++) {
        copy[3 * s + k] = start[3 * s + k];
        weight[3 * s + k] = mass[s];
        const p = impulseAt(link, link.impulse, i, k);
        free[3 * s + k] = start[3 * s + k] - (mass[s] > 0 ? p / mass[s] : 0);
      }
    }
    first += link.sideCount;
  }
}

/** Component k of Cᵀp at side i. */
function impulseAt({ rows, sideCount, coefficient }: Link, impulse: ArrayLike<number>, i: number, k: number): number {
  let sum = 0;
  for (let r = 0; r < rows; r++) sum += coefficient[3 * (r * sideCount + i) + k] * impulse[r];
  return sum;
}

/** The law of every link: from q the impulses and the copies. Returns the largest velocity that an impulse makes [m/s]. */
export function applyLinks({ links, side, dt }: LinkGroup, arrays: SolverArrays): number {
  const { mass, copy, free, response } = arrays;
  let swing = 0;
  let first = 0;
  for (const link of links) {
    const { rows, sideCount, coefficient: c, factor: f, impulse: p, strain } = link;
    for (let r = 0; r < rows; r++) {
      const k = stiffnessOf(link, r);
      let u = (k * strain[r]) / (dt * k + dampingOf(link, r));
      for (let i = 0; i < sideCount; i++) {
        const s = 3 * side[first + i];
        const o = 3 * (r * sideCount + i);
        u += c[o] * free[s] + c[o + 1] * free[s + 1] + c[o + 2] * free[s + 2];
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
        const impulse = impulseAt(link, p, i, k);
        copy[3 * s + k] = free[3 * s + k] + (mass[s] > 0 ? impulse / mass[s] : 0);
        swing = Math.max(swing, Math.abs(impulse) * response[s]);
      }
    }
    first += sideCount;
  }
  return swing;
}

/** What the rods follow: ρ(y − v₀) + Cᵀ(p − p₀). */
export function pullSides({ links, side }: LinkGroup, arrays: SolverArrays): void {
  const { start, copy, right, mass } = arrays;
  let first = 0;
  for (const link of links) {
    for (let i = 0; i < link.sideCount; i++) {
      const s = side[first + i];
      for (let k = 0; k < 3; k++) {
        const change = impulseAt(link, link.impulse, i, k) - impulseAt(link, link.impulseStart, i, k);
        right[3 * s + k] = mass[s] * (copy[3 * s + k] - start[3 * s + k]) + change;
      }
    }
    first += link.sideCount;
  }
}

/** Forces [N] at sides from …; see `writeForces`. */
export function writeLinkForces(
  { links, side, dt }: LinkGroup,
  force: Float64Array,
  from: number,
  count: number,
): void {
  let first = 0;
  for (const link of links) {
    for (let i = 0; i < link.sideCount; i++) {
      const s = side[first + i] - from;
      if (s < 0 || s >= count) continue;
      for (let k = 0; k < 3; k++) force[3 * s + k] = impulseAt(link, link.impulse, i, k) / dt;
    }
    first += link.sideCount;
  }
}
