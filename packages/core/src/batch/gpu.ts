/**
 * Many clamped strands with the same number of nodes on a GPU, in single precision: buffers, parameters and dispatches around the
 * program of shader.ts. Strands that exceed a binding are split into parts with buffers of their own.
 */
import type { Quaternion, Vector } from './algebra.ts';
import { compose, conjugate, normalize } from './formulas.ts';
import { LANES, type Stage, stageFields } from './layout.ts';
import { isUniform, packBlocks, packStrands, type StrandDescription } from './pack.ts';
import { bdf2Stage, eulerStage, restStage, TR_PART, trBdf2Stages } from './schemes.ts';
import {
  bufferSlots,
  FINISH,
  PARAMETER_BYTES,
  parameterIntegers,
  parameterVectors,
  type ShaderOptions,
  STRAND_FLOATS,
  WRITE_POSITIONS,
  writeShader,
} from './shader.ts';
import type { Scheme } from './step.ts';
import { type Device, type DeviceBuffer, type DeviceEncoder, type DevicePipeline, MAP_READ, USAGE } from './webgpu.ts';

export interface HeadPose {
  readonly rotation: Quaternion;
  readonly position: Vector;
}

export interface GpuBatchOptions {
  readonly nodes: number;
  /** Repeated in this order until there are `count` strands. */
  readonly strands: readonly StrandDescription[];
  readonly count?: number;
  readonly gravity?: Vector;
  /** [1/s] and [s] */
  readonly massDamping?: number;
  readonly stiffnessDamping?: number;
  /** Whether `writeForces` will be called. */
  readonly forces?: boolean;
  readonly gains?: 'f16' | 'f32';
  readonly workgroup?: number;
}

export interface GpuStep {
  readonly dt: number;
  readonly scheme?: Scheme;
  /** Newton iterations per stage; default 2. */
  readonly iterations?: number;
  /** A strand whose edges turn by less than this in an iteration is done [rad]; default 1e-5. */
  readonly tolerance?: number;
  /** At the end of the step; default: it rests. */
  readonly head?: (part: number) => HeadPose;
}

export interface GpuBatch {
  readonly count: number;
  readonly parts: number;
  /** Bytes of all buffers on the device. */
  readonly bytes: number;
  step(options: GpuStep): void;
  /** Appends the same step `times` times to an encoder, for measuring: BDF2 in steady state with the head at rest. */
  encodeSteady(encoder: DeviceEncoder, times: number): void;
  prepareSteady(options: GpuStep): void;
  /** Iterations towards equilibrium: each attracts the next with `attraction` [1/s²]. */
  relax(attraction: number): void;
  /** Forces on nodes [N], strand by strand, 3 per node. */
  writeForces(forces: ArrayLike<number>): void;
  /** Positions [m] of the first `count` strands, strand by strand, 3 per node, and the largest turn in the last iteration [rad]. */
  readPositions(count?: number): Promise<{ readonly positions: Float32Array; readonly turn: Float32Array }>;
  destroy(): void;
}

interface Part {
  readonly first: number;
  readonly count: number;
  readonly parameters: DeviceBuffer;
  readonly position: DeviceBuffer;
  readonly force: DeviceBuffer | undefined;
  readonly buffers: readonly DeviceBuffer[];
  readonly group: object;
}

const STORAGE = USAGE.STORAGE | USAGE.COPY_DST | USAGE.COPY_SRC;
const still: HeadPose = { rotation: [0, 0, 0, 1], position: [0, 0, 0] };

/** How the strands are split into parts: blocks of LANES strands that repeat, and blocks that one binding holds. */
function planParts(
  limit: number,
  count: number,
  strands: number,
  bytesPerBlock: number,
): { readonly period: number; readonly blocks: number } {
  const fitting = Math.floor(limit / bytesPerBlock);
  // strands that repeat start every part anew
  const period = count === strands ? Math.ceil(count / LANES) : strands;
  const blocks = count === strands ? fitting : Math.floor(fitting / period) * period;
  if (blocks < 1) throw new Error(`a buffer of ${limit} bytes does not hold the strands; use fewer or shorter ones`);
  return { period, blocks };
}

