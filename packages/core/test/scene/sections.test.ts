import { describe, expect, it } from 'vitest';
import { compileSection, rectangleTorsion } from '../../src/scene/sections.ts';
import type { MaterialSpec, SectionSpec } from '../../src/scene/types.ts';
import { expectSceneError, rodSpec, sceneOf, steel } from './support.ts';

const at = (section: SectionSpec, material: MaterialSpec = { E: 10, G: 3, density: 2 }) =>
  compileSection(rodSpec({ section, material }), sceneOf(), 1, ['rods', 0]).at(0.5);

describe('closed forms', () => {
  it('circle', () => {
    const values = at({ type: 'circle', radius: 0.3 });
    expect(values.EA).toBeCloseTo(10 * Math.PI * 0.09, 12);
    expect(values.EI1).toBeCloseTo((10 * Math.PI * 0.3 ** 4) / 4, 13);
    expect(values.EI2).toBeCloseTo(values.EI1, 14);
    expect(values.GJ).toBeCloseTo((3 * Math.PI * 0.3 ** 4) / 2, 13);
    expect(values.massPerLength).toBeCloseTo(2 * Math.PI * 0.09, 13);
    expect(values.inertiaPerLength).toBeCloseTo((2 * Math.PI * 0.3 ** 4) / 2, 13);
    expect(values.radius).toBeCloseTo(0.3, 14);
  });
  it('ellipse: a along d1, so stiffer about d2 when a > b', () => {
    const values = at({ type: 'ellipse', a: 0.5, b: 0.2 });
    expect(values.EA).toBeCloseTo(10 * Math.PI * 0.1, 13);
    expect(values.EI1).toBeCloseTo((10 * Math.PI * 0.5 * 0.008) / 4, 14);
    expect(values.EI2).toBeCloseTo((10 * Math.PI * 0.125 * 0.2) / 4, 14);
    expect(values.GJ).toBeCloseTo((3 * Math.PI * 0.125 * 0.008) / 0.29, 14);
    expect(values.inertiaPerLength).toBeCloseTo((2 * Math.PI * 0.1 * 0.29) / 4, 14);
    expect(values.radius).toBeCloseTo(Math.sqrt(0.1), 14);
  });
  it('annulus', () => {
    const values = at({ type: 'annulus', outer: 0.5, inner: 0.3 });
    expect(values.EA).toBeCloseTo(10 * Math.PI * 0.16, 13);
    expect(values.EI1).toBeCloseTo((10 * Math.PI * (0.0625 - 0.0081)) / 4, 14);
    expect(values.GJ).toBeCloseTo((3 * Math.PI * (0.0625 - 0.0081)) / 2, 14);
    expect(values.radius).toBe(0.5);
    expect(at({ type: 'annulus', outer: 0.5, inner: 0 })).toEqual(at({ type: 'circle', radius: 0.5 }));
  });
  it('rectangle: width along d1', () => {
    const values = at({ type: 'rectangle', width: 0.4, height: 0.1 });
    expect(values.EI1).toBeCloseTo((10 * 0.4 * 0.001) / 12, 15);
    expect(values.EI2).toBeCloseTo((10 * 0.064 * 0.1) / 12, 15);
    expect(values.massPerLength).toBeCloseTo(0.08, 14);
    expect(values.inertiaPerLength).toBeCloseTo((2 * 0.04 * 0.17) / 12, 15);
  });
  it('torsion of a rectangle: Timoshenko’s table and the thin limit', () => {
    // c2 in J = c2·a·b³ (Timoshenko, Theory of Elasticity, art. 109)
    for (const [ratio, c] of [
      [1, 0.1406],
      [1.2, 0.166],
      [1.5, 0.196],
      [2, 0.229],
      [3, 0.263],
      [5, 0.291],
      [10, 0.312],
    ] as const) {
      expect(Math.abs(rectangleTorsion(ratio, 1) / ratio - c)).toBeLessThan(6e-4);
      expect(rectangleTorsion(1, ratio)).toBe(rectangleTorsion(ratio, 1));
    }
    expect(rectangleTorsion(1, 1)).toBeCloseTo(0.140577014955, 11);
    expect(rectangleTorsion(1e4, 1) / 1e4).toBeCloseTo((1 - 0.63e-4) / 3, 7);
  });
  it('nu gives G', () => {
    const g = at({ type: 'circle', radius: 1 }, { E: 10, nu: 0.25, density: 1 });
    expect(g.GJ).toBeCloseTo((4 * Math.PI) / 2, 13);
  });
  it('stiffness', () => {
    const values = at({
      type: 'stiffness',
      EA: 100,
      EI1: 4,
      EI2: 9,
      GJ: 5,
      mass: 6,
      inertia: 7,
      radius: 8,
      damping: { mass: 1, stiffness: 2 },
    });
    expect(values).toEqual({
      EA: 100,
      EI1: 4,
      EI2: 9,
      GJ: 5,
      massPerLength: 6,
      inertiaPerLength: 7,
      radius: 8,
      dampingMass: 1,
      dampingStiffness: 2,
    });
    const fewer = at({ type: 'stiffness', EA: 100, EI1: 4, GJ: 5, mass: 6 });
    expect([fewer.EI2, fewer.inertiaPerLength, fewer.radius]).toEqual([4, 0, 0.4]);
  });
});

