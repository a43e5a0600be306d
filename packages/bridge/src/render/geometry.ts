/** Collects the surfaces of a picture: rods as round cones, strands of ropes and yarns, rods of other sections and solids as triangles. */
import { cos, hypotOf, sin } from '@tendril-sim/core/math';
import { type Centreline, type Framing, type RenderRod, traceCentreline } from './centreline.ts';
import { createFuzz, plyStrands } from './plies.ts';
import type { RenderGeometry, RenderMaterial } from './types.ts';

/** Adds surfaces, in metres, to a picture. */
export interface GeometryBuilder {
  /** Adds a rod. */
  addRod(rod: RenderRod): void;
  /** Adds a solid: corners [m] and normals at them, 9 numbers per triangle each. */
  addTriangles(corner: ArrayLike<number>, normal: ArrayLike<number>, material: number): void;
  /** Adds a ball. */
  addBall(center: ArrayLike<number>, radius: number, material: number): void;
  /** All surfaces; `floor`: height of the floor along the up direction, in units of the picture. */
  finish(floor: number | undefined): RenderGeometry;
}

/** Most cones of a picture: more would take more memory than a machine may have. */
const coneLimit = 12_000_000;

/** A list of numbers that grows. */
class Floats {
  data: Float32Array = new Float32Array(1 << 12);
  length = 0;
  push(values: ArrayLike<number>): void {
    if (this.length + values.length > this.data.length) {
      const grown = new Float32Array(2 * Math.max(this.data.length, values.length));
      grown.set(this.data);
      this.data = grown;
    }
    this.data.set(values, this.length);
    this.length += values.length;
  }
}

interface Lists {
  readonly cone: Floats;
  readonly frame: Floats;
  readonly coneMaterial: number[];
  readonly triangle: Floats;
  readonly normal: Floats;
  readonly triangleMaterial: number[];
}

/** Creates an empty picture. */
export function createGeometry(materials: readonly RenderMaterial[], framing: Framing): GeometryBuilder {
  const lists: Lists = {
    cone: new Floats(),
    frame: new Floats(),
    coneMaterial: [],
    triangle: new Floats(),
    normal: new Floats(),
    triangleMaterial: [],
  };
  const { center, scale } = framing;
  return {
    addRod(rod) {
      const { kind } = materials[rod.material];
      const line = traceCentreline(rod, framing, kind === 'hair' ? 3 : undefined);
      if (rod.section) addSwept(lists, line, rod, scale);
      else if (kind === 'rope' || kind === 'yarn') addPlies(lists, line, kind, rod.material);
      else addCones(lists, line, rod.material);
      if (lists.coneMaterial.length > coneLimit)
        throw new RangeError(`the picture has more than ${coneLimit} pieces of rods; draw fewer hairs`);
    },
    addTriangles(corner, normal, material) {
      lists.triangle.push(Float64Array.from(corner, (x, k) => scale * (x - center[k % 3])));
      lists.normal.push(normal);
      for (let k = 0; k < corner.length / 9; k++) lists.triangleMaterial.push(material);
    },
    addBall(at, radius, material) {
      const [x, y, z] = [0, 1, 2].map((k) => scale * (at[k] - center[k]));
      lists.cone.push([x, y, z, scale * radius, x, y, z, scale * radius]);
      lists.frame.push(new Float64Array(14));
      lists.coneMaterial.push(material);
    },
    finish: (floor) => ({
      cone: lists.cone.data.slice(0, lists.cone.length),
      coneFrame: lists.frame.data.slice(0, lists.frame.length),
      coneMaterial: Uint16Array.from(lists.coneMaterial),
      triangle: lists.triangle.data.slice(0, lists.triangle.length),
      triangleNormal: lists.normal.data.slice(0, lists.normal.length),
      triangleMaterial: Uint16Array.from(lists.triangleMaterial),
      materials,
      ...(floor !== undefined && { floor }),
    }),
  };
}

const piece = new Float64Array(8);
const pieceFrame = new Float64Array(14);

