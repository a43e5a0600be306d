/**
 * Core's table of models (core/src/models/index.ts), with each fetched when a scene first names it: most scenes use one of
 * six, and all of them are a third of the worker. The build puts this file in the place of core's.
 */
import type { Model, Scene } from '@tendril/core';
import { fetchBatchModel } from './batchModel.ts';

export const models: Partial<Record<string, Model>> = {
  der: undefined,
  helix: undefined,
  strand: undefined,
  fiber: undefined,
  cosserat: undefined,
  massspring: undefined,
};

const files = import.meta.glob<Record<string, unknown>>('../../../core/src/models/*/model.ts');

const isModel = (value: unknown): value is Model =>
  typeof value === 'object' && value !== null && 'compile' in value && 'id' in value;

/** Those that are not there yet; names of models that do not exist are left to the world to refuse. */
export async function fetchModels(ids: Iterable<string> = Object.keys(models)): Promise<void> {
  const wanted = [...ids];
  if (wanted.includes(BATCH)) await fetchBatchModel();
  const missing = [...new Set(wanted)].filter((id) => Object.hasOwn(models, id) && !models[id]);
  await Promise.all(
    missing.map(async (id) => {
      const file = await files[`../../../core/src/models/${id}/model.ts`]?.();
      models[id] = Object.values(file ?? {}).find(isModel);
    }),
  );
}

/** Stands for the batch backend of `der` among the names of models. */
const BATCH = 'der/batch';

/** Models that a scene needs, under the variants that are shown. */
export function modelsOf(scene: Scene, variants: readonly { readonly id: string }[]): string[] {
  const named = variants.flatMap(({ id }) =>
    id === '' ? scene.rods.map(({ model = 'der' }) => model) : id.split('/')[0],
  );
  return scene.solver?.der?.backend === 'batch' ? [...named, BATCH] : named;
}
