/** Reads text files line by line; errors name the place. */
import { InputError } from '../errors.ts';

export function decodeText(bytes: Uint8Array, source: string, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InputError(source, `this is not UTF-8 text, as ${what} is; is it another kind of file?`);
  }
}

export function lineError(source: string, line: number, message: string): InputError {
  return new InputError(source, [{ line, column: 1, message }]);
}

/** Lines with their numbers from 1, without comments behind '#' and without spaces around; a backslash goes on in the next. */
export function* lines(
  text: string,
  { comments }: { readonly comments: boolean },
): Generator<{ readonly line: number; readonly text: string }> {
  let at = 0;
  let line = 0;
  let carried = '';
  while (at < text.length) {
    let end = text.indexOf('\n', at);
    if (end < 0) end = text.length;
    line++;
    let content = text.slice(at, end);
    at = end + 1;
    if (comments) {
      const hash = content.indexOf('#');
      if (hash >= 0) content = content.slice(0, hash);
      content = content.trim();
      if (content.endsWith('\\')) {
        carried += `${content.slice(0, -1)} `;
        continue;
      }
    }
    yield { line, text: carried + (comments ? content : content.replace(/\r$/, '')) };
    carried = '';
  }
  if (carried !== '') yield { line, text: carried };
}

/** A finite number, or an error that names the place. */
export function numberAt(word: string | undefined, source: string, line: number, what: string): number {
  const value = word === undefined || word.trim() === '' ? Number.NaN : Number(word);
  if (Number.isFinite(value)) return value;
  throw lineError(
    source,
    line,
    `expected a number for ${what}, got ${word === undefined ? 'nothing' : `'${word.slice(0, 40)}'`}`,
  );
}
