/** What runs in a worker of `startThreads`. Its lifeline (`workerData`) closes when it ends, and that is how others learn of it. */
import { parentPort } from 'node:worker_threads';
import { serveThread } from '@tendril-sim/core/kernels';

parentPort?.on('message', (message: unknown) => {
  serveThread(message).catch((error: unknown) => {
    console.error(error);
    process.exit(3);
  });
});
