/** Remedies that the page can write itself. */
import type { Problem } from '@tendril-sim/io';

export interface Remedy {
  readonly label: string;
  readonly text: string;
}

export function remedyOf(problem: Problem, text: string): Remedy | undefined {
  const meant = /did you mean '([^']+)'\?/.exec(problem.message)?.[1];
  if (meant === undefined || problem.line === undefined || problem.column === undefined) return undefined;
  const lines = text.split('\n');
  const line = lines[problem.line - 1] ?? '';
  const from = problem.column - 1;
  const word = /^["']?[\w.-]+["']?/.exec(line.slice(from))?.[0];
  if (!word) return undefined;
  lines[problem.line - 1] = line.slice(0, from) + meant + line.slice(from + word.length);
  return { label: `Write '${meant}'`, text: lines.join('\n') };
}
