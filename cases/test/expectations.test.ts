/** How a case is judged where models differ. */
import { describe, expect, it } from 'vitest';
import { type Case, defineCase, type Expectation, type Measured, onModel, runChecks } from '../src/index.ts';

const subject: Case = defineCase({
  id: 'made-up',
  title: 'Made up',
  claim: 'It holds.',
  source: 'none',
  models: ['der', 'helix'],
  quick: [10, 20],
  full: [10, 20, 40],
  resolutions: { helix: { quick: [3], full: [3, 6] } },
  scene: () => ({ tendril: 1, rods: [] }),
  // an error of first order for helix, of second for der
  measure: (n, model) => ({ error: model === 'der' ? 1 / n ** 2 : 1 / n, special: 1 }),
  expect: {
    error: {
      value: 0,
      tolerance: (n, model) => (model === 'der' ? 1.01 / n ** 2 : 1.01 / n),
      order: (model) => (model === 'der' ? 1.9 : undefined),
    },
    special: { value: 1, tolerance: 0, models: ['helix'] },
  },
});

describe('expectations', () => {
  it('have tolerances, orders, resolutions and quantities of each model', () => {
    const rows = runChecks(subject, { full: true });
    const of = (model: string, quantity: string): number[] =>
      rows.filter((row) => row.model === model && row.quantity === quantity).map(({ n }) => n);
    expect(of('der', 'error')).toEqual([10, 20, 40]);
    expect(of('helix', 'error')).toEqual([3, 6]);
    expect(of('der', 'special')).toEqual([]);
    expect(of('helix', 'special')).toEqual([3, 6]);
    expect(rows.every(({ pass }) => pass)).toBe(true);
  });

  it('miss where a model misses its own', () => {
    const strict: Case = {
      ...subject,
      expect: { ...subject.expect, error: { value: 0, tolerance: 1, order: 1.9 } },
    };
    const missed = runChecks(strict, { full: true }).filter(({ pass }) => !pass);
    expect(missed.map(({ model, n }) => [model, n])).toEqual([['helix', 6]]);
  });

  it('put all rods of a scene on one model', () => {
    const rod = {
      id: 'a',
      shape: { type: 'straight' as const, from: [0, 0, 0] as const, to: [1, 0, 0] as const },
      section: 'thin',
    };
    expect(onModel({ tendril: 1, rods: [rod, { ...rod, id: 'b', model: 'der' }] }, 'helix').rods).toMatchObject([
      { id: 'a', model: 'helix' },
      { id: 'b', model: 'helix' },
    ]);
  });
});

describe('kinds of expectations', () => {
  const judge = (measured: Measured[string], expected: Expectation, other = 0): boolean => {
    const one = {
      ...subject,
      models: ['der' as const],
      measure: () => ({ a: measured, other }),
      expect: { a: expected, other: { holds: true as const, models: ['helix' as const] } },
    };
    const rows = runChecks(one, { full: false });
    expect(rows.length).toBe(2);
    return rows.every(({ pass }) => pass);
  };

  const line = (x: number, n: number): number => (2 * x * n) / n;
  it.each<[Expectation, Measured[string], Measured[string]]>([
    [{ atMost: 2 }, 2, 2.001],
    [{ atMost: (n) => 20 / n }, 1, 1.5],
    [{ atLeast: -1 }, -1, -1.001],
    [{ from: 0.5, to: 0.75 }, 0.5, 0.49],
    [{ from: 0.5, to: 0.75 }, 0.75, 0.76],
    [{ lessThan: 'other' }, -0.1, 0],
    [{ holds: true }, true, false],
    [
      { curve: line, within: 0.1 },
      [
        [0, 0.1],
        [1, 1.95],
      ],
      [
        [0, 0],
        [1, 2.11],
        [2, 4],
      ],
    ],
    [{ curve: line, within: (n) => 1 / n, scale: 10 }, [[1, 2.4]], [[1, 2.6]]],
  ])('%o accepts %s and not %s', (expected, right, wrong) => {
    expect([judge(right, expected), judge(wrong, expected)]).toEqual([true, false]);
  });

  it('name the point of a curve that is farthest from theory', () => {
    const points = [
      [0, 0.1],
      [1, 1.7],
      [2, 4.2],
    ] as const;
    const one = {
      ...subject,
      models: ['der' as const],
      measure: () => ({ a: points }),
      expect: { a: { curve: line, within: 1 } },
    };
    const [{ at, measured, expected, error }] = runChecks(one, { full: false });
    expect([at, measured, expected, error]).toEqual([1, 1.7, 2, 2 - 1.7]);
  });

  it.each<[string, Measured[string]]>([
    ['no point', []],
    ['a number in place of a curve', 1],
    [
      'a point that is no number',
      [
        [0, 0],
        [1, Number.NaN],
        [2, 4],
      ],
    ],
  ])('a curve misses with %s', (_, measured) => {
    expect(judge(measured, { curve: line, within: 1 })).toBe(false);
  });

  it('must exist for everything that is measured', () => {
    const loose: Case = { ...subject, measure: () => ({ error: 0, special: 1, other: 2 }) };
    expect(() => runChecks(loose, { full: false })).toThrow("case made-up measures 'other' and expects nothing of it");
  });

  it.each<Expectation>([{ atMost: 1 }, { atLeast: 1 }, { from: 0, to: 1 }, { lessThan: 'other' }, { holds: true }])(
    '%o misses where nothing was measured',
    (expected) => expect(judge(Number.NaN, expected, 1)).toBe(false),
  );
});
