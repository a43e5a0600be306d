/** The report on a scene: several models side by side, in shape, energy, time and equilibrium. */
import type { Chart, StudyTable } from '@tendril-sim/cases';
import type { ModelId } from '@tendril-sim/core';
import { describeStability, drawOutcomes, type Outcome, type Report } from '../report.ts';
import type { Source } from '../source.ts';
import { formatNumber } from '../terminal.ts';
import { chartFigure, crop, figure, htmlPage, inlineSvg, type Numbering, prose, tableFigure } from './page.ts';

/** One kind of comparison: runs in time, or equilibria. */
export interface Compared {
  readonly report: Report;
  readonly outcomes: readonly Outcome[];
}

export interface ScenePage {
  readonly source: Source;
  readonly models: readonly ModelId[];
  readonly run?: Compared;
  readonly statics?: Compared;
  /** Why one of the two is missing. */
  readonly remarks: readonly string[];
  readonly facts: string;
  readonly command: string;
}

/** Maps colours of curves to hues of pictures. */
const hueColors = [0, 1, 2, 3, 6, 5];

const number = (value: number | undefined, digits = 3): string =>
  value === undefined ? '' : formatNumber(value, digits).replace(/-/g, '−');
const share = (value: number | undefined, length: number): string =>
  value === undefined ? '' : length > 0 ? `${number((100 * value) / length, 2)} %` : number(value);

export function scenePage(page: ScenePage): string {
  const { source, models, run, statics } = page;
  const count: Numbering = { figures: 0, tables: 0 };
  const title = source.scene.title ?? source.name;
  const warnings = warningsOf(page);
  const body = [
    warnings === '' ? '' : `<section><h2>Remarks</h2>${warnings}</section>`,
    run ? runSection(source, run, models, count) : '',
    statics ? staticsSection(source, statics, count) : '',
  ].join('\n');
  return htmlPage({
    title,
    kicker: 'Tendril · comparison report',
    lead: headline(page),
    facts: `${page.facts} · ${source.origin}`,
    body,
    footer: `<p>Written by <code>${prose(page.command)}</code>. Distances are between points at the same fraction of rest length, 101 per rod. Times are single measurements on this machine and depend on its load.</p>`,
  });
}

/** The main finding in one sentence. */
function headline({ run, statics, models }: ScenePage): string {
  const compared = run ?? statics;
  const apart = (compared?.report.models ?? []).flatMap(({ model, distance }) =>
    distance ? [{ model, largest: distance.largest }] : [],
  );
  const names = models.join(', ');
  if (!compared || apart.length === 0) return `The same scene on ${names}: fewer than two of them could run it.`;
  const worst = apart.reduce((a, b) => (a.largest > b.largest ? a : b));
  const { reference, length } = compared.report;
  return `The same scene on ${names}. Farthest from ${reference} comes ${worst.model}: by ${share(worst.largest, length)} of the longest rod.`;
}

function warningsOf({ source, run, statics, remarks }: ScenePage): string {
  const note = (text: string, kind = ''): string => `<p class="warning${kind}">${prose(text)}</p>`;
  const out: string[] = source.warnings.map((text) => note(text));
  const seen = new Set<string>();
  for (const { outcomes } of [run, statics].filter((one) => one !== undefined)) {
    for (const { model, status, reason, world } of outcomes) {
      const lines = (world?.warnings ?? []).map((text) => [`${model}: ${text}`, '']);
      if (status !== 'done') lines.push([`${model} ${status}: ${reason ?? ''}`, ' refused']);
      for (const [text, kind] of lines) {
        if (!seen.has(text)) out.push(note(text, kind));
        seen.add(text);
      }
    }
  }
  return [...out, ...remarks.map((text) => note(text))].join('\n');
}

function shapes(source: Source, { report, outcomes }: Compared, title: string, count: Numbering): string {
  const svg = drawOutcomes('', source, report, outcomes);
  if (svg === undefined) return '';
  return figure(
    inlineSvg(crop(svg)),
    title,
    'Wide lines first, so that none hides another; pale: where all began.',
    count,
  );
}

