/**
 * A surface that hair grows on or meets: a triangle mesh as artists and scanners leave it, repaired.
 *
 * What is repaired, and counted in the report: vertices at one place become one (files split them at seams), triangles
 * without area are left out, triangles that face against their neighbours are turned. A closed piece faces outwards by
 * its volume, with caps on its holes if they are small. A scalp or a sheet keeps the side that most of its area faces.
 * Holes are no fault. Edges with three triangles or more separate pieces.
 */

import { SceneError } from '../errors.ts';
import { atan2, hypot } from '../math/rounded/index.ts';
import { capArea, holeLimit, joinRims, middleOf } from './rims.ts';
import type { Texture } from './texture.ts';

/** Repairs made to a mesh. */
export interface SurfaceReport {
  /** Number of vertices after the repairs. */
  readonly vertices: number;
  /** Number of triangles after the repairs. */
  readonly faces: number;
  /** [m²] */
  readonly area: number;
  /** Triangles removed because they have no area, or a repeated corner. */
  readonly degenerate: number;
  /** Triangles whose orientation was reversed. */
  readonly flipped: number;
  /** Vertices that were at the place of another. */
  readonly merged: number;
  /** Number of pieces that are not connected. */
  readonly pieces: number;
  /** Boundaries, of pieces that are not closed. */
  readonly holes: number;
  /** Edges with more than two triangles. */
  readonly branched: number;
}

/** A repaired triangle mesh on which hair grows. */
export interface Surface {
  /** [m], 3 per vertex */
  readonly position: Float64Array;
  /** Unit, outwards, 3 per vertex; weighted by the angles of the triangles. */
  readonly normal: Float64Array;
  /** Corners, 3 per face, anticlockwise from outside. */
  readonly triangle: Uint32Array;
  /** [m²], 1 per face */
  readonly area: Float64Array;
  /** 3 per vertex, if the mesh has colours. */
  readonly color?: Float64Array;
  /** Texture coordinates at the corners of the faces, 6 per face, if the mesh has them. */
  readonly uv?: Float64Array;
  /** A picture that gives the surface its colours. */
  readonly texture?: Texture;
  /** Vertex of the input mesh for each vertex. */
  readonly source: Uint32Array;
  /** Repairs made to the mesh. */
  readonly report: SurfaceReport;
}

/** Triangles as positions [m] and vertex indices. */
export interface MeshInput {
  /** [m], 3 per vertex. */
  readonly position: ArrayLike<number>;
  /** Vertex indices, 3 per triangle. */
  readonly triangle: ArrayLike<number>;
  /** Colours, 3 per vertex. */
  readonly color?: ArrayLike<number>;
  /** Texture coordinates at the corners of the triangles, 6 per triangle; (0, 0) is the bottom left of a picture. */
  readonly uv?: ArrayLike<number>;
}

/** Creates a surface from triangles and repairs them. `path`: field of the mesh in a scene, for errors. */
export function createSurface(mesh: MeshInput, path: readonly (string | number)[] = ['mesh']): Surface {
  check(mesh, path);
  const { place, position, color, merged, source } = mergeVertices(mesh);
  const { triangle, uv, degenerate } = keepFaces(mesh, place, position);
  if (triangle.length === 0)
    throw new SceneError(path, 'no triangle of the mesh has an area; is its unit right, and is it a surface?');
  const { flipped, pieces, branched, boundary } = orient(triangle, position, uv);
  const faces = triangle.length / 3;
  const area = Float64Array.from({ length: faces }, (_, f) => measureArea(position, triangle, f));
  const normal = vertexNormals(position, triangle);
  return {
    position,
    normal,
    triangle,
    area,
    ...(color && { color }),
    ...(uv && { uv }),
    source,
    report: {
      vertices: position.length / 3,
      faces,
      area: area.reduce((sum, value) => sum + value, 0),
      degenerate,
      flipped,
      merged,
      pieces,
      holes: countLoops(boundary),
      branched,
    },
  };
}

