/**
 * The folder that a command writes into. Nothing is written outside it, and nothing in it is replaced without --force: an explicit folder that already
 * holds results is rejected, a default one gets a new number.
 */
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { InputError } from '@tendril-sim/io';
import { type AtomicWriter, createAtomicWriter, parseTemporaryName, writeFileAtomic } from '@tendril-sim/io/node';
import { UsageError } from './exit.ts';
import { isAbandoned, isAlive, lockFolder, refuseLocked } from './lock.ts';

export interface Folder {
  readonly path: string;
  /** Names of the files written so far. */
  readonly written: readonly string[];
  write(name: string, data: Uint8Array | string | Iterable<string>): void;
  /** Opens a file that grows; it counts as written from now on. */
  open(name: string): AtomicWriter;
  /** Counts a file as written that another function wrote. */
  note(name: string): void;
  /** Writes `checkpoint.tendril`, replacing the previous one. */
  checkpoint(data: Uint8Array): void;
  /** Reserves so many bytes of disk space for use after a failed write; 0 releases them. */
  reserve(bytes: number): void;
  /** Removes files of earlier commands that this one replaces but did not write again, and the checkpoint. */
  finish(): void;
  /** Releases the folder for others; removes it if nothing was written. */
  close(): void;
}

/** Every name that a command may write; a folder with one of them holds a result. */
const resultNames = [
  'result.json',
  'recording.tendril',
  'state.tendril',
  'energies.csv',
  'energies.svg',
  'picture.svg',
  'picture.png',
  'probes.csv',
  'probes.svg',
  'modes.csv',
  'modes.svg',
  'modes.png',
  'compare.json',
  'compare.csv',
  'distances.csv',
  'distances.svg',
  'branches.csv',
  'branches.svg',
  'gradient.csv',
  'fit.json',
  'residuals.csv',
  'shapes.svg',
  'shapes.png',
];

export interface FolderOptions {
  readonly out?: string;
  readonly force?: boolean;
  /** Name of the default folder, out/<name>. */
  readonly name: string;
}

/** The state at the last checkpoint; remains after a command was killed. */
export const checkpointName = 'checkpoint.tendril';
const reserveName = '.reserve.tmp';

export function openFolder({ out, force = false, name }: FolderOptions): Folder {
  const isNew = out === undefined || !existsSync(out);
  const path = out ?? claimFresh(name);
  if (out !== undefined) prepare(out, { force });
  const unlock = lock(path);
  // another command may have finished here in the meantime
  if (out !== undefined && !force) refuseHeld(out, unlock);
  const written: string[] = [];
  const open = (file: string): AtomicWriter => {
    const writer = openFile(path, file, force);
    written.push(file);
    return writer;
  };
  return {
    path,
    written,
    open,
    write(file, data) {
      const writer = open(file);
      try {
        if (typeof data === 'string' || data instanceof Uint8Array) writer.append(data);
        else for (const chunk of data) writer.append(chunk);
        writer.commit();
      } catch (error) {
        writer.abort();
        written.splice(written.indexOf(file), 1);
        throw error;
      }
    },
    note: (file) => void written.push(file),
    checkpoint: (data) => writeFileAtomic(join(path, checkpointName), data, { overwrite: true }),
    reserve(bytes) {
      rmSync(join(path, reserveName), { force: true });
      if (bytes > 0) writeFileAtomic(join(path, reserveName), new Uint8Array(bytes));
    },
    finish() {
      rmSync(join(path, checkpointName), { force: true });
      rmSync(join(path, reserveName), { force: true });
      if (force) removeOld(path, written);
    },
    close() {
      rmSync(join(path, reserveName), { force: true });
      unlock();
      if (isNew && readdirSync(path).length === 0) rmdirSync(path);
    },
  };
}

