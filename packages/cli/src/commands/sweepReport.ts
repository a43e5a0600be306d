/** `tendril sweep report`: one page about a study; `tendril sweep query`: SQL over its data set. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { csvLine } from '@tendril-sim/io';
import { writeFileAtomic } from '@tendril-sim/io/node';
import {
  binnedIndices,
  type Column,
  queryStudy,
  type Row,
  type Sensitivity,
  saltelliIndices,
} from '@tendril-sim/sweep';
import { exitCode, UsageError } from '../exit.ts';
import { figure, htmlPage, htmlTable, inlineSvg, type Numbering } from '../html/page.ts';
import { escapeXml } from '../plot/svg.ts';
import {
  type Axis,
  drawConvergence,
  drawParallel,
  drawScatter,
  drawSurface,
  type Point as ErrorPoint,
} from '../sweep/plots.ts';
import { type ReportData, readReportData, thin } from '../sweep/reportData.ts';
import { formatNumber, formatTable, type Terminal } from '../terminal.ts';

export interface SweepReportOptions {
  readonly out?: string;
  readonly force?: boolean;
  readonly studio: string;
}

export interface QueryOptions {
  readonly csv?: boolean;
  readonly json?: boolean;
}

export async function query(folder: string, sql: string, options: QueryOptions, terminal: Terminal): Promise<number> {
  const { columns, rows } = await queryStudy(folder, sql);
  const cell = (value: unknown): string | number =>
    value === null ? '' : typeof value === 'number' ? value : typeof value === 'string' ? value : JSON.stringify(value);
  if (options.json)
    terminal.out(
      `${JSON.stringify(
        rows.map((row) => Object.fromEntries(columns.map((name, k) => [name, row[k]]))),
        null,
        2,
      )}\n`,
    );
  else if (options.csv) terminal.out([csvLine(columns), ...rows.map((row) => csvLine(row.map(cell)))].join(''));
  else
    terminal.out(
      formatTable(
        columns.map((title) => ({ title })),
        rows.map((row) =>
          row.map((value) => (typeof value === 'number' ? formatNumber(value, 6) : String(cell(value)))),
        ),
      ),
    );
  return exitCode.done;
}

export async function sweepReport(folder: string, options: SweepReportOptions, terminal: Terminal): Promise<number> {
  const out = options.out ?? join(folder, 'report.html');
  if (options.out !== undefined && existsSync(out) && !options.force)
    throw new UsageError(`'${out}' exists; add --force to replace it`);
  const data = await readReportData(folder, options.studio.replace(/\/+$/, ''));
  writeFileAtomic(out, buildPage(data, options.studio), { overwrite: true });
  terminal.out(`wrote ${out}\n`);
  return exitCode.done;
}

/** Maximum number of points drawn. */
const mostPoints = 1500;

function buildPage(data: ReportData, studio: string): string {
  const { record, rows, quantities } = data;
  const count: Numbering = { figures: 0, tables: 0 };
  const failed = rows.filter(({ status, pass }) => (status !== 'done' && status !== 'doubtful') || pass === false);
  const doubtful = rows.filter(({ status }) => status === 'doubtful');
  const sections =
    record.command === 'check'
      ? convergenceOf(data, count)
      : quantities.map((quantity) => sectionOf(data, quantity, count));
  return htmlPage({
    title: record.title,
    kicker: `tendril sweep · ${record.command} · ${record.design}`,
    lead: `${rows.length} ${record.command === 'check' ? 'checks' : 'runs'}, ${failed.length} of them failed${doubtful.length > 0 ? `, ${doubtful.length} doubtful` : ''}.`,
    facts: `scene ${record.origin} · version ${record.version}`,
    body: `${sections.join('\n')}\n${listRows('Failures', failed, data)}${listRows('Doubtful runs', doubtful, data)}`,
    footer: `A point or a line opens its run in the studio, if one runs at <code>${escapeXml(studio)}</code>: <code>tendril studio --port ${escapeXml(new URL(studio).port || '80')} --no-open</code>`,
  });
}

