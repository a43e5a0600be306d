/**
 * Broad phase of contact between strands: a hashed grid of cells. Every edge is entered in the cells that its swept capsule touches: cells are
 * counted, get their places, and are filled. Then every edge looks through its cells and keeps the nearest edges as candidates.
 *
 * Integer atomics alone. The order of entries depends on the order of threads; candidates do not, since they are chosen and sorted by
 * distance and number.
 */
import { CANDIDATES } from '../layout.ts';
import { STATUS } from './statusShader.ts';

/** Entries per edge that the grid has room for, and times within a step at which an edge is entered. */
const ENTRIES_PER_EDGE = 64;
const MOST_TIMES = 8;
const GRID_WORKGROUP = 64;
/** Factor on the predicted displacements, and part of the radius, within which edges are candidates: as in pairSearch.ts. */
const SPARE_WAY = 1.5;
const SPARE_GAP = 0.5;

/** Sizes of the grid for so many edges. */
export function gridSizes(edges: number): {
  readonly buckets: number;
  readonly entries: number;
  readonly words: number;
} {
  let buckets = 1024;
  while (buckets < 4 * edges) buckets *= 2;
  const entries = ENTRIES_PER_EDGE * edges;
  return { buckets, entries, words: 1 + 2 * buckets + entries + (CANDIDATES + 1) * edges };
}

/** Workgroups of every entry point at most: threads go through edges or buckets in strides. */
const MOST_WORKGROUPS = 32768;

/** Workgroups of an entry point with a thread per edge, or per bucket. */
export function gridWorkgroups(items: number): number {
  return Math.min(MOST_WORKGROUPS, Math.ceil(items / GRID_WORKGROUP));
}

/**
 * How an edge visits the cells that it touches on its way through the step: those of capsules at several times, so that edges that meet are in
 * one cell. `action`: with the bucket `h`.
 */
function visitCells(action: string): string {
  return `
    let times = timesOf(edge);
    let reach = reachOfEdge(edge, times);
    for (var k: u32 = 0; k <= times; k++) {
      let time = ${SPARE_WAY} * f32(k) / f32(times);
      let low = cellOf(min(endAt(edge, 0, time), endAt(edge, 1, time)) - reach);
      let high = cellOf(max(endAt(edge, 0, time), endAt(edge, 1, time)) + reach);
      for (var x = low.x; x <= high.x; x++) {
        for (var y = low.y; y <= high.y; y++) {
          for (var z = low.z; z <= high.z; z++) {
            let center = P.pair.x * (vec3f(f32(x), f32(y), f32(z)) + 0.5);
            if (distanceToEdge(edge, time, center) <= reach + 0.8661 * P.pair.x) {
              let h = bucketOf(x, y, z);
              ${action}
            }
          }
        }
      }
    }`;
}

function overEdges(name: string, body: string): string {
  return `
@compute @workgroup_size(${GRID_WORKGROUP})
fn ${name}(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var edge = id.x; edge < EDGES && P.contact.x > 0; edge += ${GRID_WORKGROUP} * groups.x) {${body}
  }
}`;
}

const geometry = `
fn nameOf(edge: u32) -> EdgeName { return EdgeName(edge / (NODES - 1), edge % (NODES - 1)); }
fn spanOf(edge: u32) -> PairEdge {
  let name = nameOf(edge);
  return pairEdgeOf(name.strand, name.edge, false);
}
/** Way of the head over the step, against which edges move little [m]. */
fn commonWay() -> vec3f { return P.shift.xyz; }
/** An end of the edge at a part of the step, in a frame that moves with the head. */
fn endAt(edge: u32, end: u32, time: f32) -> vec3f {
  let e = spanOf(edge);
  let way = select(e.wayOfFirst, e.wayOfSecond, end == 1) - commonWay();
  return select(e.first, e.second, end == 1) + time * way;
}
fn farthestWay(edge: u32) -> f32 {
  let e = spanOf(edge);
  return ${SPARE_WAY} * max(length(e.wayOfFirst - commonWay()), length(e.wayOfSecond - commonWay()));
}
fn timesOf(edge: u32) -> u32 { return u32(clamp(ceil(farthestWay(edge) / P.pair.x), 1, ${MOST_TIMES})); }
/** Radius of the capsules at those times. */
fn reachOfEdge(edge: u32, times: u32) -> f32 {
  return ${1 + SPARE_GAP} * spanOf(edge).radius + 0.5 * farthestWay(edge) / f32(times);
}
fn cellOf(x: vec3f) -> vec3i { return vec3i(floor(x / P.pair.x)); }
fn bucketOf(x: i32, y: i32, z: i32) -> u32 {
  return ((u32(x) * 73856093u) ^ (u32(y) * 19349663u) ^ (u32(z) * 83492791u)) % BUCKETS;
}
fn distanceToEdge(edge: u32, time: f32, x: vec3f) -> f32 {
  let first = endAt(edge, 0, time);
  let along = endAt(edge, 1, time) - first;
  let part = clamp(dot(x - first, along) / dot(along, along), 0, 1);
  return length(x - first - part * along);
}
fn countAt(h: u32) -> u32 { return 1 + h; }
fn cursorAt(h: u32) -> u32 { return 1 + BUCKETS + h; }
fn entryAt(n: u32) -> u32 { return 1 + 2 * BUCKETS + n; }
fn candidateAt(edge: u32, n: u32) -> u32 { return 1 + 2 * BUCKETS + CAPACITY + ${CANDIDATES + 1} * edge + n; }
fn candidateCountOf(j: u32) -> u32 { return atomicLoad(&grid[candidateAt(strandIndex * (NODES - 1) + j, 0)]); }
fn candidateOf(j: u32, n: u32) -> EdgeName {
  return nameOf(atomicLoad(&grid[candidateAt(strandIndex * (NODES - 1) + j, 1 + n)]));
}`;

