/** The contact law of the solver against the conditions of Signorini and Coulomb, and where its numbers come from and go to. */
import { describe, expect, it } from 'vitest';
import { createContactSet } from '../../src/contact/contactSet.ts';
import type { Finder } from '../../src/contact/detect/finderData.ts';
import { applyLawAndWriteRightSide } from '../../src/contact/solve/admm.ts';
import type { LawArrays } from '../../src/contact/solve/lawArrays.ts';
import { markSlidingAtStart } from '../../src/contact/solve/sideVelocities.ts';
import { cutMixRows, mixBlocks, mixBytes, WINDOW } from '../../src/contact/solve/vectorLoops.ts';
import { random } from './support.ts';

const dot = (a: readonly number[], b: readonly number[]): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const minus = (a: readonly number[], b: readonly number[]): number[] => a.map((x, k) => x - b[k]);
const take = (array: Float64Array, o: number): number[] => [array[o], array[o + 1], array[o + 2]];

/** Random contacts: every second one between two sides, the others with a surface that moves. */
function drawContacts(count: number) {
  const next = random(11);
  const signed = (): number => 2 * next() - 1;
  const set = createContactSet(count);
  const numbers = (length: number): Float64Array => Float64Array.from({ length }, signed);
  const arrays: LawArrays = {
    axes: 3,
    sideA: Int32Array.from({ length: count }, (_, c) => 2 * c),
    sideB: Int32Array.from({ length: count }, (_, c) => (c % 2 === 0 ? 2 * c + 1 : -1)),
    omega: new Float64Array(count),
    contactsAtNode: Float64Array.from({ length: count }, () => 1 + Math.floor(3 * next())),
    normalImpulse: new Float64Array(0),
    impulseStart: numbers(3 * count),
    mass: new Float64Array(2 * count),
    reached: numbers(6 * count),
    copy: new Float64Array(6 * count),
    lawInput: numbers(6 * count),
    right: new Float64Array(6 * count),
  };
  set.count = count;
  for (let c = 0; c < count; c++) {
    const rho = 0.1 + next();
    arrays.mass[2 * c] = rho;
    if (arrays.sideB[c] >= 0) arrays.mass[2 * c + 1] = rho;
    arrays.omega[c] = (arrays.sideB[c] >= 0 ? 2 : 1) / rho;
    const n = [signed(), signed(), signed()];
    for (let k = 0; k < 3; k++) {
      set.normal[3 * c + k] = n[k] / Math.hypot(...n);
      set.surface[3 * c + k] = signed();
    }
    set.bias[c] = 0.3 * signed();
    set.sliding[c] = c % 3 === 0 ? 1 : 0;
    set.staticFriction[c] = 0.2 + 0.6 * next();
    set.dynamicFriction[c] = 0.5 * set.staticFriction[c];
  }
  return { set, arrays };
}

describe('the contact law', () => {
  const count = 400;
  const { set, arrays } = drawContacts(count);
  const { sideA, sideB, mass, copy, lawInput, right, reached, impulseStart } = arrays;
  const swing = applyLawAndWriteRightSide(set, arrays, 0, count);
  const contacts = Array.from({ length: count }, (_, c) => {
    const [a, b] = [3 * sideA[c], 3 * sideB[c]];
    const n = take(set.normal, 3 * c);
    const p = take(set.impulse, 3 * c);
    const other = (of: Float64Array): number[] => (b >= 0 ? take(of, b) : take(set.surface, 3 * c));
    // relative velocity after the impulse
    const u = minus(take(copy, a), other(copy));
    const along = dot(n, p);
    const tangential = p.map((x, k) => x - along * n[k]);
    const slip = u.map((x, k) => x - dot(n, u) * n[k]);
    const friction = (set.sliding[c] ? set.dynamicFriction[c] : set.staticFriction[c]) * along;
    return { c, a, b, n, p, u, along, tangential, slip, friction };
  });
  const touching = contacts.filter(({ along }) => along > 0);

  it('lets nothing sink in and nothing pull, and pushes only where the gap is closed', () => {
    for (const { c, n, u, p, along } of contacts) {
      const room = dot(n, u) + set.bias[c];
      expect(room).toBeGreaterThan(-1e-12);
      expect(along).toBeGreaterThanOrEqual(0);
      expect(along * room).toBeCloseTo(0, 12);
      if (along === 0) expect(Math.hypot(...p)).toBe(0);
    }
    expect(touching.length).toBeGreaterThan(100);
    expect(touching.length).toBeLessThan(300);
  });

  it('keeps friction within its cone; it sticks, or opposes the slip on the border of the cone', () => {
    let sticking = 0;
    for (const { tangential, slip, friction } of touching) {
      expect(Math.hypot(...tangential)).toBeLessThan(friction * (1 + 1e-9) + 1e-15);
      if (Math.hypot(...slip) < 1e-12) {
        sticking++;
        continue;
      }
      expect(Math.hypot(...tangential)).toBeCloseTo(friction, 12);
      expect(dot(tangential, slip)).toBeCloseTo(-friction * Math.hypot(...slip), 12);
    }
    expect(sticking).toBeGreaterThan(10);
    expect(sticking).toBeLessThan(touching.length - 100);
  });

  it('moves both sides as free particles of mass ρ, so that momentum is kept', () => {
    for (const { a, b, p } of contacts) {
      const rho = mass[a / 3];
      minus(take(copy, a), take(lawInput, a)).forEach((x, k) => {
        expect(rho * x).toBeCloseTo(p[k], 12);
      });
      if (b >= 0)
        minus(take(copy, b), take(lawInput, b)).forEach((x, k) => {
          expect(rho * x).toBeCloseTo(-p[k], 12);
        });
    }
  });

  it('returns the largest velocity that one of the contacts of a node causes', () => {
    const largest = Math.max(...touching.map(({ c, along }) => (arrays.omega[c] / arrays.contactsAtNode[c]) * along));
    expect(swing).toBeCloseTo(largest, 12);
  });

  it('pulls the rods towards their copies, by ρ(y − v₀) ± (p − p₀)', () => {
    for (const { c, a, b, p } of contacts) {
      for (let k = 0; k < 3; k++) {
        const change = p[k] - impulseStart[3 * c + k];
        expect(right[a + k]).toBeCloseTo(mass[a / 3] * (copy[a + k] - reached[a + k]) + change, 12);
        if (b >= 0) expect(right[b + k]).toBeCloseTo(mass[b / 3] * (copy[b + k] - reached[b + k]) - change, 12);
      }
    }
  });
});

