/**
 * Wavefront OBJ: lines as curves, faces as a mesh. Colours after the positions (`v x y z r g b`), which many programs write,
 * are kept as maps on a mesh. Materials, normals and free-form curves are ignored.
 */
import { InputError } from '../errors.ts';
import { type Curves, chainSegments, createCurveBuilder, pointLimit } from './curves.ts';
import type { MeshFile } from './meshFile.ts';
import { decodeText, lineError, lines, numberAt } from './text.ts';

interface Obj {
  readonly position: number[];
  readonly color: number[];
  readonly polylines: readonly { readonly name: string; readonly vertices: number[] }[];
  readonly triangles: number[];
}

export function readObjCurves(bytes: Uint8Array, source: string): Curves {
  const { position: p, polylines } = parseObj(bytes, source);
  if (polylines.length === 0) {
    throw new InputError(source, 'there are no lines in it (l 1 2 3 …); export curves as polylines, not as a surface');
  }
  const out = createCurveBuilder(source);
  const add = (name: string, vertices: readonly number[], closed: boolean): void => {
    out.begin(name, closed);
    for (const v of vertices) out.point(p[3 * v], p[3 * v + 1], p[3 * v + 2]);
  };
  // pairs are pieces of curves, by object; what has more is a curve as it is
  const pairs = new Map<string, number[]>();
  for (const { name, vertices } of polylines) {
    if (vertices.length === 2) {
      const list = pairs.get(name);
      if (list) list.push(...vertices);
      else pairs.set(name, [...vertices]);
      continue;
    }
    const closed = vertices.length > 3 && vertices[0] === vertices[vertices.length - 1];
    add(name, closed ? vertices.slice(0, -1) : vertices, closed);
  }
  for (const [name, segments] of pairs)
    for (const { vertices, closed } of chainSegments(segments)) add(name, vertices, closed);
  return out.build({ unit: 1, warnings: [] });
}

export function openObjMesh(bytes: Uint8Array, source: string): MeshFile {
  const { position, color, triangles } = parseObj(bytes, source);
  if (triangles.length === 0) throw new InputError(source, 'there are no faces in it (f 1 2 3); export a surface');
  return {
    mesh: {
      position: Float64Array.from(position),
      triangle: Uint32Array.from(triangles),
      ...(color.length === position.length && { color: Float64Array.from(color) }),
    },
    unit: 1,
    up: 'z',
    animations: [],
    motion: () => {
      throw new InputError(source, 'an OBJ file has no animation');
    },
    warnings: [],
  };
}

function parseObj(bytes: Uint8Array, source: string): Obj {
  const text = decodeText(bytes, source, 'an OBJ file');
  const out: Obj & { polylines: { name: string; vertices: number[] }[] } = {
    position: [],
    color: [],
    polylines: [],
    triangles: [],
  };
  let name = '';
  let known = 0;
  for (const { line, text: content } of lines(text, true)) {
    if (content === '') continue;
    const [word, ...rest] = content.trim().split(/\s+/);
    if (keywords.has(word)) known++;
    if (word === 'v') {
      for (let k = 0; k < 3; k++) out.position.push(numberAt(rest[k], source, line, `${'xyz'[k]} of a vertex`));
      if (rest.length >= 6) for (let k = 3; k < 6; k++) out.color.push(numberAt(rest[k], source, line, 'a colour'));
      if (out.position.length > 3 * pointLimit) throw lineError(source, line, `more than ${pointLimit} vertices`);
    } else if (word === 'o' || word === 'g') {
      name = rest.join(' ');
    } else if (word === 'l') {
      out.polylines.push({
        name,
        vertices: rest.map((item) => vertexIndex(item, out.position.length / 3, source, line)),
      });
    } else if (word === 'f') {
      const face = rest.map((item) => vertexIndex(item, out.position.length / 3, source, line));
      if (face.length < 3) throw lineError(source, line, `a face has ${face.length} corners; expected at least 3`);
      for (let k = 2; k < face.length; k++) out.triangles.push(face[0], face[k - 1], face[k]);
    }
  }
  if (known === 0) {
    const others = /\.obj$/i.test(source) ? '' : '; other meshes are .glb, .gltf, .usda and .abc files';
    throw new InputError(source, `this is not an OBJ file: it has no line that begins with v, l or f${others}`);
  }
  return out;
}

const keywords = new Set(['v', 'l', 'f', 'o', 'g', 'vn', 'vt', 's', 'mtllib', 'usemtl', 'p']);

/** `7`, `7/1`, `7//3` or `-1`, which counts back from the latest vertex. */
function vertexIndex(item: string, count: number, source: string, line: number): number {
  const value = Number(item.split('/')[0]);
  const index = value < 0 ? count + value : value - 1;
  if (Number.isInteger(value) && value !== 0 && index >= 0 && index < count) return index;
  throw lineError(source, line, `vertex '${item.slice(0, 20)}' does not exist: there are ${count} before this line`);
}
