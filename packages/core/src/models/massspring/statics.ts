/**
 * Equilibria by Newton's method with the spring forces as separate unknowns: K = Σ k nnᵀ + (λ/L)(1 − nnᵀ), so that the stiff springs against stretch do not
 * slow it down; descent if it fails.
 *
 * Which altitude acts is a discontinuous choice, with which Newton might cycle for ever. So the choice is frozen while Newton runs and updated at its
 * solution, until it no longer changes or has been made six times. If two choices lead to each other, the springs have no equilibrium; the search reports
 * one of the two states, in which forces are unbalanced by a few parts in 1e4 of the load.
 *
 * An inverted tetrahedron is a false minimum: the chain has folded there, or lost half a turn of twist. Such a state is never reported as an equilibrium.
 * The search restarts and applies loads and natural shape in increments (`approach.ts`).
 */

import { clearWide, factorWide, fixWide, solveWide } from '../../linalg/wideBand.ts';
import { hypot, pow, sin } from '../../math/rounded/index.ts';
import type { EquilibriumOptions, EquilibriumReport } from '../../model.ts';
import { descendBySteps } from '../../statics/descent.ts';
import { noVerdict, seekStable } from '../../statics/search.ts';
import { approachLoads } from './approach.ts';
import { findInverted, rememberOrientation, writeAltitude, writeSpring } from './energy.ts';
import { measureTurns, poseSamples } from './kinematics.ts';
import { followPins } from './pinMotion.ts';
import type { Hair } from './rod.ts';
import { type Workspace, writeLoads } from './step.ts';
import { assembleTangent } from './tangent.ts';

export interface Result {
  converged: boolean;
  iterations: number;
  residual: number;
  tolerance: number;
  reason: string;
  /** True if positions cannot resolve the answer, so that no other method would find it. */
  isRounded: boolean;
}

const FAILED: Result = {
  converged: false,
  iterations: 0,
  residual: Infinity,
  tolerance: 0,
  reason: '',
  isRounded: false,
};

export interface Search {
  readonly hair: Hair;
  readonly work: Workspace;
  readonly tension: Float64Array;
  readonly error: Float64Array;
  readonly residual: Float64Array;
  readonly base: Float64Array;
  /** When loads are evaluated [s]. */
  t: number;
}

/** The smallest altitude of each tetrahedron in the current state. */
export function chooseKinds(hair: Hair, work: Workspace): void {
  const { frozen } = hair;
  hair.frozen = false;
  for (let t = 0; t < hair.tetrahedra.count; t++) writeAltitude(work.row, hair, t, hair.q, hair.q);
  hair.frozen = frozen;
}

/** Forces of the springs as they are. */
export function measureTension({ hair, work, tension }: Search): void {
  for (let s = 0; s < tension.length; s++)
    tension[s] = writeSpring(work.row, hair, s, hair.q, hair.q) ? work.row.stiffness * work.row.value : 0;
}

/** Largest turn or stretch of an edge along a step [rad]; NaN if the step is not a number. */
export function largestTurnOf({ springs }: Hair, step: Float64Array): number {
  let largest = 0;
  for (let s = 0; s < springs.count; s++) {
    if (springs.apart[s] !== 1) continue;
    const a = 3 * springs.a[s];
    const b = 3 * springs.b[s];
    const move = hypot(step[b] - step[a], step[b + 1] - step[a + 1], step[b + 2] - step[a + 2]);
    largest = Math.max(largest, move / springs.rest[s]);
  }
  return largest;
}

/** Moves the tensions by a fraction of a step from q. */
export function moveTension({ hair, work, tension, error }: Search, step: Float64Array, fraction: number): void {
  const { q, springs } = hair;
  for (let s = 0; s < springs.count; s++) {
    if (!writeSpring(work.row, hair, s, q, q)) continue;
    const a = 3 * springs.a[s];
    const b = 3 * springs.b[s];
    let along = 0;
    for (let k = 0; k < 3; k++) along += work.row.direction[k] * (step[b + k] - step[a + k]);
    tension[s] += fraction * springs.stiffness[s] * (error[s] + along);
  }
}

