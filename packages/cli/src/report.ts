/** Output of a comparison: compare.json, its tables and its figures. */
import type { ModelId, PathRow, World } from '@tendril-sim/core';
import { csvLine, type StepTotals } from '@tendril-sim/io';
import { type FrameDistance, measureDistances, type ShapeFrame, summariseDistances } from './comparison.ts';
import type { Folder } from './folder.ts';
import { gravityOf, picturePins } from './locate.ts';
import { ramp } from './plot/color.ts';
import { drawLinePlot } from './plot/lines.ts';
import { drawPicture } from './plot/picture.ts';
import { renderPng } from './plot/png.ts';
import type { EnergyRow } from './recorder.ts';
import type { Source } from './source.ts';
import { bad, dim, formatNumber, formatTable } from './terminal.ts';
import { version } from './version.ts';

/** Version of compare.json: changes when a field changes its meaning or is removed, not when one is added. */
const compareVersion = 1;

/** Outcome of one model. */
export interface Outcome {
  readonly model: ModelId;
  readonly status: 'done' | 'refused' | 'failed' | 'interrupted';
  readonly reason?: string;
  readonly world?: World;
  readonly frames: readonly ShapeFrame[];
  readonly energies: readonly EnergyRow[];
  readonly steps?: StepTotals;
  /** Simulated [s], and how long that took here [s]. */
  readonly simulated: number;
  readonly wallSeconds: number;
  /** Total energy at the start and the end, and the largest change from the start [J]. */
  readonly energyStart: number;
  readonly energyEnd: number;
  readonly energyChangeMax: number;
  /** Only for statics: the last row of the path. */
  readonly equilibrium?: PathRow & { readonly residual: number };
}

interface ModelReport {
  readonly model: string;
  readonly status: Outcome['status'];
  readonly reason?: string;
  readonly folder?: string;
  readonly time?: number;
  readonly wallSeconds?: number;
  /** Wall time per second of simulated time. */
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
    /** See EquilibriumReport. */
    readonly leftBranch?: true;
    readonly energy: number;
  };
  /** Last node of each rod and centre of mass [m]. */
  readonly rods?: readonly { readonly id: string; readonly tip: readonly number[] }[];
  readonly center?: readonly number[];
  /** From the reference model [m]; absent for the reference itself. */
  readonly distance?: ReturnType<typeof summariseDistances> & { readonly series: readonly FrameDistance[] };
}

export interface Report {
  readonly tendril: { readonly compare: typeof compareVersion; readonly version: string };
  readonly command: 'run' | 'statics';
  readonly scene: { readonly title?: string; readonly file: string };
  /** The first model that ran: the reference for distances. */
  readonly reference: string | null;
  /** Rest length of the longest rod [m]: the reference length for distances. */
  readonly length: number;
  readonly remark: string;
  readonly models: readonly ModelReport[];
}

export function buildReport(
  source: Source,
  options: { readonly statics?: boolean },
  outcomes: readonly Outcome[],
): Report {
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
      ? `${from}, at equal fractions of rest length; wall times are single measurements and depend on the load of this machine`
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
            ...(equilibrium.leftBranch && { leftBranch: true }),
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

export function writeTables(folder: Folder, { models, command }: Report): void {
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

/** Final shapes on top of each other, one hue per model, and distances over time. */
export function drawFigures(folder: Folder, source: Source, report: Report, outcomes: readonly Outcome[]): void {
  const title = source.scene.title ?? source.name;
  const svg = drawOutcomes(title, source, report, outcomes);
  if (svg === undefined) return;
  folder.write('shapes.svg', svg);
  folder.write('shapes.png', renderPng(svg));
  const others = report.models.filter(({ distance }) => (distance?.series.length ?? 0) > 1);
  if (others.length === 0) return;
  const ran = outcomes.filter(({ frames }) => frames.length > 0);
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

/** The last shapes of all models that ran, as SVG; none if none ran. */
export function drawOutcomes(
  title: string,
  source: Source,
  report: Report,
  outcomes: readonly Outcome[],
): string | undefined {
  const ran = outcomes.filter(({ frames }) => frames.length > 0);
  const first = ran[0]?.world;
  if (!first) return undefined;
  return drawPicture({
    title,
    ...(title !== '' && {
      subtitle: `${report.command === 'run' ? 'at the end of the run' : 'equilibria'}: ${ran.map(({ model }) => model).join(', ')}`,
    }),
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

export function formatRun(report: Report): string {
  const columns = [
    left('model'),
    ...['steps', 'iterations per step', 'wall s per s', 'energy change [J]'].map((title) => ({ title })),
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

/** The verdict of a model's equilibrium, in words. */
export function describeStability({ equilibrium }: ModelReport): string {
  if (!equilibrium) return '';
  if (equilibrium.criterion === 'none') return 'no verdict';
  if (equilibrium.leftBranch) return 'yes, maybe of another branch';
  return equilibrium.stable ? 'yes' : 'no';
}

export function formatStatics(report: Report): string {
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
      describeStability(one),
      point(one.rods?.[0]?.tip),
      ...distanceCells(one, report, one.model),
    ]),
  );
}
