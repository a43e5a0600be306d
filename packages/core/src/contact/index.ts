/** Contact, obstacles and links as one object that is passed to a world; a world without it bundles none of their code. */
import { compileLinks } from '../scene/links.ts';
import { expandWeaves } from '../scene/weave.ts';
import { createBuriedPinWatch } from './buriedPins.ts';
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
  /** Turns weaves into rods and links. */
  readonly expandWeaves: typeof expandWeaves;
  /** Compiles the links of a scene. */
  readonly compileLinks: typeof compileLinks;
  /** Compiles the colliders of a scene. */
  readonly compileColliders: typeof compileColliders;
  /** Warns about colliders on bodies beside other colliders, since colliders do not act on each other. */
  readonly warnUnmet: typeof warnUnmet;
  /** Creates the solver that steps rods in contact. */
  readonly createContactWorld: typeof createContactWorld;
  /** Creates the continuum for dense hair. */
  readonly createContinuum: typeof createContinuum;
  /** Creates the audit of pins that obstacles swallow. */
  readonly createBuriedPinWatch: typeof createBuriedPinWatch;
  /** Creates the audit of corners between edges that resist sliding. */
  readonly createCornerWatch: typeof createCornerWatch;
  /** Holds pins, loads and obstacles at one instant, to find equilibria. */
  readonly holdScene: typeof holdScene;
  /** Finds equilibria with contact. */
  readonly seekWithContact: typeof seekWithContact;
  /** Contact tolerance in the search for equilibria. */
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
  createBuriedPinWatch,
  createCornerWatch,
  holdScene,
  seekWithContact,
  relaxationTolerance,
};
