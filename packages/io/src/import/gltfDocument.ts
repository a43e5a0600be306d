/**
 * The bytes and JSON of a glTF 2.0 file: buffers, and accessors as plain numbers.
 *
 * Read by hand and not by a library, because the input is not trusted: every offset and count is checked against the available bytes before
 * anything is allocated. Compressed data and data in other files are rejected.
 */
import { viewOf } from '../bytes.ts';
import { binaryError } from '../container.ts';
import { InputError } from '../errors.ts';
import { pointLimit } from './curves.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface GltfDocument {
  readonly json: Json;
  readonly source: string;
  buffer(index: number): Uint8Array;
}

const jsonChunk = 0x4e4f534a;
const binChunk = 0x004e4942;

/** Opens a .glb file, or .gltf with embedded buffers. */
export function openGltf(bytes: Uint8Array, source: string): GltfDocument {
  const isBinary = String.fromCharCode(...bytes.subarray(0, 4)) === 'glTF';
  const { text, binary } = isBinary ? parts(bytes, source) : { text: bytes, binary: undefined };
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text));
  } catch {
    throw new InputError(
      source,
      isBinary ? 'the JSON in it cannot be read: the file is damaged' : 'this is neither a .glb file nor glTF as JSON',
    );
  }
  if (typeof json !== 'object' || json === null || !('asset' in json))
    throw new InputError(source, "this is not glTF: it has no field 'asset'");
  const document = json as Json;
  const kept = new Map<number, Uint8Array>();
  const buffer = (index: number): Uint8Array => {
    const found = kept.get(index);
    if (found) return found;
    const { uri } = item(document, 'buffers', index, source);
    let content = binary;
    if (uri !== undefined) {
      const match = typeof uri === 'string' ? /^data:[^,]*;base64,(.*)$/s.exec(uri) : null;
      if (!match)
        throw new InputError(source, 'its data lie in another file; export it as one file: .glb, or glTF embedded');
      content = fromBase64(match[1], source);
    }
    if (!content) throw new InputError(source, `buffer ${index} is not in the file`);
    kept.set(index, content);
    return content;
  };
  return { json: document, source, buffer };
}

function fromBase64(text: string, source: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    throw new InputError(source, 'the data embedded in it are not base64');
  }
}

function parts(bytes: Uint8Array, source: string): { text: Uint8Array; binary?: Uint8Array } {
  const view = viewOf(bytes);
  if (bytes.length < 20) throw binaryError(source, bytes.length, 'the file is truncated within its header');
  const version = view.getUint32(4, true);
  if (version !== 2) throw binaryError(source, 4, `this is glTF ${version}; export it as glTF 2.0`);
  const length = view.getUint32(8, true);
  if (length > bytes.length)
    throw binaryError(source, bytes.length, `the file is truncated: it should have ${length} bytes`);
  let text: Uint8Array | undefined;
  let binary: Uint8Array | undefined;
  for (let at = 12; at + 8 <= length; ) {
    const size = view.getUint32(at, true);
    const type = view.getUint32(at + 4, true);
    if (at + 8 + size > length) throw binaryError(source, at, `a part of ${size} bytes does not fit into the file`);
    const content = bytes.subarray(at + 8, at + 8 + size);
    if (type === jsonChunk) text ??= content;
    else if (type === binChunk) binary ??= content;
    at += 8 + size;
  }
  if (!text) throw binaryError(source, 12, 'there is no JSON part in it');
  return { text, binary };
}

/** Entry `index` of a list of the document. */
export function item(json: Json, list: string, index: unknown, source: string): Json {
  const items = json[list];
  const found: unknown = Array.isArray(items) && Number.isInteger(index) ? items[index as number] : undefined;
  if (typeof found !== 'object' || found === null)
    throw new InputError(source, `${list}[${String(index)}] does not exist`);
  return found as Json;
}

export function whole(value: unknown, fallback: number, what: string, source: string): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new InputError(source, `${what} is ${JSON.stringify(value)}, expected a whole number`);
}

const componentSizes: Readonly<Record<number, number>> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const componentCounts: Readonly<Record<string, number>> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

/** The numbers of an accessor. */
export interface Accessor {
  readonly values: Float64Array;
  /** Numbers per entry. */
  readonly components: number;
}