/** For checks: per case, the largest relative error of each model over the resolution. Omits counts, with tolerances above 1. */
function convergenceOf({ rows, link }: ReportData, count: Numbering): string[] {
  const worst = new Map<string, Map<string, Map<number, ErrorPoint>>>();
  for (const row of rows) {
    const { case: id, model, n, error, tolerance } = row;
    if (typeof n !== 'number' || typeof error !== 'number' || Number(tolerance) > 1) continue;
    const models = worst.get(String(id)) ?? new Map<string, Map<number, ErrorPoint>>();
    const points = models.get(String(model)) ?? new Map<number, ErrorPoint>();
    if (error > (points.get(n)?.y ?? 0))
      points.set(n, { x: n, y: error, title: `${model}, n = ${n}: ${row.quantity}`, href: link(row) });
    worst.set(String(id), models.set(String(model), points));
  }
  return [...worst].map(([id, models]) => {
    const lines = [...models].map(([model, points]) => ({
      label: model,
      points: [...points.values()].sort((a, b) => a.x - b.x),
    }));
    const plot = figure(
      inlineSvg(drawConvergence(lines)),
      `Errors of ${id}`,
      'Largest relative error of all quantities over the resolution n, one line per model; the order p of errors proportional to n to the power of −p.',
      count,
    );
    return `<section><h2>${escapeXml(id)}</h2>${plot}</section>`;
  });
}

const axisOf = ({ name, unit }: Column): Axis => ({ label: name, unit: unit === '1' ? '' : (unit ?? '') });

/** Logarithmic if the study spaces or draws the parameter so. */
function parameterAxis(column: Column, { study }: ReportData): Axis {
  const index = study.plan.parameters.findIndex(({ name }) => name === column.name);
  const { range, distribution } = study.file.parameters?.[index] ?? {};
  return { ...axisOf(column), log: range?.scale === 'log' || distribution?.type.startsWith('log-') === true };
}

interface Usable {
  readonly row: Row;
  readonly inputs: readonly number[];
  readonly output: number;
}

/** Rows in which the quantity and all parameters are numbers. */
function usableRows({ parameters, rows }: ReportData, quantity: Column): Usable[] {
  return rows.flatMap((row): Usable[] => {
    const [inputs, output] = [parameters.map(({ name }) => row[name]), row[quantity.name]];
    return typeof output === 'number' && inputs.every((value) => typeof value === 'number')
      ? [{ row, inputs: inputs as number[], output }]
      : [];
  });
}

function sectionOf(data: ReportData, quantity: Column, count: Numbering): string {
  const { parameters, rows } = data;
  const usable = usableRows(data, quantity);
  const known = rows.map((row) => row[quantity.name]).filter((value) => typeof value === 'number');
  const head = `<section><h2>${escapeXml(quantity.name)}</h2><p>${escapeXml(quantity.description)}${quantity.unit ? ` [${escapeXml(quantity.unit)}]` : ''}</p>`;
  if (known.length > 1 && new Set(known).size === 1)
    return `${head}<p>${formatNumber(known[0])} in all ${known.length} rows that have a number.</p></section>`;
  if (usable.length < 2 || parameters.length === 0)
    return `${head}${htmlTable(
      ['run', quantity.name],
      usable.slice(0, 50).map(({ row, output }) => [Number(row.run), output]),
    )}</section>`;
  const drawn = thin(usable, mostPoints).map((one) => ({
    ...one,
    href: data.link(one.row),
    title: `run ${one.row.run}: ${quantity.name} = ${formatNumber(one.output)}`,
  }));
  const thinned = drawn.length < usable.length ? ` ${drawn.length} of ${usable.length} runs are drawn.` : '';
  const indices = indicesOf(data, usable);
  const axes = parameters.map((parameter) => parameterAxis(parameter, data));
  const parts = [
    figure(
      inlineSvg(
        drawParallel(
          [...axes, axisOf(quantity)],
          drawn.map(({ inputs, output, href, title }) => ({ values: [...inputs, output], href, title })),
        ),
      ),
      'Parallel coordinates',
      `One line per run, coloured by ${quantity.name}.${thinned}`,
      count,
    ),
    '<div class="pair">',
    ...parameters.map((parameter, k) =>
      figure(
        inlineSvg(
          drawScatter(
            drawn.map(({ inputs, output, href, title }) => ({ x: inputs[k], y: output, href, title })),
            axes[k],
            axisOf(quantity),
          ),
        ),
        `${quantity.name} over ${parameter.name}`,
        thinned.trim(),
        count,
      ),
    ),
    '</div>',
    ...surfaceOf(data, quantity, usable, indices, count),
    `<h3>Sobol sensitivity indices</h3>${htmlTable(
      ['parameter', 'first order', 'total'],
      indices.map(({ parameter, first, total }) => [parameter, first, total ?? '']),
    )}<p>${data.record.design === 'saltelli' ? 'Estimators of Saltelli et al. 2010.' : 'First order by means over parts of each parameter; a design of type saltelli gives totals too.'}</p>`,
  ];
  return `${head}${parts.join('')}</section>`;
}