const selection = `
/** Whether two edges may meet: of one strand only if it bends back between them. */
fn mayMeet(a: EdgeName, b: EdgeName, radius: f32) -> bool {
  if (a.strand != b.strand) {
    return true;
  }
  if (P.pair.z == 0 || a.edge == b.edge) {
    return false;
  }
  openStrand(a.strand);
  let first = min(a.edge, b.edge);
  let second = max(a.edge, b.edge);
  var arc: f32 = 0;
  for (var j = first + 1; j < second; j++) {
    arc += lengthOf(j);
  }
  let ends = 0.5 * (lengthOf(first) + lengthOf(second));
  return arc + ends > 3.14159265 * radius + 1.001 * ends;
}
/** Nearest edges so far, sorted. */
var<private> nearest: array<u32, ${CANDIDATES}>;
var<private> distances: array<f32, ${CANDIDATES}>;
var<private> found: u32;
fn consider(edge: u32, other: u32) {
  for (var n: u32 = 0; n < found; n++) {
    if (nearest[n] == other) {
      return;
    }
  }
  let low = spanOf(min(edge, other));
  let high = spanOf(max(edge, other));
  let reach = ${1 + SPARE_GAP} * (low.radius + high.radius) + ${SPARE_WAY} * reachOf(low, high);
  let apart = 0.5 * (low.first + low.second - high.first - high.second);
  let halves = 0.5 * (length(low.second - low.first) + length(high.second - high.first));
  if (length(apart) > reach + halves) {
    return;
  }
  let distance = distanceOf(low, high);
  if (distance > reach || !mayMeet(nameOf(edge), nameOf(other), max(low.radius, high.radius))) {
    return;
  }
  var at = found;
  if (found == ${CANDIDATES}) {
    at = ${CANDIDATES - 1};
    if (distances[at] < distance || (distances[at] == distance && nearest[at] < other)) {
      return;
    }
  } else {
    found++;
  }
  while (at > 0 && (distances[at - 1] > distance || (distances[at - 1] == distance && nearest[at - 1] > other))) {
    distances[at] = distances[at - 1];
    nearest[at] = nearest[at - 1];
    at--;
  }
  distances[at] = distance;
  nearest[at] = other;
}`;

/** Entry points in the order of their dispatches. */
export function gridEntry(strands: number, nodes: number): string {
  const edges = strands * (nodes - 1);
  const { buckets, entries } = gridSizes(edges);
  return `
@group(0) @binding(11) var<storage, read_write> grid: array<atomic<u32>>;
const EDGES: u32 = ${edges}u;
const BUCKETS: u32 = ${buckets}u;
const CAPACITY: u32 = ${entries}u;
${geometry}
${overEdges('countCells', visitCells('atomicAdd(&grid[countAt(h)], 1u);'))}

var<workgroup> inGroup: atomic<u32>;
var<workgroup> groupStart: u32;
@compute @workgroup_size(${GRID_WORKGROUP})
fn reserveCells(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) local: u32,
  @builtin(num_workgroups) groups: vec3u,
) {
  for (var base = group.x * ${GRID_WORKGROUP}; base < BUCKETS; base += ${GRID_WORKGROUP} * groups.x) {
    if (local == 0) {
      atomicStore(&inGroup, 0);
    }
    workgroupBarrier();
    let count = atomicLoad(&grid[countAt(base + local)]);
    let offset = atomicAdd(&inGroup, count);
    workgroupBarrier();
    if (local == 0) {
      groupStart = atomicAdd(&grid[0], atomicLoad(&inGroup));
    }
    workgroupBarrier();
    atomicStore(&grid[cursorAt(base + local)], groupStart + offset);
  }
}
${overEdges(
  'fillCells',
  visitCells(`let n = atomicAdd(&grid[cursorAt(h)], 1u);
            if (n < CAPACITY) {
              atomicStore(&grid[entryAt(n)], edge);
            } else {
              atomicAdd(&status[${STATUS.overflow}], 1u);
            }`),
)}
${selection}
${overEdges(
  'chooseCandidates',
  `
    found = 0;
    ${visitCells(`let end = min(atomicLoad(&grid[cursorAt(h)]), CAPACITY);
            let count = atomicLoad(&grid[countAt(h)]);
            for (var n = end - min(count, end); n < end; n++) {
              let other = atomicLoad(&grid[entryAt(n)]);
              if (other != edge) {
                consider(edge, other);
              }
            }`)}
    atomicStore(&grid[candidateAt(edge, 0)], found);
    for (var n: u32 = 0; n < found; n++) {
      atomicStore(&grid[candidateAt(edge, 1 + n)], nearest[n]);
    }`,
)}`;
}
