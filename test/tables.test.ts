/** Tables in the pages are what code and committed runs give. */
import { cases } from '@tendril-sim/cases';
import { describe, expect, it } from 'vitest';
import { resultFields } from '../site/resultFields.ts';
import { type chooseHighlights, fillTables, highlightsFile, tables } from '../site/tables.ts';
import { read } from './files.ts';

describe('generated tables', () => {
  it.each([...new Set(tables.map(({ page }) => page))])('of %s are up to date (npm run tables)', (page) => {
    expect(read(page)).toBe(fillTables(page, read(page)));
  });

  it('describe every field of result.json', () => {
    const fields = resultFields();
    expect(fields.length).toBeGreaterThan(80);
    expect(fields.filter(({ text }) => text === '').map(({ path }) => path)).toEqual([]);
  });

  it('show a run that the present code repeats', () => {
    const rows = JSON.parse(read(highlightsFile)) as ReturnType<typeof chooseHighlights>;
    const [first] = rows;
    const measured = cases.find(({ id }) => id === first.case)?.measure(first.n, 'der')[first.quantity];
    expect(measured).toBe(first.measured);
  });
});
