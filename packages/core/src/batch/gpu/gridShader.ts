/**
 * Broad phase of contact between strands: every edge is entered in the cells that it may touch within the step, and edges of one cell are
 * tested against each other (searchShader.ts).
 *
 * Hair moves together, so an edge reaches as far as it moves relative to its surroundings, not as far as it moves in all. A coarse grid has the mean way
 * of the edges in each cell. `spare` of an edge is what it may come closer to others by: two edges can meet only if they are no farther apart
 * than the sum of their spares (docs/notes/batch-engine.md, "Search for pairs").
 *
 * Integer atomics alone. The order of edges within a cell depends on the order of threads; candidates do not, since they are chosen and
 * sorted by distance and number.
 */
import { CANDIDATES } from '../layout.ts';
import { SPARE_GAP, SPARE_WAY } from '../pairSearch.ts';
import { PAIR_BITS, pairParts } from './pairLayout.ts';
import {
  CELLS_AT_ONCE,
  forEachCell,
  GRID_WORKGROUP,
  HITS,
  HITS_IN_REAL_TIME,
  overEdges,
  overItems,
  searchEntry,
} from './searchShader.ts';
import { MARK, STATUS } from './statusShader.ts';

/** Cells that a thread, and a workgroup, of the prefix sum have. */
const CELLS_PER_THREAD = 16;
const CELLS_PER_GROUP = GRID_WORKGROUP * CELLS_PER_THREAD;
/** Words of a coarse cell: sum of displacements, number of edges. */
const COARSE_WORDS = 4;
/** Words before the coarse cells: largest displacement, and the box of all nodes. */
const HEADER = 7;
/** Coarse cells along each axis, at least and at most. */
const LEAST_COARSE = 8;
const MOST_COARSE = 40;
/** Cells of an edge on average, at most, and of a single edge: further ones are left out and counted. */
const ENTRIES_PER_EDGE = 24;
const ENTRIES_IN_REAL_TIME = 40;
const MOST_CELLS = 1000;
/** The number of an edge takes 22 bits of a candidate, as of a contact; the bits above are its distance. */
const EDGE_BITS = PAIR_BITS.edge;
/** In real time, an edge is entered in cells within this many times what it may come closer by: others look for it in the cell of one place alone. */
const SPREAD = 4 / 3;
/** Candidates that are looked at in real time: the nearest. */
const QUICK_CANDIDATES = 8;

/** Contact between strands, as it is compiled into the program: the number of strands, and whether it has a fixed cost. */
export interface PairProgram {
  readonly strands: number;
  readonly realTime: boolean;
}

/** Sizes of the buffers for a number of edges: words of `grid` and `candidates`, vec4f of `spans`. */
interface GridSizes {
  readonly buckets: number;
  /** Coarse cells along each axis, and all of them. */
  readonly side: number;
  readonly coarse: number;
  readonly grid: number;
  readonly candidates: number;
  readonly spans: number;
}

function powerAbove(least: number): number {
  let power = 1;
  while (power < least) power *= 2;
  return power;
}

/** Throws where there are more edges than a candidate can name. */
export function gridSizes(edges: number, realTime: boolean): GridSizes {
  if (edges > 2 ** EDGE_BITS)
    throw new Error(`contact between strands supports at most ${2 ** EDGE_BITS} edges, and there are ${edges}`);
  const buckets = powerAbove(Math.max(edges, CELLS_PER_GROUP));
  let side = LEAST_COARSE;
  while (side < MOST_COARSE && 8 * side * side * side < edges) side++;
  const coarse = side * side * side;
  return {
    buckets,
    side,
    coarse,
    grid: HEADER + COARSE_WORDS * coarse + buckets / CELLS_PER_GROUP + buckets + edges,
    candidates:
      (CANDIDATES + (realTime ? ENTRIES_IN_REAL_TIME + HITS_IN_REAL_TIME : ENTRIES_PER_EDGE + HITS)) * edges +
      buckets +
      1,
    spans: 2 * edges + 2 * coarse,
  };
}

