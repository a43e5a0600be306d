/** The world with everything that this package has: all models, and contact. */
import { batchModel } from '../batch/model.ts';
import { contact } from '../contact/index.ts';
import type { WorldOptions } from '../engine.ts';
import { models } from '../models/index.ts';
import type { Scene } from '../scene/types.ts';
import { createWorld as createWorldOf } from './create.ts';
import type { World } from './types.ts';

export type { World } from './types.ts';

/**
 * Compiles a scene to a world that knows all models and contact; `options.models` come before the built-in ones of the same id. Throws
 * SceneError, with the path of the field, if something is wrong with the scene.
 */
export function createWorld(scene: Scene, options: WorldOptions = {}): World {
  return createWorldOf(scene, { contact, ...options, models: [...(options.models ?? []), ...models, batchModel] });
}
