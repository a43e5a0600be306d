/**
 * Impulses of all contacts of an island, with exact Coulomb friction, by the alternating direction method of multipliers (ADMM) [Daviet2023].
 *
 * Every side of a contact has a copy y of its velocity. An iteration applies the contact law to each copy separately, in closed form, then makes
 * the rods follow the copies, by one linear solve each:
 *     v = v₀ + H⁻¹ Σ Sᵀ(ρ(y − S v₀) ± (p − p₀)),
 * where v₀ and p₀ belong to a state that the rods have reached. The iterate is q = y ∓ p/ρ, from which the law gives y and p; the next one is
 * q + RELAXATION·(v − y), sped up by Anderson acceleration (anderson.ts). Reasons for this method, and the choice of ρ:
 * docs/notes/contact-solver.md.
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
import { applyNormalLaw, spread, startNormal, writeNormalRightSide } from './frictionless.ts';
import { cutLawRows, type LawArrays, type LawSet, lawBytes, readLawRows, writeLawRows } from './lawArrays.ts';
import type { ImpulseResult, SideArrays } from './sideArrays.ts';
import { type MixRows, RELAXATION } from './vectorLoops.ts';

/** A contact on a cloth moves this many times the mass that one of its links moves: measured with cloths of 25 to 150 fibers per direction. */
const TOUCHED = 3;

/** Response of a side; for a rod held by links, about that of all linked rods together. */
function responseOf({ response, links, rod }: SideArrays, side: number): number {
  const joined = links && rod[side] >= 0 ? links.joined[rod[side]] : 1;
  return joined > 1 ? response[side] / (TOUCHED * Math.sqrt(joined)) : response[side];
}

/** Computes the weights ρ from the responses; prepares the factors. */
export function weighContacts(set: ContactSet, arrays: SideArrays): boolean {
  if (arrays.links) weighLinks(arrays.links, arrays, set.count > 0);
  const { sideA, sideB, omega, contactsAtNode, mass, isActive } = arrays;
  for (let c = 0; c < set.count; c++) {
    const b = sideB[c];
    const mean = responseOf(arrays, sideA[c]) + (b >= 0 ? responseOf(arrays, b) : 0);
    omega[c] = isActive[c] ? (arrays.axes === 1 ? spread(contactsAtNode[c]) : contactsAtNode[c]) * mean : 0;
    const rho = omega[c] > 0 ? (b >= 0 ? 2 : 1) / omega[c] : 0;
    mass[sideA[c]] = rho;
    if (b >= 0) mass[b] = rho;
  }
  if (arrays.links && !factorLinks(arrays.links, arrays)) return false;
  for (const { port, sides, systems } of arrays.bundles) if (!port.factor(systems, sides)) return false;
  if (arrays.links && set.count > 0) weighWhole(arrays.links, arrays);
  return true;
}

