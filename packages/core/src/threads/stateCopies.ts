/**
 * Copies of a shared bundle's state from which a step can be undone.
 *
 * At the start of a step of the world, every thread copies its part of the state (`saveRange`, `saveShare`) into `WorkerPool.stepStart`. If a part of the step
 * throws, or a worker ends, that state is restored. If a step is split into substeps, the caller also copies the start of each substep.
 */
import type { BundleState } from '../model.ts';
import { meetAll, type WorkerPool } from './workerPool.ts';

/** Saves the state of the rods that a thread owns now. */
export function saveRange(pool: WorkerPool, { q, v, memory }: BundleState, thread: number): void {
  const { stepStart, starts, firstRods, hasSaved } = pool;
  let at = 0;
  [q, v, memory].forEach((list, k) => {
    const from = starts[k][firstRods[thread]];
    const own = list.byteOffset / 8;
    stepStart.set(list.subarray(from - own, starts[k][firstRods[thread + 1]] - own), at + from);
    at += list.buffer.byteLength / 8;
  });
  Atomics.store(hasSaved, thread, 1);
}

/** For rods that are not in ranges: saves an even share of the state, and waits until all threads have, because no rod may move before. */
export function saveShare(pool: WorkerPool, { q, v, memory }: BundleState, thread: number): void {
  const { stepStart, count, hasSaved } = pool;
  let at = 0;
  for (const list of [q, v, memory]) {
    const from = Math.floor((list.length * thread) / count);
    stepStart.set(list.subarray(from, Math.floor((list.length * (thread + 1)) / count)), at + from);
    at += list.length;
  }
  Atomics.store(hasSaved, thread, 1);
  meetAll(pool);
}

/** Copies the whole state to `to`. */
export function copyAll(to: Float64Array, { q, v, memory }: BundleState): void {
  to.set(q);
  to.set(v, q.length);
  to.set(memory, q.length + v.length);
}

/** Copies the whole state back. */
export function restoreAll(from: Float64Array, { q, v, memory }: BundleState): void {
  q.set(from.subarray(0, q.length));
  v.set(from.subarray(q.length, q.length + v.length));
  memory.set(from.subarray(q.length + v.length));
}

/** Restores the saved state. A thread that had not saved its part yet has moved nothing. */
export function restoreStepStart(pool: WorkerPool, state: BundleState, inRanges: boolean): void {
  const { stepStart, starts, firstRods, hasSaved, count } = pool;
  const isSaved = (thread: number): boolean => Atomics.load(hasSaved, thread) === 1;
  const threads = Array.from({ length: count }, (_, k) => k);
  if (threads.every(isSaved)) {
    restoreAll(stepStart, state);
    return;
  }
  if (!inRanges) return;
  for (const thread of threads.filter(isSaved)) {
    let at = 0;
    [state.q, state.v, state.memory].forEach((list, k) => {
      const [from, to] = [starts[k][firstRods[thread]], starts[k][firstRods[thread + 1]]];
      list.set(stepStart.subarray(at + from, at + to), from);
      at += list.length;
    });
  }
}
