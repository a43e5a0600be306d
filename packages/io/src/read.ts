/**
 * Reads scenes. Reports all problems of a file in one pass, each with its line, its field and a valid value.
 */
import { expandWeaves, type Scene, SceneError } from '@tendril-sim/core';
import { applyChanges, type SceneChange } from './change.ts';
import { type Place, parseText, type ScenePath } from './document.ts';
import { formatPath, InputError } from './errors.ts';
import { rejectOtherKind } from './fileKind.ts';
import { renameFormer } from './formerNames.ts';
import { type Expanded, expandPatterns, PatternError } from './patterns.ts';
import { type SceneFile, sceneSchema, sceneVersion, strandsSceneSchema } from './schema.ts';
import { explainIssues, type Locator } from './validation.ts';
import { windFileOf } from './windFile.ts';

/** A scene and its document. */
export interface ParsedScene {
  /** The scene in SI, checked. */
  readonly scene: Scene;
  /** Warnings: what was omitted from or assumed about files, and former names of options. */
  readonly warnings: readonly string[];
  /** Location of a field in the text; if it is absent, of the nearest enclosing field. */
  locate(path: ScenePath): Place;
}

export interface Resolved {
  readonly scene: Scene;
  /** For each rod that came from a file, in turn after the scene's own, the index in `strands`. */
  readonly origin: readonly number[];
  readonly warnings: readonly string[];
}

/** Replaces references to files by their content; `createFileResolver` creates one. */
export type FileResolver = (file: SceneFile) => Resolved;

/** An error in a part of a scene that comes from a file; the path is that of the part. */
export class ResolveError extends Error {
  readonly path: readonly PropertyKey[];

  constructor(path: readonly PropertyKey[], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ResolveError';
    this.path = path;
  }
}

/** How files that a scene refers to are found. */
export interface ReadOptions {
  /** For scenes that refer to files; without it they are rejected. (Injected, because the readers of files are large.) */
  readonly files?: FileResolver;
  /** Values to replace before the scene is checked. */
  readonly changes?: readonly SceneChange[];
}

/** Larger files are rejected: a scene of this size is a recording or a mistake. */
export const sceneSizeLimit: number = 64 * 1024 * 1024;

/** Reads a scene from YAML or JSON text; throws `InputError` with all problems. */
export function parseScene(text: string, source: string, options: ReadOptions = {}): ParsedScene {
  if (text.length > sceneSizeLimit) {
    throw new InputError(source, `the file has ${text.length} characters; a scene may have ${sceneSizeLimit}`);
  }
  const written = parseText(text, source);
  rejectOtherKind(written, source, 'tendril');
  const changed = applyChanges(written.value, options.changes ?? []);
  const { originOf } = changed;
  const { value, warnings: renamed } = renameFormer(changed.value);
  const placeAt = (path: ScenePath, of: 'key' | 'value'): Place => {
    const origin = originOf(path);
    return { ...written.place(path, of), ...(origin !== undefined && { origin }) };
  };
  const locate = (path: ScenePath): Place => placeAt(path, 'value');
  const locateKey = (path: ScenePath): Place => placeAt(path, 'key');
  if (value === null || value === undefined) {
    throw new InputError(source, [
      { line: 1, column: 1, message: 'the file is empty; a scene begins with "tendril: 1"' },
    ]);
  }
  const file = validate(value, source, { locate, locateKey });
  const { scene, origin, warnings, wovenRods, wovenLinks, pinOrigin, weldOrigin } = resolve(
    file,
    source,
    options,
    locate,
  );
  const own = file.rods?.length ?? 0;
  const ownLinks = file.links?.length ?? 0;
  return {
    scene,
    warnings: [...renamed, ...warnings],
    // a rod from a file is located at the reference to the file, a fiber at its cloth
    locate: (path) => {
      const rod = path[0] === 'rods' && typeof path[1] === 'number' ? path[1] - own : -1;
      const weave =
        wovenRods[rod - origin.length] ?? (path[0] === 'links' ? wovenLinks[Number(path[1]) - ownLinks] : undefined);
      if (weave !== undefined) return locate(['weaves', weave]);
      // a pin from a pattern is located at the pattern
      const place = path[0] === 'pins' ? pinOrigin : path[0] === 'welds' ? weldOrigin : undefined;
      const written = place?.[Number(path[1])];
      if (written !== undefined && written !== path[1]) return locate([path[0], written, ...path.slice(2)]);
      return locate(rod >= 0 && rod < origin.length ? ['strands', origin[rod]] : path);
    },
  };
}