/** Reads an accessor, after checking all of its fields. */
export function readAccessor(document: GltfDocument, index: unknown): Accessor {
  const { json, source } = document;
  const accessor = item(json, 'accessors', index, source);
  const name = `accessors[${String(index)}]`;
  const type = accessor.componentType as number;
  const components = componentCounts[accessor.type as string];
  if (!componentSizes[type] || !components) throw new InputError(source, `${name} has an unknown type`);
  const count = whole(accessor.count, 0, `${name}.count`, source);
  if (count > pointLimit) throw new InputError(source, `${name} has ${count} entries; ${pointLimit} are read at most`);
  if (accessor.bufferView === undefined && accessor.sparse === undefined)
    throw new InputError(source, `${name} has no data (compressed?); export without compression`);
  const scale = accessor.normalized === true ? normalizers[type] : undefined;
  const format = { type, components, scale };
  const values =
    accessor.bufferView === undefined
      ? new Float64Array(count * components)
      : readView(document, accessor, { ...format, count, name });
  if (accessor.sparse !== undefined) applySparse(document, accessor.sparse, values, { ...format, count, name });
  return { values, components };
}

/** How numbers lie in a buffer view, and how many entries there are. */
interface Layout {
  readonly type: number;
  readonly components: number;
  readonly scale: number | undefined;
  readonly count: number;
  /** What an error calls them. */
  readonly name: string;
}

function readView(document: GltfDocument, place: Json, { type, components, scale, count, name }: Layout): Float64Array {
  const { json, source } = document;
  const size = componentSizes[type];
  const view = item(json, 'bufferViews', place.bufferView, source);
  const buffer = document.buffer(whole(view.buffer, 0, 'buffer', source));
  const start = whole(view.byteOffset, 0, 'byteOffset', source) + whole(place.byteOffset, 0, 'byteOffset', source);
  const stride = whole(view.byteStride, size * components, 'byteStride', source);
  if (count > 0 && start + stride * (count - 1) + size * components > buffer.length)
    throw new InputError(
      source,
      `${name} reaches beyond its buffer of ${buffer.length} bytes: the file is truncated or damaged`,
    );
  const data = viewOf(buffer);
  const values = new Float64Array(count * components);
  for (let i = 0; i < count; i++)
    for (let k = 0; k < components; k++) {
      const value = readComponent(data, start + stride * i + size * k, type);
      values[i * components + k] = scale ? value / scale : value;
    }
  return values;
}

/** Replaces the entries that a sparse accessor lists. */
function applySparse(document: GltfDocument, sparse: unknown, values: Float64Array, layout: Layout): void {
  const { source } = document;
  const { count: all, components, name } = layout;
  const field = (of: unknown, key: string): Json => {
    const found = typeof of === 'object' && of !== null ? (of as Json)[key] : undefined;
    if (typeof found === 'object' && found !== null) return found as Json;
    throw new InputError(source, `${name}.sparse has no ${key}`);
  };
  const indices = field(sparse, 'indices');
  const type = indices.componentType as number;
  if (type !== 5121 && type !== 5123 && type !== 5125)
    throw new InputError(source, `${name}.sparse has indices of an unknown type`);
  const count = whole((sparse as Json).count, 0, `${name}.sparse.count`, source);
  const where = readView(document, indices, { type, components: 1, scale: undefined, count, name: `${name}.sparse` });
  const changed = readView(document, field(sparse, 'values'), { ...layout, count, name: `${name}.sparse` });
  where.forEach((entry, i) => {
    if (entry >= all) throw new InputError(source, `${name}.sparse changes entry ${entry}; there are ${all}`);
    for (let k = 0; k < components; k++) values[components * entry + k] = changed[components * i + k];
  });
}

const normalizers: Readonly<Record<number, number>> = { 5120: 127, 5121: 255, 5122: 32767, 5123: 65535 };

function readComponent(data: DataView, at: number, type: number): number {
  if (type === 5126) return data.getFloat32(at, true);
  if (type === 5125) return data.getUint32(at, true);
  if (type === 5123) return data.getUint16(at, true);
  if (type === 5122) return data.getInt16(at, true);
  return type === 5121 ? data.getUint8(at) : data.getInt8(at);
}

/** A list of `count` numbers. */
export function numbers(value: unknown, count: number, fallback: readonly number[], source: string): readonly number[] {
  if (value === undefined) return fallback;
  if (Array.isArray(value) && value.length === count && value.every((x) => typeof x === 'number'))
    return value as number[];
  throw new InputError(source, `a transform in it is not ${count} numbers`);
}
