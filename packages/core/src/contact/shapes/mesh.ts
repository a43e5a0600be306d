/**
 * Triangle meshes as obstacles.
 *
 * A bounding volume hierarchy finds the nearest point. A point is inside a closed mesh if it lies behind the angle-weighted normal of the nearest
 * feature (face, edge or vertex). That test is always right for a closed mesh; counting the crossings of a ray fails where the ray meets an edge.
 *
 * A surface that is not closed has no inside: rods collide with both sides of it, at the unsigned distance.
 */

import { hypot, square } from '../../math/rounded/index.ts';
import type { Track } from '../../scene/varying.ts';
import { findNearest, nearest } from '../../surface/triangle.ts';
import { type BoxTree, buildTree, createTree, refitTree } from './boxTree.ts';
import { closestOnMesh } from './meshEdges.ts';
import { createNormals, type Normals, type Triangles } from './meshNormals.ts';
import { createQueryMemo } from './queryMemo.ts';
import type { Shape } from './shape.ts';

export interface Mesh extends Shape {
  readonly vertices: Float64Array;
  readonly triangles: Int32Array;
  /** As for every shape, and faster if the distance is known to be below `limit`, which must hold. */
  distance(out: Float64Array, x: number, y: number, z: number, limit?: number): void;
}

/** What makes a mesh invalid as a solid; empty if nothing does. */
export function findMeshFault(vertices: Float64Array, triangles: Int32Array): string {
  const seen = new Map<number, number>();
  const count = vertices.length / 3;
  for (let i = 0; i < triangles.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      const key = triangles[i + k] * count + triangles[i + ((k + 1) % 3)];
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
  }
  let open = 0;
  let turned = 0;
  for (const [key, times] of seen) {
    const a = Math.floor(key / count);
    const b = key - a * count;
    const back = seen.get(b * count + a) ?? 0;
    if (times > 1) turned++;
    else if (back === 0) open++;
  }
  if (turned > 0)
    return `${turned} edges are run through twice in the same direction: neighbouring faces wind differently, or more than two faces share an edge`;
  if (open > 0) return `the mesh is open: ${open} edges belong to one face only`;
  return '';
}

/** Volume inside a closed mesh [m³]; negative if its faces point inwards. */
export function measureVolume(vertices: Float64Array, triangles: Int32Array): number {
  let six = 0;
  for (let i = 0; i < triangles.length; i += 3) {
    const a = 3 * triangles[i];
    const b = 3 * triangles[i + 1];
    const c = 3 * triangles[i + 2];
    six +=
      vertices[a] * (vertices[b + 1] * vertices[c + 2] - vertices[b + 2] * vertices[c + 1]) +
      vertices[a + 1] * (vertices[b + 2] * vertices[c] - vertices[b] * vertices[c + 2]) +
      vertices[a + 2] * (vertices[b] * vertices[c + 1] - vertices[b + 1] * vertices[c]);
  }
  return six / 6;
}

/** Squared distances of the nodes on a tree's stack from the point of the query. */
const stackDistance2 = new Float64Array(256);

/** A mesh as its queries see it. */
interface MeshData extends Triangles {
  /** True if it is closed and has an inside. */
  readonly solid: boolean;
  readonly tree: BoxTree;
  readonly normals: Normals;
  readonly bounds: Float64Array;
  /** Nearest face of the last query, barycentric weights there, and the feature as in `Nearest`. */
  readonly last: { face: number; feature: number; v: number; w: number };
  /** Number of the shape that the vertices have now, from 1; another for every time at which they are elsewhere. */
  shape: number;
}

/** Creates the shape. A mesh without `motion`, its vertices in time, is rigid. */
export function createMesh(
  rest: Float64Array,
  triangles: Int32Array,
  { solid }: { readonly solid: boolean },
  motion?: Track,
): Mesh {
  const vertices = rest.slice();
  const count = triangles.length / 3;
  const mesh: MeshData = {
    vertices,
    triangles,
    solid,
    tree: createTree(count),
    normals: createNormals({ vertices, triangles }),
    bounds: new Float64Array(6),
    last: { face: 0, feature: 0, v: 0, w: 0 },
    shape: 1,
  };
  updateMesh(mesh);
  const memo = createQueryMemo();
  const distance: Mesh['distance'] = (out, x, y, z, limit = Infinity) => {
    memo.point[0] = x;
    memo.point[1] = y;
    memo.point[2] = z;
    if (memo.recall(out, mesh.last, mesh.shape)) return;
    writeDistance(out, mesh, findNearestFace(out, mesh, x, y, z, limit));
    memo.keep(out, mesh.last, mesh.shape);
  };
  return {
    type: 'mesh',
    thin: !solid,
    vertices,
    triangles,
    bounds: mesh.bounds,
    distance,
    closest: (a, b) => closestOnMesh(mesh, distance, a, b),
    ...(motion && animateMesh(mesh, motion)),
  };
}

