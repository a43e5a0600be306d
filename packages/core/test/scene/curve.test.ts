import { describe, expect, it } from 'vitest';
import { createArcTable } from '../../src/curve/quadrature.ts';
import type { SplineEnd } from '../../src/curve/spline.ts';
import { createSpline } from '../../src/curve/spline.ts';
import type { Frame } from '../../src/curve/vector.ts';
import { advanceFrame, distance, makeFrame, norm, normalize, rotationBetween } from '../../src/curve/vector.ts';

const knots = [0, 0.7, 1.1, 2.4, 3];
const values = [
  [1, 0],
  [2, -1],
  [0.5, 3],
  [1.5, 2],
  [1, 0],
];

function evaluate(end: SplineEnd, x: number): number[] {
  const out = new Float64Array(6);
  createSpline(knots, values, end).evaluate(out, x);
  return Array.from(out);
}

describe('spline', () => {
  const ends: SplineEnd[] = ['natural', 'rest', 'smooth', 'periodic'];
  it.each(ends)('%s: passes through its values and is C2', (end) => {
    knots.forEach((x, i) => {
      expect(evaluate(end, x)[0]).toBeCloseTo(values[i][0], 13);
      expect(evaluate(end, x)[1]).toBeCloseTo(values[i][1], 13);
    });
    for (const x of knots.slice(1, -1)) {
      const before = evaluate(end, x - 1e-9);
      const after = evaluate(end, x + 1e-9);
      before.forEach((value, k) => {
        expect(Math.abs(value - after[k])).toBeLessThan(1e-6);
      });
    }
  });
  it.each(ends)('%s: derivatives agree with differences', (end) => {
    const h = 1e-4;
    for (const x of [0.3, 0.9, 2, 2.9]) {
      const [a, b, c] = [evaluate(end, x - h), evaluate(end, x), evaluate(end, x + h)];
      for (let k = 0; k < 2; k++) {
        expect(b[2 + k]).toBeCloseTo((c[k] - a[k]) / (2 * h), 5);
        expect(b[4 + k]).toBeCloseTo((c[2 + k] - a[2 + k]) / (2 * h), 5);
      }
    }
  });
  it('the ends are what they are called', () => {
    expect(evaluate('natural', 0)[4]).toBeCloseTo(0, 12);
    expect(evaluate('natural', 3)[5]).toBeCloseTo(0, 12);
    expect(evaluate('rest', 0)[2]).toBeCloseTo(0, 12);
    expect(evaluate('rest', 3)[3]).toBeCloseTo(0, 12);
    const [first, last] = [evaluate('periodic', 0), evaluate('periodic', 3 - 1e-12)];
    first.forEach((value, k) => {
      expect(value).toBeCloseTo(last[k], 9);
    });
    expect(evaluate('periodic', 3.5)).toEqual(evaluate('periodic', 0.5).map((value) => expect.closeTo(value, 12)));
  });
  it('is constant outside', () => {
    expect(evaluate('rest', -1)).toEqual([1, 0, 0, 0, 0, 0]);
    expect(evaluate('rest', 9)).toEqual([1, 0, 0, 0, 0, 0]);
  });
  it('smooth ends reproduce a cubic; two and three points a line and a parabola', () => {
    for (const [count, f] of [
      [5, (x: number) => x ** 3 - x],
      [3, (x: number) => x * x],
      [2, (x: number) => 2 * x],
    ] as const) {
      const x = knots.slice(0, count);
      const spline = createSpline(
        x,
        x.map((at) => [f(at)]),
        'smooth',
      );
      const out = new Float64Array(3);
      spline.evaluate(out, 0.37);
      expect(out[0]).toBeCloseTo(f(0.37), 13);
    }
  });
  it('one key is a constant', () => {
    const out = new Float64Array(3);
    createSpline([2], [[7]], 'rest').evaluate(out, 5);
    expect(Array.from(out)).toEqual([7, 0, 0]);
  });
});

describe('arc length', () => {
  it('of a fast and slow parametrisation, to twelve digits, and back', () => {
    // s(p) = p⁴ + 1e-3 p
    const { length, parameter } = createArcTable((p) => 4 * p ** 3 + 1e-3, [0, 0.5, 2]);
    expect(Math.abs(length / 16.002 - 1)).toBeLessThan(1e-13);
    for (const p of [0.01, 0.3, 1, 1.9]) expect(Math.abs(parameter(p ** 4 + 1e-3 * p) - p)).toBeLessThan(1e-11);
    expect(parameter(0)).toBe(0);
    expect(parameter(length)).toBe(2);
  });
  it('of a speed with a corner', () => {
    expect(createArcTable((p) => Math.abs(p - 0.3), [0, 1]).length).toBeCloseTo((0.09 + 0.49) / 2, 9);
  });
});

describe('rotation between frames', () => {
  const start: Frame = makeFrame(normalize([1, 2, -1]), normalize([0, 1, 2]));
  it('inverts advanceFrame up to and beyond half a turn', () => {
    for (const angle of [1e-9, 0.1, 1, 3.1, 3.14, 4, 6.2, 7, 20]) {
      for (const axis of [
        [1, 0, 0],
        [0, -1, 0],
        [0, 0, 1],
        [0.6, 0, -0.8],
        [0.5, -0.5, Math.SQRT1_2],
      ] as const) {
        const w = [angle * axis[0], angle * axis[1], angle * axis[2]] as const;
        const found = rotationBetween(start, advanceFrame(start, w), [0.98 * w[0], 0.98 * w[1], 0.98 * w[2]]);
        expect(distance(found, w)).toBeLessThan(1e-12);
      }
    }
  });
  it('without a hint is the shortest', () => {
    expect(norm(rotationBetween(start, advanceFrame(start, [0, 0, 4])))).toBeCloseTo(2 * Math.PI - 4, 12);
  });
});
