/**
 * Impulses of all contacts of a step, with exact Coulomb friction, by the alternating direction method of multipliers:
 * every side of a contact has a copy of its velocity; in turn the rods follow their copies (a linear solve each) and the
 * copies obey the law of contact (in closed form, each by itself). After [Daviet2023]; no colouring, no order.
 *
 * Measured on a prototype before (see the notes in docs/contact.md): of the methods that treat friction exactly the only
 * one that converged in every scene, the rope of three half turns round a bollard included, where Gauss–Seidel does not.
 * The weights ρ are one over the response of the contact times the number of contacts at its nodes; without that number bundles
 * explode, with lumped masses ropes under tension do not converge, and changing ρ on the way is unstable late.
 *
 * All is written as a difference from a state (v₀, p₀) that the rods have really come to:
 *     v = v₀ + H⁻¹ Σ Sᵀ(ρ(y − S v₀) ± (p − p₀)).
 */
import type { ContactPort } from '../model.ts';
import type { ContactSides } from '../port.ts';
import type { ContactSet } from './set.ts';

/** Sides of all bundles in one row; each bundle sees its part. */
export interface SideArrays {
  readonly count: number;
  readonly sides: readonly {
    readonly port: ContactPort;
    readonly sides: ContactSides;
    readonly from: number;
    readonly systems: Uint8Array;
  }[];
  /** Place of each contact's sides; −1 where the second is fixed. */
  readonly sideA: Int32Array;
  readonly sideB: Int32Array;
  readonly mass: Float64Array;
  readonly response: Float64Array;
  /** S v₀, S v, the copies y, and what is solved for, 3 each. */
  readonly start: Float64Array;
  readonly velocity: Float64Array;
  readonly copy: Float64Array;
  readonly right: Float64Array;
  /** p₀, 3 a contact. */
  readonly impulseStart: Float64Array;
  /** ω of each contact [1/kg]; 0 where nothing can move. */
  readonly omega: Float64Array;
  /** Contacts at the busiest node of each contact. */
  readonly crowd: Float64Array;
}

export interface SolveResult {
  iterations: number;
  /** Largest error of a velocity [m/s]. */
  error: number;
  converged: boolean;
}

const RELAXATION = 1.7;

/** Weights ρ from the responses; prepares the factors. */
export function weighContacts(set: ContactSet, arrays: SideArrays): boolean {
  const { sideA, sideB, response, omega, crowd, mass } = arrays;
  for (let c = 0; c < set.count; c++) {
    const b = sideB[c];
    const mean = response[sideA[c]] + (b >= 0 ? response[b] : 0);
    omega[c] = crowd[c] * mean;
    const rho = omega[c] > 0 ? (b >= 0 ? 2 : 1) / omega[c] : 0;
    mass[sideA[c]] = rho;
    if (b >= 0) mass[b] = rho;
  }
  for (const { port, sides, systems } of arrays.sides) if (!port.factor(systems, sides)) return false;
  return true;
}

/**
 * Iterates until the largest error of a side's velocity is below `tolerance` × max(scale, what the impulses change), or
 * `limit` iterations. Impulses start as they are in the set.
 */