/** Workgroups of every entry point at most: threads go through edges or cells in strides. */
const MOST_WORKGROUPS = 32768;

/** Workgroups of an entry point with a thread per edge or coarse cell. */
export function gridWorkgroups(items: number): number {
  return Math.min(MOST_WORKGROUPS, Math.ceil(items / GRID_WORKGROUP));
}

/** Workgroups of the entry point that tests the edges of each cell. */
export function cellWorkgroups(buckets: number): number {
  return Math.min(MOST_WORKGROUPS, buckets / CELLS_AT_ONCE);
}

/** Workgroups of the prefix sum. */
export function scanWorkgroups(buckets: number): number {
  return buckets / CELLS_PER_GROUP;
}

const addresses = `
const NONE: u32 = 0xffffffffu;
fn coarseAt(c: u32, word: u32) -> u32 { return ${HEADER} + ${COARSE_WORDS} * c + word; }
fn blockAt(b: u32) -> u32 { return ${HEADER} + ${COARSE_WORDS} * COARSE + b; }
fn countAt(h: u32) -> u32 { return ${HEADER} + ${COARSE_WORDS} * COARSE + BUCKETS / ${CELLS_PER_GROUP} + h; }
fn hitCountAt(edge: u32) -> u32 { return countAt(BUCKETS) + edge; }
fn candidateAt(edge: u32, n: u32) -> u32 { return ${CANDIDATES} * edge + n; }
fn startAt(h: u32) -> u32 { return ${CANDIDATES} * EDGES + h; }
fn entryAt(k: u32) -> u32 { return ${CANDIDATES} * EDGES + BUCKETS + 1 + k; }
fn hitAt(edge: u32, n: u32) -> u32 { return entryAt(ENTRIES) + HITS * edge + n; }
/** Entries before those of cell h that are stored. */
fn startOf(h: u32) -> u32 { return min(atomicLoad(&candidates[startAt(h)]), ENTRIES); }
fn nameOf(edge: u32) -> EdgeName { return EdgeName(edge / (NODES - 1), edge % (NODES - 1)); }
fn candidateCountOf(j: u32) -> u32 {
  let edge = strandIndex * (NODES - 1) + j;
  var count: u32 = 0;
  while (count < select(${CANDIDATES}u, ${QUICK_CANDIDATES}u, REAL_TIME) && atomicLoad(&candidates[candidateAt(edge, count)]) != NONE) {
    count++;
  }
  return count;
}
fn candidateOf(j: u32, n: u32) -> EdgeName {
  return nameOf(atomicLoad(&candidates[candidateAt(strandIndex * (NODES - 1) + j, n)]) & EDGE_MASK);
}
/** Distance and number as one word, ordered by them; distances are rounded to five bits. */
fn candidateKey(other: u32, distance: f32) -> u32 {
  let bits = bitcast<u32>(max(distance, 0)) >> 18;
  const least = (127u - 31u) << 5;
  return (min(max(bits, least) - least, 1023) << ${EDGE_BITS}) | other;
}`;

