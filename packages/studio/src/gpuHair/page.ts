/** A head of hair on the visitor's graphics processor: grown in a worker, simulated and drawn on the device. */
import './page.css';
import type { Bust } from './bust.ts';
import type { Orbit } from './camera.ts';
import { type Drawing, openDrawing } from './drawing.ts';
import { type OpenedDevice, openGpuDevice } from './gpuDevice.ts';
import { handle } from './hand.ts';
import { describeMeasurement, hairsPerStrand, measure } from './measure.ts';
import { createMotion } from './motion.ts';
import { type Choices, openPanel, readChoices } from './panel.ts';
import { FRAME, type Hair, openHair } from './simulation.ts';
import type { HairShapes, StyleId } from './style.ts';
import type { StyleAnswer, StyleRequest } from './styleWorker.ts';

const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const view = find<HTMLCanvasElement>('view');
const status = find('status');

/** Says what the page does. */
function say(text: string): void {
  status.textContent = text;
  status.classList.remove('problem');
}

/** Says why the page does not do what it should. */
function complain(text: string): void {
  status.textContent = text;
  status.classList.add('problem');
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Strands of a hairstyle, and the bust; undefined if another request came after. */
type Grower = (style: StyleId, count: number) => Promise<{ shapes: HairShapes; bust: Bust } | undefined>;

/** Asks the worker for strands, and the first time for the bust; the last request wins. */
function createGrower(): Grower {
  const worker = new Worker(new URL('./styleWorker.ts', import.meta.url), { type: 'module' });
  let [last, bust]: [number, Bust | undefined] = [0, undefined];
  return (style, count) =>
    new Promise((resolve, reject) => {
      const ticket = ++last;
      worker.addEventListener('message', function take({ data }: MessageEvent<StyleAnswer>) {
        if (data.ticket !== ticket) return;
        worker.removeEventListener('message', take);
        bust ??= data.bust;
        if (data.error || !data.shapes || !bust) reject(new Error(data.error ?? 'no hair was grown'));
        else resolve(ticket === last ? { shapes: data.shapes, bust } : undefined);
      });
      worker.addEventListener('error', () => reject(new Error('the worker that grows hair has stopped')), {
        once: true,
      });
      worker.postMessage({ ticket, style, count, withBust: !bust } satisfies StyleRequest);
    });
}

/** Frames per second, as a mean over the last ones. */
function createMeter(): (now: number) => number {
  const times: number[] = [];
  return (now) => {
    times.push(now);
    if (times.length > 60) times.shift();
    return times.length > 1 ? (1000 * (times.length - 1)) / (now - times[0]) : 0;
  };
}

/** What is shown. */
interface Show {
  readonly opened: OpenedDevice;
  readonly context: GPUCanvasContext;
  choices: Choices;
  drawing?: Drawing;
  hair?: Hair;
  hairs: number;
  isMeasuring: boolean;
  /** True while the page says what went wrong: the rate of frames must not take its place. */
  hasProblem: boolean;
  /** Number of the hair that was asked for last. */
  asked: number;
}

const orbit: Orbit = { around: 0.5, above: 0.1, distance: 1.35 };
const first = readChoices(location.search);
const motion = createMotion(first.motion);
motion.wind = first.wind;

/** Choices that take other strands. */
const regrown: readonly (keyof Choices)[] = ['style', 'strands', 'touches'];

/** Grows the chosen hair, and puts it in place of what is there, unless other hair was asked for meanwhile. */
async function regrow(show: Show, grow: Grower): Promise<void> {
  const { choices, opened } = show;
  const asked = ++show.asked;
  show.hasProblem = false;
  say(`Growing ${choices.strands.toLocaleString('en')} strands …`);
  const grown = await grow(choices.style, choices.strands);
  if (!grown || asked !== show.asked) return;
  say('Preparing the graphics processor …');
  const hair = await openHair(opened.device, { ...grown, touches: choices.touches, iterations: 8 });
  show.drawing ??= await openDrawing(opened.device, navigator.gpu.getPreferredCanvasFormat(), grown.bust.mesh);
  if (asked !== show.asked) {
    hair.destroy();
    return;
  }
  show.hair?.destroy();
  show.hair = hair;
  show.hairs = show.drawing.setHair(hair.batch, hairsPerStrand(choices.strands));
}

/** One frame: a sixtieth of a second of hair, and its picture. */
function showFrame({ drawing, opened, context, choices }: Show, hair: Hair): void {
  if (!drawing) return;
  hair.advance(motion.advance(FRAME));
  const sharpness = Math.min(devicePixelRatio, 2);
  const [width, height] = [view.clientWidth, view.clientHeight].map((size) =>
    Math.max(1, Math.round(size * sharpness)),
  );
  Object.assign(view, view.width === width && view.height === height ? {} : { width, height });
  const encoder = opened.device.createCommandEncoder();
  const target = context.getCurrentTexture().createView();
  drawing.draw(encoder, target, { orbit, pose: hair.pose, color: choices.color, width, height });
  opened.device.queue.submit([encoder.finish()]);
}

/** A display that shows more than 60 frames per second gets a new one for every second or third of its own. */
const SHORTEST = 1000 * FRAME - 4;

/** Shows frame after frame, each when the device has finished the one before. */
async function run(show: Show): Promise<void> {
  const meter = createMeter();
  for (let [frame, last] = [0, 0]; ; ) {
    const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
    if (show.isMeasuring || !show.hair || now - last < SHORTEST) continue;
    last = now;
    showFrame(show, show.hair);
    await show.opened.device.queue.onSubmittedWorkDone();
    const rate = meter(now);
    if (++frame % 15 === 0 && !show.hasProblem) say(describeShow(show, rate));
  }
}

function describeShow({ hair, hairs, opened }: Show, rate: number): string {
  const number = (value: number): string => value.toLocaleString('en');
  const pace = rate < 58 ? `, ${(rate / 60).toFixed(2)} of real time` : '';
  const strands = number(hair?.batch.count ?? 0);
  return `${strands} strands, ${number(hairs)} hairs · ${rate.toFixed(0)} frames per second${pace} · ${opened.name}`;
}

/** Measures the device, with the page's own hair put away. */
async function measureDevice(show: Show, grow: Grower, report: (line: string) => void): Promise<void> {
  show.hair?.destroy();
  delete show.hair;
  say('Measuring: this takes a minute …');
  const { bust } = (await grow('long', 1000)) ?? {};
  if (!bust) return;
  const shapesOf = async (count: number): Promise<HairShapes> => {
    const grown = await grow('long', count);
    if (!grown) throw new Error('another hairstyle was asked for');
    return grown.shapes;
  };
  for await (const one of measure(show.opened.device, bust, shapesOf)) report(describeMeasurement(one));
}

async function open(): Promise<void> {
  const opened = await openGpuDevice(navigator.gpu);
  const context = view.getContext('webgpu') as GPUCanvasContext | null;
  if (!context) throw new Error('This browser has WebGPU, but does not draw with it.');
  context.configure({ device: opened.device, format: navigator.gpu.getPreferredCanvasFormat(), alphaMode: 'opaque' });
  const grow = createGrower();
  const show: Show = { opened, context, choices: first, hairs: 0, isMeasuring: false, hasProblem: false, asked: 0 };
  const fail = (error: unknown): void => {
    show.hasProblem = true;
    complain(describe(error));
  };
  void opened.device.lost.then(({ message }) => fail(`The graphics processor was lost: ${message} Reload the page.`));
  const panel = openPanel(find('panel'), first, {
    change(choices, changed) {
      show.choices = choices;
      Object.assign(motion, { id: choices.motion, wind: choices.wind });
      if (regrown.includes(changed)) regrow(show, grow).catch(fail);
    },
    measure() {
      show.isMeasuring = true;
      panel.setBusy(true);
      measureDevice(show, grow, panel.report)
        .catch((error) => panel.report(`Not measured: ${describe(error)}`))
        .then(() => regrow(show, grow))
        .catch(fail)
        .finally(() => {
          show.isMeasuring = false;
          panel.setBusy(false);
        });
    },
  });
  handle(view, orbit, motion);
  await regrow(show, grow);
  await run(show);
}

open().catch((error) => {
  complain(`${describe(error)} The studio grows and simulates hair on any device.`);
  const link = Object.assign(document.createElement('a'), { href: './', textContent: ' Open the studio' });
  status.append(link);
});