function check({ position, triangle, color, uv }: MeshInput, path: readonly (string | number)[]): void {
  const count = position.length / 3;
  if (!Number.isInteger(count) || count < 3) throw new SceneError(path, `a mesh needs three vertices, got ${count}`);
  for (let i = 0; i < position.length; i++) {
    if (!Number.isFinite(position[i]))
      throw new SceneError(path, `vertex ${Math.floor(i / 3)} of the mesh is not a point: ${position[i]}`);
  }
  if (triangle.length % 3 !== 0 || triangle.length === 0)
    throw new SceneError(path, `a mesh needs triangles with three corners each, got ${triangle.length} corners`);
  for (let k = 0; k < triangle.length; k++) {
    if (!(Number.isInteger(triangle[k]) && triangle[k] >= 0 && triangle[k] < count))
      throw new SceneError(path, `triangle ${Math.floor(k / 3)} names vertex ${triangle[k]}, and there are ${count}`);
  }
  if (color && color.length !== position.length)
    throw new SceneError(path, `there are ${position.length / 3} vertices and ${color.length / 3} colours`);
  if (uv && uv.length !== 2 * triangle.length)
    throw new SceneError(path, `there are ${triangle.length} corners and ${uv.length / 2} texture coordinates`);
}

interface Merged {
  /** New index of each old vertex. */
  readonly place: Uint32Array;
  readonly position: Float64Array;
  readonly color?: Float64Array;
  readonly merged: number;
  /** Old index of each new vertex. */
  readonly source: Uint32Array;
}

/** Vertices nearer than this part of the mesh's size are one: files round, and split vertices at seams. */
const mergeTolerance = 1e-7;

function mergeVertices({ position: p, color }: MeshInput): Merged {
  const count = p.length / 3;
  let size = 0;
  for (let i = 0; i < p.length; i++) size = Math.max(size, Math.abs(p[i] - p[i % 3]));
  const tolerance = mergeTolerance * size;
  // along a direction in which no mesh has rows, so that few vertices come near each other
  const along = Float64Array.from(
    { length: count },
    (_, i) => 0.5413 * p[3 * i] + 0.6271 * p[3 * i + 1] + 0.5602 * p[3 * i + 2],
  );
  const order = Array.from(along, (_, i) => i).sort((a, b) => along[a] - along[b] || a - b);
  const target = Int32Array.from({ length: count }, (_, i) => i);
  for (let k = 0; k < count; k++) {
    const i = order[k];
    for (let n = k - 1; n >= 0 && along[i] - along[order[n]] <= tolerance; n--) {
      const j = order[n];
      if (hypot(p[3 * i] - p[3 * j], p[3 * i + 1] - p[3 * j + 1], p[3 * i + 2] - p[3 * j + 2]) > tolerance) continue;
      target[i] = target[j];
      break;
    }
  }
  const place = new Uint32Array(count);
  const kept: number[] = [];
  for (let i = 0; i < count; i++) if (target[i] === i) place[i] = kept.push(i) - 1;
  for (let i = 0; i < count; i++) place[i] = place[target[i]];
  const pick = (values: ArrayLike<number>): Float64Array =>
    Float64Array.from({ length: 3 * kept.length }, (_, k) => values[3 * kept[Math.floor(k / 3)] + (k % 3)]);
  const source = Uint32Array.from(kept);
  return { place, position: pick(p), ...(color && { color: pick(color) }), merged: count - kept.length, source };
}

/** Twice the area's vector. */
function faceNormal(out: Float64Array, p: Float64Array, t: ArrayLike<number>, f: number): number {
  const [a, b, c] = [3 * t[3 * f], 3 * t[3 * f + 1], 3 * t[3 * f + 2]];
  const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
  const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
  out[0] = uy * vz - uz * vy;
  out[1] = uz * vx - ux * vz;
  out[2] = ux * vy - uy * vx;
  return hypot(out[0], out[1], out[2]);
}

const work = new Float64Array(3);

function measureArea(p: Float64Array, t: ArrayLike<number>, f: number): number {
  return faceNormal(work, p, t, f) / 2;
}