const geometry = `
/** Bits that are ordered as the numbers are; never 0. */
fn orderedBits(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  return select(bits | 0x80000000u, ~bits, (bits & 0x80000000u) != 0);
}
fn fromOrderedBits(bits: u32) -> f32 { return bitcast<f32>(select(~bits, bits & 0x7fffffffu, (bits & 0x80000000u) != 0)); }
/** What \`locate\` reports of a strand: the farthest that a node and its radius reach within the step, against the head, and its box. */
fn reportReach(reach: f32, low: vec3f, high: vec3f) {
  let size = abs(low) + abs(high);
  if (reach + size.x + size.y + size.z < 1e6) {
    atomicMax(&grid[0], bitcast<u32>(reach));
    for (var k: u32 = 0; k < 3; k++) {
      atomicMax(&grid[1 + k], orderedBits(high[k]));
      atomicMax(&grid[4 + k], orderedBits(-low[k]));
    }
  }
}
fn reachOfNode(way: vec3f, radius: f32) -> f32 {
  return ${2 * SPARE_WAY} * P.search.x * length(way - P.shift.xyz) + ${2 * (1 + SPARE_GAP)} * radius;
}
fn farthestReach() -> f32 { return bitcast<f32>(atomicLoad(&grid[0])); }
fn boxEnd(k: u32) -> vec3f {
  return vec3f(
    fromOrderedBits(atomicLoad(&grid[k])),
    fromOrderedBits(atomicLoad(&grid[k + 1])),
    fromOrderedBits(atomicLoad(&grid[k + 2])),
  );
}
/** Edges that can meet are in coarse cells side by side. */
fn coarseSize() -> f32 {
  let extent = boxEnd(1) + boxEnd(4);
  let wide = 1.001 * max(extent.x, max(extent.y, extent.z)) / f32(SIDE - 2);
  return max(max(2 * P.pair.w, 1.001 * P.pair.w + farthestReach()), wide);
}
fn coarseCellOf(x: vec3f) -> vec3i {
  return clamp(vec3i(floor((x + boxEnd(4)) / coarseSize())), vec3i(0), vec3i(i32(SIDE) - 1));
}
fn coarseIndexOf(c: vec3i) -> u32 { return (u32(c.z) * SIDE + u32(c.y)) * SIDE + u32(c.x); }
/** The cell beside c, one of 27; none: COARSE. */
fn coarseBeside(c: vec3i, n: i32) -> u32 {
  let at = c + vec3i(n % 3 - 1, (n / 3) % 3 - 1, n / 9 - 1);
  let isInside = all(at >= vec3i(0)) && all(at < vec3i(i32(SIDE)));
  return select(COARSE, coarseIndexOf(at), isInside);
}
/** Mean displacements are summed as integers, so that the order does not matter. */
fn wayUnit() -> f32 { return max(farthestReach(), 1e-12) / 1024; }
fn middleOf(span: PairEdge) -> vec3f { return 0.5 * (span.first + span.second); }
fn wayOfMiddle(span: PairEdge) -> vec3f { return 0.5 * (span.wayOfFirst + span.wayOfSecond); }
/** False for an edge of a strand that has diverged: it is in no cell of the grid. */
fn isSane(span: PairEdge) -> bool {
  let size = abs(span.first) + abs(span.second) + abs(span.wayOfFirst) + abs(span.wayOfSecond);
  return size.x + size.y + size.z < 1e6;
}
fn cellOf(x: vec3f) -> vec3i { return vec3i(floor(x / P.pair.x)); }
/** Cells along x are side by side. */
fn bucketOf(x: i32, y: i32, z: i32) -> u32 {
  return (((u32(y) * 19349663u) ^ (u32(z) * 83492791u)) + u32(x)) % BUCKETS;
}`;