function indicesOf({ parameters, record, rows, study }: ReportData, usable: readonly Usable[]): Sensitivity[] {
  const names = parameters.map((parameter) => parameter.name);
  const models = new Set(rows.map(({ model }) => model)).size;
  if (record.design === 'saltelli' && names.length === study.plan.parameters.length && models === 1) {
    const outputs = new Array<number | null>(study.count).fill(null);
    for (const { row, output } of usable) outputs[Number(row.run)] = output;
    // runs with identical inputs are made once: their result applies to all of them
    const byInput = new Map(usable.map(({ row, output }) => [row.hash, output]));
    for (let k = 0; k < study.count; k++) outputs[k] ??= byInput.get(study.spec(k).hash) ?? null;
    return saltelliIndices(names, outputs);
  }
  return binnedIndices(
    names,
    names.map((_, k) => usable.map(({ inputs }) => inputs[k])),
    usable.map(({ output }) => output),
  );
}

/** Over the two most influential parameters. */
function surfaceOf(
  data: ReportData,
  quantity: Column,
  usable: readonly Usable[],
  indices: readonly Sensitivity[],
  count: Numbering,
): string[] {
  if (data.parameters.length < 2) return [];
  const [a, b] = indices
    .map(({ first, total }, k) => ({ k, weight: total ?? first }))
    .sort((p, q) => q.weight - p.weight)
    .map(({ k }) => k);
  const [x, y] = [data.parameters[a], data.parameters[b]];
  const svg = drawSurface(
    usable.map(({ inputs, output }) => ({ x: inputs[a], y: inputs[b], z: output, title: '' })),
    parameterAxis(x, data),
    parameterAxis(y, data),
    axisOf(quantity),
  );
  return [
    figure(
      inlineSvg(svg),
      'Response surface',
      `Mean of ${quantity.name} in cells of ${x.name} and ${y.name}, the two parameters that matter most.`,
      count,
    ),
  ];
}

function listRows(title: string, found: readonly Row[], { link, parameters }: ReportData): string {
  if (found.length === 0) return '';
  const rows = found.slice(0, 200).map((row) => {
    const href = link(row);
    const run = href === undefined ? String(row.run) : `<a href="${escapeXml(href)}">${row.run}</a>`;
    const values = parameters
      .map(({ name }) => `${name} = ${typeof row[name] === 'number' ? formatNumber(row[name]) : row[name]}`)
      .join(', ');
    return `<tr><td>${run}</td><td class="text">${escapeXml(String(row.status))}</td><td class="text">${escapeXml(values)}</td><td class="text">${escapeXml(String(row.message ?? '').slice(0, 300))}</td></tr>`;
  });
  const more = found.length > 200 ? `<p>… and ${found.length - 200} more.</p>` : '';
  return `<section><h2>${title}</h2><div class="scroll"><table><thead><tr><th>run</th><th class="text">status</th><th class="text">parameters</th><th class="text">message</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>${more}</section>`;
}
