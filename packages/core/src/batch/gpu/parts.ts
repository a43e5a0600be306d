/**
 * Buffers of strands on a device, and the program that advances them. Strands that exceed a binding are split into parts with buffers of
 * their own.
 */
import type { Quaternion, Vector } from '../algebra.ts';
import { LANES, MOST_ALONE, MOST_ITERATIONS, PAIR_SLOTS } from '../layout.ts';
import { MOST_OBSTACLES } from './contactShader.ts';
import { gridWorkgroups } from './gridShader.ts';
import { checkStrands, isUniform, packBlocks, packStrands, type StrandDescription } from './pack.ts';
import { encodeCoupled, encodePairSearch } from './pairPasses.ts';
import { type BoundLayout, bufferBytes, openProgram, type Program } from './program.ts';
import { bindings, bufferSlots, type ShaderOptions } from './shader.ts';
import {
  argumentsOffset,
  countRounds,
  listOffset,
  MISSED_LIST,
  ROUNDS,
  STATUS,
  STATUS_WORDS,
  startStatus,
} from './statusShader.ts';
import { type Device, type DeviceBuffer, type DeviceEncoder, USAGE } from './webgpu.ts';

export interface StrandsOptions {
  readonly nodes: number;
  /** Repeated in this order until there are `count` strands. */
  readonly strands: readonly StrandDescription[];
  readonly count?: number;
  readonly gravity?: Vector;
  /** [1/s] and [s] */
  readonly massDamping?: number;
  readonly stiffnessDamping?: number;
  /** True if air drags the strands; their descriptions have its coefficients. */
  readonly hasAir?: boolean;
  /** True if `writeForces` will be called. */
  readonly forces?: boolean;
  readonly gains?: 'f16' | 'f32';
  /** Number of obstacles; each step gets them anew. */
  readonly obstacles?: number;
  /** Rows of the obstacles' distance fields: distance [m] and normal. */
  readonly fields?: ArrayLike<number>;
  /** Contact radius [m]. */
  readonly contactRadius?: number;
  /** Settings of contact between strands, if there is any. */
  readonly pairs?: PairOptions;
  readonly workgroup?: number;
}

/** Contact between strands. */
export interface PairOptions {
  readonly friction: number;
  /** True if a strand may touch itself. */
  readonly self: boolean;
  /** Edge of a cell of the grid [m]; default: half the longest edge of a strand, in real time a tenth. */
  readonly cell?: number;
  /**
   * True for a fixed cost per step, without a promise that contacts settle or that strands cannot pass (docs/notes/batch-engine.md, "Real time"): an edge
   * looks at its eight nearest neighbours, as they are at the start of every second step, and every step takes as many iterations as it is told, 4 by default.
   * `readCounts` says what is left: contacts that overlap deeply, strands that have not settled, and as crowded those that may have missed contacts, since they
   * moved further than a search looks or have too many edges around them. Default false.
   */
  readonly realTime?: boolean;
  /** Number of steps for which one search for pairs is used; default 1, in real time 8. With more, neighbours that approach faster than predicted may be missed. */
  readonly searchEvery?: number;
  /**
   * Largest search distance around an edge, radius included [m]; default: as far as hair moves, in real time two radii. Edges within twice this distance can be found;
   * strands that move further are counted as crowded. In dense hair, most edges farther away are behind other hair.
   */
  readonly searchReach?: number;
}

/** Position and orientation of the head that carries the strands. */
export interface HeadPose {
  /** Unit quaternion from the head's axes to world axes. */
  readonly rotation: Quaternion;
  /** Origin of the head's axes [m]. */
  readonly position: Vector;
}

/** Strands from `first` on. */
export interface BatchPart {
  readonly first: number;
  readonly count: number;
  readonly buffers: Readonly<Record<keyof typeof bindings, DeviceBuffer | undefined>>;
  readonly group: object;
  /** With contact between strands: buffers of the search. */
  readonly searchGroup?: object;
  /** With obstacles. */
  readonly press?: PressBuffers;
}

