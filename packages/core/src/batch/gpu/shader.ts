/**
 * The WGSL program of a stage: the sweeps that the build translated, the functions with which they read and write a strand, and the entry
 * point `advance`, one strand per thread. Addresses and structures follow layout.ts.
 */
import { sweepsWgsl } from '../generated/sweeps.ts';
import { ELASTIC_SLOTS, stageFields, stateSlots } from '../layout.ts';
import { CONTACT_SLOTS, contactEntry, withContact, withoutContact, withoutPairs } from './contactShader.ts';
import { FINISH, WRITE_POSITIONS } from './flags.ts';
import { gain16, gain32 } from './gains.ts';
import { gridEntry, type PairProgram } from './gridShader.ts';
import { PAIR_BUFFER_SLOTS } from './pairLayout.ts';
import { pairEntry, withPairs } from './pairShader.ts';
import { writeStatus } from './statusShader.ts';

/** Constants that are compiled into the shader. */
export interface ShaderOptions {
  /** Nodes per strand. */
  readonly nodes: number;
  /** `f16`: gains take half the memory; equilibria do not change, since gains affect only the convergence of Newton. */
  readonly gains: 'f16' | 'f32';
  /** True if mass, stiffness and length vary along a strand. */
  readonly varying: boolean;
  /** True if a buffer of forces on nodes is bound. */
  readonly forces: boolean;
  /** True if joints have stiffness damping. */
  readonly viscous: boolean;
  /** True if air drags the strands. */
  readonly air: boolean;
  /** `head`: roots follow one head, whose pose is a parameter. `each`: every root has its own pose, and failures are counted. */
  readonly roots: 'head' | 'each';
  /** Number of obstacles. */
  readonly obstacles: number;
  /** With contact between strands. */
  readonly pairs?: PairProgram;
  /** Invocations per workgroup. */
  readonly workgroup: number;
}

/** True with contact of any kind. */
export function hasContactOf({ obstacles, pairs }: ShaderOptions): boolean {
  return obstacles > 0 || pairs !== undefined;
}

/** vec4f per node in the buffers. */
export function bufferSlots(options: ShaderOptions): {
  readonly state: number;
  readonly gain: number;
  readonly joint: number;
  readonly contact: number;
  readonly pair: number;
} {
  const { gains, varying, viscous, air, obstacles, pairs } = options;
  const hasContact = hasContactOf(options);
  return {
    state: viscous ? stateSlots.length : ELASTIC_SLOTS,
    // contact also stores the inverse of each eliminated block
    gain: (gains === 'f16' ? 3 : 6) + (hasContact ? 2 : 0),
    // contact also reads the radius of the edge and the number of edges that do not touch an obstacle
    joint: (varying ? 2 : 1) + (air ? 1 : 0) + (hasContact ? 1 : 0),
    contact: hasContact ? 2 * obstacles * CONTACT_SLOTS + 1 : 0,
    pair: pairs ? PAIR_BUFFER_SLOTS : 0,
  };
}

/** Slot of a joint for the drag coefficients of its edge. */
export function airSlot({ varying }: ShaderOptions): number {
  return varying ? 2 : 1;
}

/** vec4f of an obstacle: frame, position and kind, half lengths and rounding, turn, shift and friction, rows and first row of a field. */
export const OBSTACLE_VECTORS = 6;

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
  'pair',
  'search',
  'wind',
] as const;
export const parameterIntegers = ['strands', 'iterations', 'flags', 'first'] as const;
export const PARAMETER_BYTES: number =
  16 * parameterVectors.length + 4 * parameterIntegers.length + 16 * Math.ceil(stageFields.length / 4);

/** vec4f of a strand: stiffness of a joint about d1, d2, t and the mass of a node; frame of the root; its place and the edge length. */
export const STRAND_VECTORS = 3;

/**
 * vec4f of a root with `roots: each`, after those of all strands in the same buffer: its frame, its frame at the end of the stage before, its displacement
 * since the start of the step, its position. Rows of distance fields are behind the roots.
 */
