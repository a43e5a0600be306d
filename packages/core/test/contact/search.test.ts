/** Contacts with obstacles by ranges of rods are those of all rods at once: the same numbers in the same order. */
import { describe, expect, it } from 'vitest';
import { type ContactSet, createContactSet } from '../../src/contact/contactSet.ts';
import {
  appendFound,
  type ColliderSearch,
  createColliderSearch,
  cutSearch,
  FOUND_BYTES,
  type FoundRun,
  noteRuns,
  openFinder,
  readCounts,
  searchBytes,
  searchRanges,
  takeHands,
  writeFound,
} from '../../src/contact/detect/colliderSearch.ts';
import { createFinder } from '../../src/contact/detect/finder.ts';
import type { Finder } from '../../src/contact/detect/finderData.ts';
import { placeCollider } from '../../src/contact/shapes/collider.ts';
import { compileColliders } from '../../src/contact/shapes/compileCollider.ts';
import { createWorld, type Scene } from '../../src/index.ts';
import type { SharedSearch } from '../../src/threads/contactThreads.ts';
import { random } from './support.ts';

const dt = 0.01;
const COUNT = 23;
const turn = { keys: [{ time: 0 }, { time: 1, offset: [0.02, 0, 0.3], rotation: [0.4, 0, 2] }] } as const;

const corner = (i: number, z: number): [number, number, number] => [
  0.05 * Math.cos(1.57 * i),
  0.05 * Math.sin(1.57 * i),
  z,
];

/** Rods here and there in a ball of 10 cm, of 3 to 9 edges, some closed; the box meets every other rod. */
const scene: Scene = {
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: Array.from({ length: COUNT }, (_, k): Scene['rods'][number] => {
    const z = 0.12 * ((k + 0.5) / COUNT - 0.5);
    const a = 2.4 * k;
    return {
      id: `rod ${k}`,
      ...(k % 5 === 4
        ? { closed: true, shape: { type: 'points', points: [0, 1, 2, 3].map((i) => corner(i, z)) } }
        : { shape: { type: 'straight', from: [0, 0, z], to: [0.12 * Math.cos(a), 0.12 * Math.sin(a), z] } }),
      ...(k % 5 === 4 ? {} : { edges: 3 + (k % 7) }),
      section: { type: 'circle', radius: 2e-3 },
      surface: { friction: 0.5 + 0.02 * k, restitution: 0.1 },
      material: { E: 1e6, nu: 0.3, density: 1000 },
    };
  }),
  colliders: [
    { type: 'sphere', radius: 0.06, path: turn, friction: { static: 0.5, dynamic: 0.3 } },
    { type: 'sphere', radius: 0.1, hollow: true, restitution: 0.5 },
    {
      type: 'box',
      size: [0.03, 0.3, 0.05],
      position: [0.06, 0, 0.02],
      rods: Array.from({ length: COUNT >> 1 }, (_, k) => `rod ${2 * k}`),
    },
    {
      type: 'mesh',
      solid: false,
      vertices: [
        [0.02, -0.2, -0.2],
        [0.02, 0.2, -0.2],
        [0.02, 0.2, 0.2],
        [0.02, -0.2, 0.2],
      ],
      faces: [[0, 1, 2, 3]],
      path: turn,
    },
  ],
  time: { duration: 1, step: dt },
};

const { rods, samples, colliders } = createWorld(scene);
const next = random(5);
for (const { nodePosition, nodeVelocity } of samples) {
  for (let k = 0; k < nodePosition.length; k++) {
    nodePosition[k] += 4e-3 * (next() - 0.5);
    nodeVelocity[k] = 0.4 * (next() - 0.5);
  }
}
const rules = { pairs: false, self: true, staticFriction: 0, dynamicFriction: 0, radius: 0, reach: 1e-4 };
const all = { ...rules, pinned: [], partlyPinned: [], welded: [], linked: [] };
const gravity = [0, 0, -9.81];

/** Ranges of rods by as many searchers, who begin with the last of theirs, each with what a thread has: the memory, and the obstacles as the scene has them. */
function share(bounds: readonly number[]): { finder: Finder; search: ColliderSearch; runs: number[] } {
  const counts = {
    rods: rods.length,
    nodes: rods.reduce((sum, { nodeCount }) => sum + nodeCount, 0),
    edges: rods.reduce((sum, { edgeCount }) => sum + edgeCount, 0),
    colliders: colliders.length,
  };
  const buffer = new SharedArrayBuffer(searchBytes(counts));
  const rows = cutSearch(buffer, counts);
  const finder = createFinder({ rods, samples, colliders, rules: all, gravity, shared: rows });
  const capacity = 512;
  const found = new SharedArrayBuffer(FOUND_BYTES * capacity * bounds.length);
  const sets: ContactSet[] = [];
  const runs: number[] = [];
  const shared: SharedSearch = {
    buffer,
    isWorth: () => true,
    run(request, own) {
      runs.push(request.kind);
      own((action) => {
        action(0, bounds[0]);
      });
      bounds.forEach((from, k) => {
        const to = bounds[k + 1] ?? rods.length;
        const theirs = cutSearch(buffer, readCounts(buffer));
        const named = scene.colliders?.map(({ rods: _rods, ...spec }) => spec) ?? [];
        const other = openFinder(theirs, compileColliders({ tendril: 1, rods: [], colliders: named }, [], [], []));
        takeHands(other, theirs);
        sets[k] = createContactSet();
        const parts: FoundRun[] = [];
        const each = noteRuns(parts, sets[k], (action) => {
          for (let end = to; end > from; end -= 3) action(Math.max(from, end - 3), end);
        });
        const own = {
          finder: other,
          asked: theirs.isSearched,
          samples: samples.slice(from, to),
          first: from,
          set: sets[k],
          each,
        };
        searchRanges(own, request);
        writeFound({ buffer: found, from: FOUND_BYTES * capacity * k, capacity }, sets[k], parts);
      });
    },
    read(action) {
      sets.forEach(({ count }, k) => {
        action(found, FOUND_BYTES * capacity * k, capacity, count);
      });
    },
  };
  return { finder, search: createColliderSearch(finder, shared, rows), runs };
}

