/**
 * The folder that a command writes into. Nothing is written outside it, and nothing in it is replaced unless asked:
 * an explicit folder that already holds results is refused, a default one gets a fresh number.
 */
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { InputError } from '@tendril/io';
import { type AtomicWriter, createAtomicWriter } from '@tendril/io/node';
import { UsageError } from './exit.ts';

export interface Folder {
  readonly path: string;
  /** Names of the files written so far. */
  readonly written: readonly string[];
  write(name: string, data: Uint8Array | string | Iterable<string>): void;
  /** For a file that grows; counts as written from now on. */
  open(name: string): AtomicWriter;
  /** Counts a file as written that another function wrote. */
  note(name: string): void;
  /** Removes results of an earlier run that this one replaced but did not write again. */
  finish(): void;
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
  'modes.csv',
  'modes.svg',
  'modes.png',
  'compare.json',
  'compare.csv',
  'distances.csv',
  'distances.svg',
  'shapes.svg',
  'shapes.png',
];

export interface FolderOptions {
  readonly out?: string;
  readonly force?: boolean;
  /** Names the default folder, out/<name>. */
  readonly name: string;
}

export function openFolder({ out, force = false, name }: FolderOptions): Folder {
  const path = out ?? claimFresh(name);
  if (out !== undefined) prepare(out, force);
  const written: string[] = [];
  const open = (file: string): AtomicWriter => {
    const writer = createAtomicWriter(join(path, file), { overwrite: force });
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
        throw error;
      }
    },
    note: (file) => void written.push(file),
    finish() {
      if (!force) return;
      for (const file of resultNames) if (!written.includes(file)) rmSync(join(path, file), { force: true });
    },
  };
}

/** Says no before the work is done, not after. */
export function checkFolder({ out, force = false }: Omit<FolderOptions, 'name'>): void {
  if (out === undefined || !existsSync(out)) return;
  if (!statSync(out).isDirectory()) throw new UsageError(`'${out}' is a file; --out wants a folder`);
  const held = resultNames.filter((file) => existsSync(join(out, file)));
  if (held.length > 0 && !force) {
    throw new UsageError(
      `'${out}' already holds a result (${held[0]}); choose another --out, or add --force to replace it`,
    );
  }
}

function prepare(out: string, force: boolean): void {
  checkFolder({ out, force });
  try {
    makeFolder(resolve(out));
  } catch (error) {
    throw cannotMake(out, error);
  }
}

/** One folder after the other: Node's own recursion never ends where a parent refuses children, as /proc does. */
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

/** out/<name>, or the first of out/<name>-2, -3, … that does not exist; made at once, so that no one else takes it. */
function claimFresh(name: string): string {
  prepare('out', true);
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

function cannotMake(path: string, error: unknown): InputError {
  const reason = error instanceof Error ? error.message.replace(/,.*/, '') : String(error);
  return new InputError(path, `cannot make the folder (${reason}); choose another with --out`, { cause: error });
}
