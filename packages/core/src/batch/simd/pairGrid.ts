/**
 * Search for edges of strands that may meet within a step. Neighbouring hairs move together, so an edge counts with its motion against its
 * surroundings: docs/notes/batch-engine.md, "Search for pairs".
 *
 * Edges are entered in all cells of a fine grid within their spare. Edges of one cell whose distance is less than the sum of their spares are candidates.
 */
import { type Edges, HALF, HALF_LENGTH, type PairSearch, ROW, SPARE } from './pairMemory.ts';

/** Largest number of cells of the coarse grid along an axis; mean number of entries per edge in the fine grid above which cells grow. */
const COARSE_CELLS = 48;
const MOST_ENTRIES = 40;
/** Width of a fine cell in mean lengths of edges, and in mean spares, at least. */
const CELL_LENGTHS = 0.5;
const CELL_SPARES = 2;
/** Largest number of cells of an edge along an axis. */
const WIDEST = 1000;
/** Factor on spares against rounding. */
const ROUNDING = 1.0001;

interface Box {
  readonly low: readonly number[];
  readonly size: number;
}

function boxOf({ rows, count }: Edges): Box {
  const [low, high] = [
    [Infinity, Infinity, Infinity],
    [-Infinity, -Infinity, -Infinity],
  ];
  for (let e = 0; e < count; e++)
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], rows[ROW * e + k]);
      high[k] = Math.max(high[k], rows[ROW * e + k]);
    }
  return { low, size: Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2]) };
}

/** Mean displacements of the edges in the cells of a coarse grid. */
interface Means {
  readonly cells: number;
  /** Of a cell [m]. */
  readonly width: number;
  /** Mean displacement [m] and number of edges, 4 numbers per cell. */
  readonly mean: Float64Array;
}

function averageWays({ edges, cell, means }: PairSearch, { low, size }: Box, width: number): Means {
  const { count, rows, way } = edges;
  const cells = Math.min(COARSE_CELLS, Math.floor(size / width) + 1);
  const wide = Math.max(width, size / cells);
  const mean = means.take(4 * cells * cells * cells).fill(0);
  for (let e = 0; e < count; e++) {
    let c = 0;
    for (let k = 0; k < 3; k++) c = c * cells + Math.min(cells - 1, Math.floor((rows[ROW * e + k] - low[k]) / wide));
    cell[e] = c;
    for (let k = 0; k < 3; k++) mean[4 * c + k] += way[3 * e + k];
    mean[4 * c + 3]++;
  }
  for (let c = 0; 4 * c < mean.length; c++)
    if (mean[4 * c + 3] > 0) for (let k = 0; k < 3; k++) mean[4 * c + k] /= mean[4 * c + 3];
  return { cells, width: wide, mean };
}

/** Largest difference between the mean displacement of a cell and those of its neighbours [m]. */
function differenceAt({ cells, mean }: Means, c: number): number {
  const x = Math.floor(c / (cells * cells));
  const y = Math.floor(c / cells) % cells;
  const z = c % cells;
  const last = cells - 1;
  let most = 0;
  for (let i = Math.max(0, x - 1); i <= Math.min(last, x + 1); i++)
    for (let j = Math.max(0, y - 1); j <= Math.min(last, y + 1); j++)
      for (let k = Math.max(0, z - 1); k <= Math.min(last, z + 1); k++) {
        const o = 4 * ((i * cells + j) * cells + k);
        if (mean[o + 3] === 0) continue;
        const a = mean[4 * c] - mean[o];
        const b = mean[4 * c + 1] - mean[o + 1];
        const d = mean[4 * c + 2] - mean[o + 2];
        most = Math.max(most, a * a + b * b + d * d);
      }
  return Math.sqrt(most);
}

function differences({ differences: memory }: PairSearch, means: Means): Float64Array {
  const most = memory.take(means.mean.length / 4);
  for (let c = 0; c < most.length; c++) most[c] = means.mean[4 * c + 3] === 0 ? 0 : differenceAt(means, c);
  return most;
}

/** Computes the spares of all edges: edges farther apart than the sum of their spares cannot meet even if they move `factor` times as far. */
export function findSpares(search: PairSearch, factor: number): void {
  const { edges, cell } = search;
  const { count, way, reach, rows } = edges;
  const box = boxOf(edges);
  let longest = 0;
  for (let e = 0; e < count; e++) longest = Math.max(longest, 2 * rows[ROW * e + HALF_LENGTH]);
  for (let width = 3 * longest; ; width *= 2) {
    const means = averageWays(search, box, width);
    const { mean, cells } = means;
    const most = differences(search, means);
    let largest = 0;
    for (let e = 0; e < count; e++) {
      const c = cell[e];
      let apart = 0;
      for (let k = 0; k < 3; k++) {
        const own = way[3 * e + k] - mean[4 * c + k];
        apart += own * own;
      }
      const spare = ROUNDING * factor * (reach[e] + Math.sqrt(apart) + 0.5 * most[c]);
      rows[ROW * e + SPARE] = spare;
      largest = Math.max(largest, spare);
    }
    // edges that can meet are in neighbouring cells
    if (cells === 1 || longest + 2 * largest <= means.width) return;
  }
}

/** Entries of edges in the cells of the fine grid. */
interface Entries {
  /** Hashed numbers of each edge's cells, from index `first` of the edge on. */
  readonly cells: Int32Array;
  readonly first: Int32Array;
}

