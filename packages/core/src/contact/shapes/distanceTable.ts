/**
 * Tables of a shape's distances and normals at the points of a grid, for bundles that solve contact themselves: SIMD lanes and GPUs can interpolate
 * a table, but not search a mesh.
 */
import type { Shape } from './shape.ts';

type Vector = readonly [number, number, number];

/** The part of a shape that tables are made from. */
export type Solid = Pick<Shape, 'bounds' | 'distance'>;

/** Values in the axes of the shape, over the box with this centre and these half lengths [m]. */
export interface DistanceTable {
  readonly center: Vector;
  readonly half: Vector;
  /** Rows along each axis. */
  readonly counts: Vector;
  /** Distance [m] and normal; x runs fastest. */
  readonly rows: Float32Array;
  /** How far interpolated distances are off in cells at the surface, at most [m]: measured at their middles. */
  readonly error: number;
}

/** Rows along the longest axis, from coarse to fine. */
const RESOLUTIONS = [48, 80, 128];
/** Rows along each axis of a block; either all rows of a block are far from the surface, or none. */
const BLOCK = 4;

/** `reach`: how far from the surface distances matter [m]. `tolerance`: error up to which a coarser table is fine enough [m]. */
export function tabulateShape(shape: Solid, reach: number, tolerance: number): DistanceTable {
  let table = tabulateAt(shape, reach, RESOLUTIONS[0]);
  for (const rows of RESOLUTIONS.slice(1)) {
    if (table.error <= tolerance) break;
    table = tabulateAt(shape, reach, rows);
  }
  return table;
}

/** Computes a table with `rows` rows along the longest axis. */
export function tabulateAt(shape: Solid, reach: number, rowsOfLongest: number): DistanceTable {
  const extents = [0, 1, 2].map((k) => shape.bounds[3 + k] - shape.bounds[k] + 2 * reach);
  const spacing = Math.max(...extents) / (rowsOfLongest - 1);
  const counts = extents.map((extent) => Math.max(2, Math.ceil(extent / spacing) + 1));
  const half = counts.map((count) => 0.5 * (count - 1) * spacing);
  const center = [0, 1, 2].map((k) => 0.5 * (shape.bounds[k] + shape.bounds[3 + k]));
  const grid: OpenTable = {
    shape,
    spacing,
    counts,
    origin: center.map((x, k) => x - half[k]),
    rows: new Float32Array(4 * counts[0] * counts[1] * counts[2]),
  };
  const blocks = counts.map((count) => Math.ceil(count / BLOCK));
  for (let z = 0; z < blocks[2]; z++)
    for (let y = 0; y < blocks[1]; y++) for (let x = 0; x < blocks[0]; x++) fillBlock(grid, [x, y, z], reach);
  const vector = ([x, y, z]: readonly number[]): Vector => [x, y, z];
  return {
    center: vector(center),
    half: vector(half),
    counts: vector(counts),
    rows: grid.rows,
    error: measureError(grid),
  };
}

/** A table that is being filled. */
interface OpenTable {
  readonly shape: Solid;
  readonly spacing: number;
  readonly counts: readonly number[];
  /** Position of the first row [m]. */
  readonly origin: readonly number[];
  readonly rows: Float32Array;
}

const found = new Float64Array(4);

/** The shape's own distances near its surface; elsewhere those of the plane that is nearest to the middle of the block, since only their size matters. */
function fillBlock({ shape, spacing, counts, origin, rows }: OpenTable, block: Vector, reach: number): void {
  const first = block.map((b) => b * BLOCK);
  const end = first.map((i, k) => Math.min(i + BLOCK, counts[k]));
  const middle = first.map((i, k) => origin[k] + 0.5 * (i + end[k] - 1) * spacing);
  const radius = 0.5 * Math.sqrt(3) * (BLOCK - 1) * spacing;
  shape.distance(found, middle[0], middle[1], middle[2]);
  const [distance, nx, ny, nz] = found;
  const isFar = Math.abs(distance) > reach + radius + spacing;
  for (let k = first[2]; k < end[2]; k++)
    for (let j = first[1]; j < end[1]; j++)
      for (let i = first[0]; i < end[0]; i++) {
        const [x, y, z] = [origin[0] + i * spacing, origin[1] + j * spacing, origin[2] + k * spacing];
        if (isFar) {
          found[0] = distance + nx * (x - middle[0]) + ny * (y - middle[1]) + nz * (z - middle[2]);
          found[1] = nx;
          found[2] = ny;
          found[3] = nz;
        } else shape.distance(found, x, y, z);
        rows.set(found, 4 * ((k * counts[1] + j) * counts[0] + i));
      }
}