/** Mean way of each coarse cell, then spare and cell of each edge. */
const framing = `
${overEdges(
  'sumWays',
  `
    let span = pairEdgeOf(at.strand, at.edge, false);
    if (isSane(span)) {
      let c = coarseIndexOf(coarseCellOf(middleOf(span)));
      let way = vec3i(round((wayOfMiddle(span) - P.shift.xyz) / wayUnit()));
      atomicAdd(&grid[coarseAt(c, 0)], u32(way.x));
      atomicAdd(&grid[coarseAt(c, 1)], u32(way.y));
      atomicAdd(&grid[coarseAt(c, 2)], u32(way.z));
      atomicAdd(&grid[coarseAt(c, 3)], 1u);
    }`,
)}
${overItems(
  'averageWays',
  'COARSE',
  `
    let sum = vec3i(
      i32(atomicLoad(&grid[coarseAt(item, 0)])),
      i32(atomicLoad(&grid[coarseAt(item, 1)])),
      i32(atomicLoad(&grid[coarseAt(item, 2)])),
    );
    let count = f32(atomicLoad(&grid[coarseAt(item, 3)]));
    spans[2 * EDGES + item] = vec4f(P.shift.xyz + (wayUnit() / max(count, 1)) * vec3f(sum), count);`,
)}
/** How much the mean displacements of neighbouring cells differ from that of each. */
${overItems(
  'shearWays',
  'COARSE',
  `
    let cell = vec3i(i32(item % SIDE), i32((item / SIDE) % SIDE), i32(item / (SIDE * SIDE)));
    let mean = spans[2 * EDGES + item];
    var shear: f32 = 0;
    for (var n: i32 = 0; n < 27 && mean.w > 0; n++) {
      let c = coarseBeside(cell, n);
      if (c < COARSE) {
        let other = spans[2 * EDGES + c];
        if (other.w > 0) {
          shear = max(shear, length(other.xyz - mean.xyz));
        }
      }
    }
    spans[2 * EDGES + COARSE + item] = vec4f(shear, 0, 0, 0);`,
)}
/** How far the edge reaches towards others while the search serves [m]. */
fn spareOf(span: PairEdge) -> f32 {
  let c = coarseIndexOf(coarseCellOf(middleOf(span)));
  let own = length(wayOfMiddle(span) - spans[2 * EDGES + c].xyz) + 0.5 * length(span.wayOfSecond - span.wayOfFirst);
  let shear = spans[2 * EDGES + COARSE + c].x;
  return 1.0001 * (${1 + SPARE_GAP} * span.radius + ${SPARE_WAY} * P.search.x * (own + 0.5 * shear));
}
fn cellCountOf(half: vec3f, spare: f32, middle: vec3f) -> f32 {
  let size = vec3f(cellOf(middle + abs(half) + spare) - cellOf(middle - abs(half) - spare) + 1);
  return size.x * size.y * size.z;
}
${overEdges(
  'countCells',
  `
    for (var n: u32 = 0; n < ${CANDIDATES}; n++) {
      atomicStore(&candidates[candidateAt(edge, n)], NONE);
    }
    let span = pairEdgeOf(at.strand, at.edge, false);
    let middle = middleOf(span);
    let half = 0.5 * (span.second - span.first);
    var spare: f32 = -1;
    if (isSane(span)) {
      spare = spareOf(span);
      if (spare > P.search.y) {
        spare = P.search.y;
        countStrand(at.strand, ${MARK.crowded}, ${STATUS.crowded});
      }
      spare *= SPREAD;
      if (!(cellCountOf(half, spare, middle) <= ${MOST_CELLS})) {
        spare = min(spare, P.pair.x);
        countStrand(at.strand, ${MARK.overflow}, ${STATUS.overflow});
      }${forEachCell(`
          atomicAdd(&grid[countAt(h)], 1u);`)}
    }
    spans[2 * edge] = vec4f(middle, spare);
    spans[2 * edge + 1] = vec4f(half, span.radius);`,
)}`;

