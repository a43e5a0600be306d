/** Records in shared memory which worker threads have ended: each holds one end of a channel, which closes with it. */
import { type MessagePort, workerData } from 'node:worker_threads';

export interface MonitorData {
  /** 1 for each worker that has ended. */
  readonly ended: Int32Array;
  readonly lifelines: readonly MessagePort[];
}

const { ended, lifelines } = workerData as MonitorData;
lifelines.forEach((lifeline, k) => {
  lifeline.on('close', () => {
    Atomics.store(ended, k, 1);
  });
  lifeline.ref();
});
