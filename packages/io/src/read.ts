/**
 * Reads scenes. Every problem of a file is found in one pass and named with its line, its field and what would be right.
 *
 * JSON is a subset of YAML: where a line has to be named, it is read as such, so that there is one way to find lines.
 */
import { expandWeaves, type Scene, SceneError } from '@tendril/core';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
} from 'yaml';
import type * as z from 'zod';
import { applyChanges, type SceneChange } from './change.ts';
import { formatPath, InputError, type Problem } from './errors.ts';
import { createJsonLocator, readJson } from './json.ts';
import { type SceneFile, sceneSchema, sceneVersion, strandsSceneSchema } from './schema.ts';

export type ScenePath = readonly PropertyKey[];

export interface Place {
  readonly line: number;
  readonly column: number;
  /** The option that gave the field, where the file did not. */
  readonly origin?: string;
}

export interface ParsedScene {
  readonly scene: Scene;
  /** What was left out of or assumed about files that the scene names. */
  readonly warnings: readonly string[];
  /** Where a field stands in the text; where it is absent, the nearest field around it. */
  locate(path: ScenePath): Place;
}

export interface Resolved {
  readonly scene: Scene;
  /** For each rod that came from a file, in turn after the scene's own, the index in `strands`. */
  readonly origin: readonly number[];
  readonly warnings: readonly string[];
}

/** Puts what a scene takes from files in its place; `createFileResolver` makes one. */
export type FileResolver = (file: SceneFile) => Resolved;

/** A fault in a part of a scene that comes from a file; the path is that of the part. */
export class ResolveError extends Error {
  readonly path: readonly PropertyKey[];

  constructor(path: readonly PropertyKey[], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ResolveError';
    this.path = path;
  }
}

export interface ReadOptions {
  /** For scenes that name files; without it they are refused. (Given from outside: the readers of files are large.) */
  readonly files?: FileResolver;
  /** Values to replace before the scene is checked. */
  readonly changes?: readonly SceneChange[];
}

/** Larger files are refused: a scene of this size is a recording or a mistake. */
export const sceneSizeLimit: number = 64 * 1024 * 1024;
/** How many nodes aliases may make of a file, so that a small file cannot become a gigantic scene. */
const aliasLimit = 10_000;

export function parseScene(text: string, source: string, options: ReadOptions = {}): ParsedScene {
  if (text.length > sceneSizeLimit) {
    throw new InputError(source, `the file has ${text.length} characters; a scene may have ${sceneSizeLimit}`);
  }
  const lineCounter = new LineCounter();
  let opened: Document | undefined;
  const open = (): Document => {
    opened ??= readDocument(text, source, lineCounter);
    return opened;
  };
  const json = readJson(text);
  const written = json ?? toPlain(open(), text, source, lineCounter);
  const findPlace = json === undefined ? undefined : createJsonPlaces(text);
  const { value, originOf } = applyChanges(written, options.changes ?? []);
  const placeAt = (path: ScenePath, wantKey: boolean): Place => {
    const origin = originOf(path);
    const place = findPlace?.(path, wantKey) ?? placeOf(findOffset(open(), path, wantKey), lineCounter);
    return { ...place, ...(origin !== undefined && { origin }) };
  };
  const locate = (path: ScenePath): Place => placeAt(path, false);
  const locateKey = (path: ScenePath): Place => placeAt(path, true);
  if (value === null || value === undefined) {
    throw new InputError(source, [
      { line: 1, column: 1, message: 'the file is empty; a scene begins with "tendril: 1"' },
    ]);
  }
  const file = validate(value, source, { locate, locateKey });
  const { scene, origin, warnings, wovenRods, wovenLinks } = resolve(file, source, options, locate);
  const own = file.rods?.length ?? 0;
  const ownLinks = file.links?.length ?? 0;
  return {
    scene,
    warnings,
    // a rod from a file stands where the file is named, a fiber where its cloth is
    locate: (path) => {
      const rod = path[0] === 'rods' && typeof path[1] === 'number' ? path[1] - own : -1;
      const weave =
        wovenRods[rod - origin.length] ?? (path[0] === 'links' ? wovenLinks[Number(path[1]) - ownLinks] : undefined);
      if (weave !== undefined) return locate(['weaves', weave]);
      return locate(rod >= 0 && rod < origin.length ? ['strands', origin[rod]] : path);
    },
  };
}

/** What the scene takes from files is put in its place. */
function resolve(
  file: SceneFile,
  source: string,
  { files = withoutFiles }: ReadOptions,
  locate?: (path: ScenePath) => Place,
): Resolved & Pick<ReturnType<typeof expandWeaves>, 'wovenRods' | 'wovenLinks'> {
  try {
    const resolved = files(file);
    const woven = expandWeaves(resolved.scene);
    return { ...resolved, ...woven, scene: freeze(woven.scene) };
  } catch (error) {
    if (!(error instanceof ResolveError || error instanceof SceneError)) throw error;
    const problem = { ...locate?.(error.path), path: formatPath(error.path), message: error.message };
    throw new InputError(source, [problem], { cause: error });
  }
}