export const ROOT_VECTORS = 4;

/** At most eight storage buffers, which every device supports; ten with contact between strands. */
export const bindings = {
  parameters: 0,
  strands: 1,
  joints: 2,
  states: 3,
  gains: 4,
  positions: 5,
  forces: 6,
  status: 7,
  contacts: 8,
  obstacles: 9,
  pairs: 10,
  candidates: 11,
  grid: 12,
  spans: 13,
} as const;

/** If the largest rotation is below this [rad] and an iteration no longer halves it, it is rounding. */
const ROUNDING = 3e-5;

/** Joints of a strand whose joints are all equal: the first is half as long, hence twice as stiff, and end nodes have half the mass. */
const alike = `
fn lengthOf(j: u32) -> f32 { return data.place.w; }
fn massOf(i: u32) -> f32 { return data.stiffness.w * select(1.0, 0.5, i == 0 || i == NODES - 1); }
fn stiffnessOf(j: u32) -> vec3f { return data.stiffness.xyz * select(1.0, 2.0, j == 0); }`;

const varied = `
fn lengthOf(j: u32) -> f32 { return joints[address(j, JOINT_SLOTS, 1)].w; }
fn massOf(i: u32) -> f32 { return joints[address(i, JOINT_SLOTS, 0)].w; }
fn stiffnessOf(j: u32) -> vec3f { return joints[address(j, JOINT_SLOTS, 1)].xyz; }`;

const noAir = `
fn hasAir() -> bool { return false; }
fn windOf() -> vec3f { return vec3f(0); }
fn airOf(j: u32) -> AirDrag { return AirDrag(); }`;

function withAir(slot: number): string {
  return `
fn hasAir() -> bool { return P.wind.w != 0; }
fn windOf() -> vec3f { return P.wind.xyz; }
fn airOf(j: u32) -> AirDrag {
  let c = P.wind.w * joints[address(j, JOINT_SLOTS, ${slot})];
  return AirDrag(c.x, c.y, c.z, c.w);
}`;
}

const rootsOnHead = `
fn frameOfRoot() -> vec4f { return compose(P.head, data.frame); }
fn frameOfRootBefore() -> vec4f { return compose(P.headBefore, data.frame); }
fn rootDisplacementOf() -> vec3f { return P.shift.xyz + rotationChange(P.turn, rotate(P.headStart, data.place.xyz)); }
fn positionOfRoot() -> vec3f { return P.place.xyz + rotate(P.head, data.place.xyz); }`;

const ownRoots = `
fn rootVector(k: u32) -> vec4f { return strands[STRAND_VECTORS * P.strands + ROOT_VECTORS * strandIndex + k]; }
fn frameOfRoot() -> vec4f { return rootVector(0); }
fn frameOfRootBefore() -> vec4f { return rootVector(1); }
fn rootDisplacementOf() -> vec3f { return rootVector(2).xyz; }
fn positionOfRoot() -> vec3f { return rootVector(3).xyz; }`;

