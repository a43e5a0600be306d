/** `tendril compare`: the same scene on several models, side by side. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { availableModels, createWorld, type ModelId, type Scene, SceneError, type World } from '@tendril/core';
import { buildResult, createStepTotals, csvLine, type StepTotals, type Stop } from '@tendril/io';
import { type FrameDistance, keepFrame, measureDistances, type ShapeFrame, summariseDistances } from '../comparison.ts';
import { instants, type PathRow, summariseRow } from '../continuation.ts';
import { exitCode, UsageError } from '../exit.ts';
import { checkFolder, type Folder, openFolder } from '../folder.ts';
import { createBreather, type Interrupt, withInterrupt } from '../interrupt.ts';
import { gravityOf, picturePins } from '../locate.ts';
import { ramp } from '../plot/color.ts';
import { drawLinePlot } from '../plot/lines.ts';
import { drawPicture } from '../plot/picture.ts';
import { renderPng } from '../plot/png.ts';
import { createRecorder, type Recorder, writeResult } from '../recorder.ts';
import { loadSource, type Source } from '../source.ts';
import { describeRods, reportFolder } from '../summary.ts';
import {
  bad,
  createProgress,
  dim,
  formatError,
  formatNumber,
  formatTable,
  suggest,
  type Terminal,
} from '../terminal.ts';
import { version } from '../version.ts';
import { simulate } from './run.ts';
import { explainFailure } from './statics.ts';

export interface CompareOptions {
  readonly models: string;
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** [s] */
  readonly until?: number;
  readonly statics?: boolean;
}

/** Version of compare.json: changes when a field changes its meaning or goes away, not when one is added. */
const compareVersion = 1;

/** What became of one model. */
interface Outcome {
  readonly model: ModelId;
  readonly status: 'done' | 'refused' | 'failed' | 'interrupted';
  readonly reason?: string;
  readonly world?: World;
  readonly frames: readonly ShapeFrame[];
  readonly steps?: StepTotals;
  /** Simulated [s], and how long that took here [s]. */
  readonly simulated: number;
  readonly wallSeconds: number;
  /** Total energy at the start and the end, and the largest change from the start [J]. */
  readonly energyStart: number;
  readonly energyEnd: number;
  readonly energyChangeMax: number;
  /** Statics alone: the last row of the path. */
  readonly equilibrium?: PathRow & { readonly residual: number };
}

export async function compare(reference: string, options: CompareOptions, terminal: Terminal): Promise<number> {
  const models = readModels(options.models);
  checkFolder(options);
  const source = loadSource(reference, { until: options.until });
  if (!options.statics && !source.scene.time) {
    throw source.explain(
      new SceneError(
        ['time'],
        'the scene says no time to simulate; add time: { duration: 1 s, step: 1 ms }, or use --statics',
      ),
    );
  }
  const folder = openFolder({ ...options, name: `${source.name}-compare` });
  const outcomes = await withInterrupt(async (interrupt) => {
    const out: Outcome[] = [];
    for (const model of models) {
      if (interrupt.requested) break;
      if (!options.quiet) terminal.err(dim(`${model}\n`));
      out.push(await runModel(source, model, options, folder, terminal, interrupt));
    }
    return out;
  });
  const report = buildReport(source, options, outcomes);
  writeTables(folder, report);
  drawFigures(folder, source, report, outcomes);
  const content = `${JSON.stringify(report, null, 2)}\n`;
  folder.write('compare.json', content);
  folder.finish();
  // with --force, results of models that are no longer compared go as well
  for (const model of options.force ? availableModels() : []) {
    const path = join(folder.path, model);
    if (!folder.written.includes(`${model}/`) && existsSync(path))
      openFolder({ out: path, force: true, name: model }).finish();
  }
  if (options.json) terminal.out(content);
  const print = options.json ? terminal.err : terminal.out;
  for (const { model, status, reason } of outcomes) {
    if (status === 'refused' || status === 'failed') terminal.err(formatError(`${model} ${status}: ${reason}`));
  }
  if (!options.quiet) {
    print(options.statics ? formatStatics(report) : formatRun(report));
    print(`  ${dim(report.remark)}\n`);
    reportFolder(folder, print);
  }
  if (outcomes.some(({ status }) => status === 'interrupted') || outcomes.length < models.length)
    return exitCode.interrupted;
  if (outcomes.some(({ status }) => status === 'failed')) return exitCode.failed;
  return outcomes.every(({ status }) => status === 'refused') ? exitCode.badInput : exitCode.done;
}

