/**
 * Reads the text form of USD (.usda) as far as geometry needs it: prims, their attributes, values and time samples.
 * Composition (references, payloads, variants, sublayers) is not resolved; the caller reports what was omitted.
 *
 * The text is scanned in one pass. Long arrays of numbers become flat Float64Arrays immediately, because they are most of
 * such a file. Nesting is limited, so that no input exhausts the stack.
 */
import { InputError } from '../errors.ts';
import { pointLimit } from './curves.ts';
import { createScanner, type Scanner } from './usdaScanner.ts';

export type UsdValue = number | string | Float64Array | readonly string[] | UsdDictionary | undefined;

export interface UsdDictionary {
  readonly [key: string]: UsdValue;
}

export interface UsdAttribute {
  /** As declared, such as `point3f[]`. */
  readonly type: string;
  value?: UsdValue;
  /** [time code, value], in the order of the file. */
  samples?: readonly (readonly [number, UsdValue])[];
  metadata: UsdDictionary;
}

export interface UsdPrim {
  readonly specifier: string;
  readonly type: string;
  readonly name: string;
  readonly metadata: UsdDictionary;
  readonly attributes: ReadonlyMap<string, UsdAttribute>;
  /** Paths that relationships name. */
  readonly relations: ReadonlyMap<string, readonly string[]>;
  readonly children: readonly UsdPrim[];
}

/** A prim as it is read. */
interface Members {
  readonly attributes: Map<string, UsdAttribute>;
  readonly relations: Map<string, readonly string[]>;
  readonly children: UsdPrim[];
}

export interface UsdLayer {
  readonly metadata: UsdDictionary;
  readonly prims: readonly UsdPrim[];
  /** What the file uses and this reader passes over. */
  readonly ignored: ReadonlySet<string>;
}

const depthLimit = 200;

export function parseUsda(text: string, source: string): UsdLayer {
  if (!text.startsWith('#usda ')) {
    throw new InputError(source, [
      { line: 1, column: 1, message: 'this is not a .usda file: its first line is not "#usda 1.0"' },
    ]);
  }
  const scan = createScanner(text, source);
  const ignored = new Set<string>();
  let metadata: UsdDictionary = {};
  const prims: UsdPrim[] = [];
  scan.skip();
  if (scan.peek() === '(') metadata = readMetadata(scan, ignored);
  while (!scan.done()) {
    prims.push(readPrim(scan.word(), scan, ignored, 0));
  }
  return { metadata, prims, ignored };
}

/** A prim whose first word has been read. */
function readPrim(specifier: string, scan: Scanner, ignored: Set<string>, depth: number): UsdPrim {
  if (depth > depthLimit) throw scan.fail('prims are nested too deeply');
  if (!specifiers.has(specifier)) throw scan.fail(`expected def, over or class, got '${specifier || scan.peek()}'`);
  const type = scan.peek() === '"' ? '' : scan.word();
  if (scan.peek() !== '"') throw scan.fail('expected the name of the prim in quotes');
  const name = scan.text();
  const metadata = scan.peek() === '(' ? readMetadata(scan, ignored) : {};
  scan.expect('{', `to begin ${type} "${name}"`);
  const members: Members = { attributes: new Map(), relations: new Map(), children: [] };
  while (!scan.take('}')) {
    if (scan.done()) throw scan.fail(`${type} "${name}" does not end: the file is truncated`);
    readMember(scan, ignored, depth, members);
  }
  return { specifier, type, name, metadata, ...members };
}

const specifiers = new Set(['def', 'over', 'class']);

const edits = new Set(['add', 'delete', 'prepend', 'append', 'reorder']);
const qualifiers = new Set(['custom', 'uniform', 'varying', 'config']);

function readMember(scan: Scanner, ignored: Set<string>, depth: number, members: Members): void {
  let word = scan.word();
  if (specifiers.has(word)) {
    members.children.push(readPrim(word, scan, ignored, depth + 1));
    return;
  }
  if (word === 'variantSet') {
    ignored.add('variants');
    scan.text();
    scan.expect('=', 'after the name of a variant set');
    skipBlock(scan);
    return;
  }
  const edit = edits.has(word) ? word : undefined;
  if (edit) word = scan.word();
  while (qualifiers.has(word)) word = scan.word();
  if (word === 'rel') {
    const [name, targets] = readRelation(scan);
    if (edit !== 'delete' && edit !== 'reorder') members.relations.set(name, targets);
    return;
  }
  if (edit) {
    skipStatement(scan);
    return;
  }
  if (word === '') throw scan.fail(`expected an attribute or a prim, got '${scan.peek()}'`);
  readAttribute(scan, ignored, word, members.attributes);
}

/** `a = <b>` or `a = [<b>, <c>]`, after `rel`. */
function readRelation(scan: Scanner): [string, readonly string[]] {
  const name = scan.word();
  const value = scan.take('=') ? readValue(scan, 0) : undefined;
  if (scan.peek() === '(') readMetadata(scan, new Set());
  if (typeof value === 'string') return [name, [value]];
  return [name, Array.isArray(value) ? (value as readonly string[]) : []];
}