function withoutFiles({ strands, rods = [], colliders, ...rest }: SceneFile): Resolved {
  const refuse = (path: readonly PropertyKey[], name: string): never => {
    throw new ResolveError(path, `the scene takes '${name}' from a file, and files cannot be read here`);
  };
  const obstacles = colliders?.map((spec, k) =>
    spec.type === 'mesh-file' ? refuse(['colliders', k, 'file'], spec.file) : spec,
  );
  if (strands) refuse(['strands', 0, 'file'], strands[0].file);
  return { scene: { ...rest, rods, ...(obstacles && { colliders: obstacles }) }, origin: [], warnings: [] };
}

/** Reads a scene from values that a program made, where text carries units just as in a file. */
export function sceneFromObject(value: unknown, source = 'scene', options: ReadOptions = {}): Scene {
  const changed = applyChanges(value, options.changes ?? []);
  const locate = (path: ScenePath): { origin?: string } => ({ origin: changed.originOf(path) });
  return resolve(validate(changed.value, source, { locate, locateKey: locate }), source, options).scene;
}

/** Gives an error of the simulation core its place in the file. */
export function explainSceneError(
  error: SceneError,
  parsed: { locate(path: ScenePath): Place | undefined } | undefined,
  source: string,
): InputError {
  const place = parsed?.locate(error.path) ?? {};
  return new InputError(source, [{ ...place, path: formatPath(error.path), message: error.message }], { cause: error });
}

function placeOf(offset: number, lineCounter: LineCounter): Place {
  const { line, col } = lineCounter.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** Lines and columns in JSON, found without the reader of YAML. */
function createJsonPlaces(text: string): (path: ScenePath, wantKey: boolean) => Place {
  const offsetOf = createJsonLocator(text);
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let k = text.indexOf('\n'); k >= 0; k = text.indexOf('\n', k + 1)) lines.addNewLine(k + 1);
  return (path, wantKey) => placeOf(offsetOf(path, wantKey), lines);
}

function readDocument(text: string, source: string, lineCounter: LineCounter): Document {
  let document: Document;
  try {
    document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: true, merge: true });
  } catch (error) {
    // the parser recurses: a file of brackets alone can exhaust the stack
    if (error instanceof RangeError) throw nestedTooDeeply(text, source);
    throw error;
  }
  if (document.errors.some((error) => /call stack/.test(error.message))) throw nestedTooDeeply(text, source);
  const problems = document.errors.map((error): Problem => {
    const place = placeOf(error.pos[0], lineCounter);
    if (error.code === 'DUPLICATE_KEY') {
      const key = /^[^\s:,}]+/.exec(text.slice(error.pos[0]))?.[0] ?? '';
      return { ...place, message: `the field '${key}' is given twice; keep one` };
    }
    if (error.code === 'TAB_AS_INDENT') return { ...place, message: 'a tab is used to indent; YAML wants spaces' };
    if (error.code === 'MULTIPLE_DOCS')
      return { ...place, message: 'a second document begins here ("---"); a file holds one scene' };
    return { ...place, message: `YAML: ${error.message}` };
  });
  if (problems.length > 0) throw new InputError(source, problems);
  return document;
}

function toPlain(document: Document, text: string, source: string, lineCounter: LineCounter): unknown {
  try {
    return document.toJS({ maxAliasCount: aliasLimit });
  } catch (error) {
    if (error instanceof ReferenceError) {
      const message =
        /alias/i.test(error.message) && /excessive/i.test(error.message)
          ? 'aliases (*name) expand to too much; write fewer of them'
          : error.message;
      throw new InputError(source, [{ ...placeOf(document.range?.[0] ?? 0, lineCounter), message }]);
    }
    if (error instanceof RangeError) throw nestedTooDeeply(text, source);
    // the reader's own words on `<<: 5`
    if (error instanceof Error && /merge/i.test(error.message)) throw mergeError(document, source, lineCounter);
    throw error;
  }
}

