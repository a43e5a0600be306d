/** Options of each model, a file each: what is special to a model stays in its own options. */
import type { CosseratOptions } from './cosserat.ts';
import type { DerOptions } from './der.ts';
import type { FiberOptions } from './fiber.ts';
import type { HelixOptions } from './helix.ts';
import type { MassSpringOptions } from './massspring.ts';
import type { StrandOptions } from './strand.ts';

export type * from './cosserat.ts';
export type * from './der.ts';
export type * from './fiber.ts';
export type * from './helix.ts';
export type * from './massspring.ts';
export type * from './strand.ts';

export interface SolverSpec {
  readonly der?: DerOptions;
  readonly helix?: HelixOptions;
  readonly strand?: StrandOptions;
  readonly fiber?: FiberOptions;
  readonly cosserat?: CosseratOptions;
  readonly massspring?: MassSpringOptions;
}
