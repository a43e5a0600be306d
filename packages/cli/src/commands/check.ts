/** `tendril check`: runs the validation cases and compares measurements with theory. */
import { join } from 'node:path';
import { type Case, type CaseFigure, type CheckRow, cases, findCase, runChecks } from '@tendril-sim/cases';
import { WriteError, writeFileAtomic } from '@tendril-sim/io/node';
import { exitCode, UsageError } from '../exit.ts';
import { ensureFolder } from '../folder.ts';
import { drawCaseFigure } from '../html/paper.ts';
import { insistModel } from '../source.ts';
import { suggest } from '../suggest.ts';
import { bad, bold, dim, formatError, formatNumber, formatTable, good, type Terminal } from '../terminal.ts';

export interface CheckOptions {
  readonly full?: boolean;
  readonly model?: string;
  readonly json?: boolean;
  readonly list?: boolean;
  readonly rows?: boolean;
  /** Folder for figures. */
  readonly out?: string;
}

export async function check(ids: readonly string[], options: CheckOptions, terminal: Terminal): Promise<number> {
  if (options.model !== undefined) insistModel(options.model);
  const chosen = ids.length === 0 ? cases.filter((one) => runsOn(one, options.model)) : ids.map(pick);
  for (const one of chosen) {
    if (!runsOn(one, options.model)) {
      throw new UsageError(
        `case '${one.id}' does not run on model '${options.model}'; it runs on: ${one.models.join(', ')}`,
      );
    }
  }
  if (chosen.length === 0) {
    const models = [...new Set(cases.flatMap((one) => one.models))].join(', ');
    throw new UsageError(`no case runs on model '${options.model}'; models: ${models}`);
  }
  if (options.list) {
    listCases(chosen, options, terminal);
    return exitCode.done;
  }

  const { out } = options;
  if (out !== undefined) ensureFolder(out);
  let lacksFigure = false;
  const rows: CheckRow[] = [];
  for (const one of chosen) {
    const report = (done: number, of: number, what: string): void => {
      if (!terminal.live) return;
      terminal.err(`\r\u001b[2K${dim(`[${done + 1}/${of}] ${what}`.slice(0, terminal.columns - 1))}`);
    };
    // yield to the event loop, so that output appears before the next case keeps the process busy
    await new Promise((resolve) => setImmediate(resolve));
    const found = measure(one, { full: options.full === true, model: options.model, onProgress: report }, terminal);
    rows.push(...found);
    if (out !== undefined && one.figure)
      lacksFigure = !writeFigure(one.figure(found), one.id, out, terminal) || lacksFigure;
    if (terminal.live) terminal.err('\r\u001b[2K');
    const verdict = found.every(({ pass }) => pass) ? 'pass' : 'MISS';
    if (options.json) terminal.err(`${one.id}: ${verdict}\n`);
    else {
      // for all cases: the finest resolution and the misses; for a case that was named: everything
      const shown =
        ids.length > 0 || options.rows ? found : found.filter((row) => !row.pass || row.n === finest(found, row));
      terminal.out(`${bold(one.id)}  ${one.title}  ${dim(one.source)}\n${formatRows(shown)}\n`);
    }
  }

  const missed = rows.filter(({ pass }) => !pass).length;
  if (options.json) terminal.out(`${JSON.stringify(rows.map(toJson), null, 2)}\n`);
  else {
    const profile = options.full ? 'full' : 'quick';
    const count = `${rows.length} ${rows.length === 1 ? 'check' : 'checks'} in ${chosen.length} ${chosen.length === 1 ? 'case' : 'cases'} (${profile})`;
    terminal.out(
      missed === 0 ? `${good('✓')} ${count}, all as expected\n` : `${bad('✗')} ${count}, ${bad(`${missed} missed`)}\n`,
    );
  }
  if (missed > 0) return exitCode.missed;
  return lacksFigure ? exitCode.badInput : exitCode.done;
}

