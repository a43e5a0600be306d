/** Workers that trace pictures together, rows of a picture each. */
import type { RenderRows, RenderScene } from '@tendril-sim/bridge/render';
import type { FromStillWorker, ToStillWorker } from './stillWorker.ts';

const rowsPerTask = 8;

export interface TracePool {
  /**
   * Pixels of the scene, RGBA, one picture at a time; `samples`: paths of light per pixel; `report`: the part that is done, 0…1. Fails where
   * a worker breaks, and never ends after `close`.
   */
  trace(scene: RenderScene, samples: number, report: (part: number) => void): Promise<Uint8Array>;
  close(): void;
}

const startWorker = (): Worker =>
  new Worker(new URL('./stillWorker.ts', import.meta.url), { type: 'module', name: 'still' });

export function createTracePool(): TracePool {
  // one processor stays free for the page
  const workers = Array.from({ length: Math.max(1, (navigator.hardwareConcurrency || 2) - 1) }, startWorker);
  return {
    trace: (scene, samples, report) => trace(workers, scene, samples, report),
    close() {
      for (const worker of workers) worker.terminate();
    },
  };
}

function trace(
  workers: readonly Worker[],
  scene: RenderScene,
  samples: number,
  report: (part: number) => void,
): Promise<Uint8Array> {
  const { width, height } = scene;
  const sums: RenderRows = {
    color: new Float32Array(4 * width * height),
    guide: new Float32Array(7 * width * height),
  };
  const tasks = Math.ceil(height / rowsPerTask);
  let [next, done] = [0, 0];
  return new Promise((resolve, reject) => {
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
      report(done / tasks);
      if (done === tasks) send(worker, { type: 'develop', sums, width, height, samples });
      else give(worker);
    };
    for (const worker of workers) {
      worker.onmessage = ({ data }: MessageEvent<FromStillWorker>) => take(worker, data);
      worker.onerror = ({ message }) => reject(new Error(message || 'its worker could not be fetched'));
      send(worker, { type: 'picture', scene });
      give(worker);
    }
  });
}
