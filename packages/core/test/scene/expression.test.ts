import { describe, expect, it } from 'vitest';
import { compileExpression, ExpressionError, expressionLimits, parseExpression } from '../../src/scene/expression.ts';
import { compileJet } from '../../src/scene/jet.ts';

const value = (text: string, values: Record<string, number> = {}): number =>
  compileExpression(text, Object.keys(values))(Object.values(values));

describe('values', () => {
  const cases: [string, number][] = [
    ['1 + 2*3', 7],
    ['(1 + 2)*3', 9],
    ['2^3^2', 512],
    ['-2^2', -4],
    ['(-2)^2', 4],
    ['2^-1', 0.5],
    ['--3', 3],
    ['+4', 4],
    ['8/4/2', 1],
    ['8-4-2', 2],
    ['2*-3', -6],
    ['1.5e-3', 0.0015],
    ['.5 + 2.', 2.5],
    ['3 < 4', 1],
    ['3 >= 4', 0],
    ['1 + 1 == 2', 1],
    ['1 != 1', 0],
    ['1 <= 1 ? 10 : 20', 10],
    ['0 ? 1 : 0 ? 2 : 3', 3],
    ['1 ? 0 ? 4 : 5 : 6', 5],
    ['1 < 2 && 2 < 3', 1],
    ['1 < 2 && 3', 1],
    ['0 && 1 || 1', 1],
    ['1 || 0 && 0', 1],
    ['0 || 0', 0],
    ['0 && log(-1)', 0],
    ['!0 + !3', 1],
    ['!(1 > 2) && 1 != 2 ? 4 : 5', 4],
    ['pi', Math.PI],
    ['e', Math.E],
    ['sin(pi/6)', 0.5],
    ['cos(0) + tan(pi/4)', 2],
    ['asin(1) - acos(0)', 0],
    ['atan(1)', Math.PI / 4],
    ['atan2(-1, -1)', (-3 * Math.PI) / 4],
    ['sinh(1)^2 - cosh(1)^2', -1],
    ['tanh(100)', 1],
    ['exp(1)', Math.E],
    ['log(e^2)', 2],
    ['sqrt(2)^2', 2],
    ['abs(-3)', 3],
    ['min(3, 1, 2)', 1],
    ['max(3, 1, 2)', 3],
    ['floor(-1.5)', -2],
    ['ceil(-1.5)', -1],
    ['sign(-7)', -1],
    ['pow(2, 10)', 1024],
    ['hypot(2, 3, 6)', 7],
    ['mod(-1, 3)', 2],
    ['clamp(5, 0, 2)', 2],
    ['smoothstep(0, 2, 1)', 0.5],
    ['smoothstep(0, 2, 3)', 1],
    ['step(1, 0.5) + 2*step(1, 1)', 2],
  ];
  it.each(cases)('%s = %d', (text, expected) => expect(value(text)).toBeCloseTo(expected, 14));
  it('variables by name, in the order given', () => {
    expect(value('x - 2*long_name1', { x: 7, long_name1: 3 })).toBe(1);
    expect([...parseExpression('x + x', ['x', 'y']).used]).toEqual(['x']);
  });
  it('noise is smooth, bounded, repeatable and not constant', () => {
    const samples = Array.from({ length: 400 }, (_, k) => value('noise(x, 0.3, -7.1)', { x: 0.05 * k - 10 }));
    expect(Math.max(...samples.map(Math.abs))).toBeLessThanOrEqual(1);
    expect(Math.max(...samples) - Math.min(...samples)).toBeGreaterThan(0.5);
    for (let k = 1; k < 400; k++) expect(Math.abs(samples[k] - samples[k - 1])).toBeLessThan(0.25);
    expect(value('noise(1.2, 3.4, 5.6)')).toBe(value('noise(1.2, 3.4, 5.6)'));
  });
});

