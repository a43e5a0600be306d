import { describe, expect, it } from 'vitest';
import { createContactSet, sortContacts, takePlaces } from '../../src/contact/contactSet.ts';
import { createFinder } from '../../src/contact/detect/finder.ts';
import { gather } from '../../src/contact/detect/finderData.ts';
import { gatherEnd, sweepPairs } from '../../src/contact/detect/rodSweep.ts';
import { setBias, targetGap } from '../../src/contact/solve/sideVelocities.ts';
import { createWorld, type Scene } from '../../src/index.ts';
import { smooth } from './support.ts';

const r = 0.01;

/** Short rods along z, at these places in the plane. */
const upright = (places: readonly (readonly [number, number])[]): Scene => ({
  tendril: 1,
  rods: places.map(([x, y], k) => ({
    id: `${k}`,
    shape: { type: 'straight', from: [x, y, 0], to: [x, y, 0.1] },
    edges: 2,
    section: { type: 'circle', radius: r },
    material: { E: 1e6, nu: 0.3, density: 1000 },
  })),
  contact: {},
  time: { duration: 1, step: 0.01 },
});

/** Sweeps the second rod from one place to another beside the first, which stays at the origin. */
function sweepTo(
  from: readonly [number, number],
  to: readonly [number, number],
): { met: number; set: ReturnType<typeof createContactSet> } {
  const { rods, samples } = createWorld(upright([[0, 0], from]));
  const finder = createFinder({ rods, samples, colliders: [], rules: smooth({ pairs: true }), gravity: [0, 0, 0] });
  gather(finder);
  const end = finder.position.slice();
  gatherEnd(end, finder);
  for (let i = finder.nodeOffset[1]; i < finder.nodeOffset[2]; i++) {
    end[3 * i] = to[0];
    end[3 * i + 1] = to[1];
  }
  const set = createContactSet();
  const met = sweepPairs(finder, set, end, 0.04);
  setBias(set, finder, 0.01, 1e-3);
  return { met, set };
}

describe('where a step came to', () => {
  it('asks for all of the way back, where two that began apart end inside each other elsewhere', () => {
    // from x to y about the other, never nearer than half their reach
    const { met, set } = sweepTo([3 * r, 0], [0, 1.5 * r]);
    expect(met).toBe(0);
    expect(set.count).toBeGreaterThan(0);
    for (let c = 0; c < set.count; c++) {
      expect(Math.abs(set.normal[3 * c + 1])).toBeCloseTo(1, 12);
      // along y it began 2 r short of touching: an overlap of the start would be eased out, this is none
      expect(set.gap[c]).toBeCloseTo(-2 * r, 12);
      expect(set.bias[c]).toBeCloseTo((-2 * r) / 0.01, 9);
    }
  });

  it('eases out what began inside', () => {
    const { set } = sweepTo([1.8 * r, 0], [0, 1.5 * r]);
    expect(set.count).toBeGreaterThan(0);
    const floor = targetGap(-0.2 * r, r);
    expect(floor).toBeGreaterThan(-0.2 * r);
    expect(floor).toBeLessThan(-0.1 * r);
    for (let c = 0; c < set.count; c++) expect(set.bias[c]).toBeCloseTo((-2 * r - floor) / 0.01, 9);
  });
});

/** Contacts of two straight rods of 20 edges in the first step, which is too short to matter. */
function contactsOf(from: [number, number, number], to: [number, number, number]): number {
  const rod = (id: string, a: [number, number, number], b: [number, number, number]): Scene['rods'][number] => ({
    id,
    shape: { type: 'straight', from: a, to: b },
    edges: 20,
    section: { type: 'circle', radius: r },
    material: { E: 1e6, nu: 0.3, density: 1000 },
  });
  const world = createWorld({
    tendril: 1,
    rods: [rod('a', [-0.1, 0, 0], [0.1, 0, 0]), rod('b', from, to)],
    contact: {},
    time: { duration: 1, step: 1e-6 },
  });
  world.step();
  return world.contactReport?.contacts ?? 0;
}

describe('the contacts of two rods', () => {
  it('is one where they cross, though edges are as short as radii', () => {
    expect(contactsOf([0.003, -0.1, 2 * r], [0.003, 0.1, 2 * r])).toBe(1);
  });

  it('are few where they cross at an angle, at places that are as near as can be told', () => {
    // of 21 pairs of edges that are near enough
    expect(contactsOf([-0.048, -0.0905, 2 * r], [0.062, 0.0895, 2 * r])).toBeLessThan(4);
  });

  it('are at all nodes where they lie side by side', () => {
    expect(contactsOf([-0.1, 0, 2 * r], [0.1, 0, 2 * r])).toBe(21);
    expect(contactsOf([-0.1, 0.005, 1.95 * r], [0.1, -0.005, 1.95 * r])).toBeGreaterThan(19);
  });
});

describe('a contact that is found again', () => {
  const make = (key: number, weight: number, impulse: number): ReturnType<typeof createContactSet> => {
    const set = createContactSet();
    set.count = 1;
    set.key[0] = key;
    set.weightA[0] = weight;
    set.swept[0] = 1;
    set.normal[2] = 1;
    set.impulse[2] = impulse;
    return set;
  };

  it('takes the place of the one before, and its normal impulse', () => {
    const found = make(7, 0.52, 0);
    found.normal.set([0, 1, 0]);
    takePlaces(found, make(7, 0.5, 3));
    expect(found.key[0]).toBe(7);
    expect([...found.impulse.slice(0, 3)]).toEqual([0, 3, 0]);
  });

  it('stands beside it elsewhere on the edge, and is found there again', () => {
    const before = make(7, 0.3, 3);
    const found = make(7, 0.7, 0);
    takePlaces(found, before);
    expect(found.key[0]).toBe(7.5);
    expect(found.impulse[2]).toBe(0);
    found.count = 2;
    found.key[1] = 7;
    found.weightA[1] = 0.3;
    found.swept[1] = 1;
    found.impulse[2] = 2;
    const both = createContactSet();
    sortContacts(both, found);
    expect(both.count).toBe(2);
    const again = make(7, 0.68, 0);
    takePlaces(again, both);
    expect(again.key[0]).toBe(7.5);
    expect(again.impulse[2]).toBe(2);
  });
});
