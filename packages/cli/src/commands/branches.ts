/**
 * `tendril statics` with `follow: branch`: a branch of equilibria through folds, and the branches that leave it at bifurcations. The
 * main branch is recorded in the command's folder, side branches in folders `branch-1`, `branch-2` … in it; the diagram shows all.
 */
import { join } from 'node:path';
import type { BranchEnd, BranchPoint, PathRow, World, WorldState } from '@tendril-sim/core';
import { buildResult, csvLine, type Stop } from '@tendril-sim/io';
import { exitCode } from '../exit.ts';
import { openFolder } from '../folder.ts';
import { curveColors } from '../html/style.ts';
import { createBreather } from '../interrupt.ts';
import { drawLinePlot, type Series } from '../plot/lines.ts';
import { createFolderRecorder, type Recorder, writeResult } from '../recorder.ts';
import { explained } from '../source.ts';
import { interruptedStop } from '../stop.ts';
import { describeRods, reportFolder } from '../summary.ts';
import { bad, createProgress, formatDuration, formatError, formatNumber, formatTable, good } from '../terminal.ts';
import { version } from '../version.ts';
import { endBadly, type WorldJob } from './run.ts';

export type BranchJob = WorldJob<{ readonly quiet?: boolean; readonly json?: boolean; readonly force?: boolean }>;

/** Start of a branch. */
interface Origin {
  readonly parent: number;
  readonly start: 'along' | 'across' | 'back';
  /** Number of bifurcations between it and the main branch. */
  readonly depth: number;
  readonly state?: WorldState;
}

interface Branch extends Origin {
  readonly points: BranchPoint[];
  readonly rows: PathRow[];
  /** Positions of the rod's nodes at each point. */
  readonly shapes: Float64Array[];
  readonly bifurcations: WorldState[];
  end: BranchEnd;
  stop?: Stop;
}

/** Maximum number of side branches. */
const MOST_BRANCHES = 24;

export async function followBranches(job: BranchJob): Promise<number> {
  const { folder, source, world, options, terminal, interrupt } = job;
  const startWall = performance.now();
  const branches: Branch[] = [];
  const origins: Origin[] = [{ parent: -1, start: 'along', depth: 0 }];
  for (let k = 0; k < origins.length && branches.length <= MOST_BRANCHES && !interrupt.requested; k++) {
    const branch = await recordBranch(job, origins[k], k);
    branches.push(branch);
    if (branch.depth >= (source.scene.statics?.switches ?? 0)) continue;
    for (const state of branch.bifurcations)
      for (const start of ['across', 'back'] as const)
        origins.push({ parent: k, start, depth: branch.depth + 1, state });
  }
  const title = source.scene.title ?? source.name;
  folder.write('branches.csv', branchLines(branches));
  folder.write('branches.svg', drawDiagram(title, world, branches));
  const wallSeconds = (performance.now() - startWall) / 1000;
  const content = writeResult(resultOf(job, branches[0], wallSeconds, branches), folder);
  const stop = branches.find((branch) => branch.stop)?.stop;
  const lost = branches.find(({ end }) => end.reason === 'lost');
  if (lost) terminal.err(formatError(explainLost(lost, source.scene.statics?.parameter)));
  if (options.json) terminal.out(content);
  if (!options.quiet) {
    const print = options.json ? terminal.err : terminal.out;
    print(formatEvents(branches, source.scene.statics?.parameter));
    const points = branches.reduce((sum, branch) => sum + branch.points.length, 0);
    const head = stop || lost ? bad('✗ stopped') : good('✓ done');
    const count = `${branches.length} ${branches.length === 1 ? 'branch' : 'branches'}, ${points} equilibria`;
    print(`${head}: ${count} in ${formatDuration(wallSeconds)}\n`);
    reportFolder(folder, print);
  }
  return stop ? exitCode.interrupted : lost ? exitCode.failed : exitCode.done;
}

