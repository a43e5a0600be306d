/** A still of what the view shows, path-traced by workers, with progress and a way out. */
import { download } from './files.ts';
import * as state from './state.ts';
import { createTracePool } from './tracing.ts';
import type { View } from './view/viewTypes.ts';

/** Paths of light per pixel. */
const samples = 64;
/** Longest side [pixels]. */
const longest = 1920;

/** Traces the view as it is now, and saves it. */
export async function saveStill(view: View): Promise<void> {
  if (state.rendering.value) return;
  const { width, height } = view.size;
  const ratio = Math.min(Math.max(1, globalThis.devicePixelRatio || 1), longest / Math.max(width, height));
  const scene = await view.still({ width: Math.round(width * ratio), height: Math.round(height * ratio) });
  const pool = createTracePool();
  try {
    const pixels = await new Promise<Uint8Array | undefined>((resolve, reject) => {
      const show = (part: number): void => {
        state.rendering.value = { part, what: 'Tracing the still', cancel: () => resolve(undefined) };
      };
      show(0);
      pool.trace(scene, samples, show).then(resolve, reject);
    });
    if (!pixels) return;
    const name = state.sceneName.value.replace(/\.\w+$/, '-still.png');
    download(await encodePng(pixels, scene.width, scene.height), name);
    state.tell(`Saved ${name}.`, 'good');
  } catch (error) {
    state.tell(`The still: ${(error as Error).message}`, 'bad');
  } finally {
    pool.close();
    state.rendering.value = undefined;
  }
}

export async function encodePng(pixels: Uint8Array, width: number, height: number): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext('2d')?.putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0);
  return canvas.convertToBlob({ type: 'image/png' });
}
