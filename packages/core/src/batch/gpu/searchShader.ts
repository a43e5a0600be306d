/**
 * Search for edges near each other, once gridShader.ts has sorted them by cells, in two passes. In the first, a workgroup tests the edges of a cell
 * against each other: quickly, and the pairs that may be near again with the laws of contact. Each edge lists its hits. In the second, each edge
 * sorts its hits and keeps the nearest as candidates.
 */
import { CANDIDATES } from '../layout.ts';
import { SPARE_ASIDE, SPARE_GAP, SPARE_WAY } from '../pairSearch.ts';
import { SHARED_SOON } from '../pairs.ts';
import { MARK, STATUS } from './statusShader.ts';

export const GRID_WORKGROUP = 64;
/** Hits of an edge that are listed; further ones are sorted in as they come, which is slower. */
export const HITS = 32;
/** Pairs of a cell that may be near: tested again once there are more than half as many. */
const QUEUE = 1024;
/** Quick tests of each thread between two looks at the queue, so that it cannot overflow. */
const TESTS = QUEUE / 2 / GRID_WORKGROUP;
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
/** Sorts a hit in among the candidates: each slot passes on the greater of two, so that the order of threads does not matter. */
fn keepCandidate(edge: u32, hit: u32) {
  var key = hit;
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
fn listHit(edge: u32, other: u32, distance: f32) {
  let key = candidateKey(other, distance);
  let n = atomicAdd(&grid[hitCountAt(edge)], 1u);
  if (n < ${HITS}) {
    atomicStore(&candidates[hitAt(edge, n)], key);
  } else {
    keepCandidate(edge, key);
  }
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
/** Tests two edges of cell h that may be near. Edges that share several cells are taken in the one where they are closest. */
fn testPair(h: u32, one: Entry, two: Entry) {
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
    listHit(low.edge, high.edge, distance);
    listHit(high.edge, low.edge, distance);
  }
}
/** Two tiles of edges of the cell: those of the threads, and those that they are tested against. */
var<workgroup> tile: array<Entry, ${2 * GRID_WORKGROUP}>;
var<workgroup> range: vec2u;
/** Pairs that may be near, by their places in the tiles: the first in the upper 16 bits. */
var<workgroup> queue: array<u32, ${QUEUE}>;
var<workgroup> queued: atomic<u32>;
var<workgroup> waiting: u32;
fn readEntry(k: u32, end: u32) -> Entry {
  if (k >= end) {
    return Entry();
  }
  let edge = atomicLoad(&candidates[entryAt(k)]);
  return Entry(spans[2 * edge], spans[2 * edge + 1], edge);
}
/** Tests the pairs of the queue if there are more than \`most\`, as all threads see them. */
fn emptyQueue(local: u32, h: u32, most: u32) {
  workgroupBarrier();
  if (local == 0) {
    waiting = atomicLoad(&queued);
  }
  let count = workgroupUniformLoad(&waiting);
  if (count > most) {
    for (var q = local; q < count; q += ${GRID_WORKGROUP}) {
      testPair(h, tile[queue[q] >> 16], tile[queue[q] & 0xffffu]);
    }
    workgroupBarrier();
    if (local == 0) {
      atomicStore(&queued, 0u);
    }
    workgroupBarrier();
  }
}`;

/** A workgroup per cell; each thread has an edge and tests it against the tiles of edges from its own on. */
const testCells = `
@compute @workgroup_size(${GRID_WORKGROUP})
fn testCells(
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
      tile[local] = own;
      for (var from_ = first; from_ < cell.y; from_ += ${GRID_WORKGROUP}) {
        tile[${GRID_WORKGROUP} + local] = readEntry(from_ + local, cell.y);
        workgroupBarrier();
        // threads begin at different edges, so that they do not list hits of the same one at once
        let count = min(cell.y - from_, ${GRID_WORKGROUP}u);
        var tests = count;
        var k = local % count;
        // of two edges of one tile, the first tests
        if (from_ == first) {
          tests = (count - 1) / 2 + u32(count % 2 == 0 && 2 * local < count);
          k++;
        }
        tests = select(0, tests, first + local < cell.y);
        for (var done: u32 = 0; done < count; done += ${TESTS}) {
          for (var i = done; i < min(done + ${TESTS}, tests); i++) {
            k = select(k, 0, k >= count);
            let other = tile[${GRID_WORKGROUP} + k];
            if (own.edge != other.edge && isNear(own, other)) {
              queue[atomicAdd(&queued, 1u)] = (local << 16) | (${GRID_WORKGROUP} + k);
            }
            k++;
          }
          emptyQueue(local, h, ${QUEUE / 2});
        }
        emptyQueue(local, h, 0);
      }
    }
    workgroupBarrier();
  }
}`;

/** The code of each slot of an edge's candidates: they are variables, which are faster than an array. */
function ofSlots(code: (n: number) => string): string {
  return Array.from({ length: CANDIDATES }, (_, n) => code(n)).join('\n      ');
}

/** Each edge sorts the hits that it has listed in among its candidates. Edges of cells with the same number may have been hit twice. */
const sortHits: string = overItems(
  'sortHits',
  'EDGES',
  `
    let count = atomicLoad(&grid[hitCountAt(item)]);
    if (count > 0) {
      ${ofSlots((n) => `var c${n} = atomicLoad(&candidates[candidateAt(item, ${n})]);`)}
      var isCrowded = false;
      for (var k: u32 = 0; k < min(count, ${HITS}); k++) {
        var key = atomicLoad(&candidates[hitAt(item, k)]);
        ${ofSlots(
          (n) => `let k${n} = select(max(key, c${n}), NONE, key == c${n});
        c${n} = min(key, c${n});
        key = k${n};`,
        )}
        isCrowded = isCrowded || key != NONE;
      }
      ${ofSlots((n) => `atomicStore(&candidates[candidateAt(item, ${n})], c${n});`)}
      if (isCrowded) {
        countStrand(item / (NODES - 1), ${MARK.crowded}, ${STATUS.crowded});
      }
    }`,
);

export const searchEntry: string = `${selection}${testCells}${sortHits}`;
