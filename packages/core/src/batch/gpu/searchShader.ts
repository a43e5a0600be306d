/**
 * Search for edges near each other, once gridShader.ts has sorted them by cells: a workgroup tests the edges of a cell against each other, and
 * each edge keeps the nearest as candidates.
 */
import { CANDIDATES } from '../layout.ts';
import { SPARE_ASIDE, SPARE_GAP, SPARE_WAY } from '../pairSearch.ts';
import { SHARED_SOON } from '../pairs.ts';
import { MARK, STATUS } from './statusShader.ts';

export const GRID_WORKGROUP = 64;
/** An entry point whose threads process `count` items with a stride. */
export function overItems(name: string, count: string, body: string): string {
  return `
@compute @workgroup_size(${GRID_WORKGROUP})
fn ${name}(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var item = id.x; item < ${count} && P.contact.x > 0; item += ${GRID_WORKGROUP} * groups.x) {${body}
  }
}`;
}

/** The same with one thread per edge. Neighbouring threads have neighbouring strands, so that they read neighbouring addresses. */
export function overEdges(name: string, body: string): string {
  return overItems(
    name,
    'EDGE_ITEMS',
    `
    let at = EdgeName((item / (LANES * (NODES - 1))) * LANES + item % LANES, (item / LANES) % (NODES - 1));
    if (at.strand >= STRANDS) {
      continue;
    }
    let edge = at.strand * (NODES - 1) + at.edge;${body}`,
  );
}

/** Visits the cells within `spare` of an edge; `h` is the number of the cell. */
export function forEachCell(body: string): string {
  return `
      // separating axes of the edge and the cell, which is widened by the spare
      let wide = 0.500001 * P.pair.x + spare;
      let size = abs(half);
      let low = cellOf(middle - size - spare);
      let high = cellOf(middle + size + spare);
      for (var z = low.z; z <= high.z; z++) {
      for (var y = low.y; y <= high.y; y++) {
      for (var x = low.x; x <= high.x; x++) {
        let apart = middle - P.pair.x * (vec3f(f32(x), f32(y), f32(z)) + 0.5);
        let across = abs(cross(half, apart));
        if (all(across <= wide * (vec3f(size.x + size.y + size.z) - size) + 1e-12)) {
          let h = bucketOf(x, y, z);${body}
        }
      }
      }
      }`;
}

