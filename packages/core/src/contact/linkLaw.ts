/** The law of links in the solver of a step: their weights, the local systems, what the sides follow. */
import {
  applyCrossings,
  type Crossings,
  isCrossing,
  readCrossings,
  startCrossings,
  writeCrossings,
} from './linkCrossings.ts';
import { dampingOf, type Link, type Links, stiffnessOf } from './links.ts';

/** The links of a group of contacts, and where their sides stand among those of the group. */
export interface LinkGroup {
  readonly links: readonly Link[];
  /** All links of the scene. */
  readonly all: Links;
  /** By rod of the scene; see countJoined. */
  readonly joined: Float64Array;
  /** By rod of the scene, 3 each, and of all together, 3 × 3; see linkDrift.ts. */
  readonly drift: Float64Array;
  readonly whole: Float64Array;
  /** By side of the links in turn. */
  readonly side: Int32Array;
  /** Those that have records while they are solved for (see linkCrossings.ts), and all others with their sides. */
  readonly crossings: Crossings;
  readonly others: { readonly links: readonly Link[]; readonly side: Int32Array };
  /** Sides at the busiest node of each. */
  readonly crowd: Int32Array;
  /** Length of the step [s]. */
  dt: number;
  /** Whether the copies are a guess to start from: velocities of the sides under the forces of the last step. */
  guessed: boolean;
}

/** The arrays of the solver that links have to do with; see SideArrays. */
interface SolverArrays {
  readonly rod: Int32Array;
  readonly mass: Float64Array;
  readonly response: Float64Array;
  readonly start: Float64Array;
  readonly copy: Float64Array;
  readonly right: Float64Array;
  readonly free: Float64Array;
}

/**
 * N, how many of its links a rod moves as one when a place of it is struck: the mass that answers there, over a link's share of the rod's; 1 where the
 * group touches nothing. What they hold comes along, and the cloth is N times as heavy there as the fiber. ρ that are N times as large
 * suit contact and are slow to settle all else. Contacts go by √N, links by its third root: with √N for both, as long as the drift of
 * whole rods was left to the iteration, cloths of 40, 60 and 100 fibers each way took 300 iterations and more without it; since
 * it is not (linkDrift.ts), 2 × 250 hairs take 347 in the step that they touch in with √N, 177 with the third root, 117 with N^0.15, and 2 × 50
 * in seven steps 860, 797, 782, but 2 × 100 in three 429, 441 with N^0.35, 586.
 */
export function countJoined({ links, all, side, joined }: LinkGroup, arrays: SolverArrays, touched: boolean): void {
  const { response, rod } = arrays;
  for (const s of side) joined[rod[s]] = touched ? 0 : 1;
  if (!touched) return;
  let s = 0;
  for (const { sideCount, perEnd } of links) {
    for (let i = 0; i < sideCount; i++, s++) {
      const r = rod[side[s]];
      if (i % perEnd === 0 && response[side[s]] > 0)
        joined[r] += 1 / (response[side[s]] * all.share[r] * all.perRod[r]);
    }
  }
  for (let r = 0; r < joined.length; r++) joined[r] = Math.min(Math.max(1, joined[r]), all.perRod[r]);
}

/**
 * Point masses ρ of the sides. Where all rotations are held, the side that turns with the section has almost that of its node: by its own
 * response, which is that of a hair that spins freely, a cloth of 9 × 9 took three times the iterations, or did not converge.
 */
export function weighLinks({ links, joined, side, crowd }: LinkGroup, arrays: SolverArrays): void {
  let s = 0;
  for (const { sideCount, perEnd, plan } of links) {
    for (let i = 0; i < sideCount; i++, s++) {
      const turning = perEnd === 3 && i % 3 === 2;
      const response = arrays.response[side[s]];
      arrays.mass[side[s]] = response > 0 ? Math.cbrt(joined[arrays.rod[side[s]]]) / (crowd[s] * response) : 0;
      if (!turning || plan.about !== 'all' || response === 0) continue;
      // a side without mass counts as held, and next to a pin the section turns nevertheless
      const beside = arrays.mass[side[s - 2]] || arrays.mass[side[s - 1]];
      if (beside > 0) arrays.mass[side[s]] = 0.3 * beside;
    }
  }
}

