/** The data set of a study as one CSV file, part by part. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { csvLine } from '@tendril-sim/io';
import { createAtomicWriter } from '@tendril-sim/io/node';
import { listFiles, readPartRows, readRecord } from '@tendril-sim/sweep';
import { UsageError } from '../exit.ts';

export interface CsvOptions {
  /** Default: results.csv in the folder, which is replaced. */
  readonly out?: string;
  readonly force?: boolean;
}

/** Writes the rows; null is an empty cell. Returns the path of the file. */
export async function writeCsv(folder: string, options: CsvOptions = {}): Promise<string> {
  const { out = join(folder, 'results.csv'), force } = options;
  if (options.out !== undefined && existsSync(out) && !force)
    throw new UsageError(`'${out}' exists; choose another --out, or add --force to replace it`);
  const record = readRecord(folder);
  if (!record) throw new UsageError(`'${folder}' has no study`);
  const names = record.columns.map(({ name }) => name);
  const writer = createAtomicWriter(out, { overwrite: true });
  try {
    writer.append(csvLine(names));
    for (const part of listFiles(join(folder, 'data'), '.parquet')) {
      const rows = await readPartRows(join(folder, 'data', part));
      writer.append(rows.map((row) => csvLine(names.map((name) => toCell(row[name])))).join(''));
    }
    writer.commit();
  } catch (error) {
    writer.abort();
    throw error;
  }
  return out;
}

function toCell(value: unknown): string | number {
  if (value === null || value === undefined) return '';
  return typeof value === 'number' ? value : String(value);
}
