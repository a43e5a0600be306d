/** Rods that overlap where they are pinned: pushed apart as far as that can be done gently, and left alone beyond. */
import { describe, expect, it } from 'vitest';
import { createFinder } from '../../src/contact/detect/finder.ts';
import { measurePinDistances } from '../../src/contact/detect/overlapsNearPins.ts';
import { createWorld, type Scene, type Vec3, type World } from '../../src/index.ts';
import { random, smooth } from './support.ts';

const r = 50e-6;
const length = 0.05;

const hair = (id: string, from: Vec3, to: Vec3, edges = 10): Scene['rods'][number] => ({
  id,
  shape: { type: 'straight', from, to },
  edges,
  section: { type: 'circle', radius: r },
  material: { E: 3.58e9, nu: 0.4, density: 1300, damping: { mass: 5 } },
});

const pinned = (rods: Scene['rods'], change: Partial<Scene> = {}): Scene => ({
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods,
  pins: rods.map(({ id }) => ({ rod: id, at: 'start' })),
  contact: { friction: 0.3 },
  time: { duration: 1, step: 1 / 240 },
  ...change,
});

/** Farthest that a node goes in a step [radii]. */
function stepAndMeasure(world: World): number {
  const before = world.samples.map(({ nodePosition }) => nodePosition.slice());
  world.step();
  const ways = world.samples.flatMap(({ nodePosition }, rod) => [...nodePosition.map((x, k) => x - before[rod][k])]);
  return Math.max(...ways.map(Math.abs)) / r;
}

describe('overlaps beside pins', () => {
  it.each([0.0011, 0.01, 0.1, 0.5])('throw nothing about, where rods cross %f of an edge from a pin', (share) => {
    // the second is pinned where the first passes a third of their reach away
    const at = (share * length) / 10;
    const rods = [
      hair('a', [0, 0, 0], [0, 0, -length]),
      hair('b', [0.66 * r, 0, -at], [0.66 * r, 0.1 * length, -length]),
    ];
    const world = createWorld(pinned(rods, { gravity: [0, 0, 0] }));
    for (let k = 0; k < 8; k++) expect(stepAndMeasure(world)).toBeLessThan(0.2);
    // energies of 1e-32 J are rounding, not a gain that splits the step
    expect(world.step().substeps).toBe(1);
    expect(world.contactReport?.converged).toBe(true);
  });

  it('of sixty hairs in a bundle, each in others, take steps that are solved in at most a few pieces', () => {
    const next = random(5);
    const side = Math.sqrt((60 * Math.PI * r * r) / 0.15);
    const rods = Array.from({ length: 60 }, (_, k) => {
      const [x, y] = [side * next(), side * next()];
      const [dx, dy] = [0.1 * length * (2 * next() - 1), 0.1 * length * (2 * next() - 1)];
      return hair(`${k}`, [x, y, 0], [x + dx, y + dy, -length]);
    });
    const world = createWorld(pinned(rods));
    expect(world.warnings.length).toBeGreaterThan(3);
    let error = 0;
    for (let k = 0; k < 8; k++) {
      const { substeps, contact } = world.step();
      expect(substeps).toBeLessThan(5);
      expect(contact?.converged).toBe(true);
      error = Math.max(error, world.contactReport?.error ?? 0);
    }
    // of what gravity gives in a step
    expect(error).toBeLessThan(0.02 * (9.81 / 240));
  });

  it('come apart where nothing holds them', () => {
    const rods = [
      hair('a', [0, 0, 0], [0, 0, -length]),
      hair('b', [0.66 * r, 0, 0], [0.66 * r, 0.1 * length, -length]),
    ];
    const world = createWorld(pinned(rods, { pins: [] }));
    for (let k = 0; k < 40; k++) world.step();
    const [a, b] = world.samples.map(({ nodePosition }) => nodePosition);
    expect(Math.hypot(b[0] - a[0], b[1] - a[1])).toBeGreaterThan(1.9 * r);
  });
});

describe('the way to a pin', () => {
  it('is measured along the rod, both ways, and round where it is closed', () => {
    const ring = { ...hair('ring', [0, 0, 0], [1, 0, 0], 8), shape: { type: 'ring' as const, radius: 0.01 } };
    const { rods, samples } = createWorld({ tendril: 1, rods: [ring, hair('a', [0, 0, 0], [1, 0, 0], 4)] });
    const finder = createFinder({ rods, samples, colliders: [], rules: smooth({ pairs: true }), gravity: [0, 0, 0] });
    finder.nodeHeld[7] = 1;
    measurePinDistances(finder);
    const l = rods[0].edgeLengthRest[0];
    const ways = [...finder.pinDistance.subarray(0, 8)].map((way) => Math.round((1e6 * way) / l) / 1e6);
    expect(ways).toEqual([1, 2, 3, 4, 3, 2, 1, 0]);
    expect([...finder.pinDistance.subarray(8)]).toEqual(Array(5).fill(Number.POSITIVE_INFINITY));
    finder.nodeHeld[8 + 1] = 1;
    measurePinDistances(finder);
    expect([...finder.pinDistance.subarray(8)]).toEqual([0.25, 0, 0.25, 0.5, 0.75]);
  });
});
