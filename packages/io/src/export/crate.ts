/**
 * Writes USD's binary form, a "crate" (.usdc), from prims and attributes whose values are computed when they are written.
 *
 * A file is a header of 88 bytes, the values, and six tables: tokens (all words), strings, fields (a word and the position of its value), sets of
 * fields, paths, and specs (which path has which set). Version 0.7: tables are compressed, by USD's coding of integers and LZ4; values are
 * not. LZ4 is used without matches, because the tables are small. All numbers are little endian.
 */
import { viewOf } from '../bytes.ts';

/** Types of values, by USD's numbers. */
const types = {
  int: 3,
  float: 8,
  double: 9,
  string: 10,
  token: 11,
  matrix4d: 15,
  float2: 20,
  float3: 24,
  tokenVector: 41,
  specifier: 42,
  variability: 44,
  timeSamples: 46,
  doubleVector: 48,
} as const;

type Numeric = 'int' | 'float' | 'double' | 'matrix4d' | 'float2' | 'float3';
const sizes: Readonly<Record<Numeric, number>> = { int: 4, float: 4, double: 8, matrix4d: 128, float2: 8, float3: 12 };

/** Numbers that are made when they are written: `count` of a type, as bytes. */
export interface CrateNumbers {
  readonly of: Numeric;
  readonly count: number;
  readonly isArray: boolean;
  bytes(): Uint8Array;
}

export type CrateValue =
  | { readonly token: string }
  | { readonly text: string }
  | { readonly tokens: readonly string[] }
  | CrateNumbers
  | { readonly times: readonly number[]; readonly samples: readonly CrateNumbers[] };

export interface CrateAttribute {
  readonly name: string;
  /** As USD names it, such as `point3f[]`. */
  readonly type: string;
  readonly value: CrateValue;
  readonly isUniform?: boolean;
  readonly interpolation?: string;
}

export interface CratePrim {
  readonly name: string;
  readonly type: string;
  readonly attributes: readonly CrateAttribute[];
  readonly children?: readonly CratePrim[];
}

export interface CrateLayer {
  /** Tokens, texts and numbers of the layer, such as `upAxis`. Readers reject a token where USD expects a text. */
  readonly metadata: Readonly<Record<string, { readonly token: string } | { readonly text: string } | number>>;
  readonly prims: readonly CratePrim[];
}

export function numbersOf(
  of: Numeric,
  values: ArrayLike<number>,
  { isArray = true }: { readonly isArray?: boolean } = {},
): CrateNumbers {
  const per = of === 'matrix4d' ? 16 : of === 'float3' ? 3 : of === 'float2' ? 2 : 1;
  const make = of === 'int' ? Int32Array : of === 'double' || of === 'matrix4d' ? Float64Array : Float32Array;
  return {
    of,
    count: values.length / per,
    isArray,
    bytes() {
      const { buffer, byteOffset, byteLength } = make.from(values);
      return new Uint8Array(buffer, byteOffset, byteLength);
    },
  };
}

interface Blob {
  readonly size: number;
  /** One after the other, `size` bytes together. */
  readonly make: () => Uint8Array;
}

const align = (size: number): number => 8 * Math.ceil(size / 8);

/** The file in pieces, one value at a time, in the order of the attributes. */
export function* writeCrate(layer: CrateLayer): Generator<Uint8Array> {
  const tables = createTables();
  const values = createValues(tables);
  tables.addLayer(layer, values);
  const blobs = values.blobs();
  const at = blobs.reduce((sum, { size }) => sum + align(size), headSize);
  const { toc, sections } = tables.encode(at);
  yield encodeHead(toc);
  for (const { size, make } of blobs) {
    const bytes = make();
    if (bytes.length !== size) throw new RangeError(`a value has ${bytes.length} bytes where ${size} were announced`);
    yield bytes;
    if (align(size) > size) yield new Uint8Array(align(size) - size);
  }
  yield* sections;
}

