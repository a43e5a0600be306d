/**
 * Search for edges near each other, once gridShader.ts has sorted them by cells: every edge goes through the rows of cells around it and keeps
 * the nearest edges as candidates.
 */
import { CANDIDATES } from '../layout.ts';
import { STATUS } from './statusShader.ts';

export const GRID_WORKGROUP = 64;
/** Factor on the predicted ways, and part of the radius, within which edges are candidates: as in pairSearch.ts. */
export const SPARE_WAY = 1.5;
export const SPARE_GAP = 0.5;
/** Cells that a search goes to each side at most: edges that move farther against their surroundings are counted, and not all pairs are found. */
const MOST_CELLS = 16;

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
  let c = spans[4 * p + 2];
  let d = spans[4 * p + 3];
  return PairEdge(spans[4 * p].xyz, spans[4 * p + 1].xyz, c.xyz, d.xyz, vec3f(0), d.w, false, false);
}
fn sortedName(p: u32) -> EdgeName { return EdgeName(u32(spans[4 * p].w), u32(spans[4 * p + 2].w)); }
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
/** The edge that searches. */
var<private> ownSpan: PairEdge;
var<private> ownName: EdgeName;
var<private> ownSpare: f32;
fn consider(p: u32) {
  let a = spans[4 * p];
  if (u32(a.w) == ownName.strand && P.pair.z == 0) {
    return;
  }
  let b = spans[4 * p + 1];
  let spare = ownSpare + b.w;
  let apart = 0.5 * (a.xyz + b.xyz) - middleOf(ownSpan);
  let most = spare + 0.5 * (length(b.xyz - a.xyz) + length(ownSpan.second - ownSpan.first));
  if (dot(apart, apart) > most * most) {
    return;
  }
  let name = sortedName(p);
  let edge = ownName.strand * (NODES - 1) + ownName.edge;
  let other = name.strand * (NODES - 1) + name.edge;
  var low = ownSpan;
  var high = sortedSpan(p);
  if (other < edge) {
    low = high;
    high = ownSpan;
  }
  let distance = distanceOf(low, high);
  if (distance > ${1 + SPARE_GAP} * (low.radius + high.radius) + ${SPARE_WAY} * reachOf(low, high)) {
    return;
  }
  if (mayMeet(ownName, name, max(low.radius, high.radius))) {
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
  let along = ownSpan.second - ownSpan.first;
  let low = cellOf(min(ownSpan.first, ownSpan.second) - reach);
  let high = cellOf(max(ownSpan.first, ownSpan.second) + reach);
  let wide = reach + 0.7072 * P.pair.x;
  let size = max(dot(along.yz, along.yz), 1e-20);
  for (var y = low.y; y <= high.y; y++) {
    for (var z = low.z; z <= high.z; z++) {
      // the part of the edge that is near the row
      let shift = ownSpan.first.yz - P.pair.x * (vec2f(f32(y), f32(z)) + 0.5);
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
      let ends = ownSpan.first.x + along.x * clamp(vec2f(begin, end), vec2f(0), vec2f(1));
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
    ownSpan = sortedSpan(item);
    ownName = sortedName(item);
    ownSpare = spans[4 * item + 1].w;
    let most = ${MOST_CELLS} * P.pair.x;
    let reach = ownSpare + spareAround(middleOf(ownSpan)) + 0.5005 * P.pair.w;
    searchRows(min(reach, most));
    let edge = ownName.strand * (NODES - 1) + ownName.edge;
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
