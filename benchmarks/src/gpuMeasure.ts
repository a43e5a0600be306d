/** Times and results of the GPU benchmarks. */
import { appendFileSync, existsSync } from 'node:fs';
import type { Device } from '@tendril-sim/core/batch';

/** Substeps of a frame. */
export const SUBSTEPS = 4;
/** A cold card takes three times as long; so it computes for this time first [ms]. */
const WARM_UP = 1500;

/** A line of the results. */
export interface MeasuredRow {
  readonly name: string;
  readonly strands: number;
  /** Median of a substep [ms]. */
  readonly ms: number;
  /** Effective bandwidth [GB/s]: bytes that the algorithm must move, counted from the source, over the time. */
  readonly rate: number;
  readonly frames: number;
}

/** Median of some numbers. */
export function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

/** Median time of a frame [ms], of so many after a warm-up; `take` submits one. */
export async function timeFrames(device: Device, frames: number, take: () => void): Promise<number> {
  const run = async (): Promise<number> => {
    const start = performance.now();
    take();
    await device.queue.onSubmittedWorkDone();
    return performance.now() - start;
  };
  const warm = performance.now();
  while (performance.now() - warm < WARM_UP) await run();
  const times: number[] = [];
  while (times.length < frames) times.push(await run());
  return medianOf(times);
}

/** Appends rows to the results of a machine. */
export function appendRows(file: string, rows: readonly MeasuredRow[]): void {
  if (!existsSync(file)) appendFileSync(file, 'date,row,strands,milliseconds per substep,GB/s,frames\n');
  const date = new Date().toISOString().slice(0, 10);
  for (const { name, strands, ms, rate, frames } of rows)
    appendFileSync(file, `${[date, name, strands, ms.toFixed(4), rate.toFixed(0), frames].join(',')}\n`);
}
