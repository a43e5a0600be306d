/**
 * Invalid input from a file, as one error that lists all problems.
 *
 * `message` is complete: source, location, field, the fault and a valid value. A program can print it unchanged.
 */

/** One problem. Lines and columns count from 1; a binary file has a byte offset instead. */
export interface Problem {
  /** What is wrong, and what would be right. */
  readonly message: string;
  /** The field, such as `rods[0].section.radius`; empty for the whole file. */
  readonly path?: string;
  /** Line in the file, from 1. */
  readonly line?: number;
  /** Column in the line, from 1. */
  readonly column?: number;
  /** Offset in a binary file [bytes]. */
  readonly offset?: number;
  /** Origin of the field if it is not the file: an option of the command line. Named instead of a line. */
  readonly origin?: string;
}

/** Number of problems that a message lists; further ones are only counted. */
export const problemLimit: number = 20;

/** All problems of a file; `message` is ready to print. */
export class InputError extends Error {
  readonly source: string;
  readonly problems: readonly Problem[];
  /** Place of the first problem. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly offset: number | undefined;
  readonly path: string;

  constructor(source: string, problems: readonly Problem[] | string, options?: ErrorOptions) {
    const list = typeof problems === 'string' ? [{ message: problems }] : problems;
    super(escapeControls(formatProblems(source, list)), options);
    this.name = 'InputError';
    this.source = source;
    this.problems = list;
    const first: Problem | undefined = list[0];
    this.line = first?.line;
    this.column = first?.column;
    this.offset = first?.offset;
    this.path = first?.path ?? '';
  }
}

/** Escapes control characters as \\u001b and the like: text from files must not control the terminal that prints it. */
export function escapeControls(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to find
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function formatProblems(source: string, problems: readonly Problem[]): string {
  const lines = problems.slice(0, problemLimit).map((problem) => {
    const field = problem.path ? ` ${problem.path}` : '';
    if (problem.origin !== undefined) return `${problem.origin}:${field}: ${problem.message}`;
    const place = problem.line === undefined ? '' : `:${problem.line}:${problem.column ?? 1}`;
    return `${source}${place}${field}: ${problem.message}`;
  });
  const more = problems.length - problemLimit;
  if (more > 0) lines.push(`${source}: … and ${more} more ${more === 1 ? 'problem' : 'problems'}`);
  return lines.join('\n');
}

/** `['rods', 0, 'section']` → `rods[0].section`; a key that is not a plain word is quoted. */
export function formatPath(path: readonly PropertyKey[]): string {
  let out = '';
  for (const key of path) {
    if (typeof key === 'number') out += `[${key}]`;
    else if (/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(String(key))) out += out === '' ? String(key) : `.${String(key)}`;
    else out += `[${JSON.stringify(String(key))}]`;
  }
  return out;
}
