/** Options of each model, a file each: what is special to a model stays in its own options. */
import type { CosseratOptions } from './cosserat.ts';
import type { DerOptions } from './der.ts';

export type * from './cosserat.ts';
export type * from './der.ts';

export interface SolverSpec {
  readonly der?: DerOptions;
  readonly cosserat?: CosseratOptions;
}