function keepFaces(
  { triangle: t, uv }: MeshInput,
  place: Uint32Array,
  p: Float64Array,
): { triangle: Uint32Array; uv?: Float64Array; degenerate: number } {
  const all = Uint32Array.from(t, (vertex) => place[vertex]);
  const kept: number[] = [];
  const keptUv: number[] = [];
  let degenerate = 0;
  for (let f = 0; f < all.length / 3; f++) {
    const [a, b, c] = all.subarray(3 * f, 3 * f + 3);
    // a needle whose height is lost in rounding has no normal to speak of
    const longest = Math.max(edgeLength(p, a, b), edgeLength(p, b, c), edgeLength(p, c, a));
    if (a === b || b === c || c === a || !(measureArea(p, all, f) > 1e-12 * longest * longest)) {
      degenerate++;
      continue;
    }
    kept.push(a, b, c);
    if (uv) for (let k = 6 * f; k < 6 * f + 6; k++) keptUv.push(uv[k]);
  }
  return { triangle: Uint32Array.from(kept), ...(uv && { uv: Float64Array.from(keptUv) }), degenerate };
}

function edgeLength(p: Float64Array, a: number, b: number): number {
  return hypot(p[3 * a] - p[3 * b], p[3 * a + 1] - p[3 * b + 1], p[3 * a + 2] - p[3 * b + 2]);
}

/** Turns faces so that neighbours agree and pieces face outwards. Writes into `triangle` and `uv`. */
function orient(
  triangle: Uint32Array,
  p: Float64Array,
  uv: Float64Array | undefined,
): { flipped: number; pieces: number; branched: number; boundary: [number, number][] } {
  const faces = triangle.length / 3;
  const vertices = p.length / 3;
  const edges = new Map<number, number[]>();
  for (let f = 0; f < faces; f++) {
    for (let k = 0; k < 3; k++) {
      const [a, b] = [triangle[3 * f + k], triangle[3 * f + ((k + 1) % 3)]];
      const key = Math.min(a, b) * vertices + Math.max(a, b);
      const list = edges.get(key);
      if (list) list.push(f);
      else edges.set(key, [f]);
    }
  }
  const turned = new Uint8Array(faces);
  const piece = new Int32Array(faces).fill(-1);
  let pieces = 0;
  const goesForward = (f: number, a: number, b: number): boolean =>
    [0, 1, 2].some((k) => triangle[3 * f + k] === a && triangle[3 * f + ((k + 1) % 3)] === b);
  for (let start = 0; start < faces; start++) {
    if (piece[start] >= 0) continue;
    const queue = [start];
    piece[start] = pieces;
    for (let head = 0; head < queue.length; head++) {
      const f = queue[head];
      for (let k = 0; k < 3; k++) {
        const [a, b] = [triangle[3 * f + k], triangle[3 * f + ((k + 1) % 3)]];
        const both = edges.get(Math.min(a, b) * vertices + Math.max(a, b)) as number[];
        if (both.length !== 2) continue;
        const other = both[0] === f ? both[1] : both[0];
        if (piece[other] >= 0) continue;
        piece[other] = pieces;
        // neighbours that agree pass their common edge in opposite directions
        turned[other] = goesForward(other, a, b) ? 1 - turned[f] : turned[f];
        queue.push(other);
      }
    }
    turnPiece(queue, turned, triangle, p, edges, vertices);
    pieces++;
  }
  let flipped = 0;
  for (let f = 0; f < faces; f++) {
    if (!turned[f]) continue;
    flipped++;
    swap(triangle, 3 * f + 1, 3 * f + 2);
    if (uv) for (let k = 0; k < 2; k++) swap(uv, 6 * f + 2 + k, 6 * f + 4 + k);
  }
  const boundary: [number, number][] = [];
  let branched = 0;
  for (const [key, list] of edges) {
    if (list.length === 1) boundary.push([Math.floor(key / vertices), key % vertices]);
    else if (list.length > 2) branched++;
  }
  return { flipped, pieces, branched, boundary };
}

function swap(values: Uint32Array | Float64Array, a: number, b: number): void {
  [values[a], values[b]] = [values[b], values[a]];
}

