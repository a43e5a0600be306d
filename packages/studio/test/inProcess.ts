/**
 * The session without a page: the worker's own code in this process, behind the port that a real worker has, and a clock that the test
 * moves. What is shown is read from the state.
 */
import { afterAll, beforeAll, vi } from 'vitest';
import { tick } from '../src/playback.ts';
import { startSession } from '../src/session.ts';
import * as state from '../src/state.ts';

type Listener = (event: { readonly data: unknown }) => void;

/** Where messages arrive; the worker's module listens once. */
let atWorker: Listener | undefined;
let atPage: Listener | undefined;

/** Messages take a turn of the event loop and are copied, as between threads. */
const later = (data: unknown, transfer: readonly Transferable[], to: () => Listener | undefined): void => {
  const copy: unknown = structuredClone(data, { transfer: transfer as never });
  setImmediate(() => to()?.({ data: copy }));
};

/** To be called once by a file of tests. */
export function useSession(): void {
  beforeAll(async () => {
    vi.stubGlobal('addEventListener', (kind: string, listener: Listener) => {
      if (kind === 'message') atWorker = listener;
    });
    vi.stubGlobal('postMessage', (data: unknown, { transfer = [] }: { transfer?: Transferable[] } = {}) =>
      later(data, transfer, () => atPage),
    );
    vi.stubGlobal(
      'Worker',
      class {
        set onmessage(listener: Listener) {
          atPage = listener;
        }
        private isEnded = false;
        postMessage(data: unknown, transfer: Transferable[] = []): void {
          later(data, transfer, () => (this.isEnded ? undefined : atWorker));
        }
        terminate(): void {
          this.isEnded = true;
          atPage = undefined;
        }
      },
    );
    vi.stubGlobal('location', { hash: '', search: '' });
    vi.stubGlobal('history', { replaceState() {}, pushState() {} });
    await import('../src/worker/worker.ts');
    await new Promise<void>((resolve) => startSession(async () => resolve()));
  }, 120_000);

  afterAll(() => {
    vi.unstubAllGlobals();
    [atWorker, atPage] = [undefined, undefined];
    // what the worker's last timers still send goes nowhere, as from a worker that was ended
    globalThis.postMessage = () => {};
    state.speed.value = 1;
  });
}

/** Lets the worker and the page work, a sixtieth of a second of the page each time, until something holds. */
export async function runUntil(holds: () => boolean): Promise<void> {
  // not by turns: the worker may wait for a module, which takes as long as the machine likes
  const end = performance.now() + 120_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`it never came to that: at ${tick(0)} s of ${state.frames.last} s`);
    tick(1 / 60);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
