/** What runs in a thread of `startThreads`. */
import { parentPort } from 'node:worker_threads';
import { serveThread } from '@tendril/core/kernels';

parentPort?.on('message', (message: unknown) => {
  serveThread(message).catch((error: unknown) => {
    // a thread that cannot serve would leave its caller waiting: end the process with the reason instead
    console.error(error);
    process.exit(3);
  });
});
