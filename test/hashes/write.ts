/**
 * Writes the table of state hashes anew, all of it or the entries of one case or model:
 *
 *   npm run hashes [-- --case drop --model der]
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cases } from '@tendril-sim/cases';
import { startThreads } from '@tendril-sim/io/node';
import { computeHashes, loadEngines, modelIds, readTable, type Table, tableFile } from './table.ts';

const { values } = parseArgs({ options: { case: { type: 'string' }, model: { type: 'string' } } });
const unknown =
  (values.case !== undefined && !cases.some(({ id }) => id === values.case) && `case '${values.case}'`) ||
  (values.model !== undefined && !modelIds.some((id) => id === values.model) && `model '${values.model}'`);
if (unknown) throw new Error(`there is no ${unknown}`);

const engines = await loadEngines(startThreads);
for (const model of modelIds.filter((id) => values.model === undefined || id === values.model)) {
  const before: Table = values.case === undefined ? {} : readTable(model);
  const chosen = cases.filter(({ id, models }) => models.includes(model) && (values.case ?? id) === id);
  const found = new Map(chosen.map((subject) => [subject.id, computeHashes(subject, model, engines)]));
  const table = Object.fromEntries(
    cases.flatMap(({ id }) => {
      const hashes = found.get(id) ?? before[id];
      return hashes ? [[id, hashes]] : [];
    }),
  );
  writeFileSync(tableFile(model), `${JSON.stringify(table, null, 2)}\n`);
  console.log(`${tableFile(model)}: ${found.size} of ${Object.keys(table).length} cases computed`);
}
process.exit(0);
