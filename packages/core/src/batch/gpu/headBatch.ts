/** Many clamped strands on one head that moves: for pages that draw hair themselves, and for benchmarks. */
import { LANES, type Stage } from '../layout.ts';
import type { Obstacle } from '../obstacles.ts';
import { bdf2Stage, eulerStage, restStage, TR_PART, trBdf2Stages } from '../schemes.ts';
import type { Scheme } from '../step.ts';
import {
  countBytes,
  createParts,
  destroyParts,
  encodeStage,
  floatAt,
  type HeadPose,
  type Part,
  type Parts,
  restingHead,
  type StrandsOptions,
  writeForces,
  writeObstacles,
  writeParameters,
} from './parts.ts';
import { FINISH, hasContactOf, WRITE_POSITIONS } from './shader.ts';
import { STATUS, STATUS_WORDS } from './statusShader.ts';
import { type Device, type DeviceEncoder, MAP_READ, USAGE } from './webgpu.ts';

export type { HeadPose } from './parts.ts';
/** Strands, head and solver settings of a GPU batch. */
export type GpuBatchOptions = StrandsOptions;

/** What one step of a GPU batch gets: time step, pose of the head, forces and obstacles. */
export interface GpuStep {
  readonly dt: number;
  readonly scheme?: Scheme;
  /** Newton iterations per stage; default 2. */
  readonly iterations?: number;
  /** A strand whose edges turn by less than this in an iteration is done [rad]; default 1e-5. */
  readonly tolerance?: number;
  /** At the end of the step; default: it rests. */
  readonly head?: (part: number) => HeadPose;
  /** As many as the strands were created for, where they are at the start of the step; not with TR-BDF2. */
  readonly obstacles?: readonly Obstacle[];
  /** Iterations of contact at least; default 4. */
  readonly contactIterations?: number;
  /** At most: 4, 8, 16 or 32 (default). Fewer are faster, and leave more contacts unsettled. */
  readonly mostContactIterations?: number;
}

/** Of each strand after a step. */
export interface Readback {
  /** [m], strand by strand, 3 per node. */
  readonly positions: Float32Array;
  /** Largest turn of an edge in the last iteration [rad]. */
  readonly turn: Float32Array;
  /** With obstacles: deepest overlap at the start of the step [m], and 1 where contacts did not settle. */
  readonly overlap: Float32Array;
  readonly unsettled: Float32Array;
  readonly pairs: PairCounts;
}

/** Of contact between strands in the last step; all zero where strands do not meet strands. */
export interface PairCounts {
  /** Strands with edges that were about to pass through another: halve the step where this is not zero. */
  readonly passed: number;
  /** Edges that move too far against their surroundings for the search, and edges that have more neighbours than it keeps: it may miss pairs. */
  readonly overflow: number;
  readonly crowded: number;
}

/** Many strands on a GPU, stepped together. */
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
  /** Of the first `count` strands. */
  readPositions(count?: number): Promise<Readback>;
  destroy(): void;
}

/** Puts strands on a device. Throws where the device refuses the program or the buffers. */
export async function createGpuBatch(device: Device, options: GpuBatchOptions): Promise<GpuBatch> {
  const { strands, count = strands.length } = options;
  const parts = await createParts(device, options, 'head');
  let head = restingHead;
  /** Length of the last step and its scheme: another scheme starts with a step of implicit Euler. */
  let before = 0;
  let remembered: Scheme | undefined;
  let steadyIterations: number | undefined;
  const write = (stage: Stage, now: HeadPose, last: HeadPose, flags: number, solve: Partial<GpuStep>): void => {
    const { iterations = 2, tolerance = 1e-5, dt = 0, contactIterations = 4, mostContactIterations: most } = solve;
    const contact = { dt, iterations: contactIterations, ...(most !== undefined && { most }) };
    for (const part of parts.list)
      writeParameters(device, part, options, { stage, now, last, start: head, flags, iterations, tolerance, contact });
  };
  const submit = (most?: number): void => {
    const encoder = device.createCommandEncoder();
    encodeStage(encoder, parts, most);
    device.queue.submit([encoder.finish()]);
  };
  const flags = FINISH | WRITE_POSITIONS;

  return {
    count,
    parts: parts.list.length,
    bytes: countBytes(parts),
    step(solve) {
      const { dt, scheme = 'bdf2', head: pose = () => head, obstacles = [] } = solve;
      if ((obstacles.length > 0 || options.pairs) && scheme === 'tr-bdf2')
        throw new Error('contact on the GPU goes with bdf2 or implicit-euler, not with tr-bdf2');
      writeObstacles(device, parts, obstacles);
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
      submit(solve.mostContactIterations);
      head = end;
      before = dt;
      remembered = scheme;
    },
    prepareSteady(solve) {
      steadyIterations = solve.mostContactIterations;
      write(bdf2Stage(solve.dt), head, head, flags, solve);
    },
    encodeSteady(encoder, times) {
      for (let k = 0; k < times; k++) encodeStage(encoder, parts, steadyIterations);
    },
    relax(attraction) {
      write(restStage(attraction), head, head, WRITE_POSITIONS, { iterations: 1, tolerance: 0 });
      submit();
      remembered = undefined;
    },
    writeForces: (values) => writeForces(device, parts, values),
    readPositions: (wanted = count) => readPositions(device, parts, wanted),
    destroy: () => destroyParts(parts),
  };
}

async function readPositions(device: Device, { list, shader }: Parts, wanted: number): Promise<Readback> {
  const { nodes } = shader;
  const positions = new Float32Array(3 * nodes * wanted);
  const [turn, overlap, unsettled] = [0, 1, 2].map(() => new Float32Array(wanted));
  for (const part of list) {
    const inPart = Math.min(part.count, wanted - part.first);
    if (inPart <= 0 || !part.buffers.positions) continue;
    const size = Math.ceil(inPart / LANES) * nodes * LANES * 16;
    const staging = device.createBuffer({ size, usage: USAGE.COPY_DST | USAGE.MAP_READ });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(part.buffers.positions, 0, staging, 0, size);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(MAP_READ);
    const rows = new Float32Array(staging.getMappedRange());
    for (let s = 0; s < inPart; s++) {
      const at = (i: number): number => floatAt(nodes, 1, s, i, 0);
      turn[part.first + s] = rows[at(0) + 3];
      if (hasContactOf(shader)) {
        overlap[part.first + s] = rows[at(1) + 3];
        unsettled[part.first + s] = rows[at(2) + 3];
      }
      for (let i = 0; i < nodes; i++)
        for (let k = 0; k < 3; k++) positions[3 * ((part.first + s) * nodes + i) + k] = rows[at(i) + k];
    }
    staging.unmap();
    staging.destroy();
  }
  return { positions, turn, overlap, unsettled, pairs: await readPairCounts(device, list) };
}

async function readPairCounts(device: Device, list: readonly Part[]): Promise<PairCounts> {
  let [passed, overflow, crowded] = [0, 0, 0];
  for (const { buffers } of list) {
    if (!buffers.pairs || !buffers.status) continue;
    const staging = device.createBuffer({ size: 4 * STATUS_WORDS, usage: USAGE.COPY_DST | USAGE.MAP_READ });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffers.status, 0, staging, 0, staging.size);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(MAP_READ);
    const words = new Uint32Array(staging.getMappedRange());
    passed += words[STATUS.passed];
    overflow += words[STATUS.overflow];
    crowded += words[STATUS.crowded];
    staging.unmap();
    staging.destroy();
  }
  return { passed, overflow, crowded };
}
