/**
 * The WGSL program of a stage: the sweeps as the build translated them, the functions by which they reach a strand, and the entry
 * point `advance`, one strand per thread. Addresses and structures follow layout.ts.
 */
import { sweepsWgsl } from '../generated/sweeps.ts';
import { ELASTIC_SLOTS, stageFields, stateSlots } from '../layout.ts';
import { gain16, gain32 } from './gains.ts';

/** Constants that are compiled into the shader. */
export interface ShaderOptions {
  readonly nodes: number;
  /** `f16`: gains take half the memory, and equilibria stay the same, since gains only steer Newton. */
  readonly gains: 'f16' | 'f32';
  /** Whether mass, stiffness and length vary along a strand. */
  readonly varying: boolean;
  /** Whether a buffer of forces on nodes is bound. */
  readonly forces: boolean;
  /** Whether joints have stiffness damping. */
  readonly viscous: boolean;
  /** `head`: roots follow one head, whose pose is a parameter. `each`: every root has a pose of its own, and failures are counted. */
  readonly roots: 'head' | 'each';
  /** Obstacles that strands touch; 0: no contact. */
  readonly obstacles: number;
  readonly workgroup: number;
}

/** vec4f per node in the buffers. */
export function bufferSlots({ gains, varying, viscous, obstacles }: ShaderOptions): {
  readonly state: number;
  readonly gain: number;
  readonly joint: number;
  readonly contact: number;
} {
  return {
    state: viscous ? stateSlots.length : ELASTIC_SLOTS,
    // contact also keeps the inverse of each eliminated block
    gain: (gains === 'f16' ? 3 : 6) + (obstacles > 0 ? 2 : 0),
    joint: varying ? 2 : 1,
    contact: 2 * obstacles * CONTACT_SLOTS,
  };
}

/** vec4f of a contact: normal and offset, force and stiffness, push and part, surface and state. */
const CONTACT_SLOTS = 4;

/** vec4f of an obstacle: frame, position and kind, half lengths and rounding, turn, shift and friction. */
export const OBSTACLE_VECTORS = 5;

/** Flags of a dispatch. */
export const FINISH = 1;
export const WRITE_POSITIONS = 2;

/** Uniform block, in order: vectors, integers, the stage. */
export const parameterVectors = [
  'head',
  'headBefore',
  'headStart',
  'turn',
  'shift',
  'gravity',
  'place',
  'contact',
] as const;
export const parameterIntegers = ['strands', 'iterations', 'flags', 'first'] as const;
export const PARAMETER_BYTES: number =
  16 * parameterVectors.length + 4 * parameterIntegers.length + 16 * Math.ceil(stageFields.length / 4);

/** Floats of a strand: stiffness of a joint about d1, d2, t and the mass of a node; frame of the root; its place and the edge length. */
export const STRAND_FLOATS = 12;

/** Of a root in `each`: its frame, its frame at the end of the stage before, its displacement since the start of the step, its position. */
export const ROOT_VECTORS = 4;

/** Strands that failed, the first of them, most iterations of a strand, iterations of all. */
export const STATUS_WORDS = 4;

export const bindings = {
  parameters: 0,
  strands: 1,
  joints: 2,
  states: 3,
  gains: 4,
  positions: 5,
  forces: 6,
  roots: 7,
  status: 8,
  contacts: 9,
  obstacles: 10,
} as const;

/** A turn below this [rad] that an iteration does not halve any more is rounding. */
const ROUNDING = 3e-5;
/** Real part of a joint's quaternion below which its rotation, 168° and more, is not followed any further. */
const FOLDED = 0.1;

/** All joints of a strand alike: the first is half as long, hence twice as stiff, and end nodes have half the mass. */
const alike = `
fn lengthOf(j: u32) -> f32 { return data.place.w; }
fn massOf(i: u32) -> f32 { return data.stiffness.w * select(1.0, 0.5, i == 0 || i == NODES - 1); }
fn stiffnessOf(j: u32) -> vec3f { return data.stiffness.xyz * select(1.0, 2.0, j == 0); }`;

