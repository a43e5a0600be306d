/**
 * Distance to the skin of a head, for pushing hair out of it. Measurements use the exact distance; pushing uses a grid, because it evaluates millions of points.
 */
import { createMesh, type Mesh, measureVolume } from '../contact/shapes/mesh.ts';
import { hypot, pow } from '../math/rounded/index.ts';
import { makeSolid } from '../surface/solid.ts';
import type { MeshInput } from '../surface/surface.ts';

/** Signed distance to a head, for pushing points out of it. */
export interface HeadField {
  /** Moves the point at `o` to at least `clearance` [m] from the skin; true if it had to move. */
  push(p: Float32Array | Float64Array, o: number, clearance: number): boolean;
  /** Signed distance of the point at `o` from the skin [m], negative inside; Infinity if it is far. */
  distance(p: Float32Array | Float64Array, o: number): number;
}

/** How finely the distance field of a head is computed. */
export interface HeadFieldOptions {
  /** A coarser grid, for pictures while someone grooms: off by millimetres. Default false. */
  readonly draft?: boolean;
}

/** Cells along the longest side of the head. */
const fineCells = 96;
const draftCells = 42;
/** How far the grid reaches beyond the mesh [m]. */
const margin = 0.02;
/** A closed mesh that fills less than this part of a cube around it is a sheet. */
const thinnest = 1e-3;

function closedMesh(mesh: MeshInput): Mesh | undefined {
  const { vertices, triangles, solid } = makeSolid(mesh.position, mesh.triangle, true);
  if (!solid) return undefined;
  const shape = createMesh(vertices, triangles, true);
  const [x, y, z] = [0, 1, 2].map((k) => shape.bounds[3 + k] - shape.bounds[k]);
  return measureVolume(vertices, triangles) < thinnest * pow(hypot(x, y, z), 3) ? undefined : shape;
}

/** True if a mesh has an inside once its holes are closed: a head, not a sheet. */
export function hasInside(mesh: MeshInput): boolean {
  return closedMesh(mesh) !== undefined;
}

/** Undefined if the mesh has no inside, even with its holes closed. */
export function createHeadField(mesh: MeshInput, { draft = false }: HeadFieldOptions = {}): HeadField | undefined {
  const shape = closedMesh(mesh);
  if (!shape) return undefined;
  const grid = createGrid(shape.bounds, shape.distance, draft ? draftCells : fineCells);
  const out = new Float64Array(4);
  return {
    distance(p, o) {
      if (!grid(out, p[o], p[o + 1], p[o + 2], margin / 2)) return Infinity;
      shape.distance(out, p[o], p[o + 1], p[o + 2]);
      return out[0];
    },
    push(p, o, clearance) {
      if (!grid(out, p[o], p[o + 1], p[o + 2], clearance) || out[0] >= clearance) return false;
      for (let k = 0; k < 3; k++) p[o + k] += (clearance - out[0]) * out[1 + k];
      return true;
    },
  };
}

type Distance = (out: Float64Array, x: number, y: number, z: number) => void;
/** Writes distance and direction away from the skin to `out`; returns false, and writes nothing, if the skin is farther than `near`. */
type Grid = (out: Float64Array, x: number, y: number, z: number, near: number) => boolean;

/** Spacing of the grid points that are always measured. */
const stride = 4;

/**
 * Distances on a grid, interpolated linearly. They are measured within a few cells of the skin, where hair is pushed out, and on every fourth point
 * elsewhere, which is enough to distinguish inside from outside.
 */
function createGrid(bounds: ArrayLike<number>, distance: Distance, cells: number): Grid {
  const low = [0, 1, 2].map((k) => bounds[k] - margin);
  const span = [0, 1, 2].map((k) => bounds[3 + k] + margin - low[k]);
  const size = Math.max(...span) / cells;
  const [nx, ny, nz] = span.map((length) => stride * Math.ceil(length / size / stride) + 1);
  const value = new Float32Array(nx * ny * nz);
  const found = new Float64Array(4);
  const measure = (i: number, j: number, k: number): number => {
    distance(found, low[0] + i * size, low[1] + j * size, low[2] + k * size);
    return found[0];
  };
  for (let k = 0; k < nz; k += stride)
    for (let j = 0; j < ny; j += stride)
      for (let i = 0; i < nx; i += stride) value[i + nx * (j + ny * k)] = measure(i, j, k);
  const coarse = (i: number, j: number, k: number): number => value[i + nx * (j + ny * k)];
  for (let k = 0, at = 0; k < nz; k++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++, at++) {
        if (i % stride === 0 && j % stride === 0 && k % stride === 0) continue;
        const guess = interpolate(coarse, i, j, k, [nx, ny, nz]);
        value[at] = Math.abs(guess) < stride * size ? measure(i, j, k) : guess;
      }
  const [dy, dz] = [nx, nx * ny];
  return (out, px, py, pz, reach) => {
    const [x, y, z] = [(px - low[0]) / size, (py - low[1]) / size, (pz - low[2]) / size];
    if (!(x >= 0 && y >= 0 && z >= 0 && x < nx - 1 && y < ny - 1 && z < nz - 1)) return false;
    const [i, j, k] = [Math.floor(x), Math.floor(y), Math.floor(z)];
    const at = i + dy * j + dz * k;
    // the point is at most √3 cells from the corner
    if (value[at] > reach + 2 * size) return false;
    const [a, b, c] = [x - i, y - j, z - k];
    // along x on the four edges of the cell, then y, then z; differences give the gradient
    const e00 = value[at] + a * (value[at + 1] - value[at]);
    const e10 = value[at + dy] + a * (value[at + dy + 1] - value[at + dy]);
    const e01 = value[at + dz] + a * (value[at + dz + 1] - value[at + dz]);
    const e11 = value[at + dy + dz] + a * (value[at + dy + dz + 1] - value[at + dy + dz]);
    const f0 = e00 + b * (e10 - e00);
    const f1 = e01 + b * (e11 - e01);
    const gx =
      (1 - b) * (1 - c) * (value[at + 1] - value[at]) +
      b * (1 - c) * (value[at + dy + 1] - value[at + dy]) +
      (1 - b) * c * (value[at + dz + 1] - value[at + dz]) +
      b * c * (value[at + dy + dz + 1] - value[at + dy + dz]);
    const gy = (1 - c) * (e10 - e00) + c * (e11 - e01);
    const gz = f1 - f0;
    const norm = hypot(gx, gy, gz);
    if (norm === 0) return false;
    out[0] = f0 + c * (f1 - f0);
    out[1] = gx / norm;
    out[2] = gy / norm;
    out[3] = gz / norm;
    return true;
  };
}

/** Linear interpolation between the eight points of a coarser grid around a point. */
function interpolate(
  value: (i: number, j: number, k: number) => number,
  i: number,
  j: number,
  k: number,
  count: readonly number[],
): number {
  const at = [i, j, k];
  const first = at.map((x, m) => Math.min(x - (x % stride), count[m] - 1 - stride));
  let sum = 0;
  for (let corner = 0; corner < 8; corner++) {
    const bits = [corner & 1, (corner >> 1) & 1, corner >> 2];
    const weight = bits.reduce((product, bit, m) => {
      const part = (at[m] - first[m]) / stride;
      return product * (bit ? part : 1 - part);
    }, 1);
    if (weight > 0)
      sum += weight * value(first[0] + stride * bits[0], first[1] + stride * bits[1], first[2] + stride * bits[2]);
  }
  return sum;
}