function readModels(list: string): ModelId[] {
  const known = availableModels();
  if (list.trim() === 'all') return [...known];
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  for (const name of names) {
    if ((known as readonly string[]).includes(name)) continue;
    const meant = suggest(name, known);
    throw new UsageError(
      `there is no model '${name}'${meant ? `; did you mean '${meant}'?` : ''}\nmodels: ${known.join(', ')}, or all`,
    );
  }
  const unique = [...new Set(names)] as ModelId[];
  if (unique.length < 2)
    throw new UsageError(
      `a comparison needs two models or more, such as --models der,cosserat; models: ${known.join(', ')}`,
    );
  return unique;
}

/** Simulates or settles the scene on one model; what goes wrong is part of the outcome, not the end of the comparison. */
async function runModel(
  source: Source,
  model: ModelId,
  options: CompareOptions,
  parent: Folder,
  terminal: Terminal,
  interrupt: Interrupt,
): Promise<Outcome> {
  const none = { frames: [], simulated: 0, wallSeconds: 0, energyStart: 0, energyEnd: 0, energyChangeMax: 0 };
  const scene: Scene = { ...source.scene, rods: source.scene.rods.map((rod) => ({ ...rod, model })) };
  let world: World;
  try {
    world = createWorld(scene);
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    return { model, status: 'refused', reason: source.explain(error).message, ...none };
  }
  const folder = openFolder({ out: join(parent.path, model), force: options.force, name: model });
  const recorder = createRecorder(world, folder);
  const frames: ShapeFrame[] = [];
  const watched = watch(recorder, world, frames);
  const totals = createStepTotals();
  const progress = createProgress(terminal, options.quiet === true);
  const start = performance.now();
  let stop: Stop | undefined;
  let last: Outcome['equilibrium'];
  try {
    if (options.statics) ({ stop, last } = await settle(world, watched, interrupt));
    else {
      stop = await simulate(world, watched, totals, progress, interrupt, 0);
      if (recorder.lastFrame !== world.time) watched.frame();
      recorder.energyRow();
    }
  } catch (error) {
    progress.done();
    recorder.salvage();
    if (!(error instanceof SceneError)) throw error;
    return { model, status: 'refused', reason: source.explain(error).message, ...none };
  }
  const wallSeconds = (performance.now() - start) / 1000;
  progress.done();
  recorder.finish({ title: source.scene.title ?? source.name, subtitle: describeRods(world.rods) });
  const command = options.statics ? 'statics' : 'run';
  writeResult(
    buildResult({ world, version, command, file: source.origin, steps: totals.totals(), wallSeconds, stopped: stop }),
    folder,
  );
  parent.note(`${model}/`);
  const energies = recorder.energies.map(({ total }) => total);
  return {
    model,
    status: stop === undefined ? 'done' : stop.reason === 'interrupted' ? 'interrupted' : 'failed',
    ...(stop && { reason: stop.reason }),
    world,
    frames,
    steps: totals.totals(),
    simulated: world.time,
    wallSeconds,
    energyStart: energies[0] ?? 0,
    energyEnd: energies[energies.length - 1] ?? 0,
    energyChangeMax: energies.reduce((most, total) => Math.max(most, Math.abs(total - energies[0])), 0),
    ...(last && { equilibrium: last }),
  };
}

/** The recorder, and every frame of it kept. */
function watch(recorder: Recorder, world: World, frames: ShapeFrame[]): Recorder {
  return {
    probes: recorder.probes,
    energies: recorder.energies,
    get lastFrame() {
      return recorder.lastFrame;
    },
    frame() {
      recorder.frame();
      frames.push(keepFrame(world));
    },
    energyRow: (extra) => recorder.energyRow(extra),
    finish: (figures) => recorder.finish(figures),
    salvage: () => recorder.salvage(),
  };
}

/** Equilibria at the instants that the scene names. */
async function settle(
  world: World,
  recorder: Recorder,
  interrupt: Interrupt,
): Promise<{ stop?: Stop; last?: Outcome['equilibrium'] }> {
  const breathe = createBreather();
  const before = world.save();
  let last: Outcome['equilibrium'];
  for (const time of instants(world.scene)) {
    const reports = world.equilibrate(time);
    const row = summariseRow(time, reports, world.energies());
    if (!row.converged) {
      if (Number.isNaN(recorder.lastFrame)) {
        world.restore(before);
        recorder.frame();
      }
      return { stop: explainFailure(time, reports), last };
    }
    last = { ...row, residual: Math.max(...reports.map(({ residual }) => residual)) };
    recorder.frame();
    recorder.energyRow();
    await breathe();
    if (interrupt.requested) return { stop: { reason: 'interrupted', time, remedy: 'run it again' }, last };
  }
  return { last };
}