/** Decides which of the two sides of a piece is outside. */
function turnPiece(
  faces: readonly number[],
  turned: Uint8Array,
  triangle: Uint32Array,
  p: Float64Array,
  edges: ReadonlyMap<number, readonly number[]>,
  vertices: number,
): void {
  let [volume, size, kept, changed] = [0, 0, 0, 0];
  const open: [number, number][] = [];
  // from a corner of the piece itself, so that its distance from the origin costs no digits
  const origin = 3 * triangle[3 * faces[0]];
  for (const f of faces) {
    const sign = turned[f] ? -1 : 1;
    const double = faceNormal(work, p, triangle, f);
    const a = 3 * triangle[3 * f];
    const part =
      (p[a] - p[origin]) * work[0] + (p[a + 1] - p[origin + 1]) * work[1] + (p[a + 2] - p[origin + 2]) * work[2];
    volume += sign * part;
    size += Math.abs(part);
    if (turned[f]) changed += double;
    else kept += double;
    for (let k = 0; k < 3; k++) {
      const [x, y] = [triangle[3 * f + k], triangle[3 * f + ((k + 1) % 3)]];
      if (edges.get(Math.min(x, y) * vertices + Math.max(x, y))?.length === 2) continue;
      open.push(turned[f] ? [y, x] : [x, y]);
    }
  }
  const caps = measureCaps(p, open, origin);
  const mostlyHole = caps.area > holeLimit * (caps.area + (kept + changed) / 2);
  const enclosed = volume + caps.volume;
  const inside = !mostlyHole && Math.abs(enclosed) > 1e-9 * size ? enclosed < 0 : changed > kept;
  if (inside) for (const f of faces) turned[f] = 1 - turned[f];
}

/** Area of the caps that close the open edges, and six times their part of the volume about vertex coordinate `origin`. */
function measureCaps(
  p: Float64Array,
  open: readonly (readonly [number, number])[],
  origin: number,
): { area: number; volume: number } {
  let [area, volume] = [0, 0];
  for (const rim of joinRims(open)) {
    const middle = middleOf(p, rim);
    area += capArea(p, rim, middle);
    rim.forEach((vertex, k) => {
      volume += sixfoldVolume(p, origin, 3 * vertex, 3 * rim[(k + 1) % rim.length], middle);
    });
  }
  return { area, volume };
}

/** Of the tetrahedron from `origin` over the triangle of two vertices (indices of coordinates) and a point. */
function sixfoldVolume(p: Float64Array, origin: number, a: number, b: number, point: readonly number[]): number {
  const [ux, uy, uz] = [0, 1, 2].map((k) => p[a + k] - p[origin + k]);
  const [vx, vy, vz] = [0, 1, 2].map((k) => p[b + k] - p[origin + k]);
  const [wx, wy, wz] = point.map((x, k) => x - p[origin + k]);
  return (uy * vz - uz * vy) * wx + (uz * vx - ux * vz) * wy + (ux * vy - uy * vx) * wz;
}

function countLoops(boundary: readonly (readonly [number, number])[]): number {
  const next = new Map<number, number>();
  const find = (vertex: number): number => {
    let root = vertex;
    while (next.get(root) !== root) root = next.get(root) as number;
    for (let k = vertex; k !== root; ) {
      const after = next.get(k) as number;
      next.set(k, root);
      k = after;
    }
    return root;
  };
  for (const [a, b] of boundary) {
    if (!next.has(a)) next.set(a, a);
    if (!next.has(b)) next.set(b, b);
    next.set(find(a), find(b));
  }
  let loops = 0;
  for (const [vertex, to] of next) if (vertex === to) loops++;
  return loops;
}

function vertexNormals(p: Float64Array, t: Uint32Array): Float64Array {
  const out = new Float64Array(p.length);
  for (let f = 0; f < t.length / 3; f++) {
    const size = faceNormal(work, p, t, f);
    for (let k = 0; k < 3; k++) {
      const [a, b, c] = [t[3 * f + k], t[3 * f + ((k + 1) % 3)], t[3 * f + ((k + 2) % 3)]];
      const angle = atan2(size, dotAt(p, a, b, c));
      for (let m = 0; m < 3; m++) out[3 * a + m] += (angle * work[m]) / size;
    }
  }
  for (let i = 0; i < out.length; i += 3) {
    const size = hypot(out[i], out[i + 1], out[i + 2]);
    // a vertex without faces, or with faces that cancel, has no normal and gets no hair
    for (let m = 0; m < 3; m++) out[i + m] = size > 1e-9 ? out[i + m] / size : 0;
  }
  return out;
}

/** (b − a)·(c − a) */
function dotAt(p: Float64Array, a: number, b: number, c: number): number {
  let sum = 0;
  for (let m = 0; m < 3; m++) sum += (p[3 * b + m] - p[3 * a + m]) * (p[3 * c + m] - p[3 * a + m]);
  return sum;
}
