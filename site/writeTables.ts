/** `npm run tables`: rewrites the generated tables, from code and from committed runs (`npm run results`). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cases } from '@tendril-sim/cases';
import { read, root } from '../test/files.ts';
import { fillCaseTables, hasCaseTables, parseResults, resultsFile } from './caseTables.ts';
import { fillTables, tables } from './tables.ts';

function rewrite(page: string, fill: (text: string) => string): void {
  const before = read(page);
  const after = fill(before);
  if (after !== before) writeFileSync(join(root, page), after);
  console.log(`${page}: ${after === before ? 'unchanged' : 'written'}`);
}

for (const page of new Set(tables.map((table) => table.page))) rewrite(page, (text) => fillTables(page, text));
for (const { id } of cases) {
  const page = `cases/${id}/README.md`;
  if (hasCaseTables(read(page))) rewrite(page, (text) => fillCaseTables(id, text, parseResults(read(resultsFile(id)))));
}