/** Colours as in the picture, where hues are assigned to the models that ran. */
function modelColors({ outcomes }: Compared, models: readonly ModelId[]): (model: string) => number {
  const ran = models.filter((model) => outcomes.some((one) => one.model === model && one.frames.length > 0));
  return (model) => hueColors[ran.indexOf(model as ModelId) % hueColors.length];
}

function runTable({ report }: Compared): StudyTable {
  return {
    kind: 'table',
    title: 'Runs',
    caption: `Distances from ${report.reference ?? 'none'}, in percent of the longest rod (${number(report.length)} m), over all frames and at the end. Energy in joule.`,
    columns: [
      'model',
      'steps',
      'iterations per step',
      'time for 1 s [s]',
      'energy at the start',
      'largest change',
      'rms distance',
      'largest',
      'at the end',
    ],
    rows: report.models.map((one) => [
      one.status === 'done' ? one.model : `${one.model} (${one.status})`,
      number(one.steps?.count, 9),
      number(one.iterationsPerStep),
      number(one.wallPerSecond, 2),
      number(one.energy?.start),
      number(one.energy?.changeMax),
      ...(one.distance
        ? [one.distance.rms, one.distance.largest, one.distance.endRms].map((value) => share(value, report.length))
        : [one.model === report.reference ? 'reference' : '', '', '']),
    ]),
  };
}

function distanceChart({ report }: Compared, colorOf: (model: string) => number): Chart {
  return {
    kind: 'chart',
    title: `Distance from ${report.reference ?? ''}`,
    caption: 'Root mean square distance of centre lines.',
    x: { label: 'time', unit: 's' },
    y: { label: 'distance', unit: 'm' },
    lines: report.models.flatMap(({ model, distance }) =>
      distance && distance.series.length > 1
        ? [
            {
              label: model,
              color: colorOf(model),
              x: distance.series.map(({ time }) => time),
              y: distance.series.map(({ rms }) => rms),
            },
          ]
        : [],
    ),
  };
}

function energyChart({ outcomes }: Compared, colorOf: (model: string) => number): Chart {
  return {
    kind: 'chart',
    title: 'Total energy',
    caption: 'Kinetic and elastic energy and the potential of the loads, from the start of each model.',
    x: { label: 'time', unit: 's' },
    y: { label: 'change of energy', unit: 'J' },
    lines: outcomes.flatMap(({ model, energies: rows }) =>
      rows.length > 1
        ? [
            {
              label: model,
              color: colorOf(model),
              x: rows.map(({ time }) => time),
              y: rows.map(({ total }) => total - rows[0].total),
            },
          ]
        : [],
    ),
  };
}

function runSection(source: Source, compared: Compared, models: readonly ModelId[], count: Numbering): string {
  const colorOf = modelColors(compared, models);
  const draw = (chart: Chart): string => (chart.lines.length > 0 ? chartFigure(chart, count) : '');
  return `<section id="run"><h2>In time</h2>
${shapes(source, compared, 'At the end of the run', count)}
${tableFigure(runTable(compared), count)}
${draw(distanceChart(compared, colorOf))}
${draw(energyChart(compared, colorOf))}
</section>`;
}

function staticsSection(source: Source, compared: Compared, count: Numbering): string {
  const { report } = compared;
  const table: StudyTable = {
    kind: 'table',
    title: 'Equilibria',
    caption: `Distances from ${report.reference ?? 'none'}, in percent of the longest rod. Stable: no motion lowers the energy.`,
    columns: ['model', 'iterations', 'energy [J]', 'stable', 'rms distance', 'largest'],
    rows: report.models.map((one) => [
      one.status === 'done' ? one.model : `${one.model} (${one.status})`,
      number(one.equilibrium?.iterations, 6),
      number(one.equilibrium?.energy, 6),
      describeStability(one),
      ...(one.distance
        ? [one.distance.endRms, one.distance.endLargest].map((value) => share(value, report.length))
        : [one.model === report.reference ? 'reference' : '', '']),
    ]),
  };
  return `<section id="statics"><h2>At rest</h2>
${shapes(source, compared, 'Equilibria', count)}
${tableFigure(table, count)}
</section>`;
}