/** `<<` takes its fields from another map; anything else is refused, at its line. */
function mergeError(document: Document, source: string, lineCounter: LineCounter): InputError {
  let offset = 0;
  visit(document, {
    Pair(_, pair) {
      const isMerge = isScalar(pair.key) && (pair.key.value === '<<' || pair.key.source === '<<');
      const merged = isAlias(pair.value) ? pair.value.resolve(document) : pair.value;
      const maps = isSeq(merged) ? merged.items : [merged];
      if (!isMerge || maps.every((map) => isMap(isAlias(map) ? map.resolve(document) : map))) return undefined;
      offset = (pair.key as Node).range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  const message = "'<<' takes the fields of another map, such as <<: *name; this is none";
  return new InputError(source, [{ ...placeOf(offset, lineCounter), message }]);
}

/** The readers recurse; a scene needs ten levels, and this many are surely too many. */
const depthLimit = 100;

function nestedTooDeeply(text: string, source: string): InputError {
  const message = 'the file is nested too deeply here; is a bracket missing?';
  return new InputError(source, [{ ...findDeepest(text), message }]);
}

/** Where brackets go deeper than the limit; else the line that is indented most. */
function findDeepest(text: string): Place {
  let [line, lineStart, depth] = [1, 0, 0];
  let indented = { line: 1, column: 1 };
  for (let i = 0; i < text.length; i++) {
    const letter = text[i];
    if (letter === '\n') {
      line++;
      lineStart = i + 1;
      const column = (/^[ \t-]*/.exec(text.slice(lineStart, lineStart + 10_000))?.[0].length ?? 0) + 1;
      if (column > indented.column) indented = { line, column };
    } else if (letter === '[' || letter === '{') depth++;
    else if (letter === ']' || letter === '}') depth--;
    if (depth > depthLimit) return { line, column: i - lineStart + 1 };
  }
  return indented;
}

/** The offset of the value at a path (or of its key), or of the nearest ancestor that exists. */
function findOffset(document: Document, path: ScenePath, wantKey: boolean): number {
  let node = document.contents as Node | null;
  let offset = node?.range?.[0] ?? 0;
  for (let depth = 0; depth < path.length; depth++) {
    if (isAlias(node)) node = node.resolve(document) ?? null;
    const key = path[depth];
    if (isMap(node)) {
      const pair = node.items.find((item) => keyOf(item) === String(key)) as Pair<Node, Node | null> | undefined;
      if (!pair) return offset;
      const keyOffset = pair.key.range?.[0] ?? offset;
      offset = wantKey && depth === path.length - 1 ? keyOffset : (pair.value?.range?.[0] ?? keyOffset);
      node = pair.value;
    } else if (isSeq(node) && typeof key === 'number' && node.items[key]) {
      node = node.items[key] as Node;
      offset = node.range?.[0] ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

function keyOf(pair: Pair): string {
  return String(isScalar(pair.key) ? pair.key.value : pair.key);
}

interface Locator {
  locate(path: ScenePath): Partial<Place>;
  locateKey(path: ScenePath): Partial<Place>;
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
  let faults = result.error.issues.flatMap((issue) => flatten(issue, []));
  // a field that is missing because its name is misspelt is one problem, not two
  const meant = new Set(
    faults.flatMap(({ path, message, atKey }) => {
      const name = atKey ? /did you mean '(.*)'\?$/.exec(message)?.[1] : undefined;
      return name === undefined ? [] : [formatPath([...path.slice(0, -1), name])];
    }),
  );
  faults = faults.filter(({ path, message }) => !(message.startsWith('missing') && meant.has(formatPath(path))));
  // what is wrong by the rules of this version may be right by those of a newer one
  if (typeof version === 'number' && version > sceneVersion)
    faults = faults.filter(({ path }) => path[0] === 'tendril');
  const problems = faults.map(({ path, message, atKey }): Problem => {
    const place = locator && (atKey ? locator.locateKey(path) : locator.locate(path));
    return { ...place, path: formatPath(path), message };
  });
  // in the order of the file, as one reads it
  problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  throw new InputError(source, problems);
}

interface Fault {
  readonly path: ScenePath;
  readonly message: string;
  /** The fault lies with the key, not with its value. */
  readonly atKey: boolean;
}

type Issue = z.core.$ZodIssue;

/** One fault an unknown field; of a union, the faults of the form that was meant. */
function flatten(issue: Issue, prefix: ScenePath): Fault[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    return issue.keys.map((key, k) => ({ path: [...path, key], message: messages[k] ?? issue.message, atKey: true }));
  }
  if (issue.code === 'invalid_union') {
    const meant = chooseForm(issue.errors);
    if (meant) return meant.flatMap((inner) => flatten(inner, path));
  }
  if (issue.code === 'invalid_key') return issue.issues.flatMap((inner) => flatten(inner, path));
  return [{ path, message: issue.message, atKey: false }];
}

/** The form whose kind of value was given and whose fields fit best; none when no form takes that kind of value. */
function chooseForm(forms: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  let best: readonly Issue[] | undefined;
  let bestMisfits = Number.POSITIVE_INFINITY;
  for (const form of forms) {
    if (form.some(isWrongKind)) continue;
    // unknown fields speak most strongly against a form: { formula: 5 } is a formula, not a list without its entries
    const misfits = form.reduce((sum, issue) => {
      if (issue.code === 'unrecognized_keys' && issue.path.length === 0) return sum + 10 * issue.keys.length;
      return sum + 1;
    }, 0);
    if (misfits < bestMisfits) {
      best = form;
      bestMisfits = misfits;
    } else if (misfits === bestMisfits && misfits >= 10) {
      // unknown fields, and two forms as far from them: the message that names all forms says more
      best = undefined;
    }
  }
  return best;
}

function isWrongKind(issue: Issue): boolean {
  if (issue.path.length > 0) return false;
  if (issue.code === 'invalid_type' || issue.code === 'invalid_value') return true;
  return issue.code === 'invalid_union' && issue.errors.length > 0 && chooseForm(issue.errors) === undefined;
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const child of Object.values(value)) freeze(child);
    Object.freeze(value);
  }
  return value;
}
