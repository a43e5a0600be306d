/** Meshes of rods: tubes around them, or plain lines, for formats that support only triangles and lines. */
import { cos, sin } from '@tendril-sim/core/math';
import type { RecordedRod, RodFrame } from '../recording.ts';
import { nodeFrames, nodeRadius } from './footage.ts';

/** Corners of the section; eight look round when the normals are smooth. */
const sides = 8;

export type Look = 'tubes' | 'lines';

export interface MeshLayout {
  readonly vertexCount: number;
  readonly indices: Uint32Array;
}

/** Vertices of one rod: rings of corners around the nodes and, at free ends, the middle of a cap. */
function verticesOf({ nodeCount, closed }: RecordedRod, look: Look): number {
  return look === 'lines' ? nodeCount : sides * nodeCount + (closed ? 0 : 2);
}

/** The constant part: how vertices are joined, to triangles or to segments. */
export function layMesh(rods: readonly RecordedRod[], look: Look): MeshLayout {
  const indices: number[] = [];
  let first = 0;
  for (const rod of rods) {
    if (look === 'lines') addSegments(indices, rod, first);
    else addTriangles(indices, rod, first);
    first += verticesOf(rod, look);
  }
  return { vertexCount: first, indices: Uint32Array.from(indices) };
}

function addSegments(out: number[], { edgeCount, nodeCount }: RecordedRod, first: number): void {
  for (let j = 0; j < edgeCount; j++) out.push(first + j, first + ((j + 1) % nodeCount));
}

function addTriangles(out: number[], { edgeCount, nodeCount, closed }: RecordedRod, first: number): void {
  for (let j = 0; j < edgeCount; j++) {
    const a = first + sides * j;
    const b = first + sides * ((j + 1) % nodeCount);
    for (let k = 0; k < sides; k++) {
      const n = (k + 1) % sides;
      out.push(a + k, a + n, b + n, a + k, b + n, b + k);
    }
  }
  if (closed) return;
  const last = first + sides * (nodeCount - 1);
  const cap = first + sides * nodeCount;
  for (let k = 0; k < sides; k++) {
    const n = (k + 1) % sides;
    out.push(cap, first + n, first + k, cap + 1, last + k, last + n);
  }
}

/** Positions and normals of the vertices in one frame, in single precision; lines have no normals. */
export function placeMesh(
  position: Float32Array,
  normal: Float32Array | undefined,
  rods: readonly RecordedRod[],
  frames: readonly RodFrame[],
): void {
  let at = 0;
  rods.forEach((rod, r) => {
    const x = frames[r].nodePosition;
    if (!normal) {
      position.set(x, at);
      at += x.length;
      return;
    }
    const { tangent, d1 } = nodeFrames(rod, frames[r]);
    const radius = nodeRadius(rod);
    for (let i = 0; i < rod.nodeCount; i++) {
      const o = 3 * i;
      const [ax, ay, az] = [d1[o], d1[o + 1], d1[o + 2]];
      const bx = tangent[o + 1] * az - tangent[o + 2] * ay;
      const by = tangent[o + 2] * ax - tangent[o] * az;
      const bz = tangent[o] * ay - tangent[o + 1] * ax;
      for (let k = 0; k < sides; k++, at += 3) {
        const c = cos((2 * Math.PI * k) / sides);
        const s = sin((2 * Math.PI * k) / sides);
        normal[at] = c * ax + s * bx;
        normal[at + 1] = c * ay + s * by;
        normal[at + 2] = c * az + s * bz;
        for (let m = 0; m < 3; m++) position[at + m] = x[o + m] + radius[i] * normal[at + m];
      }
    }
    if (rod.closed) return;
    for (const [o, sign] of [
      [0, -1],
      [3 * (rod.nodeCount - 1), 1],
    ] as const) {
      for (let m = 0; m < 3; m++, at++) {
        normal[at] = sign * tangent[o + m];
        position[at] = x[o + m];
      }
    }
  });
}

/** A ball: rings of vertices from pole to pole, with twice as many vertices per ring. */
export function ballMesh(rings = 8): { readonly position: Float32Array; readonly indices: Uint32Array } {
  const corners = 2 * rings;
  const position: number[] = [];
  const indices: number[] = [];
  for (let i = 0; i <= rings; i++) {
    const polar = (Math.PI * i) / rings;
    for (let k = 0; k < corners; k++) {
      const turn = (2 * Math.PI * k) / corners;
      position.push(sin(polar) * cos(turn), sin(polar) * sin(turn), cos(polar));
      const n = (k + 1) % corners;
      const [a, b] = [i * corners, (i + 1) * corners];
      if (i < rings) indices.push(a + k, b + k, b + n, a + k, b + n, a + n);
    }
  }
  return { position: Float32Array.from(position), indices: Uint32Array.from(indices) };
}
