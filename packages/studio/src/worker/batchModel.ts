/** The batch backend of `der`, fetched when a scene asks for it. The build puts this file in the place of core's import of it. */
import type { Model } from '@tendril/core';

export let batchModel: Model | undefined;

const files = import.meta.glob<{ readonly batchModel: Model }>('../../../core/src/batch/model.ts');

export async function fetchBatchModel(): Promise<void> {
  for (const load of Object.values(files)) ({ batchModel } = await load());
}