const varied = `
fn lengthOf(j: u32) -> f32 { return joints[address(j, JOINT_SLOTS, 1)].w; }
fn massOf(i: u32) -> f32 { return joints[address(i, JOINT_SLOTS, 0)].w; }
fn stiffnessOf(j: u32) -> vec3f { return joints[address(j, JOINT_SLOTS, 1)].xyz; }`;

const rootsOnHead = `
fn frameOfRoot() -> vec4f { return compose(P.head, data.frame); }
fn frameOfRootBefore() -> vec4f { return compose(P.headBefore, data.frame); }
fn rootDisplacementOf() -> vec3f { return P.shift.xyz + rotationChange(P.turn, rotate(P.headStart, data.place.xyz)); }
fn positionOfRoot() -> vec3f { return P.place.xyz + rotate(P.head, data.place.xyz); }`;

const ownRoots = `
fn frameOfRoot() -> vec4f { return roots[ROOT_VECTORS * strandIndex]; }
fn frameOfRootBefore() -> vec4f { return roots[ROOT_VECTORS * strandIndex + 1]; }
fn rootDisplacementOf() -> vec3f { return roots[ROOT_VECTORS * strandIndex + 2].xyz; }
fn positionOfRoot() -> vec3f { return roots[ROOT_VECTORS * strandIndex + 3].xyz; }`;

/** Counts with integers, so that the order of threads does not matter. */
const reportStatus = `
fn isFolded() -> bool {
  for (var j: u32 = 0; j < NODES - 1; j++) {
    let v = readState(j, RELATIVE);
    if (!(dot(v, v) < ${1 - FOLDED * FOLDED})) {
      return true;
    }
  }
  return false;
}
fn report(isSolved: bool, iterations: u32) {
  atomicMax(&status[2], iterations);
  atomicAdd(&status[3], iterations);
  if (!isSolved || isFolded()) {
    atomicAdd(&status[0], 1u);
    atomicMin(&status[1], P.first + strandIndex);
  }
}`;

