/**
 * Ctrl-C as a wish, not an accident: the first one lets the present step finish and everything be written, the second
 * ends the process at once.
 */
import { exitCode } from './exit.ts';

export interface Interrupt {
  readonly requested: boolean;
}

export async function withInterrupt<T>(action: (interrupt: Interrupt) => Promise<T>): Promise<T> {
  const state = { requested: false };
  const listen = (): void => {
    if (state.requested) process.exit(exitCode.interrupted);
    state.requested = true;
  };
  process.on('SIGINT', listen);
  process.on('SIGTERM', listen);
  try {
    return await action(state);
  } finally {
    process.off('SIGINT', listen);
    process.off('SIGTERM', listen);
  }
}

/** Lets signals in now and then; a loop that never waits would never see them. */
export function createBreather(seconds = 0.025): () => Promise<void> {
  let last = performance.now();
  return async () => {
    const now = performance.now();
    if (now - last < seconds * 1000) return;
    await new Promise((resolve) => setImmediate(resolve));
    last = performance.now();
  };
}