/** Enters edges in cells; undefined if there are too many entries. */
function enterEdges({ edges, places, cells: memory, first }: PairSearch, width: number): Entries | undefined {
  const { count } = edges;
  const cells = memory.take(MOST_ENTRIES * count + 64);
  let total = 0;
  for (let e = 0; e < count; e++) {
    first[e] = total;
    total = enterEdge(places, e, width, cells, total);
    if (total < 0) return undefined;
  }
  first[count] = total;
  return { cells, first };
}

/** Cells within the spare of edge e, from `total` on. Returns their end; -1 if there is no room. */
function enterEdge(rows: Float64Array, e: number, width: number, cells: Int32Array, total: number): number {
  const o = ROW * e;
  const x = rows[o] / width;
  const y = rows[o + 1] / width;
  const z = rows[o + 2] / width;
  const a = rows[o + HALF] / width;
  const b = rows[o + HALF + 1] / width;
  const c = rows[o + HALF + 2] / width;
  const near = rows[o + SPARE] / width;
  const size2 = a * a + b * b + c * c;
  const low = Math.floor(x - Math.abs(a) - near);
  const lowY = Math.floor(y - Math.abs(b) - near);
  const lowZ = Math.floor(z - Math.abs(c) - near);
  const high = Math.floor(x + Math.abs(a) + near);
  const highY = Math.floor(y + Math.abs(b) + near);
  const highZ = Math.floor(z + Math.abs(c) + near);
  if (high - low > WIDEST || highY - lowY > WIDEST || highZ - lowZ > WIDEST) return -1;
  let end = total;
  for (let i = low; i <= high; i++)
    for (let j = lowY; j <= highY; j++)
      for (let k = lowZ; k <= highZ; k++) {
        const u = i + 0.5 - x;
        const v = j + 0.5 - y;
        const w = k + 0.5 - z;
        const t = Math.min(1, Math.max(-1, (u * a + v * b + w * c) / size2));
        const p = u - t * a;
        const q = v - t * b;
        const r = w - t * c;
        const apart = p * p + q * q + r * r;
        // the direction to the nearest point separates the cell from the edge
        if (apart > 0.5 * (Math.abs(p) + Math.abs(q) + Math.abs(r)) + near * Math.sqrt(apart)) continue;
        if (end === cells.length) return -1;
        cells[end++] = Math.imul(Math.imul(i, 73856093) ^ Math.imul(j, 19349663) ^ Math.imul(k, 83492791), 0x9e3779b1);
      }
  return end;
}

/** Edges by slot of a hash table, in order; several cells may share a slot. */
interface Members {
  readonly edge: Int32Array;
  readonly end: Int32Array;
  /** Shift that turns the number of a cell into its slot. */
  readonly shift: number;
}

export function sortMembers({ ends, members }: PairSearch, { cells, first }: Entries): Members {
  const total = first[first.length - 1];
  const bits = Math.max(8, 32 - Math.clz32(total));
  const shift = 32 - bits;
  const end = ends.take(2 ** bits + 1).fill(0);
  for (let n = 0; n < total; n++) end[(cells[n] >>> shift) + 1]++;
  for (let c = 0; c < 2 ** bits; c++) end[c + 1] += end[c];
  const edge = members.take(total);
  for (let e = 0; e + 1 < first.length; e++)
    for (let n = first[e]; n < first[e + 1]; n++) edge[end[cells[n] >>> shift]++] = e;
  return { edge, end, shift };
}

function limit(part: number): number {
  return part < -1 ? -1 : part > 1 ? 1 : part;
}

/** True if edges e and f are within the sum of their spares. */
export function areNear(rows: Float64Array, e: number, f: number): boolean {
  const o = ROW * e;
  const p = ROW * f;
  const reach = rows[o + SPARE] + rows[p + SPARE];
  const x = rows[o] - rows[p];
  const y = rows[o + 1] - rows[p + 1];
  const z = rows[o + 2] - rows[p + 2];
  const far = reach + rows[o + HALF_LENGTH] + rows[p + HALF_LENGTH];
  if (x * x + y * y + z * z > far * far) return false;
  const a = rows[o + HALF];
  const b = rows[o + HALF + 1];
  const c = rows[o + HALF + 2];
  const u = rows[p + HALF];
  const v = rows[p + HALF + 1];
  const w = rows[p + HALF + 2];
  const aa = a * a + b * b + c * c;
  const uu = u * u + v * v + w * w;
  const au = a * u + b * v + c * w;
  const ax = a * x + b * y + c * z;
  const ux = u * x + v * y + w * z;
  const det = aa * uu - au * au;
  // from the middles, in halves: least |x + s a - t u|
  const start = det > 1e-12 * aa * uu ? limit((au * ux - uu * ax) / det) : 0;
  const s = limit((limit((ux + start * au) / uu) * au - ax) / aa);
  const t = limit((ux + s * au) / uu);
  const i = x + s * a - t * u;
  const j = y + s * b - t * v;
  const k = z + s * c - t * w;
  // closest points of edges that are nearly parallel are good to a small part of their lengths
  const most = det < 1e-4 * aa * uu ? 1.1 * reach : reach;
  return i * i + j * j + k * k <= most * most;
}

/** Entries of all edges, in cells so large that there are not too many. */
export function enterAll(search: PairSearch): Entries {
  const { count } = search.edges;
  const rows = search.places;
  let length = 0;
  let spare = 0;
  for (let e = 0; e < count; e++) {
    length += rows[ROW * e + HALF_LENGTH];
    spare += rows[ROW * e + SPARE];
  }
  for (let width = Math.max(2 * CELL_LENGTHS * (length / count), CELL_SPARES * (spare / count)); ; width *= 1.5) {
    const entries = enterEdges(search, width);
    if (entries) return entries;
  }
}