describe('errors', () => {
  const cases: [string, number, RegExp][] = [
    ['', 1, /expected a number.*the end/],
    ['1 +', 4, /the end/],
    ['1 2', 3, /expected an operator.*'2'/],
    ['2 * (3', 7, /expected '\)'/],
    ['y + 1', 1, /unknown name 'y'.*x, pi, e/],
    ['1 + sin', 5, /sin.*needs parentheses/],
    ['foo(1)', 1, /unknown function 'foo'.*sin, cos/],
    ['constructor', 1, /unknown name/],
    ['toString(1)', 1, /unknown function/],
    ['sin(1, 2)', 1, /sin takes 1 argument, not 2/],
    ['clamp(1)', 1, /takes 3 arguments, not 1/],
    ['noise(1,2,3,4)', 1, /1 to 3 arguments/],
    ['min()', 5, /expected a number/],
    ['1 ? 2', 6, /expected ':'/],
    ['1 < 2 < 3', 7, /cannot be chained/],
    ['x = 1', 3, /'=' does not belong/],
    ['x; y', 2, /';' does not belong/],
    ['`x`', 1, /does not belong/],
  ];
  it.each(cases)('%s', (text, column, message) => {
    let caught: unknown;
    try {
      compileExpression(text, ['x']);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(ExpressionError);
    expect((caught as ExpressionError).column).toBe(column);
    expect((caught as ExpressionError).message).toMatch(message);
    expect((caught as ExpressionError).message).toContain(`column ${column}`);
  });
});

describe('limits', () => {
  it('length', () => {
    const fits = '1'.padEnd(expressionLimits.length);
    expect(value(fits)).toBe(1);
    expect(() => value(`${fits} `)).toThrow(/2001 characters/);
  });
  it('depth, by parentheses, signs, powers and choices', () => {
    const nested = (n: number): string => `${'('.repeat(n)}1${')'.repeat(n)}`;
    expect(value(nested(60))).toBe(1);
    for (const text of [
      nested(70),
      `${'-'.repeat(70)}1`,
      `1${'^1'.repeat(70)}`,
      `${'1?'.repeat(70)}1${':1'.repeat(70)}`,
      `${'sin('.repeat(70)}1${')'.repeat(70)}`,
    ]) {
      expect(() => value(text)).toThrow(/nested too deeply/);
    }
  });
  it('size', () => {
    expect(value(`1${'+1'.repeat(499)}`)).toBe(500);
    expect(() => value(`1${'+1'.repeat(600)}`)).toThrow(/too large/);
  });
});

describe('derivatives', () => {
  const texts = [
    'sin(3*u)*cos(u) - tan(u/2)',
    'asin(u/2) + acos(u/3)*atan(u)',
    'atan2(u^2, 1 - u)',
    'sinh(u) + cosh(2*u)/tanh(1+u)',
    'exp(-u^2)*log(2+u)',
    'sqrt(1+u)^3 + u^2.5 + 2^u + (1+u)^u + pow(u, 3)',
    'abs(u-2) + floor(u) + ceil(u) + sign(u)',
    'min(u, u^2) + max(u, 2*u, 1)*hypot(u, 3)',
    'mod(5*u, 1.3) + clamp(u, 0, 2) + clamp(u, 3, 4)',
    'smoothstep(0, 1, u) + step(0.2, u)*u',
    'u < 1 ? u^3 : u > 5 ? 0 : 7',
    '-u/(1+u^2) + 1/u + u/4',
  ];
  it.each(texts)('%s', (text) => {
    const jet = compileJet(parseExpression(text, ['u']).root);
    const f = compileExpression(text, ['u']);
    for (const u of [0.311, 0.7]) {
      const h = 1e-3;
      // five-point differences, good to 1e-9 here
      const at = (k: number): number => f([u + k * h]);
      const first = (at(-2) - 8 * at(-1) + 8 * at(1) - at(2)) / (12 * h);
      const second = (-at(-2) + 16 * at(-1) - 30 * at(0) + 16 * at(1) - at(2)) / (12 * h * h);
      const [value, d1, d2] = jet(u);
      expect(value).toBeCloseTo(at(0), 13);
      expect(Math.abs(d1 - first)).toBeLessThan(1e-8 * (1 + Math.abs(first)));
      expect(Math.abs(d2 - second)).toBeLessThan(1e-7 * (1 + Math.abs(second)));
    }
  });
  it('powers at zero', () => {
    expect(compileJet(parseExpression('u + u^2 + u^0', ['u']).root)(0)).toEqual([1, 1, 2]);
  });
  it('noise has some', () => {
    const [, d1] = compileJet(parseExpression('noise(3*u)', ['u']).root)(0.2);
    const f = compileExpression('noise(3*u)', ['u']);
    expect(d1).toBeCloseTo((f([0.2005]) - f([0.1995])) / 1e-3, 4);
  });
});
