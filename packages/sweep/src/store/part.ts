/** Parts of the data set: Parquet files with the rows of one chunk of runs, written whole or not at all. */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { InputError } from '@tendril-sim/io';
import { writeFileAtomic } from '@tendril-sim/io/node';
import { type AsyncBuffer, parquetMetadata, parquetReadObjects } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Cell, Outcome, Status } from '../run/execute.ts';
import type { Plan, RunSpec } from '../study/planTypes.ts';
import { type Column, combineDigests, digestOutcome, outcomeOf, tableRows } from './columns.ts';

export interface PartSummary {
  readonly runs: number;
  readonly counts: Partial<Record<Status, number>>;
  /** Hexadecimal; see `digestOutcome`. */
  readonly digest: string;
}

export function summarise(outcomes: Iterable<Outcome>): PartSummary {
  const counts: Partial<Record<Status, number>> = {};
  const digest = new Uint8Array(16);
  let runs = 0;
  for (const outcome of outcomes) {
    runs++;
    counts[outcome.status] = (counts[outcome.status] ?? 0) + 1;
    combineDigests(digest, digestOutcome(outcome));
  }
  return { runs, counts, digest: Buffer.from(digest).toString('hex') };
}

export interface PartInput {
  readonly plan: Plan;
  readonly columns: readonly Column[];
  /** In the order of the runs. */
  readonly outcomes: readonly Outcome[];
  spec(outcome: Outcome): RunSpec;
}

export function writePart(path: string, { plan, columns, outcomes, spec }: PartInput): PartSummary {
  const data: Cell[][] = columns.map(() => []);
  for (const outcome of outcomes)
    for (const row of tableRows(plan, columns, spec(outcome), outcome))
      for (const [c, cell] of row.entries()) data[c].push(cell);
  const summary = summarise(outcomes);
  const bytes = parquetWriteBuffer({
    columnData: columns.map(({ name, type }, c) => ({ name, data: data[c], type, nullable: true })),
    kvMetadata: [
      { key: 'tendril.version', value: plan.version },
      { key: 'tendril.summary', value: JSON.stringify(summary) },
      { key: 'tendril.dictionary', value: JSON.stringify(columns) },
    ],
  });
  writeFileAtomic(path, new Uint8Array(bytes), { overwrite: true });
  return summary;
}

/** Reads only what is asked for; a part may be large. */
function openPart(path: string): AsyncBuffer {
  const { size } = statSync(path);
  return {
    byteLength: size,
    slice(start, end = size) {
      const bytes = Buffer.alloc(end - start);
      const handle = openSync(path, 'r');
      try {
        readSync(handle, bytes, 0, bytes.length, start);
      } finally {
        closeSync(handle);
      }
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    },
  };
}

export function readPartSummary(path: string): PartSummary {
  const bytes = readFileSync(path);
  const { key_value_metadata: metadata = [] } = parquetMetadata(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer,
  );
  const found = metadata.find(({ key }) => key === 'tendril.summary')?.value;
  if (found === undefined) throw new InputError(path, 'this is no part of a data set of tendril sweep');
  return JSON.parse(found) as PartSummary;
}

export async function readPartHashes(path: string): Promise<string[]> {
  const rows = await parquetReadObjects({ file: openPart(path), columns: ['hash'] });
  return [...new Set(rows.map(({ hash }) => hash as string))];
}

/** A row of the data set by names of columns. */
export type Row = Readonly<Record<string, unknown>>;

/** Reads rows of a Parquet file of the data set; `columns` selects some. */
export async function readPartRows(path: string, columns?: string[]): Promise<Row[]> {
  const rows: Row[] = await parquetReadObjects({ file: openPart(path), ...(columns && { columns }) });
  return rows;
}

export async function readPart(path: string, columns: readonly Column[]): Promise<Outcome[]> {
  const rows = await readPartRows(path);
  const groups: Row[][] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (last && last[0].hash === row.hash) last.push(row);
    else groups.push([row]);
  }
  return groups.map((group) => outcomeOf(columns, group));
}