/** Buffers of `count` strands from `first` on, filled. */
function createPart(
  device: Device,
  pipeline: DevicePipeline,
  shader: ShaderOptions,
  part: {
    readonly strands: readonly StrandDescription[];
    readonly first: number;
    readonly count: number;
    readonly period: number;
  },
): Part {
  const { strands, first, count, period } = part;
  const slots = bufferSlots(shader);
  const blocks = Math.ceil(count / LANES);
  const rows = blocks * shader.nodes * LANES * 16;
  const make = (size: number, usage: number = STORAGE): DeviceBuffer => device.createBuffer({ size, usage });
  const parameters = make(PARAMETER_BYTES, USAGE.UNIFORM | USAGE.COPY_DST);
  const strand = make(4 * count * STRAND_FLOATS);
  const joint = make(rows * slots.joint);
  const state = make(rows * slots.state);
  const gain = make(rows * slots.gain);
  const position = make(rows);
  const force = shader.forces ? make(rows) : undefined;
  const packed = packBlocks(strands, Math.min(period, blocks), shader);
  device.queue.writeBuffer(strand, 0, packStrands(strands, count));
  fillBuffer(device, joint, packed.joint, rows * slots.joint);
  fillBuffer(device, state, packed.state, rows * slots.state);
  const buffers = [parameters, strand, joint, state, gain, position, ...(force ? [force] : [])];
  const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  return { first, count, parameters, position, force, buffers, group };
}

/** What a dispatch is given. */
interface Dispatch {
  readonly stage: Stage;
  /** At the end of the stage, at the end of the stage before, and at the start of the step. */
  readonly now: HeadPose;
  readonly last: HeadPose;
  readonly start: HeadPose;
  readonly flags: number;
  readonly iterations: number;
  readonly tolerance: number;
}

function writeParameters(device: Device, part: Part, options: GpuBatchOptions, dispatch: Dispatch): void {
  const { stage, now, last, start } = dispatch;
  const vectors: Record<(typeof parameterVectors)[number], readonly number[]> = {
    head: now.rotation,
    headBefore: last.rotation,
    headStart: start.rotation,
    turn: normalize(compose(now.rotation, conjugate(start.rotation))),
    shift: [...[0, 1, 2].map((k) => now.position[k] - start.position[k]), options.massDamping ?? 0],
    gravity: [...(options.gravity ?? [0, 0, 0]), options.stiffnessDamping ?? 0],
    place: [...now.position, dispatch.tolerance],
  };
  const integers: Record<(typeof parameterIntegers)[number], number> = {
    strands: part.count,
    iterations: dispatch.iterations,
    flags: dispatch.flags,
    spare: 0,
  };
  const block = new ArrayBuffer(PARAMETER_BYTES);
  const floats = new Float32Array(block);
  parameterVectors.forEach((name, k) => {
    floats.set(vectors[name], 4 * k);
  });
  const o = 4 * parameterVectors.length;
  new Uint32Array(block).set(
    parameterIntegers.map((name) => integers[name]),
    o,
  );
  floats.set(
    stageFields.map((name) => stage[name]),
    o + parameterIntegers.length,
  );
  device.queue.writeBuffer(part.parameters, 0, block);
}

function writeForces(device: Device, parts: readonly Part[], nodes: number, values: ArrayLike<number>): void {
  for (const { first, count, force } of parts) {
    if (!force) throw new Error('the strands were created without forces: set forces: true');
    const rows = new Float32Array(force.size / 4);
    for (let s = 0; s < count; s++)
      for (let i = 0; i < nodes; i++)
        for (let k = 0; k < 3; k++)
          rows[4 * (((s >> 5) * nodes + i) * LANES + (s & 31)) + k] = values[3 * ((first + s) * nodes + i) + k];
    device.queue.writeBuffer(force, 0, rows);
  }
}

/** The program and the buffers; throws where the device refuses one of them. */
async function createParts(
  device: Device,
  options: GpuBatchOptions,
  shader: ShaderOptions,
): Promise<{ readonly pipeline: DevicePipeline; readonly parts: Part[] }> {
  const { strands, nodes, count = strands.length } = options;
  const slots = bufferSlots(shader);
  device.pushErrorScope('validation');
  device.pushErrorScope('out-of-memory');
  const pipeline = await device.createComputePipelineAsync({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code: writeShader(shader) }), entryPoint: 'advance' },
  });
  const limit = Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize);
  const bytesPerBlock = Math.max(slots.state, slots.gain, slots.joint) * nodes * LANES * 16;
  const { period, blocks } = planParts(limit, count, strands.length, bytesPerBlock);
  const parts: Part[] = [];
  for (let first = 0; first < count; first += blocks * LANES) {
    const inPart = Math.min(count - first, blocks * LANES);
    const listed = count === strands.length ? strands.slice(first, first + inPart) : strands;
    parts.push(createPart(device, pipeline, shader, { strands: listed, first, count: inPart, period }));
  }
  for (let k = 0; k < 2; k++) {
    const error = await device.popErrorScope();
    if (error) throw new Error(`the device refuses the strands: ${error.message}`);
  }
  return { pipeline, parts };
}

