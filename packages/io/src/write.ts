/**
 * Writes files atomically: data go to a temporary file in the same folder, are flushed to disk, and the file is renamed in one
 * step. If a write fails (a full disk), the complete chunks before it remain, so a recording keeps its frames. Writing is
 * synchronous, because a run has nothing else to do meanwhile.
 */
import { channel } from 'node:diagnostics_channel';
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { InputError } from './errors.ts';

/** Whether an existing file may be replaced. */
export interface WriteOptions {
  /** Replaces a file that exists; without it, such a file is an error. */
  readonly overwrite?: boolean;
}

/** Writes a file under a temporary name and gives it its name when it is complete. */
export interface AtomicWriter {
  /** Name of the file once it is complete. */
  readonly path: string;
  /** Where the data are until `commit`. */
  readonly temporary: string;
  /** Of the chunks that were written whole. */
  readonly bytesWritten: number;
  /** Throws WriteError; the chunks before stay, and a part of this one does not. */
  append(chunk: Uint8Array | string): void;
  /** Lets what was appended so far reach the disk. */
  flush(): void;
  /** Gives the file its name; nothing can be appended afterwards. Where that fails the temporary file stays until `abort`. */
  commit(): void;
  /** Removes what was written; does nothing after commit. */
  abort(): void;
}

/** A file could not be written: a full disk, missing rights, a name that is taken. */
export class WriteError extends InputError {
  constructor(source: string, message: string, options?: ErrorOptions) {
    super(source, message, options);
    this.name = 'WriteError';
  }
}

/** Describes an error of the operating system, with a remedy. */
export function explainSystemError(error: unknown, path: string, verb: 'read' | 'write'): InputError {
  const code = (error as { code?: string } | null)?.code ?? '';
  const reasons: Readonly<Record<string, string>> = {
    ENOENT:
      verb === 'read'
        ? 'no such file; check the name'
        : `the folder '${dirname(path)}' does not exist; create it first`,
    EISDIR: 'this is a folder; name a file in it',
    ENOTDIR: 'a part of this path is a file, not a folder; check the name',
    EACCES: `not allowed to ${verb} it; check its permissions`,
    EPERM: `not allowed to ${verb} it; check its permissions`,
    EROFS: 'the disk is read-only; choose another folder',
    ENOSPC: 'the disk is full; free some space or choose another folder',
    EDQUOT: 'the disk quota is used up; free some space or choose another folder',
    EFBIG: 'the file is larger than the system allows; raise the limit (ulimit -f) or choose another disk',
    ENAMETOOLONG: 'the name is too long; choose a shorter one',
    EMFILE: 'too many files are open; close some',
  };
  const detail = error instanceof Error ? error.message : String(error);
  const message = Object.hasOwn(reasons, code) ? reasons[code] : `cannot ${verb} it: ${detail}`;
  return verb === 'write'
    ? new WriteError(path, message, { cause: error })
    : new InputError(path, message, { cause: error });
}

/** Runs an action of the file system; its error is explained. */
export function attempt<T>(path: string, verb: 'read' | 'write', action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof InputError ? error : explainSystemError(error, path, verb);
  }
}

/** Writes a file in one step: a crash leaves the old one as it was. */
export function writeFileAtomic(path: string, data: Uint8Array | string, options?: WriteOptions): void {
  const writer = createAtomicWriter(path, options);
  try {
    writer.append(data);
    writer.commit();
  } catch (error) {
    writer.abort();
    throw error;
  }
}

function refuseExisting(path: string): never {
  throw new WriteError(path, 'the file exists already; choose another name, or allow it to be overwritten');
}

let serial = 0;

/** Publishes the path of every temporary file when it is created, so that a program that ends without a chance to clean up can remove it. */
const temporaries = channel('tendril.temporary');

/** The name that a temporary file of this process has beside its target. */
function temporaryName(target: string): string {
  return `.${basename(target)}.${process.pid}-${Date.now().toString(36)}-${serial++}.tmp`;
}

/** The file that a temporary file was to become and the process that wrote it; undefined for other names. */
export function parseTemporaryName(name: string): { readonly target: string; readonly pid: number } | undefined {
  const [, target, pid] = /^\.(.+)\.(\d+)-[0-9a-z]+-\d+\.tmp$/.exec(name) ?? [];
  return target === undefined ? undefined : { target, pid: Number(pid) };
}

/** Permissions that a file keeps when it is replaced. `path`: its name for messages. */
function modeOf(target: string, path: string): number {
  if (!existsSync(target)) return 0o666;
  const existing = statSync(target);
  if (existing.isDirectory()) throw new WriteError(path, 'this is a folder; name a file in it');
  return existing.mode & 0o777;
}

/** Creates a writer that appends to a temporary file. */
export function createAtomicWriter(path: string, { overwrite = false }: WriteOptions = {}): AtomicWriter {
  if (!overwrite && existsSync(path)) refuseExisting(path);
  // a link keeps its target: the file it refers to is replaced, not the link
  const target = existsSync(path) ? realpathSync(path) : path;
  const mode = attempt(path, 'write', () => modeOf(target, path));
  const temporary = join(dirname(target), temporaryName(target));
  const handle = attempt(path, 'write', () => openSync(temporary, 'wx', mode));
  temporaries.publish(temporary);
  let state: 'open' | 'closed' | 'committed' | 'aborted' = 'open';
  let bytesWritten = 0;

  const insistOpen = (): void => {
    if (state !== 'open') throw new Error(`${path}: the file is ${state}`);
  };

  return {
    path,
    temporary,
    get bytesWritten() {
      return bytesWritten;
    },
    append(chunk) {
      insistOpen();
      const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
      try {
        // the system may take less than it is given
        for (let done = 0; done < bytes.length; )
          done += writeSync(handle, bytes, done, bytes.length - done, bytesWritten + done);
      } catch (error) {
        ftruncateSync(handle, bytesWritten);
        throw explainSystemError(error, path, 'write');
      }
      bytesWritten += bytes.length;
    },
    flush() {
      insistOpen();
      attempt(path, 'write', () => fsyncSync(handle));
    },
    commit() {
      insistOpen();
      attempt(path, 'write', () => fsyncSync(handle));
      // Windows renames closed files only
      closeSync(handle);
      state = 'closed';
      if (overwrite) attempt(path, 'write', () => renameSync(temporary, target));
      else nameIfFree(temporary, target, path);
      state = 'committed';
      syncFolder(dirname(target));
    },
    abort() {
      if (state === 'committed' || state === 'aborted') return;
      if (state === 'open') closeSync(handle);
      state = 'aborted';
      // the folder may no longer exist; the original error matters more
      rmSync(temporary, { force: true });
    },
  };
}

/** A hard link fails when the name is taken, where a rename would replace a file that came in the meantime. */
function nameIfFree(temporary: string, target: string, path: string): void {
  try {
    linkSync(temporary, target);
    unlinkSync(temporary);
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST' || existsSync(target)) refuseExisting(path);
    // not every file system has hard links
    attempt(path, 'write', () => renameSync(temporary, target));
  }
}

/** The name itself reaches the disk; where folders cannot be opened, the system does it in its own time. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // Windows and some network file systems refuse; the file itself is safe
  }
}
