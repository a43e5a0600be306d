/**
 * Worlds of the studio: each model is fetched when a scene first names it. Most scenes use one of six, and all of them are a third
 * of the worker.
 */
import type { Model, Scene, World, WorldOptions } from '@tendril-sim/core';
import { contact } from '@tendril-sim/core/contact';
import { createWorld as createWorldOf } from '@tendril-sim/core/world';

const files = import.meta.glob<Record<string, unknown>>([
  '../../../core/src/models/*/index.ts',
  '../../../core/src/batch/model.ts',
]);

/** Stands for the batch backend of `der` among the names of models. */
const BATCH = 'batch';

const fileOf = (name: string): string =>
  `../../../core/src/${name === BATCH ? 'batch/model' : `models/${name}/index`}.ts`;

const fetched = new Map<string, Model>();

const isModel = (value: unknown): value is Model =>
  typeof value === 'object' && value !== null && 'compile' in value && 'id' in value;

/** Fetches models that are not there yet; names of models that do not exist are left to the world to refuse. */
export async function fetchModels(names: Iterable<string>): Promise<void> {
  const missing = [...new Set(names)].filter((name) => !fetched.has(name));
  await Promise.all(
    missing.map(async (name) => {
      const file = await files[fileOf(name)]?.();
      const model = Object.values(file ?? {}).find(isModel);
      if (model) fetched.set(name, model);
    }),
  );
}

/** Models that a scene needs, under the variants that are shown; what is cut off a rod may go on as `der`. */
export function modelsOf(scene: Scene, variants: readonly { readonly id: string }[]): string[] {
  const named = variants.flatMap(({ id }) =>
    id === '' ? scene.rods.map(({ model = 'der' }) => model) : id.split('/')[0],
  );
  return [...named, 'der', ...(scene.solver?.der?.backend === 'batch' ? [BATCH] : [])];
}

/** A world with the models that were fetched. */
export function createWorld(scene: Scene, options: WorldOptions = {}): World {
  return createWorldOf(scene, { contact, models: [...fetched.values()], ...options });
}
