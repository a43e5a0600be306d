/** The benchmark of the page: frames of four substeps, with and without the picture, for heads of growing hair. */
import type { Bust } from './bust.ts';
import { type Drawing, openDrawing } from './drawing.ts';
import { createMotion } from './motion.ts';
import { FRAME, type Hair, openHair, SETTLING } from './simulation.ts';
import { type HairShapes, NODES } from './style.ts';

/** Strands of the heads that are measured. */
export const MEASURED: readonly number[] = [1000, 10000, 100000];
const [WARM_UP, FRAMES] = [60, 200];
const [WIDTH, HEIGHT] = [1280, 720];
/** Hairs that are drawn, at least: a strand of few stands for a lock. */
const DRAWN = 100000;

export interface Measurement {
  readonly strands: number;
  readonly hairs: number;
  /** Medians of a frame [ms]: simulated, and simulated and drawn. */
  readonly simulated: number;
  readonly drawn: number;
  /** Strands whose contacts did not settle in the last step. */
  readonly unsettled: number;
}

export const hairsPerStrand = (strands: number): number => Math.max(1, Math.min(32, Math.round(DRAWN / strands)));

async function medianOf(frames: number, take: () => void, device: GPUDevice): Promise<number> {
  const times: number[] = [];
  for (let k = 0; k < frames; k++) {
    const start = performance.now();
    take();
    await device.queue.onSubmittedWorkDone();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[frames >> 1];
}

/** One head of hair. */
async function measureHead(
  device: GPUDevice,
  hair: Hair,
  { drawing, target }: { readonly drawing: Drawing; readonly target: GPUTexture },
): Promise<Measurement> {
  const motion = createMotion('turns');
  motion.wind = 1;
  const advance = (): void => hair.advance(motion.advance(FRAME));
  const view = target.createView();
  const orbit = { around: 0.5, above: 0.1, distance: 1.6 };
  const draw = (): void => {
    const encoder = device.createCommandEncoder();
    drawing.draw(encoder, view, { orbit, pose: hair.pose, color: [0.3, 0.15, 0.07], width: WIDTH, height: HEIGHT });
    device.queue.submit([encoder.finish()]);
  };
  const strands = hair.batch.count;
  const hairs = drawing.setHair(hair.batch, hairsPerStrand(strands));
  await medianOf(SETTLING + WARM_UP, advance, device);
  const simulated = await medianOf(FRAMES, advance, device);
  const drawn = await medianOf(
    FRAMES,
    () => {
      advance();
      draw();
    },
    device,
  );
  const { unsettled } = await hair.batch.readCounts();
  return { strands, hairs, simulated, drawn, unsettled };
}

/** Measures one head after the other; `grow` makes its strands. */
export async function* measure(
  device: GPUDevice,
  bust: Bust,
  grow: (count: number) => HairShapes | Promise<HairShapes>,
  counts: readonly number[] = MEASURED,
): AsyncGenerator<Measurement> {
  const format = 'rgba8unorm';
  const target = device.createTexture({ size: [WIDTH, HEIGHT], format, usage: 0x10 });
  const drawing = await openDrawing(device, format, bust.mesh);
  try {
    for (const count of counts) {
      const hair = await openHair(device, { shapes: await grow(count), bust, touches: false, iterations: 8 });
      try {
        yield await measureHead(device, hair, { drawing, target });
      } finally {
        hair.destroy();
      }
    }
  } finally {
    drawing.destroy();
    target.destroy();
  }
}

/** A line of the table, for a page or a terminal. */
export function describeMeasurement({ strands, hairs, simulated, drawn, unsettled }: Measurement): string {
  const rate = (ms: number): string => `${ms.toFixed(2)} ms (${Math.round(1000 / ms)} per second)`;
  return (
    `${strands} strands × ${NODES} nodes: simulated ${rate(simulated)}; with ${hairs} hairs drawn at ${WIDTH} × ${HEIGHT} ` +
    `${rate(drawn)}; ${((100 * unsettled) / strands).toFixed(1)} % not settled`
  );
}
