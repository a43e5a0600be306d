/**
 * How WGSL reaches the contacts of a strand with obstacles, and the entry points for strands in contact.
 *
 * An edge has two contacts for each obstacle, CONTACT_SLOTS vec4f each, and behind them one vec4f with a bit for every contact that is active.
 * The last node has no edge; there x of that vec4f is the strand's deepest overlap at the start of the step, y is 1 where contacts
 * were added to an iterate that is under way, and z is the square of the largest turn in the last iteration.
 */
import { COUPLED_LIST, FREE_LIST, MISSED_LIST } from './statusShader.ts';

/** vec4f of a contact: normal and tangent stiffness (of a pair: gap), force and stiffness, push and part, closing and state. */
export const CONTACT_SLOTS = 4;

/** The bits of 64 contacts are in one vec4f, as whole numbers below 2^16: other patterns might not survive as floats. */
export const MOST_OBSTACLES = 32;

export const withoutContact: string = `
fn obstacleCountOf() -> u32 { return 0; }
fn obstacleOf(k: u32) -> Obstacle { return Obstacle(); }
fn sparedEdgesOf(k: u32) -> u32 { return 0; }
fn readField(start: u32, row: f32) -> Distance { return Distance(); }
fn clearContact(j: u32, c: u32) {}
fn radiusOf(j: u32) -> f32 { return 0; }
fn rootPositionOf() -> vec3f { return vec3f(0); }
fn readContact(j: u32, c: u32) -> Contact { return Contact(); }
fn writeContact(j: u32, c: u32, contact: Contact) {}
fn writeStiffness(j: u32, c: u32, stiffness: f32) {}
fn writeForces(j: u32, c: u32, forces: ContactForces) {}
fn pointCountOf(j: u32) -> u32 { return 0; }
fn isPushed(j: u32, c: u32) -> bool { return false; }
fn pointOf(j: u32, c: u32) -> EdgePoint { return EdgePoint(); }
fn keepElimination(j: u32, step: Elimination, edge: vec3f) {}
fn inverseOf(j: u32) -> mat3x3f { return mat3x3f(); }`;

/** For programs without contact between strands. */
export const withoutPairs: string = `
fn hasPairs() -> bool { return false; }
fn isRealTime() -> bool { return false; }
fn keepCompliance(j: u32, around: Compliance) {}
fn isSummed() -> bool { return false; }
fn addLoad(push: vec3f, stiffness: f32, part: f32) {}
fn loadCountOf(j: u32) -> u32 { return pointCountOf(j); }
fn isLoaded(j: u32, c: u32) -> bool { return isPushed(j, c); }
fn loadOf(j: u32, c: u32) -> EdgePoint { return pointOf(j, c); }
fn firstPairOf() -> u32 { return 2 * OBSTACLES; }
fn readPairSlot(j: u32, c: u32, slot: u32) -> vec4f { return vec4f(0); }
fn writePairSlot(j: u32, c: u32, slot: u32, value: vec4f) {}
fn strandIndexOf() -> u32 { return 0; }
fn pairFrictionOf() -> f32 { return 0; }
fn candidateCountOf(j: u32) -> u32 { return 0; }
fn candidateOf(j: u32, n: u32) -> EdgeName { return EdgeName(); }
fn pairEdgeOf(strand: u32, edge: u32, isSolved: bool) -> PairEdge { return PairEdge(); }
fn displacementOf(strand: u32, node: u32) -> vec3f { return vec3f(0); }
fn partnerOf(strand: u32, edge: u32, k: u32) -> Partner { return Partner(); }
fn writePartner(j: u32, c: u32, partner: Partner) {}
fn clearPartner(j: u32, k: u32) {}
fn readWeight(strand: u32, edge: u32, k: u32) -> PairWeight { return PairWeight(); }
fn writeWeight(j: u32, k: u32, compliance: f32, crowd: f32) {}
fn writeSide(j: u32, k: u32, side: u32) {}`;

