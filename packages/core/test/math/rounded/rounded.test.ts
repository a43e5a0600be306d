/** The elementary functions are correctly rounded: of all doubles, the result is the nearest to the true value. */
import { describe, expect, it } from 'vitest';
import * as rounded from '../../../src/math/rounded/index.ts';
import { makeSamplers } from './arguments.ts';
import { isNearest, truth } from './reference.ts';

const functions = rounded as unknown as Readonly<Record<string, (x: number, y: number) => number>>;
const library = Math as unknown as Readonly<Record<string, (x: number, y: number) => number>>;

/** Calls whose result is a number that the reference can judge. */
const isOrdinary = (name: string, x: number, y: number): boolean => {
  const result = library[name](x, y);
  if (x === 0 || (truth[name].length === 2 && y === 0)) return false;
  return Number.isFinite(result) && Math.abs(result) < 1e308;
};

const wrongCalls = (name: string, calls: readonly (readonly [number, number])[]): string[] =>
  calls
    .filter(([x, y]) => isOrdinary(name, x, y) && !isNearest(functions[name](x, y), truth[name](x, y)))
    .map(([x, y]) => `${name}(${x}, ${y}) = ${functions[name](x, y)}`);

/** `expected`, which an engine may round wrongly, if `found` is within two units of its last place. */
const near = (found: number, expected: number): number =>
  Object.is(found, expected) || Math.abs(found - expected) <= 3e-16 * Math.abs(expected) ? expected : found;

describe('the reference', () => {
  it('rejects a result that is off by one unit in the last place', () => {
    expect(isNearest(0.8414709848078965, truth.sin(1, 0))).toBe(true);
    expect(isNearest(0.8414709848078964, truth.sin(1, 0))).toBe(false);
    expect(isNearest(0.8414709848078966, truth.sin(1, 0))).toBe(false);
    expect(isNearest(-0.8414709848078965, truth.sin(1, 0))).toBe(false);
  });

  it('judges subnormal results', () => {
    expect(isNearest(Math.sqrt(2) * 2 ** -1060, truth.hypot(2 ** -1060, 2 ** -1060))).toBe(true);
    expect(isNearest(2 ** -1074, truth.exp(-745, 0))).toBe(true);
    expect(isNearest(2 ** -1073, truth.exp(-745, 0))).toBe(false);
  });
});

describe.each(Object.keys(truth))('%s', (name) => {
  it('is correctly rounded for random arguments', () => {
    const sample = makeSamplers(17n)[name];
    const calls = Array.from({ length: 120 }, sample);
    expect(wrongCalls(name, calls)).toEqual([]);
    expect(calls.filter(([x, y]) => isOrdinary(name, x, y)).length).toBeGreaterThan(60);
  });

  it('is within two units of the last place of what the engine computes', () => {
    // on many more arguments than the reference can judge: a slip in a branch shows
    const sample = makeSamplers(18n)[name];
    const off: string[] = [];
    for (let k = 0; k < 4000; k++) {
      const [x, y] = sample();
      const [ours, theirs] = [functions[name](x, y), library[name](x, y)];
      const same = Object.is(ours, theirs) || Math.abs(ours - theirs) <= 5e-16 * Math.abs(theirs) + 2 ** -1073;
      if (!same) off.push(`${name}(${x}, ${y}) = ${ours}, not ${theirs}`);
    }
    expect(off.slice(0, 5)).toEqual([]);
  });
});

describe('hard arguments', () => {
  // the first of exp is among the hardest of all doubles to round; the first of sin is the double nearest to a multiple of π/2
  const hard: Readonly<Record<string, readonly number[]>> = {
    exp: [7.541752774995959e-10, -1.03e-15, 709.782712893384, -745.1332191019411, -708.4],
    log: [1.4302808665508967e-3, 0.9999999999999999, 1.0000000000000002, 5e-324, 1.7976931348623157e308],
    sin: [6381956970095103 * 2 ** 797, 1.1e22, Math.PI, 355, 1e300],
    cos: [6381956970095103 * 2 ** 797, Math.PI / 2, 11, 1e22, 2 ** 1023],
    tan: [6381956970095103 * 2 ** 797, 1.5707963267948966, 0.7853981633974483, 1e22],
  };

  it.each(Object.keys(hard))('%s', (name) => {
    const calls = hard[name].flatMap((x): [number, number][] => [
      [x, 0],
      [-x, 0],
    ]);
    const wrong = calls
      .filter(([x]) => !(name === 'log' && x < 0))
      .filter(([x]) => !isNearest(functions[name](x, 0), truth[name](x, 0)) && Math.abs(library[name](x, 0)) < 1e308);
    expect(wrong).toEqual([]);
  });
});

describe('pow', () => {
  it('rounds results that lie halfway between two doubles to even', () => {
    // 3^34 has 54 digits: with the last one set it is a tie
    for (let base = 3; base < 200; base += 2)
      for (let power = 2; power <= 34; power++) {
        const exact = BigInt(base) ** BigInt(power);
        expect(rounded.pow(base, power)).toBe(Number(exact));
        const root = Number(exact);
        if (BigInt(root) === exact && Number.isInteger(Math.log2(power)))
          expect(rounded.pow(root, 1 / power)).toBe(base);
      }
    expect(rounded.pow(9007199254740991 * 2 ** -80, 1)).toBe(9007199254740991 * 2 ** -80);
    expect(rounded.pow(94906267 ** 2, 0.5)).toBe(94906267);
  });

  it('follows the operator ** in special cases', () => {
    const values = [
      0,
      -0,
      1,
      -1,
      2,
      -2,
      0.5,
      -0.5,
      3,
      -3,
      1e300,
      5e-324,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Number.NaN,
    ];
    for (const x of values)
      for (const y of values) expect([x, y, near(rounded.pow(x, y), x ** y)]).toEqual([x, y, x ** y]);
  });
});

describe('zeros, infinities and NaN', () => {
  const values = [0, -0, 1, -1, 5e-324, -5e-324, 1e308, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];

  it.each(Object.keys(truth))('%s', (name) => {
    const seconds = truth[name].length === 2 ? values : [0];
    for (const x of values)
      for (const y of seconds) {
        const [ours, theirs] = [functions[name](x, y), library[name](x, y)];
        expect([name, x, y, near(ours, theirs)]).toEqual([name, x, y, theirs]);
      }
  });
});

describe('hypotOf', () => {
  it('is correctly rounded for vectors of any length', () => {
    expect(rounded.hypotOf([3, 4])).toBe(5);
    expect(rounded.hypotOf([])).toBe(0);
    expect(rounded.hypotOf([1, 1, 1, 1, 1, 1, 1, 1, 1])).toBe(3);
    expect(rounded.hypot(1, 2, 2)).toBe(3);
    expect(rounded.hypot(1, 1, 1, 1)).toBe(2);
    expect(rounded.hypot(2 ** -1074 * 3, 2 ** -1074 * 4)).toBe(2 ** -1074 * 5);
    expect(rounded.hypotOf([1e300, 1e300, 1e300, 1e300, 0])).toBe(2e300);
  });
});
