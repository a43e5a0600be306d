import { describe, expect, it } from 'vitest';
import { type CheckRow, cases, runChecks, worldOf } from '../src/index.ts';

const format = (row: CheckRow): string =>
  `${row.quantity}, n = ${row.n}: measured ${row.measured}, expected ${row.expected}, error ${row.error} of ${row.tolerance}, order ${row.order}`;

describe.each(cases.map((subject) => [subject.id, subject] as const))('%s', (_, subject) => {
  it('agrees with theory', { timeout: 120_000 }, () => {
    const rows = runChecks(subject, { full: false });
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((row) => !row.pass).map(format)).toEqual([]);
  });

  it('has a scene that compiles', () => {
    expect(worldOf(subject.scene()).rods.length).toBeGreaterThan(0);
  });
});
