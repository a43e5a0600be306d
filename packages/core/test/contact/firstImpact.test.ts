/** The first impact of a step against the roots of free fall. */
import { expect, it } from 'vitest';
import { addContact, createContactSet } from '../../src/contact/contactSet.ts';
import type { Finder } from '../../src/contact/detect/finderData.ts';
import { findFirstImpact } from '../../src/contact/detect/firstImpact.ts';
import { g, random } from './support.ts';

const dt = 0.01;
const finder = { gravity: [0, 0, -g], acceleration: g } as unknown as Finder;

interface Impact {
  readonly gap: number;
  readonly speed: number;
  readonly tilt: number;
  readonly restitution: number;
}

const find = (impacts: readonly Impact[]): number => {
  const set = createContactSet();
  for (const { gap, speed, tilt, restitution } of impacts) {
    const c = addContact(set);
    set.gap[c] = gap;
    set.approach[c] = -speed;
    set.normal.set([Math.sin(tilt), 0, Math.cos(tilt)], 3 * c);
    set.restitution[c] = restitution;
  }
  return findFirstImpact(set, finder, dt);
};

/** When the gap closes, by small steps. */
function timeOf({ gap, speed, tilt }: Impact): number {
  const pull = -g * Math.cos(tilt);
  const at = (t: number): number => gap - speed * t + 0.5 * pull * t * t;
  let [low, high] = [0, dt];
  if (at(high) > 0) return Number.POSITIVE_INFINITY;
  for (let k = 0; k < 60; k++) {
    const middle = 0.5 * (low + high);
    if (at(middle) > 0) low = middle;
    else high = middle;
  }
  return low;
}

it('is when the first gap closes, of contacts that rebound', () => {
  const next = random(2);
  let hits = 0;
  for (let trial = 0; trial < 200; trial++) {
    const impacts = Array.from({ length: 3 }, () => ({
      gap: 0.03 * next(),
      speed: 0.3 + 2 * next(),
      tilt: 3.1 * next(),
      restitution: next() < 0.3 ? 0 : 0.5,
    }));
    const times = impacts.filter(({ restitution }) => restitution > 0).map(timeOf);
    // impacts at the very ends of a step do not split it
    const first = Math.min(...times.filter((t) => t > 0.02 * dt && t < 0.98 * dt), Number.POSITIVE_INFINITY);
    const found = find(impacts);
    if (first === Number.POSITIVE_INFINITY) expect(found).toBe(0);
    else {
      hits++;
      expect(found).toBeCloseTo(first, 12);
    }
  }
  expect(hits).toBeGreaterThan(50);
});

it('is none where the approach is slower than a fall of two steps', () => {
  const slow = { gap: 1e-4, speed: 1.9 * g * dt, tilt: 0, restitution: 0.5 };
  expect(find([slow])).toBe(0);
  expect(find([{ ...slow, speed: 2.1 * g * dt }])).toBeGreaterThan(0);
});
