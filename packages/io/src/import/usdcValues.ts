/** Values of binary USD: a word of 64 bits holds the type and either the value itself or its place in the file. */
import { viewOf } from '../bytes.ts';
import { pointLimit } from './curves.ts';
import { CompressionError, decompressIntegers } from './lz4.ts';
import type { UsdDictionary, UsdValue } from './usda.ts';

/** Words, texts and paths that values refer to by number, and the version of the file. */
export interface CrateNames {
  readonly tokens: readonly string[];
  /** Tokens of the texts. */
  readonly texts: Uint32Array;
  readonly paths: readonly string[];
  /** The second number of the version: 0.7 is 7. */
  readonly version: number;
}

/** Kinds of numbers. */
type Scalar = 'u8' | 'i32' | 'u32' | 'i64' | 'u64' | 'f16' | 'f32' | 'f64';
const scalarSize: Readonly<Record<Scalar, number>> = { u8: 1, i32: 4, u32: 4, i64: 8, u64: 8, f16: 2, f32: 4, f64: 8 };

/** Numeric types by USD's numbers: what they consist of, and how many. */
const numeric: Readonly<Record<number, readonly [of: Scalar, count: number]>> = {
  1: ['u8', 1],
  2: ['u8', 1],
  3: ['i32', 1],
  4: ['u32', 1],
  5: ['i64', 1],
  6: ['u64', 1],
  7: ['f16', 1],
  8: ['f32', 1],
  9: ['f64', 1],
  13: ['f64', 4],
  14: ['f64', 9],
  15: ['f64', 16],
  16: ['f64', 4],
  17: ['f32', 4],
  18: ['f16', 4],
  19: ['f64', 2],
  20: ['f32', 2],
  21: ['f16', 2],
  22: ['i32', 2],
  23: ['f64', 3],
  24: ['f32', 3],
  25: ['f16', 3],
  26: ['i32', 3],
  27: ['f64', 4],
  28: ['f32', 4],
  29: ['f16', 4],
  30: ['i32', 4],
  56: ['f64', 1],
};
const quaternions: ReadonlySet<number> = new Set([16, 17, 18]);
const matrixSide: Readonly<Record<number, number>> = { 13: 2, 14: 3, 15: 4 };
const type = {
  string: 10,
  token: 11,
  asset: 12,
  half2: 21,
  dictionary: 31,
  pathList: 34,
  pathVector: 40,
  tokenVector: 41,
  specifier: 42,
  variability: 44,
  timeSamples: 46,
  doubleVector: 48,
  block: 51,
} as const;
/** Shorter arrays are not compressed, even if they are marked so. */
const leastCompressed = 16;

/** Samples of an attribute in time. */
export type CrateSamples = readonly (readonly [number, UsdValue])[];

export interface CrateReader {
  /** The value of a word; undefined for types that geometry does not need. */
  value(word: bigint): UsdValue;
  /** Samples in time. */
  samples(word: bigint): CrateSamples;
  /** Paths of a relationship: those that it lists, in any way but deleting. */
  targets(word: bigint): readonly string[];
}

/** Thrown where a value lies outside the file, or is longer than it. */
export class CrateError extends Error {}

/** Reads numbers at a place in the file that moves on. Reading beyond the end throws. */
class Cursor {
  at = 0;
  readonly bytes: Uint8Array;
  private readonly view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = viewOf(bytes);
  }

  seek(offset: number): void {
    if (!(offset >= 0 && offset <= this.bytes.length))
      throw new CrateError(`a value begins at byte ${offset} of ${this.bytes.length}`);
    this.at = offset;
  }

  /** Passes over so many bytes; returns where they begin. */
  take(count: number): number {
    if (!(count >= 0 && this.at + count <= this.bytes.length))
      throw new CrateError(`a value of ${count} bytes at byte ${this.at} goes beyond the end`);
    this.at += count;
    return this.at - count;
  }

  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }

  u64(): number {
    return Number(this.word());
  }

  word(): bigint {
    return this.view.getBigUint64(this.take(8), true);
  }

  /** Goes to the place that an offset, relative to itself, leads to. */
  jump(): void {
    const here = this.at;
    this.seek(here + Number(this.view.getBigInt64(this.take(8), true)));
  }

  number(of: Scalar): number {
    const { view, bytes } = this;
    const at = this.take(scalarSize[of]);
    if (of === 'f32') return view.getFloat32(at, true);
    if (of === 'f64') return view.getFloat64(at, true);
    if (of === 'f16') return halfOf(view.getUint16(at, true));
    if (of === 'i32') return view.getInt32(at, true);
    if (of === 'u32') return view.getUint32(at, true);
    if (of === 'u8') return bytes[at];
    return Number(of === 'i64' ? view.getBigInt64(at, true) : view.getBigUint64(at, true));
  }

  /** Numbers that are stored as such. */
  numbers(of: Scalar, count: number): Float64Array {
    if (count > 4 * pointLimit || this.at + scalarSize[of] * count > this.bytes.length)
      throw new CrateError(`an array of ${count} numbers goes beyond the end`);
    const out = new Float64Array(count);
    for (let k = 0; k < count; k++) out[k] = this.number(of);
    return out;
  }

  /** Compressed integers, after their size in bytes. */
  integers(count: number): Int32Array {
    if (count > 4 * pointLimit) throw new CrateError(`an array has ${count} numbers`);
    const size = this.u64();
    const at = this.take(size);
    return decompressIntegers(this.bytes.subarray(at, at + size), count);
  }

  /** A list of numbers of words or paths, after its length. */
  indices(count = this.u64()): number[] {
    if (count > this.bytes.length / 4) throw new CrateError(`a list announces ${count} entries`);
    return Array.from({ length: count }, () => this.u32());
  }
}

