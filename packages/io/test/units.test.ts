import { describe, expect, it } from 'vitest';
import { type Dimension, dimensions, parseQuantity } from '../src/units.ts';

const value = (text: string, dimension: Dimension): number => {
  const result = parseQuantity(text, dimension);
  if (!result.ok) throw new Error(result.message);
  return result.value;
};
const message = (text: string, dimension: Dimension): string => {
  const result = parseQuantity(text, dimension);
  return result.ok ? 'accepted' : result.message;
};

describe('units', () => {
  const exact: [string, Dimension, number][] = [
    ['0.06 mm', 'length', 6e-5],
    ['0.06mm', 'length', 6e-5],
    ['50 um', 'length', 5e-5],
    ['50 µm', 'length', 5e-5],
    ['50 μm', 'length', 5e-5],
    ['-1.5e2 cm', 'length', -1.5],
    ['.5 m', 'length', 0.5],
    ['2. km', 'length', 2000],
    ['3 dam', 'length', 30],
    ['1 in', 'length', 0.0254],
    ['2 min', 'time', 120],
    ['5 ms', 'time', 0.005],
    ['3.58 GPa', 'pressure', 3.58e9],
    ['2 N/mm^2', 'pressure', 2e6],
    ['2 N/mm²', 'pressure', 2e6],
    ['1 kg/(m*s^2)', 'pressure', 1],
    ['1 bar', 'pressure', 1e5],
    ['9.81 m/s^2', 'acceleration', 9.81],
    ['9.81 m/s2', 'acceleration', 9.81],
    ['9.81 m s^-2', 'acceleration', 9.81],
    ['9.81 m·s⁻²', 'acceleration', 9.81],
    ['1 g0', 'acceleration', 9.80665],
    ['1.2 g/cm^3', 'density', 1200],
    ['5 N/m', 'forcePerLength', 5],
    ['0.1 1/s', 'rate', 0.1],
    ['0.1/s', 'rate', 0.1],
    ['10 Hz', 'rate', 10],
    ['400 1/s^2', 'stiffnessPerMass', 400],
    ['4 N/cm/kg', 'stiffnessPerMass', 400],
    ['3 N mm^2', 'bendingStiffness', 3e-6],
    ['3 N*m*m', 'bendingStiffness', 3],
    ['7 mN*m', 'torque', 7e-3],
    ['100 tex', 'linearDensity', 1e-4],
    ['170 dtex', 'linearDensity', 1.7e-5],
    ['20 1/m', 'curvature', 20],
    ['20 rad/m', 'curvature', 20],
    ['2 Pa*s', 'dragPerLength', 2],
    ['1 N*s/m^2', 'dragPerLength', 1],
    ['5 cm^2/s', 'circulation', 5e-4],
    ['36 km/h', 'velocity', 10],
  ];
  it.each(exact)('%s', (text, dimension, expected) => {
    if (text === '36 km/h') expect(value(text, dimension)).toBeCloseTo(expected, 12);
    else expect(value(text, dimension)).toBe(expected);
  });

  it('turns angles into radians', () => {
    expect(value('45 deg', 'angle')).toBeCloseTo(Math.PI / 4, 15);
    expect(value('90°', 'angle')).toBeCloseTo(Math.PI / 2, 15);
    expect(value('2 turns', 'angle')).toBe(4 * Math.PI);
    expect(value('60 rpm', 'angularVelocity')).toBeCloseTo(2 * Math.PI, 14);
    expect(value('180 deg/s', 'angularVelocity')).toBeCloseTo(Math.PI, 14);
  });

  it('accepts the example of each dimension', () => {
    for (const [name, { example, si }] of Object.entries(dimensions)) {
      expect(message(example, name as Dimension), name).toBe('accepted');
      expect(value(`1 ${si}`, name as Dimension), name).toBe(1);
    }
  });

  it('says what is expected', () => {
    expect(message('5 kg', 'length')).toBe('expected a length such as "5 mm" or a number in metres, got "5 kg"');
    expect(message('5', 'length')).toBe(
      'missing unit: expected a length such as "5 mm" or a number in metres, got "5"',
    );
    expect(message('long', 'length')).toMatch(/^expected a length/);
    expect(message('5 meters', 'length')).toMatch(/^unknown unit 'meters'; did you mean 'm'\?/);
    expect(message('5 gpa', 'pressure')).toMatch(/did you mean 'GPa'\?/);
    expect(message('5 kg/m s', 'pressure')).toMatch(/ambiguous; use parentheses/);
    expect(message('5 kg/(m', 'pressure')).toMatch(/missing '\)'/);
    expect(message('5 m^x', 'length')).toMatch(/whole number/);
    expect(message('5 m)', 'length')).toMatch(/cannot read the unit/);
    expect(message('5 m+', 'length')).toMatch(/cannot read the unit/);
    expect(message('1e999 m', 'length')).toMatch(/^too large/);
  });

  it('keeps angles, rates and lengths apart', () => {
    expect(message('10 Hz', 'angularVelocity')).toMatch(/^expected an angular velocity/);
    expect(message('10 rad', 'length')).not.toBe('accepted');
    expect(message('10 m', 'angle')).not.toBe('accepted');
    expect(message('constructor', 'length')).not.toBe('accepted');
    expect(message('1 toString', 'length')).toMatch(/unknown unit/);
  });
});