/** Puts strands on a device. Throws where the device refuses the program or the buffers. */
export async function createGpuBatch(device: Device, options: GpuBatchOptions): Promise<GpuBatch> {
  const { strands, nodes, count = strands.length } = options;
  const bad = strands.find(({ edgeLength }) => edgeLength.length !== nodes - 1);
  if (bad) throw new Error(`a strand has ${bad.edgeLength.length + 1} nodes; all must have ${nodes}`);
  const shader: ShaderOptions = {
    nodes,
    gains: options.gains ?? 'f16',
    varying: !strands.every(isUniform),
    forces: options.forces ?? false,
    viscous: (options.stiffnessDamping ?? 0) > 0,
    workgroup: options.workgroup ?? 64,
  };
  const { pipeline, parts } = await createParts(device, options, shader);
  let head = still;
  /** Length of the last step and its scheme: another scheme starts with a step of implicit Euler. */
  let before = 0;
  let remembered: Scheme | undefined;
  const write = (stage: Stage, now: HeadPose, last: HeadPose, flags: number, solve: Partial<GpuStep>): void => {
    const { iterations = 2, tolerance = 1e-5 } = solve;
    for (const part of parts)
      writeParameters(device, part, options, { stage, now, last, start: head, flags, iterations, tolerance });
  };
  const encode = (encoder: DeviceEncoder): void => {
    for (const part of parts) {
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, part.group);
      pass.dispatchWorkgroups(Math.ceil(part.count / shader.workgroup));
      pass.end();
    }
  };
  const submit = (): void => {
    const encoder = device.createCommandEncoder();
    encode(encoder);
    device.queue.submit([encoder.finish()]);
  };
  const flags = FINISH | WRITE_POSITIONS;

  return {
    count,
    parts: parts.length,
    bytes: parts.reduce((sum, { buffers }) => buffers.reduce((total, { size }) => total + size, sum), 0),
    step(solve) {
      const { dt, scheme = 'bdf2', head: pose = () => head } = solve;
      const end = pose(1);
      const goesOn = remembered === scheme;
      if (scheme === 'tr-bdf2' && goesOn) {
        const [first, second] = trBdf2Stages(dt);
        const middle = pose(TR_PART);
        write(first, middle, head, 0, solve);
        submit();
        write(second, end, middle, flags, solve);
      } else if (scheme === 'bdf2' && goesOn) write(bdf2Stage(dt, before), end, head, flags, solve);
      else write(eulerStage(dt, scheme === 'tr-bdf2' ? 2 : 1), end, head, flags, solve);
      submit();
      head = end;
      before = dt;
      remembered = scheme;
    },
    prepareSteady: (solve) => write(bdf2Stage(solve.dt), head, head, flags, solve),
    encodeSteady(encoder, times) {
      for (let k = 0; k < times; k++) encode(encoder);
    },
    relax(attraction) {
      write(restStage(attraction), head, head, WRITE_POSITIONS, { iterations: 1, tolerance: 0 });
      submit();
      remembered = undefined;
    },
    writeForces: (values) => writeForces(device, parts, nodes, values),
    readPositions: (wanted = count) => readPositions(device, parts, nodes, wanted),
    destroy() {
      for (const { buffers } of parts) for (const buffer of buffers) buffer.destroy();
    },
  };
}

/** Writes a pattern once and repeats it on the device. */
function fillBuffer(device: Device, to: DeviceBuffer, pattern: Float32Array<ArrayBuffer>, size: number): void {
  device.queue.writeBuffer(to, 0, pattern);
  if (size <= pattern.byteLength) return;
  const from = device.createBuffer({ size: pattern.byteLength, usage: STORAGE });
  device.queue.writeBuffer(from, 0, pattern);
  const encoder = device.createCommandEncoder();
  for (let o = pattern.byteLength; o < size; o += pattern.byteLength)
    encoder.copyBufferToBuffer(from, 0, to, o, Math.min(pattern.byteLength, size - o));
  device.queue.submit([encoder.finish()]);
}

async function readPositions(
  device: Device,
  parts: readonly Part[],
  nodes: number,
  wanted: number,
): Promise<{ positions: Float32Array; turn: Float32Array }> {
  const positions = new Float32Array(3 * nodes * wanted);
  const turn = new Float32Array(wanted);
  for (const part of parts) {
    const inPart = Math.min(part.count, wanted - part.first);
    if (inPart <= 0) continue;
    const size = Math.ceil(inPart / LANES) * nodes * LANES * 16;
    const staging = device.createBuffer({ size, usage: USAGE.COPY_DST | USAGE.MAP_READ });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(part.position, 0, staging, 0, size);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(MAP_READ);
    const rows = new Float32Array(staging.getMappedRange());
    for (let s = 0; s < inPart; s++) {
      const at = (i: number): number => 4 * (((s >> 5) * nodes + i) * LANES + (s & 31));
      turn[part.first + s] = rows[at(0) + 3];
      for (let i = 0; i < nodes; i++)
        for (let k = 0; k < 3; k++) positions[3 * ((part.first + s) * nodes + i) + k] = rows[at(i) + k];
    }
    staging.unmap();
    staging.destroy();
  }
  return { positions, turn };
}
