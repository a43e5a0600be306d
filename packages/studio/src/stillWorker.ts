/** Traces rows of a still, and develops it; several of them share the rows. */
import {
  buildBvh,
  createTracer,
  developPicture,
  type RenderRows,
  type RenderScene,
  type Tracer,
} from '@tendril-sim/bridge/render';

export type ToStillWorker =
  | { readonly type: 'picture'; readonly scene: RenderScene }
  | { readonly type: 'rows'; readonly first: number; readonly last: number; readonly samples: number }
  | {
      readonly type: 'develop';
      readonly sums: RenderRows;
      readonly width: number;
      readonly height: number;
      readonly samples: number;
    };

export type FromStillWorker =
  | ({ readonly type: 'rows'; readonly first: number } & RenderRows)
  | { readonly type: 'developed'; readonly pixels: Uint8Array };

let tracer: Tracer | undefined;

const answer = (message: FromStillWorker, transfer: readonly ArrayBufferLike[]): void =>
  postMessage(message, { transfer: [...transfer] as ArrayBuffer[] });

addEventListener('message', ({ data }: MessageEvent<ToStillWorker>) => {
  switch (data.type) {
    case 'picture':
      tracer = createTracer(data.scene, buildBvh(data.scene.geometry));
      break;
    case 'rows': {
      if (!tracer) return;
      const { first, last, samples } = data;
      const { color, guide } = tracer.trace(first, last, 0, samples);
      answer({ type: 'rows', first, color, guide }, [color.buffer, guide.buffer]);
      break;
    }
    case 'develop': {
      const pixels = developPicture(data, data.sums, { samples: data.samples });
      answer({ type: 'developed', pixels }, [pixels.buffer]);
      break;
    }
  }
});
