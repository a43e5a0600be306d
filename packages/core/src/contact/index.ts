/** Contact, obstacles and links as one object that is passed to a world; a world without it bundles none of their code. */
import { warnUnmet } from './check.ts';
import { createContactWorld } from './contactWorld.ts';
import { createContinuum } from './continuum.ts';
import { seekWithContact } from './rest/equilibrium.ts';
import { relaxationTolerance } from './rest/relax.ts';
import { holdScene } from './rest/stillTime.ts';
import { compileColliders } from './shapes/compileCollider.ts';

/** Contact as a component of a world. */
export interface ContactModule {
  readonly compileColliders: typeof compileColliders;
  readonly warnUnmet: typeof warnUnmet;
  readonly createContactWorld: typeof createContactWorld;
  readonly createContinuum: typeof createContinuum;
  readonly holdScene: typeof holdScene;
  readonly seekWithContact: typeof seekWithContact;
  readonly relaxationTolerance: number;
}

/** Contact and links, for `createWorld` of `@tendril-sim/core/world`. */
export const contact: ContactModule = {
  compileColliders,
  warnUnmet,
  createContactWorld,
  createContinuum,
  holdScene,
  seekWithContact,
  relaxationTolerance,
};
