/** The report on a step of one rod, and the range of a bundle's parts that a call steps. */
import type { BundleStep } from '../model.ts';
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

/** A step of some parts of a bundle. */
export interface PartsStep extends BundleStep {
  /** The range of parts that are stepped. */
  readonly from: number;
  readonly to: number;
}
