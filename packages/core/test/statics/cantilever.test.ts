import { describe, expect, it } from 'vitest';
import { elasticaTip, grid, runCantilevers } from './cantilever.ts';

describe('the elastica that cantilevers are measured against', () => {
  it('has the tips of an independent spectral solution', () => {
    const tips = [
      { gamma: 0.1, x: 0.999910732224, y: 0.012498437848 },
      { gamma: 5, x: 0.846657179954, y: 0.495905044622 },
      { gamma: 20, x: 0.44523205224, y: 0.829881443439 },
    ];
    for (const { gamma, x, y } of tips) {
      const tip = elasticaTip(gamma);
      expect(Math.hypot(tip.x - x, tip.y - y)).toBeLessThan(1e-8);
    }
    // beam theory, and the bend at the clamp of a rod that hangs
    expect(elasticaTip(1e-10).y * 8e10).toBeCloseTo(1, 7);
    expect(elasticaTip(1e6).x * 1e3).toBeCloseTo(Math.SQRT2, 2);
    expect((1 - elasticaTip(1e6).y) * 1e3).toBeCloseTo(2 - Math.SQRT2, 2);
  });
});

describe.each(['der', 'cosserat'] as const)('heavy cantilevers of %s', (model) => {
  const results = runCantilevers(model, grid);

  it('are right to the order of their discretisation, or not converged', () => {
    // fine rods at tiny loads: rounding may cost a hundred-thousandth
    const wrong = results.filter(
      ({ report, error, relative }) => report.converged && !(error <= 1 || relative <= 2e-5),
    );
    expect(wrong.map(({ name, relative }) => `${name}: ${relative.toExponential(2)}`)).toEqual([]);
  });

  it('hang on their clamps with their whole weight', () => {
    const wrong = results.filter(({ report, unbalanced }) => report.converged && !(Math.abs(unbalanced) < 1e-6));
    expect(wrong.map(({ name, unbalanced }) => `${name}: ${unbalanced.toExponential(2)}`)).toEqual([]);
  });

  it('converge where positions can hold the answer', () => {
    const failed = results.filter(({ report, gamma }) => !report.converged && gamma >= 1e-5);
    expect(failed.map(({ name, report }) => `${name}: ${report.reason}`)).toEqual([]);
  });

  it('say that rounding hides the load, and not that something else failed', () => {
    const failed = results.filter(({ report }) => !report.converged);
    expect(failed.length).toBeGreaterThan(0);
    for (const { report } of failed) expect(report.reason).toMatch(/^rounding of positions/);
  });
});
