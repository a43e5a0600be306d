/** Links as numbers in a row: what they do is what the loops over links as objects do. */
import { describe, expect, it } from 'vitest';
import { createLinkRows, GIVEN, linkBytes, RECORD, setGroup } from '../../src/contact/links/arrays.ts';
import { measureCrossings } from '../../src/contact/links/crossings.ts';
import {
  applyLinks,
  factorLinks,
  loopLinks,
  pullSides,
  startLinks,
  weighLinks,
  writeLinkForces,
} from '../../src/contact/links/law.ts';
import type { Link, LinkGroup, Links } from '../../src/contact/links/linkData.ts';
import { commitLinks, createLinks, recallLinks, rememberLinks } from '../../src/contact/links/links.ts';
import { lengthOf, MISS, PLACE_SIDES, PULL, runLinkLoop, SHIFT, UNMIXED } from '../../src/contact/links/loops.ts';
import { measureLinks, measureOne } from '../../src/contact/links/strain.ts';
import { createSamples, type Samples } from '../../src/port.ts';
import { compileScene } from '../../src/scene/compileScene.ts';
import type { Scene } from '../../src/scene/types.ts';
import type { SharedLoops } from '../../src/threads/contactThreads.ts';

/** Whether a link may have a record: the angle about the normal, two nodes an end, no offset that its sections carry. */
function isCrossing({ rows, perEnd, sideCount }: Link): boolean {
  return rows === 4 && perEnd === 2 && sideCount === 4;
}

/** Numbers between −1 and 1 that are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16807) % 2147483647;
    return (2 * state) / 2147483647 - 1;
  };
}

/** Rods of four edges, two along x and three across, joined where they cross; of `all` links the fourth and eighth hold all rotations. */
function createNet(all: boolean): Scene {
  const rods = [0, 1, 2, 3, 4].map((k): Scene['rods'][number] => ({
    id: `rod ${k}`,
    shape:
      k < 2
        ? { type: 'straight', from: [-0.02, 0.03 * k, 0], to: [0.1, 0.03 * k, 0] }
        : { type: 'straight', from: [0.03 * (k - 2), -0.02, 0], to: [0.03 * (k - 2), 0.08, 0] },
    edges: 4,
    section: { type: 'circle', radius: 1e-3 },
    material: { E: 1e8, G: 4e7, density: 1000 },
  }));
  const links = [0, 1].flatMap((i) =>
    [2, 3, 4].map((j): NonNullable<Scene['links']>[number] => ({
      rod: `rod ${i}`,
      at: { u: (0.02 + 0.03 * (j - 2)) / 0.12 },
      to: { rod: `rod ${j}`, at: { u: (0.02 + 0.03 * i) / 0.1 } },
      stiffness: 10 + i,
      damping: 1e-3 * j,
      rotation: { about: all && (i + j) % 4 === 3 ? 'all' : 'normal', stiffness: 1e-3, damping: 1e-6 },
      rest: 'together',
    })),
  );
  return { tendril: 1, rods, links };
}

/** Nodes moved by some millimetres. */
function disturb(scene: Scene) {
  const { rods, links: plans } = compileScene(scene);
  const random = createRandom(7);
  const samples = rods.map((rod): Samples => {
    const own = createSamples(rod);
    rod.nodePosition.forEach((x, k) => {
      own.nodePosition[k] = x + 3e-3 * random();
    });
    for (let e = 0; e < rod.edgeCount; e++) {
      const t = [0, 1, 2].map((k) => own.nodePosition[3 * e + 3 + k] - own.nodePosition[3 * e + k]);
      const size = Math.hypot(...t);
      const across = Math.hypot(t[0], t[1]);
      for (let k = 0; k < 3; k++) own.edgeTangent[3 * e + k] = t[k] / size;
      own.edgeDirector.set([-t[1] / across, t[0] / across, 0], 3 * e);
    }
    return own;
  });
  return { rods, plans, samples };
}

