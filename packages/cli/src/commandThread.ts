/** Runs a command in its own thread: reads the command line, posts output as messages and the exit code as the last one. */
import { subscribe } from 'node:diagnostics_channel';
import { parentPort, workerData } from 'node:worker_threads';
import { connectSignals } from './interrupt.ts';
import { runCommand } from './main.ts';

export interface CommandSetup {
  readonly argv: readonly string[];
  readonly signals: Int32Array;
  /** Properties of the terminal: see `Terminal`. */
  readonly live: boolean;
  readonly columns: number;
}

export type CommandMessage =
  | { readonly out: string }
  | { readonly err: string }
  | { readonly code: number }
  | { readonly temporary: string };

const { argv, signals, live, columns } = workerData as CommandSetup;
const post = (message: CommandMessage): void => parentPort?.postMessage(message);

connectSignals(signals);
// published by the writers of files, which most commands load later or never
subscribe('tendril.temporary', (temporary) => post({ temporary: String(temporary) }));
const code = await runCommand(argv, {
  out: (content) => post({ out: content }),
  err: (content) => post({ err: content }),
  live,
  columns,
});
post({ code });
