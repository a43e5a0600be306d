/**
 * Tables of points: columns x, y and z by name, with `rod` (or `curve`, `strand`) to tell curves apart, `radius`, and
 * `frame`, of which one is read, as `tendril export --to csv` writes them; or three columns without names, an empty line
 * between curves. Commas, semicolons or tabs.
 */
import { InputError } from '../errors.ts';
import { type Curves, createCurveBuilder } from './curves.ts';
import { decodeText, lineError, lines, numberAt } from './text.ts';

export function readCsvCurves(bytes: Uint8Array, source: string, frame = 0): Curves {
  const text = decodeText(bytes, source, 'a table');
  const rows = lines(text, { comments: false });
  let first = rows.next();
  while (!first.done && first.value.text.trim() === '') first = rows.next();
  if (first.done) throw new InputError(source, 'the table is empty');
  const separator = [';', '\t', ','].find((mark) => first.value?.text.includes(mark)) ?? ',';
  const head = split(first.value.text, separator).map((cell) => cell.trim().toLowerCase());
  const titled = head.some((cell) => cell !== '' && Number.isNaN(Number(cell)));
  const columns = titled ? head : ['x', 'y', 'z'];
  const [x, y, z] = ['x', 'y', 'z'].map((name) => columns.indexOf(name));
  if (x < 0 || y < 0 || z < 0)
    throw lineError(source, first.value.line, `expected columns x, y and z, got ${columns.slice(0, 8).join(', ')}`);
  const id = columns.findIndex((name) => name === 'rod' || name === 'curve' || name === 'strand');
  const radius = columns.indexOf('radius');
  const frameColumn = columns.indexOf('frame');
  const wanted = frameColumn < 0 ? '' : chooseFrame(text, separator, frameColumn, frame, source);
  const out = createCurveBuilder(source);
  let previous: string | undefined;
  const take = (line: number, content: string): void => {
    if (content.trim() === '') {
      if (id < 0) previous = undefined;
      return;
    }
    const cells = split(content, separator);
    if (frameColumn >= 0 && cells[frameColumn] !== wanted) return;
    const name = id < 0 ? '' : (cells[id] ?? '');
    if (name !== previous) out.begin(name);
    previous = name;
    const at = (column: number, what: string): number => numberAt(cells[column], source, line, what);
    out.point(at(x, 'x'), at(y, 'y'), at(z, 'z'), radius < 0 ? undefined : at(radius, 'a radius'));
  };
  if (!titled) take(first.value.line, first.value.text);
  for (const { line, text: content } of rows) take(line, content);
  return out.build({ unit: 1, warnings: [] });
}

/** The text of the requested frame: the nth that occurs; negative counts from the end. */
function chooseFrame(text: string, separator: string, column: number, wanted: number, source: string): string {
  const seen: string[] = [];
  const known = new Set<string>();
  let titled = true;
  for (const { text: content } of lines(text, { comments: false })) {
    const cell = split(content, separator)[column];
    if (!titled && cell !== undefined && cell !== '' && !known.has(cell)) {
      known.add(cell);
      seen.push(cell);
    }
    if (content.trim() !== '') titled = false;
  }
  const chosen = seen.at(wanted);
  if (chosen === undefined)
    throw new InputError(source, `there is no frame ${wanted}: the table has ${seen.length} frames`);
  return chosen;
}

/** Cells of a line; quoted ones may hold the separator, and quotes doubled (RFC 4180). */
function split(line: string, separator: string): string[] {
  if (!line.includes('"')) return line.split(separator);
  const out: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const letter = line[i];
    if (letter === '"') {
      if (quoted && line[i + 1] === '"') {
        cell += '"';
        i++;
      } else quoted = !quoted;
    } else if (letter === separator && !quoted) {
      out.push(cell);
      cell = '';
    } else cell += letter;
  }
  out.push(cell);
  return out;
}