interface ModelReport {
  readonly model: string;
  readonly status: Outcome['status'];
  readonly reason?: string;
  readonly folder?: string;
  readonly time?: number;
  readonly wallSeconds?: number;
  /** Wall time for a second of simulated time. */
  readonly wallPerSecond?: number;
  readonly steps?: StepTotals;
  readonly iterationsPerStep?: number;
  readonly energy?: { readonly start: number; readonly end: number; readonly changeMax: number };
  readonly equilibrium?: {
    readonly iterations: number;
    readonly residual: number;
    readonly stable: boolean;
    readonly negativeModes: number;
    readonly criterion: string;
    readonly energy: number;
  };
  /** Last node of each rod and centre of mass [m]. */
  readonly rods?: readonly { readonly id: string; readonly tip: readonly number[] }[];
  readonly center?: readonly number[];
  /** From the reference model [m]; absent for the reference itself. */
  readonly distance?: ReturnType<typeof summariseDistances> & { readonly series: readonly FrameDistance[] };
}

interface Report {
  readonly tendril: { readonly compare: typeof compareVersion; readonly version: string };
  readonly command: 'run' | 'statics';
  readonly scene: { readonly title?: string; readonly file: string };
  /** The first model that ran: distances are from it. */
  readonly reference: string | null;
  /** Rest length of the longest rod [m]: what distances are compared with. */
  readonly length: number;
  readonly remark: string;
  readonly models: readonly ModelReport[];
}

function buildReport(source: Source, options: CompareOptions, outcomes: readonly Outcome[]): Report {
  const reference = outcomes.find(({ frames }) => frames.length > 0);
  const length = Math.max(0, ...(reference?.world?.rods.map((rod) => rod.length) ?? []));
  const missing = reference && reference !== outcomes[0] ? `${outcomes[0].model} did not run; ` : '';
  const from = reference ? `${missing}distances are from ${reference.model}` : 'no model ran';
  return {
    tendril: { compare: compareVersion, version },
    command: options.statics ? 'statics' : 'run',
    scene: { ...(source.scene.title !== undefined && { title: source.scene.title }), file: source.origin },
    reference: reference?.model ?? null,
    length,
    remark: reference
      ? `${from}, at equal fractions of rest length; wall times were measured once, here, with whatever else ran`
      : from,
    models: outcomes.map((outcome) => describeOutcome(outcome, reference)),
  };
}

function describeOutcome(outcome: Outcome, reference: Outcome | undefined): ModelReport {
  const { model, status, reason, world, steps, simulated, wallSeconds, equilibrium } = outcome;
  const head = { model, status, ...(reason !== undefined && { reason }) };
  if (!world || !steps) return head;
  const series =
    reference?.world && outcome !== reference
      ? measureDistances(reference.world.rods, reference.frames, world.rods, outcome.frames)
      : [];
  return {
    ...head,
    folder: model,
    time: simulated,
    wallSeconds,
    ...(equilibrium
      ? {
          equilibrium: {
            iterations: equilibrium.iterations,
            residual: equilibrium.residual,
            stable: equilibrium.stable,
            negativeModes: equilibrium.negativeModes,
            criterion: equilibrium.criterion,
            energy: equilibrium.energies.total,
          },
        }
      : {
          ...(simulated > 0 && { wallPerSecond: wallSeconds / simulated }),
          steps,
          ...(steps.count > 0 && { iterationsPerStep: steps.iterations / steps.count }),
          energy: { start: outcome.energyStart, end: outcome.energyEnd, changeMax: outcome.energyChangeMax },
        }),
    rods: world.rods.map(({ id }, k) => ({ id, tip: [...world.samples[k].nodePosition.slice(-3)] })),
    center: [...world.momentum().center],
    ...(series.length > 0 && { distance: { ...summariseDistances(series), series } }),
  };
}

function writeTables(folder: Folder, { models, command }: Report): void {
  const columns = [
    'model',
    'status',
    'steps',
    'iterations',
    'wallSeconds',
    'energyStart',
    'energyEnd',
    'energyChangeMax',
    'tipX',
    'tipY',
    'tipZ',
    'distanceRms',
    'distanceLargest',
    'distanceEndRms',
    'distanceEndLargest',
    'reason',
  ];
  const lines = models.map((one) => {
    const tip = one.rods?.[0]?.tip ?? ['', '', ''];
    const iterations = command === 'run' ? one.steps?.iterations : one.equilibrium?.iterations;
    const { rms = '', largest = '', endRms = '', endLargest = '' } = one.distance ?? {};
    return csvLine([
      one.model,
      one.status,
      one.steps?.count ?? '',
      iterations ?? '',
      one.wallSeconds ?? '',
      one.energy?.start ?? '',
      one.energy?.end ?? one.equilibrium?.energy ?? '',
      one.energy?.changeMax ?? '',
      ...tip,
      rms,
      largest,
      endRms,
      endLargest,
      one.reason ?? '',
    ]);
  });
  folder.write('compare.csv', [csvLine(columns), ...lines]);
  const rows = models.flatMap(({ model, distance }) =>
    (distance?.series ?? []).map(({ time, rms, largest }) => csvLine([model, time, rms, largest])),
  );
  folder.write('distances.csv', [csvLine(['model', 'time', 'rms', 'largest']), ...rows]);
}

