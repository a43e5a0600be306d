/** Tables of parameter values: CSV with a header line, or Parquet. */
import { readFileSync } from 'node:fs';
import { InputError } from '@tendril-sim/io';
import { parquetReadObjects } from 'hyparquet';
import type { Table } from './design.ts';

export async function readTable(path: string): Promise<Table> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new InputError(path, `the table cannot be read: ${(error as Error).message}`, { cause: error });
  }
  if (bytes.subarray(0, 4).toString('latin1') !== 'PAR1') return readCsv(bytes.toString('utf8'), path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const rows = await parquetReadObjects({ file });
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [key, typeof value === 'bigint' ? Number(value) : value]),
    ),
  );
}

/** RFC 4180, with commas, semicolons or tabs; numbers become numbers. A column "E [GPa]" is E, in GPa. */
export function readCsv(text: string, source: string): Table {
  const head = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n'));
  const separator = [';', '\t', ','].find((mark) => head.includes(mark)) ?? ',';
  const [titles, ...lines] = splitCsv(text.replace(/^\ufeff/, ''), separator).filter((cells) =>
    cells.some((cell) => cell !== ''),
  );
  if (!titles || lines.length === 0)
    throw new InputError(source, 'the table has no rows; it needs a header line and a row per run');
  const columns = titles.map((title) => {
    const match = /^(.*?)\s*(?:\[(.*)\])?\s*$/.exec(title.trim());
    return { name: match?.[1] ?? title, unit: match?.[2] };
  });
  return lines.map((cells, k) => {
    if (cells.length !== columns.length)
      throw new InputError(source, [
        { line: k + 2, column: 1, message: `expected ${columns.length} cells, got ${cells.length}` },
      ]);
    return Object.fromEntries(columns.map(({ name, unit }, c) => [name, readCell(cells[c].trim(), unit)]));
  });
}

function readCell(cell: string, unit: string | undefined): unknown {
  if (cell === '' || Number.isNaN(Number(cell))) return cell;
  return unit === undefined ? Number(cell) : `${cell} ${unit}`;
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
