/**
 * glTF 2.0, binary (.glb) or text with embedded buffers (.gltf): line primitives as curves, triangles as a mesh, in the
 * axes of the scene (y up, metres), with the transforms of the nodes.
 *
 * Read by hand and not by a library, because the input is not trusted: every offset and count is checked against the
 * bytes there are before anything is allocated. Sparse accessors, compression and files beside this one are rejected.
 */
import { viewOf } from '../bytes.ts';
import { binaryError } from '../container.ts';
import { InputError } from '../errors.ts';
import { type Curves, chainSegments, createCurveBuilder, pointLimit } from './curves.ts';
import type { TriangleMesh } from './mesh.ts';
import { compose, determinant, fromQuaternion, identity, type Transform } from './transform.ts';

export function isGltf(bytes: Uint8Array, source: string): boolean {
  return /\.(glb|gltf)$/i.test(source) || String.fromCharCode(...bytes.subarray(0, 4)) === 'glTF';
}

interface Primitive {
  readonly name: string;
  readonly mode: number;
  /** World positions, 3 per vertex. */
  readonly position: Float64Array;
  readonly index: Uint32Array;
  readonly color?: Float64Array;
  readonly mirrored: boolean;
}

export function readGltfCurves(bytes: Uint8Array, source: string): Curves {
  const out = createCurveBuilder(source);
  const other = new Set<number>();
  for (const { name, mode, position: p, index } of primitivesOf(bytes, source)) {
    const add = (vertices: ArrayLike<number>, closed: boolean): void => {
      out.begin(name, closed);
      for (let k = 0; k < vertices.length; k++)
        out.point(p[3 * vertices[k]], p[3 * vertices[k] + 1], p[3 * vertices[k] + 2]);
    };
    if (mode === 1) for (const { vertices, closed } of chainSegments(index)) add(vertices, closed);
    else if (mode === 2 || mode === 3) add(index, mode === 2);
    else other.add(mode);
  }
  if (out.pointCount === 0)
    throw new InputError(source, 'there are no lines in it; a glTF file with curves has primitives of mode 1, 2 or 3');
  const warnings = other.size > 0 ? ['points and triangles in it are left out'] : [];
  return out.build({ unit: 1, up: 'y', warnings });
}

export function readGltfMesh(bytes: Uint8Array, source: string): TriangleMesh {
  const position: number[] = [];
  const triangle: number[] = [];
  const color: number[] = [];
  for (const { mode, position: p, index, color: c, mirrored } of primitivesOf(bytes, source)) {
    if (mode < 4) continue;
    const first = position.length / 3;
    for (let i = 0; i < p.length; i++) position.push(p[i]);
    if (c) for (let i = 0; i < c.length; i++) color.push(c[i]);
    const add = (a: number, b: number, d: number): void => {
      if (mirrored) triangle.push(first + a, first + d, first + b);
      else triangle.push(first + a, first + b, first + d);
    };
    if (mode === 4) for (let k = 0; k + 2 < index.length; k += 3) add(index[k], index[k + 1], index[k + 2]);
    else
      for (let k = 2; k < index.length; k++) {
        if (mode === 6) add(index[0], index[k - 1], index[k]);
        else if (k % 2 === 0) add(index[k - 2], index[k - 1], index[k]);
        else add(index[k - 1], index[k - 2], index[k]);
      }
  }
  if (triangle.length === 0) throw new InputError(source, 'there are no triangles in it');
  return {
    position: Float64Array.from(position),
    triangle: Uint32Array.from(triangle),
    ...(color.length === position.length && { color: Float64Array.from(color) }),
  };
}

type Json = Readonly<Record<string, unknown>>;

interface Document {
  readonly json: Json;
  readonly source: string;
  buffer(index: number): Uint8Array;
}

const jsonChunk = 0x4e4f534a;
const binChunk = 0x004e4942;

function open(bytes: Uint8Array, source: string): Document {
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

function item(json: Json, list: string, index: unknown, source: string): Json {
  const items = json[list];
  const found: unknown = Array.isArray(items) && Number.isInteger(index) ? items[index as number] : undefined;
  if (typeof found !== 'object' || found === null)
    throw new InputError(source, `${list}[${String(index)}] does not exist`);
  return found as Json;
}

function whole(value: unknown, fallback: number, what: string, source: string): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new InputError(source, `${what} is ${JSON.stringify(value)}, expected a whole number`);
}

const componentSizes: Readonly<Record<number, number>> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const componentCounts: Readonly<Record<string, number>> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

/** The numbers of an accessor, after everything it says was checked. */
function readAccessor(
  document: Document,
  index: unknown,
): { readonly values: Float64Array; readonly components: number } {
  const { json, source } = document;
  const accessor = item(json, 'accessors', index, source);
  const name = `accessors[${String(index)}]`;
  if (accessor.sparse !== undefined)
    throw new InputError(source, `${name} is sparse, which is not read; export without it`);
  if (accessor.bufferView === undefined)
    throw new InputError(source, `${name} has no data (compressed?); export without compression`);
  const type = accessor.componentType as number;
  const size = componentSizes[type];
  const components = componentCounts[accessor.type as string];
  if (!size || !components) throw new InputError(source, `${name} has an unknown type`);
  const count = whole(accessor.count, 0, `${name}.count`, source);
  if (count > pointLimit) throw new InputError(source, `${name} has ${count} entries; ${pointLimit} are read at most`);
  const view = item(json, 'bufferViews', accessor.bufferView, source);
  const buffer = document.buffer(whole(view.buffer, 0, 'buffer', source));
  const start = whole(view.byteOffset, 0, 'byteOffset', source) + whole(accessor.byteOffset, 0, 'byteOffset', source);
  const stride = whole(view.byteStride, size * components, 'byteStride', source);
  if (count > 0 && start + stride * (count - 1) + size * components > buffer.length)
    throw new InputError(
      source,
      `${name} reaches beyond its buffer of ${buffer.length} bytes: the file is truncated or damaged`,
    );
  const data = viewOf(buffer);
  const scale = accessor.normalized === true ? normalizers[type] : undefined;
  const values = new Float64Array(count * components);
  for (let i = 0; i < count; i++)
    for (let k = 0; k < components; k++) {
      const value = readComponent(data, start + stride * i + size * k, type);
      values[i * components + k] = scale ? value / scale : value;
    }
  return { values, components };
}

