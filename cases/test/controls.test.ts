import { sceneFromObject } from '@tendril-sim/io';
import { expect, it } from 'vitest';
import { cases } from '../src/index.ts';

const valueAt = (scene: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | undefined)?.[key], scene);

const controlled = cases.filter(({ controls }) => controls);

it.each(controlled.map((subject) => [subject.id, subject] as const))(
  '%s has its quantities within the ends of their sliders',
  (_, { controls = [], scene }) => {
    const compiled = sceneFromObject(scene());
    expect(controls.length).toBeLessThanOrEqual(3);
    for (const { path, factor = 1, low, high, threshold } of controls) {
      const value = valueAt(compiled, path) as number;
      expect(typeof value, path.join('.')).toBe('number');
      expect(factor * value, path.join('.')).toBeGreaterThanOrEqual(low);
      expect(factor * value, path.join('.')).toBeLessThanOrEqual(high);
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
  'becks-column': [20.05, undefined],
  // Prandtl's and Michell's 12.8538 √(EI GJ)/L³ with GJ = 0.7
  'lateral-buckling': [12.8538 * Math.sqrt(0.7), undefined, undefined],
  incline: [Math.tan(Math.atan(0.5) + Math.PI / 60), 0.5 * 9.81 * Math.cos(Math.atan(0.5) + Math.PI / 60), undefined],
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
