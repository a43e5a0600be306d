/** Newton's method for one implicit step of a strand (step.ts): directions by the exact matrix, and a line search along them. */
import { prepareConstraints } from './constraints.ts';
import { meetConstraints } from './meetConstraints.ts';
import { roundingOf, sizeOf, turnsFar } from './merit.ts';
import { factorShifted, factorSweep, solveSweep } from './newton.ts';
import { writeNumericDirection } from './numeric.ts';
import { evaluateResidual } from './residual.ts';
import type { StrandTree } from './rod.ts';
import { formula, placeTrial, type StepWork } from './trial.ts';

export interface SolveOptions {
  /** Newton stops when no joint turns by more [rad], or would in the next iteration. */
  readonly tolerance: number;
  readonly iterations: number;
  /** Newton's matrix by differences. */
  readonly numeric: boolean;
  /** True to start with the matrix that is there. */
  readonly start?: boolean;
  /** True to replace directions that turn a joint far, if the matrix is indefinite, by directions of descent. */
  readonly guarded?: boolean;
}

/** Prepares Newton's method for one step: sizes, matrix columns and the residual at `work.phi`. */
function startNewton(tree: StrandTree, work: StepWork, t: number): void {
  const rows = tree.constraints?.count ?? 0;
  if (work.lambda.length !== rows) {
    work.lambda = new Float64Array(rows);
    work.lambdaNext = new Float64Array(rows);
  }
  work.sweep.columns = tree.departure ? 6 : 18;
  work.sweep.coefficient = formula.c0 / formula.h;
  placeTrial(tree, work, work.phi, 'slopes');
  evaluateResidual(tree, t, tree.originRate, 'new-time');
  if (tree.constraints) prepareConstraints(tree.constraints, tree, formula.h);
}

/** Writes Newton's direction at φ, with the existing matrix if `keep`; returns false if there is no direction. */
function writeDirection(tree: StrandTree, work: StepWork, t: number, options: SolveOptions, keep: boolean): boolean {
  const { direction, sweep, lambda, lambdaNext } = work;
  const { constraints, residual, linkCount } = tree;
  if (options.numeric && !constraints) return writeNumericDirection(direction, tree, work, work.phi, t);
  if (!keep && !factorSweep(tree, sweep, 0)) return false;
  solveSweep(direction, tree, sweep, { residual });
  if (options.guarded && sweep.negative > 0 && turnsFar(direction, linkCount)) {
    if (!factorShifted(tree, sweep)) return false;
    solveSweep(direction, tree, sweep, { residual });
  }
  if (!constraints) return true;
  lambda.set(constraints.force);
  return meetConstraints(direction, lambdaNext, constraints, tree, sweep);
}

/** How far a direction turns joints [rad], and the larger of that and how far it moves the base, relative to the reach. */
function measureDirection(
  { linkCount, reach }: StrandTree,
  direction: Float64Array,
): { readonly turned: number; readonly largest: number } {
  let turned = 0;
  for (let k = 0; k < 3 * linkCount; k++) turned = Math.max(turned, Math.abs(direction[k]));
  let moved = 0;
  for (let k = 3 * linkCount; k < 3 * linkCount + 3; k++) moved = Math.max(moved, Math.abs(direction[k]) / reach);
  return { turned, largest: Math.max(turned, moved) };
}

