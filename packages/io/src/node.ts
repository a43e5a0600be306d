/**
 * Files. A file is either as it was before or wholly new: data go to a temporary file in the same folder, reach the
 * disk, and then take the name in one step. Synchronous, because a run has nothing else to do while it writes.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import type { Hairstyle, Scene, WorldState } from '@tendril/core';
import { InputError } from './errors.ts';
import { decodeHairstyle, decodeMotion, type Motion } from './hairstyle.ts';
import { type Curves, curveFileLimit, type Placement } from './import/curves.ts';
import { readMesh, type TriangleMesh } from './import/mesh.ts';
import { type CurveOptions, readCurves } from './import/read.ts';
import { type ParsedScene, parseScene, sceneSizeLimit } from './read.ts';
import { type DecodeOptions, decodeRecording, type Recording, readRecording } from './recording.ts';
import { createFileResolver } from './resolve.ts';
import { decodeState, encodeState, type SavedState } from './state.ts';

export interface WriteOptions {
  /** Replaces a file that exists; without it, such a file is an error. */
  readonly overwrite?: boolean;
}

export interface AtomicWriter {
  readonly path: string;
  readonly bytesWritten: number;
  append(chunk: Uint8Array | string): void;
  /** Gives the file its name; nothing can be appended afterwards. */
  commit(): void;
  /** Removes what was written; does nothing after commit. */
  abort(): void;
}

/** What the system said, in words and with a remedy. */
function explain(error: unknown, path: string, verb: string): InputError {
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
    ENAMETOOLONG: 'the name is too long; choose a shorter one',
    EMFILE: 'too many files are open; close some',
  };
  const detail = error instanceof Error ? error.message : String(error);
  return new InputError(path, Object.hasOwn(reasons, code) ? reasons[code] : `cannot ${verb} it: ${detail}`, {
    cause: error,
  });
}

function attempt<T>(path: string, verb: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof InputError ? error : explain(error, path, verb);
  }
}

function readBytes(path: string, limit = Number.POSITIVE_INFINITY, what = 'a scene'): Uint8Array {
  return attempt(path, 'read', () => {
    const { size } = statSync(path);
    if (size > limit)
      throw new InputError(path, `the file has ${size} bytes, and ${limit} are allowed; is it ${what}?`);
    return readFileSync(path);
  });
}

export function readSceneFile(path: string): ParsedScene {
  const bytes = readBytes(path, sceneSizeLimit);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InputError(path, 'this is not UTF-8 text; a scene is a YAML or JSON file, saved as UTF-8');
  }
  return parseScene(text, path, { files: createFileResolver(openWithin(dirname(path))) });
}

/**
 * Opens files in a folder or below it, and none elsewhere: a scene from someone else must not read what is not its own.
 * Links are followed before that is judged.
 */
export function openWithin(folder: string): (name: string) => Uint8Array {
  return (name) => {
    const path = join(folder, name);
    const outside = (): InputError =>
      new InputError(name, `it lies outside the scene's folder '${folder}'; put it there, or a scene beside it`);
    if (isAbsolute(name) || /^[A-Za-z]:|^\\\\/.test(name) || name.includes('\0')) throw outside();
    // what is named by going up is refused whether it exists or not
    if (relative(folder, path).split(/[\\/]/)[0] === '..') throw outside();
    const real = attempt(path, 'read', () => realpathSync(path));
    const home = attempt(folder, 'read', () => realpathSync(folder));
    if (relative(home, real).split(/[\\/]/)[0] === '..' || isAbsolute(relative(home, real))) throw outside();
    return readBytes(real, curveFileLimit, 'a file of curves or a mesh');
  };
}

/** Curves from a file, in metres with z up. */
export function readCurvesFile(path: string, options?: CurveOptions): Curves {
  return readCurves(readBytes(path, curveFileLimit, 'a file of curves'), path, options);
}

export function readHairstyleFile(path: string): Hairstyle {
  return decodeHairstyle(readBytes(path, curveFileLimit, 'a hairstyle'), path);
}

