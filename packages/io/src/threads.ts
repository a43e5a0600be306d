/** Threads of Node for `loadThreadedDer`. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ThreadPort } from '@tendril/core/kernels';

export interface Threads {
  /** Those beside the caller's own. */
  readonly ports: readonly ThreadPort[];
  close(): void;
}

/** `count` threads in all, the caller among them; default: as many as the machine can run at once. */
export function startThreads(count: number = availableParallelism()): Threads {
  const workers = Array.from({ length: Math.max(0, count - 1) }, () => {
    const worker = new Worker(new URL('./thread.js', import.meta.url));
    // threads alone do not keep a program running
    worker.unref();
    return worker;
  });
  return {
    ports: workers,
    close() {
      for (const worker of workers) void worker.terminate();
    },
  };
}
