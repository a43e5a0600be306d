/** Reads scenes, curves, meshes, recordings and states from files, and writes states. */
import { closeSync, fstatSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import type { Hairstyle, PathSpec, Scene, Texture, WorldState } from '@tendril-sim/core';
import { InputError } from './errors.ts';
import { decodeHairstyle, decodeMotion, type Motion } from './hairstyle.ts';
import { type Curves, curveFileLimit, type Placement } from './import/curves.ts';
import { readMesh } from './import/mesh.ts';
import type { TriangleMesh } from './import/meshFile.ts';
import { readTexture } from './import/png.ts';
import { type CurveOptions, readCurves } from './import/read.ts';
import { parsePath } from './pathFile.ts';
import { type ParsedScene, parseScene, type ReadOptions, sceneSizeLimit } from './read.ts';
import { type DecodeOptions, decodeRecording, type Recording, readRecording } from './recording.ts';
import { createFileResolver } from './resolve.ts';
import { type AnimatedSkin, readAnimatedSkin } from './skin.ts';
import { decodeState, encodeState, type SavedState } from './state.ts';
import { attempt, type WriteOptions, writeFileAtomic } from './write.ts';

/** Of one read into memory. */
const memoryLimit = 2 ** 31 - 1;

/** Rejects larger files, and devices: /dev/zero has no end. A pipe is read up to the limit. */
function readBytes(path: string, limit: number, what: string, handle = openFile(path)): Uint8Array {
  try {
    const stats = attempt(path, 'read', () => fstatSync(handle));
    const tooLarge = (size: string): InputError =>
      new InputError(path, `the file has ${size} bytes, and ${limit} are allowed; is it ${what}?`);
    if (stats.isDirectory()) throw new InputError(path, 'this is a folder; name a file in it');
    if (stats.isCharacterDevice() || stats.isBlockDevice())
      throw new InputError(path, `this is a device, not a file; name ${what}`);
    if (stats.size > limit) throw tooLarge(String(stats.size));
    if (stats.isFile()) return attempt(path, 'read', () => readFileSync(handle));
    return attempt(path, 'read', () => {
      const chunks: Uint8Array[] = [];
      for (let size = 0; ; ) {
        const chunk = new Uint8Array(1 << 16);
        const count = readSync(handle, chunk, 0, chunk.length, null);
        if (count === 0) return Buffer.concat(chunks);
        chunks.push(chunk.subarray(0, count));
        size += count;
        if (size > limit) throw tooLarge(`more than ${limit}`);
      }
    });
  } finally {
    if (handle !== 0) closeSync(handle);
  }
}

function openFile(path: string): number {
  return attempt(path, 'read', () => openSync(path, 'r'));
}

type SceneOptions = Pick<ReadOptions, 'changes'>;

/** Reads a scene file; throws `InputError` with all problems. */
export function readSceneFile(path: string, options: SceneOptions = {}): ParsedScene {
  return readScene(readBytes(path, sceneSizeLimit, 'a scene'), path, dirname(path), options);
}

/** A motion as a scene writes it: the keys of a `path`. */
export function readPathFile(path: string): PathSpec {
  return parsePath(decodeText(readBytes(path, sceneSizeLimit, 'a motion'), path), path);
}

/** A scene from standard input; files that it refers to are in the working folder. */
export function readSceneInput(options: SceneOptions = {}): ParsedScene {
  const source = 'standard input';
  return readScene(readBytes(source, sceneSizeLimit, 'a scene', 0), source, '.', options);
}

function readScene(bytes: Uint8Array, source: string, folder: string, options: SceneOptions): ParsedScene {
  return parseScene(decodeText(bytes, source), source, { ...options, files: createFileResolver(openWithin(folder)) });
}

function decodeText(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InputError(source, 'this is not UTF-8 text; a scene is a YAML or JSON file, saved as UTF-8');
  }
}

/**
 * Opens files in a folder or below it, and none elsewhere: a scene from someone else must not read other files. Links are resolved before the check.
 */
export function openWithin(folder: string): (name: string) => Uint8Array {
  return (name) => {
    const path = join(folder, name);
    const outside = (): InputError =>
      new InputError(name, `it lies outside the scene's folder '${folder}'; put it there, or a scene beside it`);
    if (isAbsolute(name) || /^[A-Za-z]:|^\\\\/.test(name) || name.includes('\0')) throw outside();
    // paths that go up are rejected whether they exist or not
    if (relative(folder, path).split(/[\\/]/)[0] === '..') throw outside();
    const real = attempt(path, 'read', () => realpathSync(path));
    const home = attempt(folder, 'read', () => realpathSync(folder));
    if (relative(home, real).split(/[\\/]/)[0] === '..' || isAbsolute(relative(home, real))) throw outside();
    return readBytes(real, curveFileLimit, 'a file of curves, a mesh or wind');
  };
}

/** Curves from a file, in metres with z up. */
export function readCurvesFile(path: string, options?: CurveOptions): Curves {
  return readCurves(readBytes(path, curveFileLimit, 'a file of curves'), path, options);
}

/** Reads a hairstyle from a file. */
export function readHairstyleFile(path: string): Hairstyle {
  return decodeHairstyle(readBytes(path, curveFileLimit, 'a hairstyle'), path);
}

/** Reads a motion from a file. */
export function readMotionFile(path: string): Motion {
  return decodeMotion(readBytes(path, memoryLimit, 'a motion of hair'), path);
}

/** A mesh from an OBJ, glTF, USD or Alembic file, in metres with z up. */
export function readMeshFile(path: string, placement?: Placement): TriangleMesh {
  return readMesh(readBytes(path, curveFileLimit, 'a mesh'), path, placement);
}

/** A texture from a PNG file. */
export function readTextureFile(path: string): Texture {
  return readTexture(readBytes(path, curveFileLimit, 'a picture'), path);
}

/** A mesh and one of its animations from a glTF, USD or Alembic file; without a name, the only one. */
export function readSkinFile(path: string, options: Parameters<typeof readAnimatedSkin>[2]): AnimatedSkin {
  return readAnimatedSkin(readBytes(path, curveFileLimit, 'a mesh'), path, options);
}

/** Reads a whole recording from a file. */
export function readRecordingFile(path: string, options?: DecodeOptions): Recording {
  return decodeRecording(readBytes(path, memoryLimit, 'a recording'), path, options);
}

/** A recording file that is read frame by frame. */
export interface OpenRecording extends Recording {
  /** Closes the file. */
  close(): void;
}

/** A recording of any length; only one frame at a time is in memory. Close it when done. */
export function openRecordingFile(path: string, options?: DecodeOptions): OpenRecording {
  const handle = openFile(path);
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
    if (!stats.isFile()) throw new InputError(path, 'this is a device or a pipe; name a recording');
    return { ...readRecording({ size: stats.size, read }, path, options), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Pass `scene` to have a state of another scene rejected. */
export function readStateFile(path: string, scene?: Scene): SavedState {
  return decodeState(readBytes(path, memoryLimit, 'a state'), path, scene);
}

/** Writes a state to a file, atomically. */
export function writeStateFile(
  path: string,
  state: WorldState,
  about: { readonly scene: Scene; readonly version: string },
  options?: WriteOptions,
): void {
  writeFileAtomic(path, encodeState(state, about), options);
}

export { type Gpu, NoGpuError, startGpu } from './gpu.ts';
export { startSimdThreads, startThreads, type Threads } from './threads.ts';
export {
  type AtomicWriter,
  createAtomicWriter,
  parseTemporaryName,
  WriteError,
  type WriteOptions,
  writeFileAtomic,
} from './write.ts';
