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
 * One number a side and axis carries the iteration from turn to turn: q = y ∓ p/ρ, from which the law of contact makes y and
 * p, and the rods a velocity v; the next q is q + 1.7·(v − y). That is a fixed point in q, and its last turns are mixed
 * [Anderson1965] where that makes the error smaller: a knot that took hundreds of turns takes tens.
 *
 * All is written as a difference from a state (v₀, p₀) that the rods have really come to:
 *     v = v₀ + H⁻¹ Σ Sᵀ(ρ(y − S v₀) ± (p − p₀)).
 */
import { contactConstants } from '../../constants.ts';
import { type SharedLoops, threadsOf } from '../../threads/contactThreads.ts';
import type { ContactSet } from '../contactSet.ts';
import { correctCoarse, PATIENCE, weighCoarse } from '../links/coarse.ts';
import { energyOfPulls, weighWhole, writeShift } from '../links/drift.ts';
import { applyLinks, factorLinks, loopLinks, pullSides, startLinks, weighLinks } from '../links/law.ts';
import type { LinkGroup } from '../links/linkData.ts';
import { PULL, SHIFT } from '../links/loops.ts';
import { type Accelerator, accelerate, keep, keepCopies, measure, restartMixing, startMixing } from './anderson.ts';
import { applyNormalLaw, pullNormal, spread, startNormal } from './frictionless.ts';
import { cutLawRows, type LawArrays, type LawSet, lawBytes, readLawRows, writeLawRows } from './lawArrays.ts';
import type { SideArrays, SolveResult } from './sideArrays.ts';
import { RELAXATION } from './vectorLoops.ts';

/** What touches a cloth meets this many times what one of its links has to move: measured with cloths of 25 to 150 fibers each way. */
const TOUCHED = 3;

/** Response of a side; where links hold its rod, about that of all they hold together. */
function responseOf({ response, links, rod }: SideArrays, side: number): number {
  const joined = links && rod[side] >= 0 ? links.joined[rod[side]] : 1;
  return joined > 1 ? response[side] / (TOUCHED * Math.sqrt(joined)) : response[side];
}

/** Weights ρ from the responses; prepares the factors. */
export function weighContacts(set: ContactSet, arrays: SideArrays): boolean {
  if (arrays.links) weighLinks(arrays.links, arrays, set.count > 0);
  const { sideA, sideB, omega, contactsAtNode, mass, awake } = arrays;
  for (let c = 0; c < set.count; c++) {
    const b = sideB[c];
    const mean = responseOf(arrays, sideA[c]) + (b >= 0 ? responseOf(arrays, b) : 0);
    omega[c] = awake[c] ? (arrays.axes === 1 ? spread(contactsAtNode[c]) : contactsAtNode[c]) * mean : 0;
    const rho = omega[c] > 0 ? (b >= 0 ? 2 : 1) / omega[c] : 0;
    mass[sideA[c]] = rho;
    if (b >= 0) mass[b] = rho;
  }
  if (arrays.links && !factorLinks(arrays.links, arrays)) return false;
  for (const { port, sides, systems } of arrays.sides) if (!port.factor(systems, sides)) return false;
  if (arrays.links && set.count > 0) weighWhole(arrays.links, arrays);
  return true;
}

/** The law of contact at contacts `from` to `to`: from q the impulses p and the copies y. Returns the largest W·p_n [m/s]. */
function applyLaw(set: LawSet, arrays: LawArrays, from: number, to: number): number {
  if (arrays.axes === 1) return applyNormalLaw(set, arrays, from, to);
  const { sideA, sideB, omega, mass, copy, free, contactsAtNode } = arrays;
  const { impulse: p, normal, bias, surface, sliding, staticFriction, dynamicFriction } = set;
  let swing = 0;
  for (let c = from; c < to; c++) {
    const w = omega[c];
    if (w === 0) continue;
    const o = 3 * c;
    const a = 3 * sideA[c];
    const b = 3 * sideB[c];
    const inverse = 1 / mass[sideA[c]];
    const ux = free[a] - (b >= 0 ? free[b] : surface[o]);
    const uy = free[a + 1] - (b >= 0 ? free[b + 1] : surface[o + 1]);
    const uz = free[a + 2] - (b >= 0 ? free[b + 2] : surface[o + 2]);
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
      const most = (sliding[c] ? dynamicFriction[c] : staticFriction[c]) * pn;
      if (size > most) {
        const cut = most / size;
        tx *= cut;
        ty *= cut;
        tz *= cut;
      }
      px = pn * nx + tx;
      py = pn * ny + ty;
      pz = pn * nz + tz;
      const change = (w / contactsAtNode[c]) * pn;
      if (change > swing) swing = change;
    }
    p[o] = px;
    p[o + 1] = py;
    p[o + 2] = pz;
    copy[a] = free[a] + px * inverse;
    copy[a + 1] = free[a + 1] + py * inverse;
    copy[a + 2] = free[a + 2] + pz * inverse;
    if (b < 0) continue;
    copy[b] = free[b] - px * inverse;
    copy[b + 1] = free[b + 1] - py * inverse;
    copy[b + 2] = free[b + 2] - pz * inverse;
  }
  return swing;
}

