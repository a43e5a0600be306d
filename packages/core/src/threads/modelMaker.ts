/** Creates a model, in the caller's thread and in workers alike. */
import { loadDerKernel } from '../kernels/der.ts';
import { loadFiberKernel } from '../kernels/fiber.ts';
import type { Model } from '../model.ts';
import { createDerModel, derParts } from '../models/der/index.ts';
import { createFiberModel } from '../models/fiber/model.ts';
import type { Allocate } from '../port.ts';

/** Models whose bundles can be divided. */
export type ThreadableModel = 'der' | 'fiber';

/** The model, with its state in memory from `allocate`. */
export async function loadModelMaker(id: ThreadableModel, kernels: boolean): Promise<(allocate?: Allocate) => Model> {
  if (id === 'fiber') {
    const kernel = kernels ? await loadFiberKernel() : undefined;
    return (allocate) => createFiberModel(kernel, allocate);
  }
  const kernel = kernels ? await loadDerKernel() : undefined;
  return (allocate) => createDerModel({ ...derParts, kernel, allocate });
}
