/** What has sunk into an obstacle at the end of a step, and how deep things may lie in each other. */
import { describe, expect, it } from 'vitest';
import { type ContactSet, createContactSet } from '../../src/contact/contactSet.ts';
import { createFinder } from '../../src/contact/detect/finder.ts';
import { gather } from '../../src/contact/detect/finderData.ts';
import { findPenetrations } from '../../src/contact/detect/penetration.ts';
import { setBias, targetGap } from '../../src/contact/solve/sideVelocities.ts';
import { createWorld, type Scene } from '../../src/index.ts';
import type { ColliderSpec } from '../../src/scene/colliders.ts';
import { smooth } from './support.ts';

const r = 1e-3;
const ball = 0.05;
const dt = 0.01;

type Point = readonly [number, number, number];

/**
 * What is found of a rod along y, of three edges, whose middle came from one place to another within a step; the obstacle goes by `offset` in
 * the meantime. Only the middle can touch a ball.
 */
function sink(from: Point, to: Point, offset: Point, shape: ColliderSpec): ContactSet {
  const scene: Scene = {
    tendril: 1,
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [from[0], -0.12, from[2]], to: [from[0], 0.12, from[2]] },
        edges: 3,
        section: { type: 'circle', radius: r },
        material: { E: 1e6, nu: 0.3, density: 1000 },
      },
    ],
    colliders: [{ ...shape, path: { interpolation: 'linear', keys: [{ time: 0 }, { time: dt, offset }] } }],
    time: { duration: 1, step: dt },
  };
  const { rods, samples, colliders } = createWorld(scene);
  const finder = createFinder({ rods, samples, colliders, rules: smooth(), gravity: [0, 0, 0] });
  gather(finder);
  const end = finder.position.slice();
  for (let i = 0; i < 4; i++) {
    end[3 * i] = to[0];
    end[3 * i + 2] = to[2];
  }
  const set = createContactSet();
  finder.end.set(end);
  findPenetrations(finder, set, { t: 0, dt, allowed: 0.04 });
  setBias(set, finder, dt, 1e-3);
  return set;
}

/** A place at this angle from the top of the ball, and this far from its surface [radii of the rod]. */
const beside = (angle: number, gap: number, offset: Point = [0, 0, 0]): Point => {
  const d = ball + r * (1 + gap);
  return [offset[0] + d * Math.sin(angle), 0, offset[2] + d * Math.cos(angle)];
};

describe('what has sunk into a ball', () => {
  it.each([
    ['at rest', [0, 0, 0]],
    ['that moves', [0.03, 0, -0.01]],
  ] as const)('%s is found where it slid up round it, and is asked back by what it sank', (_, offset) => {
    // from a quarter down the side to the top: along the normal of the end it came up by 15 radii
    const set = sink(beside(0.8, 0.5), beside(0, -0.5, offset), offset, { type: 'sphere', radius: ball });
    expect(set.count).toBe(1);
    expect(set.weightA[0]).toBeCloseTo(0.5, 6);
    expect(set.normal[2]).toBeCloseTo(1, 9);
    // as it came, it misses the surface by half a radius
    const came = beside(0, -0.5, offset)[2] - beside(0.8, 0.5)[2] - offset[2];
    expect(came).toBeGreaterThan(10 * r);
    expect(set.bias[0] * dt + came).toBeCloseTo(-0.5 * r, 9);
  });

  it.each([
    ['that came up out of it', -0.5, -0.2, 0],
    ['that goes on sinking', -0.2, -0.5, 1],
    ['that lies still in it', -0.2, -0.2, 0],
    ['that creeps in by a thousandth', -0.2, -0.201, 1],
  ])('or not, of a place %s', (_, from, to, count) => {
    for (const offset of [
      [0, 0, 0],
      [0.03, 0, -0.01],
    ] as const) {
      const set = sink(beside(0.3, from), beside(0.3, to, offset), offset, { type: 'sphere', radius: ball });
      expect(set.count).toBe(count);
      if (count === 0) continue;
      // an overlap of the start is eased out, not thrown out
      expect(set.floor[0]).toBeCloseTo(targetGap(from * r, r), 9);
      expect(set.floor[0]).toBeGreaterThan(from * r);
      expect(set.floor[0]).toBeLessThan(-0.1 * r);
    }
  });
});

describe('what has come in across the far side of a thin box', () => {
  it.each([
    ['at rest', [0, 0, 0]],
    ['that moves', [0.2, 0, 0.3]],
  ] as const)('%s is sent back to the side that it came from', (_, offset) => {
    const size = [0.1, 0.3, 4 * r] as const;
    // from below to nearer the upper side than the lower
    const set = sink([0, 0, -4 * r], [offset[0], 0, offset[2] + r], offset, { type: 'box', size });
    expect(set.count).toBeGreaterThan(0);
    for (let c = 0; c < set.count; c++) {
      expect(set.normal[3 * c + 2]).toBeCloseTo(-1, 9);
      expect(set.gap[c]).toBeCloseTo(r, 9);
    }
  });
});

describe('overlaps', () => {
  it('are eased out by more the deeper they are, and never at once', () => {
    let before = 0;
    for (let depth = 0.01; depth < 2; depth += 0.01) {
      const out = targetGap(-depth * r, r) + depth * r;
      expect(out).toBeGreaterThanOrEqual(before - 1e-12);
      expect(out).toBeLessThanOrEqual(0.05 * r + 1e-12);
      expect(out).toBeLessThan(depth * r);
      before = out;
    }
    // a place that slides in by a hundredth a step comes to rest less than a twentieth deep
    let depth = 0;
    for (let k = 0; k < 100; k++) depth = -targetGap(-(depth + 0.01), 1);
    expect(depth).toBeLessThan(0.045);
    expect(depth).toBeGreaterThan(0.01);
  });
});