/** The law of contact at contacts `from` to `to`, and what the rods are to follow then. */
export function applyAndPull(set: LawSet, arrays: LawArrays, from: number, to: number): number {
  const swing = applyLaw(set, arrays, from, to);
  if (arrays.axes === 1) pullNormal(arrays, from, to);
  else pull(set, arrays, from, to);
  return swing;
}

/**
 * The laws of all contacts and links, then by how much velocities of all sides differ from `start` when the rods follow the copies, into
 * `velocity`. Returns the largest velocity that an impulse makes [m/s]. `law`: by threads.
 */
function iterateOnce(set: ContactSet, arrays: SideArrays, law?: SharedLaw): number {
  let swing = law ? law.run() : applyAndPull(set, arrays, 0, set.count);
  if (arrays.links) {
    swing = Math.max(swing, applyLinks(arrays.links, arrays));
    pullSides(arrays.links, arrays);
  }
  for (const one of arrays.sides) one.port.solve(one.velocity, one.right, one.sides);
  return swing;
}

/** What the rods are to follow: ρ(y − v₀) ± (p − p₀). */
function pull(set: LawSet, arrays: LawArrays, from: number, to: number): void {
  const { start, copy, right, sideA, sideB, mass, impulseStart } = arrays;
  const { impulse: p } = set;
  for (let c = from; c < to; c++) {
    const a = 3 * sideA[c];
    const b = 3 * sideB[c];
    const rho = mass[sideA[c]];
    for (let m = 0; m < 3; m++) {
      const change = p[3 * c + m] - impulseStart[3 * c + m];
      right[a + m] = rho * (copy[a + m] - start[a + m]) + change;
      if (b >= 0) right[b + m] = rho * (copy[b + m] - start[b + m]) - change;
    }
  }
}

/**
 * Parts of its size by which a contact may miss its place in a step: violent impacts elsewhere allow for errors that are small beside
 * them, and hair of 60 µm that lay on a head beside them went in by a tenth of itself.
 */
export const POSITION_TOLERANCE = 0.02;

/**
 * Starts links where the rods are, or where they go under the forces of the last step, whichever is nearer to the solution: the latter is
 * all of it for cloth that falls freely, and far off for a hair that spins where nothing but its joints holds it. What is left at
 * the sides says little of a velocity that whole rods have wrong, such as what gravity gives them in a step: their drift counts as well.
 */
function chooseStart(
  set: ContactSet,
  arrays: SideArrays,
  links: LinkGroup,
  mixing: Accelerator,
  law: SharedLaw | undefined,
): void {
  const { rows } = mixing;
  const tryStart = (best: boolean): number => {
    startLinks(links, arrays, rows, best);
    iterateOnce(set, arrays, law);
    const { norm } = measure(mixing);
    loopLinks(links, PULL, arrays);
    return norm + energyOfPulls(links.rows);
  };
  let best = links.guessed;
  if (best) {
    keepCopies(mixing);
    best = tryStart(true) < tryStart(false);
  }
  startLinks(links, arrays, rows, best);
}

/** The law of contact by threads. */
interface SharedLaw {
  /** What `applyAndPull` returns for all. */
  run(): number;
  /** Impulses back to the set. */
  finish(): void;
}

