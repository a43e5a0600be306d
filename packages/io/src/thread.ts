/** What runs in a thread of `startThreads`. */
import { parentPort } from 'node:worker_threads';
import { serveThread } from '@tendril/core/kernels';

parentPort?.on('message', (message: unknown) => {
  serveThread(message).catch((error: unknown) => {
    // its caller gets the error in shared memory, and throws it
    console.error(error);
    process.exit(3);
  });
});
