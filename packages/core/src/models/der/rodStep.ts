/** What a rod's step starts from, and what it took. */
import type { TwistStart } from './slip.ts';
import type { Snapshot } from './snapshot.ts';

export interface RodStep {
  ok: boolean;
  iterations: number;
  iterationsMax: number;
  shifts: number;
  reason: string;
}

/** Where a rod's step began. */
export type StepStart = Pick<Snapshot, 'v'> & TwistStart;