/** The same links as objects alone, with sides of their own. */
function asObjects(links: Links): Links {
  const list = links.list.map((link) => ({ ...link }));
  let sides = 0;
  for (const link of list) {
    Object.assign(link, { firstSide: sides });
    sides += link.sideCount;
  }
  const sizes = { links: list.length, crossings: 0, rods: links.every.rods.length, sides, otherSides: sides };
  const rows = createLinkRows(new ArrayBuffer(linkBytes(sizes)), sizes);
  rows.memory.set(links.memory);
  const every = { ...links.every, crossings: new Int32Array(0), others: list };
  return {
    ...links,
    list,
    rows,
    every,
    selected: undefined,
    sideArm: new Float64Array(3 * sides),
    memory: rows.memory,
  };
}

const dt = 1 / 240;

/** One turn of the solver; `plain`: by the loops for any link; `parts`: loops in so many, the last first. */
function turn(all: boolean, plain: boolean, parts = 0) {
  const { rods, plans, samples } = disturb(createNet(all));
  const made = createLinks(plans, rods, samples);
  expect(made.every.others.length).toBe(made.list.filter((link) => !isCrossing(link)).length);
  expect(made.every.others.length).toBe(all ? 2 : 0);
  const random = createRandom(11);
  for (let k = 0; k < made.memory.length; k++) made.memory[k] = 1e-3 * random();
  const links = plain ? asObjects(made) : made;
  const { rows, every } = links;
  if (plain) for (const link of every.others) measureOne(links, link, rods, samples);
  else measureLinks(links, every, rods, samples);
  recallLinks(links, every, 'last-step', dt);
  // sides lie by rod
  const count = made.entryOfRod[rods.length];
  const numbers = (length: number): Float64Array => Float64Array.from({ length }, () => random());
  const arrays = {
    mass: new Float64Array(count),
    response: numbers(count).map((x) => 1e3 * (1.1 + x)),
    reached: numbers(3 * count),
    velocityChange: numbers(3 * count),
    copy: new Float64Array(3 * count),
    right: new Float64Array(3 * count),
    lawInput: new Float64Array(3 * count),
    force: new Float64Array(3 * count),
    edge: new Int32Array(count),
    weight: new Float64Array(count),
  };
  arrays.response[1] = 0;
  const mix = { ...UNMIXED, weight: new Float64Array(3 * count) };
  const inParts: Pick<SharedLoops, 'runLinks'> = {
    runLinks(kind, _capacity, _window, given) {
      const length = lengthOf(kind, rows, arrays);
      let most = 0;
      for (let k = parts - 1; k >= 0; k--) {
        const [from, to] = [Math.floor((length * k) / parts), Math.floor((length * (k + 1)) / parts)];
        most = Math.max(
          most,
          runLinkLoop(kind, { rows, arrays, mix, position: links.position.data, numbers: given }, from, to),
        );
      }
      return most;
    },
  };
  const group: LinkGroup = {
    set: every,
    all: links,
    joined: new Float64Array(rods.length),
    whole: new Float64Array(9),
    rows,
    shared: parts > 0 ? (inParts as SharedLoops) : undefined,
    dt,
    guessed: false,
  };
  setGroup(rows, every.crossings.length, every.rods.length);
  every.rods.forEach((r, j) => {
    rows.first[j] = made.entryOfRod[r];
    rows.last[j] = made.entryOfRod[r + 1];
  });
  for (const name of ['edge', 'weight', 'begins'] as const) rows[name].set(made.rows[name]);
  if (plain) {
    // by what the rows say of crossings: their sides come with the objects'
    const sideOf = new Map<number, number>();
    made.rows.code.forEach((code, e) => {
      sideOf.set(code, e);
    });
    for (const { index, sideCount, firstSide } of every.others)
      for (let i = 0; i < sideCount; i++) {
        const own = made.list[index];
        const code = isCrossing(own) ? 4 * made.rows.linkOf.indexOf(index) + i : -1 - (own.firstSide + i);
        rows.otherSide[firstSide + i] = sideOf.get(code) as number;
      }
    rows.mass.set(made.rows.mass);
    rows.links.set(made.rows.links);
    rows.entry.set(made.rows.entry);
  } else loopLinks(group, PLACE_SIDES, arrays);
  rows.contactsAtNode.forEach((_, e) => {
    rows.contactsAtNode[e] = 1 + (e % 3);
  });
  weighLinks(group, arrays, true);
  for (const { impulse, impulseStart } of every.others) impulseStart.set(impulse);
  expect(factorLinks(group, arrays)).toBe(true);
  startLinks(group, arrays, mix, false);
  const begun = arrays.lawInput.slice();
  for (let k = 0; k < arrays.lawInput.length; k++) arrays.lawInput[k] += 0.3 * random();
  const swing = applyLinks(group, arrays);
  pullSides(group, arrays);
  writeLinkForces(group, arrays);
  rememberLinks(links, every, dt);
  const drift = loopLinks(group, PULL, arrays);
  const miss = loopLinks(group, MISS, arrays);
  expect(miss).toBe(Math.max(...arrays.reached.map((v, k) => Math.abs(v - arrays.copy[k]))));
  commitLinks(links);
  expect(links.memory).toEqual(rows.next);
  const { next } = rows;
  loopLinks(group, SHIFT, arrays, mix, [0.1, 0.2, 0.3]);
  return {
    ...arrays,
    mixed: mix.weight,
    begun,
    swing,
    drift,
    pull: rows.pull.slice(),
    next,
    rows: made.rows,
    links: made,
    plans,
  };
}

