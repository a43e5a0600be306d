/**
 * Tables of the pages of cases, from committed runs. `npm run results -- <case> …` measures cases, writes `cases/<id>/results.csv`, and fills the tables
 * of their pages; the tests of cases compare what they measure with these files. A page marks the place by
 * `<!-- results: options -->` … `<!-- end of results -->`. Options, all with a default:
 *
 *   models=der,helix   columns, in this order; `der,helix-last`: of helix only the finest resolution
 *   n=50,100           resolutions
 *   show=measured      instead of errors where theory gives a value
 *   rows=/regex/       quantities
 */
import { type CheckRow, type Expectation, findCase } from '@tendril-sim/cases';

/** A row of results.csv. */
export type ResultRow = Pick<
  CheckRow,
  'model' | 'n' | 'quantity' | 'relation' | 'measured' | 'expected' | 'error' | 'tolerance' | 'order'
>;

const columns = ['model', 'n', 'quantity', 'relation', 'measured', 'expected', 'error', 'tolerance', 'order'] as const;

export const resultsFile = (id: string): string => `cases/${id}/results.csv`;

const rounded = (value: number | null): string => (value === null ? '' : String(Number(value.toPrecision(7))));

export function formatResults(rows: readonly ResultRow[]): string {
  const lines = rows.map(({ model, n, quantity, relation, measured, expected, error, tolerance, order }) =>
    [
      model,
      n,
      `"${quantity.replaceAll('"', '""')}"`,
      relation,
      ...[measured, expected, error, tolerance, order].map(rounded),
    ].join(','),
  );
  return `${[columns.join(','), ...lines].join('\n')}\n`;
}

export function parseResults(text: string): ResultRow[] {
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [, model, n, quantity, relation, ...rest] =
        /^(\w+),(\d+),"((?:[^"]|"")*)",([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),([^,]*)$/.exec(line) ?? [];
      if (model === undefined) throw new Error(`results.csv: ${line}`);
      const [measured, expected, error, tolerance] = rest.map(Number);
      return {
        model,
        n: Number(n),
        quantity: quantity.replaceAll('""', '"'),
        relation: relation as ResultRow['relation'],
        measured,
        expected,
        error,
        tolerance,
        order: rest[4] === '' ? null : Number(rest[4]),
      };
    });
}

/** Measured again: what differs from a committed row by more than a page shows; undefined if nothing does. */
export function findDrift(row: ResultRow, committed: readonly ResultRow[]): string | undefined {
  const name = `${row.quantity}, ${row.model}, n = ${row.n}`;
  const before = committed.find(
    ({ model, n, quantity }) => model === row.model && n === row.n && quantity === row.quantity,
  );
  if (!before) return `${name}: not in the committed run`;
  if (Object.is(row.measured, before.measured)) return undefined;
  // of a bound, the error is zero
  const scale = row.relation === '=' ? row.tolerance : Math.abs(row.expected);
  const allowed = Math.max(
    0.02 * Math.abs(before.measured - before.expected),
    2e-3 * scale,
    1e-6 * Math.abs(before.measured),
  );
  const change = Math.abs(row.measured - before.measured);
  return change <= allowed ? undefined : `${name}: ${before.measured} → ${row.measured}`;
}

/** Differences below this are rounding errors that accumulate. */
const ROUNDING = 1e-12;

/** A number with a few digits: 0.0123, 1.234e-5. */
function short(value: number, digits: number): string {
  if (Number.isNaN(value)) return 'none';
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  const text = size !== 0 && (size < 1e-3 || size >= 1e6) ? rounded.toExponential() : String(rounded);
  return text.replace(/^-/, '−').replace('e+', 'e');
}

/** An error with two digits. */
function showError(error: number): string {
  if (Number.isNaN(error)) return 'none';
  if (error < ROUNDING) return error === 0 ? '0' : '< 1e-12';
  return error < 0.01 ? error.toExponential(1) : String(Number(error.toPrecision(2)));
}

const isTheory = (expected: Expectation): boolean => 'value' in expected || 'curve' in expected;

/** A measured value with as many digits as its difference from theory makes interesting. */
function showMeasured({ measured, expected, relation }: ResultRow, kind: Expectation): string {
  if ('holds' in kind) return measured === 1 ? 'yes' : 'no';
  if (Math.abs(measured) < ROUNDING) return measured === 0 ? '0' : '< 1e-12';
  if (relation !== '=' || measured === expected) return short(measured, 4);
  const agreeing = Math.ceil(
    -Math.log10(Math.abs(measured - expected) / Math.max(Math.abs(measured), Math.abs(expected))),
  );
  return short(measured, Math.min(6, Math.max(3, agreeing + 2)));
}

/** What is expected, over all columns. */
function showExpected(rows: readonly ResultRow[], kind: Expectation): string {
  if ('holds' in kind) return 'yes';
  if ('lessThan' in kind) return `< ${kind.lessThan}`;
  if ('curve' in kind) return 'distance from theory';
  if ('from' in kind) {
    const ends = (sign: 1 | -1): number[] => rows.map(({ expected, tolerance }) => expected + sign * tolerance);
    return `${range(ends(-1))} to ${range(ends(1))}`;
  }
  return `${rows[0].relation === '=' ? '' : `${rows[0].relation} `}${range(rows.map(({ expected }) => expected))}`;
}