/** Boxes and normals of the mesh, after its vertices have moved. */
function updateMesh(mesh: MeshData): void {
  const { vertices, triangles, tree } = mesh;
  for (let f = 0; f < triangles.length / 3; f++) {
    for (let k = 0; k < 3; k++) {
      const p = vertices[3 * triangles[3 * f] + k];
      const q = vertices[3 * triangles[3 * f + 1] + k];
      const r = vertices[3 * triangles[3 * f + 2] + k];
      tree.box[6 * f + k] = Math.min(p, q, r);
      tree.box[6 * f + 3 + k] = Math.max(p, q, r);
    }
  }
  if (tree.nodeCount === 0) buildTree(tree);
  else refitTree(tree);
  renewMesh(mesh);
}

/** What follows from the boxes and the vertices. */
function renewMesh({ bounds, tree, normals }: MeshData): void {
  for (let k = 0; k < 6; k++) bounds[k] = tree.nodeBox[k];
  normals.reset();
}

/** Finds the nearest face (`last`), which is nearer than `limit`, and writes the vector from it to the point to `out[1…3]`; returns the squared distance. */
function findNearestFace(out: Float64Array, mesh: MeshData, x: number, y: number, z: number, limit: number): number {
  const { vertices, triangles, last } = mesh;
  const { stack, nodeBox, first, second, size, order } = mesh.tree;
  // the last nearest face bounds the distance, because most queries are near the one before; with room for the rounding of a point on that face
  const slack = 1e-18 * squareOfSize(mesh);
  let best = Math.min(limit * limit, (1 + 1e-9) * faceDistance2(mesh, last.face, x, y, z) + slack);
  let face = 0;
  let feature = 0;
  let v = 0;
  let w = 0;
  let top = 0;
  stack[0] = 0;
  stackDistance2[top++] = boxDistance2(nodeBox, 0, x, y, z);
  while (top > 0) {
    const node = stack[--top];
    if (stackDistance2[top] >= best) continue;
    if (size[node] === 0) {
      const p = first[node];
      const q = second[node];
      const toP = boxDistance2(nodeBox, 6 * p, x, y, z);
      const toQ = boxDistance2(nodeBox, 6 * q, x, y, z);
      const near = toP <= toQ;
      stack[top] = near ? q : p;
      stackDistance2[top++] = near ? toQ : toP;
      stack[top] = near ? p : q;
      stackDistance2[top++] = near ? toP : toQ;
      continue;
    }
    for (let k = 0; k < size[node]; k++) {
      const f = order[first[node] + k];
      const a = 3 * triangles[3 * f];
      const b = 3 * triangles[3 * f + 1];
      const c = 3 * triangles[3 * f + 2];
      findNearest(vertices, a, b, c, x, y, z);
      const u = 1 - nearest.v - nearest.w;
      const ex = x - u * vertices[a] - nearest.v * vertices[b] - nearest.w * vertices[c];
      const ey = y - u * vertices[a + 1] - nearest.v * vertices[b + 1] - nearest.w * vertices[c + 1];
      const ez = z - u * vertices[a + 2] - nearest.v * vertices[b + 2] - nearest.w * vertices[c + 2];
      const d2 = ex * ex + ey * ey + ez * ez;
      if (d2 >= best) continue;
      best = d2;
      face = f;
      feature = nearest.feature;
      v = nearest.v;
      w = nearest.w;
      out[1] = ex;
      out[2] = ey;
      out[3] = ez;
    }
  }
  last.face = face;
  last.feature = feature;
  last.v = v;
  last.w = w;
  return best;
}

/** Squared sum of the sides of the bounding box. */
function squareOfSize({ bounds: b }: MeshData): number {
  return square(b[3] - b[0] + b[4] - b[1] + b[5] - b[2]);
}

/** Squared distance from a face. */
function faceDistance2({ vertices, triangles }: MeshData, f: number, x: number, y: number, z: number): number {
  const [a, b, c] = [3 * triangles[3 * f], 3 * triangles[3 * f + 1], 3 * triangles[3 * f + 2]];
  findNearest(vertices, a, b, c, x, y, z);
  const u = 1 - nearest.v - nearest.w;
  let sum = 0;
  for (let k = 0; k < 3; k++) {
    const place = u * vertices[a + k] + nearest.v * vertices[b + k] + nearest.w * vertices[c + k];
    sum += square((k === 0 ? x : k === 1 ? y : z) - place);
  }
  return sum;
}

