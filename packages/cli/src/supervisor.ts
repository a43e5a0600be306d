/**
 * The main thread of the command `tendril`: runs the command in a separate thread, writes its output, and receives signals, also while the command
 * computes for minutes without a pause.
 *
 * If the reader of the output goes away (a closed pipe, a closed terminal), the output ends, not the work. If the output cannot be stored (a full disk),
 * the command fails: it says so, and its exit code is that of a file that cannot be written.
 */
import { rmSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import pc from 'picocolors';
import type { CommandMessage, CommandSetup } from './commandThread.ts';
import { describeBug, exitCode } from './exit.ts';
import { createSignals, isListening, requestInterrupt } from './interrupt.ts';
import { formatError, processTerminal } from './terminal.ts';

/** Errors of an output whose reader has gone. */
const readerGone: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

/** How long a command that saves nothing may continue after the reader of its output has gone [ms]. */
const closedPipeGrace = 200;

export async function main(argv: readonly string[]): Promise<number> {
  const signals = createSignals();
  const { live, columns, out, err } = processTerminal();
  const writable = { out: true, err: true };
  let ended = false;
  process.stderr.on('error', () => {
    writable.err = false;
  });
  let lost = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (writable.out && !readerGone.has(error.code)) {
      lost = true;
      if (writable.err) err(formatError(`standard output cannot be written: ${error.message}; its end is missing`));
    }
    writable.out = false;
    // a command that only prints can end; one that simulates saves its work first
    setTimeout(() => {
      if (!ended && !isListening(signals)) process.exit(lost ? exitCode.badInput : exitCode.done);
    }, closedPipeGrace).unref();
  });
  const temporaries: string[] = [];
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (requestInterrupt(signals)) return;
      // what a command that saves its work has written is kept for `tendril recover`
      if (!isListening(signals)) for (const path of temporaries) removeQuietly(path);
      process.exit(exitCode.interrupted);
    });
  }
  const thread = startCommand({ argv, signals, live, columns });
  return new Promise((resolve) => {
    const end = (code: number): void => {
      ended = true;
      void thread.terminate();
      // calls back when all that was written before has been, or has failed
      process.stdout.write('', () => {
        setImmediate(() => resolve(lost && code === exitCode.done ? exitCode.badInput : code));
      });
    };
    thread.on('message', (message: CommandMessage) => {
      if ('code' in message) end(message.code);
      else if ('temporary' in message) temporaries.push(message.temporary);
      else if ('out' in message) writable.out && out(message.out);
      else if (writable.err) err(message.err);
    });
    thread.on('error', (error: NodeJS.ErrnoException) => {
      const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (writable.err) err(formatError(outOfMemory ? memoryMessage() : describeBug(error)));
      end(outOfMemory ? exitCode.failed : exitCode.bug);
    });
  });
}

/** Removes a file, if it is there: a finished one has taken another name. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // the process ends; nothing more can be done
  }
}

function startCommand(setup: CommandSetup): Worker {
  // colours depend on standard output, which only the main thread sees
  const colors = pc.isColorSupported ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
  return new Worker(new URL('./commandThread.js', import.meta.url), {
    workerData: setup,
    env: { ...process.env, ...colors },
    // as much memory as the main thread would have
    resourceLimits: { maxOldGenerationSizeMb: getHeapStatistics().heap_size_limit / 2 ** 20 },
  });
}

function memoryMessage(): string {
  return `out of memory: the scene needs more than the ${Math.round(getHeapStatistics().heap_size_limit / 2 ** 20)} MB that Node may use
  allow more with NODE_OPTIONS=--max-old-space-size=<MB>, or use fewer rods, edges or frames
  what was recorded until now is found by: tendril recover <folder>`;
}
