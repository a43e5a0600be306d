/** A still of what the view shows, path-traced by workers, with progress and a way out. */
import type { RenderRows, RenderScene } from '@tendril-sim/bridge/render';
import { download } from './files.ts';
import * as state from './state.ts';
import type { FromStillWorker, ToStillWorker } from './stillWorker.ts';
import type { View } from './view/viewTypes.ts';

/** Paths of light per pixel. */
const samples = 64;
const rowsPerTask = 8;
/** Longest side [pixels]. */
const longest = 1920;

/** Traces the view as it is now, and saves it. */
export async function saveStill(view: View): Promise<void> {
  if (state.rendering.value) return;
  const { width, height } = view.size;
  const ratio = Math.min(Math.max(1, globalThis.devicePixelRatio || 1), longest / Math.max(width, height));
  const scene = await view.still({ width: Math.round(width * ratio), height: Math.round(height * ratio) });
  const pixels = await render(scene);
  if (!pixels) return;
  const name = state.sceneName.value.replace(/\.\w+$/, '-still.png');
  download(await encode(pixels, scene), name);
  state.tell(`Saved ${name}.`, 'good');
}

async function encode(pixels: Uint8Array, { width, height }: RenderScene): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext('2d')?.putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0);
  return canvas.convertToBlob({ type: 'image/png' });
}

const startWorker = (): Worker =>
  new Worker(new URL('./stillWorker.ts', import.meta.url), { type: 'module', name: 'still' });

/** Pixels of the scene; undefined if it was cancelled or a worker broke, which a message says. */
function render(scene: RenderScene): Promise<Uint8Array | undefined> {
  const { width, height } = scene;
  const sums: RenderRows = {
    color: new Float32Array(4 * width * height),
    guide: new Float32Array(7 * width * height),
  };
  const tasks = Math.ceil(height / rowsPerTask);
  // one processor stays free for the page
  const count = Math.max(1, Math.min(tasks, (navigator.hardwareConcurrency || 2) - 1));
  const workers = Array.from({ length: count }, startWorker);
  let [next, done] = [0, 0];
  return new Promise<Uint8Array | undefined>((resolve) => {
    const show = (): void => {
      state.rendering.value = { part: done / tasks, cancel: () => resolve(undefined) };
    };
    const send = (worker: Worker, message: ToStillWorker): void => worker.postMessage(message);
    const give = (worker: Worker): void => {
      const first = rowsPerTask * next++;
      if (first < height) send(worker, { type: 'rows', first, last: Math.min(height, first + rowsPerTask), samples });
    };
    const take = (worker: Worker, answer: FromStillWorker): void => {
      if (answer.type === 'developed') {
        resolve(answer.pixels);
        return;
      }
      sums.color.set(answer.color, 4 * width * answer.first);
      sums.guide.set(answer.guide, 7 * width * answer.first);
      done++;
      show();
      if (done === tasks) send(worker, { type: 'develop', sums, width, height, samples });
      else give(worker);
    };
    show();
    for (const worker of workers) {
      worker.onmessage = ({ data }: MessageEvent<FromStillWorker>) => take(worker, data);
      worker.onerror = ({ message }) => {
        state.tell(`The still: ${message || 'its worker could not be fetched'}`, 'bad');
        resolve(undefined);
      };
      send(worker, { type: 'picture', scene });
      give(worker);
    }
  }).finally(() => {
    for (const worker of workers) worker.terminate();
    state.rendering.value = undefined;
  });
}
