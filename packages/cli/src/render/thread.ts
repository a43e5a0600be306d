/** A thread that traces rows of a picture. */
import { parentPort } from 'node:worker_threads';
import { type Bvh, createTracer, type RenderScene, type Tracer } from '@tendril-sim/bridge/render';

/** A picture to trace, or rows of it. */
export type ToThread =
  | { readonly type: 'picture'; readonly scene: RenderScene; readonly bvh: Bvh }
  | { readonly type: 'rows'; readonly first: number; readonly last: number; readonly samples: number };

/** The sums of rows. */
export interface FromThread {
  readonly first: number;
  readonly color: Float32Array;
  readonly guide: Float32Array;
}

let tracer: Tracer | undefined;

parentPort?.on('message', (message: ToThread) => {
  if (message.type === 'picture') {
    tracer = createTracer(message.scene, message.bvh);
    return;
  }
  if (!tracer) return;
  const { first, last, samples } = message;
  const { color, guide } = tracer.trace(first, last, 0, samples);
  parentPort?.postMessage({ first, color, guide } satisfies FromThread, [
    color.buffer as ArrayBuffer,
    guide.buffer as ArrayBuffer,
  ]);
});