/** Numbers that were compressed: integers as such, other numbers as integers or as places in a table. Undefined for integers of 64 bits. */
function readCompressed(cursor: Cursor, of: Scalar, count: number): Float64Array | undefined {
  if (of === 'i32') return Float64Array.from(cursor.integers(count));
  if (of === 'u32') return Float64Array.from(cursor.integers(count), (value) => value >>> 0);
  if (of !== 'f16' && of !== 'f32' && of !== 'f64') return undefined;
  const code = String.fromCharCode(cursor.number('u8'));
  if (code === 'i') return Float64Array.from(cursor.integers(count));
  if (code !== 't') throw new CompressionError(`compressed numbers begin with '${code}'`);
  const table = cursor.numbers(of, cursor.u32());
  return Float64Array.from(cursor.integers(count), (index) => table[index] ?? Number.NaN);
}

/** Values of a crate, by the words that describe them. */
class Values implements CrateReader {
  private readonly cursor: Cursor;
  private readonly names: CrateNames;

  constructor(bytes: Uint8Array, names: CrateNames) {
    this.cursor = new Cursor(bytes);
    this.names = names;
  }

  private tokenAt(index: number): string {
    return this.names.tokens[index] ?? '';
  }

  private textAt(index: number): string {
    return this.tokenAt(this.names.texts[index]);
  }

  value(rep: bigint, depth = 0): UsdValue {
    const { kind, payload, isArray, isInlined, isCompressed } = split(rep);
    if (isInlined) return this.inlined(kind, payload % 2 ** 32);
    if (isArray && payload === 0) return kind === type.token || kind === type.string ? [] : new Float64Array(0);
    const { cursor } = this;
    const before = cursor.at;
    cursor.seek(payload);
    const out = isArray ? this.array(kind, isCompressed) : this.single(kind, depth);
    cursor.seek(before);
    return out;
  }

  private inlined(kind: number, payload: number): UsdValue {
    if (kind === type.token || kind === type.asset) return this.tokenAt(payload);
    if (kind === type.string) return this.textAt(payload);
    if (kind === type.specifier) return ['def', 'over', 'class'][payload];
    if (kind === type.variability) return payload === 1 ? 'uniform' : 'varying';
    return numeric[kind] && readInlined(kind, payload);
  }

  private array(kind: number, isCompressed: boolean): UsdValue {
    const { cursor, names } = this;
    // the number of dimensions, always one
    if (names.version < 5) cursor.u32();
    const count = names.version < 7 ? cursor.u32() : cursor.u64();
    if (kind === type.string) return cursor.indices(count).map((index) => this.textAt(index));
    if (kind === type.token || kind === type.asset) return cursor.indices(count).map((index) => this.tokenAt(index));
    const shape = numeric[kind];
    if (!shape) return undefined;
    const [of, each] = shape;
    const total = count * each;
    const values =
      isCompressed && count >= leastCompressed ? readCompressed(cursor, of, total) : cursor.numbers(of, total);
    return quaternions.has(kind) && values ? realFirst(values) : values;
  }

