/** Normals of the corners of faces: round where faces meet at a small angle, sharp at the edges of a box. */

/** Faces that turn less than this from one to the next are shaded as one surface. */
const crease = Math.cos((50 * Math.PI) / 180);
/** Facets this near to the surface that they stand for may be drawn as that surface. */
const fine = Math.cos((14 * Math.PI) / 180);

export interface CornerNormals {
  /** Unit, by the right-hand rule of the axes of `position`; 3 per corner, 9 per face. */
  readonly normal: Float64Array;
  /** Facets of one round surface without an edge: a ball, a capsule. */
  readonly round: boolean;
}

export function creaseNormals(position: ArrayLike<number>, triangle: ArrayLike<number>): CornerNormals {
  const faces = Math.floor(triangle.length / 3);
  // length: twice the area, the weight of a face in the mean
  const face = new Float64Array(3 * faces);
  const corners = position.length / 3;
  const start = new Uint32Array(corners + 1);
  for (let f = 0; f < faces; f++) {
    const [a, b, c] = [3 * triangle[3 * f], 3 * triangle[3 * f + 1], 3 * triangle[3 * f + 2]];
    for (let k = 0; k < 3; k++) {
      const [p, q] = [(k + 1) % 3, (k + 2) % 3];
      face[3 * f + k] =
        (position[b + p] - position[a + p]) * (position[c + q] - position[a + q]) -
        (position[b + q] - position[a + q]) * (position[c + p] - position[a + p]);
      start[triangle[3 * f + k] + 1]++;
    }
  }
  for (let k = 0; k < corners; k++) start[k + 1] += start[k];
  const next = start.slice();
  const around = new Uint32Array(3 * faces);
  for (let k = 0; k < 3 * faces; k++) around[next[triangle[k]]++] = Math.floor(k / 3);

  const size = Float64Array.from({ length: faces }, (_, f) => lengthAt(face, 3 * f));
  const normal = new Float64Array(9 * faces);
  let [sharp, farthest] = [false, 1];
  for (let k = 0; k < 3 * faces; k++) {
    const own = Math.floor(k / 3);
    for (let m = start[triangle[k]]; m < start[triangle[k] + 1]; m++) {
      const other = around[m];
      const cosine = dotAt(face, 3 * own, face, 3 * other);
      if (other !== own && !(cosine > crease * size[own] * size[other])) {
        sharp ||= size[own] > 0 && size[other] > 0;
        continue;
      }
      for (let d = 0; d < 3; d++) normal[3 * k + d] += face[3 * other + d];
    }
    const length = lengthAt(normal, 3 * k) || 1;
    for (let d = 0; d < 3; d++) normal[3 * k + d] /= length;
    const turn = size[own] > 0 ? dotAt(normal, 3 * k, face, 3 * own) / size[own] : 1;
    farthest = Math.min(turn, farthest);
  }
  return { normal, round: !sharp && farthest > fine && farthest < 0.99999 };
}

/** Faces by the first corner at each place: seams of a mesh, and the poles of a ball, are corners more than once. */
export function weldCorners(position: ArrayLike<number>, triangle: ArrayLike<number>): Uint32Array {
  let size = 0;
  for (let i = 0; i < position.length; i++) size = Math.max(size, Math.abs(position[i]));
  const cell = 1e-7 * size || 1;
  const first = new Map<string, number>();
  const same = Uint32Array.from({ length: position.length / 3 }, (_, corner) => {
    const key = [0, 1, 2].map((k) => Math.round(position[3 * corner + k] / cell)).join();
    const known = first.get(key) ?? corner;
    first.set(key, known);
    return known;
  });
  const out: number[] = [];
  for (let f = 0; f + 2 < triangle.length; f += 3) {
    const [a, b, c] = [same[triangle[f]], same[triangle[f + 1]], same[triangle[f + 2]]];
    if (a !== b && b !== c && c !== a) out.push(a, b, c);
  }
  return Uint32Array.from(out);
}

/** Every edge has one face on either side; a sheet does not. */
export function isClosed(triangle: ArrayLike<number>): boolean {
  const open = new Set<number>();
  const key = (a: number, b: number): number => a * 0x4000000 + b;
  for (let k = 0; k < triangle.length; k++) {
    const a = triangle[k];
    const b = triangle[k % 3 === 2 ? k - 2 : k + 1];
    if (!open.delete(key(b, a))) open.add(key(a, b));
  }
  return open.size === 0;
}

function dotAt(p: Float64Array, i: number, q: Float64Array, j: number): number {
  return p[i] * q[j] + p[i + 1] * q[j + 1] + p[i + 2] * q[j + 2];
}

function lengthAt(p: Float64Array, i: number): number {
  return Math.hypot(p[i], p[i + 1], p[i + 2]);
}
