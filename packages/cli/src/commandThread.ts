/** Runs a command in its own thread: reads the command line, posts output as messages and the exit code as the last one. */
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

export type CommandMessage = { readonly out: string } | { readonly err: string } | { readonly code: number };

const { argv, signals, live, columns } = workerData as CommandSetup;
const post = (message: CommandMessage): void => parentPort?.postMessage(message);

connectSignals(signals);
const code = await runCommand(argv, {
  out: (content) => post({ out: content }),
  err: (content) => post({ err: content }),
  live,
  columns,
});
post({ code });