describe('sliding at the start of a step', () => {
  it('is the tangential part of the relative velocity, of points within edges, beyond the limit', () => {
    const next = random(5);
    const velocity = Float64Array.from({ length: 12 }, () => 0.02 * (next() - 0.5));
    const finder = {
      velocity,
      edgeOffset: Int32Array.of(0, 1),
      edgeFirst: Int32Array.of(0, 2),
      edgeSecond: Int32Array.of(1, 3),
      colliders: [{ body: -1 }, { body: 0 }],
    } as unknown as Finder;
    let [slid, stuck] = [0, 0];
    for (let trial = 0; trial < 200; trial++) {
      const set = createContactSet(1);
      set.count = 1;
      const isPair = trial % 2 === 0;
      const n = [next() - 0.5, next() - 0.5, next() - 0.5];
      const unit = n.map((x) => x / Math.hypot(...n));
      set.normal.set(unit);
      set.rodB[0] = isPair ? 1 : -1;
      set.collider[0] = isPair ? -1 : 0;
      set.weightA[0] = next();
      set.weightB[0] = next();
      set.surface.set([0.01 * next(), 0, 0]);
      set.staticFriction[0] = 0.4;
      set.dynamicFriction[0] = 0.3;
      const at = (edge: number, w: number): number[] =>
        [0, 1, 2].map((k) => (1 - w) * velocity[6 * edge + k] + w * velocity[6 * edge + 3 + k]);
      const u = minus(at(0, set.weightA[0]), isPair ? at(1, set.weightB[0]) : take(set.surface, 0));
      const slip = Math.hypot(...u.map((x, k) => x - dot(u, unit) * unit[k]));
      const limit = 0.006;
      markSlidingAtStart(set, finder, limit);
      expect(set.sliding[0]).toBe(slip > limit ? 1 : 0);
      if (slip > limit) slid++;
      else stuck++;
      // with one coefficient it makes no difference, and bodies stick at first
      set.dynamicFriction[0] = 0.4;
      markSlidingAtStart(set, finder, 0);
      expect(set.sliding[0]).toBe(0);
    }
    expect(Math.min(slid, stuck)).toBeGreaterThan(30);
  });
});

describe('Anderson acceleration', () => {
  it.each([1, 2, 3, 4, 5])('subtracts each of %d changes once', (count) => {
    const size = 10;
    const rows = cutMixRows(new ArrayBuffer(mixBytes(size, WINDOW)), size, WINDOW);
    const next = random(count);
    for (const one of rows.changeNext) for (let i = 0; i < size; i++) one[i] = next();
    const gamma = Array.from({ length: WINDOW }, next);
    const lawInput = Float64Array.from({ length: size }, next);
    const expected = lawInput.map((q, i) =>
      rows.changeNext.slice(0, count).reduce((sum, change, a) => sum - gamma[a] * change[i], q),
    );
    const nothing = new Float64Array(size);
    const iterate = { lawInput, reached: nothing, velocityChange: nothing, copy: nothing };
    mixBlocks(rows, iterate, { size, from: 0, to: 1, count, slot: 0, gamma });
    lawInput.forEach((q, i) => {
      expect(q).toBeCloseTo(expected[i], 14);
    });
  });
});