const featureNormal = new Float64Array(3);

/** Writes signed distance and normal from the vector in `out[1…3]`, its squared length and the nearest feature (`last`). */
function writeDistance(out: Float64Array, { normals, bounds, solid, last }: MeshData, square: number): void {
  normals.write(featureNormal, last.face, last.feature);
  const nx = featureNormal[0];
  const ny = featureNormal[1];
  const nz = featureNormal[2];
  const side = out[1] * nx + out[2] * ny + out[3] * nz;
  const d = Math.sqrt(square);
  const sign = solid && side < 0 ? -1 : 1;
  out[0] = sign * d;
  if (d > 1e-9 * (bounds[3] - bounds[0] + bounds[4] - bounds[1] + bounds[5] - bounds[2])) {
    out[1] *= sign / d;
    out[2] *= sign / d;
    out[3] *= sign / d;
  } else {
    const length = hypot(nx, ny, nz) || 1;
    out[1] = nx / length;
    out[2] = ny / length;
    out[3] = nz / length;
  }
}

/** A mesh that deforms, at a time. */
interface MeshMoment {
  time: number;
  /** Number of the shape then. */
  shape: number;
  /** Vertices, then their rates in time. */
  readonly now: Float64Array;
  /** Boxes of the tree's nodes. */
  readonly nodeBox: Float64Array;
}

const createMoment = (count: number, boxes: number): MeshMoment => ({
  time: Number.NaN,
  shape: 0,
  now: new Float64Array(2 * count),
  nodeBox: new Float64Array(boxes),
});

/**
 * Motion of a mesh that deforms: its vertices at a time, and the velocity of the surface at the nearest point of the last query. The last two times are
 * kept, because a step switches between its start and its end.
 */
function animateMesh(mesh: MeshData, motion: Track): Pick<Shape, 'update' | 'surfaceVelocity'> {
  const { vertices, triangles, last } = mesh;
  const { nodeBox } = mesh.tree;
  const count = vertices.length;
  let current = createMoment(count, nodeBox.length);
  let former = createMoment(count, nodeBox.length);
  /** Vertices at `otherTime`, which neither of the two moments has. */
  const other = new Float64Array(2 * count);
  let otherTime = Number.NaN;
  let shapes = mesh.shape;
  const isUnchanged = (): boolean => {
    for (let k = 0; k < count; k++) if (vertices[k] !== current.now[k]) return false;
    return true;
  };
  return {
    update(t) {
      if (t === current.time) return;
      [current, former] = [former, current];
      const isKnown = t === current.time;
      current.time = t;
      if (!isKnown) motion.evaluate(current.now, t);
      // an animation has often not begun, or has ended
      if (!isUnchanged()) {
        vertices.set(current.now.subarray(0, count));
        if (isKnown) {
          nodeBox.set(current.nodeBox);
          renewMesh(mesh);
          mesh.shape = current.shape;
        } else {
          updateMesh(mesh);
          mesh.shape = ++shapes;
        }
      }
      if (isKnown) return;
      current.nodeBox.set(nodeBox);
      current.shape = mesh.shape;
    },
    surfaceVelocity(out, dt) {
      const { time, now } = current;
      let then: Float64Array = other;
      if (time + dt === former.time) then = former.now;
      else if (dt !== 0 && time + dt !== otherTime) {
        otherTime = time + dt;
        motion.evaluate(other, otherTime);
      }
      const { v, w } = last;
      for (let k = 0; k < 3; k++) {
        let sum = 0;
        for (let corner = 0; corner < 3; corner++) {
          const o = 3 * triangles[3 * last.face + corner] + k;
          const velocity = dt === 0 ? now[count + o] : (then[o] - now[o]) / dt;
          sum += (corner === 0 ? 1 - v - w : corner === 1 ? v : w) * velocity;
        }
        out[k] = sum;
      }
    },
  };
}

function boxDistance2(box: Float64Array, o: number, x: number, y: number, z: number): number {
  const dx = x < box[o] ? box[o] - x : x > box[o + 3] ? x - box[o + 3] : 0;
  const dy = y < box[o + 1] ? box[o + 1] - y : y > box[o + 4] ? y - box[o + 4] : 0;
  const dz = z < box[o + 2] ? box[o + 2] - z : z > box[o + 5] ? z - box[o + 5] : 0;
  return dx * dx + dy * dy + dz * dz;
}
