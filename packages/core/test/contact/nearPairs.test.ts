/** The list of near pairs gives what looking at all pairs gives, by whichever way it came about. */
import { describe, expect, it } from 'vitest';
import { type ContactSet, createContactSet } from '../../src/contact/contactSet.ts';
import { createColliderSearch } from '../../src/contact/detect/colliderSearch.ts';
import { createFinder, findContacts } from '../../src/contact/detect/finder.ts';
import { type Finder, gather } from '../../src/contact/detect/finderData.ts';
import { mayTouch, reachOf } from '../../src/contact/detect/nearPairs.ts';
import { sweepPairs } from '../../src/contact/detect/rodSweep.ts';
import {
  areSegmentsApart,
  createPathTree,
  findPathOverlaps,
  findPathPairs,
  holdsSegment,
  orderPathTree,
  type PathTree,
  refitPathTree,
  writePathBox,
} from '../../src/contact/detect/sweptTree.ts';
import { createIntList, push } from '../../src/contact/shapes/boxTree.ts';
import { createWorld, type Scene } from '../../src/index.ts';
import { random, smooth } from './support.ts';

const COUNT = 240;
const RADIUS = 0.02;

/** Ends of segments at both ends of their paths: all go 5 along x, most a little besides. */
function createPaths(seed: number): { x: Float64Array; y: Float64Array } {
  const next = random(seed);
  const x = Float64Array.from({ length: 6 * COUNT }, () => next());
  for (let i = 0; i < COUNT; i++) for (let k = 0; k < 3; k++) x[6 * i + 3 + k] = x[6 * i + k] + 0.2 * (next() - 0.5);
  const y = x.map((value, k) => value + (k % 3 === 0 ? 5 : 0) + 0.1 * (next() - 0.5));
  return { x, y };
}

function place(tree: PathTree, x: Float64Array, y: Float64Array): void {
  for (let i = 0; i < COUNT; i++) {
    writePathBox(tree, tree.placeOf[i], 0, x, 6 * i, 6 * i + 3, RADIUS);
    writePathBox(tree, tree.placeOf[i], 6, y, 6 * i, 6 * i + 3, RADIUS);
  }
}

const rows = Int32Array.from({ length: COUNT }, (_, i) => i >> 3);
const areBeside = (i: number, j: number): boolean => Math.abs(i - j) <= 1 && rows[i] === rows[j];

function brute(x: Float64Array, y: Float64Array): string[] {
  const pairs: string[] = [];
  for (let i = 0; i < COUNT; i++)
    for (let j = i + 1; j < COUNT; j++)
      if (!areBeside(i, j) && !areSegmentsApart(x, y, 6 * i, 6 * i + 3, 6 * j, 6 * j + 3, 2 * RADIUS))
        pairs.push(`${i} ${j}`);
  return pairs.sort();
}

function found(tree: PathTree): string[] {
  const list = createIntList();
  findPathPairs(list, tree, rows);
  const pairs: string[] = [];
  for (let k = 0; k < list.length; k += 2) {
    const [i, j] = [list.data[k], list.data[k + 1]];
    pairs.push(`${Math.min(i, j)} ${Math.max(i, j)}`);
  }
  return pairs.sort();
}

