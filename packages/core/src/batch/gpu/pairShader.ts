/**
 * How WGSL reaches contacts between strands, and the entry points for strands that touch each other. They iterate in
 * lockstep: a dispatch for the law of all edges, then one for the Newton iteration of all strands. The lower edge of a pair writes both of its sides.
 *
 * The layout of the data is in pairLayout.ts.
 */

import { carriedAccess, carryEntries } from './carryShader.ts';
import { edgeEntry, entry } from './entries.ts';
import { LOOK_FURTHER } from './flags.ts';
import { PAIR_BITS, PAIR_CONTACT_SLOTS, PAIR_LOADS, PAIR_NODE_SLOTS } from './pairLayout.ts';
import { COUPLED_LIST, MARK, MARKS, STATUS } from './statusShader.ts';

const SLOTS = PAIR_CONTACT_SLOTS;

export const withPairs: string = `
@group(0) @binding(10) var<storage, read_write> pairs: array<vec4u>;
fn hasPairs() -> bool { return true; }
fn isRealTime() -> bool { return REAL_TIME; }
fn firstPairOf() -> u32 { return 2 * OBSTACLES; }
fn addressIn(strand: u32, node: u32, slots: u32, slot: u32) -> u32 {
  return (((strand / LANES) * NODES + node) * slots + slot) * LANES + strand % LANES;
}
fn pairAt(strand: u32, node: u32, slot: u32) -> u32 { return addressIn(strand, node, ${PAIR_NODE_SLOTS}, slot); }
fn readPair(strand: u32, node: u32, slot: u32) -> vec4f { return bitcast<vec4f>(pairs[pairAt(strand, node, slot)]); }
fn writePair(node: u32, slot: u32, value: vec4f) { pairs[pairAt(strandIndex, node, slot)] = bitcast<vec4u>(value); }
fn partsAt(j: u32, k: u32) -> u32 { return pairAt(strandIndex, j, ${SLOTS} * k + 2); }
fn rowOfPlace(strand: u32, node: u32) -> u32 { return PLACES + 2 * (strand * NODES + node); }
fn mateAt(strand: u32, j: u32, k: u32) -> u32 { return MATES + 2 * (strand * NODES + j) + k / 4; }
fn readMate(strand: u32, j: u32, k: u32) -> u32 { return pairs[mateAt(strand, j, k)][k % 4]; }
fn writeMate(j: u32, k: u32, word: u32) { pairs[mateAt(strandIndex, j, k)][k % 4] = word; }
fn replaceBits(bits: u32, value: u32, shift: u32, mask: u32) -> u32 { return (bits & ~(mask << shift)) | (value << shift); }
fn readPairSlot(j: u32, c: u32, slot: u32) -> vec4f {
  let k = c - firstPairOf();
  if (slot < 2) {
    return readPair(strandIndex, j, ${SLOTS} * k + slot);
  }
  let word = readMate(strandIndex, j, k);
  if (slot == 3) {
    return vec4f(0, 0, 0, f32((word >> ${PAIR_BITS.state}) & 3));
  }
  // what pushes this edge: forces are kept as they act on the lower one
  let isLow = strandIndex * (NODES - 1) + j < (word & ${2 ** PAIR_BITS.edge - 1});
  return vec4f(select(-1.0, 1.0, isLow) * readPair(strandIndex, j, ${SLOTS} * k + 1).xyz, readPair(strandIndex, j, ${SLOTS} * k + 2).x);
}
fn writePairSlot(j: u32, c: u32, slot: u32, value: vec4f) {
  let k = c - firstPairOf();
  if (slot < 2) {
    writePair(j, ${SLOTS} * k + slot, value);
  } else if (slot == 2) {
    pairs[partsAt(j, k)].x = bitcast<u32>(value.w);
  } else {
    writeMate(j, k, replaceBits(readMate(strandIndex, j, k), u32(value.w), ${PAIR_BITS.state}, 3));
  }
}
/** All contacts of an edge are to Newton like three: on its second node, in its middle and on its first node. Their sums over q, the part of the */
/** edge behind a contact, are the same. The middle has a stiffness only. */
struct Loads {
  stiffness: vec3f,
  force: vec3f,
  leverForce: vec3f,
}
var<private> loads: Loads;
/** True if contacts reach Newton by their sums. */
var<private> sumsLoads: bool;
fn isSummed() -> bool { return sumsLoads; }
fn addLoad(push: vec3f, stiffness: f32, part: f32) {
  let q = 1 - part;
  loads.stiffness += stiffness * vec3f(1, q, q * q);
  loads.force += push;
  loads.leverForce += q * push;
}
fn writeLoads(j: u32) {
  let r = loads.stiffness;
  writePair(j, ${PAIR_LOADS}, vec4f(loads.force - loads.leverForce, r.x - 3 * r.y + 2 * r.z));
  writePair(j, ${PAIR_LOADS + 1}, vec4f(loads.leverForce, 2 * r.z - r.y));
  pairs[pairAt(strandIndex, j, ${PAIR_LOADS + 2})].x = bitcast<u32>(4 * (r.y - r.z));
}
var<private> ends: array<vec4f, 2>;
var<private> middle: f32;
fn loadCountOf(j: u32) -> u32 {
  if (!sumsLoads) {
    return pointCountOf(j);
  }
  ends[0] = readPair(strandIndex, j, ${PAIR_LOADS});
  ends[1] = readPair(strandIndex, j, ${PAIR_LOADS + 1});
  middle = readPair(strandIndex, j, ${PAIR_LOADS + 2}).x;
  return select(0u, 3u, any(ends[0] != vec4f(0)) || any(ends[1] != vec4f(0)));
}
fn isLoaded(j: u32, c: u32) -> bool { return sumsLoads || isPushed(j, c); }
fn loadOf(j: u32, c: u32) -> EdgePoint {
  if (!sumsLoads) {
    return pointOf(j, c);
  }
  if (c == 2) {
    return EdgePoint(0.5, vec3f(0), vec3f(0), vec3f(0), middle, middle);
  }
  return EdgePoint(f32(1 - c), vec3f(0), ends[c].xyz, vec3f(0), ends[c].w, ends[c].w);
}
${carriedAccess}
fn strandIndexOf() -> u32 { return strandIndex; }
fn pairFrictionOf() -> f32 { return P.pair.y; }
fn displacementOf(strand: u32, node: u32) -> vec3f { return states[addressIn(strand, node, STATE_SLOTS, DISPLACEMENT)].xyz; }
fn wayOf(strand: u32, node: u32, isSolved: bool) -> vec3f {
  if (isSolved) {
    return displacementOf(strand, node);
  }
  return bitcast<vec4f>(pairs[rowOfPlace(strand, node) + 1]).xyz;
}
fn positionOf(strand: u32, node: u32) -> vec4f { return bitcast<vec4f>(pairs[rowOfPlace(strand, node)]); }
fn pairEdgeOf(strand: u32, edge: u32, isSolved: bool) -> PairEdge {
  let first = positionOf(strand, edge);
  return PairEdge(
    first.xyz,
    positionOf(strand, edge + 1).xyz,
    wayOf(strand, edge, isSolved),
    wayOf(strand, edge + 1, isSolved),
    positionOf(strand, min(edge + 2, NODES - 1)).xyz,
    first.w,
    edge > 0,
    edge + 2 < NODES,
    edge == 0,
  );
}
fn partnerOf(strand: u32, edge: u32, k: u32) -> Partner {
  let word = readMate(strand, edge, k);
  let other = word & ${2 ** PAIR_BITS.edge - 1};
  return Partner(other / (NODES - 1), other % (NODES - 1), readPair(strand, edge, ${SLOTS} * k + 2).y, word >> ${PAIR_BITS.isSet});
}
fn writePartner(j: u32, c: u32, partner: Partner) {
  let k = c - firstPairOf();
  let bits = (partner.strand * (NODES - 1) + partner.edge) | (partner.isSet << ${PAIR_BITS.isSet});
  writeMate(j, k, bits | (readMate(strandIndex, j, k) & (3u << ${PAIR_BITS.state})));
  pairs[partsAt(j, k)].y = bitcast<u32>(partner.part);
}
fn clearPartner(j: u32, k: u32) { writeMate(j, k, 0); }
fn readWeight(strand: u32, edge: u32, k: u32) -> PairWeight {
  return PairWeight(readPair(strand, edge, ${SLOTS} * k + 2).z, (readMate(strand, edge, k) >> ${PAIR_BITS.side}) & 15);
}
fn writeWeight(j: u32, k: u32, compliance: f32, crowd: f32) { pairs[partsAt(j, k)].z = bitcast<u32>(crowd * compliance); }
fn writeSide(j: u32, k: u32, side: u32) { writeMate(j, k, replaceBits(readMate(strandIndex, j, k), side, ${PAIR_BITS.side}, 15)); }
fn readLast(slot: u32) -> vec4f { return readPair(strandIndex, NODES - 1, slot); }
fn marksOf(strand: u32) -> u32 { return atomicLoad(&status[markAt(strand, ${MARKS.marks})]); }
fn isCoupled() -> bool { return (marksOf(strandIndex) & ${MARK.coupled}) != 0; }
/** Returns whether the mark is new. */
fn setMark(strand: u32, mark: u32) -> bool {
  return (marksOf(strand) & mark) == 0 && (atomicOr(&status[markAt(strand, ${MARKS.marks})], mark) & mark) == 0;
}
/** Counts every strand once. */
fn countStrand(strand: u32, mark: u32, word: u32) {
  if (setMark(strand, mark)) {
    atomicAdd(&status[word], 1u);
  }
}`;