/** Replaces references to files by their content. */
function resolve(
  file: SceneFile,
  source: string,
  { files = withoutFiles }: ReadOptions,
  locate?: (path: ScenePath) => Place,
): Resolved & Pick<ReturnType<typeof expandWeaves>, 'wovenRods' | 'wovenLinks'> & Omit<Expanded, 'scene'> {
  try {
    const resolved = files(file);
    const woven = expandWeaves(resolved.scene);
    const expanded = expandPatterns(woven.scene);
    return { ...resolved, ...woven, ...expanded, scene: freeze(expanded.scene) };
  } catch (error) {
    if (!(error instanceof ResolveError || error instanceof SceneError || error instanceof PatternError)) throw error;
    const problem = { ...locate?.(error.path), path: formatPath(error.path), message: error.message };
    throw new InputError(source, [problem], { cause: error });
  }
}

function withoutFiles({ strands, rods = [], colliders, fields, ...rest }: SceneFile): Resolved {
  const refuse = (path: readonly PropertyKey[], name: string): never => {
    throw new ResolveError(path, `the scene takes '${name}' from a file, and files cannot be read here`);
  };
  const obstacles = colliders?.map((spec, k) =>
    spec.type === 'mesh-file' ? refuse(['colliders', k, 'file'], spec.file) : spec,
  );
  if (strands) refuse(['strands', 0, 'file'], strands[0].file);
  fields?.forEach((field, k) => {
    const wind = windFileOf(field);
    if (wind) refuse(['fields', k, 'wind', 'grid', 'file'], wind.file);
  });
  const scene = { ...rest, rods, ...(obstacles && { colliders: obstacles }), ...(fields && { fields }) } as Scene;
  return { scene, origin: [], warnings: [] };
}

/** Reads a scene from values of a program; text may have units just as in a file. */
export function sceneFromObject(value: unknown, source = 'scene', options: ReadOptions = {}): Scene {
  const changed = applyChanges(value, options.changes ?? []);
  const locate = (path: ScenePath): { origin?: string } => ({ origin: changed.originOf(path) });
  return resolve(validate(renameFormer(changed.value).value, source, { locate, locateKey: locate }), source, options)
    .scene;
}

/** Adds the location in the file to an error of the simulation core. */
export function explainSceneError(
  error: SceneError,
  parsed: { locate(path: ScenePath): Place | undefined } | undefined,
  source: string,
): InputError {
  const place = parsed?.locate(error.path) ?? {};
  return new InputError(source, [{ ...place, path: formatPath(error.path), message: error.message }], { cause: error });
}

/**
 * A path that was one object for many pins (an alias in a file, a program's constant) is one again: reading copies it for each,
 * which for 25,000 hairs on a head that moves is half a gigabyte.
 */
function sharePaths(written: unknown, scene: SceneFile): void {
  const { pins } = written as { readonly pins?: readonly { readonly path?: unknown }[] };
  const shared = new Map<unknown, unknown>();
  scene.pins?.forEach((pin, k) => {
    const path = pins?.[k]?.path;
    if (typeof path !== 'object' || path === null || !pin.path) return;
    if (shared.has(path)) Object.assign(pin, { path: shared.get(path) });
    else shared.set(path, pin.path);
  });
}

function validate(value: unknown, source: string, locator?: Locator): SceneFile {
  const version = typeof value === 'object' && value !== null ? (value as { tendril?: unknown }).tendril : undefined;
  const fromFiles = typeof value === 'object' && value !== null && ('strands' in value || 'weaves' in value);
  const result = (fromFiles ? strandsSceneSchema : sceneSchema).safeParse(value);
  if (result.success) {
    sharePaths(value, result.data);
    return result.data;
  }
  // a scene of a newer version may be valid by its rules
  const isNewer = typeof version === 'number' && version > sceneVersion;
  throw explainIssues(result.error.issues, source, locator, (path) => !isNewer || path[0] === 'tendril');
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const child of Object.values(value)) freeze(child);
    Object.freeze(value);
  }
  return value;
}
