/**
 * A group of strands in the memory of the kernels: blocks of `WIDTH` strands, one per lane, with the layouts of description.ts. The lanes of
 * the last block that no strand needs repeat the last strand.
 */
import { batchWasm } from '../generated/kernels.ts';
import { countSlots } from '../gpu/deviceGroup.ts';
import { floatAt } from '../gpu/parts.ts';
import { type GroupTask, MOVED_FLOATS } from '../gpu/requests.ts';
import { ROOT_VECTORS } from '../gpu/shader.ts';
import { DISPLACEMENT, ELASTIC_SLOTS, RELATIVE, stageFields, stateSlots } from '../layout.ts';
import {
  contactFields,
  countVectors,
  headFields,
  nodeFields,
  obstacleFields,
  PAIR_LOADS,
  pairFields,
  parameterFields,
  parameterIntegers,
  vectorsBefore,
  workFields,
} from './description.ts';
import type { LaneKernels } from './kernels.ts';

/** Strands per block. */
export const WIDTH = 4;

/** Bytes of a page of memory; the first one has the constants of the kernels. */
const PAGE = 65536;

/** The compiled kernels. */
export type SimdModule = WebAssembly.Module;

export function compileSimd(): Promise<SimdModule> {
  return WebAssembly.compile(Uint8Array.from(atob(batchWasm), (character) => character.charCodeAt(0)));
}

/** Address of the first of many blocks, and bytes per block. */
export interface LaneArray {
  readonly first: number;
  readonly bytes: number;
}

/** Memory for contact between strands; addresses are in bytes. */
export interface PairMemory {
  /** Numbers of all nodes, strand by strand, 32 bytes each; a strand more for lanes that have none. */
  readonly rows: number;
  /** Addresses of the loads of all edges, by the number of their first node. */
  readonly table: number;
  /** Square of the largest error of a contact as a part of its size, by strand. */
  readonly changes: number;
  /** Room for pairs that are tested, and for the list, which is last in memory and grows. */
  readonly tested: number;
  readonly list: number;
}

/** Number of a node that rests, in the place of the strand that is not there. */
export function restingNode({ nodes, strands }: GroupTask): number {
  return nodes * (strands.length + 1) + 1;
}

/** Pairs that are tested at once. */
export const TESTED = 2048;

/** Addresses are in bytes. */
export interface LaneMemory {
  readonly task: GroupTask;
  readonly blocks: number;
  readonly slots: number;
  /** All of the memory; another object once it has grown. */
  readonly floats: Float32Array;
  readonly kernels: LaneKernels;
  /** Work space, parameters of two stages and of implicit Euler for strands in contact, obstacles. */
  readonly work: number;
  readonly parameters: readonly [number, number, number];
  readonly obstacles: number;
  /** Rows of distance fields, 16 bytes each. */
  readonly fields: number;
  readonly head: LaneArray;
  readonly nodes: LaneArray;
  /** `kept`: at the start of the step. */
  readonly state: LaneArray;
  readonly kept: LaneArray;
  /** Those with obstacles, and the loads of pairs behind them, which are not kept. */
  readonly contacts: LaneArray;
  readonly keptContacts: LaneArray;
  /** Memory for contact between strands. */
  readonly pairs: PairMemory;
  /** Makes sure that memory reaches up to an address. Throws RangeError if it cannot. */
  reserve(end: number): void;
}

/** Floats of an obstacle: its kind, the first row of its field, its numbers. */
export const OBSTACLE_FLOATS: number = 2 + countVectors(obstacleFields);

/** True if the strands take the kernels with damping, which have that of joints, nodes and air. */
export const isDamped = ({ massDamping, stiffnessDamping, hasAir }: GroupTask): boolean =>
  massDamping > 0 || stiffnessDamping > 0 || hasAir;

const align = (bytes: number): number => 16 * Math.ceil(bytes / 16);

function reservePairs(
  { pairs, nodes, strands }: GroupTask,
  reserve: (bytes: number) => number,
): Omit<PairMemory, 'list'> {
  const count = pairs ? strands.length : 0;
  return {
    // a row more, since an edge reads the node behind its own, and two of a node that rests
    rows: reserve(32 * (nodes * (count + 1) + 3)),
    table: reserve(4 * nodes * count),
    changes: reserve(4 * count),
    tested: reserve(pairs ? 4 * countVectors(pairFields) * TESTED : 0),
  };
}

