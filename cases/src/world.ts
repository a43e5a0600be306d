/**
 * How cases make their worlds. `@tendril-sim/cases` sets the `createWorld` of `@tendril-sim/core`, which has all models; the studio imports the
 * files of single cases and sets its own, which has the models it has fetched.
 */
import type { Scene, World, WorldOptions } from '@tendril-sim/core';

type CreateWorld = (scene: Scene, options?: WorldOptions) => World;

let create: CreateWorld | undefined;

export function setCreateWorld(createWorld: CreateWorld): void {
  create = createWorld;
}

export function createWorld(scene: Scene, options?: WorldOptions): World {
  if (!create) throw new Error('cases have no worlds yet: import @tendril-sim/cases, or call setCreateWorld');
  return create(scene, options);
}
