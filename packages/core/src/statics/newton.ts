/**
 * Newton's method at rest, for models whose tangent stiffness is a bordered band and whose edge forces are unknowns.
 *
 * If the matrix is not positive definite it is shifted by σ·diag(stiffness scale), σ ×4 until it factors and ÷4 after each step, or solved unshifted
 * (`keepsBranch`). Convergence is decided by the correction: see convergence.ts.
 */

import { factorBand, solveBand } from '../linalg/band.ts';
import { fixUnknown } from '../linalg/bandMatrix.ts';
import { hypot, pow } from '../math/rounded/index.ts';
import type { Loads } from '../port.ts';
import { type Correction, createRestTest, describeRounding, type RestScales } from './convergence.ts';
import { canBeNeutral, findFreeMotions, type NeutralProblem, removeNeutralMotions } from './neutral.ts';
import type { NewtonRequest, NewtonResult } from './search.ts';

/** One rod at rest for Newton's method. Unknowns are positions [m] and angles [rad]. */
export interface RestProblem extends NeutralProblem {
  readonly edgeCount: number;
  readonly scratch: Float64Array;
  /** Stiffness of each unknown: the stiffest, which scales shifts, and the softest, relative to which `zeroShift` is negligible. */
  readonly stiffnessScale: Float64Array;
  readonly softScale: Float64Array;
  readonly zeroShift: number;
  readonly loads: Loads;
  /** Updates quantities derived from the unknowns. Returns an error, or ''. */
  follow(): string;
  /**
   * Computes residual, matrix and right-hand side; `first`: of a search. If loads follow the rod and the whole unsymmetric matrix could be solved,
   * `step` is already the step, and `solved` is true.
   */
  evaluate(first: boolean): { readonly trouble: string; readonly solved: boolean };
  subtractLoads(out: Float64Array): void;
  /** Fraction of the step that turns no edge too far. */
  limitStep(): number;
  takeStep(fraction: number): void;
  /** Largest coordinate [m], EI of the stiffest part [N m²], largest force in an edge [N]. */
  measureSize(): { readonly extent: number; readonly bending: number; readonly internal: number };
  /** Forces caused by rounding of positions [N]. */
  roundingForce(extent: number, internal: number): number;
  /** Largest change of an edge's force by the step [N], and whether edges fit their forces up to rounding [m]. */
  measureEdges(rounding: number): Pick<Correction, 'force' | 'fits'>;
  /** Elastic energy [J], and the part explained by rounding. */
  measureEnergy(rounding: number): { readonly energy: number; readonly noise: number };
}

const result: NewtonResult = { converged: false, iterations: 0, shifts: 0, residual: 0, tolerance: 0, reason: '' };

function fail(reason: string): NewtonResult {
  result.converged = false;
  result.reason = reason;
  return result;
}

/** Sum of the magnitudes of forces, and of torques divided by the rod's length [N]. */
function measureLoadSize({ loads, length }: RestProblem): number {
  const { nodeForce: f, edgeTorque: m } = loads;
  let force = 0;
  let torque = 0;
  for (let o = 0; o < f.length; o += 3) force += hypot(f[o], f[o + 1], f[o + 2]);
  for (let o = 0; o < m.length; o += 3) torque += hypot(m[o], m[o + 1], m[o + 2]);
  return force + torque / length;
}

/** Displacement by the loads with the factored matrix [m]. */
function measureResponse(problem: RestProblem): number {
  const { fixed, scratch: x, factor, matrix, isAngle } = problem;
  x.fill(0);
  problem.subtractLoads(x);
  for (let d = 0; d < x.length; d++) if (fixed[d]) x[d] = 0;
  solveBand(factor, matrix, x);
  let move = 0;
  for (let d = 0; d < x.length; d++) if (!isAngle(d)) move = Math.max(move, Math.abs(x[d]));
  return move;
}

/** Reference values for corrections; `factored`: the current factor is that of the matrix at rest. */
export function measureScales(problem: RestProblem, { factored }: { readonly factored: boolean }): RestScales {
  const { length, edgeCount } = problem;
  const { extent, bending, internal } = problem.measureSize();
  const elastic = bending / (length * length);
  const force = measureLoadSize(problem);
  const move = factored && force > 0 ? measureResponse(problem) : 0;
  const bent = force > 0 ? ((force / elastic) * length) / 8 : length;
  return {
    length,
    move: Math.min(length, Math.max(move, bent)),
    force: Math.max(force > 0 ? force : elastic, internal),
    rounding: 2.2e-16 * (extent + Math.sqrt(edgeCount) * length),
    roundingForce: problem.roundingForce(extent, internal),
    edgeCount,
  };
}

/**
 * Displacement that corresponds to the elastic energy beyond that of rounding [m]: if pins bend the rod, the effect of a small load on it need not be
 * resolved.
 */
export function measureBending(problem: RestProblem, { length, rounding }: RestScales): number {
  const { energy, noise } = problem.measureEnergy(rounding);
  const { bending } = problem.measureSize();
  return energy > 4 * noise ? Math.min(length, 0.7 * Math.sqrt(((energy - 4 * noise) * pow(length, 3)) / bending)) : 0;
}