/** Follows one branch and records it in the command's folder, or in a folder of its own. */
async function recordBranch(job: BranchJob, origin: Origin, index: number): Promise<Branch> {
  const { source, world, options, terminal } = job;
  const branch: Branch = {
    ...origin,
    points: [],
    rows: [],
    shapes: [],
    bifurcations: [],
    end: { reason: 'points', detail: '' },
  };
  const folder =
    index === 0
      ? job.folder
      : openFolder({ out: join(job.folder.path, `branch-${index}`), force: options.force === true, name: '' });
  const recorder = explained(source, () =>
    createFolderRecorder(world, folder, { clock: () => branch.points.at(-1)?.arc ?? 0 }),
  );
  const startWall = performance.now();
  try {
    await walk(job, branch, recorder);
    for (const { message } of recorder.finish(figuresOf(source.scene.title ?? source.name, world, index)))
      terminal.err(formatError(message));
    if (index > 0) writeResult(resultOf(job, branch, (performance.now() - startWall) / 1000), folder);
    return branch;
  } catch (error) {
    throw endBadly(error, recorder, source);
  } finally {
    if (index > 0) folder.close();
  }
}

async function walk(
  { world, options, terminal, interrupt }: BranchJob,
  branch: Branch,
  recorder: Recorder,
): Promise<void> {
  const { from = 0, to = from, points: most = 1000 } = world.scene.statics ?? {};
  const progress = createProgress(terminal, options.quiet === true);
  const breathe = createBreather();
  if (branch.state) world.restore(branch.state);
  const path = world.branch(branch.start);
  for (;;) {
    const next = path.next();
    if (next.done) {
      branch.end = next.value;
      break;
    }
    branch.points.push(next.value);
    branch.rows.push(rowOf(next.value, world));
    branch.shapes.push(world.samples[0].nodePosition.slice());
    if (next.value.kind === 'bifurcation') branch.bifurcations.push(world.save());
    recorder.frame();
    recorder.energyRow([next.value.parameter, next.value.kind, next.value.negativeModes]);
    const { parameter, iterations } = next.value;
    const { length: count } = branch.points;
    const reached = `point ${count} of at most ${most}, at ${formatNumber(parameter)} of ${formatNumber(to)}`;
    progress.update({ fraction: count / most, time: parameter, end: to, iterations, reached });
    await breathe();
    if (!interrupt.requested) continue;
    branch.stop = interruptedStop(parameter, 'the branch ends here; run it again for the rest').stop;
    break;
  }
  progress.done();
}

function rowOf({ parameter, negativeModes, criterion, iterations }: BranchPoint, world: World): PathRow {
  const stable = negativeModes === 0;
  const energies = world.energies();
  return { parameter, energies, negativeModes, stable, criterion, converged: true, iterations, saddlesLeft: 0 };
}

function resultOf(
  { world, source }: BranchJob,
  branch: Branch,
  wallSeconds: number,
  all: readonly Branch[] = [branch],
): ReturnType<typeof buildResult> & Record<string, unknown> {
  return {
    ...buildResult({ world, version, command: 'statics', file: source.origin, wallSeconds, stopped: branch.stop }),
    path: branch.rows,
    branches: all.map(({ parent, start, points, end }) => ({
      parent,
      start,
      end: end.reason,
      points: points.map(({ kind, parameter, arc, negativeModes }) => ({ kind, parameter, arc, negativeModes })),
    })),
  };
}

function figuresOf(title: string, world: World, index: number): Parameters<Recorder['finish']>[0] {
  return {
    title,
    subtitle: `${index === 0 ? 'main branch' : `branch ${index}`} · ${describeRods(world.rods)}`,
    extraColumns: ['parameter', 'kind', 'negativeModes'],
    parameter: { label: 'distance along the branch', unit: '', column: 'arc' },
  };
}

