/** Many clamped strands on one head that moves: for pages that draw hair themselves, and for benchmarks. */
import { LANES, type Stage } from '../layout.ts';
import { bdf2Stage, eulerStage, restStage, TR_PART, trBdf2Stages } from '../schemes.ts';
import type { Scheme } from '../step.ts';
import {
  countBytes,
  createParts,
  destroyParts,
  encodeStage,
  floatAt,
  type HeadPose,
  type Parts,
  restingHead,
  type StrandsOptions,
  writeForces,
  writeParameters,
} from './parts.ts';
import { FINISH, WRITE_POSITIONS } from './shader.ts';
import { type Device, type DeviceEncoder, MAP_READ, USAGE } from './webgpu.ts';

export type { HeadPose } from './parts.ts';
export type GpuBatchOptions = StrandsOptions;

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

/** Puts strands on a device. Throws where the device refuses the program or the buffers. */
export async function createGpuBatch(device: Device, options: GpuBatchOptions): Promise<GpuBatch> {
  const { strands, count = strands.length } = options;
  const parts = await createParts(device, options, 'head');
  let head = restingHead;
  /** Length of the last step and its scheme: another scheme starts with a step of implicit Euler. */
  let before = 0;
  let remembered: Scheme | undefined;
  const write = (stage: Stage, now: HeadPose, last: HeadPose, flags: number, solve: Partial<GpuStep>): void => {
    const { iterations = 2, tolerance = 1e-5 } = solve;
    for (const part of parts.list)
      writeParameters(device, part, options, { stage, now, last, start: head, flags, iterations, tolerance });
  };
  const submit = (): void => {
    const encoder = device.createCommandEncoder();
    encodeStage(encoder, parts);
    device.queue.submit([encoder.finish()]);
  };
  const flags = FINISH | WRITE_POSITIONS;

  return {
    count,
    parts: parts.list.length,
    bytes: countBytes(parts),
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
      for (let k = 0; k < times; k++) encodeStage(encoder, parts);
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

async function readPositions(
  device: Device,
  { list, shader: { nodes } }: Parts,
  wanted: number,
): Promise<{ positions: Float32Array; turn: Float32Array }> {
  const positions = new Float32Array(3 * nodes * wanted);
  const turn = new Float32Array(wanted);
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
      for (let i = 0; i < nodes; i++)
        for (let k = 0; k < 3; k++) positions[3 * ((part.first + s) * nodes + i) + k] = rows[at(i) + k];
    }
    staging.unmap();
    staging.destroy();
  }
  return { positions, turn };
}
