/** Tables of parameter values: CSV with a header line, or Parquet. */
import { readFileSync } from 'node:fs';
import * as zlib from 'node:zlib';
import { InputError } from '@tendril-sim/io';
import { type Compressors, parquetReadObjects } from 'hyparquet';
import type { Table } from './design.ts';
import { refuseDevice } from './device.ts';

export async function readTable(path: string): Promise<Table> {
  refuseDevice(path, 'a table');
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new InputError(path, `the table cannot be read: ${(error as Error).message}`, { cause: error });
  }
  if (bytes.subarray(0, 4).toString('latin1') !== 'PAR1') return readCsv(bytes.toString('utf8'), path);
  return readParquet(bytes, path);
}

/** Snappy is built into hyparquet. Node has Zstandard from 22.15 on. */
const compressors: Compressors = {
  GZIP: (input) => zlib.gunzipSync(input),
  BROTLI: (input) => zlib.brotliDecompressSync(input),
  ...('zstdDecompressSync' in zlib && { ZSTD: zlib.zstdDecompressSync as (input: Uint8Array) => Uint8Array }),
};

async function readParquet(bytes: Buffer, path: string): Promise<Table> {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  let rows: Record<string, unknown>[];
  try {
    rows = await parquetReadObjects({ file, compressors });
  } catch (error) {
    const codec = /unsupported compression codec: (\w+)/.exec((error as Error).message)?.[1];
    const reason =
      codec === undefined
        ? `it is no complete Parquet file: ${(error as Error).message}`
        : `its compression ${codec} is not supported by Node ${process.versions.node}; write it with snappy or gzip`;
    throw new InputError(path, `the table cannot be read: ${reason}`, { cause: error });
  }
  if (rows.length === 0) throw new InputError(path, 'the table has no rows; it needs a row per run');
  const columns = Object.keys(rows[0]).map((title) => ({ title, ...splitTitle(title) }));
  return rows.map((row) =>
    Object.fromEntries(columns.map(({ title, name, unit }) => [name, withUnit(toNumber(row[title]), unit)])),
  );
}

const toNumber = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toNumber);
  return typeof value === 'bigint' ? Number(value) : value;
};

/** "E [GPa]" is E, in GPa. */
function splitTitle(title: string): { readonly name: string; readonly unit: string | undefined } {
  const match = /^(.*?)\s*(?:\[(.*)\])?\s*$/.exec(title.trim());
  return { name: match?.[1] ?? title, unit: match?.[2] };
}

const withUnit = (value: unknown, unit: string | undefined): unknown =>
  Number.isFinite(value) && unit !== undefined ? `${value} ${unit}` : value;

/** RFC 4180, with commas, semicolons or tabs; numbers become numbers. */
export function readCsv(text: string, source: string): Table {
  const head = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n'));
  const separator = [';', '\t', ','].find((mark) => head.includes(mark)) ?? ',';
  const [titles, ...lines] = splitCsv(text.replace(/^\ufeff/, ''), separator).filter((cells) =>
    cells.some((cell) => cell !== ''),
  );
  if (!titles || lines.length === 0)
    throw new InputError(source, 'the table has no rows; it needs a header line and a row per run');
  const columns = titles.map(splitTitle);
  return lines.map((cells, k) => {
    if (cells.length !== columns.length)
      throw new InputError(source, `row ${k + 1} of the table: expected ${columns.length} cells, got ${cells.length}`);
    return Object.fromEntries(columns.map(({ name, unit }, c) => [name, readCell(cells[c].trim(), unit)]));
  });
}

function readCell(cell: string, unit: string | undefined): unknown {
  return cell === '' || Number.isNaN(Number(cell)) ? cell : withUnit(Number(cell), unit);
}

function splitCsv(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  const endRow = (): void => {
    row.push(cell);
    rows.push(row);
    row = [];
    cell = '';
  };
  for (let i = 0; i < text.length; i++) {
    const letter = text[i];
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = false;
    } else if (letter === '"' && cell === '') quoted = true;
    else if (letter === separator) {
      row.push(cell);
      cell = '';
    } else if (letter === '\n') endRow();
    else if (letter !== '\r') cell += letter;
  }
  if (cell !== '' || row.length > 0) endRow();
  return rows;
}