/** Additional buffers for dispatches of strands in contact. */
interface PressBuffers {
  /** The status at the start of a step, followed by the numbers of the rounds. */
  readonly start: DeviceBuffer;
  /** Arguments of a dispatch. */
  readonly arguments: DeviceBuffer;
}

export interface Parts {
  readonly shader: ShaderOptions;
  readonly program: Program;
  readonly list: readonly BatchPart[];
}

const STORAGE = USAGE.STORAGE | USAGE.COPY_DST | USAGE.COPY_SRC;

/** Division of the strands: number of blocks of LANES strands after which they repeat, and of blocks per binding. */
function planParts(
  limit: number,
  count: number,
  strands: number,
  bytesPerBlock: number,
): { readonly period: number; readonly blocks: number } {
  const fitting = Math.floor(limit / bytesPerBlock);
  // every part starts with the first of the repeating strands
  const period = count === strands ? Math.ceil(count / LANES) : strands;
  const blocks = count === strands ? fitting : Math.floor(fitting / period) * period;
  if (blocks < 1) throw new Error(`a buffer of ${limit} bytes does not hold the strands; use fewer or shorter ones`);
  return { period, blocks };
}

interface PartRange {
  readonly strands: readonly StrandDescription[];
  readonly first: number;
  readonly count: number;
  readonly period: number;
  readonly contactRadius: number;
  readonly fields: ArrayLike<number> | undefined;
}

/** Buffers of `count` strands from `first` on, filled. */
function createPart(device: Device, program: Program, shader: ShaderOptions, range: PartRange): BatchPart {
  const { strands, first, count, period, contactRadius, fields } = range;
  const bytes = bufferBytes(shader, count, fields && fields.length / 4);
  const make = (name: keyof typeof bindings): DeviceBuffer | undefined =>
    bytes[name] === 0
      ? undefined
      : device.createBuffer({
          size: bytes[name],
          usage: name === 'parameters' || name === 'obstacles' ? USAGE.UNIFORM | USAGE.COPY_DST : STORAGE,
        });
  const names = Object.keys(bindings) as (keyof typeof bindings)[];
  const buffers = Object.fromEntries(names.map((name) => [name, make(name)])) as BatchPart['buffers'];
  const packed = packBlocks(strands, Math.min(period, Math.ceil(count / LANES)), { ...shader, contactRadius });
  if (buffers.strands) device.queue.writeBuffer(buffers.strands, 0, packStrands(strands, count));
  // a queue does not accept shared memory
  if (buffers.strands && fields)
    device.queue.writeBuffer(buffers.strands, buffers.strands.size - 4 * fields.length, Float32Array.from(fields));
  if (buffers.joints) fillBuffer(device, buffers.joints, packed.joint);
  if (buffers.states) fillBuffer(device, buffers.states, packed.state);
  const bind = ({ names: bound, layout }: BoundLayout): object => {
    const entries = bound.flatMap((name) => {
      const buffer = buffers[name];
      return buffer ? [{ binding: bindings[name], resource: { buffer } }] : [];
    });
    return device.createBindGroup({ layout, entries });
  };
  const press = program.press && createPress(device);
  return {
    first,
    count,
    buffers,
    group: bind(program.bound),
    ...(program.search && { searchGroup: bind(program.search) }),
    ...(press && { press }),
  };
}

/** Lists that `press` goes on with: strands that ran into something, and those of the rounds after the first. */
const pressLists: readonly number[] = [MISSED_LIST, ...Array.from({ length: ROUNDS - 1 }, (_, k) => k + 1)];

function createPress(device: Device): PressBuffers {
  const words = [...startStatus(true), ...pressLists];
  const start = device.createBuffer({ size: 4 * words.length, usage: USAGE.COPY_SRC | USAGE.COPY_DST });
  device.queue.writeBuffer(start, 0, Uint32Array.from(words));
  return { start, arguments: device.createBuffer({ size: 16, usage: USAGE.INDIRECT | USAGE.COPY_DST }) };
}

