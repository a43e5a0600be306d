/** Models with kernels in WebAssembly: `createWorld(scene, { models: [await loadDer()] })`. */
import type { Model } from '../model.ts';
import { createDerModel } from '../models/der/model.ts';
import { loadDerKernel } from './der.ts';

/** Discrete elastic rods, solved two at a time with SIMD; the same results to rounding, two to three times as fast. */
export async function loadDer(): Promise<Model> {
  return createDerModel(await loadDerKernel());
}

export { loadThreadedDer, serveThread, type ThreadOptions, type ThreadPort } from './threads.ts';