function writeAccess(options: ShaderOptions): string {
  const { varying, viscous, forces, gains, roots, pairs } = options;
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
${options.air ? withAir(airSlot(options)) : noAir}
${hasContactOf(options) ? withContact : withoutContact}
${pairs ? withPairs : withoutPairs}
${roots === 'each' ? ownRoots : rootsOnHead}
${varying ? varied : alike}
${gains === 'f16' ? gain16 : gain32}`;
}

/** True if the program has a status to which strands report. */
const hasStatusOf = (options: ShaderOptions): boolean => hasContactOf(options) || options.roots === 'each';

/** Types, constants, buffers and the private variables of a strand. */
function writeDeclarations(options: ShaderOptions): string {
  const slots = bufferSlots(options);
  const vectors = parameterVectors.map((name) => `  ${name}: vec4f,\n`).join('');
  const integers = parameterIntegers.map((name) => `  ${name}: u32,\n`).join('');
  const numbers = stageFields.map((name) => `  ${name}: f32,\n`).join('');
  return `struct Parameters {
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
const STRAND_VECTORS: u32 = ${STRAND_VECTORS}u;
const ROOT_VECTORS: u32 = ${ROOT_VECTORS}u;
const FIRST_FIELD: u32 = ${options.roots === 'each' ? STRAND_VECTORS + ROOT_VECTORS : STRAND_VECTORS}u;
const OBSTACLES: u32 = ${options.obstacles}u;
@group(0) @binding(0) var<uniform> P: Parameters;
@group(0) @binding(1) var<storage, read> strands: array<vec4f>;
@group(0) @binding(2) var<storage, read> joints: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> states: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> gains: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> positions: array<vec4f>;
${options.forces ? '@group(0) @binding(6) var<storage, read> forces: array<vec4f>;' : ''}
${hasStatusOf(options) ? writeStatus(options.roots === 'each') : ''}
var<private> strandIndex: u32;
var<private> block: u32;
var<private> lane: u32;
var<private> data: StrandData;
`;
}

/** Functions that select a strand and write its nodes. */
const strandFunctions = `
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

fn setStrand(index: u32) {
  strandIndex = index;
  block = index / LANES;
  lane = index % LANES;
}

fn openStrand(index: u32) {
  setStrand(index);
  let s = STRAND_VECTORS * index;
  data = StrandData(strands[s], strands[s + 1], strands[s + 2]);
}

`;

/** The stage of a strand without contact, and its end. */
function writeSolve(options: ShaderOptions): string {
  const hasContact = hasContactOf(options);
  return `/** Newton iterations without contact, and the end of the stage. */
fn solveFree(stage: Stage) {
  var tip = beginStage(stage);
  var largest: f32 = 0;
  var used: u32 = 0;
  var isSolved = false;
  while (used < P.iterations && !isSolved) {
    let before = largest;
    let progress = iterateStage(stage, tip);
    tip = progress.tip;
    largest = progress.largest;
    used++;
    isSolved = largest <= P.place.w * P.place.w || (P.place.w > 0 && used > 1 && largest < ${ROUNDING * ROUNDING} && largest > 0.25 * before);
  }
  ${hasContact ? 'if (listMissed()) {\n    return;\n  }' : ''}
  ${hasStatusOf(options) ? 'reportSolved(isSolved, used);' : ''}
  closeStage(stage, largest);
}

fn closeStage(stage: Stage, largest: f32) {
  if ((P.flags & ${FINISH}u) != 0) {
    finishStep(stage);
  }
  if ((P.flags & ${WRITE_POSITIONS}u) != 0) {
    writePositions(sqrt(largest));
    ${hasContact ? 'writeContactReport();' : ''}
  }
}

`;
}

/** Stage of the parameters; and without contact the entry point `advance`. */
function writeAdvance(options: ShaderOptions): string {
  const stage = `fn presentStage() -> Stage { return Stage(${stageFields.map((name) => `P.${name}`).join(', ')}); }
`;
  if (hasContactOf(options)) return stage;
  return `${stage}@compute @workgroup_size(${options.workgroup})
fn advance(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= P.strands) {
    return;
  }
  openStrand(id.x);
  solveFree(presentStage());
}
`;
}

/** The whole program. */
export function writeShader(options: ShaderOptions): string {
  const { workgroup, pairs, nodes } = options;
  const contact = hasContactOf(options) ? contactEntry(workgroup, pairs !== undefined) : '';
  const pairEntries = pairs ? `${gridEntry(pairs, nodes)}${pairEntry(workgroup)}` : '';
  return `${sweepsWgsl}
${writeDeclarations(options)}${writeAccess(options)}
${strandFunctions}${writeSolve(options)}${writeAdvance(options)}${contact}
${pairEntries}
`
    .replaceAll('/** ', '// ')
    .replaceAll(' */', '');
}
