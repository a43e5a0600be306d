/** Reads the tokens of USD's text form (.usda); errors name the place. */
import { InputError } from '../errors.ts';

export interface Scanner {
  /** Passes over spaces, comments, and marks that separate. */
  skip(): void;
  /** The next letter after spaces; empty at the end. */
  peek(): string;
  done(): boolean;
  /** Takes a mark if it is next. */
  take(mark: string): boolean;
  expect(mark: string, where: string): void;
  /** A word: letters, digits, and the marks that names of USD have. */
  word(): string;
  text(): string;
  number(): number | undefined;
  fail(message: string): InputError;
  /** The text between two marks, the first of which is the next token: a path between < and >, an asset between @ and @ or @@@ and @@@. */
  between(mark: '<' | '@'): string;
  /** Any token, for skipping. */
  any(): string;
}

/** An error at a place in the text. */
function errorAt(text: string, at: number, source: string, message: string): InputError {
  let line = 1;
  let start = 0;
  for (let k = text.indexOf('\n'); k >= 0 && k < at; k = text.indexOf('\n', k + 1)) {
    line++;
    start = k + 1;
  }
  const ended = text.slice(at).trim() === '' && !message.includes('truncated');
  const whole = ended ? `${message}; the file ends here: is it truncated?` : message;
  return new InputError(source, [{ line, column: at - start + 1, message: whole }]);
}

/** The text between quotes, the first of which is at `at`, and where it ends; undefined if it does not end. */
function readQuoted(text: string, at: number): { readonly value: string; readonly end: number } | undefined {
  const quote = text.startsWith('"""', at) ? '"""' : text.startsWith("'''", at) ? "'''" : text[at];
  let end = at + quote.length;
  let value = '';
  while (end < text.length) {
    if (text[end] === '\\') {
      value += text[end + 1] ?? '';
      end += 2;
    } else if (text.startsWith(quote, end)) return { value, end: end + quote.length };
    else value += text[end++];
  }
  return undefined;
}

/** Numbers may be infinite, as in lights and cameras; code that needs finite numbers checks them. */
function parseNumber(text: string): number {
  if (text.endsWith('nan')) return Number.NaN;
  if (!text.endsWith('inf')) return Number(text);
  return text[0] === '-' ? -Infinity : Infinity;
}

const spaces = /[\s,;]*/y;
const words = /[A-Za-z_][\w:.-]*(?:\[\])?/y;
const numbers = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:inf|nan)\b/y;

/** The text, and where in it the scanner is. */
interface Cursor {
  readonly text: string;
  readonly source: string;
  at: number;
}

/** Moves past what the (sticky) pattern matches here, and returns it. */
function match(cursor: Cursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0];
  if (found === undefined) return undefined;
  cursor.at += found.length;
  return found;
}

/** Moves past spaces and comments; comments one by one, because a pattern that repeats them needs stack for each. */
function skip(cursor: Cursor): void {
  const { text } = cursor;
  for (;;) {
    match(cursor, spaces);
    if (text[cursor.at] !== '#') return;
    const end = text.indexOf('\n', cursor.at);
    cursor.at = end < 0 ? text.length : end + 1;
  }
}

const failAt = ({ text, at, source }: Cursor, message: string): InputError => errorAt(text, at, source, message);

function readText(cursor: Cursor): string {
  const quoted = readQuoted(cursor.text, cursor.at);
  if (!quoted) throw failAt(cursor, 'text begins here and does not end');
  cursor.at = quoted.end;
  return quoted.value;
}

/** Reads a path between `<` and `>`, or `@` and `@`, or `@@@` and `@@@`. */
function readBetween(cursor: Cursor, mark: string): string {
  const { text, at } = cursor;
  const begin = mark === '@' && text.startsWith('@@@', at) ? '@@@' : mark;
  const end = mark === '<' ? '>' : begin;
  let stop = text.indexOf(end, at + begin.length);
  // \@@@ within @@@ does not end it
  while (begin === '@@@' && stop > 0 && text[stop - 1] === '\\') stop = text.indexOf(end, stop + 3);
  const inner = stop < 0 ? '' : text.slice(at + begin.length, stop);
  if (stop < 0 || (begin !== '@@@' && inner.includes('\n')))
    throw failAt(cursor, `a path does not end: expected '${end}'`);
  cursor.at = stop + end.length;
  return inner;
}

export function createScanner(text: string, source: string): Scanner {
  const cursor: Cursor = { text, source, at: 0 };
  const peek = (): string => {
    skip(cursor);
    return text[cursor.at] ?? '';
  };
  const take = (mark: string): boolean => {
    if (peek() !== mark) return false;
    cursor.at++;
    return true;
  };
  return {
    skip: () => skip(cursor),
    peek,
    done: () => peek() === '',
    take,
    expect(mark, where) {
      if (take(mark)) return;
      const next = peek();
      const got = next === '' ? 'the end of the file: is it truncated?' : `'${next}'`;
      throw failAt(cursor, `expected '${mark}' ${where}, got ${got}`);
    },
    word() {
      skip(cursor);
      return match(cursor, words) ?? '';
    },
    text() {
      skip(cursor);
      return readText(cursor);
    },
    number() {
      skip(cursor);
      const found = match(cursor, numbers);
      return found === undefined ? undefined : parseNumber(found);
    },
    fail: (message) => failAt(cursor, message),
    between(mark) {
      skip(cursor);
      return readBetween(cursor, mark);
    },
    any() {
      const next = peek();
      if (next === '"' || next === "'") return readText(cursor);
      const found = match(cursor, words) ?? match(cursor, numbers);
      if (found !== undefined) return found;
      cursor.at++;
      return next;
    },
  };
}