/** Largest error in the middles of cells at the surface: within a cell, the error is largest there. */
function measureError({ shape, spacing, counts, origin, rows }: OpenTable): number {
  let error = 0;
  for (let k = 0; k < counts[2] - 1; k++)
    for (let j = 0; j < counts[1] - 1; j++)
      for (let i = 0; i < counts[0] - 1; i++) {
        const first = (k * counts[1] + j) * counts[0] + i;
        if (Math.abs(rows[4 * first]) > spacing) continue;
        const [x, y, z] = [i, j, k].map((n, axis) => origin[axis] + (n + 0.5) * spacing);
        shape.distance(found, x, y, z);
        error = Math.max(error, Math.abs(interpolateMiddle(rows, counts, first, spacing) - found[0]));
      }
  return error;
}

/** In the middle of the cell with this first row. */
function interpolateMiddle(rows: Float32Array, counts: readonly number[], first: number, spacing: number): number {
  writeBlend(blended, { rows, counts, spacing }, first, [0.5, 0.5, 0.5]);
  return blended[0];
}

const blended = new Float64Array(4);

/**
 * Distance and mean of the normals at a place in a cell, 0 to 1 along each axis, as batch/distances.ts interpolates: distances of the corners, and half of
 * their slopes towards the place.
 */
function writeBlend(
  out: Float64Array,
  {
    rows,
    counts,
    spacing,
  }: { readonly rows: Float32Array; readonly counts: readonly number[]; readonly spacing: number },
  first: number,
  [u, v, w]: Vector,
): void {
  out.fill(0);
  for (let corner = 0; corner < 8; corner++) {
    const [x, y, z] = [corner & 1, (corner >> 1) & 1, corner >> 2];
    const o = 4 * (first + (z * counts[1] + y) * counts[0] + x);
    const weight = (x === 1 ? u : 1 - u) * (y === 1 ? v : 1 - v) * (z === 1 ? w : 1 - w);
    const slope = rows[o + 1] * (u - x) + rows[o + 2] * (v - y) + rows[o + 3] * (w - z);
    out[0] += weight * (rows[o] + 0.5 * slope * spacing);
    for (let k = 1; k < 4; k++) out[k] += weight * rows[o + k];
  }
}

/** Writes the distance and the unit normal of a table at a point; outside its box, the distance from the box is added. */
export function sampleTable(out: Float64Array, table: DistanceTable, x: number, y: number, z: number): void {
  const { center, half, counts, rows } = table;
  const spacing = (2 * half[0]) / (counts[0] - 1);
  const p = [x - center[0], y - center[1], z - center[2]];
  const at = p.map((value, k) => Math.min(Math.max((value + half[k]) / spacing, 0), counts[k] - 1));
  const [i, j, l] = at.map((value, k) => Math.min(Math.floor(value), counts[k] - 2));
  const first = (l * counts[1] + j) * counts[0] + i;
  writeBlend(out, { rows, counts, spacing }, first, [at[0] - i, at[1] - j, at[2] - l]);
  const beyond = p.map((value, k) => Math.max(Math.abs(value) - half[k], 0));
  out[0] += Math.sqrt(beyond[0] * beyond[0] + beyond[1] * beyond[1] + beyond[2] * beyond[2]);
  const size = Math.max(Math.sqrt(out[1] * out[1] + out[2] * out[2] + out[3] * out[3]), 1e-6);
  for (let k = 1; k < 4; k++) out[k] /= size;
}
