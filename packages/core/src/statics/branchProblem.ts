/** A rod at rest with a parameter, in the form that the branch follower (branch.ts) solves. */

import { factorBand, solveBand } from '../linalg/band.ts';
import { fixUnknown } from '../linalg/bandMatrix.ts';
import { pow } from '../math/rounded/index.ts';
import { findFreeMotions, findNeutralMotions, removeMotions } from './neutral.ts';
import type { RestProblem } from './newton.ts';
import type { Verdict } from './search.ts';

/**
 * Stretch relative to bending that the matrix has on a branch with n edges. Tensions converge by a factor that falls with it: on unstable branches it grows, and
 * reaches 1 for a localized buckle at 1e3. Stiffer stretch makes Newton's method converge from a smaller distance: a plane elastica whose
 * pin moves is lost at 1e5. On fine rods rounding sets the limit: the softest mode is 100/n⁴ of the stiffest, and keeps two digits.
 */
export function stiffOnBranch(edgeCount: number): number {
  return Math.max(10, Math.min(1e4, 1e15 / pow(edgeCount, 4)));
}

/** Saved states of a rod: the last point of the branch, and the state before a trial. */
export type BranchPlace = 'point' | 'trial';

/** What following a branch needs from a model for one rod. Its pins and loads are those at time `stage.t`. */
export interface BranchRod {
  readonly rest: RestProblem;
  readonly stage: { t: number };
  readonly closed: boolean;
  /** Moves pins to time t without changing the free unknowns. Returns the reason if that is impossible, else ''. */
  place(t: number): string;
  /** Computes loads and the right-hand side of Newton's equations into `rest.step`, on request its matrix. Returns an error, or ''. */
  evaluate(withMatrix: boolean): string;
  readonly loadsDependOnState: boolean;
  /** Derivative of follower loads; returns its relative asymmetry. */
  measureLoads(): number;
  /** Subtracts its symmetric part from the matrix; or solves with the whole matrix for `rest.step`, in place. */
  subtractSymmetricPart(): void;
  solveUnsymmetric(): void;
  /** Adds a fraction of `rest.step` to the unknowns; forces of edges stay. */
  moveFree(fraction: number): void;
  hold(place: BranchPlace): void;
  /** Pins are then those at t. */
  revert(place: BranchPlace, t: number): void;
  judge(t: number): Verdict;
  /** Sets the rod at rest: updates samples, clears velocities and accelerations. */
  finish(): void;
}

export interface BranchProblem extends RestProblem {
  readonly parameter: number;
  place(t: number): string;
  /** Computes the right-hand side of Newton's equations into `step`, without a matrix. Returns an error, or ''. */
  evaluateRight(): string;
  /** Computes right-hand side and matrix, and factors it whatever the signs of its pivots. Returns an error, or ''. */
  linearize(): string;
  /** Solves with that matrix, in place; prescribed unknowns of the right-hand side must be zero. */
  solve(x: Float64Array): void;
  moveFree(fraction: number): void;
  hold(place: BranchPlace): void;
  revert(place: BranchPlace): void;
  judge(): Verdict;
  finish(): void;
}

export function createBranchProblem(rod: BranchRod): BranchProblem {
  const { rest, stage } = rod;
  const { matrix, factor, step, fixed } = rest;
  const times = { point: stage.t, trial: stage.t };
  let isGeneral = false;
  const hasFreeMotions = findFreeMotions(rest).length > 0;
  /** Motions that nothing opposes: solutions have no component along them. */
  let neutral: readonly Float64Array[] = [];
  const factorTangent = (): void => {
    isGeneral = rod.loadsDependOnState && rod.measureLoads() > 1e-12 && !rod.closed;
    neutral = [];
    if (isGeneral) return;
    if (rod.loadsDependOnState) rod.subtractSymmetricPart();
    for (let d = 0; d < fixed.length; d++) if (fixed[d]) fixUnknown(matrix, d);
    if (hasFreeMotions) neutral = findNeutralMotions(rest);
    // rigid motion and free spin have no stiffness: a shift far below the softest mode affects nothing else
    factorBand(factor, matrix, rest.zeroShift, rest.softScale, false);
  };
  return {
    ...rest,
    get parameter() {
      return stage.t;
    },
    place(t) {
      stage.t = t;
      return rod.place(t);
    },
    evaluateRight: () => rod.evaluate(false),
    linearize() {
      const trouble = rest.follow() || rod.evaluate(true);
      if (!trouble) factorTangent();
      return trouble;
    },
    solve(x) {
      if (!isGeneral) {
        solveBand(factor, matrix, x);
        removeMotions(neutral, rest, x);
        return;
      }
      const kept = step.slice();
      step.set(x);
      rod.solveUnsymmetric();
      x.set(step);
      if (x !== step) step.set(kept);
    },
    moveFree: (fraction) => rod.moveFree(fraction),
    hold(place) {
      rod.hold(place);
      times[place] = stage.t;
    },
    revert(place) {
      stage.t = times[place];
      rod.revert(place, stage.t);
    },
    judge: () => rod.judge(stage.t),
    finish: () => rod.finish(),
  };
}