/** Moves q by a fraction of the step that turns no edge by more than 0.4 rad, and updates the tensions; returns the rotation of the whole step. */
function takeStep(search: Search, step: Float64Array): number {
  const { q, size } = search.hair;
  const largest = largestTurnOf(search.hair, step);
  if (!(largest < Infinity)) return Infinity;
  const fraction = largest > 0.4 ? 0.4 / largest : 1;
  moveTension(search, step, fraction);
  for (let d = 0; d < size; d++) q[d] += fraction * step[d];
  return largest;
}

/**
 * Most that the rod may turn per edge beyond its natural shape [rad]. Beyond it the truss softens quickly: a rod of 25 edges, twisted between clamps, has 0.94 of
 * its torque at 0.24 rad per edge (0.97 at 0.2), and a clamp under a bending moment folds at 0.4.
 */
const LARGEST_TURN = 0.25;

/** Largest turn of an edge in a full Newton step [rad] after which the step counts as the last: what remains is of second order. */
export const LAST_TURN = 1e-7;

/** Residual and matrix at q into the workspace; returns the largest residual on a free particle and the sum of the loads. */
export function evaluate(search: Search, descent: number): { largest: number; loads: number } {
  const { hair, work, tension, error, residual, base, t } = search;
  const { size, fixed, stiffnessScale } = hair;
  const { matrix } = work;
  clearWide(matrix);
  residual.fill(0);
  assembleTangent(matrix, residual, hair, work.row, tension, error);
  const loads = writeLoads(work.external, hair, t);
  let largest = 0;
  for (let d = 0; d < size; d++) {
    residual[d] -= work.external[d];
    if (descent > 0) {
      residual[d] += descent * stiffnessScale[d] * (hair.q[d] - base[d]);
      matrix.entries[d * (matrix.width + 1) + matrix.width] += descent * stiffnessScale[d];
    }
    if (!fixed[d] && !(Math.abs(residual[d]) <= largest)) largest = Math.abs(residual[d]);
  }
  return { largest, loads };
}

/** Right side of the Newton step, with the springs' forces eliminated. */
export function writeRightSide({ hair, work, error, residual }: Search): void {
  const { size, fixed, springs } = hair;
  const { matrix, right } = work;
  for (let d = 0; d < size; d++) right[d] = -residual[d];
  for (let s = 0; s < springs.count; s++) {
    if (!writeSpring(work.row, hair, s, hair.q, hair.q)) continue;
    const pull = springs.stiffness[s] * error[s];
    for (let k = 0; k < 3; k++) {
      right[3 * springs.a[s] + k] += pull * work.row.direction[k];
      right[3 * springs.b[s] + k] -= pull * work.row.direction[k];
    }
  }
  for (let d = 0; d < size; d++) {
    if (!fixed[d]) continue;
    fixWide(matrix, d);
    right[d] = 0;
  }
}

/**
 * Newton's method from the current state; `descent` > 0 minimises with c·scale|x − base|²/2 added. It has converged when the residual is small
 * compared with the loads, or when a full step has hardly moved anything: the residual is compared with the loads that act and a position with the
 * next Newton correction, never with a fixed force.
 */
export function solve(search: Search, tolerance: number, most: number, descent: number): Result {
  const { hair, work, error } = search;
  const { stiffnessScale, springs } = hair;
  const { matrix, factor, right } = work;
  const out: Result = { ...FAILED };
  let [shift, turn, smallSteps] = [0, Infinity, 0];
  // a small step is the last, unless it is large compared with the deformation, as at the start or under rounding
  const isLast = (loads: number): boolean => smallSteps > 0 && (loads === 0 || turn <= 1e-2 * measureTurns(hair).sum);
  for (;;) {
    const { largest, loads } = evaluate(search, descent);
    let stretched = 0;
    for (let s = 0; s < springs.count; s++) stretched = Math.max(stretched, Math.abs(error[s]) / springs.rest[s]);
    out.residual = largest;
    out.tolerance = tolerance * loads;
    if (stretched < 1e-10 && (largest <= out.tolerance || isLast(loads))) {
      out.tolerance = Math.max(out.tolerance, largest);
      out.converged = true;
      return out;
    }
    if (smallSteps >= 4) {
      out.isRounded = true;
      return { ...out, reason: 'the loads deform the rod by less than the rounding of its positions' };
    }
    if (!(largest < Infinity)) return { ...out, reason: 'the residual is not a number' };
    if (out.iterations >= most) return { ...out, reason: `no convergence in ${most} iterations` };
    writeRightSide(search);
    while (!factorWide(factor, matrix, shift, stiffnessScale, 'stop-at-negative')) {
      shift = shift === 0 ? 1e-7 : 4 * shift;
      if (shift > 1e8) return { ...out, reason: 'the stiffness matrix cannot be made positive definite' };
    }
    solveWide(factor, matrix, right);
    turn = takeStep(search, right);
    if (turn === Infinity) return { ...out, reason: 'the Newton step is not a number' };
    // the shift that a freely spinning rod needs slows convergence of the others, at a known rate
    const isSmall = shift === 0 ? turn <= LAST_TURN : shift < 1e-6 && turn <= 1e-2 * LAST_TURN;
    smallSteps = isSmall ? smallSteps + 1 : 0;
    shift = shift > 4e-7 ? shift / 4 : 0;
    out.iterations++;
  }
}