const headSize = 88;

function encodeHead(toc: number): Uint8Array {
  const head = new Uint8Array(headSize);
  head.set(new TextEncoder().encode('PXR-USDC'));
  head.set([0, 7, 0], 8);
  viewOf(head).setBigUint64(16, BigInt(toc), true);
  return head;
}

/** Where a value is: flags, type and offset or the value itself. */
function representation(type: number, payload: number, flags: 'inlined' | 'array' | 'plain'): bigint {
  const bits = flags === 'array' ? 1n << 63n : flags === 'inlined' ? 1n << 62n : 0n;
  return bits | (BigInt(type) << 48n) | BigInt(payload);
}

interface Values {
  add(value: CrateValue): bigint;
  number(value: number): bigint;
  tokens(words: readonly string[], as: 'vector' | 'array'): bigint;
  /** In the order of their offsets. */
  blobs(): readonly Blob[];
}

/** Gives values their places. All sizes are known before anything is made. */
function createValues({ token, text }: Pick<Tables, 'token' | 'text'>): Values {
  const blobs: Blob[] = [];
  let end = headSize;
  const place = (size: number, make: () => Uint8Array): number => {
    const offset = end;
    blobs.push({ size, make });
    end += align(size);
    return offset;
  };
  const withCount = (count: number, bytes: Uint8Array): Uint8Array => {
    const out = new Uint8Array(8 + bytes.length);
    viewOf(out).setBigUint64(0, BigInt(count), true);
    out.set(bytes, 8);
    return out;
  };
  const addNumbers = ({ of, count, isArray, bytes }: CrateNumbers): bigint => {
    const size = sizes[of] * count;
    const offset = isArray ? place(8 + size, () => withCount(count, bytes())) : place(size, bytes);
    return representation(types[of], offset, isArray ? 'array' : 'plain');
  };
  const addSamples = (times: readonly number[], samples: readonly CrateNumbers[]): bigint => {
    const codes = place(8 + 8 * times.length, () => withCount(times.length, numbersOf('double', times).bytes()));
    const reps = samples.map(addNumbers);
    const offset = place(32 + 8 * reps.length, () => {
      const out = new Uint8Array(32 + 8 * reps.length);
      const view = viewOf(out);
      // each part begins with the offset of its continuation
      view.setBigInt64(0, 8n, true);
      view.setBigUint64(8, representation(types.doubleVector, codes, 'plain'), true);
      view.setBigInt64(16, 8n, true);
      view.setBigUint64(24, BigInt(reps.length), true);
      reps.forEach((rep, k) => {
        view.setBigUint64(32 + 8 * k, rep, true);
      });
      return out;
    });
    return representation(types.timeSamples, offset, 'plain');
  };
  const tokens = (words: readonly string[], as: 'vector' | 'array'): bigint => {
    const indices = Uint32Array.from(words, token);
    const offset = place(8 + 4 * words.length, () => withCount(words.length, new Uint8Array(indices.buffer)));
    return representation(
      as === 'vector' ? types.tokenVector : types.token,
      offset,
      as === 'vector' ? 'plain' : 'array',
    );
  };
  return {
    tokens,
    number: (value) => addNumbers(numbersOf('double', [value], { isArray: false })),
    add(value) {
      if ('token' in value) return representation(types.token, token(value.token), 'inlined');
      if ('text' in value) return representation(types.string, text(value.text), 'inlined');
      if ('tokens' in value) return tokens(value.tokens, 'array');
      return 'samples' in value ? addSamples(value.times, value.samples) : addNumbers(value);
    },
    blobs: () => blobs,
  };
}

interface Tables {
  token(word: string): number;
  /** Index of a text, which is stored as a token. */
  text(words: string): number;
  addLayer(layer: CrateLayer, values: Values): void;
  encode(at: number): { readonly toc: number; readonly sections: Uint8Array[] };
}

const specs = { attribute: 1, prim: 6, root: 7 } as const;

