/** The part of WebGPU that the driver uses: any `GPUDevice` (of a page, or of the npm package `webgpu`) fits. */

export interface DeviceBuffer {
  readonly size: number;
  mapAsync(mode: number): Promise<unknown>;
  getMappedRange(): ArrayBuffer;
  unmap(): void;
  destroy(): void;
}

export interface DevicePass {
  setPipeline(pipeline: DevicePipeline): void;
  setBindGroup(index: number, group: object | null): void;
  dispatchWorkgroups(count: number): void;
  dispatchWorkgroupsIndirect(from: DeviceBuffer, offset: number): void;
  end(): void;
}

export interface DeviceEncoder {
  beginComputePass(descriptor?: object): DevicePass;
  copyBufferToBuffer(from: DeviceBuffer, fromOffset: number, to: DeviceBuffer, toOffset: number, size: number): void;
  clearBuffer(buffer: DeviceBuffer, offset?: number, size?: number): void;
  finish(): object;
}

export type DevicePipeline = object;

/** The part of WebGPU's device that the batch uses. */
export interface Device {
  /** Fulfilled when the device is gone. */
  readonly lost?: Promise<{ readonly message: string }>;
  readonly limits: {
    readonly maxStorageBufferBindingSize: number;
    readonly maxBufferSize: number;
    readonly maxStorageBuffersPerShaderStage?: number;
  };
  readonly queue: {
    writeBuffer(
      buffer: DeviceBuffer,
      offset: number,
      data: ArrayBuffer | Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>,
    ): void;
    submit(commands: object[]): void;
    onSubmittedWorkDone(): Promise<unknown>;
  };
  createBuffer(descriptor: { readonly size: number; readonly usage: number }): DeviceBuffer;
  createShaderModule(descriptor: { readonly code: string }): object;
  createComputePipelineAsync(descriptor: object): Promise<DevicePipeline>;
  createBindGroupLayout(descriptor: object): object;
  createPipelineLayout(descriptor: object): object;
  createBindGroup(descriptor: object): object;
  createCommandEncoder(): DeviceEncoder;
  pushErrorScope(filter: 'validation' | 'out-of-memory'): void;
  popErrorScope(): Promise<{ readonly message: string } | null>;
}

/** Bits of GPUBufferUsage and GPUMapMode. */
export const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, UNIFORM: 64, STORAGE: 128, INDIRECT: 256 } as const;
export const MAP_READ = 1;
