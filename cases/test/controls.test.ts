import { sceneFromObject } from '@tendril-sim/io';
import { expect, it } from 'vitest';
import { cases } from '../src/index.ts';

const valueAt = (scene: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | undefined)?.[key], scene);

it.each(cases.map((subject) => [subject.id, subject] as const))(
  '%s has three quantities of its own, within the ends of their sliders',
  (_, { controls = [], scene }) => {
    const written = scene();
    const compiled = sceneFromObject(written);
    expect(controls).toHaveLength(3);
    expect(new Set(controls.map(({ path }) => path.join('.'))).size).toBe(3);
    for (const { path, also = [], factor = 1, low, high, threshold } of controls) {
      // a slider writes into the text: what it changes is there; weaves are in the text alone
      const [value, ...others] = [path, ...also].map((at) => {
        expect(valueAt(written, at), at.join('.')).toBeDefined();
        return valueAt(compiled, at) ?? valueAt(written, at);
      });
      for (const other of others) expect(other, path.join('.')).toBe(value);
      expect(typeof value, path.join('.')).toBe('number');
      expect(factor * Number(value), path.join('.')).toBeGreaterThanOrEqual(low);
      expect(factor * Number(value), path.join('.')).toBeLessThanOrEqual(high);
      const found = threshold?.(compiled);
      if (!found) continue;
      expect(found.at, path.join('.')).toBeGreaterThanOrEqual(low);
      expect(found.at, path.join('.')).toBeLessThanOrEqual(high);
    }
  },
);

/** From the literature and from other parts of the cases. */
const thresholds: Readonly<Record<string, readonly (number | undefined)[]>> = {
  'michell-ring': [2 * Math.PI * Math.sqrt(3), undefined, undefined],
  'becks-column': [20.05, undefined, undefined],
  // Prandtl's and Michell's 12.8538 √(EI GJ)/L³ with GJ = 0.7
  'lateral-buckling': [12.8538 * Math.sqrt(0.7), undefined, undefined],
  incline: [Math.tan(Math.atan(0.5) + Math.PI / 60), 0.5 * 9.81 * Math.cos(Math.atan(0.5) + Math.PI / 60), undefined],
  // (1/3 + √(25/9 + 8))/2
  'prestressed-ring': [1.80814, undefined, undefined],
  // Greenhill's qL³/EI
  'cantilever-frequencies': [7.8373, undefined, undefined],
  // the yield moment of the scene, and its torque
  'wire-forming': [1, 1.5, undefined],
  'twist-asymmetry': [5.85, undefined, undefined],
};

it.each(Object.entries(thresholds))('%s marks where theory says that something happens', (id, values) => {
  const { scene, controls = [] } = cases.find((subject) => subject.id === id) as (typeof cases)[number];
  const compiled = sceneFromObject(scene());
  const found = controls.map(({ threshold }) => threshold?.(compiled)?.at);
  expect(found).toHaveLength(values.length);
  values.forEach((value, k) => {
    if (value === undefined) expect(found[k]).toBeUndefined();
    else expect(found[k]).toBeCloseTo(value, 2);
  });
});

it('the inertia that tunes a Wilberforce pendulum is that of a close-coiled spring, near the one that the case uses', () => {
  const { scene, controls = [] } = cases.find(({ id }) => id === 'wilberforce-pendulum') as (typeof cases)[number];
  const compiled = sceneFromObject(scene());
  const at = controls[0].threshold?.(compiled)?.at ?? Number.NaN;
  // m R² E/(2G)
  expect(at).toBeCloseTo(0.3 * 0.015 ** 2 * 1.3, 12);
  expect(Math.abs(at / 8.4e-5 - 1)).toBeLessThan(0.05);
});