function* branchLines(branches: readonly Branch[]): Generator<string> {
  const energies = ['bending', 'twisting', 'stretching', 'potential', 'total'] as const;
  yield csvLine(['branch', 'parent', 'point', 'kind', 'parameter', 'arc', 'negativeModes', ...energies]);
  for (const [b, { parent, points, rows }] of branches.entries())
    for (const [k, { kind, parameter, arc, negativeModes }] of points.entries())
      yield csvLine([
        b,
        parent < 0 ? '' : parent,
        k,
        kind,
        parameter,
        arc,
        negativeModes,
        ...energies.map((name) => rows[k].energies[name]),
      ]);
}

/** The coordinate of a node that changes most over all branches. */
function chooseCoordinate(branches: readonly Branch[]): number {
  const shapes = branches.flatMap((branch) => branch.shapes);
  const ranges = Array.from(shapes[0] ?? [], (_, d) => {
    let [low, high] = [Infinity, -Infinity];
    for (const shape of shapes) {
      low = Math.min(low, shape[d]);
      high = Math.max(high, shape[d]);
    }
    return high - low;
  });
  return ranges.indexOf(Math.max(...ranges));
}

/** Branches whose curves are named in the diagram: the names of more would not be readable. */
const MOST_NAMES = 12;

/** Stable stretches are drawn solid, others dashed. */
function drawDiagram(title: string, world: World, branches: readonly Branch[]): string {
  const name = world.scene.statics?.parameter;
  const d = chooseCoordinate(branches);
  const series: Series[] = branches.flatMap(({ points, shapes }, b) => {
    const stretches: { stable: boolean; x: number[]; y: number[] }[] = [];
    points.forEach(({ parameter, kind, negativeModes: own }, k) => {
      // at the bifurcation where a side branch starts, a mode has no sign
      const negativeModes = kind === 'start' && b > 0 ? points[1]?.negativeModes : own;
      const stable = negativeModes === 0;
      const last = stretches.at(-1);
      last?.x.push(parameter);
      last?.y.push(shapes[k][d]);
      if (last?.stable !== stable) stretches.push({ stable, x: [parameter], y: [shapes[k][d]] });
    });
    return stretches.map(({ stable, x, y }, k) => ({
      label: k < stretches.length - 1 || b >= MOST_NAMES ? '' : b === 0 ? 'main' : `branch ${b}`,
      color: curveColors[b % curveColors.length],
      ...(stable ? {} : { dash: '5 4' }),
      x,
      y,
    }));
  });
  const events = branches.flatMap(({ points, shapes }) =>
    points.flatMap(({ kind, parameter }, k) =>
      kind === 'fold' || kind === 'bifurcation' ? [{ x: parameter, y: shapes[k][d], filled: kind === 'fold' }] : [],
    ),
  );
  return drawLinePlot({
    title,
    subtitle: 'solid: stable; dashed: unstable; dots: folds; circles: bifurcations',
    x: branches.flatMap(({ points }) => points.map(({ parameter }) => parameter)),
    ...(name === undefined ? { xLabel: 't', xUnit: 's' } : { xLabel: name, xUnit: 'SI' }),
    yLabel: `${'xyz'[d % 3]} of node ${Math.floor(d / 3)} of ${world.rods[0].id}`,
    yUnit: 'm',
    series,
    points: events,
    drawsZero: true,
  });
}

function explainLost({ points, end }: Branch, name: string | undefined): string {
  const at = formatNumber(points.at(-1)?.parameter ?? Number.NaN, 5);
  const place = name === undefined ? `t = ${at} s` : `${name} = ${at}`;
  return `a branch was lost after ${place}: ${end.detail}\n  the points found so far are kept; try a smaller statics.stride or more edges`;
}

function formatEvents(branches: readonly Branch[], name: string | undefined): string {
  const columns = [{ title: 'branch' }, { title: '' }, { title: name ?? 't [s]' }, { title: 'negative modes' }];
  const lines = branches.flatMap(({ points }, b) =>
    points.flatMap(({ kind, parameter, negativeModes }) =>
      kind === 'point'
        ? []
        : [[String(b), kind, formatNumber(parameter, 6), negativeModes < 0 ? '–' : String(negativeModes)]],
    ),
  );
  return formatTable(columns, lines);
}
