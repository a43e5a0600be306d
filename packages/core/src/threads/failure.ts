/** Errors passed from a worker thread to the caller: they keep their type, which decides the message of the command line. */
import { SceneError, SimulationError } from '../errors.ts';

/** Characters stored per thread; the first is their number. */
export const TEXT_SIZE = 8192;

/** Shortens a text that is too long. */
const LONGEST = 6000;

export function writeText(letters: Uint16Array, thread: number, text: string): void {
  const from = TEXT_SIZE * thread;
  const length = Math.min(text.length, TEXT_SIZE - 1);
  letters[from] = length;
  for (let i = 0; i < length; i++) letters[from + 1 + i] = text.charCodeAt(i);
}

export function readText(letters: Uint16Array, thread: number): string {
  const from = TEXT_SIZE * thread + 1;
  let text = '';
  for (let i = from; i < from + letters[from - 1]; i++) text += String.fromCharCode(letters[i]);
  return text;
}

interface Portable {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly simulation?: { readonly rod: string; readonly time: number; readonly remedy: string };
}

export function encodeError(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).slice(0, LONGEST / 2);
  const portable: Portable = {
    message,
    ...(error instanceof SceneError && { path: error.path }),
    ...(error instanceof SimulationError && {
      simulation: { rod: error.rod, time: error.time, remedy: error.remedy },
    }),
  };
  const text = JSON.stringify(portable);
  return text.length < TEXT_SIZE ? text : JSON.stringify({ message });
}

export function decodeError(text: string): Error {
  const { message, path, simulation } = JSON.parse(text) as Portable;
  if (path) return new SceneError(path, message);
  if (simulation) return new SimulationError(simulation.rod, simulation.time, message, simulation.remedy);
  return new Error(`in a worker thread: ${message}`);
}

/** A worker has ended without an error message: out of memory, terminated, or after `close`. */
export function endedError(thread: number): SimulationError {
  return new SimulationError(
    '',
    0,
    `worker thread ${thread} has ended: it was closed or terminated, or ran out of memory`,
    'use fewer threads; the state is that of the last good step, from which this world continues with one thread',
  );
}