/** The contact law at contacts `from` to `to`: computes impulses p and copies y from q. Returns the largest velocity that a normal impulse causes [m/s]. */
function applyLaw(set: LawSet, arrays: LawArrays, from: number, to: number): number {
  if (arrays.axes === 1) return applyNormalLaw(set, arrays, from, to);
  const { sideA, sideB, omega, mass, copy, lawInput, contactsAtNode } = arrays;
  const { impulse: p, normal, bias, surface, sliding, staticFriction, dynamicFriction } = set;
  let swing = 0;
  for (let c = from; c < to; c++) {
    const w = omega[c];
    if (w === 0) continue;
    const o = 3 * c;
    const a = 3 * sideA[c];
    const b = 3 * sideB[c];
    const inverse = 1 / mass[sideA[c]];
    const ux = lawInput[a] - (b >= 0 ? lawInput[b] : surface[o]);
    const uy = lawInput[a + 1] - (b >= 0 ? lawInput[b + 1] : surface[o + 1]);
    const uz = lawInput[a + 2] - (b >= 0 ? lawInput[b + 2] : surface[o + 2]);
    const nx = normal[o];
    const ny = normal[o + 1];
    const nz = normal[o + 2];
    const un = ux * nx + uy * ny + uz * nz;
    const u = un + bias[c];
    let px = 0;
    let py = 0;
    let pz = 0;
    if (u < 0) {
      // exact Coulomb law for an isotropic response ω: stick, or slide on the boundary of the cone
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
    copy[a] = lawInput[a] + px * inverse;
    copy[a + 1] = lawInput[a + 1] + py * inverse;
    copy[a + 2] = lawInput[a + 2] + pz * inverse;
    if (b < 0) continue;
    copy[b] = lawInput[b] - px * inverse;
    copy[b + 1] = lawInput[b + 1] - py * inverse;
    copy[b + 2] = lawInput[b + 2] - pz * inverse;
  }
  return swing;
}

/** Applies the contact law at contacts `from` to `to`, and writes the right-hand side of the rods' solves. */
export function applyLawAndWriteRightSide(set: LawSet, arrays: LawArrays, from: number, to: number): number {
  const swing = applyLaw(set, arrays, from, to);
  if (arrays.axes === 1) writeNormalRightSide(arrays, from, to);
  else writeRightSide(set, arrays, from, to);
  return swing;
}

/**
 * Applies the laws of all contacts and links, and writes the change S (v − v₀) of all side velocities. Returns the largest
 * velocity that an impulse causes [m/s]. `law`: given if threads apply it.
 */
function iterateOnce(set: ContactSet, arrays: SideArrays, law?: SharedLaw): number {
  let impulseSpeed = law ? law.run() : applyLawAndWriteRightSide(set, arrays, 0, set.count);
  if (arrays.links) {
    impulseSpeed = Math.max(impulseSpeed, applyLinks(arrays.links, arrays));
    pullSides(arrays.links, arrays);
  }
  for (const one of arrays.bundles) one.port.solve(one.velocityChange, one.right, one.sides);
  return impulseSpeed;
}

/** Right-hand side of the rods' linear solves: ρ(y − v₀) ± (p − p₀). */
function writeRightSide(set: LawSet, arrays: LawArrays, from: number, to: number): void {
  const { reached, copy, right, sideA, sideB, mass, impulseStart } = arrays;
  const { impulse: p } = set;
  for (let c = from; c < to; c++) {
    const a = 3 * sideA[c];
    const b = 3 * sideB[c];
    const rho = mass[sideA[c]];
    for (let m = 0; m < 3; m++) {
      const change = p[3 * c + m] - impulseStart[3 * c + m];
      right[a + m] = rho * (copy[a + m] - reached[a + m]) + change;
      if (b >= 0) right[b + m] = rho * (copy[b + m] - reached[b + m]) - change;
    }
  }
}

/**
 * Fraction of its size by which a contact may miss its position in a step. The velocity tolerance alone is relative to the most violent impact,
 * and would let a resting hair elsewhere sink in by a tenth of its radius.
 */
export const POSITION_TOLERANCE = 0.02;

/**
 * The solver stalls if its least error has not fallen by STALL_DROP in STALL_ITERATIONS iterations. The result is then accepted if its error is
 * within STALL_FACTOR tolerances and displaces no contact by more than STALL_DISPLACEMENT of its size: impulses between wedged rods drift by the
 * same amount in each of thousands of iterations, and a shorter step has the same displacement but a tighter tolerance
 * (docs/notes/contact-solver.md).
 */
const STALL_ITERATIONS = 100;
const STALL_DROP = 0.01;
const STALL_FACTOR = 10;
const STALL_DISPLACEMENT = 1e-4;

/**
 * Starts links from the current velocities of the rods, or from those under the forces of the last step, whichever is closer to the solution. The
 * latter is exact for cloth in free fall, and far off for a hair that spins, held by nothing but its joints. The residual at the sides does not
 * show a velocity error of whole rods, such as the effect of gravity in a step: their drift counts as well.
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

/** The contact law, applied by threads. */
interface SharedLaw {
  /** Applies the law to all contacts; returns the largest velocity that an impulse causes. */
  run(): number;
  /** Copies the impulses back to the set. */
  finish(): void;
}

function shareLaw(threads: SharedLoops, set: ContactSet, arrays: SideArrays): SharedLaw {
  const { count } = set;
  const rows = cutLawRows(threads.lawMemory(lawBytes(count)), count);
  writeLawRows(rows, set, arrays);
  return {
    run: () => threads.runLaw(count),
    finish: () => readLawRows(rows, set, arrays),
  };
}

export interface AdmmOptions {
  /** Reference velocity for errors [m/s]. */
  readonly scale: number;
  /** Admissible error relative to it. */
  readonly tolerance: number;
  /** Largest number of iterations. */
  readonly limit: number;
  /** POSITION_TOLERANCE divided by the step [1/s]. */
  readonly positionTolerance: number;
}

/** Writes the first iterate q, and the weights and tolerances of its numbers. */
function startContacts(
  set: ContactSet,
  arrays: SideArrays,
  { weight, inverseTolerance }: MixRows,
  { scale, tolerance, positionTolerance }: AdmmOptions,
): void {
  if (arrays.axes === 1) startNormal(set, arrays, weight, inverseTolerance, tolerance * scale, positionTolerance);
  const { reached, copy, lawInput, sideA, sideB, omega, mass } = arrays;
  for (let c = 0; c < set.count && arrays.axes === 3; c++) {
    const a = 3 * sideA[c];
    const b = 3 * sideB[c];
    const inverse = omega[c] > 0 ? 1 / mass[sideA[c]] : 0;
    const fine = 1 / Math.max(tolerance * scale, positionTolerance * set.size[c]);
    for (let m = 0; m < 3; m++) {
      inverseTolerance[a + m] = fine;
      if (b >= 0) inverseTolerance[b + m] = fine;
      lawInput[a + m] = reached[a + m] - set.impulse[3 * c + m] * inverse;
      weight[a + m] = mass[sideA[c]];
      copy[a + m] = reached[a + m];
      if (b < 0) continue;
      lawInput[b + m] = reached[b + m] + set.impulse[3 * c + m] * inverse;
      weight[b + m] = mass[sideA[c]];
      copy[b + m] = reached[b + m];
    }
    if (omega[c] === 0) set.impulse.fill(0, 3 * c, 3 * c + 3);
  }
}

const shift = new Float64Array(3);

/** Removes errors that whole linked rods have in common, which iterations reduce slowly (links/drift.ts, links/coarse.ts). */
function correctLinkedRods(links: LinkGroup, arrays: SideArrays, mixing: Accelerator, iteration: number): void {
  if (iteration === PATIENCE) {
    const change = arrays.velocityChange.slice();
    const coarse = weighCoarse(links, arrays);
    if (coarse) links.coarse = coarse;
    else delete links.coarse;
    arrays.velocityChange.set(change);
    restartMixing(mixing);
  }
  if (links.coarse) correctCoarse(links.coarse, links, arrays);
  else if (links.whole[0] !== 0) {
    writeShift(shift, links, 1 / RELAXATION);
    loopLinks(links, SHIFT, arrays, mixing.rows, shift);
  }
}

/** Errors of the iterations so far: the least, and since when it has not fallen by STALL_DROP. */
interface Progress {
  least: number;
  /** True if the least error is small enough to be accepted once the solver stalls. */
  isAcceptable: boolean;
  stallFrom: number;
  stallError: number;
}

/** Compares an iteration with the best so far; true if it is the best. `limit`: admissible error [m/s]; `miss`: of positions, in tolerances. */
function isBest(progress: Progress, { error, miss }: { error: number; miss: number }, limit: number): boolean {
  if (!(error < progress.least)) return false;
  progress.least = error;
  progress.isAcceptable = error <= STALL_FACTOR * limit && POSITION_TOLERANCE * miss <= STALL_DISPLACEMENT;
  return true;
}

/** True if the solver stalls at iteration k. */
function isStalled(progress: Progress, error: number, k: number): boolean {
  if (error < (1 - STALL_DROP) * progress.stallError) {
    progress.stallFrom = k;
    progress.stallError = error;
  }
  return progress.isAcceptable && k - progress.stallFrom >= STALL_ITERATIONS;
}

/** Takes the impulses of the iterate with the least error. */
function useBest(set: ContactSet, arrays: SideArrays, { best }: MixRows): void {
  arrays.lawInput.set(best.subarray(0, arrays.axes * arrays.count));
  applyLaw(set, arrays, 0, set.count);
  if (arrays.links) applyLinks(arrays.links, arrays);
}

/** Threads that share the loops of the solver; none if several bundles take part. */
function loopThreads({ bundles }: SideArrays): SharedLoops | undefined {
  return bundles.length === 1 ? threadsOf(bundles[0].port)?.solverLoops(bundles[0].sides) : undefined;
}

/**
 * Iterates until the largest error of a side's velocity is below `tolerance` × max(scale, a tenth of the change by the impulses), and no contact
 * misses its position by more than the position tolerance. After `limit` iterations it returns the impulses with the least error: with friction
 * those of the last iteration can be far off. Starts from the impulses in the set.
 */
export function solveAdmm(result: ImpulseResult, set: ContactSet, arrays: SideArrays, options: AdmmOptions): void {
  const { scale, tolerance, limit } = options;
  const threads = loopThreads(arrays);
  const mixing = startMixing(arrays, arrays.axes * arrays.count, arrays.axes === 1, threads);
  startContacts(set, arrays, mixing.rows, options);
  // with links, every iteration writes the whole right-hand side
  if (!arrays.links) arrays.right.fill(0);
  const law = threads ? shareLaw(threads, set, arrays) : undefined;
  if (arrays.links) chooseStart(set, arrays, arrays.links, mixing, law);
  const touched = set.count > 0 ? arrays.links : undefined;
  const progress: Progress = { least: Infinity, isAcceptable: false, stallFrom: 0, stallError: Infinity };
  result.converged = false;
  for (let k = 1; ; k++) {
    const admissible = tolerance * Math.max(scale, contactConstants.SWING * iterateOnce(set, arrays, law));
    const measured = measure(mixing);
    const { norm, error, miss } = measured;
    result.iterations = k;
    result.error = error;
    result.admissible = admissible;
    const drift = touched ? loopLinks(touched, PULL, arrays) : 0;
    if (error <= admissible && miss <= 1 && drift <= RELAXATION * tolerance * scale) {
      result.converged = true;
      law?.finish();
      return;
    }
    if (isBest(progress, measured, admissible)) keep(mixing);
    const stalled = isStalled(progress, error, k) && !arrays.links;
    if (stalled || k >= limit) {
      useBest(set, arrays, mixing.rows);
      result.error = progress.least;
      result.converged = stalled;
      return;
    }
    if (touched) correctLinkedRods(touched, arrays, mixing, k);
    accelerate(mixing, norm);
  }
}