/** Selects the strand of a thread: among all, or among those that touch strands. */
const openAny = 'if (id.x >= P.strands || !(P.contact.x > 0)) {\n    return;\n  }\n  openStrand(id.x);';
const openCoupled = `if (id.x >= listLength(${COUPLED_LIST}u)) {\n    return;\n  }\n  openStrand(listEntry(${COUPLED_LIST}u, id.x));\n  pressed = true;\n  sumsLoads = true;`;

/** Writes positions at the start of the step, for the search for pairs. */
function locateEntry(workgroup: number): string {
  return `
/** Positions at the start of the step, and where nodes would fly. */${entry(
    workgroup,
    'locate',
    `${openAny}
  let dt = P.contact.x;
  var q = frameOfRootBefore();
  var x = rootPositionOf();
  var reach: f32 = 0;
  var low = x;
  var high = x;
  for (var i: u32 = 0; i < NODES; i++) {
    var way = dt * readState(i, VELOCITY);
    if (i > 0) {
      way = flightOf(i, dt);
    }
    var radius: f32 = 0;
    if (i < NODES - 1) {
      radius = joints[address(i, JOINT_SLOTS, JOINT_SLOTS - 1)].z;
    }
    pairs[rowOfPlace(strandIndex, i)] = bitcast<vec4u>(vec4f(x, radius));
    pairs[rowOfPlace(strandIndex, i) + 1] = bitcast<vec4u>(vec4f(way, 0));
    reach = max(reach, reachOfNode(way, radius));
    low = min(low, x);
    high = max(high, x);
    if (i < NODES - 1) {
      q = normalize(compose(q, fromVectorPart(readState(i, RELATIVE))));
      x += lengthOf(i) * tangentOf(q);
    }
  }
  reportReach(reach, low, high);
  for (var k: u32 = 0; k < 3; k++) {
    atomicStore(&status[markAt(strandIndex, k)], 0u);
  }`,
  )}`;
}

