/**
 * Search for edges near each other, once gridShader.ts has sorted them by cells: every edge goes through the rows of cells around it and keeps
 * the nearest edges as candidates.
 */
import { CANDIDATES } from '../layout.ts';
import { STATUS } from './statusShader.ts';

export const GRID_WORKGROUP = 64;
/** Factor on the predicted displacements, and part of the radius, within which edges are candidates: as in pairSearch.ts. */
export const SPARE_WAY = 1.5;
export const SPARE_GAP = 0.5;
/** Cells that a search goes to each side at most: edges that move farther against their surroundings are counted, and not all pairs are found. */
const MOST_CELLS = 16;
/** Part of two edges' way against each other by which they may miss their predicted ways and still be candidates. */
const ASIDE = 0.25;

/** An entry point whose threads go through `count` items in strides. */
export function overItems(name: string, count: string, body: string): string {
  return `
@compute @workgroup_size(${GRID_WORKGROUP})
fn ${name}(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var item = id.x; item < ${count} && P.contact.x > 0; item += ${GRID_WORKGROUP} * groups.x) {${body}
  }
}`;
}

const selection = `
/** Whether two edges may meet: of one strand only if it bends back between them. */
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
fn sortedSpan(p: u32) -> PairEdge {
  let x = spans[4 * p].xyz;
  let way = spans[4 * p + 1].xyz;
  let half = spans[4 * p + 2].xyz;
  let d = spans[4 * p + 3];
  return PairEdge(x - half, x + half, way - d.xyz, way + d.xyz, vec3f(0), d.w, false, false);
}
/** Nearest edges so far, sorted; \`isCut\`: there were more. */
var<private> nearest: array<u32, ${CANDIDATES}>;
var<private> distances: array<f32, ${CANDIDATES}>;
var<private> found: u32;
var<private> isCut: bool;
fn keepNearest(other: u32, distance: f32) {
  for (var n: u32 = 0; n < found; n++) {
    if (nearest[n] == other) {
      return;
    }
  }
  var at = found;
  if (found == ${CANDIDATES}) {
    isCut = true;
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
}
/** The edge that searches: where it is in the order of cells, its middle and bound, the way of its middle and its number. */
var<private> own: u32;
var<private> ownMiddle: vec4f;
var<private> ownWay: vec4f;
/** Whether the spheres about two edges meet on their predicted ways, or on others that are not much different. */
fn comesNear(middle: vec4f, way: vec4f) -> bool {
  let apart = middle.xyz - ownMiddle.xyz;
  let against = ${SPARE_WAY} * (way.xyz - ownWay.xyz);
  let size = dot(against, against);
  let time = clamp(-dot(apart, against) / max(size, 1e-30), 0, 1);
  let least = apart + time * against;
  let most = middle.w + ownMiddle.w + ${ASIDE} * sqrt(size);
  return dot(least, least) <= most * most;
}
fn consider(p: u32) {
  let way = spans[4 * p + 1];
  if (p == own || !comesNear(spans[4 * p], way)) {
    return;
  }
  let edge = u32(ownWay.w);
  let other = u32(way.w);
  if (P.pair.z == 0 && other / (NODES - 1) == edge / (NODES - 1)) {
    return;
  }
  let low = sortedSpan(select(own, p, other < edge));
  let high = sortedSpan(select(p, own, other < edge));
  let distance = distanceOf(low, high);
  if (distance > ${1 + SPARE_GAP} * (low.radius + high.radius) + ${SPARE_WAY} * reachOf(low, high)) {
    return;
  }
  if (mayMeet(nameOf(edge), nameOf(other), max(low.radius, high.radius))) {
    keepNearest(other, distance);
  }
}
/** Largest spare of the edges that this one can meet. */
fn spareAround(x: vec3f) -> f32 {
  let cell = coarseCellOf(x);
  var most: u32 = 0;
  for (var n: i32 = 0; n < 27; n++) {
    let c = coarseBeside(cell, n);
    if (c < COARSE) {
      most = max(most, atomicLoad(&grid[coarseAt(c, 4)]));
    }
  }
  return bitcast<f32>(most);
}
/** Considers the edges in the cells from x = low to high of a row. */
fn considerRow(low: i32, high: i32, y: i32, z: i32) {
  let first = bucketOf(low, y, z);
  let end = first + u32(high - low) + 1;
  let stop = candidates[startAt(min(end, BUCKETS))];
  for (var p = candidates[startAt(first)]; p < stop; p++) {
    consider(p);
  }
  if (end > BUCKETS) {
    let rest = candidates[startAt(end - BUCKETS)];
    for (var p = candidates[startAt(0)]; p < rest; p++) {
      consider(p);
    }
  }
}
/** Goes through the rows of cells within \`reach\` of the edge. */
fn searchRows(reach: f32) {
  let along = 2 * spans[4 * own + 2].xyz;
  let first = ownMiddle.xyz - 0.5 * along;
  let low = cellOf(min(first, first + along) - reach);
  let high = cellOf(max(first, first + along) + reach);
  let wide = reach + 0.7072 * P.pair.x;
  let size = max(dot(along.yz, along.yz), 1e-20);
  for (var y = low.y; y <= high.y; y++) {
    for (var z = low.z; z <= high.z; z++) {
      // the part of the edge that is near the row
      let shift = first.yz - P.pair.x * (vec2f(f32(y), f32(z)) + 0.5);
      let slope = dot(shift, along.yz);
      let inside = slope * slope - size * (dot(shift, shift) - wide * wide);
      if (inside < 0) {
        continue;
      }
      let begin = (-slope - sqrt(inside)) / size;
      let end = (-slope + sqrt(inside)) / size;
      if (begin > 1.0001 || end < -0.0001) {
        continue;
      }
      let ends = first.x + along.x * clamp(vec2f(begin, end), vec2f(0), vec2f(1));
      let left = i32(floor((min(ends.x, ends.y) - reach) / P.pair.x));
      let right = i32(floor((max(ends.x, ends.y) + reach) / P.pair.x));
      considerRow(left, right, y, z);
    }
  }
}`;

export const searchEntry: string = `${selection}
${overItems(
  'chooseCandidates',
  'candidates[startAt(BUCKETS)]',
  `
    found = 0;
    isCut = false;
    own = item;
    ownMiddle = spans[4 * item];
    ownWay = spans[4 * item + 1];
    let most = ${MOST_CELLS} * P.pair.x;
    let reach = spans[4 * item + 2].w + spareAround(ownMiddle.xyz) + 0.5005 * P.pair.w;
    searchRows(min(reach, most));
    let edge = u32(ownWay.w);
    candidates[candidateAt(edge, 0)] = found;
    for (var n: u32 = 0; n < found; n++) {
      candidates[candidateAt(edge, 1 + n)] = nearest[n];
    }
    if (reach > most) {
      atomicAdd(&status[${STATUS.overflow}], 1u);
    }
    if (isCut) {
      atomicAdd(&status[${STATUS.crowded}], 1u);
    }`,
)}`;
