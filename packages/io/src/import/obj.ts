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
  /** Texture coordinates, 2 per `vt`, and the one of each corner; -1: none. */
  readonly uv: number[];
  readonly uvCorners: number[];
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
  const { position, color, triangles, uv, uvCorners } = parseObj(bytes, source);
  if (triangles.length === 0) throw new InputError(source, 'there are no faces in it (f 1 2 3); export a surface');
  const lost = uv.length === 0 ? 0 : uvCorners.filter((k) => k < 0).length;
  return {
    mesh: {
      position: Float64Array.from(position),
      triangle: Uint32Array.from(triangles),
      ...(color.length === position.length && { color: Float64Array.from(color) }),
      ...(uvCorners.some((k) => k >= 0) && {
        uv: Float64Array.from(uvCorners.flatMap((k) => (k < 0 ? [0, 0] : [uv[2 * k], uv[2 * k + 1]]))),
      }),
    },
    unit: 1,
    up: 'z',
    animations: [],
    motion: () => {
      throw new InputError(source, 'an OBJ file has no animation');
    },
    warnings:
      lost > 0
        ? [`${lost} corners have no texture coordinate, or one that the file does not have; they count as (0, 0)`]
        : [],
  };
}

function parseObj(bytes: Uint8Array, source: string): Obj {
  const text = decodeText(bytes, source, 'an OBJ file');
  const out: Obj & { polylines: { name: string; vertices: number[] }[] } = {
    position: [],
    color: [],
    polylines: [],
    triangles: [],
    uv: [],
    uvCorners: [],
  };
  let name = '';
  let known = 0;
  for (const { line, text: content } of lines(text, { comments: true })) {
    if (content === '') continue;
    const [word, ...rest] = content.trim().split(/\s+/);
    if (keywords.has(word)) known++;
    if (word === 'v') {
      for (let k = 0; k < 3; k++) out.position.push(numberAt(rest[k], source, line, `${'xyz'[k]} of a vertex`));
      if (rest.length >= 6) for (let k = 3; k < 6; k++) out.color.push(numberAt(rest[k], source, line, 'a colour'));
      if (out.position.length > 3 * pointLimit) throw lineError(source, line, `more than ${pointLimit} vertices`);
    } else if (word === 'vt') {
      for (let k = 0; k < 2; k++)
        out.uv.push(numberAt(rest[k] ?? '0', source, line, `${'uv'[k]} of a texture coordinate`));
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
      const uv = rest.map((item) => uvIndex(item, out.uv.length / 2));
      for (let k = 2; k < face.length; k++)
        for (const corner of [0, k - 1, k]) {
          out.triangles.push(face[corner]);
          out.uvCorners.push(uv[corner]);
        }
    }
  }
  if (known === 0) {
    const others = /\.obj$/i.test(source) ? '' : '; other meshes are .glb, .gltf, .usda, .usdc, .usdz and .abc files';
    throw new InputError(source, `this is not an OBJ file: it has no line that begins with v, l or f${others}`);
  }
  return out;
}

const keywords = new Set(['v', 'l', 'f', 'o', 'g', 'vn', 'vt', 's', 'mtllib', 'usemtl', 'p']);

/** `7`, `7/1`, `7//3` or `-1`, which counts back from the latest vertex. */
function vertexIndex(item: string, count: number, source: string, line: number): number {
  const index = indexOf(item.split('/')[0], count);
  if (index !== undefined) return index;
  throw lineError(source, line, `vertex '${item.slice(0, 20)}' does not exist: there are ${count} before this line`);
}

/** The texture coordinate of a corner; -1: it has none, or one that the file does not have. */
function uvIndex(item: string, count: number): number {
  const word = item.split('/')[1] ?? '';
  return (word === '' ? undefined : indexOf(word, count)) ?? -1;
}

function indexOf(word: string, count: number): number | undefined {
  const value = Number(word);
  const index = value < 0 ? count + value : value - 1;
  return Number.isInteger(value) && value !== 0 && index >= 0 && index < count ? index : undefined;
}