/** The links of a group by how they are solved for; `side` is filled later on. */
export function sortLinks(
  links: readonly Link[],
  room: { record: Float64Array },
  side: Int32Array,
): Pick<LinkGroup, 'crossings' | 'others'> & { readonly fill: () => void } {
  const crossings = links.filter(isCrossing);
  const others = crossings.length > 0 ? links.filter((link) => !isCrossing(link)) : links;
  const mixed = crossings.length > 0 && others.length > 0;
  const sides = (some: readonly Link[]): Int32Array =>
    mixed ? new Int32Array(some.reduce((sum, { sideCount }) => sum + sideCount, 0)) : side;
  const [first, second] = [sides(crossings), sides(others)];
  return {
    crossings: { links: crossings, side: first, room },
    others: { links: others, side: second },
    fill: () => {
      let [a, b, s] = [0, 0, 0];
      for (const link of mixed ? links : [])
        for (let i = 0; i < link.sideCount; i++, s++) {
          if (isCrossing(link)) first[a++] = side[s];
          else second[b++] = side[s];
        }
    },
  };
}

/** Factors of the local laws: 1/a + Σ C Cᵀ/ρ, a = h²k + h c. False where one is not positive. */
export function factorLinks({ others, crossings, dt }: LinkGroup, arrays: SolverArrays): boolean {
  if (!writeCrossings(crossings, arrays, dt)) return false;
  const { mass } = arrays;
  const { links, side } = others;
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

/** What the solver iterates on, from the impulses as they were made linear at, and velocities of the sides. */
export function startLinks(
  { others: { links, side }, crossings }: LinkGroup,
  weight: Float64Array,
  arrays: SolverArrays,
  from: Float64Array,
): void {
  startCrossings(crossings, weight, arrays, from);
  const { copy, free, mass } = arrays;
  let first = 0;
  for (const link of links) {
    for (let i = 0; i < link.sideCount; i++) {
      const s = side[first + i];
      for (let k = 0; k < 3; k++) {
        copy[3 * s + k] = from[3 * s + k];
        weight[3 * s + k] = mass[s];
        const p = impulseAt(link, link.impulseStart, i, k);
        free[3 * s + k] = from[3 * s + k] - (mass[s] > 0 ? p / mass[s] : 0);
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
export function applyLinks({ others: { links, side }, crossings, dt }: LinkGroup, arrays: SolverArrays): number {
  const { mass, copy, free, response } = arrays;
  let swing = applyCrossings(crossings, arrays);
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
        // forces alone: a section turns so easily that what torques do to it says nothing
        if (i % link.perEnd < 2) swing = Math.max(swing, Math.abs(p[k]) * response[s]);
        const impulse = impulseAt(link, p, i, k);
        copy[3 * s + k] = free[3 * s + k] + (mass[s] > 0 ? impulse / mass[s] : 0);
      }
    }
    first += sideCount;
  }
  return swing;
}

/** Links have the impulses that the solver found. */
export function finishLinks({ crossings }: LinkGroup): void {
  readCrossings(crossings);
}

/** What the rods follow: ρ(y − v₀) + Cᵀ(p − p₀); crossings have said so with their law. */
export function pullSides({ others: { links, side } }: LinkGroup, arrays: SolverArrays): void {
  const { start, copy, right, mass } = arrays;
  let first = 0;
  for (const { rows, sideCount, coefficient: c, impulse: p, impulseStart: p0 } of links) {
    for (let i = 0; i < sideCount; i++) {
      const s = side[first + i];
      for (let k = 0; k < 3; k++) {
        let change = 0;
        for (let r = 0; r < rows; r++) change += c[3 * (r * sideCount + i) + k] * (p[r] - p0[r]);
        right[3 * s + k] = mass[s] * (copy[3 * s + k] - start[3 * s + k]) + change;
      }
    }
    first += sideCount;
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
