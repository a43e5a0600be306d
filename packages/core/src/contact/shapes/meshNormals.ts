/**
 * Normals of a triangle mesh: of faces, of edges (sum of both faces) and of vertices (weighted by the angles of their faces). They are computed when a query
 * asks for them, because a mesh that deforms needs few of them per step.
 */
import { acos, hypot } from '../../math/rounded/index.ts';

/** Vertices (3 numbers each) and the three vertices of each triangle. */
export interface Triangles {
  readonly vertices: Float64Array;
  readonly triangles: Int32Array;
}

/** Normals for the current vertices. */
export interface Normals {
  /** Must be called after vertices have moved. */
  reset(): void;
  /** Writes the normal, not of unit length, of a feature of face f: 0 the face, 1 to 3 its sides, 4 to 6 its corners. */
  write(out: Float64Array, f: number, feature: number): void;
}

export function createNormals(mesh: Triangles): Normals {
  const { vertices, triangles } = mesh;
  const opposite = findOpposite(triangles, vertices.length / 3);
  const { first, corners } = gatherCorners(triangles, vertices.length / 3);
  const face = new Float64Array(triangles.length);
  const vertex = new Float64Array(vertices.length);
  /** Version of the vertices for which each normal was computed. */
  const faceVersion = new Float64Array(triangles.length / 3);
  const vertexVersion = new Float64Array(vertices.length / 3);
  let version = 1;
  const needFace = (f: number): void => {
    if (faceVersion[f] === version) return;
    faceVersion[f] = version;
    writeFaceNormal(face, mesh, f);
  };
  const needVertex = (i: number): void => {
    if (vertexVersion[i] === version) return;
    vertexVersion[i] = version;
    vertex.fill(0, 3 * i, 3 * i + 3);
    for (let c = first[i]; c < first[i + 1]; c++) {
      const f = Math.floor(corners[c] / 3);
      needFace(f);
      const angle = measureAngle(mesh, f, corners[c] % 3);
      for (let m = 0; m < 3; m++) vertex[3 * i + m] += angle * face[3 * f + m];
    }
  };
  return {
    reset() {
      version++;
    },
    write(out, f, feature) {
      needFace(f);
      if (feature > 3) {
        const i = triangles[3 * f + feature - 4];
        needVertex(i);
        for (let m = 0; m < 3; m++) out[m] = vertex[3 * i + m];
        return;
      }
      const other = feature === 0 ? -1 : opposite[3 * f + feature - 1];
      if (other >= 0) needFace(other);
      for (let m = 0; m < 3; m++) out[m] = face[3 * f + m] + (other >= 0 ? face[3 * other + m] : 0);
    },
  };
}

/** Corners at each vertex i, `corners[first[i]]` to `corners[first[i + 1] - 1]`, as indices into `triangles`, ascending. */
function gatherCorners(triangles: Int32Array, vertexCount: number): { first: Int32Array; corners: Int32Array } {
  const first = new Int32Array(vertexCount + 1);
  for (const i of triangles) first[i + 1]++;
  for (let i = 0; i < vertexCount; i++) first[i + 1] += first[i];
  const next = first.slice();
  const corners = new Int32Array(triangles.length);
  triangles.forEach((i, c) => {
    corners[next[i]++] = c;
  });
  return { first, corners };
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
function findOpposite(triangles: Int32Array, vertexCount: number): Int32Array {
  const faceOf = new Map<number, number>();
  const key = (i: number, k: number): number => triangles[i + k] * vertexCount + triangles[i + ((k + 1) % 3)];
  const back = (i: number, k: number): number => triangles[i + ((k + 1) % 3)] * vertexCount + triangles[i + k];
  for (let i = 0; i < triangles.length; i += 3) for (let k = 0; k < 3; k++) faceOf.set(key(i, k), i / 3);
  const opposite = new Int32Array(triangles.length);
  for (let i = 0; i < triangles.length; i += 3)
    for (let k = 0; k < 3; k++) opposite[i + k] = faceOf.get(back(i, k)) ?? -1;
  return opposite;
}
