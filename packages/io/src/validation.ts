/** Checks values against a zod schema; reports every problem with its line, its field and a valid value. */
import type * as z from 'zod';
import type { Place, ScenePath } from './document.ts';
import { formatPath, InputError, type Problem } from './errors.ts';

/** Finds the location of a field in a file. */
export interface Locator {
  /** Line and column of a value. */
  locate(path: ScenePath): Partial<Place>;
  /** Line and column of the name of a field. */
  locateKey(path: ScenePath): Partial<Place>;
}

/** The error that lists zod's issues in the order of the file; `isRelevant` may omit some. */
export function explainIssues(
  issues: readonly z.core.$ZodIssue[],
  source: string,
  locator?: Locator,
  isRelevant: (path: ScenePath) => boolean = () => true,
): InputError {
  let faults = issues.flatMap((issue) => flatten(issue, []));
  // a field that is missing because its name is misspelt is one problem, not two
  const meant = new Set(
    faults.flatMap(({ path, message, atKey }) => {
      const name = atKey ? /did you mean '(.*)'\?$/.exec(message)?.[1] : undefined;
      return name === undefined ? [] : [formatPath([...path.slice(0, -1), name])];
    }),
  );
  faults = faults.filter(({ path, message }) => !(message.startsWith('missing') && meant.has(formatPath(path))));
  faults = faults.filter(({ path }) => isRelevant(path));
  const problems = faults.map(({ path, message, atKey }): Problem => {
    const place = locator && (atKey ? locator.locateKey(path) : locator.locate(path));
    return { ...place, path: formatPath(path), message };
  });
  // in the order of the file, as one reads it
  problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  return new InputError(source, problems);
}

interface Fault {
  readonly path: ScenePath;
  readonly message: string;
  /** The error is in the key, not in its value. */
  readonly atKey: boolean;
}

type Issue = z.core.$ZodIssue;

/** One error per unknown field; for a union, the errors of the intended form. */
function flatten(issue: Issue, prefix: ScenePath): Fault[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    return issue.keys.map((key, k) => ({ path: [...path, key], message: messages[k] ?? issue.message, atKey: true }));
  }
  if (issue.code === 'invalid_union') {
    const meant = chooseForm(issue.errors);
    if (meant) return meant.flatMap((inner) => flatten(inner, path));
  }
  if (issue.code === 'invalid_key') return issue.issues.flatMap((inner) => flatten(inner, path));
  return [{ path, message: issue.message, atKey: false }];
}

/** The form that accepts this kind of value and whose fields match best; undefined if no form accepts it. */
function chooseForm(forms: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  let best: readonly Issue[] | undefined;
  let bestMisfits = Number.POSITIVE_INFINITY;
  for (const form of forms) {
    if (form.some(isWrongKind)) continue;
    // unknown fields are the strongest evidence against a form: { formula: 5 } is a formula, not a list without its entries
    const misfits = form.reduce((sum, issue) => {
      if (issue.code === 'unrecognized_keys' && issue.path.length === 0) return sum + 10 * issue.keys.length;
      return sum + 1;
    }, 0);
    if (misfits < bestMisfits) {
      best = form;
      bestMisfits = misfits;
    } else if (misfits === bestMisfits && misfits >= 10) {
      // unknown fields, and two forms match equally: the message that names all forms is more helpful
      best = undefined;
    }
  }
  return best;
}

function isWrongKind(issue: Issue): boolean {
  if (issue.path.length > 0) return false;
  if (issue.code === 'invalid_type' || issue.code === 'invalid_value') return true;
  return issue.code === 'invalid_union' && issue.errors.length > 0 && chooseForm(issue.errors) === undefined;
}