describe('the tree of paths', () => {
  const { x, y } = createPaths(3);
  const createFilled = (): PathTree => {
    const tree = createPathTree(COUNT);
    place(tree, x, y);
    orderPathTree(tree);
    place(tree, x, y);
    refitPathTree(tree);
    return tree;
  };

  it('finds exactly the pairs that are not apart, of which a common way makes no more', () => {
    const tree = createFilled();
    expect(found(tree)).toEqual(brute(x, y));
    expect(found(tree).length).toBeGreaterThan(100);
    const still = y.map((value, k) => value - (k % 3 === 0 ? 5 : 0));
    expect(brute(x, still)).toEqual(brute(x, y));
  });

  it.each([0, 1, 2, 5, 17])('of %i things does so too', (count) => {
    const few = createPathTree(count);
    const all = Int32Array.from({ length: count }, (_, i) => i);
    for (let i = 0; i < count; i++) for (const from of [0, 6]) writePathBox(few, i, from, x, 6 * i, 6 * i + 3, 2);
    orderPathTree(few);
    refitPathTree(few);
    const list = createIntList();
    findPathPairs(list, few, all);
    // everything within everything
    expect(list.length).toBe(count * Math.max(0, count - 1));
    findPathOverlaps(list, few, all, 0);
    expect(list.length).toBe((count + 1) * Math.max(0, count - 1));
  });

  it('finds them after all have moved, and what is near one', () => {
    const tree = createFilled();
    const other = createPaths(4);
    place(tree, other.x, other.y);
    refitPathTree(tree);
    const pairs = brute(other.x, other.y);
    expect(found(tree)).toEqual(pairs);
    const list = createIntList();
    findPathOverlaps(list, tree, rows, tree.placeOf[17]);
    const near = [...list.data.subarray(0, list.length)].map((j) => `${Math.min(17, j)} ${Math.max(17, j)}`);
    expect(near.sort()).toEqual(pairs.filter((pair) => pair.split(' ').includes('17')));
    expect(near.length).toBeGreaterThan(0);
  });

  it('leaves out no pair whose boxes touch as numbers of double precision', () => {
    const tree = createFilled();
    // in single precision 0.1 + 0.2 and 0.3 are not what they are
    const touching = Float64Array.from({ length: 6 * COUNT }, (_, k) =>
      k < 6 ? 0.1 : k < 12 ? 0.1 + 2 * RADIUS : 9 + k,
    );
    place(tree, touching, touching);
    refitPathTree(tree);
    const list = createIntList();
    findPathPairs(
      list,
      tree,
      new Int32Array(COUNT).map((_, i) => i),
    );
    expect(list.length).toBe(2);
    for (let i = 0; i < COUNT; i++)
      expect(holdsSegment(tree, tree.placeOf[i], 6, touching, 6 * i, 6 * i + 3, RADIUS)).toBe(true);
  });
});

const EDGES = 12;
const RODS = 30;

/** Rods that lie in each other's way, as scenes have them. */
function createScene(): Scene {
  const next = random(11);
  const point = (): [number, number, number] => [0.08 * next(), 0.08 * next(), 0.08 * next()];
  return {
    tendril: 1,
    rods: Array.from({ length: RODS }, (_, k) => ({
      id: `${k}`,
      shape: { type: 'straight', from: point(), to: point() },
      edges: EDGES,
      section: { type: 'circle', radius: 1.5e-3 },
      material: { E: 1e6, nu: 0.3, density: 1000 },
    })),
    time: { duration: 1, step: 0.01 },
  } as Scene;
}

const DT = 0.01;

function makeFinder(): Finder {
  const { rods, samples } = createWorld(createScene());
  const copies = samples.map((one) => ({
    ...one,
    nodePosition: one.nodePosition.slice(),
    nodeVelocity: one.nodeVelocity.slice(),
  }));
  return createFinder({ rods, samples: copies, colliders: [], rules: smooth({ pairs: true }), gravity: [0, 0, -9.81] });
}

/** A list of all pairs, which no edge ever leaves. */
function listAll(finder: Finder): void {
  const { near, edgeCount } = finder;
  near.tree.nodeCount = 1;
  near.tree.box.forEach((_, k) => {
    near.tree.box[k] = k % 6 < 3 ? -Infinity : Infinity;
  });
  for (let i = 0; i < edgeCount; i++)
    for (let j = i + 1; j < edgeCount; j++)
      if (mayTouch(finder, i, j)) {
        push(near.list, i);
        push(near.list, j);
      }
  near.searched = near.list.length;
}

/** All that is told of contacts, in their order. */
const tell = (set: ContactSet): number[][] =>
  Array.from({ length: set.count }, (_, c) => [
    set.key[c],
    set.edgeA[c],
    set.weightA[c],
    set.edgeB[c],
    set.weightB[c],
    set.gap[c],
    set.approach[c],
    set.floor[c],
    ...set.normal.subarray(3 * c, 3 * c + 3),
  ]);

/** Pairs that are not apart on their way to `end` and not in the list. */
function countMissing(finder: Finder, end: Float64Array, radius: number): number {
  const { near, rodRole, edgeRod, edgeCount, edgeFirst, edgeSecond, position: x } = finder;
  const listed = new Set<number>();
  for (let k = 0; k < near.list.length; k += 2) listed.add(near.list.data[k] * edgeCount + near.list.data[k + 1]);
  let missing = 0;
  for (let i = 0; i < edgeCount; i++)
    for (let j = i + 1; j < edgeCount; j++) {
      if (rodRole[edgeRod[i]] * rodRole[edgeRod[j]] < 2 || listed.has(i * edgeCount + j)) continue;
      const [a, b, c, d] = [3 * edgeFirst[i], 3 * edgeSecond[i], 3 * edgeFirst[j], 3 * edgeSecond[j]];
      if (!areSegmentsApart(x, end, a, b, c, d, 2 * radius) && mayTouch(finder, i, j)) missing++;
    }
  return missing;
}