const tell = (set: ContactSet): Record<string, number[]> =>
  Object.fromEntries(
    Object.entries(set)
      .filter(([name]) => name !== 'count')
      .map(([name, list]) => [name, [...list.subarray(0, (list.length / set.key.length) * set.count)]]),
  );

describe.each([[[9]], [[1, 8, 22]]])('ranges of rods from %j on', (bounds) => {
  const { finder, search, runs } = share(bounds);
  const other = createFinder({ rods, samples, colliders, rules: all, gravity });
  const alone = createColliderSearch(other);
  // rods that are not looked at are left out by all
  finder.rodRole[6] = other.rodRole[6] = 1;

  const compare = (find: (search: ColliderSearch, set: ContactSet) => void): ContactSet => {
    const [set, expected] = [createContactSet(), createContactSet()];
    // what a set had before is not seen
    set.impulse.fill(7);
    set.slides.fill(1);
    find(search, set);
    find(alone, expected);
    expect(set.count).toBe(expected.count);
    expect(tell(set)).toEqual(tell(expected));
    return set;
  };

  it.each([0, 0.3])('find what all at once find, at the start of a step, at t = %f', (t) => {
    for (const collider of colliders) placeCollider(collider, t, dt);
    search.gather();
    alone.gather();
    expect(finder.position).toEqual(other.position);
    expect(finder.velocity).toEqual(other.velocity);
    const set = compare((by, out) => {
      for (let k = 0; k < colliders.length; k++) by.find(out, k, t, dt);
    });
    expect(set.count).toBeGreaterThan(60);
    expect(new Set(set.collider.subarray(0, set.count)).size).toBe(4);
    expect([...set.rodA.subarray(0, set.count)]).not.toContain(6);
    expect([...set.rodA.subarray(0, set.count)].filter((r, c) => set.collider[c] === 2 && r % 2 === 1)).toEqual([]);
  });

  it('find what has sunk in, of all rods and of some', () => {
    for (const collider of colliders) placeCollider(collider, 0, dt);
    search.gather();
    alone.gather();
    // they come from where they were, and deeper
    const before = samples.map(({ nodePosition }) => nodePosition.slice());
    for (const { nodePosition } of samples) for (let k = 0; k < nodePosition.length; k++) nodePosition[k] *= 0.97;
    const whole = compare((by, out) => {
      by.findPenetrations(out, { t: 0, dt, allowed: 0.04 });
    });
    expect(whole.count).toBeGreaterThan(20);
    const some = Array.from({ length: COUNT }, (_, r) => r).filter((r) => r % 3 !== 1);
    const part = compare((by, out) => {
      by.findPenetrations(out, { t: 0, dt, allowed: 0.04, rods: some });
    });
    expect(part.count).toBeLessThan(whole.count);
    expect(part.count).toBeGreaterThan(10);
    samples.forEach(({ nodePosition }, r) => {
      nodePosition.set(before[r]);
    });
  });

  it('find what passed through a surface', () => {
    for (const collider of colliders) placeCollider(collider, 0.2, dt);
    search.gather();
    alone.gather();
    const before = samples.map(({ nodePosition }) => nodePosition.slice());
    for (const { nodePosition } of samples) for (let k = 0; k < nodePosition.length; k += 3) nodePosition[k] -= 0.02;
    search.gatherEnd();
    alone.gatherEnd();
    expect(finder.end).toEqual(other.end);
    const set = compare((by, out) => {
      expect(by.sweep(out, 0.2, dt)).toBe(out.count);
    });
    expect(set.count).toBeGreaterThan(10);
    samples.forEach(({ nodePosition }, r) => {
      nodePosition.set(before[r]);
    });
  });

  it('leave rods that are not in order to one', () => {
    const count = runs.length;
    compare((by, out) => {
      by.findPenetrations(out, { t: 0, dt, allowed: 0.04, rods: [5, 3] });
    });
    expect(runs.length).toBe(count);
  });

  it('meet obstacles where a hand has moved them', () => {
    for (const collider of colliders) collider.move([0.01, -0.004, 0.002], 0, 0.02);
    for (const collider of colliders) placeCollider(collider, 0.005, dt);
    compare((by, out) => {
      for (let k = 0; k < colliders.length; k++) by.find(out, k, 0.005, dt);
    });
  });
});

describe('what a thread has found', () => {
  it('goes to the end of a set that grows', () => {
    const [set, more] = [createContactSet(4), createContactSet(4)];
    const search = createColliderSearch(createFinder({ rods, samples, colliders, rules: all, gravity }));
    for (const collider of colliders) placeCollider(collider, 0, dt);
    search.gather();
    search.find(set, 0, 0, dt);
    search.find(more, 1, 0, dt);
    const { count } = set;
    const kept = tell(set);
    const buffer = new SharedArrayBuffer(FOUND_BYTES * 8 * Math.ceil(more.count / 8));
    const memory = { buffer, from: 0, capacity: 8 * Math.ceil(more.count / 8) };
    writeFound(memory, more, [{ rod: 0, first: 0, end: more.count }]);
    appendFound(set, memory, more.count);
    expect(set.count).toBe(count + more.count);
    const both = tell(set);
    for (const [name, list] of Object.entries(tell(more))) expect(both[name]).toEqual([...kept[name], ...list]);
  });
});
