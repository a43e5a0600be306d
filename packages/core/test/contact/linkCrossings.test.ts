import { describe, expect, it } from 'vitest';
import { isCrossing } from '../../src/contact/linkCrossings.ts';
import {
  applyLinks,
  factorLinks,
  fillSides,
  finishLinks,
  type LinkGroup,
  loopLinks,
  pullSides,
  sortLinks,
  startLinks,
} from '../../src/contact/linkLaw.ts';
import { lengthOf, PULL, runLinkLoop, SHIFT, UNMIXED } from '../../src/contact/linkLoops.ts';
import { cutLinkRows, linkBytes } from '../../src/contact/linkRows.ts';
import type { Link, Links } from '../../src/contact/links.ts';
import type { SharedLoops } from '../../src/port.ts';
import type { LinkPlan } from '../../src/scene/links.ts';

/** Numbers between −1 and 1 that are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16807) % 2147483647;
    return (2 * state) / 2147483647 - 1;
  };
}

/** A link as linkStrain.ts leaves it: with the angle between two rods, or, `all`, with every coefficient. */
function createLink(index: number, random: () => number, all: boolean): Link {
  const [rows, perEnd] = all ? [6, 3] : [4, 2];
  const sideCount = 2 * perEnd;
  const coefficient = new Float64Array(3 * rows * sideCount);
  if (all) for (let k = 0; k < coefficient.length; k++) coefficient[k] = random();
  for (let end = 0; end < 2 && !all; end++) {
    const weight = 0.5 + 0.4 * random();
    for (let e = 0; e < 3; e++) {
      coefficient[3 * (4 * e + 2 * end) + e] = end === 0 ? 1 - weight : weight - 1;
      coefficient[3 * (4 * e + 2 * end + 1) + e] = end === 0 ? weight : -weight;
      const n = 200 * random();
      coefficient[3 * (12 + 2 * end) + e] = -n;
      coefficient[3 * (12 + 2 * end + 1) + e] = n;
    }
  }
  const numbers = (count: number, scale: number): Float64Array =>
    Float64Array.from({ length: count }, () => scale * random());
  return {
    index,
    plan: { stiffness: 10, damping: 1e-3 * index, turnStiffness: 1e-5, turnDamping: 1e-8 * index } as LinkPlan,
    rows,
    perEnd,
    sideCount,
    firstSide: 0,
    offsetA: new Float64Array(3),
    offsetB: new Float64Array(3),
    point: new Float64Array(3),
    turnRest: new Float64Array(9),
    angleRest: 0,
    coefficient,
    strain: numbers(rows, 1e-5),
    impulse: numbers(rows, 1e-6),
    impulseStart: numbers(rows, 1e-6),
    factor: new Float64Array(rows * rows),
  };
}

/** One turn of the solver; `plain`: by the loops for any link; `parts`: loops over crossings by so many, the last first. */
function turn(kinds: readonly boolean[], plain: boolean, parts = 0) {
  const random = createRandom(11);
  const links = kinds.map((all, k) => createLink(k, random, all));
  const count = links.reduce((sum, { sideCount }) => sum + sideCount, 0);
  // sides lie by rod, not by link
  const side = Int32Array.from({ length: count }, (_, k) => (7 * k) % count);
  const numbers = (length: number): Float64Array => Float64Array.from({ length }, () => random());
  const arrays = {
    rod: new Int32Array(count),
    mass: numbers(count).map((x) => 1e-6 * (1.1 + x)),
    response: numbers(count).map((x) => 1e6 * (1.1 + x)),
    start: numbers(3 * count),
    velocity: numbers(3 * count),
    copy: new Float64Array(3 * count),
    right: new Float64Array(3 * count),
    free: new Float64Array(3 * count),
  };
  arrays.mass[side[1]] = 0;
  const weight = new Float64Array(3 * count);
  const mix = { ...UNMIXED, weight };
  const sorted = plain ? { crossings: [], others: { links, side } } : sortLinks(links);
  const rows = cutLinkRows(new ArrayBuffer(linkBytes(sorted.crossings.length, 2)), sorted.crossings.length, 2);
  rows.mass.set([1, 2]);
  rows.last.set([Math.floor(count / 2), count]);
  rows.first.set([0, rows.last[0]]);
  const inParts: Pick<SharedLoops, 'runLinks'> = {
    runLinks(kind, _crossings, _rods, _capacity, _window, given) {
      const length = lengthOf(kind, rows);
      let most = 0;
      for (let k = parts - 1; k >= 0; k--) {
        const [from, to] = [Math.floor((length * k) / parts), Math.floor((length * (k + 1)) / parts)];
        most = Math.max(most, runLinkLoop(kind, rows, arrays, mix, given, from, to));
      }
      return most;
    },
  };
  const group: LinkGroup = {
    links,
    all: {} as Links,
    joined: new Float64Array(1),
    whole: new Float64Array(9),
    side,
    crowd: new Int32Array(count),
    ...sorted,
    rows,
    shared: parts > 0 ? (inParts as SharedLoops) : undefined,
    dt: 1 / 240,
    guessed: false,
  };
  if (!plain) fillSides(group);
  expect(factorLinks(group, arrays)).toBe(true);
  startLinks(group, arrays, mix, false);
  const begun = arrays.free.slice();
  for (let k = 0; k < arrays.free.length; k++) arrays.free[k] += 0.3 * random();
  const swing = applyLinks(group, arrays);
  pullSides(group, arrays);
  finishLinks(group);
  const drift = loopLinks(group, PULL, arrays);
  loopLinks(group, SHIFT, arrays, mix, [0.1, 0.2, 0.3]);
  return {
    ...arrays,
    weight,
    begun,
    swing,
    drift,
    pull: rows.pull,
    impulse: Float64Array.from(links.flatMap((link) => [...link.impulse])),
  };
}

describe('links in a row', () => {
  for (const [title, kinds] of [
    ['all of one kind', [false, false, false]],
    ['among others', [false, true, false, true, false]],
  ] as const) {
    it(`${title}: as the loops for any link`, () => {
      const [expected, found] = [turn(kinds, true), turn(kinds, false)];
      for (const name of ['begun', 'weight', 'copy', 'right', 'impulse'] as const) {
        const size = Math.max(...expected[name].map(Math.abs));
        expect(size).toBeGreaterThan(0);
        for (let k = 0; k < expected[name].length; k++)
          expect(Math.abs(found[name][k] - expected[name][k])).toBeLessThanOrEqual(1e-12 * size);
      }
      expect(found.swing).toBeCloseTo(expected.swing, 10);
    });
  }
  it.each([1, 2, 3])('in %d parts: the same bits', (parts) => {
    const kinds = [false, false, true, false, false, false];
    const found = turn(kinds, false, parts);
    expect(found).toEqual(turn(kinds, false));
    expect(found.drift).toBeGreaterThan(0);
  });
  it('knows its own', () => {
    const random = createRandom(3);
    expect([createLink(0, random, false), createLink(1, random, true)].map(isCrossing)).toEqual([true, false]);
  });
});
