/** The worker, started as the first thing that the page does: it loads while the page is built and the view gets its light. */
import type { Port } from './client.ts';

const startWorker = (): Port =>
  new Worker(new URL('./worker/worker.ts', import.meta.url), { type: 'module', name: 'simulation' });

let first: Port | undefined = typeof Worker === 'undefined' ? undefined : startWorker();

/** The worker that waits since the page began, else a new one. */
export function takeWorker(): Port {
  const port = first ?? startWorker();
  first = undefined;
  return port;
}
