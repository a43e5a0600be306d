/** Data for the report of a study: rows of the data set, numeric parameters, and links that open a run in the studio. */
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { createFileResolver } from '@tendril-sim/io';
import { openWithin } from '@tendril-sim/io/node';
import {
  buildScene,
  type Column,
  compileQuantity,
  listFiles,
  parseStudyCopy,
  type Row,
  readPartRows,
  readRecord,
  type Study,
  type StudyRecord,
} from '@tendril-sim/sweep';
import { UsageError } from '../exit.ts';

export interface ReportData {
  readonly record: StudyRecord;
  readonly study: Study;
  /** One row per run: the last of a series. */
  readonly rows: readonly Row[];
  /** Numeric parameters that vary. */
  readonly parameters: readonly Column[];
  readonly quantities: readonly Column[];
  /** Address that opens a run in the studio; undefined if its scene is too large for a link. */
  link(row: Row): string | undefined;
}

/** Maximum length of a link. */
const longestLink = 8000;

export async function readReportData(folder: string, studio: string): Promise<ReportData> {
  const record = readRecord(folder);
  if (!record) throw new UsageError(`'${folder}' has no study: study.json is missing`);
  const study = await parseStudyCopy(folder, record);
  const isCheck = record.command === 'check';
  const last = new Map<unknown, Row>();
  for (const part of listFiles(join(folder, 'data'), '.parquet'))
    for (const row of await readPartRows(join(folder, 'data', part)))
      last.set(isCheck ? `${row.hash} ${row.quantity}` : row.hash, row);
  const rows = [...last.values()].sort((a, b) => Number(a.run) - Number(b.run));
  if (rows.length === 0)
    throw new UsageError(
      `'${folder}' has no part of the data set yet: parts are written every few thousand runs, and when the study ends or is stopped by Ctrl-C`,
    );
  const isVarying = ({ name }: Column): boolean => new Set(rows.map((row) => row[name])).size > 1;
  return {
    record,
    study,
    rows,
    parameters: record.columns.filter(
      (column) => column.role === 'parameter' && column.type === 'DOUBLE' && isVarying(column),
    ),
    quantities: record.columns.filter(
      ({ role, type, name }) =>
        role === 'quantity' && type === 'DOUBLE' && rows.some((row) => typeof row[name] === 'number'),
    ),
    link: createLinks(study, studio),
  };
}

/** At most `count` runs, chosen by their hashes: every nth point of a Sobol sequence would be a biased choice. */
export function thin<T extends { readonly row: Row }>(runs: readonly T[], count: number): readonly T[] {
  if (runs.length <= count) return runs;
  return [...runs].sort((a, b) => (String(a.row.hash) < String(b.row.hash) ? -1 : 1)).slice(0, count);
}

/** The scene of a run as an address of the studio, packed like its own links. */
function createLinks(study: Study, studio: string): ReportData['link'] {
  const { plan } = study;
  if (plan.command === 'check') return (row) => `${studio}/#case=${encodeURIComponent(String(row.case))}`;
  const derived = plan.set.map(({ path, expression }) => ({ path, expression: compileQuantity(expression) }));
  const files = createFileResolver(openWithin(plan.folder));
  return (row) => {
    try {
      const scene = buildScene(plan, study.spec(Number(row.run)), derived, files);
      const packed = deflateRawSync(JSON.stringify(scene, null, 1)).toString('base64url');
      return packed.length > longestLink ? undefined : `${studio}/#name=run-${row.run}.yaml&s=${packed}`;
    } catch {
      // the scene of a run that was rejected
      return undefined;
    }
  };
}