/** Throws RangeError if memory does not hold the strands. */
export function openMemory(module: SimdModule, task: GroupTask): LaneMemory {
  const { nodes, strands, obstacles, fields } = task;
  const slots = isDamped(task) ? stateSlots.length : ELASTIC_SLOTS;
  const blocks = Math.ceil(strands.length / WIDTH);
  let end = PAGE;
  const reserve = (bytes: number): number => {
    end += align(bytes);
    return end - align(bytes);
  };
  const reserveBlocks = (vectors: number): { first: number; bytes: number } => ({
    first: reserve(16 * vectors * blocks),
    bytes: 16 * vectors,
  });
  const parameterBytes = 4 * (stageFields.length + parameterFields.length + parameterIntegers.length);
  const contactVectors = countVectors(contactFields) * 2 * obstacles * (nodes - 1);
  const loadVectors = task.pairs ? countVectors(contactFields) * PAIR_LOADS * (nodes - 1) : 0;
  const layout = {
    work: reserve(16 * countVectors(workFields) * nodes),
    parameters: [reserve(parameterBytes), reserve(parameterBytes), reserve(parameterBytes)] as const,
    obstacles: reserve(4 * OBSTACLE_FLOATS * obstacles),
    fields: reserve(fields.byteLength),
    head: reserveBlocks(countVectors(headFields) + obstacles),
    contacts: reserveBlocks(contactVectors + loadVectors),
    keptContacts: reserveBlocks(contactVectors),
    nodes: reserveBlocks(countVectors(nodeFields) * nodes),
    state: reserveBlocks(3 * slots * nodes),
    kept: reserveBlocks(3 * slots * nodes),
  };
  const pairs: PairMemory = { ...reservePairs(task, reserve), list: end };
  const memory = new WebAssembly.Memory({ initial: Math.ceil(end / PAGE) });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  type LaneExports = typeof exports & LaneKernels;
  let floats = new Float32Array(memory.buffer);
  const opened: LaneMemory = {
    task,
    blocks,
    slots,
    get floats() {
      if (floats.length === 0) floats = new Float32Array(memory.buffer);
      return floats;
    },
    kernels: exports as LaneExports,
    ...layout,
    pairs,
    reserve(bytes) {
      const pages = Math.ceil(bytes / PAGE) - memory.buffer.byteLength / PAGE;
      if (pages > 0) memory.grow(pages);
    },
  };
  opened.floats.set(fields, layout.fields / 4);
  packConstants(opened);
  if (task.pairs) packPairs(opened);
  return opened;
}

/** Index in `floats` of a vector's number for strand s, `vectors` after the start of its block. */
export function indexOf({ first, bytes }: LaneArray, s: number, vectors: number): number {
  return (first + Math.floor(s / WIDTH) * bytes) / 4 + WIDTH * vectors + (s % WIDTH);
}

/** Visits every lane with its strand. */
function forEachLane({ blocks, task }: LaneMemory, visit: (lane: number, strand: number) => void): void {
  for (let lane = 0; lane < WIDTH * blocks; lane++) visit(lane, Math.min(lane, task.strands.length - 1));
}

/** Visits every strand with its own lane. */
function forEachStrand({ task }: LaneMemory, visit: (lane: number, strand: number) => void): void {
  for (let s = 0; s < task.strands.length; s++) visit(s, s);
}

function packConstants(memory: LaneMemory): void {
  const { task, floats, nodes, head } = memory;
  const perNode = countVectors(nodeFields);
  const at = (name: string): number => vectorsBefore(nodeFields, name);
  const [mass, length, strainRest, stiffness, radius, pairRadius] = [
    'mass',
    'length',
    'strainRest',
    'stiffness',
    'radius',
    'pairRadius',
  ].map(at);
  const isLoose = task.root !== 'clamped';
  forEachLane(memory, (lane, s) => {
    const one = task.strands[s];
    for (let k = 0; k < task.obstacles; k++)
      floats[indexOf(head, lane, countVectors(headFields) + k)] = one.contact?.spared[k] ?? 0;
    for (let i = 0; i < task.nodes; i++) {
      const put = (field: number, value: number): void => {
        floats[indexOf(nodes, lane, perNode * i + field)] = value;
      };
      put(mass, one.nodeMass[i]);
      if (i === task.nodes - 1) continue;
      put(length, one.edgeLength[i]);
      put(at('softness'), isLoose && i === 0 ? (one.rootSoftness ?? 0) : 0);
      put(radius, one.contact?.radius[i] ?? 0);
      put(pairRadius, one.contact?.pairRadius?.[i] ?? 0);
      for (let k = 0; k < 4; k++) put(at('air') + k, one.air?.[4 * i + k] ?? 0);
      for (let k = 0; k < 3; k++) {
        put(strainRest + k, one.jointStrainRest[3 * i + k]);
        put(stiffness + k, isLoose && i === 0 ? 0 : one.jointStiffness[3 * i + k]);
      }
    }
  });
}

/** Address of the loads of a block. */
export function loadsAt({ contacts, keptContacts }: LaneMemory, block: number): number {
  return contacts.first + block * contacts.bytes + keptContacts.bytes;
}