/** Finds pairs of edges that may touch, and keeps those of the last step that still do. */
function searchEntries(): string {
  return `

${edgeEntry(
  'matchPairs',
  `
    let search = findPairsOf(j);
    if (search.dropped > 0) {
      setMark(strand, ${MARK.dropped});
    }
    if (search.deep > 0) {
      atomicAdd(&status[${STATUS.deep}], search.deep);
    }
    reportOverlap(search.overlap);`,
)}

${edgeEntry(
  'confirm',
  `
    if (confirmPairsOf(j)) {
      setMark(strand, ${MARK.coupled});
    }`,
)}`;
}

/** Applies the forces of the last step, and takes the first Newton iteration under them. */
function firstIterationEntries(workgroup: number): string {
  return `

/** Contact forces of the last step, as the first Newton iteration takes them. */${edgeEntry(
    'sumLoads',
    `
    if (!isCoupled()) {
      continue;
    }
    let points = pointCountOf(j);
    for (var c: u32 = 0; c < points; c++) {
      if (isPushed(j, c)) {
        let point = pointOf(j, c);
        addLoad(point.force, 0, point.part);
      }
    }
    writeLoads(j);`,
  )}

/** The first Newton iteration of strands that touch strands. */${entry(
    workgroup,
    'beginCoupled',
    `${openCoupled}
  let stage = pressedStage(P.contact.x);
  if (isCarried()) {
    skipsInverse = true;
    let started = iterateStage(stage, beginStage(stage));
    weighCarried();
    writePair(NODES - 1, 0, started.tip);
  } else {
    writePair(NODES - 1, 0, beginPressed(stage, beginStage(stage)));
  }
  writePair(NODES - 1, 1, vec4f(0));`,
  )}`;
}

