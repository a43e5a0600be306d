/** From the worker to the page. */
import type { FromWorker } from '../protocol.ts';

export const send = (message: FromWorker, transfer: Transferable[] = []): void => {
  postMessage(message, { transfer });
};
