/** Least squares against closed forms: straight lines, a bound, a prior, a combination that no data determine, quantiles. */
import { describe, expect, it } from 'vitest';
import { type FitParameter, type FitPoint, fitLeastSquares, studentQuantile } from '../../src/index.ts';

const x = [0, 1, 2, 3, 4, 5];
const y = [1.1, 2.9, 5.2, 7.1, 8.8, 11.1];

/** y = a + b x, data with deviation σ. */
const line =
  (sigma: number) =>
  (p: Float64Array): FitPoint => ({
    residual: Float64Array.from(x, (at, i) => (p[0] + p[1] * at - y[i]) / sigma),
    jacobian: () => Float64Array.from(x.flatMap((at) => [1 / sigma, at / sigma])),
  });
const parameters: FitParameter[] = [
  { name: 'a', start: 5 },
  { name: 'b', start: -1 },
];
const mean = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0) / list.length;
const [mx, my] = [mean(x), mean(y)];
const sxx = x.reduce((sum, at) => sum + (at - mx) ** 2, 0);
const slope = x.reduce((sum, at, i) => sum + (at - mx) * (y[i] - my), 0) / sxx;

describe('least squares', () => {
  it('a straight line: values, deviations, correlation and Student intervals', () => {
    const known = fitLeastSquares(parameters, { evaluate: line(0.2) });
    expect(known.end).toBe('converged');
    expect(known.parameters[1].value).toBeCloseTo(slope, 8);
    expect(known.parameters[0].value).toBeCloseTo(my - slope * mx, 8);
    expect(known.parameters[1].deviation).toBeCloseTo(0.2 / Math.sqrt(sxx), 8);
    expect(known.parameters[0].deviation).toBeCloseTo(0.2 * Math.sqrt(1 / 6 + mx ** 2 / sxx), 8);
    expect(known.correlation[1]).toBeCloseTo(-mx / Math.sqrt(sxx / 6 + mx ** 2), 8);
    const estimated = fitLeastSquares(parameters, { evaluate: line(1), estimateDeviation: true });
    const rest = x.reduce((sum, at, i) => sum + (my + slope * (at - mx) - y[i]) ** 2, 0);
    const deviation = Math.sqrt(rest / 4 / sxx);
    expect(estimated.parameters[1].deviation).toBeCloseTo(deviation, 8);
    expect(estimated.parameters[1].interval?.[1]).toBeCloseTo(slope + 2.77645 * deviation, 5);
  });

  it('a bound holds a parameter, and the others are the best with it', () => {
    const found = fitLeastSquares([{ ...parameters[0], lower: 2 }, parameters[1]], { evaluate: line(1) });
    expect(found.parameters[0]).toMatchObject({ value: 2, atBound: 'lower' });
    const through = x.reduce((sum, at, i) => sum + at * (y[i] - 2), 0) / x.reduce((sum, at) => sum + at * at, 0);
    expect(found.parameters[1].value).toBeCloseTo(through, 8);
    expect(found.parameters[0].interval).toBeUndefined();
    expect(() => fitLeastSquares([{ name: 'a', start: 1, lower: 2 }], { evaluate: line(1) })).toThrow(
      /outside its bounds/,
    );
  });

  it('a prior counts as one more datum', () => {
    const one = (p: Float64Array): FitPoint => ({
      residual: Float64Array.of((p[0] - 4) / 0.5),
      jacobian: () => Float64Array.of(2),
    });
    const found = fitLeastSquares([{ name: 'p', start: 1, prior: { mean: 2, deviation: 1 } }], { evaluate: one });
    expect(found.parameters[0].value).toBeCloseTo((4 / 0.25 + 2) / (1 / 0.25 + 1), 10);
    expect(found.parameters[0].deviation).toBeCloseTo(1 / Math.sqrt(5), 10);
  });

  it('names a combination that the data do not determine, and still knows the rest', () => {
    // only the product of p and q, and r
    const product = (v: Float64Array): FitPoint => ({
      residual: Float64Array.from([1, 2, 3], (k) => k * v[0] * v[1] + v[2] - (6 * k + 1)),
      jacobian: () => Float64Array.from([1, 2, 3].flatMap((k) => [k * v[1], k * v[0], 1])),
    });
    const start = [
      { name: 'p', start: 1 },
      { name: 'q', start: 2 },
      { name: 'r', start: 3 },
    ];
    const found = fitLeastSquares(start, { evaluate: product });
    expect(found.unidentified).toHaveLength(1);
    const [combination] = found.unidentified;
    expect(combination.map(({ name }) => name)).toEqual(['p', 'q']);
    // p may grow by the percentage by which q shrinks
    expect(combination[0].weight + combination[1].weight).toBeCloseTo(0, 6);
    expect(Math.abs(combination[0].weight)).toBeCloseTo(1, 6);
    expect(found.parameters[0].deviation).toBeUndefined();
    expect(found.parameters[2].value).toBeCloseTo(1, 6);
    expect(found.parameters[2].deviation).toBeGreaterThan(0);
    expect(found.parameters[0].value * found.parameters[1].value).toBeCloseTo(6, 6);
  });

  it('Rosenbrock’s valley, and stops when asked', () => {
    const valley = (p: Float64Array): FitPoint => ({
      residual: Float64Array.of(10 * (p[1] - p[0] ** 2), 1 - p[0]),
      jacobian: () => Float64Array.of(-20 * p[0], 10, -1, 0),
    });
    const start = [
      { name: 'x', start: -1.2 },
      { name: 'y', start: 1 },
    ];
    const found = fitLeastSquares(start, { evaluate: valley });
    expect(found.parameters.map(({ value }) => value)).toEqual([expect.closeTo(1, 7), expect.closeTo(1, 7)]);
    const stopped = fitLeastSquares(start, { evaluate: valley, onIteration: ({ iteration }) => iteration < 3 });
    expect([stopped.end, stopped.iterations]).toEqual(['stopped', 3]);
    expect(stopped.sum).toBeLessThan(24.2);
  });

  it('quantiles of Student', () => {
    for (const [degrees, quantile] of [
      [1, 12.7062],
      [2, 4.30265],
      [10, 2.22814],
      [100, 1.98397],
      [Infinity, 1.95997],
    ])
      expect(studentQuantile(0.975, degrees) / quantile).toBeCloseTo(1, 4);
    expect(studentQuantile(0.975, 0)).toBeNaN();
  });
});
