/** `tendril statics`: equilibria, one or a path of them, with their stability. */
import {
  type Backend,
  type Bisector,
  type Critical,
  createBisector,
  describeJumps,
  describeLeftBranches,
  describeLostCritical,
  describeRemarks,
  type EquilibriumReport,
  type PathRow,
  staticsInstants,
  summariseRow,
  type World,
  type WorldState,
} from '@tendril-sim/core';
import { buildResult, type Stop } from '@tendril-sim/io';
import { WriteError } from '@tendril-sim/io/node';
import { exitCode } from '../exit.ts';
import { checkFolder, openFolder } from '../folder.ts';
import { createBreather, type Interrupt, withInterrupt } from '../interrupt.ts';
import { openWorld } from '../openWorld.ts';
import { createFolderRecorder, type Figures, type Recorder, writeResult } from '../recorder.ts';
import { explained, loadSource, type Source } from '../source.ts';
import { type EarlyStop, explainStop, interruptedStop } from '../stop.ts';
import { describeRods, reportFolder, reportWarnings } from '../summary.ts';
import {
  bad,
  createProgress,
  dim,
  formatDuration,
  formatError,
  formatNumber,
  formatTable,
  good,
  type Progress,
  type Terminal,
} from '../terminal.ts';
import { version } from '../version.ts';
import { followBranches } from './branches.ts';
import { endBadly, type WorldJob } from './run.ts';

export interface StaticsOptions {
  readonly out?: string;
  readonly model?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly stability?: 'seek' | 'report';
  readonly backend?: Backend;
  readonly set?: readonly string[];
}

interface Path {
  readonly rows: PathRow[];
  readonly critical: Critical[];
  /** Warnings about single equilibria. */
  readonly doubts: string[];
  reports: EquilibriumReport[];
  early?: EarlyStop;
}

export async function statics(reference: string, options: StaticsOptions, terminal: Terminal): Promise<number> {
  checkFolder(options);
  const source = await loadSource(reference, options);
  const world = await openWorld(source);
  if (!options.quiet) reportWarnings([...source.warnings, ...world.warnings], terminal);
  const folder = openFolder({ ...options, name: `${source.name}-statics` });
  try {
    const find = source.scene.statics?.follow === 'branch' ? followBranches : staticsInto;
    return await withInterrupt((interrupt) => find({ folder, source, world, options, terminal, interrupt }));
  } finally {
    folder.close();
  }
}

async function staticsInto({
  folder,
  source,
  world,
  options,
  terminal,
  interrupt,
}: WorldJob<StaticsOptions>): Promise<number> {
  const recorder = explained(source, () => createFolderRecorder(world, folder));
  const progress = createProgress(terminal, options.quiet === true);
  const startWall = performance.now();
  try {
    const path = await follow({ world, recorder, progress, interrupt }, source);
    progress.done();
    const wallSeconds = (performance.now() - startWall) / 1000;
    const failures = recorder.finish(figures(source.scene.title ?? source.name, world, path));
    const stop = path.early?.stop;
    const result = {
      ...buildResult({
        world,
        version,
        command: 'statics',
        file: source.origin,
        wallSeconds,
        equilibrium: path.reports,
        probes: recorder.probes.series.length > 0 ? recorder.probes.series : undefined,
        stopped: stop,
        warnings: [...failures.map(({ message }) => message), ...path.doubts],
      }),
      path: path.rows,
      critical: path.critical,
    };
    const content = writeResult(result, folder);
    for (const { message } of failures) terminal.err(formatError(message));
    if (!options.quiet) reportWarnings(path.doubts, terminal);
    if (options.json) terminal.out(content);
    if (stop && stop.reason !== 'interrupted') terminal.err(formatError(`${stop.reason}\n  ${stop.remedy}`));
    if (!options.quiet) {
      const print = options.json ? terminal.err : terminal.out;
      print(formatPath(path));
      const head = stop ? bad('✗ stopped') : good('✓ done');
      const found = path.rows.filter(({ converged }) => converged).length;
      const count = `${found} ${found === 1 ? 'equilibrium' : 'equilibria'}`;
      print(`${head}: ${count} in ${formatDuration(wallSeconds)}\n  state ${world.hash()}\n`);
      reportFolder(folder, print);
    }
    return path.early?.code ?? (failures.length > 0 ? exitCode.badInput : exitCode.done);
  } catch (error) {
    progress.done();
    throw endBadly(error, recorder, source);
  }
}

/** The path up to its end, or up to the point where it stopped early. */
async function follow(search: Search, source: Source): Promise<Path> {
  const path: Path = { rows: [], critical: [], doubts: [], reports: [] };
  try {
    await findEquilibria(path, search);
  } catch (error) {
    // nothing was found: the scene itself is invalid
    if (path.rows.length === 0 && !(error instanceof WriteError)) throw error;
    path.early = explainStop(error, search.world.time, source.explain);
  }
  return path;
}

interface Search {
  readonly world: World;
  readonly recorder: Recorder;
  readonly progress: Progress;
  readonly interrupt: Interrupt;
}