/** Final shapes on top of each other, a hue a model, and distances over time. */
function drawFigures(folder: Folder, source: Source, report: Report, outcomes: readonly Outcome[]): void {
  const ran = outcomes.filter(({ frames }) => frames.length > 0);
  const first = ran[0]?.world;
  if (!first) return;
  const title = source.scene.title ?? source.name;
  const svg = drawPicture({
    title,
    subtitle: `${report.command === 'run' ? 'at the end of the run' : 'equilibria'}: ${ran.map(({ model }) => model).join(', ')}`,
    rods: ran.flatMap(({ model, world, frames }, hue) =>
      (world as World).rods.map(({ closed, edgeRadius }, k) => ({
        id: model,
        closed,
        radius: edgeRadius,
        frames: [first.rods[k].nodePosition, frames[frames.length - 1].rods[k]],
        hue,
      })),
    ),
    times: [0, 1],
    labels: ['initial', 'final'],
    nested: true,
    pins: picturePins(source.scene, first.rods, first.time),
    gravity: gravityOf(source.scene),
  });
  folder.write('shapes.svg', svg);
  folder.write('shapes.png', renderPng(svg));
  const others = report.models.filter(({ distance }) => (distance?.series.length ?? 0) > 1);
  if (others.length === 0) return;
  const longest = others.reduce((a, b) =>
    (a.distance?.series.length ?? 0) >= (b.distance?.series.length ?? 0) ? a : b,
  );
  folder.write(
    'distances.svg',
    drawLinePlot({
      title,
      subtitle: `root mean square distance of centrelines from ${report.reference}`,
      x: longest.distance?.series.map(({ time }) => time) ?? [],
      xLabel: report.command === 'run' ? 'time' : 't',
      xUnit: 's',
      yLabel: 'distance',
      yUnit: 'm',
      series: others.map(({ model, distance }) => ({
        label: model,
        color: ramp(
          ran.findIndex((one) => one.model === model),
          1,
        ),
        y: distance?.series.map(({ rms }) => rms) ?? [],
      })),
    }),
  );
}

const left = (title: string): { title: string; align: 'left' } => ({ title, align: 'left' });
const number = (value: number | undefined, digits = 3): string =>
  value === undefined ? '' : formatNumber(value, digits);
const point = (tip: readonly number[] | undefined): string =>
  tip ? tip.map((x) => formatNumber(Math.abs(x) < 1e-12 ? 0 : x, 5)).join(' ') : '';

function distanceCells({ distance }: ModelReport, { reference, length }: Report, model: string): string[] {
  if (!distance) return model === reference ? [dim('reference'), ''] : ['', ''];
  const share = (value: number): string =>
    length > 0 ? `${formatNumber((100 * value) / length, 2)} %` : number(value);
  return [share(distance.rms), share(distance.largest)];
}

const statusOf = (one: ModelReport): string => (one.status === 'done' ? one.model : `${one.model} ${bad(one.status)}`);

function formatRun(report: Report): string {
  const columns = [
    left('model'),
    ...['steps', 'iterations a step', 'wall s per s', 'energy change [J]'].map((title) => ({ title })),
    left('tip [m]'),
    { title: 'rms distance' },
    { title: 'largest' },
  ];
  return formatTable(
    columns,
    report.models.map((one) => [
      statusOf(one),
      number(one.steps?.count, 9),
      number(one.iterationsPerStep),
      number(one.wallPerSecond, 2),
      one.energy ? number(one.energy.end - one.energy.start) : '',
      point(one.rods?.[0]?.tip),
      ...distanceCells(one, report, one.model),
    ]),
  );
}

function formatStatics(report: Report): string {
  const columns = [
    left('model'),
    ...['iterations', 'negative modes', 'energy [J]'].map((title) => ({ title })),
    left('stable'),
    left('tip [m]'),
    { title: 'rms distance' },
    { title: 'largest' },
  ];
  return formatTable(
    columns,
    report.models.map((one) => [
      statusOf(one),
      number(one.equilibrium?.iterations, 6),
      number(one.equilibrium?.negativeModes, 6),
      number(one.equilibrium?.energy, 6),
      one.equilibrium ? (one.equilibrium.stable ? 'yes' : 'no') : '',
      point(one.rods?.[0]?.tip),
      ...distanceCells(one, report, one.model),
    ]),
  );
}