/** Prefix sum of the counts: where the edges of each cell begin. */
const placing = `
var<workgroup> sums: array<u32, ${GRID_WORKGROUP}>;
/** Sum of the values of the threads before this one; \`sums\` then ends with that of all. */
fn sumBefore(local: u32, value: u32) -> u32 {
  sums[local] = value;
  workgroupBarrier();
  for (var width: u32 = 1; width < ${GRID_WORKGROUP}; width *= 2) {
    var more: u32 = 0;
    if (local >= width) {
      more = sums[local - width];
    }
    workgroupBarrier();
    sums[local] += more;
    workgroupBarrier();
  }
  return sums[local] - value;
}
fn sumOfThread(first: u32) -> u32 {
  var sum: u32 = 0;
  for (var k: u32 = 0; k < ${CELLS_PER_THREAD}; k++) {
    sum += atomicLoad(&grid[countAt(first + k)]);
  }
  return sum;
}
@compute @workgroup_size(${GRID_WORKGROUP})
fn sumCells(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  let before = sumBefore(local, sumOfThread(group.x * ${CELLS_PER_GROUP} + local * ${CELLS_PER_THREAD}));
  if (local == ${GRID_WORKGROUP - 1}) {
    atomicStore(&grid[blockAt(group.x)], sums[local]);
  }
}
@compute @workgroup_size(${GRID_WORKGROUP})
fn scanBlocks(@builtin(local_invocation_index) local: u32) {
  const perThread = (BUCKETS / ${CELLS_PER_GROUP} + ${GRID_WORKGROUP - 1}) / ${GRID_WORKGROUP};
  let end = min((local + 1) * perThread, BUCKETS / ${CELLS_PER_GROUP});
  var sum: u32 = 0;
  for (var b = local * perThread; b < end; b++) {
    sum += atomicLoad(&grid[blockAt(b)]);
  }
  var start = sumBefore(local, sum);
  for (var b = local * perThread; b < end; b++) {
    let count = atomicLoad(&grid[blockAt(b)]);
    atomicStore(&grid[blockAt(b)], start);
    start += count;
  }
  if (local == ${GRID_WORKGROUP - 1}) {
    atomicStore(&candidates[startAt(BUCKETS)], sums[local]);
  }
}
@compute @workgroup_size(${GRID_WORKGROUP})
fn placeCells(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  let first = group.x * ${CELLS_PER_GROUP} + local * ${CELLS_PER_THREAD};
  var start = atomicLoad(&grid[blockAt(group.x)]) + sumBefore(local, sumOfThread(first));
  for (var k: u32 = 0; k < ${CELLS_PER_THREAD}; k++) {
    atomicStore(&candidates[startAt(first + k)], start);
    start += atomicLoad(&grid[countAt(first + k)]);
  }
}
${overItems(
  'fillCells',
  'EDGES',
  `
    let middle = spans[2 * item].xyz;
    let spare = spans[2 * item].w;
    let half = spans[2 * item + 1].xyz;
    if (spare >= 0) {${forEachCell(`
          let k = atomicLoad(&candidates[startAt(h)]) + atomicSub(&grid[countAt(h)], 1u) - 1;
          if (k < ENTRIES) {
            atomicStore(&candidates[entryAt(k)], item);
          } else {
            countStrand(item / (NODES - 1), ${MARK.overflow}, ${STATUS.overflow});
          }`)}
    }`,
)}`;

/** Entry points in the order of their dispatches. */
export function gridEntry({ strands, realTime }: PairProgram, nodes: number): string {
  const edges = strands * (nodes - 1);
  const { buckets, side, coarse } = gridSizes(edges, realTime);
  const { places, mates } = pairParts(32 * Math.ceil(strands / 32) * nodes);
  return `
@group(0) @binding(11) var<storage, read_write> candidates: array<atomic<u32>>;
@group(0) @binding(12) var<storage, read_write> grid: array<atomic<u32>>;
@group(0) @binding(13) var<storage, read_write> spans: array<vec4f>;
const PLACES: u32 = ${places}u;
const MATES: u32 = ${mates}u;
const EDGE_MASK: u32 = ${2 ** EDGE_BITS - 1}u;
const REAL_TIME: bool = ${realTime};
const STRANDS: u32 = ${strands}u;
const EDGES: u32 = ${edges}u;
const EDGE_ITEMS: u32 = ${32 * Math.ceil(strands / 32) * (nodes - 1)}u;
const BUCKETS: u32 = ${buckets}u;
const ENTRIES: u32 = ${(realTime ? ENTRIES_IN_REAL_TIME : ENTRIES_PER_EDGE) * edges}u;
const SPREAD: f32 = ${realTime ? SPREAD : 1};
const HITS: u32 = ${realTime ? HITS_IN_REAL_TIME : HITS}u;
const SIDE: u32 = ${side}u;
const COARSE: u32 = ${coarse}u;
${addresses}
${geometry}
${framing}
${placing}
${searchEntry}`;
}
