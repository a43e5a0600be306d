/**
 * Stops a study when the mean of a quantity is known well enough. Runs are made in blocks, and the decision is taken after whole
 * blocks only, so that it does not depend on which worker was faster.
 */
import type { Outcome } from './run/execute.ts';
import { readOutcomes, type Store } from './store/store.ts';
import type { Study } from './study/planTypes.ts';
import type { Runs } from './study/runs.ts';

export interface Convergence {
  readonly blocks: readonly { readonly from: number; readonly to: number }[];
  add(position: number, outcome: Outcome): void;
  /** After all runs before this position. */
  isConverged(position: number): boolean;
}

/** 97.5 % quantile of the normal distribution. */
const confidence = 1.96;

/** Undefined if the study has no such rule. */
export async function createConvergence(study: Study, runs: Runs, store: Store): Promise<Convergence | undefined> {
  const rule = study.file.stop?.converged;
  if (!rule) return undefined;
  const { every = 64, tolerance } = rule;
  const column = study.plan.quantities.findIndex(({ name }) => name === rule.quantity);
  const values = new Float64Array(runs.count).fill(Number.NaN);
  const add = (position: number, { rows }: Outcome): void => {
    const cell = rows.at(-1)?.cells[column];
    if (typeof cell === 'number') values[position] = cell;
  };
  if (store.done > 0)
    for await (const outcome of readOutcomes(store.folder)) {
      const position = runs.position(outcome.hash);
      if (position !== undefined) add(position, outcome);
    }
  const blocks = Array.from({ length: Math.ceil(runs.count / every) }, (_, k) => ({
    from: k * every,
    to: Math.min((k + 1) * every, runs.count),
  }));
  return { blocks, add, isConverged: (position) => isMeanKnown(values.subarray(0, position), tolerance) };
}

/** Half-width of the confidence interval against the mean; runs without a value are left out. */
export function isMeanKnown(values: Float64Array, tolerance: number): boolean {
  let [count, mean, sum] = [0, 0, 0];
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    count++;
    const delta = value - mean;
    mean += delta / count;
    sum += delta * (value - mean);
  }
  if (count < 2) return false;
  return confidence * Math.sqrt(sum / (count - 1) / count) <= tolerance * Math.abs(mean);
}
