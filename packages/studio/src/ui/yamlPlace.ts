/**
 * What a place in the text of a scene is: the path of the field that is written there, and whether its name or its value is. The text may be
 * unfinished, which a parser of YAML would refuse: it is read line by line by its indentation, and by its brackets.
 */

export type Step = string | number;

export interface Place {
  /** Of the mapping whose name is written; of the value that is written. */
  readonly path: readonly Step[];
  readonly kind: 'name' | 'value';
  /** Where the word begins that is written. */
  readonly from: number;
  /** Fields of the same mapping before this place, with their plain values. */
  readonly written: Readonly<Record<string, string>>;
}

interface Level {
  /** Column of a block, -1 in brackets. */
  readonly column: number;
  /** Of a list: the number of the entry. */
  index?: number;
  name?: string;
  /** In brackets: after the colon. */
  hasColon?: boolean;
  readonly written: Record<string, string>;
}

const stepOf = ({ index, name }: Level): readonly Step[] =>
  index !== undefined ? [index] : name === undefined ? [] : [name];

/** The length of a string in quotes or of a comment that begins here; 0 where neither does. */
function skipped(text: string, at: number): number {
  const isComment = text[at] === '#' && (at === 0 || /\s/.test(text[at - 1]));
  const found = isComment
    ? /^#[^\n]*/.exec(text.slice(at))
    : /^(?:"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?)/.exec(text.slice(at));
  return found?.[0].length ?? 0;
}

const unquoted = (word: string): string => word.replace(/^(["'])(.*)\1$/, '$2');

/** First letter that is no space, from here on. */
function skipSpaces(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && /[ \n]/.test(text[at])) at++;
  return at;
}

/** A field with a plain value, in brackets. */
function take({ name, hasColon, written }: Level, value: string): void {
  if (name !== undefined && hasColon && !/^[[{]/.test(value)) written[name] = unquoted(value);
}

/** After a comma. */
function goOn(level: Level): void {
  if (level.index !== undefined) level.index++;
  else {
    level.name = undefined;
    level.hasColon = false;
  }
}

/** Reads what is in brackets, as far as the place: the levels that are open there, and where its word begins. */
function readBrackets(text: string, from: number, to: number): { levels: Level[]; word: number } {
  const levels: Level[] = [];
  let word = from;
  let at = from;
  while (at < to) {
    const letter = text[at];
    const last = levels[levels.length - 1];
    const skip = /["'#]/.test(letter) ? skipped(text, at) : 0;
    if (skip > 0) {
      at = Math.min(to, at + skip);
      continue;
    }
    const isColon = letter === ':' && last && last.index === undefined && !last.hasColon;
    if (/[[\]{},]/.test(letter) || isColon) {
      const before = text.slice(word, at).trim();
      word = at + 1;
      if (letter === '{' || letter === '[')
        levels.push({ column: -1, written: {}, ...(letter === '[' && { index: 0 }) });
      else if (isColon) Object.assign(last, { name: unquoted(before), hasColon: true });
      else if (last) {
        take(last, before);
        if (letter === ',') goOn(last);
        else levels.pop();
      }
      if (levels.length === 0) break;
    }
    at++;
  }
  return { levels, word };
}

/** Leaves the blocks that a line which begins at this column is not in. */
function leave(blocks: Level[], column: number, { isEntry }: { readonly isEntry: boolean }): void {
  for (let top = blocks[blocks.length - 1]; top; top = blocks[blocks.length - 1]) {
    if (top.column < column || (top.column === column && (isEntry || top.index === undefined))) return;
    blocks.pop();
  }
}

/** Reads the dashes at the start of a line: each begins an entry of a list. Returns where what follows them begins. */
function readDashes(text: string, blocks: Level[], line: number, from: number, end: number): number {
  let at = from;
  while (/^-(?= |$)/.test(text.slice(at, end))) {
    leave(blocks, at - line, { isEntry: true });
    const top = blocks[blocks.length - 1];
    if (top?.column === at - line && top.index !== undefined) top.index++;
    else blocks.push({ column: at - line, index: 0, written: {} });
    at = skipSpaces(text, at + 1, end);
  }
  leave(blocks, at - line, { isEntry: false });
  return at;
}

const name = /^(?:"[^"\n]*"|'[^'\n]*'|[^\s"'#{}[\],][^\n:#{}[\]]*?)\s*:(?= |$)/;

/** Reads a line of blocks. Returns the place, where that is in it, or where the next line begins. */
function readLine(text: string, blocks: Level[], line: number, to: number): { place?: Place; next: number } {
  const newline = text.indexOf('\n', line);
  const end = Math.min(to, newline < 0 ? text.length : newline);
  const isLast = end === to;
  let at = skipSpaces(text, line, end);
  if (!isLast && (at === end || text[at] === '#')) return { next: end + 1 };
  at = readDashes(text, blocks, line, at, end);
  const column = at - line;
  const field = name.exec(text.slice(at, end))?.[0];
  const top = blocks[blocks.length - 1];
  const isIn = top?.column === column && top.index === undefined;
  if (field !== undefined) {
    const called = unquoted(field.slice(0, -1).trim());
    if (isIn) top.name = called;
    else blocks.push({ column, name: called, written: {} });
    at = skipSpaces(text, at + field.length, end);
  } else if (isLast && !/^[[{#]/.test(text.slice(at, end))) {
    const path = (isIn ? blocks.slice(0, -1) : blocks).flatMap(stepOf);
    return { place: { path, kind: 'name', from: at, written: isIn ? top.written : {} }, next: to + 1 };
  }
  if (at < end && (text[at] === '{' || text[at] === '[')) {
    const { levels, word } = readBrackets(text, at, to);
    if (levels.length > 0) return { place: placeIn(text, blocks, levels, skipSpaces(text, word, to)), next: to + 1 };
    const next = text.indexOf('\n', word);
    return { next: next < 0 ? to + 1 : next + 1 };
  }
  const { written = {}, name: called } = blocks[blocks.length - 1] ?? {};
  if (isLast && /(?:^|\s)#/.test(text.slice(at, end))) return { next: to + 1 };
  if (isLast) return { place: { path: blocks.flatMap(stepOf), kind: 'value', from: at, written }, next: to + 1 };
  if (called !== undefined)
    written[called] = unquoted(
      text
        .slice(at, end)
        .replace(/\s+#.*/, '')
        .trim(),
    );
  return { next: end + 1 };
}

function placeIn(text: string, blocks: readonly Level[], levels: readonly Level[], from: number): Place {
  const last = levels[levels.length - 1];
  const isName = last.index === undefined && !last.hasColon;
  const path = [...blocks, ...(isName ? levels.slice(0, -1) : levels)].flatMap(stepOf);
  return { path, kind: isName ? 'name' : 'value', from: Math.min(from, text.length), written: last.written };
}

/** The place before this letter; undefined in comments and after brackets. */
export function placeAt(text: string, to: number): Place | undefined {
  const blocks: Level[] = [];
  let line = 0;
  while (line <= to) {
    const { place, next } = readLine(text, blocks, line, to);
    if (place) return place;
    line = next;
  }
  return undefined;
}
