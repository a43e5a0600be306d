/** Measurements of heads of hair that touch themselves (gpuHead.ts). */
import type { Device, StrandDescription } from '@tendril-sim/core/batch';
import { describeCounts, type HairOptions, type HairScene, openHair } from './gpuHead.ts';
import { type MeasuredRow, medianOf, SUBSTEPS } from './gpuMeasure.ts';
import { timePasses } from './gpuPasses.ts';

/** What is measured: the hair, substeps in which it settles first, and iterations of contact at most. */
export interface HairRun extends HairOptions {
  readonly base: StrandDescription;
  readonly settle: number;
  readonly most: number;
}

function nameOf({ count, kind, base, most }: HairRun): string {
  return `${count} strands × ${base.edgeLength.length + 1}, ${kind}, ${most} iterations at most`;
}

/** Iterations of contact at most while hair settles. */
const SETTLING = 16;

/** Lets the hair settle, and prints how it gets on. */
async function settleHair(device: Device, { batch, settle }: HairScene, run: HairRun): Promise<void> {
  const { count } = run;
  for (let k = 0; k < run.settle; k++) {
    settle(k / run.settle, SETTLING);
    if (k % 10 === 9) await device.queue.onSubmittedWorkDone();
    if ((k + 1) % Math.ceil(run.settle / 4) === 0 || k + 1 === run.settle)
      console.log(`  settling, ${k + 1} substeps: ${describeCounts(await batch.readCounts(), count)}`);
  }
}

/** vec4f that a step of hair in contact moves at least, per node: its own steps and Newton iterations, and per contact and side the rows of the law. */
function pairTraffic(most: number, loaded: number, nodes: number): number {
  const perIteration = 8 + 12 + 3 + 3;
  const perSide = 3 + 1 + 4;
  return 15 + (most + 1) * perIteration + (most * 2 * perSide * loaded) / nodes;
}

/** Positions after the frames, and what was measured. */
export interface HairResult {
  readonly positions: Float32Array;
  readonly rows: readonly MeasuredRow[];
}

/** Frames of four substeps: median, mean and worst of their times, and what the last substep left. */
export async function measureHair(device: Device, run: HairRun, frames: number): Promise<HairResult> {
  const { most, count, base } = run;
  const hair = await openHair(device, base, run);
  const { batch, step } = hair;
  const advance = async (substeps: number): Promise<number> => {
    const start = performance.now();
    for (let k = 0; k < substeps; k++) step(most);
    await device.queue.onSubmittedWorkDone();
    return performance.now() - start;
  };
  await settleHair(device, hair, run);
  await advance(40);
  const times: number[] = [];
  while (times.length < frames) times.push(await advance(SUBSTEPS));
  times.sort((a, b) => a - b);
  const mean = times.reduce((a, b) => a + b, 0) / frames;
  const { positions } = await batch.readPositions();
  const counts = await batch.readCounts();
  const nodes = count * (base.edgeLength.length + 1);
  const ms = mean / SUBSTEPS;
  const rate = (16 * pairTraffic(most, counts.loaded, nodes) * nodes) / ms / 1e6;
  console.log(
    `${nameOf(run)}: ${mean.toFixed(2)} ms per frame of 4 substeps (mean of ${frames}; median ${medianOf(times).toFixed(2)}, ` +
      `worst twentieth ${times[Math.floor(0.95 * times.length)].toFixed(2)}), ${rate.toFixed(0)} GB/s at least, ${(batch.bytes / 2 ** 30).toFixed(2)} GiB, ` +
      `finite ${positions.every((x) => Math.abs(x) < 10)}\n    ${describeCounts(counts, count)}`,
  );
  batch.destroy();
  const name = `strands-${run.kind}${run.realTime ? '-real-time' : ''}-${most}`;
  return { positions, rows: [{ name, strands: count, ms, rate, frames }] };
}

/** Substeps that are halved where strands would pass: into how many, and how many still would. */
export async function measureHalving(device: Device, run: HairRun, substeps: number): Promise<void> {
  const { most, count } = run;
  const hair = await openHair(device, run.base, run);
  const { batch, advance } = hair;
  await settleHair(device, hair, run);
  let [steps, forced] = [0, 0];
  await device.queue.onSubmittedWorkDone();
  const start = performance.now();
  for (let k = 0; k < substeps; k++) {
    const done = await advance(most);
    steps += done.steps;
    if (done.isForced) forced++;
  }
  const ms = (performance.now() - start) / substeps;
  console.log(
    `${nameOf(run)}, halved: ${ms.toFixed(1)} ms per substep, ${(steps / substeps).toFixed(2)} steps each, ` +
      `${forced} of ${substeps} substeps with strands about to pass in the shortest steps\n    ${describeCounts(await batch.readCounts(), count)}`,
  );
  batch.destroy();
}

/** Prints how long each entry point takes per substep, in stretches of the motion. */
export async function profileHair(raw: Device, run: HairRun, stretches: readonly number[]): Promise<void> {
  const { most, count } = run;
  const { device, read } = timePasses(raw);
  const hair = await openHair(device, run.base, run);
  const { batch, step } = hair;
  await settleHair(device, hair, run);
  await read();
  for (const steps of stretches) {
    const total = new Map<string, number>();
    for (let k = 0; k < steps; k++) {
      step(most);
      for (const [name, ms] of await read()) total.set(name, (total.get(name) ?? 0) + ms);
    }
    const sum = [...total.values()].reduce((a, b) => a + b, 0) / steps;
    const parts = [...total].map(([name, ms]) => `${name} ${(ms / steps).toFixed(3)}`).join(', ');
    console.log(
      `${nameOf(run)}, ${steps} substeps: ${sum.toFixed(3)} ms of GPU time: ${parts}\n    ` +
        describeCounts(await batch.readCounts(), count),
    );
  }
  batch.destroy();
}
