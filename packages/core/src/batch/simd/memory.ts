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
  parameterFields,
  parameterIntegers,
  vectorsBefore,
  workFields,
} from './description.ts';

/** Strands per block. */
export const WIDTH = 4;

/** Bytes of a page of memory; the first one has the constants of the kernels. */
const PAGE = 65536;

/** The compiled kernels. */
export type SimdModule = WebAssembly.Module;

export function compileSimd(): Promise<SimdModule> {
  return WebAssembly.compile(Uint8Array.from(atob(batchWasm), (character) => character.charCodeAt(0)));
}

/** Functions of kernels/batch/index.ts; addresses are in bytes, truth values 0 or 1. */
export interface LaneKernels {
  openBlock(
    state: number,
    nodes: number,
    head: number,
    work: number,
    edges: number,
    contacts: number,
    obstacles: number,
    damped: number,
  ): void;
  advance(parameters: number, finish: number, iterations: number, tolerance: number): number;
  advanceInContact(
    parameters: number,
    pressed: number,
    kept: number,
    iterations: number,
    tolerance: number,
    least: number,
  ): number;
}

/** Where the first of many blocks begins, and bytes per block. */
export interface LaneArray {
  readonly first: number;
  readonly bytes: number;
}

/** Addresses are in bytes. */
export interface LaneMemory {
  readonly task: GroupTask;
  readonly blocks: number;
  readonly slots: number;
  readonly floats: Float32Array;
  readonly kernels: LaneKernels;
  /** Work space, parameters of two stages and of implicit Euler for strands in contact, obstacles. */
  readonly work: number;
  readonly parameters: readonly [number, number, number];
  readonly obstacles: number;
  readonly head: LaneArray;
  readonly nodes: LaneArray;
  /** `kept`: at the start of the step. */
  readonly state: LaneArray;
  readonly kept: LaneArray;
  readonly contacts: LaneArray;
  readonly keptContacts: LaneArray;
}

/** Floats of an obstacle: its kind, one that is not used, its numbers. */
export const OBSTACLE_FLOATS: number = 2 + countVectors(obstacleFields);

const align = (bytes: number): number => 16 * Math.ceil(bytes / 16);

/** Throws RangeError if memory does not hold the strands. */
export function openMemory(module: SimdModule, task: GroupTask): LaneMemory {
  const { nodes, strands, stiffnessDamping, massDamping, obstacles } = task;
  const slots = stiffnessDamping > 0 || massDamping > 0 ? stateSlots.length : ELASTIC_SLOTS;
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
  const layout = {
    work: reserve(16 * countVectors(workFields) * nodes),
    parameters: [reserve(parameterBytes), reserve(parameterBytes), reserve(parameterBytes)] as const,
    obstacles: reserve(4 * OBSTACLE_FLOATS * obstacles),
    head: reserveBlocks(countVectors(headFields) + obstacles),
    contacts: reserveBlocks(contactVectors),
    keptContacts: reserveBlocks(contactVectors),
    nodes: reserveBlocks(countVectors(nodeFields) * nodes),
    state: reserveBlocks(3 * slots * nodes),
    kept: reserveBlocks(3 * slots * nodes),
  };
  const memory = new WebAssembly.Memory({ initial: Math.ceil(end / PAGE) });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  type LaneExports = typeof exports & LaneKernels;
  const opened: LaneMemory = {
    task,
    blocks,
    slots,
    floats: new Float32Array(memory.buffer),
    kernels: exports as LaneExports,
    ...layout,
  };
  packConstants(opened);
  return opened;
}

/** Index in `floats` of a vector's number for strand s, `vectors` after the start of its block. */
export function indexOf({ first, bytes }: LaneArray, s: number, vectors: number): number {
  return (first + Math.floor(s / WIDTH) * bytes) / 4 + WIDTH * vectors + (s % WIDTH);
}

/** Every lane, with the strand that it has. */
function forEachLane({ blocks, task }: LaneMemory, visit: (lane: number, strand: number) => void): void {
  for (let lane = 0; lane < WIDTH * blocks; lane++) visit(lane, Math.min(lane, task.strands.length - 1));
}

function packConstants(memory: LaneMemory): void {
  const { task, floats, nodes, head } = memory;
  const perNode = countVectors(nodeFields);
  const at = (name: string): number => vectorsBefore(nodeFields, name);
  const [mass, length, strainRest, stiffness, radius] = ['mass', 'length', 'strainRest', 'stiffness', 'radius'].map(at);
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
      for (let k = 0; k < 3; k++) {
        put(strainRest + k, one.jointStrainRest[3 * i + k]);
        put(stiffness + k, isLoose && i === 0 ? 0 : one.jointStiffness[3 * i + k]);
      }
    }
  });
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

function copyStates(memory: LaneMemory, move: (shared: Float32Array, source: number, lane: number) => void): void {
  const { task, slots, state } = memory;
  const shared = new Float32Array(task.memory.states);
  const sharedSlots = countSlots(task);
  forEachLane(memory, (lane, s) => {
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
  copyStates(memory, (shared, source, lane) => {
    for (let axis = 0; axis < 3; axis++) floats[lane + WIDTH * axis] = shared[source + axis];
  });
}

/** State to the group's shared memory. */
export function getStates(memory: LaneMemory): void {
  const { floats } = memory;
  copyStates(memory, (shared, source, lane) => {
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
      moved[to + k] = floats[from + WIDTH * k];
      moved[to + 3 + k] = floats[turn + WIDTH * k];
      floats[turn + WIDTH * k] = 0;
    }
  });
}
