/**
 * A mesh of the place where a distance is zero (surface nets), for shapes that are the same on both sides of x = 0.
 *
 * Blocks of cells that are far from the surface are left out. Vertices are moved onto the surface along the gradient, so that a coarse mesh
 * is coarse, but not shrunk.
 */
import type { Mesh } from './heads.ts';

type Vector = readonly [number, number, number];
export type Distance = (at: Vector) => number;

export interface Box {
  readonly low: Vector;
  readonly high: Vector;
}

const block = 8;

/** `step`: size of a cell [m]. The mesh is open where the box cuts it. */
export function netMesh(distance: Distance, { low, high }: Box, step: number): Mesh {
  // an even number of cells across, so that the grid has a plane of points at x = 0
  const half = Math.ceil(high[0] / step);
  const count = [2 * half + 1, Math.ceil((high[1] - low[1]) / step) + 1, Math.ceil((high[2] - low[2]) / step) + 1];
  const point = (i: number, j: number, k: number): Vector => [(i - half) * step, low[1] + j * step, low[2] + k * step];
  const value = fill(distance, count, half, step, point);
  const { corner, position } = placeVertices(value, count, point, step);
  for (let v = 0; v < position.length; v += 3) moveToSurface(distance, position, v, step);
  return { position: Float64Array.from(position), triangle: Uint32Array.from(join(value, count, corner)) };
}

type Count = readonly number[];
const at = ([nx, ny]: Count, i: number, j: number, k: number): number => i + nx * (j + ny * k);

/** Distances at the points of the grid, of blocks near the surface; others have that of their middle. */
function fill(
  distance: Distance,
  count: Count,
  half: number,
  step: number,
  point: (i: number, j: number, k: number) => Vector,
): Float32Array {
  const [nx, ny, nz] = count;
  const value = new Float32Array(nx * ny * nz);
  const reach = 1.4 * 0.5 * Math.sqrt(3) * block * step;
  for (let k0 = 0; k0 < nz; k0 += block)
    for (let j0 = 0; j0 < ny; j0 += block)
      for (let i0 = half; i0 < nx; i0 += block) {
        const middle = distance(point(i0 + block / 2, j0 + block / 2, k0 + block / 2));
        const isNear = Math.abs(middle) < reach;
        for (let k = k0; k < Math.min(nz, k0 + block); k++)
          for (let j = j0; j < Math.min(ny, j0 + block); j++)
            for (let i = i0; i < Math.min(nx, i0 + block); i++) {
              const d = isNear ? distance(point(i, j, k)) : middle;
              value[at(count, i, j, k)] = d;
              value[at(count, 2 * half - i, j, k)] = d;
            }
      }
  return value;
}

const corners = Array.from({ length: 8 }, (_, c) => [c & 1, (c >> 1) & 1, c >> 2]);
const edges = corners.flatMap((_, a) => [1, 2, 4].flatMap((bit) => (a & bit ? [] : [[a, a | bit]])));

/** A vertex in every cell that the surface passes. */
function placeVertices(
  value: Float32Array,
  count: Count,
  point: (i: number, j: number, k: number) => Vector,
  step: number,
): { corner: Int32Array; position: number[] } {
  const [nx, ny, nz] = count;
  const corner = new Int32Array(value.length).fill(-1);
  const offset = corners.map(([x, y, z]) => at(count, x, y, z));
  const position: number[] = [];
  for (let k = 0; k < nz - 1; k++)
    for (let j = 0; j < ny - 1; j++)
      for (let i = 0; i < nx - 1; i++) {
        const here = at(count, i, j, k);
        const isInside = value[here] < 0;
        if (offset.every((o) => value[here + o] < 0 === isInside)) continue;
        const mean = [0, 0, 0];
        let crossed = 0;
        for (const [a, b] of edges) {
          const [da, db] = [value[here + offset[a]], value[here + offset[b]]];
          if (da < 0 === db < 0) continue;
          const t = da / (da - db);
          for (let c = 0; c < 3; c++) mean[c] += corners[a][c] + t * (corners[b][c] - corners[a][c]);
          crossed++;
        }
        corner[here] = position.length / 3;
        const first = point(i, j, k);
        for (let c = 0; c < 3; c++) position.push(first[c] + (step * mean[c]) / crossed);
      }
  return { corner, position };
}

/** Two triangles for every edge of the grid that the surface crosses. */
function join(value: Float32Array, count: Count, corner: Int32Array): number[] {
  const [nx, ny, nz] = count;
  const stride = [1, nx, nx * ny];
  const triangle: number[] = [];
  for (let k = 1; k < nz - 1; k++)
    for (let j = 1; j < ny - 1; j++)
      for (let i = 1; i < nx - 1; i++)
        for (let axis = 0; axis < 3; axis++) {
          const here = at(count, i, j, k);
          const isInside = value[here] < 0;
          if (isInside === value[here + stride[axis]] < 0) continue;
          const [u, v] = [stride[(axis + 1) % 3], stride[(axis + 2) % 3]];
          const [a, b, c, d] = [here, here - u, here - u - v, here - v].map((cell) => corner[cell]);
          if (a < 0 || b < 0 || c < 0 || d < 0) continue;
          triangle.push(...(isInside ? [a, b, c, a, c, d] : [a, c, b, a, d, c]));
        }
  return triangle;
}

/** Moves a vertex onto the surface, by Newton's method along the gradient, no farther than its cell. */
function moveToSurface(distance: Distance, position: number[], v: number, step: number): void {
  // the finer the mesh, the nearer its vertices are from the first
  const rounds = step > 0.005 ? 2 : 1;
  const h = 0.02 * step;
  const start: Vector = [position[v], position[v + 1], position[v + 2]];
  let p = start;
  for (let turn = 0; turn < rounds; turn++) {
    const d = distance(p);
    const gradient = [0, 1, 2].map((c) => {
      const moved: Vector = [p[0] + (c === 0 ? h : 0), p[1] + (c === 1 ? h : 0), p[2] + (c === 2 ? h : 0)];
      return (distance(moved) - d) / h;
    });
    const square = gradient[0] ** 2 + gradient[1] ** 2 + gradient[2] ** 2;
    if (square < 0.1) return;
    p = [p[0] - (d * gradient[0]) / square, p[1] - (d * gradient[1]) / square, p[2] - (d * gradient[2]) / square];
  }
  const [x, y, z] = [p[0] - start[0], p[1] - start[1], p[2] - start[2]];
  if (x * x + y * y + z * z > step * step) return;
  for (let c = 0; c < 3; c++) position[v + c] = p[c];
}