interface TableData {
  /** Words and their index. A property's word is written as the negative of its index, so that none may have index 0. */
  readonly words: Map<string, number>;
  /** Tokens of the texts. */
  readonly texts: number[];
  readonly fields: [number, bigint][];
  readonly fieldSets: number[];
  /** Path, set of fields, kind of spec. */
  readonly list: [number, number, number][];
  /** In the order in which a tree is walked: word (negative: a property), and how many entries lie below. */
  readonly tree: { readonly word: number; below: number; readonly isLast: boolean }[];
}

function tokenOf({ words }: TableData, word: string): number {
  const known = words.get(word);
  if (known !== undefined) return known;
  words.set(word, words.size);
  return words.size - 1;
}

function addSpec(tables: TableData, path: number, kind: number, own: readonly (readonly [string, bigint])[]): void {
  const { list, fields, fieldSets } = tables;
  list.push([path, fieldSets.length, kind]);
  for (const [name, value] of own) fieldSets.push(fields.push([tokenOf(tables, name), value]) - 1);
  fieldSets.push(-1);
}

const enter = ({ tree }: TableData, word: number, { isLast }: { readonly isLast: boolean }): number =>
  tree.push({ word, below: 0, isLast }) - 1;
const inlined = (type: number, value: number): bigint => representation(type, value, 'inlined');

function addAttribute(tables: TableData, attribute: CrateAttribute, values: Values, isLast: boolean): void {
  const { name, type, value, isUniform, interpolation } = attribute;
  addSpec(tables, enter(tables, -tokenOf(tables, name), { isLast }), specs.attribute, [
    ['typeName', values.add({ token: type })],
    ...(isUniform ? [['variability', inlined(types.variability, 1)] as const] : []),
    ...(interpolation ? [['interpolation', values.add({ token: interpolation })] as const] : []),
    ['samples' in value ? 'timeSamples' : 'default', values.add(value)],
  ]);
}

function addPrim(tables: TableData, prim: CratePrim, values: Values, isLast: boolean): void {
  const { name, type, attributes, children = [] } = prim;
  const { tree } = tables;
  const index = enter(tables, tokenOf(tables, name), { isLast });
  const namesOf = (list: readonly { readonly name: string }[]): bigint =>
    values.tokens(
      list.map((one) => one.name),
      'vector',
    );
  addSpec(tables, index, specs.prim, [
    ['specifier', inlined(types.specifier, 0)],
    ['typeName', values.add({ token: type })],
    ...(attributes.length > 0 ? [['properties', namesOf(attributes)] as const] : []),
    ...(children.length > 0 ? [['primChildren', namesOf(children)] as const] : []),
  ]);
  children.forEach((child, k) => {
    addPrim(tables, child, values, k === children.length - 1 && attributes.length === 0);
  });
  attributes.forEach((attribute, k) => {
    addAttribute(tables, attribute, values, k === attributes.length - 1);
  });
  tree[index].below = tree.length - 1 - index;
}

function addRoot(tables: TableData, { metadata, prims }: CrateLayer, values: Values): void {
  const { tree } = tables;
  const index = enter(tables, 0, { isLast: true });
  const words = Object.entries(metadata).map(
    ([name, value]) => [name, typeof value === 'number' ? values.number(value) : values.add(value)] as const,
  );
  const names = prims.map(({ name }) => name);
  addSpec(tables, index, specs.root, [...words, ['primChildren', values.tokens(names, 'vector')]]);
  prims.forEach((prim, k) => {
    addPrim(tables, prim, values, k === prims.length - 1);
  });
  tree[index].below = tree.length - 1;
}

function createTables(): Tables {
  const tables: TableData = { words: new Map([['', 0]]), texts: [], fields: [], fieldSets: [], list: [], tree: [] };
  return {
    token: (word) => tokenOf(tables, word),
    text: (words) => tables.texts.push(tokenOf(tables, words)) - 1,
    addLayer: (layer, values) => addRoot(tables, layer, values),
    encode: (at) => encodeTables(at, tables),
  };
}

