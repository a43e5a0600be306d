/** Options of each model, a file each: what is special to a model stays in its own options. */
import type { DerOptions } from './der.ts';
import type { StrandOptions } from './strand.ts';

export type * from './der.ts';
export type * from './strand.ts';

export interface SolverSpec {
  readonly der?: DerOptions;
  readonly strand?: StrandOptions;
}
