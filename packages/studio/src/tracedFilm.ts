/**
 * The run as a path-traced film. A view of its own, which is not on the page, shows the frames that were there when it began: meanwhile the
 * page goes on, also with other scenes.
 */
import { ask, shownRun } from './connection.ts';
import { download } from './files.ts';
import { createFilmWriter, type FilmFormat, type FilmSize } from './filmWriter.ts';
import { findAround, isBare, withHairs } from './frames.ts';
import type { Frame } from './protocol.ts';
import * as state from './state.ts';
import { createTracePool } from './tracing.ts';
import { viewOptions } from './ui/viewOptions.ts';
import { createView } from './view/view.ts';
import type { View } from './view/viewTypes.ts';

export interface FilmPlan extends FilmSize {
  /** Times of the run [s]. */
  readonly from: number;
  readonly to: number;
  /** Simulated seconds per second of film. */
  readonly speed: number;
  /** Paths of light per pixel. */
  readonly samples: number;
  readonly format: FilmFormat;
}

export const pictureCount = ({ from, to, speed, fps }: FilmPlan): number =>
  Math.max(1, Math.floor(((to - from) / speed) * fps + 1e-6) + 1);

/** Pictures of a run that the camera looks at before it takes its place. */
const looks = { rods: 60, hair: 6 } as const;

/** The view that is filmed, and what was simulated. */
interface Stage {
  readonly view: View;
  /** Shows the run at a time [s]. */
  show(time: number): Promise<void>;
  close(): void;
}

async function createStage({ width, height, from, to }: FilmPlan, live: View): Promise<Stage> {
  const { value: loaded } = state.loaded;
  if (!loaded) throw new Error('there is no scene');
  const run = shownRun();
  const frames = [...state.frames.frames];
  const host = document.createElement('div');
  host.style.cssText = `position:fixed;left:-99999px;width:${width}px;height:${height}px`;
  const canvas = document.createElement('canvas');
  host.append(canvas);
  document.body.append(host);
  const view = createView(canvas, { isCoarse: true });
  const whole = async (frame: Frame): Promise<Frame> => {
    const guides = frame.lanes.find((lane) => lane.guides)?.guides;
    if (!guides || !isBare(frame)) return frame;
    return withHairs(frame, (await ask('hairs', { run, guides })).data);
  };
  const stage: Stage = {
    view,
    async show(time) {
      const around = findAround(frames, time);
      if (!around) throw new Error('there is no frame yet');
      const isHair = around.a.lanes.some(({ guides }) => guides);
      const a = await whole(around.a);
      // guides and hairs of two frames would have to be mixed; frames of hair are as many as pictures
      const b = isHair || around.a === around.b ? a : around.b;
      view.show(a, b, isHair ? 0 : around.weight);
    },
    close() {
      view.dispose();
      host.remove();
    },
  };
  view.load(loaded, { keepCamera: false });
  view.setOptions(viewOptions());
  const pose = live.camera();
  if (pose) view.setCamera(pose);
  const count = loaded.hair ? looks.hair : looks.rods;
  for (let k = 0; k < count; k++) await stage.show(from + ((to - from) * k) / (count - 1));
  // the camera comes to rest where it sees all of that, and stays
  view.render(10);
  view.holdCamera();
  return stage;
}

const minutes = (seconds: number): string =>
  seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;

/** Traces the pictures of the plan one after the other and saves them. */
export async function renderFilm(plan: FilmPlan, live: View): Promise<void> {
  if (state.rendering.value) return;
  const count = pictureCount(plan);
  const pool = createTracePool();
  let isCancelled = false;
  let stop: () => void = () => {};
  const cancelled = new Promise<undefined>((resolve) => {
    stop = () => {
      isCancelled = true;
      resolve(undefined);
    };
  });
  const begin = performance.now();
  const report = (part: number): void => {
    const left = part > 0.02 ? `, ${minutes(((performance.now() - begin) / 1000) * (1 / part - 1))} left` : '';
    const number = Math.min(count, Math.floor(part * count) + 1);
    state.rendering.value = { part, what: `Tracing picture ${number} of ${count}${left}`, cancel: stop };
  };
  // a page that is closed loses the film
  const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
  addEventListener('beforeunload', warn);
  const name = state.sceneName.value.replace(/\.\w+$/, '');
  const open: { close(): void }[] = [pool];
  report(0);
  try {
    const stage = await createStage(plan, live);
    open.push(stage);
    const writer = await createFilmWriter(plan.format, plan, name);
    open.push(writer);
    for (let k = 0; k < count && !isCancelled; k++) {
      await stage.show(plan.from + (k * plan.speed) / plan.fps);
      const scene = await stage.view.still(plan);
      const traced = pool.trace(scene, plan.samples, (part) => {
        if (!isCancelled) report((k + part) / count);
      });
      const pixels = await Promise.race([traced, cancelled]);
      if (pixels) await writer.add(pixels);
    }
    if (isCancelled) return;
    download(await writer.finish(), `${name}.${plan.format}`);
    state.tell(`Saved ${name}.${plan.format}.`, 'good');
  } catch (error) {
    state.tell(`The film: ${(error as Error).message}.`, 'bad');
  } finally {
    for (const each of open) each.close();
    removeEventListener('beforeunload', warn);
    state.rendering.value = undefined;
  }
}
