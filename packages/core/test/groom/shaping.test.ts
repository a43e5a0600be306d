/** Operations that reshape guides: puff, smooth, wrap, part. */
import { describe, expect, it } from 'vitest';
import type { Vector } from '../../src/curve/vector.ts';
import {
  combHairstyle,
  createHeadField,
  createSurface,
  growHairstyle,
  type Hairs,
  type Hairstyle,
  type HeadField,
  hairsOf,
  layHairstyle,
  partHairstyle,
  poseGuides,
  puffHairstyle,
  smoothHairstyle,
  wrapHairstyle,
  writeHairs,
} from '../../src/index.ts';
import { ball } from './meshes.ts';

const surface = createSurface(ball(0.1, 16, 32));
const field = createHeadField(surface) as HeadField;
const { style: grown } = growHairstyle(surface, {
  guides: { count: 60, spread: true, density: ({ normal }) => (normal[2] > 0.2 ? 1 : 0) },
  length: 0.08,
  hair: 'straight',
  lean: [0, 0.8, -0.4],
  hairs: { count: 300, density: ({ normal }) => (normal[2] > 0.2 ? 1 : 0) },
});
const style = layHairstyle(grown, field).style;

/** Distances of the points of each guide from the middle of the ball. */
function heights(of: Hairstyle): number[][] {
  const { nodes, position } = poseGuides(of, 2);
  return Array.from({ length: of.guideRoots.count }, (_, g) =>
    Array.from({ length: nodes }, (_, i) =>
      Math.hypot(...position.subarray(3 * (nodes * g + i), 3 * (nodes * g + i) + 3)),
    ),
  );
}

const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;
const middles = (of: Hairstyle): number => mean(heights(of).map((curve) => curve[curve.length >> 1]));

describe('puff', () => {
  it('lifts hair off the skin, keeps its length, and leaves what the mask leaves out', () => {
    const { style: puffed, report } = puffHairstyle(style, {
      height: 0.015,
      mask: ({ position }) => (position[0] > 0 ? 1 : 0),
    });
    expect(report.combed).toBeGreaterThan(15);
    const [before, after] = [heights(style), heights(puffed)];
    const lifts: number[] = [];
    for (let g = 0; g < 60; g++) {
      expect(puffed.length[g]).toBe(style.length[g]);
      if (style.guideRoots.position[3 * g] > 0) lifts.push(after[g][10] - before[g][10]);
      else expect(after[g]).toEqual(before[g]);
    }
    expect(mean(lifts)).toBeGreaterThan(0.008);
    expect(mean(lifts)).toBeLessThan(0.016);
    // half the strength, about half the height
    const half = puffHairstyle(style, { height: 0.015, mask: 0.5 }).style;
    const all = puffHairstyle(style, { height: 0.015 }).style;
    expect((middles(half) - middles(style)) / (middles(all) - middles(style))).toBeCloseTo(0.5, 1);
    expect(() => puffHairstyle(style, { height: -1 })).toThrow('must be zero or more, got -1');
  });
});

describe('smooth', () => {
  it('evens out guides that were combed alone, and leaves a regular style nearly as it is', () => {
    // straight hair that stands off the ball: neighbours differ by the angle between their normals alone
    const { style: regular } = growHairstyle(surface, {
      guides: { count: 120, spread: true },
      length: 0.04,
      settle: false,
    });
    const tips = (of: Hairstyle): Float64Array => {
      const { nodes, position } = poseGuides(of, 2);
      return Float64Array.from(
        { length: 3 * 120 },
        (_, k) => position[3 * (nodes * (Math.floor(k / 3) + 1) - 1) + (k % 3)],
      );
    };
    const farthest = (a: Float64Array, b: Float64Array): number => Math.max(...a.map((x, k) => Math.abs(x - b[k])));
    const root = regular.guideRoots.position.subarray(0, 3);
    const from: Vector = [1.25 * root[0], 1.25 * root[1], 1.25 * root[2]];
    const to: Vector = [from[0] + 0.05, from[1], from[2]];
    const combed = combHairstyle(regular, { from, to, radius: 0.014 });
    expect(combed.report.combed).toBeLessThan(4);
    const off = farthest(tips(combed.style), tips(regular));
    expect(off).toBeGreaterThan(0.01);
    expect(farthest(tips(smoothHairstyle(combed.style, { strength: 1 }).style), tips(regular))).toBeLessThan(
      0.75 * off,
    );
    expect(farthest(tips(smoothHairstyle(regular).style), tips(regular))).toBeLessThan(0.3 * off);
    expect(() => smoothHairstyle(style, { strength: 2 })).toThrow('must be from 0 to 1, got 2');
  });
});

describe('wrap', () => {
  it('pulls hair to a distance from the skin, or part of the way', () => {
    const far = puffHairstyle(style, { height: 0.02 }).style;
    const most = (of: Hairstyle): number => mean(heights(of).map((curve) => Math.max(...curve))) - 0.1;
    const whole = wrapHairstyle(far, field, { distance: 0.004 });
    expect(most(far)).toBeGreaterThan(0.018);
    expect(most(whole.style)).toBeLessThan(0.008);
    // helices of guides that bend sharply at the root are some millimetres off their points
    for (const curve of heights(whole.style)) expect(Math.min(...curve)).toBeGreaterThan(0.0965);
    const half = most(wrapHairstyle(far, field, { distance: 0.004, strength: 0.4 }).style);
    expect(half).toBeGreaterThan(most(whole.style) + 0.002);
    expect(half).toBeLessThan(most(far) - 0.002);
  });
});

describe('part', () => {
  it('divides hair along a line, combs it to both sides, and leaves it whole beyond the ends', () => {
    const curve: Vector[] = [
      [0.02, -0.06, 0.08],
      [0.02, 0, 0.098],
      [0.02, 0.04, 0.09],
    ];
    const { style: parted, report } = partHairstyle(style, { curve });
    expect(report.combed).toBeGreaterThan(10);
    const { section, position } = parted.guideRoots;
    const lean = (of: Hairstyle, g: number): number => of.rootTangent[3 * g];
    let divided = 0;
    for (let g = 0; g < 60; g++) {
      const [x, y] = [position[3 * g], position[3 * g + 1]];
      if (y > 0.06) expect(section?.[g]).toBe(0);
      if (Math.abs(y) > 0.03) continue;
      divided++;
      expect(section?.[g]).toBe(x > 0.02 ? section?.[g] : 3 - (section?.[g] ?? 0) === 1 ? 2 : 1);
      if (Math.abs(x - 0.02) < 0.02) expect(Math.sign(lean(parted, g) - lean(style, g))).toBe(Math.sign(x - 0.02));
    }
    expect(divided).toBeGreaterThan(10);
    // no hair blends guides of both sides
    const { guide, weight } = hairsOf(parted) as Hairs;
    for (let h = 0; h < 300; h++) {
      const own = parted.hairRoots?.section?.[h] ?? 0;
      if (own === 0) continue;
      for (let k = 0; k < 3; k++) if (weight[3 * h + k] > 0) expect([0, own]).toContain(section?.[guide[3 * h + k]]);
    }
    const points = new Float32Array(3 * 9 * 300);
    writeHairs(points, hairsOf(parted) as Hairs, poseGuides(parted), 9);
    expect(points.every(Number.isFinite)).toBe(true);
    expect(() => partHairstyle(style, { curve: [curve[0]] })).toThrow('a parting needs two points or more');
  });
});