export function readMotionFile(path: string): Motion {
  return decodeMotion(readBytes(path), path);
}

/** A mesh from an OBJ or glTF file, in metres with z up. */
export function readMeshFile(path: string, placement?: Placement): TriangleMesh {
  return readMesh(readBytes(path, curveFileLimit, 'a mesh'), path, placement);
}

export function readRecordingFile(path: string, options?: DecodeOptions): Recording {
  return decodeRecording(readBytes(path), path, options);
}

export interface OpenRecording extends Recording {
  close(): void;
}

/** A recording of any length, of which one frame at a time is in memory. Close it when done. */
export function openRecordingFile(path: string, options?: DecodeOptions): OpenRecording {
  const handle = attempt(path, 'read', () => openSync(path, 'r'));
  let open = true;
  const close = (): void => {
    if (open) closeSync(handle);
    open = false;
  };
  const read = (offset: number, length: number): Uint8Array => {
    const bytes = new Uint8Array(length);
    attempt(path, 'read', () => {
      for (let done = 0; done < length; ) {
        const count = readSync(handle, bytes, done, length - done, offset + done);
        if (count === 0) throw new InputError(path, 'the file became shorter while it was read; try again');
        done += count;
      }
    });
    return bytes;
  };
  try {
    const stats = attempt(path, 'read', () => fstatSync(handle));
    if (stats.isDirectory()) throw new InputError(path, 'this is a folder; name a file in it');
    return { ...readRecording({ size: stats.size, read }, path, options), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Pass `scene` to have a state of another scene refused. */
export function readStateFile(path: string, scene?: Scene): SavedState {
  return decodeState(readBytes(path), path, scene);
}

export function writeStateFile(
  path: string,
  state: WorldState,
  about: { readonly scene: Scene; readonly version: string },
  options?: WriteOptions,
): void {
  writeFileAtomic(path, encodeState(state, about), options);
}

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
  throw new InputError(path, 'the file exists already; choose another name, or allow it to be overwritten');
}

let serial = 0;

export function createAtomicWriter(path: string, { overwrite = false }: WriteOptions = {}): AtomicWriter {
  if (!overwrite && existsSync(path)) refuseExisting(path);
  // a link keeps pointing where it did: what it names is replaced, not the link
  const target = existsSync(path) ? realpathSync(path) : path;
  const mode = attempt(path, 'write', () => {
    if (!existsSync(target)) return 0o666;
    const existing = statSync(target);
    if (existing.isDirectory()) throw new InputError(path, 'this is a folder; name a file in it');
    return existing.mode & 0o777;
  });
  const temporary = join(
    dirname(target),
    `.${basename(target)}.${process.pid}-${Date.now().toString(36)}-${serial++}.tmp`,
  );
  const handle = attempt(path, 'write', () => openSync(temporary, 'wx', mode));
  let state: 'open' | 'closed' | 'committed' | 'aborted' = 'open';
  let bytesWritten = 0;

  const abort = (): void => {
    if (state === 'committed' || state === 'aborted') return;
    if (state === 'open') closeSync(handle);
    state = 'aborted';
    unlinkSync(temporary);
  };

  return {
    path,
    get bytesWritten() {
      return bytesWritten;
    },
    append(chunk) {
      if (state !== 'open') throw new Error(`${path}: the file is ${state}`);
      const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
      attempt(path, 'write', () => {
        // the system may take less than it is given
        for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done, bytes.length - done);
      });
      bytesWritten += bytes.length;
    },
    commit() {
      if (state !== 'open') throw new Error(`${path}: the file is ${state}`);
      try {
        attempt(path, 'write', () => fsyncSync(handle));
        // Windows renames closed files only
        closeSync(handle);
        state = 'closed';
        if (overwrite) attempt(path, 'write', () => renameSync(temporary, target));
        else nameIfFree(temporary, target, path);
      } catch (error) {
        abort();
        throw error;
      }
      state = 'committed';
      syncFolder(dirname(target));
    },
    abort,
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

export { startThreads, type Threads } from './threads.ts';
