/** The worker, with answers as promises where a question has one. */
import type { Failure, Frame, FromWorker, Loaded, ToWorker } from './protocol.ts';

export interface Client {
  send(message: ToWorker, transfer?: Transferable[]): void;
  /** Sends a message with a ticket and waits for the answer that carries it. */
  ask<T extends FromWorker>(build: (ticket: number) => ToWorker, transfer?: Transferable[]): Promise<T>;
  close(): void;
}

export interface Listeners {
  frame(run: number, frame: Frame): void;
  failed(failure: Failure): void;
  pullForce(force: number): void;
  pins?(released: readonly (readonly boolean[])[]): void;
  progress(message: Extract<FromWorker, { type: 'check-progress' }>): void;
  loaded?(message: Loaded): void;
  broken(message: string): void;
}

export function startClient(listeners: Listeners): Client {
  const worker = new Worker(new URL('./worker/worker.ts', import.meta.url), { type: 'module', name: 'simulation' });
  const waiting = new Map<number, (message: FromWorker) => void>();
  let tickets = 0;
  let casesWaiting: ((message: FromWorker) => void)[] = [];
  worker.onerror = (event) => listeners.broken(event.message || 'the simulation could not be started');
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    switch (data.type) {
      case 'frame':
        listeners.frame(data.run, data.frame);
        return;
      case 'failed':
        listeners.failed(data.failure);
        return;
      case 'pull-force':
        listeners.pullForce(data.force);
        return;
      case 'pins':
        listeners.pins?.(data.released);
        return;
      case 'check-progress':
        listeners.progress(data);
        return;
      case 'broken':
        listeners.broken(data.message);
        return;
      case 'cases':
        for (const answer of casesWaiting) answer(data);
        casesWaiting = [];
        return;
      default: {
        // before the promise is answered: frames of the new run may follow at once
        if (data.type === 'loaded') listeners.loaded?.(data);
        const answer = waiting.get(data.ticket);
        waiting.delete(data.ticket);
        answer?.(data);
      }
    }
  };
  return {
    send: (message, transfer = []) => worker.postMessage(message, transfer),
    ask<T extends FromWorker>(build: (ticket: number) => ToWorker, transfer: Transferable[] = []): Promise<T> {
      const message = build(++tickets);
      return new Promise((resolve) => {
        if (message.type === 'cases') casesWaiting.push(resolve as (answer: FromWorker) => void);
        else waiting.set(tickets, resolve as (answer: FromWorker) => void);
        worker.postMessage(message, transfer);
      });
    },
    close: () => worker.terminate(),
  };
}
