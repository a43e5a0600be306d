/** Traces pictures on several threads. The pixels do not depend on their number. */
import { Worker } from 'node:worker_threads';
import { type Bvh, buildBvh, type RenderRows, type RenderScene } from '@tendril-sim/bridge/render';
import type { Interrupt } from '../interrupt.ts';
import type { FromThread, ToThread } from './thread.ts';

/** Rows that a thread traces at a time. */
const rowsAtOnce = 4;

/** Time between two looks for an interrupt [ms]. */
const interruptPoll = 50;

/** Traces pictures. */
export interface RenderPool {
  /** Sums over `samples` samples per pixel; undefined after an interrupt. */
  trace(
    scene: RenderScene,
    samples: number,
    interrupt: Interrupt,
    report: (fraction: number) => void,
  ): Promise<RenderRows | undefined>;
  close(): Promise<void>;
}

/** Starts threads. The caller's own thread only waits, so that an interrupt does not have to wait for rows. */
export function createRenderPool(threads: number): RenderPool {
  const workers = Array.from({ length: threads }, () => new Worker(new URL('./thread.js', import.meta.url)));
  return {
    async trace(scene, samples, interrupt, report) {
      const shared = { ...scene, geometry: share(scene.geometry) };
      const bvh = share(buildBvh(scene.geometry));
      const sums = emptyRows(scene);
      const isDone = await traceInThreads(workers, { scene: shared, bvh, samples }, sums, interrupt, report);
      return isDone ? sums : undefined;
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

interface Job {
  readonly scene: RenderScene;
  readonly bvh: Bvh;
  readonly samples: number;
}

function emptyRows({ width, height }: RenderScene): RenderRows {
  return { color: new Float32Array(4 * width * height), guide: new Float32Array(7 * width * height) };
}

function storeRows(sums: RenderRows, width: number, { first, color, guide }: FromThread): void {
  sums.color.set(color, 4 * width * first);
  sums.guide.set(guide, 7 * width * first);
}

/** Gives every thread rows as it finishes others. */
function traceInThreads(
  workers: readonly Worker[],
  { scene, bvh, samples }: Job,
  sums: RenderRows,
  interrupt: Interrupt,
  report: (fraction: number) => void,
): Promise<boolean> {
  let [next, done] = [0, 0];
  return new Promise((resolve, reject) => {
    const release: (() => void)[] = [];
    const finish = (settle: () => void): void => {
      for (const one of release) one();
      settle();
    };
    const give = (worker: Worker): void => {
      if (next >= scene.height) return;
      const last = Math.min(scene.height, next + rowsAtOnce);
      worker.postMessage({ type: 'rows', first: next, last, samples } satisfies ToThread);
      next = last;
    };
    const take = (worker: Worker, rows: FromThread): void => {
      storeRows(sums, scene.width, rows);
      done += rows.color.length / 4 / scene.width;
      report(done / scene.height);
      if (done >= scene.height) finish(() => resolve(true));
      else give(worker);
    };
    const timer = setInterval(() => {
      if (interrupt.requested) finish(() => resolve(false));
    }, interruptPoll);
    release.push(() => clearInterval(timer));
    for (const worker of workers) {
      const onMessage = (rows: FromThread): void => take(worker, rows);
      const onError = (error: Error): void => finish(() => reject(error));
      worker.on('message', onMessage).on('error', onError);
      release.push(() => worker.off('message', onMessage).off('error', onError));
      worker.postMessage({ type: 'picture', scene, bvh } satisfies ToThread);
      give(worker);
    }
  });
}

/** The same object with its arrays in memory that threads share. */
function share<T extends object>(value: T): T {
  const entries = Object.entries(value).map(([name, one]) => [name, ArrayBuffer.isView(one) ? shareArray(one) : one]);
  return Object.fromEntries(entries) as T;
}

function shareArray(array: ArrayBufferView): ArrayBufferView {
  const memory = new SharedArrayBuffer(array.byteLength);
  new Uint8Array(memory).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  const Kind = array.constructor as new (memory: SharedArrayBuffer) => ArrayBufferView;
  return new Kind(memory);
}
