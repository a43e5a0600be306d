/** Styles by name: the head found in a mesh, and what makes each style what it is called, on a ball. */
import { describe, expect, it } from 'vitest';
import {
  createHeadField,
  createPreset,
  createSurface,
  findHead,
  growHairstyle,
  type Hairs,
  type Hairstyle,
  hairsOf,
  layHairs,
  layHairstyle,
  poseGuides,
  type StylePreset,
  stylePresets,
  writeHairs,
} from '../../src/index.ts';
import { ball } from './meshes.ts';

/** A ball of 10 cm on a neck and a wide block, off the origin. */
function bust(): { position: number[]; triangle: number[] } {
  const { position, triangle } = ball(0.1, 20, 30);
  for (let i = 0; i <= 20; i++)
    for (const [radius, from, to] of [
      [0.05, -0.1, -0.2],
      [0.25, -0.2, -0.4],
    ])
      for (let k = 0; k < 8; k++)
        position.push(radius * Math.cos(k), radius * Math.sin(k), from + ((to - from) * i) / 20);
  return { position: position.map((x, k) => x + [1, 2, 3][k % 3]), triangle };
}

const surface = createSurface(ball(0.1, 16, 32));
const field = createHeadField(surface);

function wear(name: StylePreset, guides: number): Hairstyle {
  const preset = createPreset(surface, name);
  const { grow } = preset;
  const { style, report } = growHairstyle(surface, {
    ...grow,
    guides: { ...grow.guides, count: guides },
    ...(grow.hairs && { hairs: { ...grow.hairs, count: 60 } }),
  });
  expect(report.failed ?? 0).toBe(0);
  const laid = preset.shape?.(style, field) ?? (field ? layHairstyle(style, field).style : style);
  return preset.trim?.(laid) ?? laid;
}

/** Points of each guide, with its root first. */
function curves(style: Hairstyle): number[][][] {
  const { nodes, position } = poseGuides(style);
  return Array.from({ length: style.guideRoots.count }, (_, g) =>
    Array.from({ length: nodes }, (_, i) => [...position.subarray(3 * (nodes * g + i), 3 * (nodes * g + i) + 3)]),
  );
}

describe('styles by name', () => {
  it('finds the head of a bust that stands anywhere, and turns with the face', () => {
    const { position } = bust();
    const head = findHead({ position: Float64Array.from(position) }, [2, 0, 0]);
    expect(head.radius).toBeCloseTo(0.1, 2);
    for (const k of [0, 1, 2]) expect(head.center[k]).toBeCloseTo(k + 1, 2);
    expect(head.back.map((x) => x + 0)).toEqual([-1, 0, 0]);
    expect(head.side.map((x) => x + 0)).toEqual([0, 1, 0]);
    expect(() => createPreset(surface, 'bob', [0, 0, 1])).toThrow(/horizontal direction/);
    expect(() => createPreset(surface, 'bop' as StylePreset)).toThrow(/unknown style 'bop'; known: bob, fringe/);
  });

  it('all keep out of the head and have hairs with valid layers', () => {
    for (const name of Object.keys(stylePresets) as StylePreset[]) {
      const style = wear(name, 8);
      const hairs = hairsOf(style) as Hairs;
      expect(hairs.count, name).toBe(60);
      const pose = poseGuides(style);
      const points = new Float64Array(3 * 61 * 60);
      writeHairs(points, hairs, pose, 61);
      if (field) layHairs(points, hairs, 61, { field, pose });
      for (let i = 0; i < 61 * 60; i++)
        if (i % 61 > 0) expect(field?.distance(points, 3 * i), name).toBeGreaterThan(-5e-4);
    }
  });

  it('bob: ends level at the chin, and leaves the face free', () => {
    const guides = curves(wear('bob', 60));
    const ends = guides.map((curve) => curve[curve.length - 1]);
    for (const [, , z] of ends) expect(z).toBeGreaterThan(-0.152);
    expect(ends.filter(([, , z]) => z < -0.14).length).toBeGreaterThan(20);
    const face = guides.flat().filter(([x, y, z]) => Math.abs(x) < 0.03 && y < -0.08 && z < -0.01);
    expect(face.length).toBe(0);
  });

  it('fringe: hair covers the forehead and ends above the eyes', () => {
    const guides = curves(wear('fringe', 80));
    const forehead = guides.filter((curve) => curve.some(([x, y, z]) => Math.abs(x) < 0.04 && y < -0.08 && z < 0.04));
    expect(forehead.length).toBeGreaterThan(4);
    for (const curve of forehead) expect(curve[curve.length - 1][2]).toBeGreaterThan(-0.012);
  });

  it('ponytail: every guide passes the tie behind the head, and the tips hang together', () => {
    const guides = curves(wear('ponytail', 30));
    for (const curve of guides) {
      const near = Math.min(...curve.map(([x, y, z]) => Math.hypot(x, y - 0.105, z - 0.05)));
      expect(near).toBeLessThan(0.035);
      const [x, y, z] = curve[curve.length - 1];
      expect(Math.abs(x)).toBeLessThan(0.03);
      expect(y).toBeGreaterThan(0.1);
      expect(z).toBeLessThan(-0.15);
    }
  });

  it('braid: three strands pass over each other, and hairs stay in theirs', () => {
    const style = wear('braid', 60);
    const { guideRoots, hairRoots } = style;
    const { nodes, position } = poseGuides(style);
    const hairs = hairsOf(style) as Hairs;
    const strandOf = (section: Float64Array | undefined, k: number): number => (section?.[k] ?? 0) - 1;
    for (let h = 0; h < hairs.count; h++)
      for (let k = 0; k < 3; k++)
        if (hairs.weight[3 * h + k] > 0)
          expect(strandOf(guideRoots.section, hairs.guide[3 * h + k])).toBe(strandOf(hairRoots?.section, h));
    // middles of the strands at heights of the tail, from left to right
    const orders: string[] = [];
    for (let z = -0.06; z > -0.24; z -= 0.002) {
      const sums = [0, 1, 2].map(() => ({ x: 0, count: 0 }));
      for (let g = 0; g < guideRoots.count; g++)
        for (let i = 0; i < nodes - 1; i++) {
          const o = 3 * (nodes * g + i);
          // behind the head
          if (position[o + 1] < 0.1 || position[o + 2] < z || position[o + 5] >= z) continue;
          const sum = sums[strandOf(guideRoots.section, g)];
          sum.x += position[o];
          sum.count++;
          break;
        }
      for (const { count } of sums) expect(count).toBeGreaterThan(8);
      const order = [0, 1, 2].sort((a, b) => sums[a].x / sums[a].count - sums[b].x / sums[b].count).join('');
      if (orders[orders.length - 1] !== order) orders.push(order);
    }
    // each change is one strand that passes another
    expect(orders.length).toBeGreaterThan(8);
    expect(new Set(orders).size).toBe(6);
  });

  it('afro stands off the head on all sides; fur lies near it', () => {
    const tips = curves(wear('afro', 30)).map((curve) => curve[curve.length - 1]);
    for (const [x, y, z] of tips) expect(Math.hypot(x, y, z)).toBeGreaterThan(0.135);
    for (const [x, y, z] of curves(wear('fur', 30)).map((curve) => curve[curve.length - 1]))
      expect(Math.hypot(x, y, z)).toBeLessThan(0.13);
  });
});