/** At most `count` steps of descent. */
function descend(search: Search, count: number): number {
  const { hair, base, tension } = search;
  const kept = tension.slice();
  return descendBySteps(
    {
      hold() {
        base.set(hair.q);
        kept.set(tension);
      },
      solve: (descent) => solve(search, 1e-6, 30, descent),
      revert() {
        hair.q.set(base);
        tension.set(kept);
      },
    },
    count,
    { first: 1e-2, least: 1e-10, most: 1e8 },
  );
}

/** Eigenvalues below this, relative to `stiffnessScale`, count as zero: free rigid motion, free spin. */
export function zeroModeShift({ rod }: Hair): number {
  return Math.max(1e-4 / pow(rod.edgeCount, 4), 1e-11);
}

/** Number of negative eigenvalues of the tangent stiffness; undefined if loads depend on the state and their derivative is unknown. */
export function countNegative(hair: Hair, work: Workspace): number {
  const { size, fixed, stiffnessScale } = hair;
  clearWide(work.matrix);
  work.right.fill(0);
  assembleTangent(work.matrix, work.right, hair, work.row, undefined, undefined);
  for (let d = 0; d < size; d++) if (fixed[d]) fixWide(work.matrix, d);
  factorWide(work.factor, work.matrix, zeroModeShift(hair), stiffnessScale, 'count-negative');
  return work.factor.negative;
}

/** A push along the softest direction, by 1 % of the length at most. */
function nudge({ hair, work }: Search, amplitude: number): void {
  const { q, size, fixed, stiffnessScale } = hair;
  countNegative(hair, work);
  let shift = 1e-9;
  while (!factorWide(work.factor, work.matrix, shift, stiffnessScale, 'stop-at-negative')) shift *= 1.5;
  const x = new Float64Array(size).map((_, d) => (fixed[d] ? 0 : sin(1 + 0.7 * d) + 0.3 * sin(0.1 * d)));
  let norm = 1;
  for (let k = 0; k < 40; k++) {
    for (let d = 0; d < size; d++) x[d] = fixed[d] ? 0 : (x[d] / norm) * stiffnessScale[d];
    solveWide(work.factor, work.matrix, x);
    norm = x.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-300);
  }
  for (let d = 0; d < size; d++) q[d] += (amplitude * hair.rod.length * x[d]) / norm;
}

/** Rejects states that are no equilibria of the rod. */
function refuseFolds(hair: Hair, result: Result): Result {
  const reason = result.converged ? explainFold(hair) : '';
  return reason === '' ? result : { ...result, converged: false, reason };
}

/** Why a state is no equilibrium of the rod, or '': a tetrahedron is inverted, or strains are beyond the range of the springs. */
export function explainFold(hair: Hair): string {
  const folded = findInverted(hair);
  return folded >= 0 ? describeFold(folded) : (findSoftPlace(hair) ?? '');
}

/** Where the rod turns by more per edge than its springs can follow; undefined if nowhere. */
export function findSoftPlace(hair: Hair): string | undefined {
  const { largest, node } = measureTurns(hair);
  if (largest <= LARGEST_TURN) return undefined;
  return `at node ${node} the rod turns by ${largest.toFixed(2)} rad per edge beyond its natural shape, where the springs are far too soft (limit ${LARGEST_TURN}); use more edges, or der`;
}

