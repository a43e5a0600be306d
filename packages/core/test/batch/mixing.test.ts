/** Acceleration of the iterations of strands in contact, on linear problems whose solution is known. */
import { expect, test } from 'vitest';
import { createIslandFinder } from '../../src/batch/islands.ts';
import { createMixing, type MixedIslands, mixIterates } from '../../src/batch/mixing.ts';

const CONTACTS = 8;
const SIZE = 6 * CONTACTS;
const inputs = Array.from({ length: SIZE }, (_, n) => n);
/** Rates at which plain iterations reduce the parts of the error: some slowly. */
const rates = inputs.map((n) => [0.5, 0.4, 0.02, 0.3, 0.005][n % 5]);
const solution = inputs.map((n) => Math.sin(n));

/** Iterations until the islands that move are solved to 1e-6; at most 400. `q`: inputs of all contacts, and their errors. */
function solve(q: Float64Array, islands: MixedIslands, restart: boolean): number {
  let mixing = createMixing(q, islands);
  for (let k = 0; ; k++) {
    let worst = 0;
    for (const n of inputs) {
      q[SIZE + n] = rates[n] * (solution[n] - q[n]);
      if (islands.moves[islands.of[Math.floor(n / 6)]] === 1) worst = Math.max(worst, Math.abs(q[n] - solution[n]));
    }
    if (worst < 1e-6 || k === 400) return k;
    if (restart) mixing = createMixing(q, islands);
    mixIterates(mixing);
  }
}

test('combining the last iterates removes the slow parts of the error, island by island', () => {
  const islands = (): MixedIslands => ({
    of: Int32Array.from({ length: CONTACTS }, (_, c) => Math.floor(c / 4)),
    moves: new Uint8Array(2).fill(1),
  });
  const q = new Float64Array(2 * SIZE);
  expect(solve(q, islands(), true)).toBe(400);
  q.fill(0);
  expect(solve(q, islands(), false)).toBeLessThan(30);
  // an island that has settled stays as it is
  q.fill(0);
  const [first, second] = [islands(), islands()];
  first.moves[1] = 0;
  expect(solve(q, first, false)).toBeLessThan(30);
  expect([...q.subarray(24, SIZE)]).toEqual(new Array(24).fill(0));
  second.moves[0] = 0;
  const before = q.slice(0, 24);
  expect(solve(q, second, false)).toBeLessThan(30);
  expect(q.slice(0, 24)).toEqual(before);
});

test('islands are numbered by their first strands', () => {
  const finder = createIslandFinder(8);
  finder.join(6, 5);
  finder.join(1, 7);
  finder.join(7, 3);
  expect(finder.number()).toEqual({ of: Int32Array.of(-1, 0, -1, 0, -1, 1, 1, 0), count: 2 });
});
