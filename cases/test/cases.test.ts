import { readFileSync } from 'node:fs';
import type { ModelId } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import { findDrift, parseResults, resultsFile } from '../../site/caseTables.ts';
import { type CheckRow, cases, runChecks, worldOf } from '../src/index.ts';

/**
 * Models whose checks take seconds, of cases that other models or tests check too: `npm run test:long` runs them, and `tendril check` does.
 */
const long: Readonly<Record<string, readonly ModelId[]>> = {
  'becks-column': ['fiber'],
  'buckling-with-twist': ['massspring'],
  'cantilever-frequencies': ['fiber'],
  'changing-moduli': ['fiber'],
  'euler-buckling': ['fiber'],
  'hair-bundle': ['fiber'],
  'helix-relaxation': ['fiber', 'cosserat'],
  'integrator-order': ['strand'],
  'long-hair': ['strand'],
  'michell-ring': ['cosserat'],
  'step-size': ['fiber', 'massspring'],
  'stick-slip': ['fiber'],
  'trefoil-knot': ['der'],
  'wilberforce-pendulum': ['der'],
  'woven-fabric': ['der'],
  capstan: ['fiber'],
  drop: ['fiber'],
};

const isLong = (id: string, model: ModelId): boolean => long[id]?.includes(model) ?? false;

const format = (row: CheckRow): string =>
  `${row.quantity}, n = ${row.n}: measured ${row.measured}, expected ${row.expected}, error ${row.error} of ${row.tolerance}, order ${row.order}`;

it('leaves for the long run only models that their cases have', () => {
  for (const [id, models] of Object.entries(long)) {
    expect(cases.find((subject) => subject.id === id)?.models, id).toEqual(expect.arrayContaining([...models]));
  }
});

describe.each(cases.map((subject) => [subject.id, subject] as const))('%s', (id, subject) => {
  const models = subject.models.filter((model) => process.env.TENDRIL_LONG || !isLong(id, model));
  for (const model of models) {
    it(`agrees with theory, and with its page, ${model}`, () => {
      const rows = runChecks(subject, { full: false, model });
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.filter((row) => !row.pass).map(format)).toEqual([]);
      const committed = parseResults(readFileSync(resultsFile(id), 'utf8'));
      const drift = rows.flatMap((row) => findDrift(row, committed) ?? []);
      expect(drift, `after a change on purpose: npm run results -- ${id}`).toEqual([]);
    });
  }

  it('has a scene that compiles', () => {
    expect(worldOf(subject.scene()).rods.length).toBeGreaterThan(0);
  });
});
