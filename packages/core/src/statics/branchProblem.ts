/** A rod at rest with a parameter, as the follower of branches solves for it. */
import { factorBand, fixUnknown, solveBand } from '../linalg/band.ts';
import type { RestProblem } from './newton.ts';
import type { Verdict } from './search.ts';

/** Where a rod is remembered: the last point of the branch, and the state before a trial. */
export type BranchPlace = 'point' | 'trial';

/** What following a branch asks of a model about one rod. Its pins and loads are those at time `stage.t`. */
export interface BranchRod {
  readonly rest: RestProblem;
  readonly stage: { t: number };
  readonly closed: boolean;
  /** Pins to where they are at t, the free unknowns untouched. Returns why that cannot be, or ''. */
  place(t: number): string;
  /** Loads and the right side of Newton's equations into `rest.step`, on request its matrix. Returns why that cannot be, or ''. */
  evaluate(withMatrix: boolean): string;
  readonly loadsFollow: boolean;
  /** Derivative of loads that follow the rod; returns how far it is from symmetric, relative to its size. */
  measureLoads(): number;
  /** Takes its symmetric part from the matrix; or solves with the whole matrix for `rest.step`, in place. */
  subtractSymmetricPart(): void;
  solveUnsymmetric(): void;
  hold(place: BranchPlace): void;
  /** Pins are then those at t. */
  revert(place: BranchPlace, t: number): void;
  judge(t: number): Verdict;
  /** At rest: samples are there, and no velocity or acceleration is left. */
  finish(): void;
}

export interface BranchProblem extends RestProblem {
  readonly parameter: number;
  place(t: number): string;
  /** The right side of Newton's equations into `step`, without a matrix. Returns why that cannot be, or ''. */
  evaluateRight(): string;
  /** Right side and matrix, factored whatever the signs of its pivots. Returns why that cannot be, or ''. */
  linearize(): string;
  /** Solves with that matrix, in place; prescribed unknowns of the right side must be zero. */
  solve(x: Float64Array): void;
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
  const factorTangent = (): void => {
    isGeneral = rod.loadsFollow && rod.measureLoads() > 1e-12 && !rod.closed;
    if (isGeneral) return;
    if (rod.loadsFollow) rod.subtractSymmetricPart();
    for (let d = 0; d < fixed.length; d++) if (fixed[d]) fixUnknown(matrix, d);
    // rigid motion and free spin have no stiffness: a shift far below the softest mode changes nothing else
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
        return;
      }
      const kept = step.slice();
      step.set(x);
      rod.solveUnsymmetric();
      x.set(step);
      if (x !== step) step.set(kept);
    },
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
