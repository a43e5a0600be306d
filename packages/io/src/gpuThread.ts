/** Runs in the thread of `startGpu`: finds a device, reports it, and serves requests. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import { createGpuServer, type Device, type GpuMessage } from '@tendril-sim/core/batch';

export interface GpuThreadData {
  /** Closes when the thread ends, which notifies the others. */
  readonly lifeline: MessagePort;
}

export type GpuThreadReport = { readonly adapter: string; readonly isSoftware: boolean } | { readonly error: string };

/** The part of the package `webgpu` that is used. */
interface WebGpu {
  create(flags: string[]): {
    requestAdapter(options: object): Promise<{
      readonly info: {
        readonly vendor: string;
        readonly device: string;
        readonly description: string;
        readonly architecture: string;
      };
      readonly limits: Readonly<Record<string, number>>;
      requestDevice(descriptor: object): Promise<Device>;
    } | null>;
  };
}

/** Requests more than the default limits if the device allows it, so that large sets of strands are split less often. */
const wantedLimits = ['maxStorageBufferBindingSize', 'maxBufferSize', 'maxStorageBuffersPerShaderStage'];

/** Keeps a reference: Dawn crashes if a device's origin is garbage-collected. */
const kept: unknown[] = [];

async function openDevice(): Promise<{
  readonly device: Device;
  readonly adapter: string;
  readonly isSoftware: boolean;
}> {
  // named by a variable, so that programs compile without the package
  const name = 'webgpu';
  let webgpu: WebGpu;
  try {
    webgpu = (await import(name)) as WebGpu;
  } catch (error) {
    const isMissing = (error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND';
    throw new Error(
      isMissing
        ? 'the npm package webgpu is not installed; install it: npm install webgpu'
        : `the npm package webgpu does not load: ${(error as Error).message}`,
    );
  }
  const instance = webgpu.create([]);
  const adapter = await instance.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new Error('WebGPU finds no adapter; a GPU needs its driver, on Linux also libvulkan1');
  const { info, limits } = adapter;
  const requiredLimits = Object.fromEntries(wantedLimits.map((limit) => [limit, limits[limit]]));
  const device = await adapter.requestDevice({ requiredLimits });
  kept.push(instance, adapter);
  const words = info.description || `${info.vendor} ${info.device || info.architecture}`.trim();
  return { device, adapter: words, isSoftware: /swiftshader|llvmpipe|lavapipe/i.test(JSON.stringify(words)) };
}

try {
  const { device, adapter, isSoftware } = await openDevice();
  const server = createGpuServer(device);
  parentPort?.on('message', (message: GpuMessage) => void server.serve(message));
  const report: GpuThreadReport = { adapter, isSoftware };
  parentPort?.postMessage(report);
} catch (error) {
  const report: GpuThreadReport = { error: (error as Error).message };
  parentPort?.postMessage(report);
}
