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
  /** Writes the signed distance of the point at `o` from the skin [m], at any distance, and the unit direction away from the skin. */
  measure(out: Float64Array, p: Float32Array | Float64Array, o: number): void;
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
  const { vertices, triangles, solid } = makeSolid(mesh.position, mesh.triangle, { wanted: true });
  if (!solid) return undefined;
  const shape = createMesh(vertices, triangles, { solid: true });
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
  const grid = createGrid(shape, draft ? draftCells : fineCells);
  const out = new Float64Array(4);
  return {
    distance(p, o) {
      if (!grid(out, p[o], p[o + 1], p[o + 2], margin / 2)) return Infinity;
      shape.distance(out, p[o], p[o + 1], p[o + 2]);
      return out[0];
    },
    measure: (measured, p, o) => shape.distance(measured, p[o], p[o + 1], p[o + 2]),
    push(p, o, clearance) {
      if (!grid(out, p[o], p[o + 1], p[o + 2], clearance) || out[0] >= clearance) return false;
      for (let k = 0; k < 3; k++) p[o + k] += (clearance - out[0]) * out[1 + k];
      return true;
    },
  };
}

/** Writes distance and direction away from the skin to `out`; returns false, and writes nothing, if the skin is farther than `near`. */
type DistanceWriter = (out: Float64Array, x: number, y: number, z: number, near: number) => boolean;

/** Spacing of the grid points that are always measured; a power of two. */
const stride = 4;

/**
 * Distances on a grid, interpolated linearly. They are measured at every point within two cells of the skin, at every second point within four cells,
 * where hair is pushed out, and at every fourth point elsewhere, which is enough to distinguish inside from outside.
 */
function createGrid(shape: Mesh, cells: number): DistanceWriter {
  const { bounds } = shape;
  const low = [0, 1, 2].map((k) => bounds[k] - margin);
  const span = [0, 1, 2].map((k) => bounds[3 + k] + margin - low[k]);
  const size = Math.max(...span) / cells;
  const [nx, ny, nz] = span.map((length) => stride * Math.ceil(length / size / stride) + 1);
  const value = new Float32Array(nx * ny * nz);
  const found = new Float64Array(4);
  const [dy, dz] = [nx, nx * ny];
  /** Measures a grid point, `steps` cells from one at the distance `there`: the distance changes by no more than the point moves. */
  const measure: Measure = (i, j, k, there, steps) => {
    const limit = there + (steps + 1e-3) * size;
    shape.distance(found, low[0] + i * size, low[1] + j * size, low[2] + k * size, limit);
    value[i + dy * j + dz * k] = found[0];
  };
  for (let k = 0; k < nz; k += stride)
    for (let j = 0; j < ny; j += stride)
      for (let i = 0; i < nx; i += stride) measure(i, j, k, Math.abs(found[0]), i === 0 ? Infinity : stride);
  for (let step = stride; step > 1; step /= 2) refine(value, [nx, ny, nz], step, step * size, measure);
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

type Measure = (i: number, j: number, k: number, there: number, steps: number) => void;

/**
 * Halves the spacing of a grid whose points are known `step` apart: interpolates from the eight corners of each block, and measures the points that are
 * nearer to the skin than `near`.
 */
function refine(value: Float32Array, count: readonly number[], step: number, near: number, measure: Measure): void {
  const [nx, ny, nz] = count;
  const corner = new Float64Array(8);
  const half = step / 2;
  for (let k0 = 0; k0 < nz - 1; k0 += step)
    for (let j0 = 0; j0 < ny - 1; j0 += step)
      for (let i0 = 0; i0 < nx - 1; i0 += step) {
        for (let c = 0; c < 8; c++)
          corner[c] = value[i0 + step * (c & 1) + nx * (j0 + step * ((c >> 1) & 1) + ny * (k0 + step * (c >> 2)))];
        // a block writes its last layer of points only where no other block does
        const [i1, j1, k1] = [i0, j0, k0].map((first, m) => first + step + (first + step === count[m] - 1 ? 1 : 0));
        for (let k = k0; k < k1; k += half)
          for (let j = j0; j < j1; j += half)
            for (let i = i0; i < i1; i += half) {
              if (i % step === 0 && j % step === 0 && k % step === 0) continue;
              const guess = blend(corner, (i - i0) / step, (j - j0) / step, (k - k0) / step);
              if (Math.abs(guess) >= near) value[i + nx * (j + ny * k)] = guess;
              else measure(i, j, k, Math.abs(corner[0]), hypot(i - i0, j - j0, k - k0));
            }
      }
}

/** Linear interpolation between the eight corners of a block. */
function blend(corner: Float64Array, x: number, y: number, z: number): number {
  const low = (1 - y) * (corner[0] + x * (corner[1] - corner[0])) + y * (corner[2] + x * (corner[3] - corner[2]));
  const high = (1 - y) * (corner[4] + x * (corner[5] - corner[4])) + y * (corner[6] + x * (corner[7] - corner[6]));
  return low + z * (high - low);
}
