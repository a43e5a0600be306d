/** `npm run tables [-- check.json]`: rewrites the generated tables; with the output of `tendril check --json`, also the committed run. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { read, root } from '../test/files.ts';
import { chooseHighlights, fillTables, highlightsFile, tables } from './tables.ts';

const [run] = process.argv.slice(2);
if (run) {
  const rows = chooseHighlights(JSON.parse(readFileSync(run, 'utf8')));
  writeFileSync(join(root, highlightsFile), `${JSON.stringify(rows, null, 2)}\n`);
}
for (const page of new Set(tables.map((table) => table.page))) {
  const before = read(page);
  const after = fillTables(page, before);
  if (after !== before) writeFileSync(join(root, page), after);
  console.log(`${page}: ${after === before ? 'unchanged' : 'written'}`);
}
