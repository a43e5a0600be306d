/**
 * Runs in a thread of a worker process and ends the process if its parent is gone. The process itself learns of that only between runs, and a
 * run may be endless. The pool passes its process id: a parent that died before this thread began would not be noticed otherwise.
 */
import { workerData } from 'node:worker_threads';

/** [ms] */
const EVERY = 500;

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, EVERY);