export function solveAdmm(
  result: SolveResult,
  set: ContactSet,
  arrays: SideArrays,
  scale: number,
  tolerance: number,
  limit: number,
): void {
  const { start, copy, velocity, right, sideA, sideB, omega, mass, impulseStart } = arrays;
  const { impulse: p, normal, bias, surface } = set;
  copy.set(start);
  result.converged = false;
  result.iterations = 0;
  for (let k = 0; k < limit; k++) {
    right.fill(0);
    for (let c = 0; c < set.count; c++) {
      const a = 3 * sideA[c];
      const b = 3 * sideB[c];
      const rho = mass[sideA[c]];
      for (let m = 0; m < 3; m++) {
        const change = p[3 * c + m] - impulseStart[3 * c + m];
        right[a + m] = rho * (copy[a + m] - start[a + m]) + change;
        if (b >= 0) right[b + m] = rho * (copy[b + m] - start[b + m]) - change;
      }
    }
    for (const { port, sides, from } of arrays.sides) {
      const end = from + sides.count;
      port.solve(velocity.subarray(3 * from, 3 * end), right.subarray(3 * from, 3 * end), sides);
    }
    let error = 0;
    let swing = scale;
    for (let c = 0; c < set.count; c++) {
      const w = omega[c];
      if (w === 0) continue;
      const o = 3 * c;
      const a = 3 * sideA[c];
      const b = 3 * sideB[c];
      const rho = mass[sideA[c]];
      const inverse = 1 / rho;
      // over-relaxed velocities less the scaled impulse: what the copies would be without contact
      let ux = -surface[o];
      let uy = -surface[o + 1];
      let uz = -surface[o + 2];
      const vax = start[a] + velocity[a];
      const vay = start[a + 1] + velocity[a + 1];
      const vaz = start[a + 2] + velocity[a + 2];
      const qax = RELAXATION * vax + (1 - RELAXATION) * copy[a] - p[o] * inverse;
      const qay = RELAXATION * vay + (1 - RELAXATION) * copy[a + 1] - p[o + 1] * inverse;
      const qaz = RELAXATION * vaz + (1 - RELAXATION) * copy[a + 2] - p[o + 2] * inverse;
      let vbx = 0;
      let vby = 0;
      let vbz = 0;
      let qbx = 0;
      let qby = 0;
      let qbz = 0;
      ux += qax;
      uy += qay;
      uz += qaz;
      if (b >= 0) {
        vbx = start[b] + velocity[b];
        vby = start[b + 1] + velocity[b + 1];
        vbz = start[b + 2] + velocity[b + 2];
        qbx = RELAXATION * vbx + (1 - RELAXATION) * copy[b] + p[o] * inverse;
        qby = RELAXATION * vby + (1 - RELAXATION) * copy[b + 1] + p[o + 1] * inverse;
        qbz = RELAXATION * vbz + (1 - RELAXATION) * copy[b + 2] + p[o + 2] * inverse;
        ux -= qbx;
        uy -= qby;
        uz -= qbz;
      }
      const nx = normal[o];
      const ny = normal[o + 1];
      const nz = normal[o + 2];
      const un = ux * nx + uy * ny + uz * nz;
      const u = un + bias[c];
      let px = 0;
      let py = 0;
      let pz = 0;
      if (u < 0) {
        // exact law of Coulomb for an isotropic response ω: stick, or slide on the edge of the cone
        const pn = -u / w;
        let tx = -(ux - un * nx) / w;
        let ty = -(uy - un * ny) / w;
        let tz = -(uz - un * nz) / w;
        const size = Math.sqrt(tx * tx + ty * ty + tz * tz);
        const most = (set.sliding[c] ? set.dynamicFriction[c] : set.staticFriction[c]) * pn;
        if (size > most) {
          tx *= most / size;
          ty *= most / size;
          tz *= most / size;
        }
        px = pn * nx + tx;
        py = pn * ny + ty;
        pz = pn * nz + tz;
      }
      const yax = qax + px * inverse;
      const yay = qay + py * inverse;
      const yaz = qaz + pz * inverse;
      error = Math.max(error, Math.abs(vax - yax), Math.abs(vay - yay), Math.abs(vaz - yaz));
      error = Math.max(error, Math.abs(copy[a] - yax), Math.abs(copy[a + 1] - yay), Math.abs(copy[a + 2] - yaz));
      copy[a] = yax;
      copy[a + 1] = yay;
      copy[a + 2] = yaz;
      if (b >= 0) {
        copy[b] = qbx - px * inverse;
        copy[b + 1] = qby - py * inverse;
        copy[b + 2] = qbz - pz * inverse;
        error = Math.max(error, Math.abs(vbx - copy[b]), Math.abs(vby - copy[b + 1]), Math.abs(vbz - copy[b + 2]));
      }
      p[o] = px;
      p[o + 1] = py;
      p[o + 2] = pz;
      swing = Math.max(swing, (w / arrays.crowd[c]) * Math.abs(px * nx + py * ny + pz * nz));
    }
    result.iterations = k + 1;
    result.error = error;
    if (error <= tolerance * swing) {
      result.converged = true;
      return;
    }
  }
}