/** Writes the figure of a case as <id>.svg. One that cannot be written is reported and costs no measurement: returns false. */
function writeFigure(figure: CaseFigure, id: string, folder: string, terminal: Terminal): boolean {
  const file = join(folder, `${id}.svg`);
  try {
    writeFileAtomic(file, drawCaseFigure(figure), { overwrite: true });
  } catch (error) {
    if (!(error instanceof WriteError)) throw error;
    terminal.err(formatError(error.message));
    return false;
  }
  terminal.err(`${dim(`figure ${file}`)}\n`);
  return true;
}

function finest(rows: readonly CheckRow[], { quantity, model }: CheckRow): number {
  return Math.max(...rows.filter((row) => row.quantity === quantity && row.model === model).map(({ n }) => n));
}

/** A case that fails counts as a miss; the others still run. */
function measure(one: Case, options: Parameters<typeof runChecks>[1], terminal: Terminal): CheckRow[] {
  try {
    return runChecks(one, options);
  } catch (error) {
    if (terminal.live) terminal.err('\r\u001b[2K');
    terminal.err(formatError(`${one.id}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`));
    const model = options.model ?? one.models.join(', ');
    const quantity = 'runs to its end';
    return [
      {
        case: one.id,
        model,
        n: 0,
        quantity,
        measured: 0,
        expected: 1,
        relation: '=',
        error: 1,
        tolerance: 0,
        order: null,
        pass: false,
      },
    ];
  }
}

function pick(id: string): Case {
  const found = findCase(id);
  if (found) return found;
  const ids = cases.map((one) => one.id);
  const meant = suggest(id, ids);
  throw new UsageError(
    `there is no case '${id}'${meant ? `; did you mean '${meant}'?` : ''}\ncases: ${ids.join(', ')}`,
  );
}

function runsOn(one: Case, model: string | undefined): boolean {
  return model === undefined || (one.models as readonly string[]).includes(model);
}

function listCases(chosen: readonly Case[], options: CheckOptions, terminal: Terminal): void {
  if (options.json) {
    const list = chosen.map(({ id, title, source, models }) => ({ id, title, source, models }));
    terminal.out(`${JSON.stringify(list, null, 2)}\n`);
    return;
  }
  const columns = ['case', 'title', 'models', 'source'].map((title) => ({ title, align: 'left' as const }));
  terminal.out(
    formatTable(
      columns,
      chosen.map(({ id, title, models, source }) => [bold(id), title, models.join(', '), dim(source)]),
    ),
  );
}

function formatRows(rows: readonly CheckRow[]): string {
  const columns = [
    { title: 'model', align: 'left' as const },
    { title: 'n' },
    { title: 'quantity', align: 'left' as const },
    { title: 'measured' },
    { title: 'expected' },
    { title: 'error' },
    { title: 'tolerance' },
    { title: 'order' },
    { title: 'verdict', align: 'left' as const },
  ];
  return formatTable(
    columns,
    rows.map((row) => [
      row.model,
      String(row.n),
      row.at === undefined ? row.quantity : `${row.quantity}, at ${formatNumber(row.at, 3)}`,
      formatNumber(row.measured, 6),
      row.relation === '=' ? formatNumber(row.expected, 6) : `${row.relation} ${formatExpected(row)}`,
      formatNumber(row.error, 2),
      formatNumber(row.tolerance, 2),
      row.order === null ? '' : row.order.toFixed(2),
      row.pass ? good('pass') : bad('MISS'),
    ]),
  );
}

/** A bound as a number, a range by its ends. */
function formatExpected({ relation, expected, tolerance }: CheckRow): string {
  if (relation !== 'in') return formatNumber(expected, 6);
  return `${formatNumber(expected - tolerance, 4)} … ${formatNumber(expected + tolerance, 4)}`;
}

/** The fields that other programs read, in the order of the contract. */
function toJson(row: CheckRow): Record<string, unknown> {
  const { model, n, quantity, at, measured, relation, expected, error, tolerance, order, pass } = row;
  return {
    case: row.case,
    model,
    n,
    quantity,
    ...(at !== undefined && { at }),
    measured,
    relation,
    expected,
    error,
    tolerance,
    order,
    pass,
  };
}
