/** Measurements of heads of hair that touch themselves (gpuHead.ts). */
import type { Device, StrandDescription } from '@tendril-sim/core/batch';
import { describeCounts, type HairOptions, type HairScene, openHair } from './gpuHead.ts';
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

/** Frames of four substeps: median and worst of their times, and what the last substep left. */
export async function measureHair(device: Device, run: HairRun, frames: number): Promise<Float32Array> {
  const { most, count } = run;
  const hair = await openHair(device, run.base, run);
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
  while (times.length < frames) times.push(await advance(4));
  times.sort((a, b) => a - b);
  const { positions } = await batch.readPositions();
  console.log(
    `${nameOf(run)}: ${times[times.length >> 1].toFixed(2)} ms per frame of 4 substeps ` +
      `(median of ${frames}; worst twentieth ${times[Math.floor(0.95 * times.length)].toFixed(2)}), ${(batch.bytes / 2 ** 30).toFixed(2)} GiB, ` +
      `finite ${positions.every((x) => Math.abs(x) < 10)}\n    ${describeCounts(await batch.readCounts(), count)}`,
  );
  batch.destroy();
  return positions;
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