function addCones({ cone, frame, coneMaterial }: Lists, line: Centreline, material: number): void {
  const { count, position, tangent, director, radius, arc } = line;
  for (let k = 0; k + 1 < count; k++) {
    for (let end = 0; end < 2; end++) {
      const i = k + end;
      for (let c = 0; c < 3; c++) {
        piece[4 * end + c] = position[3 * i + c];
        pieceFrame[7 * end + c] = tangent[3 * i + c];
        pieceFrame[7 * end + 3 + c] = director[3 * i + c];
      }
      piece[4 * end + 3] = radius[i];
      pieceFrame[7 * end + 6] = arc[i];
    }
    cone.push(piece);
    frame.push(pieceFrame);
    coneMaterial.push(material);
  }
}

/** Strands that wind around each other, and the loose fibers of a yarn. */
function addPlies(lists: Lists, line: Centreline, kind: 'rope' | 'yarn', material: number): void {
  const strands = plyStrands(line, kind);
  for (const strand of strands) addCones(lists, strand, material);
  if (kind === 'yarn') for (const fiber of createFuzz(line)) addCones(lists, fiber, material);
}

/** Corners of a section and the normals on both sides of each, for half widths 1. */
function outlineOf(shape: 'ellipse' | 'rectangle'): { x: number; y: number; nx: number; ny: number }[][] {
  if (shape === 'ellipse') {
    const at = (k: number): { x: number; y: number; nx: number; ny: number } => {
      const [c, s] = [cos((2 * Math.PI * k) / 32), sin((2 * Math.PI * k) / 32)];
      return { x: c, y: s, nx: c, ny: s };
    };
    return Array.from({ length: 32 }, (_, k) => [at(k), at(k + 1)]);
  }
  const corners = [
    [1, 1],
    [-1, 1],
    [-1, -1],
    [1, -1],
  ];
  return corners.map(([x, y], k) => {
    const [p, q] = corners[(k + 1) % 4];
    const [nx, ny] = [(x + p) / 2, (y + q) / 2];
    return [
      { x, y, nx, ny },
      { x: p, y: q, nx, ny },
    ];
  });
}

/** A rod whose section is not round, as triangles, with flat ends. */
function addSwept(lists: Lists, line: Centreline, rod: RenderRod, scale: number): void {
  const { section, material } = rod;
  if (!section) return;
  const { count } = line;
  const at = (values: ArrayLike<number>, k: number): number => {
    const i = Math.floor(line.node[k]);
    const [a, b] = [
      values[i % values.length],
      values[(rod.closed ? i + 1 : Math.min(i + 1, values.length - 1)) % values.length],
    ];
    return scale * (a + (line.node[k] - i) * (b - a));
  };
  const place = (
    k: number,
    { x, y, nx, ny }: { x: number; y: number; nx: number; ny: number },
  ): [number[], number[]] => {
    const { position: p, tangent: t, director: d } = line;
    const o = 3 * k;
    const [w, h] = [at(section.halfWidth, k), at(section.halfHeight, k)];
    const across = [
      t[o + 1] * d[o + 2] - t[o + 2] * d[o + 1],
      t[o + 2] * d[o] - t[o] * d[o + 2],
      t[o] * d[o + 1] - t[o + 1] * d[o],
    ];
    const point = [0, 1, 2].map((c) => p[o + c] + x * w * d[o + c] + y * h * across[c]);
    // the normal of an ellipse is steeper on its flat side
    const normal = [0, 1, 2].map((c) => (nx / w) * d[o + c] + (ny / h) * across[c]);
    const length = hypotOf(normal) || 1;
    return [point, normal.map((c) => c / length)];
  };
  const add = (corners: readonly [number[], number[]][]): void => {
    lists.triangle.push(corners.flatMap(([point]) => point));
    lists.normal.push(corners.flatMap(([, normal]) => normal));
    lists.triangleMaterial.push(material);
  };
  const sides = outlineOf(section.shape);
  for (let k = 0; k + 1 < count; k++) {
    for (const [a, b] of sides) {
      const [p, q, r, s] = [place(k, a), place(k, b), place(k + 1, b), place(k + 1, a)];
      add([p, q, r]);
      add([p, r, s]);
    }
  }
  if (rod.closed) return;
  for (const k of [0, count - 1]) {
    const normal = Array.from(line.tangent.subarray(3 * k, 3 * k + 3));
    const middle = Array.from(line.position.subarray(3 * k, 3 * k + 3));
    for (const [a, b] of sides)
      add([
        [middle, normal],
        [place(k, a)[0], normal],
        [place(k, b)[0], normal],
      ]);
  }
}