function readAttribute(scan: Scanner, ignored: Set<string>, type: string, attributes: Map<string, UsdAttribute>): void {
  const full = scan.word();
  if (full === '') throw scan.fail(`expected the name of an attribute after '${type}'`);
  const suffix = /\.(timeSamples|connect|default)$/.exec(full)?.[1];
  const name = suffix ? full.slice(0, -suffix.length - 1) : full;
  const attribute = attributes.get(name) ?? { type, metadata: {} };
  attributes.set(name, attribute);
  if (scan.take('=')) {
    // a connection of shaders, or a list of them: nothing for a curve
    if (suffix === 'connect') readValue(scan, 0);
    else if (suffix === 'timeSamples') attribute.samples = readSamples(scan);
    else attribute.value = readValue(scan, 0);
  }
  if (scan.peek() === '(') attribute.metadata = { ...attribute.metadata, ...readMetadata(scan, ignored) };
}

function readSamples(scan: Scanner): [number, UsdValue][] {
  scan.expect('{', 'to begin time samples');
  const out: [number, UsdValue][] = [];
  while (!scan.take('}')) {
    const time = scan.number();
    if (time === undefined)
      throw scan.fail(
        scan.done() ? 'time samples do not end: the file is truncated' : `expected a time code, got '${scan.peek()}'`,
      );
    scan.expect(':', 'after a time code');
    out.push([time, readValue(scan, 0)]);
  }
  return out;
}

function readValue(scan: Scanner, depth: number): UsdValue {
  if (depth > depthLimit) throw scan.fail('values are nested too deeply');
  const next = scan.peek();
  if (next === '[' || next === '(') return readList(scan);
  if (next === '"' || next === "'") return scan.text();
  if (next === '{') return readDictionary(scan, depth + 1);
  if (next === '@' || next === '<') return skipReference(scan, next);
  const number = scan.number();
  if (number !== undefined) return number;
  const word = scan.word();
  if (word === '')
    throw scan.fail(next === '' ? 'a value is missing: the file is truncated' : `expected a value, got '${next}'`);
  return word === 'None' ? undefined : word;
}

/** Lists and tuples, nested ones flattened: of numbers to one array, of text to a list. */
function readList(scan: Scanner): Float64Array | readonly string[] {
  let values = new Float64Array(16);
  let count = 0;
  const words: string[] = [];
  let open = 0;
  do {
    const next = scan.peek();
    if (next === '') throw scan.fail('a list does not end: the file is truncated');
    if (next === '[' || next === '(') {
      scan.take(next);
      if (++open > 8) throw scan.fail('lists are nested too deeply');
    } else if (next === ']' || next === ')') {
      scan.take(next);
      open--;
    } else {
      const number = next === '"' || next === "'" ? undefined : scan.number();
      if (number === undefined) {
        words.push(next === '@' || next === '<' ? skipReference(scan, next) : scan.any());
      } else {
        if (count === values.length) {
          if (count > 4 * pointLimit) throw scan.fail(`a list has more than ${count} numbers`);
          const larger = new Float64Array(2 * count);
          larger.set(values);
          values = larger;
        }
        values[count++] = number;
      }
    }
  } while (open > 0);
  return words.length > 0 ? words : values.slice(0, count);
}

function skipReference(scan: Scanner, mark: '<' | '@'): string {
  const out = scan.between(mark);
  return mark === '@' && scan.peek() === '<' ? out + scan.between('<') : out;
}

function readDictionary(scan: Scanner, depth: number): UsdDictionary {
  scan.expect('{', 'to begin a dictionary');
  const out: Record<string, UsdValue> = {};
  while (!scan.take('}')) {
    if (scan.done()) throw scan.fail('a dictionary does not end: the file is truncated');
    // type, name = value
    let key = scan.any();
    if (scan.peek() !== '=' && scan.peek() !== ':') key = scan.any();
    if (!scan.take('=')) scan.expect(':', 'in a dictionary');
    const value = readValue(scan, depth);
    if (key !== '__proto__') out[key] = value;
  }
  return out;
}

const composition = new Set(['references', 'payload', 'inherits', 'specializes', 'subLayers', 'variants']);

function readMetadata(scan: Scanner, ignored: Set<string>): UsdDictionary {
  scan.expect('(', 'to begin metadata');
  const out: Record<string, UsdValue> = {};
  while (!scan.take(')')) {
    if (scan.done()) throw scan.fail('metadata do not end: the file is truncated');
    if (scan.peek() === '"' || scan.peek() === "'") {
      out.doc = scan.text();
      continue;
    }
    let key = scan.word();
    if (key === 'prepend' || key === 'append' || key === 'add' || key === 'delete' || key === 'reorder')
      key = scan.word();
    if (key === '') throw scan.fail(`expected the name of a piece of metadata, got '${scan.peek()}'`);
    if (composition.has(key)) ignored.add(key);
    if (!scan.take('=')) continue;
    const value = readValue(scan, 0);
    if (key !== '__proto__') out[key] = value;
  }
  return out;
}

/** Skips { … } and its contents. */
function skipBlock(scan: Scanner): void {
  scan.expect('{', 'to begin a block');
  for (let open = 1; open > 0; ) {
    if (scan.done()) throw scan.fail('a block does not end: the file is truncated');
    const token = scan.any();
    if (token === '{') open++;
    else if (token === '}') open--;
  }
}

/** Passes over `a = [b]` after `reorder` and the like. */
function skipStatement(scan: Scanner): void {
  scan.word();
  if (scan.take('=')) readValue(scan, 0);
  if (scan.peek() === '(') readMetadata(scan, new Set());
}