const normalizers: Readonly<Record<number, number>> = { 5120: 127, 5121: 255, 5122: 32767, 5123: 65535 };

function readComponent(data: DataView, at: number, type: number): number {
  if (type === 5126) return data.getFloat32(at, true);
  if (type === 5125) return data.getUint32(at, true);
  if (type === 5123) return data.getUint16(at, true);
  if (type === 5122) return data.getInt16(at, true);
  return type === 5121 ? data.getUint8(at) : data.getInt8(at);
}

function* primitivesOf(bytes: Uint8Array, source: string): Generator<Primitive> {
  const document = open(bytes, source);
  const { json } = document;
  const scenes = Array.isArray(json.scenes) ? json.scenes : [];
  const roots: unknown =
    scenes.length > 0 ? item(json, 'scenes', json.scene ?? 0, source).nodes : nodesWithoutParent(json);
  const queue: { node: unknown; parent: Transform }[] = [];
  for (const node of Array.isArray(roots) ? roots : []) queue.push({ node, parent: identity });
  const visited = new Set<unknown>();
  for (let k = 0; k < queue.length; k++) {
    const { node: index, parent } = queue[k];
    const node = item(json, 'nodes', index, source);
    // nodes are trees; where they share children or go in circles, there would be no end of them
    if (visited.has(index)) throw new InputError(source, `nodes[${String(index)}] has two parents; glTF allows one`);
    visited.add(index);
    const transform = compose(parent, localOf(node, source));
    for (const child of Array.isArray(node.children) ? node.children : [])
      queue.push({ node: child, parent: transform });
    if (node.mesh === undefined) continue;
    const mesh = item(json, 'meshes', node.mesh, source);
    const count = Array.isArray(mesh.primitives) ? mesh.primitives.length : 0;
    for (let p = 0; p < count; p++) {
      const primitive = item(mesh, 'primitives', p, source);
      yield readPrimitive(document, primitive, String(node.name ?? mesh.name ?? ''), transform);
    }
  }
}

/** Where a file names no scene, all its trees are meant. */
function nodesWithoutParent(json: Json): number[] {
  const nodes: readonly (Json | null)[] = Array.isArray(json.nodes) ? json.nodes : [];
  const children = new Set(nodes.flatMap((node) => (Array.isArray(node?.children) ? node.children : [])));
  return nodes.map((_, k) => k).filter((k) => !children.has(k));
}

function readPrimitive(document: Document, primitive: Json, name: string, m: Transform): Primitive {
  const { source } = document;
  const attributes = (primitive.attributes ?? {}) as Json;
  const { values, components } = readAccessor(document, attributes.POSITION);
  if (components !== 3)
    throw new InputError(source, `positions of '${name}' have ${components} components, expected 3`);
  const position = new Float64Array(values.length);
  for (let i = 0; i < values.length; i += 3)
    for (let k = 0; k < 3; k++) {
      position[i + k] = m[k] * values[i] + m[3 + k] * values[i + 1] + m[6 + k] * values[i + 2] + m[9 + k];
      if (!Number.isFinite(position[i + k])) throw new InputError(source, `vertex ${i / 3} of '${name}' is not finite`);
    }
  const count = values.length / 3;
  const index =
    primitive.indices === undefined
      ? Uint32Array.from({ length: count }, (_, k) => k)
      : Uint32Array.from(readAccessor(document, primitive.indices).values);
  const wrong = index.findIndex((vertex) => vertex >= count);
  if (wrong >= 0)
    throw new InputError(source, `index ${wrong} of '${name}' is ${index[wrong]}, and it has ${count} vertices`);
  const mode = whole(primitive.mode, 4, 'mode', source);
  const color = attributes.COLOR_0 === undefined ? undefined : readAccessor(document, attributes.COLOR_0);
  return {
    name,
    mode,
    position,
    index,
    mirrored: determinant(m) < 0,
    ...(color && { color: color.values.filter((_, k) => k % color.components < 3) }),
  };
}

function numbers(value: unknown, count: number, fallback: readonly number[], source: string): readonly number[] {
  if (value === undefined) return fallback;
  if (Array.isArray(value) && value.length === count && value.every((x) => typeof x === 'number'))
    return value as number[];
  throw new InputError(source, `a transform in it is not ${count} numbers`);
}

function localOf(node: Json, source: string): Transform {
  if (node.matrix !== undefined) {
    const m = numbers(node.matrix, 16, [], source);
    return [m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10], m[12], m[13], m[14]];
  }
  const t = numbers(node.translation, 3, [0, 0, 0], source);
  const [x, y, z, w] = numbers(node.rotation, 4, [0, 0, 0, 1], source);
  const scale = numbers(node.scale, 3, [1, 1, 1], source);
  const turned = fromQuaternion(w, x, y, z);
  return [...turned.slice(0, 9).map((value, k) => value * scale[Math.floor(k / 3)]), ...t];
}
