/** The world with everything that this package has: all models, and contact. */
import { batchModel } from '../batch/model.ts';
import { contact } from '../contact/index.ts';
import type { WorldOptions } from '../engine.ts';
import { animation, paths, wind } from '../features.ts';
import { models } from '../models/index.ts';
import type { Scene } from '../scene/types.ts';
import { createWorld as createWorldOf } from './create.ts';
import type { World } from './types.ts';

export type { World } from './types.ts';

/**
 * Compiles a scene to a world that has all models and contact; `options.models` take precedence over built-in ones with the same id. Throws
 * SceneError, with the path of the field, if the scene is invalid.
 */
export function createWorld(scene: Scene, options: WorldOptions = {}): World {
  return createWorldOf(scene, {
    contact,
    animation,
    wind,
    paths,
    ...options,
    models: [...(options.models ?? []), ...models, batchModel],
  });
}