const withoutContact = `
fn obstacleCountOf() -> u32 { return 0; }
fn obstacleOf(k: u32) -> Obstacle { return Obstacle(); }
fn contactCountOf() -> u32 { return 0; }
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

/** `pressed`: whether the strand is in contact in this step; read by the sweeps. */
const withContact = `
struct ObstacleData {
  frame: vec4f,
  position: vec4f,
  half_: vec4f,
  turn: vec4f,
  shift: vec4f,
}
@group(0) @binding(9) var<storage, read_write> contacts: array<vec4f>;
@group(0) @binding(10) var<uniform> obstacles: array<ObstacleData, OBSTACLES>;
var<private> pressed: bool;
fn contactAt(j: u32, c: u32, slot: u32) -> u32 { return address(j, ${CONTACT_SLOTS} * 2 * OBSTACLES, ${CONTACT_SLOTS} * c + slot); }
fn obstacleCountOf() -> u32 { return OBSTACLES; }
fn obstacleOf(k: u32) -> Obstacle {
  let o = obstacles[k];
  return Obstacle(u32(o.position.w), o.frame, o.position.xyz, o.half_.xyz, o.half_.w, o.shift.w, o.turn, o.shift.xyz);
}
fn contactCountOf() -> u32 { return 2 * OBSTACLES; }
fn radiusOf(j: u32) -> f32 { return P.contact.y; }
fn rootPositionOf() -> vec3f { return positionOfRoot() - rootDisplacementOf(); }
fn readContact(j: u32, c: u32) -> Contact {
  let a = contacts[contactAt(j, c, 0)];
  let f = contacts[contactAt(j, c, 1)];
  let p = contacts[contactAt(j, c, 2)];
  let s = contacts[contactAt(j, c, 3)];
  return Contact(u32(s.w), p.w, a.xyz, a.w, s.xyz, obstacles[c / 2].shift.w, f.xyz, p.xyz, f.w);
}
fn writeContact(j: u32, c: u32, contact: Contact) {
  contacts[contactAt(j, c, 0)] = vec4f(contact.normal, contact.offset);
  contacts[contactAt(j, c, 1)] = vec4f(contact.force, contact.stiffness);
  contacts[contactAt(j, c, 2)] = vec4f(contact.push, contact.part);
  contacts[contactAt(j, c, 3)] = vec4f(contact.surface, f32(contact.active_));
}
fn writeStiffness(j: u32, c: u32, stiffness: f32) { contacts[contactAt(j, c, 1)].w = stiffness; }
fn writeForces(j: u32, c: u32, forces: ContactForces) {
  let f = contactAt(j, c, 1);
  contacts[f] = vec4f(forces.force, contacts[f].w);
  let p = contactAt(j, c, 2);
  contacts[p] = vec4f(forces.push, contacts[p].w);
}
fn pointCountOf(j: u32) -> u32 { return select(0u, 2 * OBSTACLES, pressed); }
fn isPushed(j: u32, c: u32) -> bool { return contacts[contactAt(j, c, 3)].w != 0; }
fn pointOf(j: u32, c: u32) -> EdgePoint {
  let p = contacts[contactAt(j, c, 2)];
  return EdgePoint(p.w, vec3f(0), p.xyz, contacts[contactAt(j, c, 1)].w);
}
fn keepElimination(j: u32, step: Elimination, edge: vec3f) {
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

function writeAccess(options: ShaderOptions): string {
  const { varying, viscous, forces, gains, roots, obstacles } = options;
  return `
fn address(node: u32, slots: u32, slot: u32) -> u32 { return ((block * NODES + node) * slots + slot) * LANES + lane; }
fn edgeCountOf() -> u32 { return NODES - 1; }
fn readState(i: u32, slot: u32) -> vec3f { return states[address(i, STATE_SLOTS, slot)].xyz; }
fn writeState(i: u32, slot: u32, value: vec3f) { states[address(i, STATE_SLOTS, slot)] = vec4f(value, 0); }
fn restStrainOf(j: u32) -> vec3f { return joints[address(j, JOINT_SLOTS, 0)].xyz; }
fn massDampingOf(i: u32) -> f32 { return P.shift.w; }
fn viscosityOf(j: u32) -> f32 { return ${viscous ? 'P.gravity.w' : '0'}; }
fn isViscous() -> bool { return ${viscous}; }
fn softnessOf(j: u32) -> f32 { return 0; }
fn nodeForceOf(i: u32) -> vec3f { return massOf(i) * P.gravity.xyz${forces ? ' + forces[address(i, 1, 0)].xyz' : ''}; }
fn edgeTorqueOf(j: u32) -> vec3f { return vec3f(0); }
fn usesExactHessian() -> bool { return false; }
fn nodeDragOf(i: u32) -> mat3x3f { return mat3x3f(); }
fn hasFreeRoot() -> bool { return false; }
${obstacles > 0 ? withContact : withoutContact}
${roots === 'each' ? ownRoots : rootsOnHead}
${varying ? varied : alike}
${gains === 'f16' ? gain16 : gain32}`;
}

const rootBindings = `
@group(0) @binding(7) var<storage, read> roots: array<vec4f>;
@group(0) @binding(8) var<storage, read_write> status: array<atomic<u32>>;
${reportStatus}`;

/** Strands in contact take implicit Euler. */
const searchContacts = `
  let search = findContacts(P.contact.x);
  pressed = P.contact.x > 0 && search.presses;
  if (pressed) {
    stage = pressedStage(P.contact.x);
  }`;

const solveContacts = `
  var isSettled = true;
  if (pressed) {
    let progress = solvePressed(stage, tip, u32(P.contact.z));
    largest = progress.largest;
    isSettled = !progress.moves;
    isSolved = true;
  }`;

/** w of the second and third node: deepest overlap at the start of the step, and 1 where contacts did not settle. */
const reportContacts = `
    positions[address(1, 1, 0)].w = search.overlap;
    positions[address(2, 1, 0)].w = select(1.0, 0.0, isSettled);`;

/** The whole program. */
export function writeShader(options: ShaderOptions): string {
  const slots = bufferSlots(options);
  const ownRootsUsed = options.roots === 'each';
  const vectors = parameterVectors.map((name) => `  ${name}: vec4f,\n`).join('');
  const integers = parameterIntegers.map((name) => `  ${name}: u32,\n`).join('');
  const numbers = stageFields.map((name) => `  ${name}: f32,\n`).join('');
  return `${sweepsWgsl}
struct Parameters {
${vectors}${integers}${numbers}}
struct StrandData {
  stiffness: vec4f,
  frame: vec4f,
  place: vec4f,
}
const NODES: u32 = ${options.nodes}u;
const STATE_SLOTS: u32 = ${slots.state}u;
const GAIN_SLOTS: u32 = ${slots.gain}u;
const JOINT_SLOTS: u32 = ${slots.joint}u;
const ROOT_VECTORS: u32 = ${ROOT_VECTORS}u;
const OBSTACLES: u32 = ${options.obstacles}u;
@group(0) @binding(0) var<uniform> P: Parameters;
@group(0) @binding(1) var<storage, read> strands: array<StrandData>;
@group(0) @binding(2) var<storage, read> joints: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> states: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> gains: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> positions: array<vec4f>;
${options.forces ? '@group(0) @binding(6) var<storage, read> forces: array<vec4f>;' : ''}
${ownRootsUsed ? rootBindings : ''}
var<private> strandIndex: u32;
var<private> block: u32;
var<private> lane: u32;
var<private> data: StrandData;
${writeAccess(options)}

/** w: largest turn of an edge in the last iteration. */
fn writePositions(turn: f32) {
  var q = frameOfRoot();
  var x = positionOfRoot();
  for (var i: u32 = 0; i < NODES; i++) {
    positions[address(i, 1, 0)] = vec4f(x, turn);
    if (i < NODES - 1) {
      q = normalize(compose(q, fromVectorPart(readState(i, RELATIVE))));
      x += lengthOf(i) * tangentOf(q);
    }
  }
}

@compute @workgroup_size(${options.workgroup})
fn advance(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= P.strands) {
    return;
  }
  strandIndex = id.x;
  block = id.x / LANES;
  lane = id.x % LANES;
  data = strands[id.x];
  var stage = Stage(${stageFields.map((name) => `P.${name}`).join(', ')});
  ${options.obstacles > 0 ? searchContacts : ''}
  var tip = beginStage(stage);
  var largest: f32 = 0;
  var used: u32 = 0;
  var isSolved = false;
  ${options.obstacles > 0 ? solveContacts : ''}
  while (used < P.iterations && !isSolved) {
    let before = largest;
    let progress = iterateStage(stage, tip);
    tip = progress.tip;
    largest = progress.largest;
    used++;
    isSolved = largest <= P.place.w * P.place.w || (P.place.w > 0 && used > 1 && largest < ${ROUNDING * ROUNDING} && largest > 0.25 * before);
  }
  ${ownRootsUsed ? 'report(isSolved, used);' : ''}
  if ((P.flags & ${FINISH}u) != 0) {
    finishStep(stage);
  }
  if ((P.flags & ${WRITE_POSITIONS}u) != 0) {
    writePositions(sqrt(largest));
    ${options.obstacles > 0 ? reportContacts : ''}
  }
}
`
    .replaceAll('/** ', '// ')
    .replaceAll(' */', '');
}