export const withContact: string = `
struct ObstacleData {
  frame: vec4f,
  position: vec4f,
  half_: vec4f,
  turn: vec4f,
  shift: vec4f,
  counts: vec4f,
}
@group(0) @binding(8) var<storage, read_write> contacts: array<vec4f>;
@group(0) @binding(9) var<uniform> obstacles: array<ObstacleData, max(OBSTACLES, 1u)>;
const EDGE_SLOTS: u32 = ${2 * CONTACT_SLOTS} * OBSTACLES + 1;
/** True if the strand is in contact in this step. */
var<private> pressed: bool;
var<private> isUnsettled: bool;
fn contactAt(j: u32, c: u32, slot: u32) -> u32 { return address(j, EDGE_SLOTS, ${CONTACT_SLOTS} * c + slot); }
fn obstacleCountOf() -> u32 { return OBSTACLES; }
fn obstacleOf(k: u32) -> Obstacle {
  let o = obstacles[k];
  return Obstacle(u32(o.position.w), o.frame, o.position.xyz, o.half_.xyz, o.half_.w, o.shift.w, o.turn, o.shift.xyz, u32(o.counts.w), o.counts.xyz);
}
fn readField(start: u32, row: f32) -> Distance {
  let v = strands[FIRST_FIELD * P.strands + start + u32(row)];
  return Distance(v.x, v.yzw);
}
fn radiusOf(j: u32) -> f32 { return joints[address(j, JOINT_SLOTS, JOINT_SLOTS - 1)].x; }
fn sparedEdgesOf(k: u32) -> u32 { return u32(joints[address(k, JOINT_SLOTS, JOINT_SLOTS - 1)].y); }
fn activeAt(j: u32) -> u32 { return address(j, EDGE_SLOTS, EDGE_SLOTS - 1); }
/** The bits of an edge that is processed alone are at hand. */
var<private> openedEdge: u32 = NODES;
var<private> openedBits: vec4f;
fn openEdge(j: u32) {
  openedEdge = j;
  openedBits = contacts[activeAt(j)];
}
fn bitsOf(j: u32) -> vec4f {
  if (j == openedEdge) {
    return openedBits;
  }
  return contacts[activeAt(j)];
}
fn readActive(j: u32, c: u32) -> u32 { return u32(bitsOf(j)[c / 16]); }
fn writeActive(j: u32, c: u32, bits: u32) {
  contacts[activeAt(j)][c / 16] = f32(bits);
  if (j == openedEdge) {
    openedBits[c / 16] = f32(bits);
  }
}
fn rootPositionOf() -> vec3f { return positionOfRoot() - rootDisplacementOf(); }
fn readSlot(j: u32, c: u32, slot: u32) -> vec4f {
  if (c < 2 * OBSTACLES) {
    return contacts[contactAt(j, c, slot)];
  }
  return readPairSlot(j, c, slot);
}
fn writeSlot(j: u32, c: u32, slot: u32, value: vec4f) {
  if (c < 2 * OBSTACLES) {
    contacts[contactAt(j, c, slot)] = value;
  } else {
    writePairSlot(j, c, slot, value);
  }
}
fn readContact(j: u32, c: u32) -> Contact {
  let a = readSlot(j, c, 0);
  let f = readSlot(j, c, 1);
  let p = readSlot(j, c, 2);
  let s = readSlot(j, c, 3);
  var friction = pairFrictionOf();
  // of a pair, a.w is the gap
  var closing = -a.w * a.xyz;
  var tangentStiffness = f.w;
  if (isRealTime() && c >= 2 * OBSTACLES) {
    closing = closingOf(vec3f(0), a.xyz, a.w, joints[address(j, JOINT_SLOTS, JOINT_SLOTS - 1)].z);
  }
  if (c < 2 * OBSTACLES) {
    friction = obstacles[c / 2].shift.w;
    closing = s.xyz;
    tangentStiffness = a.w;
  }
  return Contact(u32(s.w), p.w, a.xyz, closing, friction, f.xyz, p.xyz, f.w, tangentStiffness);
}
fn writeContact(j: u32, c: u32, contact: Contact) {
  let isPair = c >= 2 * OBSTACLES;
  writeSlot(j, c, 0, vec4f(contact.normal, select(contact.tangentStiffness, -dot(contact.closing, contact.normal), isPair)));
  writeSlot(j, c, 1, vec4f(contact.force, contact.stiffness));
  writeSlot(j, c, 2, vec4f(contact.push, contact.part));
  writeSlot(j, c, 3, vec4f(contact.closing, f32(contact.active_)));
  writeActive(j, c, readActive(j, c) | (1u << (c % 16)));
}
fn clearContact(j: u32, c: u32) {
  let bits = readActive(j, c);
  if ((bits & (1u << (c % 16))) != 0) {
    writeActive(j, c, bits & ~(1u << (c % 16)));
  }
}
fn writeStiffness(j: u32, c: u32, stiffness: f32) {
  writeSlot(j, c, 1, vec4f(readSlot(j, c, 1).xyz, stiffness));
}
fn writeForces(j: u32, c: u32, forces: ContactForces) {
  let stiffness = readSlot(j, c, 1).w;
  let part = readSlot(j, c, 2).w;
  writeSlot(j, c, 1, vec4f(forces.force, stiffness));
  if (isSummed()) {
    addLoad(forces.push, forces.tangentStiffness, part);
  } else {
    writeSlot(j, c, 2, vec4f(forces.push, part));
    if (c < 2 * OBSTACLES) {
      contacts[contactAt(j, c, 0)].w = forces.tangentStiffness;
    }
  }
}
fn pointCountOf(j: u32) -> u32 {
  if (!pressed) {
    return 0;
  }
  return select(0u, 2 * OBSTACLES + select(0u, PAIR_SLOTS, hasPairs()), any(bitsOf(j) != vec4f(0)));
}
fn isPushed(j: u32, c: u32) -> bool { return (readActive(j, c) & (1u << (c % 16))) != 0; }
fn pointOf(j: u32, c: u32) -> EdgePoint {
  let a = readSlot(j, c, 0);
  let p = readSlot(j, c, 2);
  let stiffness = readSlot(j, c, 1).w;
  return EdgePoint(p.w, vec3f(0), p.xyz, a.xyz, stiffness, select(stiffness, a.w, c < 2 * OBSTACLES));
}
/** True if the inverse of eliminated blocks is not needed: ρ of contacts follows from the first iteration alone. */
var<private> skipsInverse: bool;
fn keepElimination(j: u32, step: Elimination, edge: vec3f) {
  if (skipsInverse) {
    return;
  }
  let a = address(j, GAIN_SLOTS, GAIN_SLOTS - 2);
  gains[a] = vec4f(step.inverse[0], step.inverse[1].y);
  gains[a + LANES] = vec4f(step.inverse[1].z, step.inverse[2].z, 0, 0);
}
fn inverseOf(j: u32) -> mat3x3f {
  let a = address(j, GAIN_SLOTS, GAIN_SLOTS - 2);
  let x = gains[a];
  let z = gains[a + LANES];
  return mat3x3f(x.xyz, vec3f(x.y, x.w, z.x), vec3f(x.z, z.x, z.y));
}`;