describe('contacts of rods that move', () => {
  /** Speed of all [m/s], of each by itself, and of the rod that is thrown about. */
  const motions: Record<string, { all: number; own: number; thrown: number; miss: number }> = {
    'at rest': { all: 0, own: 1e-3, thrown: 0, miss: 1e-6 },
    'that creep, some faster than others': { all: 0, own: 0.06, thrown: 0, miss: 1e-6 },
    'of which one is thrown': { all: 0, own: 1e-3, thrown: 2, miss: 1e-6 },
    'that go together': { all: 3, own: 0.05, thrown: 0, miss: 1e-5 },
    'that come elsewhere than they seemed to': { all: 3, own: 0.3, thrown: 1, miss: 3e-3 },
  };
  it.each(Object.keys(motions))('%s are those of all pairs, in the same order', (name) => {
    const { all, own, thrown, miss } = motions[name];
    const next = random(5);
    const finder = makeFinder();
    const other = makeFinder();
    listAll(other);
    const end = finder.position.slice();
    const [set, expected] = [createContactSet(), createContactSet()];
    const tally = { found: 0, swept: 0 };
    for (let step = 0; step < 20; step++) {
      for (const [r, { nodePosition: x, nodeVelocity: v }] of finder.samples.entries()) {
        for (let k = 0; k < v.length; k++) {
          const speed = k % 3 === 0 ? all : 0;
          v[k] = speed + own * ((r % 6) / 5) ** 2 * (next() - 0.5) + (r === 3 ? thrown * (next() - 0.5) : 0);
        }
        other.samples[r].nodePosition.set(x);
        other.samples[r].nodeVelocity.set(v);
      }
      gather(finder);
      gather(other);
      // some are not looked at, some not there
      for (let r = 0; r < RODS; r++) finder.rodRole[r] = step < 12 ? 2 : [2, 1, 2, 0][(r + step) % 4];
      other.rodRole.set(finder.rodRole);
      set.count = expected.count = 0;
      findContacts(finder, set, 0, DT, createColliderSearch(finder).find);
      findContacts(other, expected, 0, DT, createColliderSearch(other).find);
      expect(tell(set)).toEqual(tell(expected));
      expect(countMissing(finder, finder.near.predicted, reachOf(finder, 0, DT))).toBe(0);
      tally.found += set.count;
      // two looks at the same step, the second time at places a little off
      for (let round = 0; round < 2; round++) {
        for (let k = 0; k < end.length; k++)
          end[k] = finder.position[k] + DT * finder.velocity[k] + (round + 1) * miss * (next() - 0.5);
        set.count = expected.count = 0;
        const met = sweepPairs(finder, set, end, 0.04);
        expect(sweepPairs(other, expected, end, 0.04)).toBe(met);
        expect(tell(set)).toEqual(tell(expected));
        expect(countMissing(finder, end, finder.pairRadius[0])).toBe(0);
        tally.swept += set.count;
      }
      for (const [r, { nodePosition: x }] of finder.samples.entries())
        x.set(end.subarray(3 * finder.nodeOffset[r], 3 * finder.nodeOffset[r + 1]));
    }
    expect(other.near.searches).toBe(0);
    const { searches, lookUps } = finder.near;
    expect(tally.found).toBeGreaterThan(20);
    if (name === 'at rest') {
      expect(searches).toBe(1);
      expect(lookUps).toBe(0);
    } else expect(tally.swept).toBeGreaterThan(3);
    if (name === 'of which one is thrown' || name.startsWith('that creep')) {
      expect(searches).toBeLessThan(10);
      expect(lookUps).toBeGreaterThan(5);
    }
    // the list of a step serves the checks of its paths
    if (name === 'that go together') expect(searches).toBeLessThan(24);
    if (name.startsWith('that come elsewhere')) expect(searches).toBeGreaterThan(20);
  });
});
