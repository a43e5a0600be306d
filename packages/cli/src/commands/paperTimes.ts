/** Measures times per step of the scenes whose times a paper reports, for a table with both. */
import { cpus } from 'node:os';
import { cases, type StudyTable, type TimedScene } from '@tendril-sim/cases';
import type { World } from '@tendril-sim/core';
import { openWorld } from '../openWorld.ts';
import { sourceOf } from '../source.ts';
import { announce, type PaperJob } from './paperFigures.ts';

/** Wall time of a measurement [s], after the simulation has reached the state to measure. */
const patience = { quick: 0.2, normal: 1.5, full: 5 };

interface Timing {
  readonly nodes: number;
  /** [ms] */
  readonly step: number;
  readonly median: number;
  /** Of CPU time: other programs on the machine do not add to it. */
  readonly mean: number;
}

export async function measureTimes(job: PaperJob): Promise<StudyTable | undefined> {
  const { paper, profile, interrupt } = job;
  if (!paper.times) return undefined;
  const timed = cases.flatMap((one) =>
    (one.papers ?? []).flatMap((claim) => (claim.paper === paper.id && claim.timed ? [claim.timed] : [])),
  );
  const rows: (string | number)[][] = [];
  for (const { row, vertices, step, total } of paper.times.rows) {
    const found = timed.find((one) => one.row === row);
    announce(job, `${paper.times.figure}: ${row}`);
    if (interrupt.requested) return undefined;
    const ours = found && (await timeScene(found, patience[profile]));
    rows.push([
      row,
      vertices,
      step,
      total,
      ...(ours
        ? [
            ours.nodes,
            Number(ours.step.toPrecision(3)),
            Number(ours.median.toPrecision(2)),
            Number(ours.mean.toPrecision(2)),
            Number((total / step).toPrecision(2)),
            Number((ours.mean / ours.step).toPrecision(2)),
          ]
        : ['', '', 'not measured', '', '', '']),
      found?.remark ?? '',
    ]);
  }
  const machine = cpus()[0]?.model.replace(/\s+/g, ' ').trim() || 'unknown processor';
  return {
    kind: 'table',
    title: 'Milliseconds per step, the paper’s and ours',
    caption: `Theirs: ${paper.times.machine}. Ours: one thread of ${machine}, Node ${process.versions.node}, over the steps of the example: median of wall time, mean of CPU time. The mean includes compilation, garbage collection and steps that are split where a rod jumps. s/s: computing time per simulated second, the paper’s total over its step, and our mean over our step; theirs are explicit steps with a projection, ours implicit ones.`,
    columns: [
      'row',
      'vertices',
      'step [ms]',
      'paper [ms]',
      'nodes',
      'our step [ms]',
      'ours, median [ms]',
      'ours, mean [ms]',
      'paper [s/s]',
      'ours [s/s]',
      'remark',
    ],
    rows,
  };
}

async function timeScene(timed: TimedScene, seconds: number): Promise<Timing> {
  const times: number[] = [];
  let sum = 0;
  let world = await openTimed(timed);
  // the first steps also compile the code
  for (let k = 0; k < 20; k++) world.step();
  const end = world.scene.time?.duration ?? Infinity;
  const start = performance.now();
  while (times.length < 20 || performance.now() - start < 1000 * seconds) {
    // the steps of the example, again and again
    if (world.time >= end) world = await openTimed(timed);
    const before = performance.now();
    const used = process.cpuUsage();
    world.step();
    const { user, system } = process.cpuUsage(used);
    sum += (user + system) / 1000;
    times.push(performance.now() - before);
  }
  times.sort((a, b) => a - b);
  return {
    nodes: world.rods.reduce((count, { nodeCount }) => count + nodeCount, 0),
    step: 1000 * (world.scene.time?.step ?? 0),
    median: times[times.length >> 1],
    mean: sum / times.length,
  };
}

/** The world of a scene in the state from which it is measured. */
async function openTimed({ scene, row, from = 0 }: TimedScene): Promise<World> {
  const world = await openWorld(sourceOf(row, scene()), { threads: 1 });
  while (world.time < from) world.step();
  return world;
}
