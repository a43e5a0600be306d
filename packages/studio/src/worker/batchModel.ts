/** The batch backend of `der`, fetched when a scene asks for it. The build puts this file in the place of core's import of it. */
import type { Model } from '@tendril/core';

export let batchModel: Model | undefined;

export async function fetchBatchModel(): Promise<void> {
  ({ batchModel } = await import('../../../core/src/batch/model.ts'));
}
