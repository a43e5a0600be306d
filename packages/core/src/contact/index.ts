/** Contact, obstacles and links as one object that is passed to a world; a world without it bundles none of their code. */
import { compileLinks } from '../scene/links.ts';
import { expandWeaves } from '../scene/weave.ts';
import { warnUnmet } from './check.ts';
import { createContactWorld } from './contactWorld.ts';
import { createContinuum } from './continuum.ts';
import { createCornerWatch } from './corners.ts';
import { seekWithContact } from './rest/equilibrium.ts';
import { relaxationTolerance } from './rest/relax.ts';
import { holdScene } from './rest/stillTime.ts';
import { compileColliders } from './shapes/compileCollider.ts';

/** Contact as a component of a world. */
export interface ContactModule {
  readonly expandWeaves: typeof expandWeaves;
  readonly compileLinks: typeof compileLinks;
  readonly compileColliders: typeof compileColliders;
  readonly warnUnmet: typeof warnUnmet;
  readonly createContactWorld: typeof createContactWorld;
  readonly createContinuum: typeof createContinuum;
  readonly createCornerWatch: typeof createCornerWatch;
  readonly holdScene: typeof holdScene;
  readonly seekWithContact: typeof seekWithContact;
  readonly relaxationTolerance: number;
}

/** Contact and links, for `createWorld` of `@tendril-sim/core/world`. */
export const contact: ContactModule = {
  expandWeaves,
  compileLinks,
  compileColliders,
  warnUnmet,
  createContactWorld,
  createContinuum,
  createCornerWatch,
  holdScene,
  seekWithContact,
  relaxationTolerance,
};
