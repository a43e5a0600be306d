/** Worker threads of Node for `loadThreadedDer` and `loadThreadedFiber`. */
import { availableParallelism } from 'node:os';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { ThreadPort } from '@tendril-sim/core/kernels';
import type { MonitorData } from './threadMonitor.ts';

/** Worker threads in Node. */
export interface Threads {
  /** Workers, in addition to the caller's own thread. */
  readonly ports: readonly ThreadPort[];
  /** Ends the workers. A world that uses them throws in its next step, and continues with one thread. */
  close(): void;
}

/**
 * Starts `count` threads in total, including the caller's; default: as many as the machine can run at once.
 *
 * `script`: script of the workers, which calls `serveThread` with every message; default: that of this package.
 *
 * A caller that waits for a worker receives no events, so it would not notice that the worker has ended. Another thread receives them instead
 * (threadMonitor.ts) and records the end in shared memory.
 */
export function startThreads(
  count: number = availableParallelism(),
  script: URL = new URL('./thread.js', import.meta.url),
): Threads {
  const workerCount = Math.max(0, count - 1);
  const ended = new Int32Array(new SharedArrayBuffer(4 * workerCount));
  const channels = Array.from({ length: workerCount }, () => new MessageChannel());
  const workers = channels.map(({ port1: lifeline }, k) => {
    const worker = new Worker(script, { workerData: { lifeline }, transferList: [lifeline], execArgv: [] });
    const noteEnd = (): void => {
      Atomics.store(ended, k, 1);
    };
    // without a listener an error of a worker ends the whole program
    worker.on('error', noteEnd);
    worker.on('exit', noteEnd);
    // threads alone do not keep a program running
    worker.unref();
    return worker;
  });
  if (workerCount > 0) {
    const lifelines = channels.map(({ port2 }) => port2);
    const workerData: MonitorData = { ended, lifelines };
    new Worker(new URL('./threadMonitor.js', import.meta.url), {
      workerData,
      transferList: lifelines,
      execArgv: [],
    }).unref();
  }
  return {
    ports: workers.map((worker, k) => ({
      postMessage(message) {
        worker.postMessage(message);
      },
      hasEnded: () => Atomics.load(ended, k) === 1,
    })),
    close() {
      ended.fill(1);
      for (const worker of workers) void worker.terminate();
    },
  };
}

/** Starts `count` threads in total, including the caller's, for `loadSimdDer({ workers })`. */
export function startSimdThreads(count: number = availableParallelism()): Threads {
  return startThreads(count, new URL('./simdThread.js', import.meta.url));
}
