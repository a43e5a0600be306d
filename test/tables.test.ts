/** Tables in the pages are what code and committed runs give. */
import { cases } from '@tendril-sim/cases';
import { describe, expect, it } from 'vitest';
import {
  fillCaseTables,
  findDrift,
  formatResults,
  hasCaseTables,
  parseResults,
  resultsFile,
} from '../site/caseTables.ts';
import { committed } from '../site/modelTables.ts';
import { resultFields } from '../site/resultFields.ts';
import { fillTables, tables } from '../site/tables.ts';
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

  it('show committed runs in which every comparison passes', () => {
    const missed = committed().filter(({ error, tolerance }) => !(error <= tolerance));
    expect(missed.map(({ case: id, quantity, n }) => `${id}: ${quantity}, n = ${n}`)).toEqual([]);
  });
});

describe('tables of cases', () => {
  it.each(cases.map(({ id }) => id))('of %s are those of its committed run (npm run results -- %s)', (id) => {
    const text = read(`cases/${id}/README.md`);
    expect(hasCaseTables(text)).toBe(true);
    expect(text).toBe(fillCaseTables(id, text, parseResults(read(resultsFile(id)))));
  });

  const row = {
    model: 'der',
    n: 50,
    quantity: 'tip, "Γ = 1", x',
    relation: '=' as const,
    measured: 1.25,
    expected: 1,
    error: 0.25,
    tolerance: 0.3,
    order: null,
  };

  it('are read as they are written', () => {
    const bound = { ...row, relation: '≤' as const, measured: 1e-12, order: 1.98 };
    expect(parseResults(formatResults([row, bound]))).toEqual([row, bound]);
  });

  it('drift if a measured value moves by more than a page shows', () => {
    expect(findDrift(row, [row])).toBeUndefined();
    expect(findDrift({ ...row, measured: 1.254 }, [row])).toBeUndefined();
    expect(findDrift({ ...row, measured: 1.26 }, [row])).toContain('1.25 → 1.26');
    expect(findDrift({ ...row, n: 51 }, [row])).toContain('not in the committed run');
    expect(findDrift({ ...row, measured: Number.NaN }, [row])).toContain('NaN');
  });
});
