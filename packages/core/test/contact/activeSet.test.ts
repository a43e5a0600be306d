import { describe, expect, it } from 'vitest';
import { addContact, createContactSet } from '../../src/contact/contactSet.ts';
import { updateActive } from '../../src/contact/solve/activeSet.ts';

const NORMAL = [0, 0, 1];
/** Gaps after a step of 1 s, in sizes of 1 m, of contacts with a floor that rises by 1 m/s; sideways they may go as they like. */
function createContacts(gaps: readonly number[]) {
  const set = createContactSet();
  for (const _ of gaps) {
    const c = addContact(set);
    set.normal.set(NORMAL, 3 * c);
    set.surface.set(NORMAL, 3 * c);
    set.size[c] = 1;
    set.bias[c] = 0.25;
  }
  const velocity = Float64Array.from(gaps.flatMap((gap) => [7, -7, gap + 1 - 0.25]));
  const sideA = Int32Array.from(gaps.keys());
  const sideB = new Int32Array(gaps.length).fill(-1);
  return { set, velocity, sides: { sideA, sideB, isActive: new Uint8Array(gaps.length) } };
}

describe('contacts of linked rods', () => {
  it('become active where they would close, and inactive where they have opened', () => {
    const { set, velocity, sides } = createContacts([-0.1, -0.011, -0.009, 0.019, 0.021]);
    expect(updateActive(set, sides, { velocity, dt: 1, close: -0.01, open: 0.02 })).toBe(2);
    expect([...sides.isActive]).toEqual([1, 1, 0, 0, 0]);
    sides.isActive.fill(1);
    expect(updateActive(set, sides, { velocity, dt: 1, close: -0.01, open: 0.02 })).toBe(0);
    expect([...sides.isActive]).toEqual([1, 1, 1, 1, 0]);
  });
  it('are active while they have an impulse', () => {
    const { set, velocity, sides } = createContacts([1, 1]);
    set.impulse[4] = -1e-9;
    expect(updateActive(set, sides, { velocity, dt: 1, close: -0.01, open: 0.02 })).toBe(1);
    expect([...sides.isActive]).toEqual([0, 1]);
    expect(updateActive(set, sides, { velocity, dt: 1, close: -0.01, open: 0.02 })).toBe(0);
    expect([...sides.isActive]).toEqual([0, 1]);
  });
  it('go by both of their sides', () => {
    const { set, velocity, sides } = createContacts([5, 5]);
    sides.sideB[0] = 1;
    // the other moves as fast: what is left of the gap is the bias
    expect(updateActive(set, sides, { velocity, dt: 1, close: 0.24, open: 1 })).toBe(0);
    expect(updateActive(set, sides, { velocity, dt: 1, close: 0.26, open: 1 })).toBe(1);
  });
});
