/**
 * The Newton method of mixed problems: positions and rotations together with the forces of edges, which are condensed out of the matrix.
 * Implicit stages of `der`, of `cosserat` and of rods that are welded to bodies are solved here; each says what its equations are.
 *
 * A matrix that is not positive definite is shifted by σ·diag(stiffness scale): σ × 4 until it factors, ÷ 4 after each step. After a small
 * move the residual is evaluated without the matrix, because it will most likely be small enough. Equilibria have a Newton method of their
 * own, with a finer test of convergence (statics/newton.ts).
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
  /** With bodies and loads that follow: takes the shift back, see der/coupledFollow.ts. */
  readonly unshift?: boolean;
}

/** The equations of one stage. Methods that return text return why they failed, or ''. */
export interface MixedProblem {
  /** After a move below this, relative to edges, the residual is evaluated without the matrix. */
  readonly smallMove: number;
  /** Brings up to date what follows from the unknowns: frames, strains, velocities. Loads that do not depend on them only if `isFirst`. */
  pose(isFirst: boolean): string;
  /** Residual, and the matrix if asked for. */
  evaluate(withMatrix: boolean): string;
  /** Whether the residual is small enough; writes it and its tolerance. */
  hasConverged(result: NewtonResult): boolean;
  /** The matrix where the unknowns are. */
  assemble(): void;
  /** Writes the right side and fixes prescribed unknowns. True: the step is found already, without the symmetric matrix. */
  prepare?(): boolean;
  /** Finds the step with the shifted matrix; false if that is not positive definite. `attempt` counts from 0. */
  solve(shift: number, attempt: number): boolean;
  /** Fraction of the step that turns nothing too far; not positive if the step is not a number. */
  limitStep(): number;
  /** Moves the unknowns by a fraction of the step; returns the largest move, relative to edges. */
  takeStep(fraction: number): number;
}

const result: NewtonResult = { converged: false, iterations: 0, shifts: 0, residual: 0, tolerance: 0, reason: '' };

function fail(reason: string): NewtonResult {
  result.reason = reason;
  return result;
}

/** Finds the step of one iteration, shifting the matrix as far as needed. Returns the shift, or NaN if none is enough. */
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
 * Solves the stage from where the unknowns are, with prescribed ones in place. On success they are those of the solution; on failure they are
 * wherever the iteration stopped, and the caller restores them. The returned object is reused by the next call.
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
