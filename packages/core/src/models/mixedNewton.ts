/**
 * The Newton method of mixed problems: positions and rotations together with the forces of edges, which are condensed out of the matrix.
 * Used for implicit stages of `der`, of `cosserat` and of rods welded to bodies; each provides its equations.
 *
 * A matrix that is not positive definite is shifted by σ·diag(stiffness scale): σ × 4 until it factors, ÷ 4 after each step. After a small move the
 * residual is evaluated without the matrix, because it will most likely be small enough. Equilibria have a separate Newton method with a finer
 * convergence test (statics/newton.ts).
 */

import { newtonConstants } from '../constants.ts';
import type { NewtonResult } from '../statics/search.ts';

const { FIRST_SHIFT, SHIFT_FACTOR, LARGEST_SHIFT } = newtonConstants;

export interface NewtonOptions {
  readonly tolerance: number;
  readonly iterations: number;
  /** Largest rotation of an edge or frame in one iteration [rad]: a longer step can hop over the barrier of a fold. */
  readonly rotation: number;
  /** Smallest shift of a matrix that is not positive definite, relative to the stiffness scale. Default 1e-7. */
  readonly firstShift?: number;
  /** With bodies and follower loads: undoes the shift, see der/coupledFollow.ts. */
  readonly unshift?: boolean;
}

/** The equations of one stage. Methods that return text return the reason for a failure, or ''. */
export interface MixedProblem {
  /** After a move below this, relative to edges, the residual is evaluated without the matrix. */
  readonly smallMove: number;
  /** Updates what follows from the unknowns: frames, strains, velocities. Loads that do not depend on them only if `isFirst`. */
  pose(isFirst: boolean): string;
  /** Computes the residual, and the matrix if requested. */
  evaluate(withMatrix: boolean): string;
  /** Whether the residual is small enough; writes it and its tolerance. */
  hasConverged(result: NewtonResult): boolean;
  /** Computes the matrix at the current unknowns. */
  assemble(): void;
  /** Writes the right-hand side and fixes prescribed unknowns. Returns true if the step is already known, without the symmetric matrix. */
  prepare?(): boolean;
  /** Computes the step with the shifted matrix; false if that is not positive definite. `attempt` counts from 0. */
  solve(shift: number, attempt: number): boolean;
  /** Fraction of the step that turns no edge too far; not positive if the step is not a number. */
  limitStep(): number;
  /** Moves the unknowns by a fraction of the step; returns the largest move, relative to edges. */
  takeStep(fraction: number): number;
}

const result: NewtonResult = { converged: false, iterations: 0, shifts: 0, residual: 0, tolerance: 0, reason: '' };

function fail(reason: string): NewtonResult {
  result.reason = reason;
  return result;
}

/** Computes the step of one iteration, shifting the matrix as far as needed. Returns the shift, or NaN if none is enough. */
function solveShifted(problem: MixedProblem, shift: number, firstShift: number): number {
  if (problem.prepare?.()) return shift;
  let raised = shift;
  for (let attempt = 0; !problem.solve(raised, attempt); attempt++) {
    raised = raised === 0 ? firstShift : SHIFT_FACTOR * raised;
    result.shifts++;
    if (raised > LARGEST_SHIFT) return Number.NaN;
  }
  return raised;
}

/**
 * Solves the stage from the current unknowns, with prescribed ones in place. On success they are the solution; on failure they are wherever the
 * iteration stopped, and the caller restores them. The returned object is reused by the next call.
 */
export function solveMixed(problem: MixedProblem, options: NewtonOptions): NewtonResult {
  Object.assign(result, { converged: false, iterations: 0, shifts: 0, residual: 0, tolerance: 0, reason: '' });
  const firstShift = options.firstShift ?? FIRST_SHIFT;
  let shift = 0;
  let lastMove = Infinity;
  for (;;) {
    const withMatrix = !(lastMove < problem.smallMove);
    const trouble = problem.pose(result.iterations === 0) || problem.evaluate(withMatrix);
    if (trouble) return fail(trouble);
    if (problem.hasConverged(result)) {
      result.converged = true;
      return result;
    }
    if (!(result.residual < Infinity)) return fail('the residual is not a number');
    if (result.iterations >= options.iterations) return fail(`no convergence in ${options.iterations} iterations`);
    if (!withMatrix) problem.assemble();
    shift = solveShifted(problem, shift, firstShift);
    if (Number.isNaN(shift)) return fail('the stiffness matrix cannot be made positive definite');
    const fraction = problem.limitStep();
    if (!(fraction > 0)) return fail('the Newton step is not a number');
    lastMove = problem.takeStep(fraction);
    shift = shift > SHIFT_FACTOR * firstShift ? shift / SHIFT_FACTOR : 0;
    result.iterations++;
  }
}
