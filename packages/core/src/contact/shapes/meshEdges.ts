/** The point of an edge that is closest to a triangle mesh. */
import { hypot } from '../../math/rounded/index.ts';
import type { BoxTree } from './boxTree.ts';
import type { Triangles } from './meshNormals.ts';
import type { Shape } from './shape.ts';
import { closestOfSegments, searchEdge } from './shape.ts';

const parameters = new Float64Array(2);
const edgeBox = new Float64Array(6);
const at = new Float64Array(4);

/**
 * Exact if the edge does not pierce the mesh: the minimum over its ends against faces, and the edge against edges of faces. If the edge pierces
 * the mesh, the deepest point that a search finds.
 */
export function closestOnMesh(
  mesh: Triangles & { readonly tree: BoxTree },
  distance: Shape['distance'],
  a: Float64Array,
  b: Float64Array,
): number {
  const { tree, vertices, triangles } = mesh;
  distance(at, a[0], a[1], a[2]);
  const atA = at[0];
  distance(at, b[0], b[1], b[2]);
  const atB = at[0];
  if (atA <= 0 || atB <= 0) return searchEdge(distance, a, b);
  let t = atA <= atB ? 0 : 1;
  let best = Math.min(atA, atB);
  const dx = b[0] - a[0];
  const dy = b[1] - a[1];
  const dz = b[2] - a[2];
  const { stack, nodeBox, first, second, size, order } = tree;
  let top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const node = stack[--top];
    for (let k = 0; k < 3; k++) {
      edgeBox[k] = Math.min(a[k], b[k]) - best;
      edgeBox[k + 3] = Math.max(a[k], b[k]) + best;
    }
    if (!boxesMeet(nodeBox, 6 * node, edgeBox)) continue;
    if (size[node] === 0) {
      stack[top++] = second[node];
      stack[top++] = first[node];
      continue;
    }
    for (let k = 0; k < size[node]; k++) {
      const f = order[first[node] + k];
      if (pierces(vertices, triangles, f, a, dx, dy, dz)) return searchEdge(distance, a, b);
      for (let m = 0; m < 3; m++) {
        const p = 3 * triangles[3 * f + m];
        const q = 3 * triangles[3 * f + ((m + 1) % 3)];
        const ex = vertices[q] - vertices[p];
        const ey = vertices[q + 1] - vertices[p + 1];
        const ez = vertices[q + 2] - vertices[p + 2];
        const rx = a[0] - vertices[p];
        const ry = a[1] - vertices[p + 1];
        const rz = a[2] - vertices[p + 2];
        closestOfSegments(parameters, dx, dy, dz, ex, ey, ez, rx, ry, rz);
        const s = parameters[0];
        const u = parameters[1];
        const d = hypot(rx + s * dx - u * ex, ry + s * dy - u * ey, rz + s * dz - u * ez);
        if (d >= best) continue;
        best = d;
        t = s;
      }
    }
  }
  return t;
}

function boxesMeet(box: Float64Array, o: number, other: Float64Array): boolean {
  for (let k = 0; k < 3; k++) if (box[o + k] > other[k + 3] || other[k] > box[o + 3 + k]) return false;
  return true;
}

/** True if the segment a + t·d intersects triangle f. */
function pierces(
  vertices: Float64Array,
  triangles: Int32Array,
  f: number,
  a: Float64Array,
  dx: number,
  dy: number,
  dz: number,
): boolean {
  const [p, q, r] = [3 * triangles[3 * f], 3 * triangles[3 * f + 1], 3 * triangles[3 * f + 2]];
  const [ux, uy, uz] = [
    vertices[q] - vertices[p],
    vertices[q + 1] - vertices[p + 1],
    vertices[q + 2] - vertices[p + 2],
  ];
  const [vx, vy, vz] = [
    vertices[r] - vertices[p],
    vertices[r + 1] - vertices[p + 1],
    vertices[r + 2] - vertices[p + 2],
  ];
  const hx = dy * vz - dz * vy;
  const hy = dz * vx - dx * vz;
  const hz = dx * vy - dy * vx;
  const determinant = ux * hx + uy * hy + uz * hz;
  if (determinant === 0) return false;
  const sx = a[0] - vertices[p];
  const sy = a[1] - vertices[p + 1];
  const sz = a[2] - vertices[p + 2];
  const u = (sx * hx + sy * hy + sz * hz) / determinant;
  if (u < 0 || u > 1) return false;
  const gx = sy * uz - sz * uy;
  const gy = sz * ux - sx * uz;
  const gz = sx * uy - sy * ux;
  const v = (dx * gx + dy * gy + dz * gz) / determinant;
  if (v < 0 || u + v > 1) return false;
  const t = (vx * gx + vy * gy + vz * gz) / determinant;
  return t >= 0 && t <= 1;
}
