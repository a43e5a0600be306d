/** The worker that the page talks to, and the number of the run that it shows. */
import { type AskOptions, type Client, startClient, WorkerError } from './client.ts';
import type { Answer, Ask, Command, NamedFile, RequestKind, RunEvent } from './protocol.ts';
import * as state from './state.ts';

let client: Client;
let listen: (event: RunEvent) => void = () => {};
/** Files that were given to the worker, for one that takes its place. */
let attached: readonly NamedFile[] = [];
/** Of the run that is shown, and how many there were. */
let run = 0;
let runs = 0;

/** What to do when the worker was replaced by a new one. */
export const onNewWorker: (() => void)[] = [];

/** Starts the worker. Events of runs other than the one that is shown are dropped. */
export function connect(to: typeof listen): void {
  listen = to;
  client = startClient((event) => {
    if (event.run === run) listen(event);
  });
}

/** Ends the worker, whatever it is busy with, and starts another. */
export function replaceWorker(): void {
  client.close();
  connect(listen);
  if (attached.length > 0) attachFiles(attached);
  for (const each of onNewWorker) each();
}

export function ask<K extends RequestKind>(kind: K, body: Ask<K>, options?: AskOptions): Promise<Answer<K>> {
  return client.ask(kind, body, options);
}

/** A number for a run that is to be. */
export const nextRun = (): number => ++runs;

/** What is shown from now on. */
export function showRun(number: number): void {
  run = number;
}

export const shownRun = (): number => run;

type Unnumbered<T> = T extends Command ? Omit<T, 'run'> : never;

/** A command to the run that is shown. */
export function command(what: Unnumbered<Command>): void {
  client.send({ ...what, run } as Command);
}

/** Files that the next scene names. */
export function attachFiles(files: readonly NamedFile[]): void {
  attached = files;
  ask('attach', { files }).catch((error) => explain(error, 'The files of the scene'));
}

/** What is to be done once there is a worker. */
const missed: (() => void)[] = [];

function startAgain(): void {
  replaceWorker();
  for (const each of missed.splice(0)) each();
}

/** Says in words that a request has failed. `what`: the subject of the sentence. */
export function explain(error: unknown, what: string, retry?: () => void): void {
  if (!(error instanceof WorkerError)) throw error;
  const { kind } = error;
  if (kind === 'cancelled') return;
  if (kind === 'absent') {
    if (retry) missed.push(retry);
    state.unfetched.value = { what: 'The simulation', retry: startAgain };
  } else if (kind === 'fetch' && retry) state.unfetched.value = { what, retry };
  else state.tell(`${what}: ${kind === 'fetch' ? 'it could not be fetched' : error.message}`, 'bad');
}
