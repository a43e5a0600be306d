/** SQL over a data set, by DuckDB, an optional dependency. */
import { resolve } from 'node:path';
import { InputError } from '@tendril-sim/io';
import { loadOptional } from './optional.ts';
import { listFiles } from './store/store.ts';

/** What is used of @duckdb/node-api. */
interface DuckDb {
  readonly DuckDBInstance: {
    create(path: string): Promise<{
      connect(): Promise<{
        run(sql: string): Promise<unknown>;
        runAndReadAll(sql: string): Promise<{ columnNames(): string[]; getRowsJson(): unknown[][] }>;
        closeSync(): void;
      }>;
    }>;
  };
}

/** Answer to an SQL query: names of columns, and rows. */
export interface QueryResult {
  /** Names of the columns. */
  readonly columns: readonly string[];
  /** Values, row by row. */
  readonly rows: readonly (readonly unknown[])[];
}

/** Runs SQL in which the data set is the table `runs`. */
export async function queryStudy(folder: string, sql: string): Promise<QueryResult> {
  const data = resolve(folder, 'data');
  if (listFiles(data, '.parquet').length === 0)
    throw new InputError(folder, 'this folder holds no data set; run the study first');
  const { DuckDBInstance } = await loadOptional<DuckDb>('@duckdb/node-api', 'tendril sweep query');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run(`create view runs as select * from read_parquet('${data.replaceAll("'", "''")}/*.parquet')`);
    const reader = await connection.runAndReadAll(sql);
    return { columns: reader.columnNames(), rows: reader.getRowsJson() };
  } catch (error) {
    throw new InputError('query', (error as Error).message, { cause: error });
  } finally {
    connection.closeSync();
  }
}
