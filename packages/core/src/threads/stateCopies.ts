/**
 * Copies of a shared bundle's state from which a step can be undone.
 *
 * At the start of the world's step every thread copies its part of the state (`keepRange`, `keepShare`) into `WorkerPool.kept`. If a part of the step
 * throws, or a worker ends, that state is restored. If a step is split into substeps, the caller also copies the start of each substep.
 */
import type { BundleState } from '../model.ts';
import { meetAll, type WorkerPool } from './workerPool.ts';

/** Saves the state of the rods that a thread owns now. */
export function keepRange(pool: WorkerPool, { q, v, memory }: BundleState, thread: number): void {
  const { kept, starts, firstRods, keptBy } = pool;
  let at = 0;
  [q, v, memory].forEach((list, k) => {
    const from = starts[k][firstRods[thread]];
    const own = list.byteOffset / 8;
    kept.set(list.subarray(from - own, starts[k][firstRods[thread + 1]] - own), at + from);
    at += list.buffer.byteLength / 8;
  });
  Atomics.store(keptBy, thread, 1);
}

/** The same by even shares, if rods are not in ranges; waits until all is copied, because nothing may move before. */
export function keepShare(pool: WorkerPool, { q, v, memory }: BundleState, thread: number): void {
  const { kept, count, keptBy } = pool;
  let at = 0;
  for (const list of [q, v, memory]) {
    const from = Math.floor((list.length * thread) / count);
    kept.set(list.subarray(from, Math.floor((list.length * (thread + 1)) / count)), at + from);
    at += list.length;
  }
  Atomics.store(keptBy, thread, 1);
  meetAll(pool);
}

/** Writes the whole state to `to`, or reads it from there. */
export function copyAll(to: Float64Array, { q, v, memory }: BundleState): void {
  to.set(q);
  to.set(v, q.length);
  to.set(memory, q.length + v.length);
}

export function returnAll(from: Float64Array, { q, v, memory }: BundleState): void {
  q.set(from.subarray(0, q.length));
  v.set(from.subarray(q.length, q.length + v.length));
  memory.set(from.subarray(q.length + v.length));
}

/** Restores the saved state. A thread that had not saved its part yet has moved nothing. */
export function returnToKept(pool: WorkerPool, state: BundleState, inRanges: boolean): void {
  const { kept, starts, firstRods, keptBy, count } = pool;
  const isKept = (thread: number): boolean => Atomics.load(keptBy, thread) === 1;
  const threads = Array.from({ length: count }, (_, k) => k);
  if (threads.every(isKept)) {
    returnAll(kept, state);
    return;
  }
  if (!inRanges) return;
  for (const thread of threads.filter(isKept)) {
    let at = 0;
    [state.q, state.v, state.memory].forEach((list, k) => {
      const [from, to] = [starts[k][firstRods[thread]], starts[k][firstRods[thread + 1]]];
      list.set(kept.subarray(at + from, at + to), from);
      at += list.length;
    });
  }
}
