/**
 * The budget of a step: the largest number of substeps that may be tried, by the world and all islands together, and a way to cancel the step.
 *
 * The world, islands and rods halve a step that fails, one inside the other. `halvingsLeft` limits the depth of all halvings together. The budget
 * limits the number of substeps, so that a step ends in bounded time: if necessary with an error that leaves the world as it was.
 */
import type { WorldOptions } from '../engine.ts';
import { SimulationError, StoppedError } from '../errors.ts';

export interface StepBudget {
  /** Starts a step of the world. */
  begin(t: number, dt: number): void;
  /** Called before a substep that begins at t. Throws SimulationError beyond the limit, StoppedError if `onSubstep` requests it. */
  spend(t: number): void;
  /** Called before a model tries a substep. Throws StoppedError if `onSubstep` requests it; models limit their substeps themselves. */
  ask(t: number): void;
}

/** `rods`: there are at most as many islands as rods, and each may need several substeps. */
export function createStepBudget({ onSubstep }: WorldOptions, halvings: number, rods: number): StepBudget {
  const limit = 2 ** halvings * (4 + rods);
  let start = 0;
  let length = 0;
  let attempts = 0;
  const ask = (t: number): void => {
    if (onSubstep?.({ time: t, start, dt: length, attempts }) === true) throw new StoppedError(start);
  };
  return {
    ask,
    begin(t, dt) {
      start = t;
      length = dt;
      attempts = 0;
    },
    spend(t) {
      attempts++;
      ask(t);
      if (attempts > limit)
        throw new SimulationError(
          '',
          start,
          `the step at t = ${start} s failed: after ${limit} substeps it has only reached t = ${t} s`,
          `try a smaller time.step than ${length}, or some damping`,
        );
    },
  };
}
