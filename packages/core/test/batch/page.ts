/** Runs in the browser: strands on the page's GPU. What it gets and returns are plain numbers, so that it can be called from Node. */
import {
  createGpuBatch,
  type Device,
  type GpuBatchOptions,
  type GpuStep,
  type HeadPose,
  type PairCounts,
} from '../../src/batch/index.ts';

export interface PageRun {
  readonly options: GpuBatchOptions;
  readonly forces?: readonly number[];
  /** Pretends that a binding holds no more bytes. */
  readonly maxBytes?: number;
  /** Steps with the poses of the head at their end and, for TR-BDF2, between. */
  readonly steps: readonly (Omit<GpuStep, 'head'> & { readonly middle: HeadPose; readonly end: HeadPose })[];
  /** Iterations of relaxation, in place of steps. */
  readonly attractions?: readonly number[];
}

export interface PageResult {
  readonly adapter: string;
  readonly parts: number;
  /** After every step. */
  readonly positions: readonly (readonly number[])[];
  /** Of contact between strands, after every step. */
  readonly pairs: readonly PairCounts[];
}

interface Gpu {
  requestAdapter(): Promise<{
    readonly info: { readonly vendor: string; readonly architecture: string };
    requestDevice(descriptor: object): Promise<Device>;
  } | null>;
}

function limitDevice(device: Device, bytes: number): Device {
  return {
    limits: { maxStorageBufferBindingSize: bytes, maxBufferSize: bytes },
    queue: device.queue,
    createBuffer: (descriptor) => device.createBuffer(descriptor),
    createShaderModule: (descriptor) => device.createShaderModule(descriptor),
    createComputePipelineAsync: (descriptor) => device.createComputePipelineAsync(descriptor),
    createBindGroupLayout: (descriptor) => device.createBindGroupLayout(descriptor),
    createPipelineLayout: (descriptor) => device.createPipelineLayout(descriptor),
    createBindGroup: (descriptor) => device.createBindGroup(descriptor),
    createCommandEncoder: () => device.createCommandEncoder(),
    pushErrorScope: (filter) => device.pushErrorScope(filter),
    popErrorScope: () => device.popErrorScope(),
  };
}

async function run({ options, forces, steps, maxBytes, attractions = [] }: PageRun): Promise<PageResult> {
  const { gpu } = navigator as unknown as { readonly gpu?: Gpu };
  if (!gpu) throw new Error('the browser has no WebGPU');
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error('the browser has no WebGPU adapter');
  const device = await adapter.requestDevice({ requiredLimits: { maxStorageBuffersPerShaderStage: 10 } });
  const batch = await createGpuBatch(maxBytes ? limitDevice(device, maxBytes) : device, options);
  if (forces) batch.writeForces(forces);
  const positions: number[][] = [];
  const pairs: PairCounts[] = [];
  for (const { middle, end, ...step } of steps) {
    batch.step({ ...step, head: (part) => (part < 1 ? middle : end) });
    const read = await batch.readPositions();
    positions.push(Array.from(read.positions));
    pairs.push(read.pairs);
  }
  for (const attraction of attractions) batch.relax(attraction);
  if (attractions.length > 0) positions.push(Array.from((await batch.readPositions()).positions));
  batch.destroy();
  return { parts: batch.parts, adapter: `${adapter.info.vendor} ${adapter.info.architecture}`, positions, pairs };
}

Object.assign(globalThis, { runBatch: run });
