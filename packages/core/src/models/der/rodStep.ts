/** Start of a rod's step, and its statistics. */
import type { TwistStart } from './slip.ts';
import type { Snapshot } from './snapshot.ts';

export interface RodStep {
  ok: boolean;
  iterations: number;
  iterationsMax: number;
  shifts: number;
  reason: string;
}

/** Start of a rod's step. */
export type StepStart = Pick<Snapshot, 'v'> & TwistStart;
