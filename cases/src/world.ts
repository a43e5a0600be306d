/**
 * How cases make their worlds. `@tendril-sim/cases` sets the `createWorld` of `@tendril-sim/core`, which has all models; the studio imports the
 * files of single cases and sets its own, which has the models it has fetched.
 */
import type { Scene, World, WorldOptions } from '@tendril-sim/core';

type CreateWorld = (scene: Scene, options?: WorldOptions) => World;

let create: CreateWorld | undefined;

/** Sets the function by which cases create their worlds; it decides which models they can use. */
export function setCreateWorld(createWorld: CreateWorld): void {
  create = createWorld;
}

/** Creates a world by the function that was set. Throws if none was. */
export function createWorld(scene: Scene, options?: WorldOptions): World {
  if (!create) throw new Error('cases have no worlds yet: import @tendril-sim/cases, or call setCreateWorld');
  return create(scene, options);
}