describe('errors', () => {
  const fails = (section: SectionSpec, material: MaterialSpec, path: (string | number)[], message: RegExp): void =>
    expectSceneError(() => at(section, material), ['rods', 0, ...path], message);
  const circle = { type: 'circle', radius: 1 } as const;
  it('one of G and nu', () => {
    fails(circle, { E: 1, density: 1 }, ['material'], /neither G nor nu/);
    fails(circle, { E: 1, G: 1, nu: 0.3, density: 1 }, ['material'], /both G and nu/);
  });
  it('ranges', () => {
    fails({ type: 'circle', radius: -1 }, steel, ['section', 'radius'], /-1.*must be positive/);
    fails(
      {
        type: 'circle',
        radius: {
          along: [
            [0, 1],
            [1, 0],
          ],
        },
      },
      steel,
      ['section', 'radius', 'along', 1, 1],
      /must be positive/,
    );
    fails(
      { type: 'circle', radius: { formula: 'u - 2' } },
      steel,
      ['section', 'radius', 'formula'],
      /at u = 0.5; it must be positive/,
    );
    fails(
      { type: 'circle', radius: { formula: '1/(u - 0.5)' } },
      steel,
      ['section', 'radius', 'formula'],
      /Infinity.*finite/,
    );
    fails({ type: 'circle', radius: { formula: 'u +' } }, steel, ['section', 'radius', 'formula'], /column 4/);
    fails({ type: 'annulus', outer: 1, inner: 1 }, steel, ['section', 'inner'], /not smaller than the outer/);
    fails(circle, { ...steel, nu: 0.6 }, ['material', 'nu'], /at most 0.5/);
    fails(circle, { ...steel, nu: -1 }, ['material', 'nu'], /above −1/);
    fails(circle, { ...steel, density: 0 }, ['material', 'density'], /positive/);
    fails(circle, { ...steel, damping: { mass: -1 } }, ['material', 'damping', 'mass'], /zero or more/);
    fails({ type: 'stiffness', EI1: 1, GJ: 0, mass: 1 }, steel, ['section', 'GJ'], /positive/);
    // statics of cosserat never ended
    fails({ type: 'ellipse', a: 1e-90, b: 0.005 }, steel, ['section'], /EI2 is .* check its units/);
    fails({ type: 'stiffness', EI1: 1, GJ: 1, mass: 1e-200 }, steel, ['section'], /massPerLength is 1e-200/);
  });
  it('lists along the rod', () => {
    const along = (...pairs: [number, number][]): SectionSpec => ({ type: 'circle', radius: { along: pairs } });
    fails(along(), steel, ['section', 'radius', 'along'], /empty/);
    fails(along([0, 1], [2, 1]), steel, ['section', 'radius', 'along', 1, 0], /from 0 to 1/);
    fails(along([0.5, 1], [0.2, 1]), steel, ['section', 'radius', 'along', 1, 0], /increasing/);
    fails(along([0.5, 1], [0.5, 2], [0.5, 3]), steel, ['section', 'radius', 'along', 2, 0], /three times/);
  });
});