/** Strands are listed: those in contact for round 0, or for the iterations of strands that touch each other; and those without contact. */
function writeSearch(workgroup: number, pairs: boolean): string {
  return `
fn searchContacts() -> bool {
  if (!(P.contact.x > 0)) {
    return false;
  }
  let search = findContacts(P.contact.x);
  contacts[activeAt(NODES - 1)] = vec4f(search.overlap, 0, 0, 0);
  reportOverlap(search.overlap);
  ${pairs ? `if (isCoupled()) {\n    appendToList(${COUPLED_LIST}u, ${workgroup}u);\n    return true;\n  }` : ''}
  if (search.presses) {
    appendToList(0u, ${workgroup}u);
  }
  return search.presses;
}

/** Lists each strand by whether it is in contact. */
@compute @workgroup_size(${workgroup})
fn divide(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= P.strands) {
    return;
  }
  openStrand(id.x);
  if (!searchContacts()) {
    appendToList(${FREE_LIST}u, ${workgroup}u);
  }
}

/** After a free flight: lists the strand for \`press\` if it has run into something. */
fn listMissed() -> bool {
  if (!(P.contact.x > 0) || !addMissedContacts(true)) {
    return false;
  }
  changeToEuler(P.contact.x);
  contacts[activeAt(NODES - 1)].y = 1;
  appendToList(${MISSED_LIST}u, ${workgroup}u);
  return true;
}

/** w of the second and third node: deepest overlap at the start of the step, and 1 where contacts did not settle. */
fn writeContactReport() {
  positions[address(1, 1, 0)].w = contacts[activeAt(NODES - 1)].x;
  positions[address(2, 1, 0)].w = select(0.0, 1.0, isUnsettled);
}`;
}

