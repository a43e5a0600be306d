/** Columns of the data set: from outcomes of runs to Parquet and back, with a dictionary that says what each column means. */
import { createHash } from 'node:crypto';
import { type Cell, checkColumns, type Outcome, type Status } from '../run/execute.ts';
import type { Plan, RunSpec } from '../study/planTypes.ts';

export type ColumnType = 'INT32' | 'DOUBLE' | 'STRING' | 'BOOLEAN';

/** A column of the data set, as `dictionary.json` describes it. */
export interface Column {
  /** Name in the Parquet files. */
  readonly name: string;
  /** Type of the values. */
  readonly type: ColumnType;
  /** What the column describes. */
  readonly role: 'run' | 'parameter' | 'quantity' | 'status';
  /** SI unit, if there is one. */
  readonly unit?: string;
  /** Description for people. */
  readonly description: string;
}

export function columnsOf(plan: Plan, numeric: readonly boolean[]): Column[] {
  const check: Readonly<Record<(typeof checkColumns)[number], readonly [ColumnType, string]>> = {
    quantity: ['STRING', 'what was measured, in words'],
    measured: ['DOUBLE', 'measured value'],
    expected: ['DOUBLE', 'value of theory'],
    error: ['DOUBLE', '|measured − expected| relative to the scale of the case'],
    tolerance: ['DOUBLE', 'largest error that passes'],
    pass: ['BOOLEAN', 'whether the error is within the tolerance'],
  };
  const quantities: Column[] =
    plan.command === 'check'
      ? checkColumns.map((name) => ({ name, type: check[name][0], role: 'quantity', description: check[name][1] }))
      : plan.quantities.map(({ name, of, over, unit }) => ({
          name,
          type: 'DOUBLE',
          role: 'quantity',
          ...(unit !== undefined && { unit }),
          description: over === 'end' ? of : `${over} of ${of}`,
        }));
  return [
    { name: 'run', type: 'INT32', role: 'run', description: 'row of the design, from 0' },
    { name: 'model', type: 'STRING', role: 'run', description: 'model of all rods; null: as in the scene' },
    ...plan.parameters.map(
      ({ name, unit, paths }, k): Column => ({
        name,
        type: numeric[k] ? 'DOUBLE' : 'STRING',
        role: 'parameter',
        ...(unit !== undefined && { unit }),
        description: paths.map((path) => path.join('.')).join(', ') || 'parameter',
      }),
    ),
    { name: 'time', type: 'DOUBLE', role: 'run', unit: 's', description: 'simulated time of the row' },
    ...quantities,
    {
      name: 'status',
      type: 'STRING',
      role: 'status',
      description: 'done, doubtful, unconverged, failed, refused, timeout, out-of-memory or crashed',
    },
    { name: 'message', type: 'STRING', role: 'status', description: 'what went wrong' },
    { name: 'wall', type: 'DOUBLE', role: 'status', unit: 's', description: 'wall time of the run' },
    { name: 'tries', type: 'INT32', role: 'status', description: 'how often the run was started' },
    { name: 'recording', type: 'STRING', role: 'run', description: 'file or address of the recording' },
    { name: 'version', type: 'STRING', role: 'run', description: 'version of tendril' },
    { name: 'hash', type: 'STRING', role: 'run', description: 'hash of scene, version, command and parameters' },
  ];
}

/** One table row per row of the outcome, in the order of the columns. */
export function tableRows(plan: Plan, columns: readonly Column[], spec: RunSpec, outcome: Outcome): Cell[][] {
  const parameters = columns.filter(({ role }) => role === 'parameter');
  const values = parameters.map(({ type }, k) =>
    type === 'DOUBLE' ? (spec.values[k] as number) : toText(spec.values[k]),
  );
  return outcome.rows.map(({ time, cells }) => [
    spec.index,
    spec.model ?? null,
    ...values,
    time,
    ...cells,
    outcome.status,
    outcome.message ?? null,
    outcome.wall,
    outcome.tries ?? 1,
    outcome.recording ?? null,
    plan.version,
    outcome.hash,
  ]);
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The outcome of consecutive rows of one run. */
export function outcomeOf(columns: readonly Column[], rows: readonly Readonly<Record<string, unknown>>[]): Outcome {
  const [first] = rows;
  const quantities = columns.filter(({ role }) => role === 'quantity');
  const text = (name: string): string | undefined => (first[name] as string | null | undefined) ?? undefined;
  const [message, recording] = [text('message'), text('recording')];
  const tries = Number(first.tries ?? 1);
  return {
    index: Number(first.run),
    hash: first.hash as string,
    status: first.status as Status,
    ...(message !== undefined && { message }),
    wall: Number(first.wall),
    ...(tries !== 1 && { tries }),
    rows: rows.map((row) => ({
      time: (row.time as number | null | undefined) ?? null,
      cells: quantities.map(({ name }) => (row[name] as Cell | undefined) ?? null),
    })),
    ...(recording !== undefined && { recording }),
  };
}

/**
 * 128 bits of what a run found, without wall time, tries and places of files. Combined by exclusive or, they give the hash of a data
 * set, which does not depend on the order of the runs.
 */
export function digestOutcome({ hash, status, rows }: Outcome): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([hash, status, rows]))
    .digest()
    .subarray(0, 16);
}

export function combineDigests(sum: Uint8Array, other: Uint8Array): void {
  for (let k = 0; k < sum.length; k++) sum[k] ^= other[k];
}