function range(values: readonly number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const text = (value: number): string => short(value, 6);
  return low === high ? text(low) : `${text(low)} … ${text(high)}`;
}

/** Order of convergence at the finest resolution of the first model that has one. */
function findOrder(rows: readonly ResultRow[]): number | undefined {
  const [first] = rows.filter(({ order }) => order !== null);
  return rows.filter(({ model }) => model === first?.model).at(-1)?.order ?? undefined;
}

interface Options {
  readonly models?: string;
  readonly n?: string;
  readonly show?: string;
  readonly rows?: string;
}

const readOptions = (text: string): Options =>
  Object.fromEntries([...text.matchAll(/(\w+)=(\/[^/]*\/|\S+)/g)].map(([, key, value]) => [key, value]));

interface Column {
  readonly model: string;
  readonly n: number;
}

/** The first model with all resolutions, the others with the finest; or those that are named. */
function chooseColumns(rows: readonly ResultRow[], { models, n }: Options): Column[] {
  const found = [...new Set(rows.map(({ model }) => model))];
  const named = models?.split(',') ?? found.map((model, k) => (k === 0 ? model : `${model}-last`));
  return named.flatMap((name) => {
    const model = name.replace(/-last$/, '');
    const all = [...new Set(rows.filter((row) => row.model === model).map((row) => row.n))].sort((a, b) => a - b);
    const wanted = n ? all.filter((one) => n.split(',').includes(String(one))) : all;
    return (name.endsWith('-last') ? wanted.slice(-1) : wanted).map((one) => ({ model, n: one }));
  });
}

/** The table of one mark, with a sentence that says what its numbers are. */
export function makeCaseTable(id: string, rows: readonly ResultRow[], text: string): string {
  const subject = findCase(id);
  if (!subject) throw new Error(`there is no case ${id}`);
  const options = readOptions(text);
  const shown = chooseColumns(rows, options);
  const filter = options.rows === undefined ? undefined : new RegExp(options.rows.slice(1, -1));
  const showsErrors = options.show !== 'measured';
  const quantities = Object.keys(subject.expect).filter((quantity) => !filter || filter.test(quantity));
  const several = new Set(shown.map(({ model }) => model)).size > 1;
  const head = (k: number): string => (several && shown[k].model !== shown[k - 1]?.model ? `${shown[k].model}, ` : '');
  const lines = quantities.flatMap((quantity) => {
    const kind = subject.expect[quantity];
    const cells = shown.map(({ model, n }) =>
      rows.find((row) => row.model === model && row.n === n && row.quantity === quantity),
    );
    const known = cells.filter((row) => row !== undefined);
    if (known.length === 0) return [];
    const asError = 'curve' in kind || (showsErrors && isTheory(kind));
    const order = asError && 'order' in kind && kind.order !== undefined ? findOrder(known) : undefined;
    return [
      [
        quantity.replaceAll('|', '\\|'),
        showExpected(known, kind),
        ...cells.map((row) => (row ? (asError ? showError(row.error) : showMeasured(row, kind)) : '')),
        order?.toFixed(2) ?? '',
      ],
    ];
  });
  const header = ['quantity', 'expected', ...shown.map(({ n }, k) => `${head(k)}n = ${n}`), 'order'];
  const hasOrder = lines.some((cells) => cells.at(-1) !== '');
  const table = [header, header.map(() => '---'), ...lines]
    .map((cells) => `| ${(hasOrder ? cells : cells.slice(0, -1)).join(' | ')} |\n`)
    .join('');
  return `${describe(id, showsErrors, lines.length > 0 && quantities.some((one) => isTheory(subject.expect[one])), shown)}\n\n${table}`;
}

function describe(id: string, showsErrors: boolean, hasTheory: boolean, shown: readonly Column[]): string {
  const { quick = [], models = [], resolutions } = findCase(id) ?? {};
  const isQuick = shown.every(({ model, n }) => {
    const known = models.find((one) => one === model);
    return ((known && resolutions?.[known]?.quick) ?? quick).includes(n);
  });
  const only =
    models.length > 1 && shown.every(({ model }) => model === shown[0].model) ? `, model \`${shown[0].model}\`` : '';
  const what =
    showsErrors && hasTheory ? 'errors where theory gives a value, measured values elsewhere' : 'measured values';
  return `\`tendril check ${id}${isQuick ? '' : ' --full'}\`${only}: ${what}.`;
}

const marked = /(<!-- results:?([^>]*?)-->\n)[\s\S]*?(<!-- end of results -->)/g;

/** The page of a case with its tables made anew. */
export function fillCaseTables(id: string, page: string, rows: readonly ResultRow[]): string {
  return page.replaceAll(
    marked,
    (_, open: string, options: string, close: string) => `${open}\n${makeCaseTable(id, rows, options)}\n${close}`,
  );
}

export const hasCaseTables = (page: string): boolean => page.includes('<!-- results');
