/** The GPU of this machine for worlds in Node, through the npm package `webgpu` (Dawn). */
import { MessageChannel, Worker } from 'node:worker_threads';
import { createGpuModel, type GpuModel } from '@tendril-sim/core/batch';
import type { GpuThreadData, GpuThreadReport } from './gpuThread.ts';
import type { MonitorData } from './threadMonitor.ts';

/** A WebGPU device in Node. */
export interface Gpu {
  /** For `createWorld`, with `solver.der.backend: gpu` in the scene. */
  readonly model: GpuModel;
  /** True if the adapter computes on the CPU, such as SwiftShader: slower than the other backends. */
  readonly isSoftware: boolean;
  /** Ends its thread. A world that uses it continues without it. */
  close(): void;
}

/** No GPU is available; the message gives the reason. */
export class NoGpuError extends Error {}

/** Starts the thread that owns the device. Throws NoGpuError if there is none. */
export async function startGpu(): Promise<Gpu> {
  const { port1: lifeline, port2: watched } = new MessageChannel();
  const data: GpuThreadData = { lifeline };
  const worker = new Worker(new URL('./gpuThread.js', import.meta.url), {
    workerData: data,
    transferList: [lifeline],
    // options of the program, such as --input-type, are not for its threads
    execArgv: [],
  });
  const ended = new Int32Array(new SharedArrayBuffer(4));
  const report = await new Promise<GpuThreadReport>((resolve) => {
    worker.once('message', resolve);
    worker.on('error', ({ message }) => resolve({ error: message }));
    worker.on('exit', () => {
      Atomics.store(ended, 0, 1);
      resolve({ error: 'its thread has ended' });
    });
  });
  if ('error' in report) {
    void worker.terminate();
    throw new NoGpuError(report.error);
  }
  // a thread alone does not keep a program running
  worker.unref();
  const monitor: MonitorData = { ended, lifelines: [watched] };
  new Worker(new URL('./threadMonitor.js', import.meta.url), {
    workerData: monitor,
    execArgv: [],
    transferList: [watched],
  }).unref();
  const port = {
    postMessage: (message: unknown): void => worker.postMessage(message),
    hasEnded: (): boolean => Atomics.load(ended, 0) === 1,
  };
  return {
    model: createGpuModel(port, report.adapter),
    isSoftware: report.isSoftware,
    close() {
      ended.fill(1);
      void worker.terminate();
    },
  };
}
