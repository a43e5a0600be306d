/**
 * The worker as the page sees it: each request has an answer or an error, and can be given up.
 *
 * Answers are promises. A request fails with a `WorkerError`, never by silence: an error carries the number of its request, and a worker
 * that breaks or is closed fails all that wait.
 */
import { takeWorker } from './firstWorker.ts';
import type { Answer, Ask, Command, FromWorker, Progress, Request, RequestKind, RunEvent } from './protocol.ts';

export class WorkerError extends Error {
  /** `absent`: the script of the worker could not be fetched; `fetch`: another part of the program, which this request needs. */
  readonly kind: 'absent' | 'fetch' | 'cancelled' | 'broken';

  constructor(message: string, kind: WorkerError['kind']) {
    super(message);
    this.name = 'WorkerError';
    this.kind = kind;
  }
}

export interface AskOptions {
  readonly transfer?: Transferable[];
  readonly onProgress?: (progress: Progress) => void;
}

export interface Client {
  send(command: Command): void;
  ask<K extends RequestKind>(kind: K, body: Ask<K>, options?: AskOptions): Promise<Answer<K>>;
  /** Ends the worker; what waits fails as cancelled. */
  close(): void;
}

/** The part of `Worker` that a client needs. */
export interface Port {
  postMessage(message: unknown, transfer: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

interface Waiting {
  resolve(answer: Answer<RequestKind>): void;
  reject(error: WorkerError): void;
  progress?(progress: Progress): void;
}

export function startClient(listen: (event: RunEvent) => void = () => {}, port: Port = takeWorker()): Client {
  const waiting = new Map<number, Waiting>();
  let requests = 0;
  let absent: WorkerError | undefined;
  const failAll = (error: WorkerError): void => {
    const all = [...waiting.values()];
    waiting.clear();
    for (const { reject } of all) reject(error);
  };
  port.onerror = ({ message }) => {
    if (!message) absent = new WorkerError('the simulation could not be started', 'absent');
    failAll(absent ?? new WorkerError(message, 'broken'));
  };
  port.onmessage = ({ data }) => {
    switch (data.type) {
      case 'answer':
        waiting.get(data.id)?.resolve(data.body);
        waiting.delete(data.id);
        return;
      case 'error':
        waiting.get(data.id)?.reject(new WorkerError(data.message, data.isFetch ? 'fetch' : 'broken'));
        waiting.delete(data.id);
        return;
      case 'progress':
        waiting.get(data.id)?.progress?.(data);
        return;
      default:
        listen(data);
    }
  };
  return {
    send: (command) => port.postMessage(command, []),
    ask<K extends RequestKind>(kind: K, body: Ask<K>, { transfer = [], onProgress }: AskOptions = {}) {
      if (absent) return Promise.reject(absent);
      const id = ++requests;
      return new Promise<Answer<K>>((resolve, reject) => {
        waiting.set(id, {
          resolve: resolve as Waiting['resolve'],
          reject,
          ...(onProgress && { progress: onProgress }),
        });
        port.postMessage({ type: 'request', id, kind, body } as Request, transfer);
      });
    },
    close() {
      port.terminate();
      failAll(new WorkerError('stopped', 'cancelled'));
    },
  };
}