/** Writes a pattern once and repeats it on the device. */
function fillBuffer(device: Device, to: DeviceBuffer, pattern: Float32Array<ArrayBuffer>): void {
  device.queue.writeBuffer(to, 0, pattern);
  if (to.size <= pattern.byteLength) return;
  const from = device.createBuffer({ size: pattern.byteLength, usage: STORAGE });
  device.queue.writeBuffer(from, 0, pattern);
  const encoder = device.createCommandEncoder();
  for (let o = pattern.byteLength; o < to.size; o += pattern.byteLength)
    encoder.copyBufferToBuffer(from, 0, to, o, Math.min(pattern.byteLength, to.size - o));
  device.queue.submit([encoder.finish()]);
}

/** Creates the program and the buffers; throws if the device rejects one of them. */
export async function createParts(
  device: Device,
  options: StrandsOptions,
  roots: ShaderOptions['roots'],
): Promise<Parts> {
  const { strands, nodes, count = strands.length, contactRadius = 0 } = options;
  checkStrands(strands, nodes);
  const { obstacles = 0 } = options;
  const most = Math.min(MOST_OBSTACLES - (options.pairs ? PAIR_SLOTS / 2 : 0), nodes);
  if (obstacles > most) throw new Error(`${obstacles} obstacles; strands of ${nodes} nodes meet ${most} at most`);
  const shader: ShaderOptions = {
    nodes,
    gains: options.gains ?? 'f16',
    varying: !strands.every(isUniform),
    forces: options.forces ?? false,
    viscous: (options.stiffnessDamping ?? 0) > 0,
    air: options.hasAir ?? false,
    roots,
    obstacles,
    ...(options.pairs && { pairs: { strands: count, realTime: options.pairs.realTime ?? false } }),
    workgroup: options.workgroup ?? 64,
  };
  const slots = bufferSlots(shader);
  device.pushErrorScope('validation');
  device.pushErrorScope('out-of-memory');
  const program = await openProgram(device, shader);
  const limit = Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize);
  const bytesPerBlock = Math.max(slots.state, slots.gain, slots.joint, slots.contact, slots.pair) * nodes * LANES * 16;
  const { period, blocks } = planParts(limit, count, strands.length, bytesPerBlock);
  if (options.pairs && count > blocks * LANES)
    throw new Error(
      `contact between ${count} strands does not fit into a binding of ${limit} bytes; use fewer strands`,
    );
  const list: BatchPart[] = [];
  for (let first = 0; first < count; first += blocks * LANES) {
    const inPart = Math.min(count - first, blocks * LANES);
    const listed = count === strands.length ? strands.slice(first, first + inPart) : strands;
    list.push(
      createPart(device, program, shader, {
        strands: listed,
        first,
        count: inPart,
        period,
        contactRadius,
        fields: options.fields,
      }),
    );
  }
  for (let k = 0; k < 2; k++) {
    const error = await device.popErrorScope();
    if (error) throw new Error(`the device refuses the strands: ${error.message}`);
  }
  return { shader, program, list };
}

/** Options of a stage: largest number of iterations of contact between strands, and whether to search for pairs or to use the last search. */
export interface StageOptions {
  readonly iterations?: number | undefined;
  readonly searches?: boolean;
  /** True to go on with the contacts of the last step. */
  readonly carries?: boolean;
}

/** Resets the status at the start of a step, except for the counts of the search if the last one is used. */
function resetStatus(encoder: DeviceEncoder, { press, buffers }: BatchPart, searches: boolean): void {
  if (!press || !buffers.status) return;
  const words = startStatus(true).length;
  const ranges = searches
    ? [[0, words]]
    : [
        [0, STATUS.overflow],
        [STATUS_WORDS, words],
      ];
  for (const [from, end] of ranges)
    encoder.copyBufferToBuffer(press.start, 4 * from, buffers.status, 4 * from, 4 * (end - from));
}