/** Contact law and Newton iteration, which alternate. */
function iterationEntries(workgroup: number): string {
  return `

/** True if iteration k still has to be done: in the one before, contacts of some strand moved. */
fn needsIteration(k: u32) -> bool { return k < max(u32(P.contact.z), LEAST_COUPLED_ITERATIONS) || atomicLoad(&status[${STATUS.moved}]) >= k; }

${edgeEntry(
  'law',
  `
    let marks = marksOf(strand);
    let k = marks / ${MARK.iteration};
    if ((marks & ${MARK.coupled}) == 0 || !needsIteration(k)) {
      continue;
    }
    if (pointCountOf(j) == 0) {
      continue;
    }
    let law = applyLawsAt(j, select(k, k + 1, isCarried()));
    writeLoads(j);
    if (law.loaded > 0) {
      atomicAdd(&status[markAt(strand, ${MARKS.loaded})], law.loaded);
    }
    if (law.change > 0) {
      raiseStatus(markAt(strand, ${MARKS.change}), bitcast<u32>(law.change));
    }
    if (isLarge(law.change)) {
      raiseStatus(${STATUS.moved}, k + 1);
    }`,
)}

${entry(
  workgroup,
  'turn',
  `${openCoupled}
  let marks = marksOf(strandIndex);
  if (!needsIteration(marks / ${MARK.iteration})) {
    return;
  }
  skipsInverse = true;
  let progress = iterateStage(pressedStage(P.contact.x), readLast(0));
  writePair(NODES - 1, 0, progress.tip);
  let change = bitcast<f32>(atomicExchange(&status[markAt(strandIndex, ${MARKS.change})], 0u));
  let loaded = atomicExchange(&status[markAt(strandIndex, ${MARKS.loaded})], 0u);
  writePair(NODES - 1, 1, vec4f(change, f32(loaded), 0, progress.largest));
  atomicStore(&status[markAt(strandIndex, ${MARKS.marks})], marks + ${MARK.iteration});`,
)}`;
}

/** Finds strands that would pass through others, and ends the stage. */
function closingEntries(workgroup: number): string {
  return `

/** Edges that are about to pass through each other. */${edgeEntry(
    'verify',
    `
    if (hasPassedAt(j, (P.flags & ${LOOK_FURTHER}u) != 0) && setMark(strand, ${MARK.passed})) {
      atomicAdd(&status[${STATUS.passed}], 1u);
      atomicMin(&status[${STATUS.firstPassed}], P.first + strand);
    }`,
  )}

${entry(
  workgroup,
  'closeCoupled',
  `${openCoupled}
  let last = readLast(1);
  let marks = marksOf(strandIndex);
  let iterations = marks / ${MARK.iteration};
  let isFinite = last.w < 1e30;
  let moves = isLarge(last.x) || (marks & ${MARK.dropped}) != 0;
  reportSolved(isFinite, iterations + 1);
  reportPressed(PressedProgress(readLast(0), last.w, moves, last.x, u32(last.y), iterations, 1));
  isUnsettled = moves;
  closeStage(pressedStage(P.contact.x), last.w);`,
)}`;
}

/** Entry points in the order of their dispatches; `law` and `turn` are repeated. */
export function pairEntry(workgroup: number): string {
  return [
    locateEntry(workgroup),
    searchEntries(),
    carryEntries(workgroup),
    firstIterationEntries(workgroup),
    iterationEntries(workgroup),
    closingEntries(workgroup),
  ].join('');
}
