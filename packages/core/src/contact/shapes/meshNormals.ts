/** Normals of a triangle mesh: of faces, of edges (sum of both faces) and of vertices (weighted by the angles of their faces). */
import { acos, hypot } from '../../math/rounded/index.ts';

/** Vertices (3 numbers each) and the three vertices of each triangle. */
export interface Triangles {
  readonly vertices: Float64Array;
  readonly triangles: Int32Array;
}

/** Normals of faces (3 numbers each), of their three edges (9 each) and of vertices (3 each). */
export interface Normals {
  readonly face: Float64Array;
  readonly edge: Float64Array;
  readonly vertex: Float64Array;
}

/** Writes all normals. `opposite` comes from `findOpposite`. */
export function writeNormals(out: Normals, mesh: Triangles, opposite: Int32Array): void {
  const { face, edge, vertex } = out;
  const { triangles } = mesh;
  vertex.fill(0);
  for (let f = 0; f < triangles.length / 3; f++) {
    writeFaceNormal(face, mesh, f);
    for (let k = 0; k < 3; k++) {
      const p = 3 * triangles[3 * f + k];
      const angle = measureAngle(mesh, f, k);
      for (let m = 0; m < 3; m++) vertex[p + m] += angle * face[3 * f + m];
    }
  }
  for (let e = 0; e < opposite.length; e++) {
    const other = opposite[e];
    const f = Math.floor(e / 3);
    for (let m = 0; m < 3; m++) edge[3 * e + m] = face[3 * f + m] + (other >= 0 ? face[3 * other + m] : 0);
  }
}

function writeFaceNormal(face: Float64Array, { vertices, triangles }: Triangles, f: number): void {
  const [a, b, c] = [3 * triangles[3 * f], 3 * triangles[3 * f + 1], 3 * triangles[3 * f + 2]];
  const [ux, uy, uz] = [
    vertices[b] - vertices[a],
    vertices[b + 1] - vertices[a + 1],
    vertices[b + 2] - vertices[a + 2],
  ];
  const [vx, vy, vz] = [
    vertices[c] - vertices[a],
    vertices[c + 1] - vertices[a + 1],
    vertices[c + 2] - vertices[a + 2],
  ];
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  const size = hypot(nx, ny, nz) || 1;
  face[3 * f] = nx / size;
  face[3 * f + 1] = ny / size;
  face[3 * f + 2] = nz / size;
}

/** Angle of face f at its corner k [rad]. */
function measureAngle({ vertices, triangles }: Triangles, f: number, k: number): number {
  const p = 3 * triangles[3 * f + k];
  const q = 3 * triangles[3 * f + ((k + 1) % 3)];
  const r = 3 * triangles[3 * f + ((k + 2) % 3)];
  let dot = 0;
  let l1 = 0;
  let l2 = 0;
  for (let m = 0; m < 3; m++) {
    const e = vertices[q + m] - vertices[p + m];
    const g = vertices[r + m] - vertices[p + m];
    dot += e * g;
    l1 += e * e;
    l2 += g * g;
  }
  return l1 > 0 && l2 > 0 ? acos(Math.max(-1, Math.min(1, dot / Math.sqrt(l1 * l2)))) : 0;
}

/** For each side of each triangle the triangle across it, −1 at a border. */
export function findOpposite(triangles: Int32Array, vertexCount: number): Int32Array {
  const faceOf = new Map<number, number>();
  const key = (i: number, k: number): number => triangles[i + k] * vertexCount + triangles[i + ((k + 1) % 3)];
  const back = (i: number, k: number): number => triangles[i + ((k + 1) % 3)] * vertexCount + triangles[i + k];
  for (let i = 0; i < triangles.length; i += 3) for (let k = 0; k < 3; k++) faceOf.set(key(i, k), i / 3);
  const opposite = new Int32Array(triangles.length);
  for (let i = 0; i < triangles.length; i += 3)
    for (let k = 0; k < 3; k++) opposite[i + k] = faceOf.get(back(i, k)) ?? -1;
  return opposite;
}
