/** Cloth that becomes rods and links. */
import { describe, expect, it } from 'vitest';
import type { Scene, WeaveSpec } from '../../src/scene/types.ts';
import { expandWeaves } from '../../src/scene/weave.ts';
import { createWorld } from '../../src/world/world.ts';

const cloth: WeaveSpec = {
  id: 'cloth',
  warp: { count: 3, spacing: 0.01 },
  weft: { count: 5, spacing: 0.02 },
  section: { type: 'circle', radius: 2e-4 },
  material: { E: 1e9, nu: 0.3, density: 1300 },
  joints: { stiffness: 100 },
};
const sceneOf = (change: Partial<WeaveSpec>): Scene => ({ tendril: 1, rods: [], weaves: [{ ...cloth, ...change }] });

describe('a weave', () => {
  it('becomes rods and a link where they cross, at the middle of an edge', () => {
    const { scene, wovenRods, wovenLinks } = expandWeaves(sceneOf({}));
    expect(scene.weaves).toBeUndefined();
    expect(scene.rods.map(({ id }) => id)).toEqual([
      ...[0, 1, 2].map((i) => `cloth warp ${i}`),
      ...[0, 1, 2, 3, 4].map((j) => `cloth weft ${j}`),
    ]);
    expect(scene.links).toHaveLength(15);
    expect(wovenRods).toHaveLength(8);
    expect(wovenLinks).toHaveLength(15);
    const world = createWorld(scene);
    for (const link of world.scene.links ?? []) {
      const place = (id: string, u: number): number[] => {
        const r = world.rods.findIndex((rod) => rod.id === id);
        const { edgeCount } = world.rods[r];
        const e = Math.floor(u * edgeCount);
        expect(u * edgeCount - e).toBeCloseTo(0.5, 9);
        const x = world.samples[r].nodePosition;
        return [0, 1, 2].map((k) => 0.5 * (x[3 * e + k] + x[3 * e + 3 + k]));
      };
      const { to } = link;
      if (!('rod' in to)) throw new Error('a fiber is linked to a fiber');
      const [a, b] = [place(link.rod, (link.at as { u: number }).u), place(to.rod, (to.at as { u: number }).u)];
      for (let k = 0; k < 3; k++) expect(a[k]).toBeCloseTo(b[k], 12);
    }
    // 5 × 2 cm along the warp, 3 × 1 cm along the weft, about the middle
    expect([...world.samples[1].nodePosition.slice(0, 3)].map((x) => Number(x.toFixed(9)))).toEqual([-0.05, 0, 0]);
    expect(world.rods[3].length).toBeCloseTo(0.03, 12);
    expect(world.energies().total).toBeLessThan(1e-25);
  });

  it('is crimped over and under, turn about, and free of stress', () => {
    const crimp = 3e-4;
    const along = [0, 1, 1] as const;
    const world = createWorld(sceneOf({ crimp, along, across: [1, 0, 0], edges: 5, center: [1, 2, 3] }));
    const normal = [0, 1 / Math.SQRT2, -1 / Math.SQRT2];
    const heights = (id: string): number[] => {
      const r = world.rods.findIndex((rod) => rod.id === id);
      const x = world.samples[r].nodePosition;
      return Array.from({ length: world.rods[r].edgeCount / 5 }, (_, j) => {
        const o = 3 * (5 * j + 2);
        return (
          [0, 1, 2].reduce((sum, k) => sum + normal[k] * (0.5 * (x[o + k] + x[o + 3 + k]) - [1, 2, 3][k]), 0) / crimp
        );
      });
    };
    // chords cut the tops of the waves by a little
    heights('cloth warp 0').forEach((h, j) => {
      expect(Math.abs(h - (j % 2 === 0 ? 1 : -1))).toBeLessThan(0.06);
    });
    heights('cloth warp 1').forEach((h, j) => {
      expect(Math.abs(h + (j % 2 === 0 ? 1 : -1))).toBeLessThan(0.06);
    });
    heights('cloth weft 0').forEach((h, i) => {
      expect(Math.abs(h + (i % 2 === 0 ? 1 : -1))).toBeLessThan(0.06);
    });
    expect(world.energies().total).toBeLessThan(1e-18);
    // at rest it stays at rest
    for (let k = 0; k < 3; k++) world.step(1e-3);
    expect(world.energies().kinetic).toBeLessThan(1e-18);
  });

  it.each([
    [{ warp: { count: 1, spacing: 0.01 } }, /^weaves\.0\.warp\.count: .*at least 2/],
    [{ weft: { count: 3, spacing: 0 } }, /^weaves\.0\.weft\.spacing: .*positive/],
    [{ edges: 4 }, /^weaves\.0\.edges: .*odd/],
    [{ edges: 1, crimp: 1e-3 }, /^weaves\.0\.edges: .*crimp/],
    [{ crimp: -1 }, /^weaves\.0\.crimp: .*zero or more/],
    [{ across: [2, 0, 0] as const }, /^weaves\.0\.across: .*parallel/],
    [{ section: undefined }, /^weaves\.0\.section: .*no section/],
  ])('says what is wrong with %j', (change, message) => {
    let said = '';
    try {
      createWorld(sceneOf(change as Partial<WeaveSpec>));
    } catch (error) {
      const { path, message: text } = error as { path: PropertyKey[]; message: string };
      said = `${path.join('.')}: ${text}`;
    }
    expect(said).toMatch(message);
  });
});
