/** The command line without a process for each command. Tests of signals, pipes and ends of processes start one of their own. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Shared by the files of a worker, whose modules may be loaded anew. */
const shared = globalThis as typeof globalThis & { commands?: { server: ChildProcess; last: Promise<unknown> } };

function startServer(): ChildProcess {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, NODE_OPTIONS: undefined };
  const path = fileURLToPath(new URL('./server.mjs', import.meta.url));
  const server = fork(path, { env, execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  server.unref();
  server.channel?.unref();
  return server;
}

/** Runs `tendril …` in a folder, after the commands that were asked for before. */
export function runCommand(cwd: string, args: readonly string[]): Promise<Finished> {
  if (shared.commands?.server.connected !== true) shared.commands = { server: startServer(), last: Promise.resolve() };
  const { server, last } = shared.commands;
  const finished = last.then(
    () =>
      new Promise<Finished>((resolve, reject) => {
        const fail = (): void => reject(new Error(`the process died in: tendril ${args.join(' ')}`));
        server.channel?.ref();
        server.once('exit', fail);
        server.once('message', (message) => {
          server.channel?.unref();
          server.off('exit', fail);
          resolve(message as Finished);
        });
        server.send({ cwd, args });
      }),
  );
  shared.commands.last = finished.catch(() => undefined);
  return finished;
}
