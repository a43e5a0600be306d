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
/** Hits of an edge that are listed, and in real time; further ones are sorted in as they come, which is slower. */
export const HITS = 48;
export const HITS_IN_REAL_TIME = 24;
/** Threads that test the edges of a cell, and cells that they take one after the other. */
const CELL_WORKGROUP = 32;
export const CELLS_AT_ONCE = 32;
/** Pairs that are near: tested again once there are more than half as many. */
const QUEUE = 512;
/** Quick tests of each thread between two looks at the queue, so that it cannot overflow. */
const TESTS = QUEUE / 2 / CELL_WORKGROUP;
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
      // slabs of cells along the longest axis, and in each the cells that the widened edge passes; then separating axes
      let wide = 0.500001 * P.pair.x + spare;
      let size = abs(half);
      let axis = select(select(2u, 1u, size.y >= size.z), 0u, size.x >= max(size.y, size.z));
      let low = cellOf(middle - size - spare);
      let high = cellOf(middle + size + spare);
      let slope = half / select(half[axis], 1e-30, half[axis] == 0);
      for (var slab = low[axis]; slab <= high[axis]; slab++) {
        let from_ = clamp(P.pair.x * f32(slab) - spare - middle[axis], -size[axis], size[axis]);
        let to = clamp(P.pair.x * f32(slab + 1) + spare - middle[axis], -size[axis], size[axis]);
        var first = max(low, cellOf(middle + min(from_ * slope, to * slope) - spare));
        var last = min(high, cellOf(middle + max(from_ * slope, to * slope) + spare));
        first[axis] = slab;
        last[axis] = slab;
        for (var z = first.z; z <= last.z; z++) {
        for (var y = first.y; y <= last.y; y++) {
        for (var x = first.x; x <= last.x; x++) {
          let apart = middle - P.pair.x * (vec3f(f32(x), f32(y), f32(z)) + 0.5);
          let across = abs(cross(half, apart));
          if (all(across <= wide * (vec3f(size.x + size.y + size.z) - size) + 1e-12)) {
            let h = bucketOf(x, y, z);${body}
          }
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
fn listHit(edge: u32, key: u32) {
  let n = atomicAdd(&grid[hitCountAt(edge)], 1u);
  if (n < HITS) {
    atomicStore(&candidates[hitAt(edge, n)], key);
  } else {
    keepCandidate(edge, key);
  }
}
/** An edge of a cell: its middle and spare, half of it and its radius (in a tile its number), its number. */
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
/** True if two edges of cell h are closer than the sum of their spares, but for rounding. Edges that share several cells are taken in the one that */
/** has the point between the closest points, so the order of both must not matter. */
fn isNear(h: u32, one: Entry, two: Entry) -> bool {
  let swaps = two.edge < one.edge;
  let a = select(one.middle, two.middle, swaps);
  let b = select(two.middle, one.middle, swaps);
  let u = select(one.half_.xyz, two.half_.xyz, swaps);
  let nearest = nearestPoints(b.xyz - a.xyz, u, select(two.half_.xyz, one.half_.xyz, swaps));
  let reach = a.w + b.w;
  let cell = cellOf(a.xyz + nearest.here * u + (a.w / reach) * nearest.gap);
  return dot(nearest.gap, nearest.gap) <= 1.002 * reach * reach && bucketOf(cell.x, cell.y, cell.z) == h;
}
/** Place of the closest point on the first of two edges, from -1 to 1, and the vector from it to that on the second. */
struct Nearest {
  here: f32,
  gap: vec3f,
}
/** Of edges given by their halves u and v; apart: from the middle of the first to that of the second. */
fn nearestPoints(apart: vec3f, u: vec3f, v: vec3f) -> Nearest {
  let size = dot(u, u);
  let other = dot(v, v);
  let mixed = dot(u, v);
  let along = dot(apart, u);
  let against = dot(apart, v);
  // places from -1 to 1 of the closest points of the lines, then of the edges
  let guess = clamp((along * other - mixed * against) / max(size * other - mixed * mixed, 1e-6 * size * other), -1, 1);
  let there = clamp((mixed * guess - against) / other, -1, 1);
  let here = clamp((mixed * there + along) / size, -1, 1);
  return Nearest(here, apart + there * v - here * u);
}
/** Tests two edges that are near with the laws of contact. */
fn testPair(one: Entry, two: Entry) {
  var low = one;
  var high = two;
  if (two.edge < one.edge) {
    low = two;
    high = one;
  }
  let still = stillEdge(low);
  let other = stillEdge(high);
  let parts = closestParts(still, other, 0);
  let distance = length(apartAt(still, other, parts, 0));
  if (distance > low.middle.w + high.middle.w) {
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
    listHit(low.edge, candidateKey(high.edge, distance));
    listHit(high.edge, candidateKey(low.edge, distance));
  }
}
/** Edges of a cell that those of the threads are tested against: middle and spare, half and number. */
var<workgroup> tileMiddles: array<vec4f, ${CELL_WORKGROUP}>;
var<workgroup> tileHalves: array<vec4f, ${CELL_WORKGROUP}>;
var<workgroup> tileEdges: array<u32, ${CELL_WORKGROUP}>;
var<workgroup> ranges: array<vec2u, ${CELLS_AT_ONCE}>;
/** Pairs that are near: the numbers of both edges. */
var<workgroup> queue: array<vec2u, ${QUEUE}>;
var<workgroup> queued: atomic<u32>;
var<workgroup> waiting: u32;
fn readEntry(k: u32, end: u32) -> Entry {
  if (k >= end) {
    return Entry();
  }
  return entryOf(atomicLoad(&candidates[entryAt(k)]));
}
fn entryOf(edge: u32) -> Entry { return Entry(spans[2 * edge], spans[2 * edge + 1], edge); }
/** Tests the pairs of the queue if there are more than \`most\`, as all threads see them; returns how many wait. */
fn emptyQueue(local: u32, most: u32) -> u32 {
  workgroupBarrier();
  if (local == 0) {
    waiting = atomicLoad(&queued);
  }
  let count = workgroupUniformLoad(&waiting);
  if (count > most) {
    for (var q = local; q < count; q += ${CELL_WORKGROUP}) {
      let pair = queue[q];
      testPair(entryOf(pair.x), entryOf(pair.y));
    }
    workgroupBarrier();
    if (local == 0) {
      atomicStore(&queued, 0u);
    }
    workgroupBarrier();
    return 0;
  }
  return count;
}`;

/** A workgroup takes some cells one after the other; each thread has an edge and tests it against the tiles of edges from its own on. */
const testCells = `
@compute @workgroup_size(${CELL_WORKGROUP})
fn testCells(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  // pairs in the queue, at most
  var most: u32 = 0;
  for (var base = group.x * ${CELLS_AT_ONCE}; base < BUCKETS && P.contact.x > 0; base += groups.x * ${CELLS_AT_ONCE}) {
    ranges[local] = vec2u(startOf(base + local), startOf(base + local + 1));
    for (var n: u32 = 0; n < ${CELLS_AT_ONCE}; n++) {
      let cell = workgroupUniformLoad(&ranges[n]);
      for (var first = cell.x; first + 1 < cell.y; first += ${CELL_WORKGROUP}) {
        let own = readEntry(first + local, cell.y);
        for (var from_ = first; from_ < cell.y; from_ += ${CELL_WORKGROUP}) {
          let other = readEntry(from_ + local, cell.y);
          workgroupBarrier();
          tileMiddles[local] = other.middle;
          tileHalves[local] = other.half_;
          tileEdges[local] = other.edge;
          workgroupBarrier();
          // threads begin at different edges, so that they do not list hits of the same one at once
          let count = min(cell.y - from_, ${CELL_WORKGROUP}u);
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
              let edge = tileEdges[k];
              if (own.edge != edge && isNear(base + n, own, Entry(tileMiddles[k], tileHalves[k], edge))) {
                queue[atomicAdd(&queued, 1u)] = vec2u(own.edge, edge);
              }
              k++;
            }
            most += ${TESTS} * count;
            if (most > ${QUEUE / 2}) {
              most = emptyQueue(local, ${QUEUE / 2});
            }
          }
        }
      }
    }
    most = emptyQueue(local, 0);
  }
}`;

/** The code of some slots of an edge's candidates: they are variables, which are faster than an array. */
function ofSlots(slots: number, code: (n: number) => string): string {
  return Array.from({ length: slots }, (_, n) => code(n)).join('\n      ');
}

/** Sorts a key in among the slots: each passes the greater on to the next, and one that is there already is dropped. */
const sortIn = (slots: number): string =>
  ofSlots(
    slots,
    (n) => `let k${n} = select(max(key, c${n}), NONE, key == c${n});
      c${n} = min(key, c${n});
      key = k${n};`,
  );

/** Hits that an edge gathers itself in real time; edges that gather it add themselves. */
const GATHERED = 8;
/** Part of the shorter of two edges side by side that must lie beside the other, and cosine squared of the angle below which edges are side by side. */
const SIDE = { shared: 0.3, cosine2: 0.98 };

/** Entries of cells after which an edge looks no further. */
const LOOKED_THROUGH = 128;

/**
 * In place of `testCells` in real time: each edge keeps the nearest of the edges that it finds in the cells along it. It begins at its middle, where it
 * meets hair side by side with it, goes on at a place that differs from search to search, and stops once it has looked through enough. So a crowd costs
 * no more, and hair that crosses in a crowd is found after some searches.
 */
function gatherNear(): string {
  return overEdges(
    'gatherNear',
    `
    let own = entryOf(edge);
    if (!(own.middle.w > 0)) {
      continue;
    }
    let size = dot(own.half_.xyz, own.half_.xyz);
    let places = min(64, u32(4 * sqrt(size) / P.pair.x) + 1);
    let shift = u32(P.search.z * f32(places));
    var cell = vec3i(0);
    var seen: u32 = 0;
    var k: u32 = 0;
    ${ofSlots(GATHERED, (n) => `var c${n} = NONE;`)}
    for (; k <= places && seen < ${LOOKED_THROUGH}; k++) {
      let along = (2 * f32((k + shift) % places) + 1) / f32(places) - 1;
      let next = cellOf(own.middle.xyz + select(along, 0, k == 0) * own.half_.xyz);
      if (k > 0 && all(next == cell)) {
        continue;
      }
      cell = next;
      let h = bucketOf(cell.x, cell.y, cell.z);
      let end = startOf(h + 1);
      seen += end - startOf(h);
      for (var q = startOf(h); q < end; q++) {
        let other = entryOf(atomicLoad(&candidates[entryAt(q)]));
        let apart = other.middle.xyz - own.middle.xyz;
        let gap = nearestPoints(apart, own.half_.xyz, other.half_.xyz).gap;
        let reach = (own.middle.w + other.middle.w) / SPREAD;
        if (dot(gap, gap) <= reach * reach && other.edge != edge) {
          let size2 = dot(other.half_.xyz, other.half_.xyz);
          let turned = dot(own.half_.xyz, other.half_.xyz);
          let beside = sqrt(size) + sqrt(size2) - abs(dot(apart, own.half_.xyz)) / sqrt(size);
          let isBeside = turned * turned > ${SIDE.cosine2} * size * size2;
          let a = nameOf(edge);
          let b = nameOf(other.edge);
          let isSelf = a.strand == b.strand && (P.pair.z == 0 || !mayMeet(a, b, own.half_.w));
          if (!isSelf && !(isBeside && beside < ${2 * SIDE.shared} * sqrt(min(size, size2)))) {
            var key = candidateKey(other.edge, sqrt(dot(gap, gap)));
            ${sortIn(GATHERED)}
          }
        }
      }
    }
    if (k <= places) {
      countStrand(at.strand, ${MARK.crowded}, ${STATUS.crowded});
    }
    ${ofSlots(
      GATHERED,
      (n) => `if (c${n} != NONE) {
      listHit(edge, c${n});
      listHit(c${n} & EDGE_MASK, (c${n} & ~EDGE_MASK) | edge);
    }`,
    )}`,
  );
}

/** Each edge sorts the hits that it has listed in among its candidates. Edges of cells with the same number may have been hit twice. */
const sortHits: string = overItems(
  'sortHits',
  'EDGES',
  `
    let count = atomicLoad(&grid[hitCountAt(item)]);
    if (count > 0) {
      ${ofSlots(CANDIDATES, (n) => `var c${n} = atomicLoad(&candidates[candidateAt(item, ${n})]);`)}
      var isCrowded = false;
      for (var k: u32 = 0; k < min(count, HITS); k++) {
        var key = atomicLoad(&candidates[hitAt(item, k)]);
        ${sortIn(CANDIDATES)}
        isCrowded = isCrowded || key != NONE;
      }
      ${ofSlots(CANDIDATES, (n) => `atomicStore(&candidates[candidateAt(item, ${n})], c${n});`)}
      if (isCrowded) {
        countStrand(item / (NODES - 1), ${MARK.crowded}, ${STATUS.crowded});
      }
    }`,
);

export const searchEntry: string = `${selection}${testCells}${gatherNear()}${sortHits}`;