function shareLaw(crew: SharedLoops, set: ContactSet, arrays: SideArrays): SharedLaw {
  const { count } = set;
  const rows = cutLawRows(crew.lawMemory(lawBytes(count)), count);
  writeLawRows(rows, set, arrays);
  return {
    run: () => crew.runLaw(count),
    finish: () => readLawRows(rows, set, arrays),
  };
}

const shift = new Float64Array(3);

/**
 * Iterates until the largest error of a side's velocity is below `tolerance` × max(scale, a tenth of what the impulses change), and
 * no place is missed by more than PLACE, or `limit` iterations: the impulses are then those of the least error, since with friction the last can be far off (three contacts
 * at one node of a beam once sent the ball that rested there to seven times its height). Impulses start as they are in the set. `places`:
 * PLACE over the step [1/s].
 */
export function solveAdmm(
  result: SolveResult,
  set: ContactSet,
  arrays: SideArrays,
  scale: number,
  tolerance: number,
  limit: number,
  places: number,
): void {
  const { start, copy, velocity, free, sideA, sideB, omega, mass, right, axes } = arrays;
  const size = axes * arrays.count;
  const [only] = arrays.sides;
  const crew = arrays.sides.length === 1 ? threadsOf(only.port)?.solverLoops(only.sides) : undefined;
  const mixing = startMixing(arrays, size, axes === 1, crew);
  const { weight, finest, best } = mixing.rows;
  let least = Infinity;
  if (axes === 1) startNormal(set, arrays, weight, finest, tolerance * scale, places);
  for (let c = 0; c < set.count && axes === 3; c++) {
    const a = 3 * sideA[c];
    const b = 3 * sideB[c];
    const inverse = omega[c] > 0 ? 1 / mass[sideA[c]] : 0;
    const fine = 1 / Math.max(tolerance * scale, places * set.size[c]);
    for (let m = 0; m < 3; m++) {
      finest[a + m] = fine;
      if (b >= 0) finest[b + m] = fine;
      free[a + m] = start[a + m] - set.impulse[3 * c + m] * inverse;
      weight[a + m] = mass[sideA[c]];
      copy[a + m] = start[a + m];
      if (b < 0) continue;
      free[b + m] = start[b + m] + set.impulse[3 * c + m] * inverse;
      weight[b + m] = mass[sideA[c]];
      copy[b + m] = start[b + m];
    }
    if (omega[c] === 0) set.impulse.fill(0, 3 * c, 3 * c + 3);
  }
  // where there are links, all that is solved for is written in every turn
  if (!arrays.links) right.fill(0);
  const law = crew ? shareLaw(crew, set, arrays) : undefined;
  if (arrays.links) chooseStart(set, arrays, arrays.links, mixing, law);
  result.converged = false;
  for (let k = 0; ; k++) {
    const swing = Math.max(scale, contactConstants.SWING * iterateOnce(set, arrays, law));
    const { norm, error, miss } = measure(mixing);
    result.iterations = k + 1;
    result.error = error;
    const fine = error <= tolerance * swing && miss <= 1;
    const touched = set.count > 0 ? arrays.links : undefined;
    const drift = touched ? loopLinks(touched, PULL, arrays) : 0;
    if (fine && drift <= RELAXATION * tolerance * scale) {
      result.converged = true;
      law?.finish();
      return;
    }
    if (error < least) {
      least = error;
      keep(mixing);
    }
    if (k + 1 >= limit) {
      free.set(best.subarray(0, size));
      applyLaw(set, arrays, 0, set.count);
      if (arrays.links) applyLinks(arrays.links, arrays);
      result.error = least;
      return;
    }
    if (touched && k + 1 === PATIENCE) {
      const change = velocity.slice();
      const coarse = weighCoarse(touched, arrays);
      if (coarse) touched.coarse = coarse;
      else delete touched.coarse;
      velocity.set(change);
      restartMixing(mixing);
    }
    if (touched?.coarse) correctCoarse(touched.coarse, touched, arrays);
    else if (touched && touched.whole[0] !== 0) {
      writeShift(shift, touched, 1 / RELAXATION);
      loopLinks(touched, SHIFT, arrays, mixing.rows, shift);
    }
    accelerate(mixing, norm);
  }
}
