/** Entry to the solution of an island: its impulses, and the step of its systems under them. README.md explains the method. */
import type { ContactPort, StepOutcome } from '../../model.ts';
import type { Rod } from '../../scene/compiled.ts';
import { createActiveContacts, solveWithActiveContacts } from './activeSolve.ts';
import { isFrictionless } from './frictionless.ts';
import { solveWithAllContacts } from './fullSolve.ts';
import { type IslandProblem, type IslandRounds, type SolveOptions, velocityScale } from './islandRound.ts';
import type { ImpulseResult } from './sideArrays.ts';
import { portsOf, type SideLayout } from './sides.ts';

export interface IslandSolver {
  /** How the last island was solved; iterations are summed over all rounds. */
  readonly result: ImpulseResult;
  /** True if the last island was solved roughly, so that the caller must solve it again. */
  readonly needsRecheck: boolean;
  /** True if the rods of the last island moved, within a tolerance, as its impulses were computed for. */
  readonly isNearPrediction: boolean;
  /** Reference velocity for errors [m/s]. */
  scaleOf(dt: number): number;
  solve(problem: IslandProblem): StepOutcome;
}

/** True if models can solve for a subset of the contacts: all models by a guess of the step, or all by selecting linearized sides. */
export function canSelectContacts(ports: readonly ContactPort[]): boolean {
  return ports.every((port) => port.guess !== undefined) || ports.every((port) => port.selective === true);
}

export function createIslandSolver(layout: SideLayout, rods: readonly Rod[], options: SolveOptions): IslandSolver {
  const rounds: IslandRounds = {
    layout,
    rods,
    options,
    total: { iterations: 0, error: 0, admissible: 0, converged: true },
    last: { iterations: 0, error: 0, admissible: 0, converged: true },
    outcome: { iterations: 0, iterationsMax: 0, shifts: 0 },
    unfinished: false,
    isNearPrediction: true,
  };
  const active = createActiveContacts();
  let needsRecheck = false;
  return {
    result: rounds.total,
    scaleOf: (dt) => velocityScale(layout, dt),
    get needsRecheck() {
      return needsRecheck;
    },
    get isNearPrediction() {
      return rounds.isNearPrediction;
    },
    solve(problem) {
      needsRecheck = false;
      rounds.isNearPrediction = true;
      Object.assign(rounds.total, { iterations: 0, error: 0, admissible: 0, converged: true });
      Object.assign(rounds.outcome, { iterations: 0, iterationsMax: 0, shifts: 0 });
      const ports = options.solver === 'admm' && !problem.links ? portsOf(layout, problem.contacts) : undefined;
      if (!ports || !canSelectContacts(ports)) return solveWithAllContacts(rounds, problem);
      const axes = ports.every(({ directed }) => directed) && isFrictionless(problem.contacts) ? 1 : 3;
      const solved = solveWithActiveContacts(rounds, active, problem, axes);
      ({ needsRecheck } = solved);
      return solved.outcome;
    },
  };
}
