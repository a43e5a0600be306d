import { describe, expect, it } from 'vitest';
import {
  bergouStrain,
  ENERGY_BEND,
  ENERGY_TWIST,
  GRADIENT,
  HESSIAN,
  rotationStrain,
  STRAIN_OUT,
  type StrainFunction,
  writeJointConstants,
} from '../../src/models/der/strain.ts';

const measures: { name: 'rotation' | 'bergou2008'; strain: StrainFunction }[] = [
  { name: 'rotation', strain: rotationStrain },
  { name: 'bergou2008', strain: bergouStrain },
];

/** Points with small and large strain, and on both sides of the seam between series and closed form. */
const points = [
  [0.4, -0.7, 0.9],
  [1e-3, 2e-3, -1e-3],
  [0.03, 0.02, 0.05],
  [0.06, -0.03, 0.058],
  [0.09, 0.001, 0.002],
  [2, 3, -2.5],
  [0.1, 0.2, 3.6],
];

describe.each(measures)('$name strain', ({ name, strain }) => {
  const joint = new Float64Array(8);
  writeJointConstants(joint, 0, name, { EI1: 1.3, EI2: 0.7, GJ: 0.9 }, 0.2, [0.2, -0.3, 0.25]);
  const evaluate = (p: number[]): Float64Array => {
    const out = new Float64Array(STRAIN_OUT);
    strain(out, joint, 0, Float64Array.from(p));
    return out;
  };
  const energy = (p: number[]): number => evaluate(p)[ENERGY_BEND] + evaluate(p)[ENERGY_TWIST];

  it.each(points.map((p) => [p]))('has the derivatives of its energy at %j', (p) => {
    const out = evaluate(p);
    const h = 1e-4;
    const shift = (k: number, s: number): number[] => p.map((x, i) => (i === k ? x + s : x));
    const packed = [
      [0, 1, 2],
      [1, 3, 4],
      [2, 4, 5],
    ];
    expect(Math.abs(out[GRADIENT])).toBeGreaterThan(1e-3);
    for (let a = 0; a < 3; a++) {
      const slope =
        (8 * (energy(shift(a, h)) - energy(shift(a, -h))) - (energy(shift(a, 2 * h)) - energy(shift(a, -2 * h)))) /
        (12 * h);
      expect(Math.abs(slope - out[GRADIENT + a])).toBeLessThan(1e-8);
      for (let b = 0; b < 3; b++) {
        const g = (s: number): number => evaluate(shift(b, s))[GRADIENT + a];
        const curvature = (8 * (g(h) - g(-h)) - (g(2 * h) - g(-2 * h))) / (12 * h);
        expect(Math.abs(curvature - out[HESSIAN + packed[a][b]])).toBeLessThan(1e-7);
      }
    }
  });

  it('vanishes at its rest shape, and only there', () => {
    // the rest rotation vector as primitives: quaternion, then bend and twist
    const u = [-0.3, -0.2, 0.25];
    const angle = Math.hypot(...u);
    const q = u.map((x) => (x * Math.sin(angle / 2)) / angle);
    const a = Math.atan2(q[2], Math.cos(angle / 2));
    const c = Math.hypot(q[2], Math.cos(angle / 2));
    const [y1, y2] = [(2 * q[0]) / c, (2 * q[1]) / c];
    const p = [Math.cos(a) * y1 - Math.sin(a) * y2, Math.sin(a) * y1 + Math.cos(a) * y2, 2 * a];
    expect(energy(p)).toBeLessThan(1e-28);
    expect(energy([p[0], p[1], p[2] + 0.1])).toBeGreaterThan(1e-3);
  });
});