const selection = `
/** True if two edges may meet: of one strand only if it bends back between them. */
fn mayMeet(a: EdgeName, b: EdgeName, radius: f32) -> bool {
  if (a.strand != b.strand) {
    return true;
  }
  if (a.edge == b.edge) {
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
/** Keeps the nearest candidates of an edge, sorted: each slot passes on the greater of two, so that the order of threads does not matter. */
fn keepCandidate(edge: u32, other: u32, distance: f32) {
  var key = candidateKey(other, distance);
  if (atomicLoad(&candidates[candidateAt(edge, ${CANDIDATES - 1})]) < key) {
    countStrand(edge / (NODES - 1), ${MARK.crowded}, ${STATUS.crowded});
    return;
  }
  for (var n: u32 = 0; n < ${CANDIDATES}; n++) {
    // words only become smaller, so one that is smaller already stays
    if (atomicLoad(&candidates[candidateAt(edge, n)]) < key) {
      continue;
    }
    let old = atomicMin(&candidates[candidateAt(edge, n)], key);
    if (old == NONE || old == key) {
      return;
    }
    key = max(key, old);
  }
  countStrand(edge / (NODES - 1), ${MARK.crowded}, ${STATUS.crowded});
}
/** An edge of a cell: its middle and spare, half of it and its radius, its number. */
struct Entry {
  middle: vec4f,
  half_: vec4f,
  edge: u32,
}
fn stillEdge(e: Entry) -> PairEdge {
  let x = e.middle.xyz;
  let h = e.half_.xyz;
  return PairEdge(x - h, x + h, vec3f(0), vec3f(0), vec3f(0), e.half_.w, false, false, false);
}
/** True if the edges may be closer than the sum of their margins; compares the distance of their middles across the first edge, and along it. */
fn isNear(a: Entry, b: Entry) -> bool {
  let apart = b.middle.xyz - a.middle.xyz;
  let size = dot(a.half_.xyz, a.half_.xyz);
  let along = dot(apart, a.half_.xyz);
  let turned = dot(b.half_.xyz, a.half_.xyz);
  let other = dot(b.half_.xyz, b.half_.xyz);
  let reach = a.middle.w + b.middle.w;
  // parts of the other edge along and across the first
  let across = sqrt(max(other * size - turned * turned, 0));
  let limit = reach * sqrt(size);
  return abs(along) <= size + abs(turned) + limit && dot(apart, apart) * size - along * along <= (limit + across) * (limit + across);
}
/** Tests two edges of cell h. Edges that share several cells are taken in the one where they are closest. */
fn testPair(h: u32, one: Entry, two: Entry) {
  if (one.edge == two.edge || !isNear(one, two)) {
    return;
  }
  var low = one;
  var high = two;
  if (two.edge < one.edge) {
    low = two;
    high = one;
  }
  let still = stillEdge(low);
  let other = stillEdge(high);
  let parts = closestParts(still, other, 0);
  let apart = apartAt(still, other, parts, 0);
  let distance = length(apart);
  let reach = low.middle.w + high.middle.w;
  let place = still.first + parts.low * (still.second - still.first) - (low.middle.w / reach) * apart;
  let cell = cellOf(place);
  if (distance > reach || bucketOf(cell.x, cell.y, cell.z) != h) {
    return;
  }
  let a = nameOf(low.edge);
  let b = nameOf(high.edge);
  if (a.strand == b.strand && (P.pair.z == 0 || !mayMeet(a, b, max(still.radius, other.radius)))) {
    return;
  }
  let lowEdge = pairEdgeOf(a.strand, a.edge, false);
  let highEdge = pairEdgeOf(b.strand, b.edge, false);
  let moving = P.search.x * (${SPARE_WAY} * approachOf(lowEdge, highEdge) + ${SPARE_ASIDE} * reachOf(lowEdge, highEdge));
  if (distance <= ${1 + SPARE_GAP} * (still.radius + other.radius) + moving && !(areParallel(lowEdge, highEdge) && isLeftToNext(lowEdge, highEdge, parts, ${SHARED_SOON}))) {
    keepCandidate(low.edge, high.edge, distance);
    keepCandidate(high.edge, low.edge, distance);
  }
}
var<workgroup> tileMiddle: array<vec4f, ${GRID_WORKGROUP}>;
var<workgroup> tileHalf: array<vec4f, ${GRID_WORKGROUP}>;
var<workgroup> tileEdge: array<u32, ${GRID_WORKGROUP}>;
var<workgroup> range: vec2u;
fn readEntry(k: u32, end: u32) -> Entry {
  if (k >= end) {
    return Entry();
  }
  let edge = atomicLoad(&candidates[entryAt(k)]);
  return Entry(spans[2 * edge], spans[2 * edge + 1], edge);
}`;

/** A workgroup per cell; each thread has an edge and tests it against the tiles of edges from its own on. */
export const searchEntry: string = `${selection}
@compute @workgroup_size(${GRID_WORKGROUP})
fn chooseCandidates(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  for (var h = group.x; h < BUCKETS && P.contact.x > 0; h += groups.x) {
    if (local == 0) {
      range = vec2u(startOf(h), startOf(h + 1));
    }
    let cell = workgroupUniformLoad(&range);
    for (var first = cell.x; first + 1 < cell.y; first += ${GRID_WORKGROUP}) {
      let own = readEntry(first + local, cell.y);
      for (var from_ = first; from_ < cell.y; from_ += ${GRID_WORKGROUP}) {
        workgroupBarrier();
        let read = readEntry(from_ + local, cell.y);
        tileMiddle[local] = read.middle;
        tileHalf[local] = read.half_;
        tileEdge[local] = read.edge;
        workgroupBarrier();
        // threads begin at different edges, so that they do not write the same candidates at once
        let count = min(cell.y - from_, ${GRID_WORKGROUP}u);
        var tests = count;
        var k = local % count;
        // of two edges of one tile, the first tests
        if (from_ == first) {
          tests = (count - 1) / 2 + u32(count % 2 == 0 && 2 * local < count);
          k++;
        }
        for (var i: u32 = 0; i < tests && first + local < cell.y; i++) {
          k = select(k, 0, k >= count);
          testPair(h, own, Entry(tileMiddle[k], tileHalf[k], tileEdge[k]));
          k++;
        }
      }
    }
    workgroupBarrier();
  }
}`;
