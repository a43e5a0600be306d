/** Runs in a worker of `startThreads`. Its channel (`workerData`) closes when it ends, which notifies the others. */
import { parentPort } from 'node:worker_threads';
import { serveThread } from '@tendril-sim/core/kernels';

parentPort?.on('message', (message: unknown) => {
  serveThread(message).catch((error: unknown) => {
    console.error(error);
    process.exit(3);
  });
});