/** Halves the step along the direction until the merit falls. Leaves the tree at `work.trial`; undefined if no step is better. */
function searchAlong(
  tree: StrandTree,
  work: StepWork,
  t: number,
  options: SolveOptions,
  { turned, largest, merit }: { readonly turned: number; readonly largest: number; readonly merit: number },
): { readonly share: number; readonly merit: number } | undefined {
  const { phi, trial, direction, lambda, lambdaNext } = work;
  const { constraints } = tree;
  const natural = !constraints && !options.numeric;
  let share = Math.min(1, 1 / turned);
  for (let cut = 0; cut < 12; cut++) {
    for (let k = 0; k < 3 * tree.linkCount + 3; k++) trial[k] = phi[k] + share * direction[k];
    if (constraints) {
      for (let r = 0; r < constraints.count; r++)
        constraints.force[r] = (1 - share) * lambda[r] + share * lambdaNext[r];
    }
    placeTrial(tree, work, trial, 'slopes');
    evaluateResidual(tree, t, tree.originRate, 'same-time');
    const next = sizeOf(tree);
    if (next <= merit * (1 - 1e-4 * share) || next <= roundingOf(tree)) return { share, merit: next };
    // at the floor of rounding a full step is as good as it gets
    if (largest < options.tolerance) return { share, merit };
    if (natural && share * largest < NATURAL && isNearer(tree, work, share, largest)) return { share, merit: next };
    share *= 0.5;
  }
  return undefined;
}

/**
 * Newton for one step to time t; φ starts as it is in `work.phi`. Returns the iterations, negative when it failed.
 */
export function solveStep(tree: StrandTree, work: StepWork, t: number, options: SolveOptions): number {
  const { phi, trial, direction, sweep } = work;
  startNewton(tree, work, t);
  const { constraints } = tree;
  let merit = sizeOf(tree);
  // unchanged forces need no iteration
  if (!constraints && merit <= roundingOf(tree)) return 0;
  let before = 0;
  let keep = options.start === true && !constraints;
  for (let iteration = 1; iteration <= options.iterations; iteration++) {
    if (!(merit < Number.POSITIVE_INFINITY)) return -iteration;
    if (!writeDirection(tree, work, t, options, keep)) return -iteration;
    const { turned, largest } = measureDirection(tree, direction);
    if (!(largest < Number.POSITIVE_INFINITY)) return -iteration;
    const step = searchAlong(tree, work, t, options, { turned, largest, merit });
    if (!step) {
      if (!keep) return -iteration;
      // the matrix that was kept is to blame
      keep = false;
      placeTrial(tree, work, phi, 'slopes');
      evaluateResidual(tree, t, tree.originRate, 'same-time');
      continue;
    }
    const { share } = step;
    ({ merit } = step);
    phi.set(trial);
    sweep.drift += share * largest;
    // the next direction shrinks at the least as this one did; near the solution, by the square
    if (share === 1 && largest < Math.max(options.tolerance, SHRINK * before)) {
      if (largest < options.tolerance || largest * largest < options.tolerance * before) return iteration;
    }
    if (merit <= roundingOf(tree)) return iteration;
    keep = !constraints && share === 1 && largest < KEEP && !(keep && largest > 0.3 * before);
    before = share === 1 ? largest : 0;
  }
  return -options.iterations;
}

/**
 * True if the direction at the trial point, with the same matrix, is shorter: the natural monotonicity test [Deuflhard2011 §3.3]. Residuals are no
 * measure: a curved hair that twists swings its end by the square of the angle, and inertia over h² makes a residual larger than before, although the
 * next iteration removes it. Judged by residuals alone, Newton took hundredths of its directions along such valleys, and less the shorter the step:
 * of 60 scenes of two hairs on the edge of a box some had steps of 20 to 55 substeps, and one did not finish; now they are subdivided about as often as
 * with `der`.
 */
function isNearer(tree: StrandTree, { next, sweep }: StepWork, share: number, largest: number): boolean {
  solveSweep(next, tree, sweep, { residual: tree.residual });
  return measureDirection(tree, next).largest <= (1 - 0.25 * share) * largest;
}

/** Largest rotation of a joint for which that test is trusted [rad]. */
const NATURAL = 0.2;

/** Factor by which a direction must shrink for the next one to be predicted. */
const SHRINK = 0.1;

/** After a direction smaller than this [rad] the matrix is reused: its relative error is the factor by which the next direction shrinks. */
const KEEP = 5e-4;
