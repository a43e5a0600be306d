/** `npm run results -- <case> … [--full]`: measures cases, all without a name, and writes their committed runs and the tables of their pages. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, cases, runChecks } from '@tendril-sim/cases';
import { read, root } from '../test/files.ts';
import { fillCaseTables, formatResults, parseResults, type ResultRow, resultsFile } from './caseTables.ts';

const args = process.argv.slice(2);
const full = args.includes('--full');
const ids = args.filter((arg) => !arg.startsWith('-'));
const unknown = ids.find((id) => !cases.some((subject) => subject.id === id));
if (unknown !== undefined) throw new Error(`there is no case '${unknown}'`);

const key = ({ model, n, quantity }: ResultRow): string => `${model} ${n} ${quantity}`;

/** The rows of this run; those of finer resolutions are kept from the committed run, unless it was of other quantities. */
function merge(subject: Case, found: readonly ResultRow[]): ResultRow[] {
  const file = resultsFile(subject.id);
  const before = !full && existsSync(join(root, file)) ? parseResults(read(file)) : [];
  const measured = new Set(found.map(key));
  const names = new Set(found.map(({ quantity, model }) => `${model} ${quantity}`));
  const kept = before.filter((row) => !measured.has(key(row)) && names.has(`${row.model} ${row.quantity}`));
  const order = subject.models as readonly string[];
  return [...found, ...kept].sort((a, b) => order.indexOf(a.model) - order.indexOf(b.model) || a.n - b.n);
}

for (const subject of cases) {
  if (ids.length > 0 && !ids.includes(subject.id)) continue;
  const quick = runChecks(subject, { full: false });
  const seen = new Set(quick.map(key));
  const fine = full ? runChecks(subject, { full: true }).filter((row) => !seen.has(key(row))) : [];
  const rows = merge(subject, [...quick, ...fine]);
  writeFileSync(join(root, resultsFile(subject.id)), formatResults(rows));
  const page = `cases/${subject.id}/README.md`;
  writeFileSync(join(root, page), fillCaseTables(subject.id, read(page), parseResults(formatResults(rows))));
  console.log(`${subject.id}: ${rows.length} rows`);
}