  private single(kind: number, depth: number): UsdValue {
    const { cursor, names } = this;
    if (kind === type.tokenVector) return cursor.indices().map((index) => this.tokenAt(index));
    if (kind === type.pathVector) return cursor.indices().map((index) => names.paths[index] ?? '');
    if (kind === type.doubleVector) return cursor.numbers('f64', cursor.u64());
    if (kind === type.dictionary) return this.dictionary(depth);
    const shape = numeric[kind];
    if (!shape) return undefined;
    const values = cursor.numbers(...shape);
    if (shape[1] === 1) return values[0];
    return quaternions.has(kind) ? realFirst(values) : values;
  }

  private dictionary(depth: number): UsdDictionary {
    if (depth > 16) throw new CrateError('dictionaries are nested too deeply');
    const { cursor } = this;
    const out: Record<string, UsdValue> = {};
    const count = cursor.u64();
    if (count > cursor.bytes.length / 12) throw new CrateError(`a dictionary announces ${count} entries`);
    for (let k = 0; k < count; k++) {
      const key = this.textAt(cursor.u32());
      const next = cursor.at + 8;
      cursor.jump();
      const entry = this.value(cursor.word(), depth + 1);
      if (key !== '__proto__') out[key] = entry;
      cursor.seek(next);
    }
    return out;
  }

  samples(rep: bigint): CrateSamples {
    const { kind, payload } = split(rep);
    if (kind !== type.timeSamples) return [];
    const { cursor } = this;
    cursor.seek(payload);
    cursor.jump();
    const times = this.value(cursor.word());
    cursor.jump();
    const count = cursor.u64();
    if (!(times instanceof Float64Array) || times.length !== count)
      throw new CrateError(`time samples have ${count} values, and another number of times`);
    const reps = Array.from({ length: count }, () => cursor.word());
    return reps.map((one, k) => [times[k], this.value(one)] as const);
  }

  targets(rep: bigint): readonly string[] {
    const { kind, payload, isInlined } = split(rep);
    if (kind !== type.pathList || isInlined) return [];
    const { cursor, names } = this;
    cursor.seek(payload);
    const flags = cursor.number('u8');
    const out: string[] = [];
    // explicit, added, prepended, appended; deleted and reordered ones come last
    for (const flag of [2, 4, 32, 64]) {
      if ((flags & flag) === 0) continue;
      for (const index of cursor.indices()) out.push(names.paths[index] ?? '');
    }
    return out;
  }
}

/** Reads the values of a crate. */
export function createCrateReader(bytes: Uint8Array, names: CrateNames): CrateReader {
  return new Values(bytes, names);
}

const bits = new DataView(new ArrayBuffer(4));

/** A small value that its word contains: of vectors whole numbers, of a matrix its diagonal. */
function readInlined(kind: number, payload: number): UsdValue {
  bits.setUint32(0, payload, true);
  const [of, each] = numeric[kind];
  const side = matrixSide[kind];
  if (side)
    return Float64Array.from({ length: each }, (_, k) => (k % (side + 1) === 0 ? bits.getInt8(k / (side + 1)) : 0));
  if (each > 1)
    return Float64Array.from({ length: each }, (_, k) =>
      kind === type.half2 ? halfOf(bits.getUint16(2 * k, true)) : bits.getInt8(k),
    );
  if (of === 'f32' || of === 'f64') return bits.getFloat32(0, true);
  if (of === 'f16') return halfOf(payload & 0xffff);
  return of === 'i32' || of === 'i64' ? payload | 0 : payload;
}

interface Word {
  /** USD's number of the type. */
  readonly kind: number;
  /** The value itself if it is inlined, else its offset in the file. */
  readonly payload: number;
  readonly isArray: boolean;
  readonly isInlined: boolean;
  readonly isCompressed: boolean;
}

function split(word: bigint): Word {
  const high = Number(word >> 48n);
  return {
    kind: high & 0xff,
    payload: Number(word & 0xffffffffffffn),
    isArray: (high & 0x8000) !== 0,
    isInlined: (high & 0x4000) !== 0,
    isCompressed: (high & 0x2000) !== 0,
  };
}

/** A number of 16 bits. */
function halfOf(half: number): number {
  const [exponent, fraction] = [(half >> 10) & 31, half & 1023];
  const sign = half & 0x8000 ? -1 : 1;
  if (exponent === 0) return (sign * fraction) / 2 ** 24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Infinity;
  return (sign * (1024 + fraction) * 2 ** exponent) / 2 ** 25;
}

/** Quaternions are stored as x, y, z, w; the text form has w first. */
function realFirst(values: Float64Array): Float64Array {
  return values.map((_, k) => values[k % 4 === 0 ? k + 3 : k - 1]);
}