describe('links in a row', () => {
  for (const all of [false, true]) {
    it(`${all ? 'among others' : 'all of one kind'}: as the loops for any link`, () => {
      const [expected, found] = [turn(all, true), turn(all, false)];
      for (const name of [
        'mass',
        'begun',
        'mixed',
        'copy',
        'right',
        'force',
        'next',
        'pull',
        'velocityChange',
      ] as const) {
        const size = Math.max(...expected[name].map(Math.abs));
        expect(size).toBeGreaterThan(0);
        for (let k = 0; k < expected[name].length; k++)
          expect([name, k, Math.abs(found[name][k] - expected[name][k]) <= 1e-11 * size]).toEqual([name, k, true]);
      }
      expect(found.swing).toBeCloseTo(expected.swing, 10);
      expect(found.drift).toBeGreaterThan(0);
    });
  }

  it.each([1, 2, 3])('in %d parts: the same bits', (parts) => {
    expect({ ...turn(true, false, parts), links: undefined }).toEqual({ ...turn(true, false), links: undefined });
  });

  it('have their sides at their places, by rod', () => {
    const { rows, edge, weight, links, plans } = turn(true, false);
    const seen = new Set([...rows.side, ...rows.otherSide]);
    expect(seen.size).toBe(rows.side.length + rows.otherSide.length);
    rows.linkOf.forEach((index, c) => {
      const { rodA, edgeA, rodB, edgeB } = plans[index];
      for (let i = 0; i < 4; i++) {
        const s = rows.side[4 * c + i];
        const [rod, wanted] = i < 2 ? [rodA, edgeA] : [rodB, edgeB];
        expect([edge[s], weight[s]]).toEqual([wanted, i % 2]);
        expect(s).toBeGreaterThanOrEqual(links.entryOfRod[rod]);
        expect(s).toBeLessThan(links.entryOfRod[rod + 1]);
      }
    });
  });
});

describe('a crossing whose rods have become parallel', () => {
  it('turns about a direction across both, whichever they have', () => {
    const random = createRandom(3);
    for (let trial = 0; trial < 50; trial++) {
      const t = [random(), random(), random()];
      const [length, other] = [0.02 + 0.01 * random(), 0.02 + 0.01 * random()];
      const along = t.map((x) => x / Math.hypot(...t));
      const ends = [0, length, 0, other].flatMap((s) => along.map((x) => s * x));
      const record = new Float64Array(RECORD);
      record.set([0.5, 0.5, -0.5, -0.5]);
      const rows = {
        record,
        given: new Float64Array(GIVEN),
        node: Int32Array.of(0, 3, 6, 9),
        member: Int32Array.of(0),
      };
      measureCrossings(rows, Float64Array.from(ends), 0, 1);
      // how the angle changes with the second node of either edge: by one over its length, across it
      const [a, b] = [[...record.subarray(4, 7)], [...record.subarray(7, 10)]];
      expect(Math.hypot(...a) * length).toBeCloseTo(1, 12);
      expect(Math.hypot(...b) * other).toBeCloseTo(1, 12);
      for (const n of [a, b]) expect(n[0] * along[0] + n[1] * along[1] + n[2] * along[2]).toBeCloseTo(0, 9);
      // and the other way round for the other rod
      a.forEach((x, k) => {
        expect(x * length).toBeCloseTo(-b[k] * other, 12);
      });
    }
  });
});
