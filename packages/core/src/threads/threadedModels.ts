/** Models whose rods are shared among threads, for programs that pass workers to `createWorld`. */
import type { Model } from '../model.ts';
import type { Allocate } from '../port.ts';
import { shareBundle } from './callerBundle.ts';
import { loadModelMaker, type ThreadableModel } from './modelMaker.ts';
import type { ThreadOptions, ThreadPort } from './options.ts';
import { balanceByTime } from './ranges.ts';
import type { SharedArray } from './sharedBundle.ts';
import { awaitWorkers } from './startup.ts';

const defaults = { leastNumbers: 32768, leastNodes: 4096, kernels: true, balance: balanceByTime, answerSeconds: 30 };

/**
 * Discrete elastic rods with kernels, shared among the caller's thread and the given workers.
 *
 * Throws if the platform does not support it, or if a worker does not answer within `answerSeconds`.
 */
export function loadThreadedDer(ports: readonly ThreadPort[], options: ThreadOptions = {}): Promise<Model> {
  return loadThreaded('der', ports, { ...defaults, leastParts: 32, leastTouching: 32, ...options });
}

/** Stiff fibers shared among threads. Workers serve one bundle at a time: a scene with both models needs some for each. */
export function loadThreadedFiber(ports: readonly ThreadPort[], options: ThreadOptions = {}): Promise<Model> {
  return loadThreaded('fiber', ports, { ...defaults, leastParts: 4, leastTouching: 4, ...options });
}

/** Number of threads, including the caller's, that `rods` rods can keep busy: each thread needs two rods. */
export function countUsefulThreads(rods: number): number {
  return Math.max(1, Math.floor(rods / 2));
}

/** Releases a worker, and those with it, from the bundle that they serve now; its world continues with one thread. */
const releases = new WeakMap<ThreadPort, () => void>();

async function loadThreaded(
  model: ThreadableModel,
  ports: readonly ThreadPort[],
  options: Required<ThreadOptions>,
): Promise<Model> {
  const [make] = await Promise.all([
    loadModelMaker(model, options.kernels),
    awaitWorkers(ports, options.answerSeconds),
  ]);
  return {
    ...make(),
    isFast: true,
    compile(rods, drives, scene, coupling) {
      const arrays: SharedArray[] = [];
      const allocate: Allocate = (length, sizes = []) => {
        const buffer = new SharedArrayBuffer(8 * length);
        const starts = new Float64Array(rods.length + 1);
        for (let k = 0; k < rods.length; k++) starts[k + 1] = starts[k] + (sizes[k] ?? 0);
        arrays.push({ buffer, starts });
        return new Float64Array(buffer);
      };
      const bundle = make(allocate).compile(rods, drives, scene, coupling);
      const { parts } = bundle;
      if (!parts || ports.length === 0 || parts.count < options.leastParts) return bundle;
      // rods break in the middle of a step, which workers would not know
      if (rods.some(({ strength }) => strength)) return bundle;
      // the caller computes a continuum of hair, which affects every rod
      if (scene.contact?.between === 'continuum') return bundle;
      for (const port of ports) releases.get(port)?.();
      const shared = shareBundle({ model, bundle, parts, drives, workers: ports, scene, arrays, options });
      for (const port of ports) releases.set(port, shared.release);
      return shared.bundle;
    },
  };
}
