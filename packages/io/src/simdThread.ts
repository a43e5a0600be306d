/** Runs in a worker of `startSimdThreads`. Its channel (`workerData`) closes when it ends, which notifies the others. */
import { parentPort } from 'node:worker_threads';
import { serveSimd } from '@tendril-sim/core/batch';

parentPort?.on('message', (message: unknown) => void serveSimd(message));
