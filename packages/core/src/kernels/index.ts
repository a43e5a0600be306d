/** Models with kernels in WebAssembly: `createWorld(scene, { models: [await loadDer()] })`. */
import type { Model } from '../model.ts';
import { createDerModel, derParts } from '../models/der/index.ts';
import { createFiberModel } from '../models/fiber/model.ts';
import { loadDerKernel } from './der.ts';
import { loadFiberKernel } from './fiber.ts';

/** Discrete elastic rods, solved two at a time with SIMD; the same results to rounding, two to three times as fast. */
export async function loadDer(): Promise<Model> {
  return createDerModel({ ...derParts, kernel: await loadDerKernel() });
}

/** Stiff fibers, two at a time with SIMD; the same results bit for bit. */
export async function loadFiber(): Promise<Model> {
  return createFiberModel(await loadFiberKernel());
}

export type { ThreadOptions, ThreadPort } from '../threads/options.ts';
export type { BalanceRule } from '../threads/ranges.ts';
export {
  countUsefulThreads,
  loadThreadedDer,
  loadThreadedFiber,
} from '../threads/threadedModels.ts';
export { serveThread } from '../threads/worker.ts';
export { loadBlocks } from './fiber.ts';