function encodeTables(
  at: number,
  { words: indexOfWord, texts, fields, fieldSets, list, tree }: TableData,
): { readonly toc: number; readonly sections: Uint8Array[] } {
  const words = [...indexOfWord.keys()];
  const text = new TextEncoder().encode(words.map((word) => `${word}\0`).join(''));
  const packedText = compress(text);
  const reps = BigUint64Array.from(fields, ([, rep]) => rep);
  const jumps = tree.map(({ below, isLast }) => (below > 0 ? (isLast ? -1 : below + 1) : isLast ? -2 : 0));
  const tables: readonly (readonly [string, Uint8Array])[] = [
    ['TOKENS', join(counts(words.length, text.length, packedText.length), packedText)],
    ['STRINGS', join(counts(texts.length), new Uint8Array(Uint32Array.from(texts).buffer))],
    [
      'FIELDS',
      join(counts(fields.length), integers(fields.map(([name]) => name)), sized(compress(new Uint8Array(reps.buffer)))),
    ],
    ['FIELDSETS', join(counts(fieldSets.length), integers(fieldSets))],
    [
      'PATHS',
      join(
        counts(tree.length, tree.length),
        integers(tree.map((_, k) => k)),
        integers(tree.map(({ word }) => word)),
        integers(jumps),
      ),
    ],
    [
      'SPECS',
      join(
        counts(list.length),
        integers(list.map(([path]) => path)),
        integers(list.map(([, set]) => set)),
        integers(list.map(([, , kind]) => kind)),
      ),
    ],
  ];
  const toc = new Uint8Array(8 + 32 * tables.length);
  const view = viewOf(toc);
  view.setBigUint64(0, BigInt(tables.length), true);
  let start = at;
  tables.forEach(([name, bytes], k) => {
    toc.set(new TextEncoder().encode(name), 8 + 32 * k);
    view.setBigUint64(24 + 32 * k, BigInt(start), true);
    view.setBigUint64(32 + 32 * k, BigInt(bytes.length), true);
    start += bytes.length;
  });
  return { toc: start, sections: [...tables.map(([, bytes]) => bytes), toc] };
}

function counts(...values: readonly number[]): Uint8Array {
  return new Uint8Array(BigUint64Array.from(values, (value) => BigInt(value)).buffer);
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

const sized = (bytes: Uint8Array): Uint8Array => join(counts(bytes.length), bytes);

/** USD's coding of integers: differences; of each two bits that say how many bytes follow, none for the commonest. */
function integers(values: readonly number[]): Uint8Array {
  const steps = values.map((value, k) => value - (k > 0 ? values[k - 1] : 0));
  const often = new Map<number, number>();
  for (const step of steps) often.set(step, (often.get(step) ?? 0) + 1);
  const common = [...often].reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0])[0];
  const codes = new Uint8Array(Math.ceil(steps.length / 4));
  const rest: number[] = [];
  steps.forEach((step, k) => {
    if (step === common) return;
    const code = step >= -128 && step < 128 ? 1 : step >= -32768 && step < 32768 ? 2 : 3;
    codes[k >> 2] |= code << (2 * (k & 3));
    for (let byte = 0; byte < 1 << (code - 1); byte++) rest.push((step >> (8 * byte)) & 255);
  });
  return sized(compress(join(new Uint8Array(Int32Array.of(common).buffer), codes, Uint8Array.from(rest))));
}

/** One piece of LZ4 with literals alone, and before it a zero: not in several pieces. */
function compress(bytes: Uint8Array): Uint8Array {
  const head = [0, Math.min(bytes.length, 15) << 4];
  for (let left = bytes.length - 15; left >= 0; left -= 255) head.push(Math.min(left, 255));
  return join(Uint8Array.from(head), bytes);
}
