/**
 * Ctrl-C, SIGTERM and SIGHUP as a request to stop: the first lets a command finish its step and write everything, the second ends the process at once.
 *
 * Commands run in a thread of their own (supervisor.ts). The main thread receives signals even while a command computes,
 * and sets a flag in shared memory that the command reads without waiting.
 */

export interface Interrupt {
  readonly requested: boolean;
}

/** Indices in the shared memory. */
const requestedAt = 0;
const listenersAt = 1;

let shared: Int32Array = new Int32Array(2);

/** Memory that the main thread and the command's thread share. */
export function createSignals(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(8));
}

/** Call in the command's thread, before any command. */
export function connectSignals(signals: Int32Array): void {
  shared = signals;
}

/** In the main thread: requests the command to stop. Returns false if it does not listen or was already requested. */
export function requestInterrupt(signals: Int32Array): boolean {
  if (!isListening(signals)) return false;
  return Atomics.exchange(signals, requestedAt, 1) === 0;
}

/** True if a command would save its work on an interrupt. */
export function isListening(signals: Int32Array): boolean {
  return Atomics.load(signals, listenersAt) > 0;
}

/** True if Ctrl-C was pressed; cheap enough for inner loops. */
export function isInterrupted(): boolean {
  return Atomics.load(shared, requestedAt) !== 0;
}

export async function withInterrupt<T>(action: (interrupt: Interrupt) => Promise<T>): Promise<T> {
  Atomics.add(shared, listenersAt, 1);
  try {
    return await action({
      get requested() {
        return isInterrupted();
      },
    });
  } finally {
    Atomics.sub(shared, listenersAt, 1);
  }
}

/** Resolves at Ctrl-C; for a command that only waits. */
export function untilInterrupted(): Promise<void> {
  return withInterrupt(
    ({ requested }) =>
      new Promise<void>((done) => {
        if (requested) return done();
        const timer = setInterval(() => {
          if (!isInterrupted()) return;
          clearInterval(timer);
          done();
        }, 50);
      }),
  );
}

/** Yields to the event loop now and then, for events such as those of a child process. */
export function createBreather(seconds = 0.025): () => Promise<void> {
  let last = performance.now();
  return async () => {
    const now = performance.now();
    if (now - last < seconds * 1000) return;
    await new Promise((resolve) => setImmediate(resolve));
    last = performance.now();
  };
}