async function findEquilibria(path: Path, { world, recorder, progress, interrupt }: Search): Promise<void> {
  const times = staticsInstants(world.scene);
  const bisector: Bisector = createBisector(world.scene);
  const breathe = createBreather();
  // a single equilibrium is shown together with the initial shape
  if (times.length === 1) recorder.frame();
  const initial = world.save();
  const remarked = new Set<string>();
  let before: { state: WorldState; row: PathRow } | undefined;
  for (const [k, time] of times.entries()) {
    const reports = world.equilibrate(time);
    const row = summariseRow(time, reports, world.energies());
    path.reports = reports;
    path.rows.push(row);
    path.doubts.push(
      ...describeLeftBranches(time, reports),
      ...describeJumps(reports),
      ...describeRemarks(time, reports, remarked),
    );
    if (!row.converged) {
      // a failed search leaves no equilibrium: restore the last one, for the result and for continuing
      world.restore(before?.state ?? initial);
      path.early = { stop: explainFailure(time, reports), code: exitCode.failed };
      if (Number.isNaN(recorder.lastFrame)) recorder.frame();
      break;
    }
    recorder.frame();
    recorder.energyRow([row.negativeModes, row.stable ? 1 : 0]);
    if (times.length > 1)
      progress.update({
        fraction: (k + 1) / times.length,
        time,
        end: times[times.length - 1],
        iterations: row.iterations,
        reached: `equilibrium ${k + 1} of ${times.length}`,
      });
    const changed = before && (before.row.negativeModes !== row.negativeModes || row.saddlesLeft > 0);
    const found = before && changed ? bisector.find(before.state, before.row.negativeModes, time) : undefined;
    if (found) path.critical.push(found);
    const lost = before && changed ? describeLostCritical(before.row.parameter, time, found) : undefined;
    if (lost) path.doubts.push(lost);
    before = { state: world.save(), row };
    await breathe();
    if (interrupt.requested && k < times.length - 1) {
      path.early = interruptedStop(time, 'the path ends here; run it again for the rest');
      break;
    }
  }
}

export function explainFailure(time: number, reports: readonly EquilibriumReport[]): Stop {
  const failed = reports.find(({ converged }) => !converged);
  const reason = failed?.reason ? `: ${failed.reason}` : '';
  return {
    reason: `no equilibrium found for rod '${failed?.rod ?? ''}' at t = ${formatNumber(time)} s (residual ${formatNumber(failed?.residual ?? Number.NaN, 2)} N, tolerance ${formatNumber(failed?.tolerance ?? Number.NaN, 2)} N)${reason}`,
    time,
    remedy:
      'try more statics.steps so that loads and pins change less at once, or hold the rod by more pins: one that is free to drift has no equilibrium',
    ...(failed ? { rod: failed.rod } : {}),
  };
}

function figures(title: string, world: World, path: Path): Figures {
  const bands: { from: number; to: number; label: string }[] = [];
  const edges = [
    path.rows[0]?.parameter ?? 0,
    ...path.critical.map(({ parameter }) => parameter),
    path.rows.at(-1)?.parameter ?? 0,
  ];
  // stability is constant between critical points: any row in between will do
  for (let k = 0; k + 1 < edges.length; k++) {
    const inside = path.rows.find(({ parameter }) => parameter > edges[k] && parameter < edges[k + 1]);
    if (inside && !inside.stable) bands.push({ from: edges[k], to: edges[k + 1], label: 'unstable' });
  }
  return {
    title,
    subtitle: `${path.rows.length === 1 ? 'equilibrium' : `${path.rows.length} equilibria`} · ${describeRods(world.rods)}`,
    extraColumns: ['negativeModes', 'stable'],
    parameter: { label: 't', unit: 's', column: 'parameter' },
    energyPlot: {
      marks: path.critical.map(({ parameter }) => ({
        x: parameter,
        label: `critical: t = ${formatNumber(parameter, 5)} s`,
      })),
      bands,
    },
    labels: path.rows.length === 1 ? ['initial', 'equilibrium'] : undefined,
  };
}

/** Loads without a potential may cause flutter: absence of divergence is then weaker than stability. */
function verdictOf({ stable, criterion }: Path['rows'][number]): string {
  if (criterion === 'none') return dim('no verdict');
  if (criterion === 'divergence') return stable ? good('no divergence') : bad('diverges');
  return stable ? good('yes') : bad('no');
}

/** A selection of rows for the terminal; energies.csv has all of them. */
const rowLimit = 40;

function formatPath({ rows, critical }: Path): string {
  const names = ['bending', 'twisting', 'stretching', 'potential', 'total'] as const;
  const columns = [
    { title: 't [s]' },
    ...names.map((name) => ({ title: `${name} [J]` })),
    { title: 'negative modes' },
    { title: 'stable' },
  ];
  const stride = Math.ceil(rows.length / rowLimit);
  const printed = rows.filter((_, k) => k % stride === 0 || k === rows.length - 1);
  const lines: { readonly at: number; readonly cells: string[] }[] = printed.map((row) => ({
    at: row.parameter,
    cells: [
      formatNumber(row.parameter, 5),
      ...names.map((name) => formatEnergy(row, name)),
      row.negativeModes < 0 ? '–' : String(row.negativeModes),
      row.converged ? verdictOf(row) : bad('not converged'),
    ],
  }));
  for (const { parameter, negativeModesBefore, negativeModesAfter } of critical) {
    const change = `${negativeModesBefore} → ${negativeModesAfter}`;
    const cells = [formatNumber(parameter, 6), ...names.map(() => dim('·')), change, 'critical'];
    const after = lines.findIndex(({ at }) =>
      rows.length > 1 && rows[1].parameter < rows[0].parameter ? at < parameter : at > parameter,
    );
    lines.splice(after < 0 ? lines.length : after, 0, { at: parameter, cells });
  }
  return formatTable(
    columns,
    lines.map(({ cells }) => cells),
  );
}

/** Energies that are only rounding relative to the others are shown as zero. */
function formatEnergy(
  { energies }: PathRow,
  name: Exclude<keyof PathRow['energies'], 'dissipated' | 'beside'>,
): string {
  const largest = Math.max(...Object.values(energies).map(Math.abs));
  return formatNumber(Math.abs(energies[name]) < 1e-13 * largest ? 0 : energies[name], 5);
}
