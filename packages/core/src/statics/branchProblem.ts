/** A rod at rest with a parameter, in the form that the branch follower (branch.ts) solves. */

import { factorBand, solveBand } from '../linalg/band.ts';
import { fixUnknown } from '../linalg/bandMatrix.ts';
import { pow } from '../math/rounded/index.ts';
import { findSymmetries, moveRigidly, type RigidMotion } from './neutral.ts';
import type { RestProblem } from './newton.ts';
import type { Verdict } from './search.ts';
import { type SoftenedEdges, solveEdges } from './softenedEdges.ts';

/**
 * Stretch relative to bending that the matrix has on a branch with n edges. Tensions converge by a factor that falls with it: on unstable branches it grows, and
 * reaches 1 for a localized buckle at 1e3. Stiffer stretch makes Newton's method converge from a smaller distance: a plane elastica whose
 * pin moves is lost at 1e5. On fine rods rounding sets the limit: the softest mode is 100/n⁴ of the stiffest, and keeps two digits.
 */
export function stiffOnBranch(edgeCount: number): number {
  return Math.max(10, Math.min(1e4, 1e15 / pow(edgeCount, 4)));
}

/**
 * Force of a rigid motion that counts as rounding, per edge and relative to the largest terms of its row. Rounding of positions changes edges
 * by that much, and forces by the square root of the ratio of the stiffest to the softest unknown more.
 */
const NEUTRAL = 1e-14;

/** Saved states of a rod: the last point of the branch, and the state before a trial. */
export type BranchPlace = 'point' | 'trial';

/** What following a branch needs from a model for one rod. Its pins and loads are those at time `stage.t`. */
export interface BranchRod {
  readonly rest: RestProblem;
  readonly stage: { t: number };
  readonly closed: boolean;
  /** Absent: tensions converge linearly. */
  readonly edges?: SoftenedEdges;
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
  /**
   * Computes right-hand side and matrix, and factors the matrix for any signs of its pivots. `place`: motions that nothing opposes are found at equilibria
   * only, because forces that are not balanced turn with the rod. Returns an error, or ''.
   */
  linearize(place: 'equilibrium' | 'between'): string;
  /**
   * Solves with that matrix, in place; prescribed unknowns of the right-hand side must be zero. `errors`: those of the edges' lengths, which become what
   * `takeStep` needs.
   */
  solve(x: Float64Array, errors: Float64Array): void;
  /** Errors of the edges' lengths at the last evaluation [m]. */
  readonly edgeErrors: Float64Array;
  /** Motions that nothing opposes, at the state of that matrix: the component of a solution along them is arbitrary. */
  readonly neutral: readonly Float64Array[];
  moveFree(fraction: number): void;
  hold(place: BranchPlace): void;
  revert(place: BranchPlace): void;
  judge(): Verdict;
  finish(): void;
}

/** Picks as many unknowns as there are motions, one that each of them moves: holding these stops the motions and exerts no force. */
function chooseHeld(motions: readonly Float64Array[], isAngle: (d: number) => boolean, length: number): number[] {
  const held: number[] = [];
  const rows = motions.map((z) => z.map((value, d) => (isAngle(d) ? length * value : value)));
  for (const [k, row] of rows.entries()) {
    let largest = 0;
    for (let d = 1; d < row.length; d++) if (Math.abs(row[d]) > Math.abs(row[largest])) largest = d;
    if (row[largest] === 0) continue;
    held.push(largest);
    for (const other of rows.slice(k + 1)) {
      const factor = other[largest] / row[largest];
      for (let d = 0; d < row.length; d++) other[d] -= factor * row[d];
      other[largest] = 0;
    }
  }
  return held;
}

/** The tangent stiffness at the current state. */
interface Tangent {
  readonly neutral: readonly Float64Array[];
  /** Factors the assembled matrix. */
  factor(place: 'equilibrium' | 'between'): void;
  solve(x: Float64Array): void;
}

function createTangent(rod: BranchRod): Tangent {
  const { rest } = rod;
  const { matrix, factor, step, fixed } = rest;
  let isGeneral = false;
  /** Unknowns held against neutral motions. */
  let held: readonly number[] = [];
  /** Rigid motions that nothing opposed at the last equilibrium. */
  let symmetries: readonly RigidMotion[] = [];
  /** Between equilibria, forces that are not balanced turn with the rod: only whether they act along a motion shows that it is opposed. */
  const findNeutral = (place: 'equilibrium' | 'between'): readonly Float64Array[] => {
    if (place === 'equilibrium') symmetries = findSymmetries(rest, NEUTRAL * rest.edgeCount);
    const motions = moveRigidly(rest, symmetries);
    const { extent, internal } = rest.measureSize();
    const rounding = 10 * rest.edgeCount * rest.roundingForce(extent, internal);
    return motions.filter((z) => Math.abs(z.reduce((sum, value, d) => sum + value * step[d], 0)) <= rounding);
  };
  const tangent = {
    neutral: [] as readonly Float64Array[],
    factor(place: 'equilibrium' | 'between'): void {
      isGeneral = rod.loadsDependOnState && rod.measureLoads() > 1e-12 && !rod.closed;
      tangent.neutral = [];
      held = [];
      if (isGeneral) return;
      if (rod.loadsDependOnState) rod.subtractSymmetricPart();
      for (let d = 0; d < fixed.length; d++) if (fixed[d]) fixUnknown(matrix, d);
      tangent.neutral = findNeutral(place);
      held = rod.closed ? [] : chooseHeld(tangent.neutral, rest.isAngle, rest.length);
      for (const d of held) fixUnknown(matrix, d);
      // a free motion may have no stiffness, such as a buckle that slides round a ring; otherwise a shift would only slow down convergence along soft modes
      factorBand(factor, matrix, held.length > 0 ? 0 : rest.zeroShift, rest.softScale, 'count-negative');
    },
    solve(x: Float64Array): void {
      for (const d of held) x[d] = 0;
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
  };
  return tangent;
}

export function createBranchProblem(rod: BranchRod): BranchProblem {
  const { rest, stage, edges } = rod;
  const times = { point: stage.t, trial: stage.t };
  const tangent = createTangent(rod);
  return {
    ...rest,
    get parameter() {
      return stage.t;
    },
    get neutral() {
      return tangent.neutral;
    },
    edgeErrors: edges?.error ?? new Float64Array(0),
    place(t) {
      stage.t = t;
      return rod.place(t);
    },
    evaluateRight: () => rod.evaluate(false),
    linearize(place) {
      const trouble = rest.follow() || rod.evaluate(true);
      if (!trouble) tangent.factor(place);
      return trouble;
    },
    solve(x, errors) {
      tangent.solve(x);
      if (edges) solveEdges(edges, tangent.solve, x, errors);
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
