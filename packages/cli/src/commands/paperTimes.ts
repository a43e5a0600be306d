/** Measures times per step of the scenes whose times a paper reports, for a table with both. */
import { cpus } from 'node:os';
import { cases, type StudyTable, type TimedScene } from '@tendril-sim/cases';
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
  readonly iterations: number;
  readonly count: number;
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
        ? [ours.nodes, Number(ours.step.toPrecision(3)), Number(ours.median.toPrecision(2)), ours.iterations.toFixed(1)]
        : ['', '', 'not measured', '']),
      found?.remark ?? '',
    ]);
  }
  const machine = cpus()[0]?.model.replace(/\s+/g, ' ').trim() || 'unknown processor';
  return {
    kind: 'table',
    title: 'Milliseconds per step, the paper’s and ours',
    caption: `Theirs: ${paper.times.machine}. Ours: one thread of ${machine}, Node ${process.versions.node}, median over steps. Their steps are explicit with a projection; ours are implicit by default, so that fewer of them cover the same time.`,
    columns: [
      'row',
      'vertices',
      'step [ms]',
      'paper [ms]',
      'nodes',
      'our step [ms]',
      'ours [ms]',
      'Newton iterations',
      'remark',
    ],
    rows,
  };
}

async function timeScene({ scene, row, from = 0 }: TimedScene, seconds: number): Promise<Timing> {
  const world = await openWorld(sourceOf(row, scene()), { threads: 1 });
  while (world.time < from) world.step();
  // the first steps also compile the code
  for (let k = 0; k < 20; k++) world.step();
  const times: number[] = [];
  let iterations = 0;
  const start = performance.now();
  while (times.length < 20 || performance.now() - start < 1000 * seconds) {
    const before = performance.now();
    iterations += world.step().iterations;
    times.push(performance.now() - before);
  }
  times.sort((a, b) => a - b);
  return {
    nodes: world.rods.reduce((sum, { nodeCount }) => sum + nodeCount, 0),
    step: 1000 * (world.scene.time?.step ?? 0),
    median: times[times.length >> 1],
    iterations: iterations / times.length,
    count: times.length,
  };
}
