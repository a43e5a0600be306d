/**
 * Reads YAML and JSON text into plain values, and finds the line and column of a field. Used for scenes and studies.
 *
 * JSON is a subset of YAML, so lines of JSON are located by parsing it as YAML.
 */
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
import { InputError, type Problem } from './errors.ts';
import { createJsonLocator, readJson } from './json.ts';

/** Path to a field of a scene. */
export type ScenePath = readonly PropertyKey[];

/** Line and column in a file, from 1. */
export interface Place {
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 1. */
  readonly column: number;
  /** The option that set the field, if the file did not. */
  readonly origin?: string;
}

/** Maximum number of nodes from YAML aliases, so that a small file cannot become a gigantic scene. */
const aliasLimit = 10_000;

/** A parsed file with the locations of its fields. */
export interface TextDocument {
  /** The content as plain values. */
  readonly value: unknown;
  /** Location of the value at a path, or of its key; if it is absent, of the nearest enclosing field. */
  place(path: ScenePath, of: 'key' | 'value'): Place;
}

/** Reads YAML or JSON. Throws InputError with line and column. */
export function parseText(text: string, source: string): TextDocument {
  const lineCounter = new LineCounter();
  let opened: Document | undefined;
  const open = (): Document => {
    opened ??= readDocument(text, source, lineCounter);
    return opened;
  };
  const json = readJson(text);
  const value = json ?? toPlain(open(), text, source, lineCounter);
  const findPlace = json === undefined ? undefined : createJsonPlaces(text);
  return {
    value,
    place: (path, of) => findPlace?.(path, of) ?? placeOf(findOffset(open(), path, of), lineCounter),
  };
}

function placeOf(offset: number, lineCounter: LineCounter): Place {
  const { line, col } = lineCounter.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** Lines and columns in JSON, found without the YAML parser. */
function createJsonPlaces(text: string): (path: ScenePath, of: 'key' | 'value') => Place {
  const offsetOf = createJsonLocator(text);
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let k = text.indexOf('\n'); k >= 0; k = text.indexOf('\n', k + 1)) lines.addNewLine(k + 1);
  return (path, of) => placeOf(offsetOf(path, of), lines);
}

function readDocument(text: string, source: string, lineCounter: LineCounter): Document {
  let document: Document;
  try {
    document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: true, merge: true });
  } catch (error) {
    // the parser recurses: a file of nothing but brackets can exhaust the stack
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
  // the parser repeats itself
  const isFirst = ({ line, message }: Problem, k: number): boolean =>
    problems.findIndex((one) => one.line === line && one.message === message) === k;
  if (problems.length > 0) throw new InputError(source, problems.filter(isFirst));
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
    // the parser's own message on `<<: 5`
    if (error instanceof Error && /merge/i.test(error.message)) throw mergeError(document, source, lineCounter);
    throw error;
  }
}

/** `<<` merges the fields of another map; anything else is rejected, at its line. */
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

/** The parsers recurse; a scene needs ten levels, so this limit is ample. */
const depthLimit = 100;

function nestedTooDeeply(text: string, source: string): InputError {
  const message = 'the file is nested too deeply here; is a bracket missing?';
  return new InputError(source, [{ ...findDeepest(text), message }]);
}

/** Location at which brackets exceed the depth limit; else the line with the deepest indentation. */
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
function findOffset(document: Document, path: ScenePath, of: 'key' | 'value'): number {
  let node = document.contents as Node | null;
  let offset = node?.range?.[0] ?? 0;
  for (let depth = 0; depth < path.length; depth++) {
    if (isAlias(node)) node = node.resolve(document) ?? null;
    const key = path[depth];
    if (isMap(node)) {
      const pair = node.items.find((item) => keyOf(item) === String(key)) as Pair<Node, Node | null> | undefined;
      if (!pair) return offset;
      const keyOffset = pair.key.range?.[0] ?? offset;
      offset = of === 'key' && depth === path.length - 1 ? keyOffset : (pair.value?.range?.[0] ?? keyOffset);
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