/** Writes the addresses of rows and loads for the kernels. */
function packPairs(memory: LaneMemory): void {
  const { task, floats, head, blocks, pairs, kernels } = memory;
  const { nodes, strands } = task;
  const words = new Int32Array(floats.buffer);
  const rows = vectorsBefore(headFields, 'rows');
  const recordBytes = 16 * countVectors(contactFields);
  // a lane without its own strand writes to memory that is not read
  for (let lane = 0; lane < WIDTH * blocks; lane++)
    words[indexOf(head, lane, rows)] = pairs.rows + 32 * nodes * Math.min(lane, strands.length);
  for (let s = 0; s < strands.length; s++)
    for (let j = 0; j < nodes - 1; j++)
      words[pairs.table / 4 + nodes * s + j] =
        loadsAt(memory, Math.floor(s / WIDTH)) + PAIR_LOADS * recordBytes * j + 4 * (s % WIDTH);
  for (let block = 0; block < blocks; block++) kernels.placeLoads(loadsAt(memory, block), nodes - 1);
}

/** Number of the first strand in the group's shared memory. */
export const firstOf = ({ first = 0 }: GroupTask): number => first;

/** Forces of stage k on the strands of a block, from the group's shared memory. */
export function putForces(memory: LaneMemory, k: number, block: number): void {
  const { task, floats, nodes } = memory;
  const from = new Float32Array(task.memory.forces[k]);
  const perNode = countVectors(nodeFields);
  const force = vectorsBefore(nodeFields, 'force');
  for (let lane = 0; lane < WIDTH; lane++) {
    const s = strandOf(memory, block, lane);
    for (let i = 0; i < task.nodes; i++) {
      const source = floatAt(task.nodes, 1, firstOf(task) + s, i, 0);
      const to = indexOf(nodes, WIDTH * block + lane, perNode * i + force);
      for (let axis = 0; axis < 3; axis++) floats[to + WIDTH * axis] = from[source + axis];
    }
  }
}

/** The strand that a lane has. */
function strandOf({ task }: LaneMemory, block: number, lane: number): number {
  return Math.min(WIDTH * block + lane, task.strands.length - 1);
}

/** Poses of the roots of a block at the end of stage k, from the group's shared memory. */
export function putRoots(memory: LaneMemory, k: number, block: number): void {
  const { task, floats, head } = memory;
  const from = new Float32Array(task.memory.roots[k]);
  for (let lane = 0; lane < WIDTH; lane++) {
    const s = strandOf(memory, block, lane);
    const to = (head.first + block * head.bytes) / 4 + lane;
    const source = 4 * ROOT_VECTORS * (firstOf(task) + s);
    // frame, frame before, displacement and position lie one after the other in both; displacements have four floats there
    for (let i = 0; i < 14; i++) floats[to + WIDTH * i] = from[source + (i < 11 ? i : i + 1)];
  }
}

function copyStates(
  memory: LaneMemory,
  forEach: typeof forEachLane,
  move: (shared: Float32Array, source: number, lane: number) => void,
): void {
  const { task, slots, state } = memory;
  const shared = new Float32Array(task.memory.states);
  const sharedSlots = countSlots(task);
  forEach(memory, (lane, s) => {
    for (let i = 0; i < task.nodes; i++)
      for (let slot = 0; slot < sharedSlots; slot++)
        move(
          shared,
          floatAt(task.nodes, sharedSlots, firstOf(task) + s, i, slot),
          indexOf(state, lane, 3 * (slots * i + slot)),
        );
  });
}

/** State from the group's shared memory. */
export function putStates(memory: LaneMemory): void {
  const { floats } = memory;
  copyStates(memory, forEachLane, (shared, source, lane) => {
    for (let axis = 0; axis < 3; axis++) floats[lane + WIDTH * axis] = shared[source + axis];
  });
}

/** State to the group's shared memory. */
export function getStates(memory: LaneMemory): void {
  const { floats } = memory;
  copyStates(memory, forEachStrand, (shared, source, lane) => {
    for (let axis = 0; axis < 3; axis++) shared[source + axis] = floats[lane + WIDTH * axis];
  });
}

/** Writes how the roots of strands that are not clamped moved, and takes the turn of their first edges out: it goes into the frames of the roots. */
export function takeRootMoves(memory: LaneMemory): void {
  const { task, floats, state } = memory;
  if (task.root === 'clamped') return;
  const moved = new Float32Array(task.memory.moved);
  forEachLane(memory, (lane, s) => {
    const [from, turn] = [DISPLACEMENT, RELATIVE].map((slot) => indexOf(state, lane, 3 * slot));
    const to = MOVED_FLOATS * (firstOf(task) + s);
    for (let k = 0; k < 3; k++) {
      if (lane === s) {
        moved[to + k] = floats[from + WIDTH * k];
        moved[to + 3 + k] = floats[turn + WIDTH * k];
      }
      floats[turn + WIDTH * k] = 0;
    }
  });
}