function writeRound(workgroup: number): string {
  return `
/** A round of a strand in contact; it takes implicit Euler. */
fn pressStrand(round: u32) {
  pressed = true;
  let stage = pressedStage(P.contact.x);
  let isUnderWay = contacts[activeAt(NODES - 1)].y != 0;
  var tip: vec4f;
  if (round == 0 && !isUnderWay) {
    tip = beginStage(stage);
  } else {
    tip = frameOfTip();
  }
  if (round == 0 || isUnderWay) {
    skipsInverse = false;
    tip = beginPressed(stage, tip);
    contacts[activeAt(NODES - 1)].y = 0;
  }
  skipsInverse = true;
  let first = select(2u << round, 0u, round == 0);
  let kept = contacts[activeAt(NODES - 1)];
  let boost = select(kept.w, 1.0, round == 0 || isUnderWay);
  let progress = continuePressed(stage, tip, PressedRange(first, 4u << round, u32(P.contact.z), kept.z, boost));
  contacts[activeAt(NODES - 1)].z = progress.largest;
  contacts[activeAt(NODES - 1)].w = progress.boost;
  if (round + 1 < u32(P.contact.y)) {
    let misses = !progress.moves && addMissedContacts(false);
    if (misses) {
      contacts[activeAt(NODES - 1)].y = 1;
    }
    if (progress.moves || misses) {
      appendToList(round + 1, ${workgroup}u);
      return;
    }
  }
  reportSolved(true, progress.iterations + 1);
  reportPressed(progress);
  isUnsettled = progress.moves;
  closeStage(stage, progress.largest);
}`;
}

/** Entry points `divide`, `advance` and `press`. Strands in contact and those without one share a dispatch, since few of the first do not fill the device. */
export function contactEntry(workgroup: number, pairs: boolean): string {
  return `${writeSearch(workgroup, pairs)}
${writeRound(workgroup)}

@compute @workgroup_size(${workgroup})
fn advance(@builtin(global_invocation_id) id: vec3u) {
  let touching = listLength(0u);
  let first = (touching + ${workgroup - 1}u) / ${workgroup}u * ${workgroup}u;
  if (id.x < touching) {
    openStrand(listEntry(0u, id.x));
    pressStrand(0u);
  } else if (id.x >= first && id.x - first < listLength(${FREE_LIST}u)) {
    openStrand(listEntry(${FREE_LIST}u, id.x - first));
    solveFree(presentStage());
  }
}

/** Goes on with the strands of a list. */
@compute @workgroup_size(${workgroup})
fn press(@builtin(global_invocation_id) id: vec3u) {
  let list = currentList();
  if (id.x < listLength(list)) {
    openStrand(listEntry(list, id.x));
    pressStrand(select(list, 0u, list == ${MISSED_LIST}));
  }
}
`;
}
