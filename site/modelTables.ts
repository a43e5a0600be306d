/** Tables of the pages of models, from the committed runs of cases. */
import { cases } from '@tendril-sim/cases';
import { read } from '../test/files.ts';
import { parseResults, type ResultRow, resultsFile } from './caseTables.ts';

/** A table in Markdown; the first row is its head. */
export const lines = (rows: readonly (readonly string[])[]): string => {
  const [head, ...body] = rows;
  return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
};

/** Rows of the committed runs of all cases. */
export function committed(): (ResultRow & { readonly case: string })[] {
  return cases.flatMap(({ id }) => parseResults(read(resultsFile(id))).map((row) => ({ ...row, case: id })));
}

/** Two digits of a number of a committed run; empty if the case does not compare that resolution. */
function cell(id: string, model: string, quantity: string, n: number, of: 'measured' | 'error'): string {
  const rows = parseResults(read(resultsFile(id)));
  const row = rows.find((one) => one.model === model && one.quantity === quantity && one.n === n);
  if (!row) return '';
  return row[of] < 1e-2 ? row[of].toExponential(1) : String(Number(row[of].toPrecision(2)));
}

/** docs/massspring.md: errors that fall slowly with the number of edges. */
export function massspringErrors(): string {
  const edges = [25, 50, 100, 200, 400];
  const rowOf = (words: string, id: string, quantity: string): string[] => [
    words,
    ...edges.map((n) => cell(id, 'massspring', quantity, n, 'error')),
  ];
  return lines([
    ['error', ...edges.map((n) => `n = ${n}`)],
    rowOf('tip of the heavy cantilever, Γ = 20, in lengths', 'heavy-cantilever', 'tip distance from theory, Γ = 20'),
    rowOf('hair pushed together and twisted, rms in lengths', 'buckling-with-twist', 'root mean square over time'),
    rowOf(
      'tip drop of a hanging helix, no altitude springs, relative',
      'helix-relaxation',
      'static drop [mm], E × 1, G × 1',
    ),
  ]);
}

/** docs/fiber.md: energy and motion of the paper's hair over the step. */
export function fiberSteps(): string {
  const rates = [100, 200, 500, 1000];
  const rowOf = (words: string, quantity: string): string[] => [
    words,
    ...rates.map((n) => cell('undamped-hair', 'fiber', quantity, n, 'measured')),
  ];
  return lines([
    ['step', ...rates.map((n) => `${1000 / n} ms`)],
    rowOf('largest change of energy in 5 s', 'largest change of energy in 5 s'),
    rowOf('the same in 1 s with `tolerance: 1e-6`', 'largest change of energy in 1 s, solved to 1e-6'),
    rowOf('solves per step', 'solves per step'),
    rowOf('tip, largest distance in lengths', 'tip against Verlet, t ≤ 0.6 s'),
  ]);
}