/** Opens a file of the output. */
function openFile(folder: string, file: string, overwrite: boolean): AtomicWriter {
  const writer = createAtomicWriter(join(folder, file), { overwrite });
  return {
    ...writer,
    get bytesWritten() {
      return writer.bytesWritten;
    },
    commit() {
      // an old result must not vouch for new files: it is removed before the first of them, and the new one is written last
      if (overwrite) for (const old of ['result.json', 'compare.json']) rmSync(join(folder, old), { force: true });
      writer.commit();
    },
  };
}

/** Removes files of earlier commands that this one did not write again; temporary files only if their command is not running. */
function removeOld(folder: string, written: readonly string[]): void {
  for (const file of leftovers(folder)) {
    const pid = parseTemporaryName(file)?.pid;
    if (pid === undefined || pid === process.pid || !isAlive(pid)) rmSync(join(folder, file), { force: true });
  }
  for (const file of resultNames) if (!written.includes(file)) rmSync(join(folder, file), { force: true });
}

function lock(path: string): () => void {
  try {
    return lockFolder(path);
  } catch (error) {
    throw error instanceof UsageError ? error : cannotWrite(path, error);
  }
}

/** Temporary files in a folder, including those of a running command. */
export function leftovers(path: string): string[] {
  return readdirSync(path).filter((name) => parseTemporaryName(name) !== undefined || name === reserveName);
}

/** True if a command was killed here before it could save its work. */
export function isUnfinished(path: string): boolean {
  return (
    isAbandoned(path) &&
    (existsSync(join(path, checkpointName)) ||
      leftovers(path).some((name) => parseTemporaryName(name)?.target === 'recording.tendril'))
  );
}

/** Rejects an unusable folder before the work is done, not after. */
export function checkFolder({ out, force = false }: Omit<FolderOptions, 'name'>): void {
  if (out === undefined || !existsSync(out)) return;
  if (!statSync(out).isDirectory()) throw new UsageError(`'${out}' is a file; --out expects a folder`);
  refuseLocked(out);
  if (force) return;
  if (isUnfinished(out))
    throw new UsageError(
      `'${out}' has an unfinished run that was killed; save its frames with: tendril recover ${out}\n  or choose another --out, or add --force to discard it`,
    );
  refuseHeld(out);
}

function refuseHeld(out: string, undo: () => void = () => {}): void {
  const held = resultNames.find((file) => existsSync(join(out, file)));
  if (held === undefined) return;
  undo();
  throw new UsageError(`'${out}' already has a result (${held}); choose another --out, or add --force to replace it`);
}

function prepare(out: string, { force }: { readonly force: boolean }): void {
  checkFolder({ out, force });
  ensureFolder(out);
}

/** Creates a folder and its parents unless they exist. */
export function ensureFolder(out: string): void {
  try {
    makeFolder(resolve(out));
  } catch (error) {
    throw cannotMake(out, error);
  }
}

/** Creates one folder after the other: Node's own recursion never ends if a parent rejects children, as /proc does. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    // someone else may have made it in the meantime
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Creates out/<name>, or the first of out/<name>-2, -3, … that does not exist, so that no other command takes it. */
function claimFresh(name: string): string {
  prepare('out', { force: true });
  for (let k = 1; ; k++) {
    const path = join('out', k === 1 ? name : `${name}-${k}`);
    try {
      mkdirSync(path);
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotMake(path, error);
    }
  }
}

/** The latest of the default folders of a name that holds an unfinished run. */
export function findUnfinished(name: string): string | undefined {
  let found: string | undefined;
  for (let k = 1; ; k++) {
    const path = join('out', k === 1 ? name : `${name}-${k}`);
    if (!existsSync(path)) return found;
    if (statSync(path).isDirectory() && isUnfinished(path)) found = path;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/,.*/, '') : String(error);
}

function cannotMake(path: string, error: unknown): InputError {
  return new InputError(path, `cannot create the folder (${reasonOf(error)}); choose another with --out`, {
    cause: error,
  });
}

function cannotWrite(path: string, error: unknown): InputError {
  return new InputError(path, `cannot write into the folder (${reasonOf(error)}); choose another with --out`, {
    cause: error,
  });
}