/** One stage of all strands. */
export function encodeStage(
  encoder: DeviceEncoder,
  { program, list, shader }: Parts,
  { iterations = MOST_ALONE, searches = true, carries = false }: StageOptions = {},
): void {
  for (const part of list) {
    const { press } = part;
    resetStatus(encoder, part, searches);
    const strandGroups = Math.ceil(part.count / shader.workgroup);
    if (program.pair) encodePairSearch(encoder, program.pair, part, { ...shader, searches, carries });
    const pass = encoder.beginComputePass();
    pass.setBindGroup(0, part.group);
    if (program.divide) {
      pass.setPipeline(program.divide);
      pass.dispatchWorkgroups(strandGroups);
    }
    pass.setPipeline(program.advance);
    // with contact, the last workgroup of those that touch something may be half empty
    pass.dispatchWorkgroups(program.divide ? strandGroups + 1 : strandGroups);
    pass.end();
    for (let k = 0; k < countRounds(iterations) && press; k++) encodeRound(encoder, program, part, k);
    const edgeGroups = gridWorkgroups(part.count * (shader.nodes - 1));
    const realTime = shader.pairs?.realTime ?? false;
    if (program.pair)
      encodeCoupled(encoder, program.pair, part, {
        edgeGroups,
        iterations: Math.min(iterations, MOST_ITERATIONS),
        realTime,
      });
  }
}

/** Encodes iterations of contact for the strands of pressLists[k]. */
function encodeRound(encoder: DeviceEncoder, program: Program, { press, buffers, group }: BatchPart, k: number): void {
  if (!press || !program.press || !buffers.status) return;
  encoder.copyBufferToBuffer(buffers.status, argumentsOffset(pressLists[k]), press.arguments, 0, 12);
  encoder.copyBufferToBuffer(press.start, 4 * (startStatus(true).length + k), buffers.status, listOffset, 4);
  const pass = encoder.beginComputePass();
  pass.setPipeline(program.press);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroupsIndirect(press.arguments, 0);
  pass.end();
}

/** Index of the first float of slot `slot` of node `i` of strand `s` of a part. */
export function floatAt(nodes: number, slots: number, s: number, i: number, slot: number): number {
  return 4 * ((((s >> 5) * nodes + i) * slots + slot) * LANES + (s & 31));
}

/** Forces on nodes [N], strand by strand, 3 per node. */
export function writeForces(device: Device, { list, shader: { nodes } }: Parts, values: ArrayLike<number>): void {
  const bad = Array.prototype.findIndex.call(values, (x: number) => !Number.isFinite(x));
  if (bad >= 0) {
    const node = Math.floor(bad / 3);
    throw new Error(
      `the force on node ${node % nodes} of strand ${Math.floor(node / nodes)} is ${values[bad]}; it must be finite`,
    );
  }
  for (const { first, count, buffers } of list) {
    if (!buffers.forces) throw new Error('the strands were created without forces: set forces: true');
    const rows = new Float32Array(buffers.forces.size / 4);
    for (let s = 0; s < count; s++)
      for (let i = 0; i < nodes; i++)
        for (let k = 0; k < 3; k++) rows[floatAt(nodes, 1, s, i, 0) + k] = values[3 * ((first + s) * nodes + i) + k];
    device.queue.writeBuffer(buffers.forces, 0, rows);
  }
}

function listBuffers({ list }: Parts): DeviceBuffer[] {
  return list.flatMap(({ buffers, press }) => [
    ...Object.values(buffers).flatMap((buffer) => buffer ?? []),
    ...(press ? [press.start, press.arguments] : []),
  ]);
}

export function countBytes(parts: Parts): number {
  return listBuffers(parts).reduce((sum, { size }) => sum + size, 0);
}

export function destroyParts(parts: Parts): void {
  for (const buffer of listBuffers(parts)) buffer.destroy();
}
