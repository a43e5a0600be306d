/** The report on a step of one rod, and the range of a bundle's parts that a call steps. */
import type { NewtonResult } from '../statics/search.ts';

/** Report on the step of one rod, or of rods that are solved together. */
export interface RodStep {
  ok: boolean;
  iterations: number;
  iterationsMax: number;
  shifts: number;
  /** Why it failed. */
  reason: string;
}

/** Adds a solve to the report of a step. Returns whether it converged. */
export function addSolve(out: RodStep, { converged, iterations, shifts, reason }: NewtonResult): boolean {
  out.iterations += iterations;
  out.iterationsMax = Math.max(out.iterationsMax, iterations);
  out.shifts += shifts;
  if (!converged) out.reason = reason;
  return converged;
}

/** Consecutive parts of a bundle: `from` and those after it, without `to`. */
export interface PartRange {
  readonly from: number;
  readonly to: number;
}