/** Largest displacement, or rotation times length, of the step [m]. */
export function measureMove({ step, isAngle, length }: RestProblem): number {
  let move = 0;
  for (let d = 0; d < step.length; d++) move = Math.max(move, Math.abs(step[d]) * (isAngle(d) ? length : 1));
  return move;
}

/** Largest force, or torque divided by length, of the residual at free unknowns [N]. */
function measureResidual({ residual, fixed, isAngle, length }: RestProblem): number {
  let largest = 0;
  for (let d = 0; d < residual.length; d++) {
    const r = Math.abs(residual[d]) / (isAngle(d) ? length : 1);
    if (!fixed[d] && !(r <= largest)) largest = r;
  }
  return largest;
}

/** Factors the matrix with prescribed unknowns fixed, and solves for the step. Returns the significant shift (0: none), −1 on failure. */
export function solveStep(
  problem: RestProblem,
  shift: number,
  request: Pick<NewtonRequest, 'firstShift' | 'keepsBranch'>,
): number {
  const { factor, matrix, step, softScale, length } = problem;
  // rigid motion and free spin have no stiffness: a shift far below the softest mode affects nothing else
  const definite =
    factorBand(factor, matrix, 0, softScale, 'stop-at-negative') ||
    factorBand(factor, matrix, problem.zeroShift, softScale, 'stop-at-negative');
  if (definite || request.keepsBranch) {
    if (!definite) factorBand(factor, matrix, 0, softScale, 'count-negative');
    solveBand(factor, matrix, step);
    return 0;
  }
  let used = Math.max(shift, request.firstShift ?? 1e-7);
  while (!factorBand(factor, matrix, used, problem.stiffnessScale, 'stop-at-negative')) {
    used *= 4;
    result.shifts++;
    if (used > 1e8) return -1;
  }
  const right = step.slice();
  solveBand(factor, matrix, step);
  if (!(measureMove(problem) <= 1e-6 * length)) return used;
  // next to an unstable equilibrium only the unshifted matrix shows the distance to it
  const shifted = step.slice();
  step.set(right);
  factorBand(factor, matrix, 0, softScale, 'count-negative');
  solveBand(factor, matrix, step);
  if (measureMove(problem) <= 1e-6 * length) return 0;
  step.set(shifted);
  return used;
}

/**
 * Solves from the current state, with prescribed unknowns in place. On failure the rod is wherever the iteration stopped.
 * The returned object is reused by the next call.
 */
export function solveAtRest(problem: RestProblem, request: NewtonRequest): NewtonResult {
  const { fixed, matrix, step } = problem;
  const test = createRestTest(request.tolerance, { keepsBranch: request.keepsBranch === true });
  Object.assign(result, { converged: false, iterations: 0, shifts: 0, reason: '', final: false });
  let shift = 0;
  let hasFreeMotions = true;
  const moved = problem.follow();
  if (moved) return fail(moved);
  for (;;) {
    const { trouble, solved } = problem.evaluate(result.iterations === 0);
    if (trouble) return fail(trouble);
    result.residual = measureResidual(problem);
    if (!(result.residual < Infinity)) return fail('the residual is not a number');
    for (let d = 0; d < step.length; d++) {
      if (!fixed[d]) continue;
      fixUnknown(matrix, d);
      step[d] = 0;
    }
    const used = solved ? 0 : solveStep(problem, shift, request);
    if (used < 0) return fail('the stiffness matrix cannot be made positive definite');
    if (hasFreeMotions && used === 0 && !solved && canBeNeutral(problem)) {
      const free = findFreeMotions(problem);
      hasFreeMotions = free.length > 0;
      const load = measureLoadSize(problem);
      removeNeutralMotions(free, problem, load > 0 ? request.tolerance * load : Infinity);
    }
    const fraction = problem.limitStep();
    if (!(fraction > 0)) return fail('the Newton step is not a number');
    const scales = measureScales(problem, { factored: !solved });
    const correction: Correction = {
      move: measureMove(problem),
      ...problem.measureEdges(scales.rounding),
      whole: used === 0 && fraction === 1,
      residual: result.residual,
    };
    const decision = test.decide(correction, scales, () => measureBending(problem, scales));
    result.tolerance = Math.max(request.tolerance * scales.force, scales.roundingForce);
    result.error = test.error;
    result.final = decision === 'rounding';
    if (decision === 'rounding') return fail(describeRounding(scales));
    if (decision === 'stuck') return fail('the rod does not move, and its internal forces do not settle');
    result.converged = decision === 'converged' || decision === 'arrived';
    if (decision === 'arrived') return result;
    problem.takeStep(fraction);
    const halted = problem.follow();
    if (halted) return fail(halted);
    if (result.converged) return result;
    shift = used > 0 ? used / 4 : 0;
    result.iterations++;
    if (result.iterations >= request.iterations) return fail(`no convergence in ${request.iterations} iterations`);
  }
}
