/** Cases that are loaded one by one are those that are loaded together, and theory waits until it is asked for. */
import { describe, expect, it } from 'vitest';
import { caseIds, loadCase, paperIds } from '../src/catalog.ts';
import { type CaseDefinition, cases, defineCase, papers } from '../src/index.ts';

describe('the catalogue', () => {
  it('lists all cases and papers in their order', () => {
    expect(caseIds).toEqual(cases.map(({ id }) => id));
    expect(paperIds).toEqual(papers.map(({ id }) => id));
  });

  it('loads each case by its name', async () => {
    expect(await Promise.all(caseIds.map(loadCase))).toEqual(
      cases.map((one) => expect.objectContaining({ id: one.id })),
    );
    expect(await loadCase('toString')).toBeUndefined();
  });
});

describe('a case', () => {
  it('computes what it expects when it is first asked, once', () => {
    let calls = 0;
    const definition: CaseDefinition = {
      id: 'lazy',
      title: 'Lazy',
      claim: 'It holds.',
      source: 'none',
      models: ['der'],
      quick: [1],
      full: [1],
      scene: () => ({ tendril: 1, rods: [] }),
      measure: () => ({ a: 1 }),
      expect: () => {
        calls++;
        return { a: { value: 1, tolerance: 0 } };
      },
    };
    const subject = defineCase(definition);
    expect(calls).toBe(0);
    const { expect: first } = subject;
    expect([subject.expect === first, calls]).toEqual([true, 1]);
  });
});
