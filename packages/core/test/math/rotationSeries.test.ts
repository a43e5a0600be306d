import { describe, expect, it } from 'vitest';
import { curvatureOfSeries, slopeOfSeries, writeRotationSeries } from '../../src/math/rotationSeries.ts';

/** Σ (−1)^j θ^(2j)/(2j+k)! in fixed point with 60 digits. */
function exact(theta: number, k: number): number {
  const digits = 10n ** 60n;
  const square = BigInt(Math.round(theta * 2 ** 40)) ** 2n;
  let term = digits;
  for (let i = 2n; i <= BigInt(k); i++) term /= i;
  let sum = 0n;
  for (let j = 1n; term !== 0n; j++) {
    sum += term;
    term = (-term * square) >> 80n;
    term /= (2n * j + BigInt(k)) * (2n * j + BigInt(k) - 1n);
  }
  return Number(sum / 10n ** 30n) / 1e30;
}

const factorial = (k: number): number => (k < 2 ? 1 : k * factorial(k - 1));

describe('rotation series', () => {
  const a = new Float64Array(10);

  it('agrees with exact sums from tiny to large angles', () => {
    // multiples of 2^-40, so that the fixed point has them exactly
    for (const theta of [0, 2 ** -30, 2 ** -10, 0.25, 1, 2.5, 2.984375, 3, 3.015625, 6.28125, 10, 30]) {
      writeRotationSeries(a, theta * theta, 10);
      for (let k = 0; k < 10; k++) expect(Math.abs(a[k] - exact(theta, k)) * factorial(k)).toBeLessThan(8e-15);
    }
  });

  it('writes as many as are asked for, the same ones', () => {
    const few = new Float64Array(4);
    for (const theta of [0.5, 4]) {
      writeRotationSeries(a, theta * theta, 10);
      writeRotationSeries(few, theta * theta, 4);
      few.forEach((value, k) => {
        expect(value).toBeCloseTo(a[k], 14);
      });
    }
  });

  it('has slopes that agree with differences', () => {
    const up = new Float64Array(10);
    const down = new Float64Array(10);
    const h = 1e-5;
    for (const theta of [0.3, 1.7, 5]) {
      writeRotationSeries(a, theta ** 2, 10);
      writeRotationSeries(up, (theta + h) ** 2, 10);
      writeRotationSeries(down, (theta - h) ** 2, 10);
      for (let k = 0; k < 6; k++) {
        const slope = (up[k] - down[k]) / (2 * h * theta);
        const curvature = (slopeOfSeries(up, k) - slopeOfSeries(down, k)) / (2 * h * theta);
        expect(Math.abs(slope)).toBeGreaterThan(1e-5);
        expect(slopeOfSeries(a, k)).toBeCloseTo(slope, 9);
        expect(curvatureOfSeries(a, k)).toBeCloseTo(curvature, 9);
      }
    }
  });
});
