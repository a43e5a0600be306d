/** Contact, obstacles and links as one object that is passed to a world; a world without it bundles none of their code. */
import { warnUnmet } from './check.ts';
import { createContactWorld } from './contactWorld.ts';
import { createContinuum } from './continuum.ts';
import { compileColliders } from './shapes/compileCollider.ts';

/** Contact as a component of a world. */
export interface ContactModule {
  readonly compileColliders: typeof compileColliders;
  readonly warnUnmet: typeof warnUnmet;
  readonly createContactWorld: typeof createContactWorld;
  readonly createContinuum: typeof createContinuum;
}

/** Contact and links, for `createWorld` of `@tendril-sim/core/world`. */
export const contact: ContactModule = { compileColliders, warnUnmet, createContactWorld, createContinuum };