function describeFold(node: number): string {
  return `the springs fold at node ${node}, where the rod bends or twists by too much per edge; use more edges, or der`;
}

function foldedAt(node: number): Result {
  const reason = `${describeFold(node)} (while the pins move, so that turns are lost)`;
  return { ...FAILED, reason };
}

/** Search of findEquilibrium: its start, and the iterations since the counter was last reset. */
interface Attempts {
  readonly search: Search;
  readonly tolerance: number;
  /** State from which Newton restarts if it fails. */
  readonly entry: Float64Array;
  iterations: number;
}

/** Equilibrium with the current choice of altitude springs: Newton, with descents in between if it fails. */
function solveFrozen(of: Attempts): Result {
  const { search, tolerance, entry } = of;
  let result = solve(search, tolerance, 80, 0);
  of.iterations += result.iterations;
  for (let round = 0; !result.converged && !result.isRounded && round < 6; round++) {
    if (round === 0) search.hair.q.set(entry);
    measureTension(search);
    of.iterations += descend(search, 20);
    result = solve(search, tolerance, 100, 0);
    of.iterations += result.iterations;
  }
  return result;
}

/** How often the choice of altitude springs is made in one search. */
export const MOST_CHOICES = 6;

/** Equilibrium in which the choice of altitude springs is that of the equilibrium itself. */
function solveWithAltitudes(of: Attempts): Result {
  const { hair, work } = of.search;
  let result = solveFrozen(of);
  for (let choice = 0; choice < MOST_CHOICES && result.converged; choice++) {
    const kinds = hair.altitudeKind.slice();
    chooseKinds(hair, work);
    if (kinds.every((kind, k) => kind === hair.altitudeKind[k])) break;
    result = solveFrozen(of);
  }
  return refuseFolds(hair, result);
}

/** Finds the first equilibrium, after the pins have reached their poses; if Newton fails, raises the loads in increments. */
function solveFirst(of: Attempts, brought: ReturnType<typeof followPins>): Result {
  const { search, entry } = of;
  const { hair, work } = search;
  of.iterations += brought.iterations;
  const result = brought.lost < 0 ? solveWithAltitudes(of) : foldedAt(brought.lost);
  if (result.converged || result.isRounded || brought.lost >= 0) return result;
  hair.q.set(entry);
  chooseKinds(hair, work);
  of.iterations += approachLoads(search);
  entry.set(hair.q);
  return solveWithAltitudes(of);
}

export function findEquilibrium(
  hair: Hair,
  work: Workspace,
  t: number,
  options: EquilibriumOptions,
): EquilibriumReport {
  const vector = (): Float64Array => new Float64Array(hair.size);
  const search: Search = {
    hair,
    work,
    tension: new Float64Array(hair.springs.count),
    error: new Float64Array(hair.springs.count),
    residual: vector(),
    base: vector(),
    t,
  };
  hair.v.fill(0);
  chooseKinds(hair, work);
  hair.frozen = true;
  measureTension(search);
  const brought = followPins(search, t);
  const attempts: Attempts = { search, tolerance: options.tolerance, entry: hair.q.slice(), iterations: 0 };
  const dependsOnState = hair.drive.sources.some((source) => source.dependsOnState);
  const report = seekStable(
    {
      settle(from) {
        attempts.iterations = 0;
        const result = from === 'saddle' ? solveWithAltitudes(attempts) : solveFirst(attempts, brought);
        // altitudes are chosen again during the search, and the choice does not keep the symmetry of a branch
        return { ...result, iterations: attempts.iterations, descended: true };
      },
      judge() {
        const negativeModes = dependsOnState ? -1 : countNegative(hair, work);
        return negativeModes >= 0 ? { negativeModes, criterion: 'energy' } : noVerdict;
      },
      leave(round) {
        nudge(search, 0.01 * round);
        measureTension(search);
        return descend(search, 60);
      },
    },
    hair.rod.id,
    options,
  );
  hair.frozen = false;
  hair.restTension = report.converged ? search.tension : undefined;
  hair.v.fill(0);
  hair.acceleration.fill(0);
  hair.lastStep.fill(0);
  rememberOrientation(hair);
  poseSamples(hair);
  return report;
}
