/** Rods that neighbours take from both sides: each rod by one of them, whoever is quick. */
import { describe, expect, it } from 'vitest';
import { divide, type Ranges } from '../../src/threads/ranges.ts';
import {
  listChunks,
  listMeetings,
  openWorkStealing,
  resetWorkStealing,
  takeChunks,
  workStealingBytes,
} from '../../src/threads/workStealing.ts';

/** Pairs of rods in ranges for so many threads. */
const rangesOf = (pairCount: number, threads: number): Ranges =>
  divide(
    {
      count: pairCount,
      rods: (u) => [2 * u, 2 * u + 1],
      advance: () => ({ ok: true, iterations: 0, iterationsMax: 0, shifts: 0 }),
    },
    2 * pairCount,
    threads,
    true,
  );

const makeWorkStealing = (ranges: Ranges): ReturnType<typeof openWorkStealing> => {
  const chunks = listChunks(ranges);
  const memory = new SharedArrayBuffer(workStealingBytes(chunks));
  openWorkStealing(memory, chunks.length, chunks);
  // as another thread opens it
  const stealing = openWorkStealing(memory, chunks.length);
  resetWorkStealing(stealing);
  return stealing;
};

/**
 * Threads at work in one: whoever has taken a piece lets others take some before it goes on, in an order by chance. Returns who had each rod.
 */
const race = (ranges: Ranges, seed: number): { owner: number[]; met: number[] } => {
  const stealing = makeWorkStealing(ranges);
  const threads = ranges.compiled.length;
  const rodCount = ranges.rods[threads];
  const owner = new Array<number>(rodCount).fill(-1);
  const begun = new Set<number>();
  const wrong: string[] = [];
  let state = seed;
  const chance = (): number => {
    state = (state * 16807) % 2147483647;
    return state / 2147483647;
  };
  const begin = (k: number): void => {
    if (begun.has(k)) return;
    begun.add(k);
    takeChunks(stealing, k, rodCount, (from, to) => {
      const { first, end } = ranges.compiled[k];
      if (from >= to || from < first || to > end) wrong.push(`${k} has ${from} to ${to}`);
      for (let rod = from; rod < to; rod++) {
        if (owner[rod] >= 0) wrong.push(`${k} has ${rod} of ${owner[rod]}`);
        owner[rod] = k;
      }
      if (chance() < 0.1) begin(Math.floor(chance() * threads));
    });
  };
  for (let k = 0; k < threads; k++) begin(k);
  expect(wrong).toEqual([]);
  return { owner, met: listMeetings(stealing, rodCount) };
};

describe('work stealing', () => {
  it.each([
    [12, 2],
    [2500, 2],
    [300, 3],
    [1000, 7],
  ])('of %d pairs by %d threads come to one each, in ranges that meet', (pairCount, threads) => {
    const ranges = rangesOf(pairCount, threads);
    const places = new Set<string>();
    for (let seed = 1; seed <= 40; seed++) {
      const { owner, met } = race(ranges, 48271 * seed);
      expect(met[0]).toBe(0);
      expect(met[threads]).toBe(2 * pairCount);
      expect(owner.findIndex((k, rod) => !(met[k] <= rod && rod < met[k + 1]))).toBe(-1);
      for (const rod of met) expect(ranges.cuts.rods).toContain(rod);
      places.add(met.join());
    }
    expect(places.size).toBeGreaterThan(5);
  });

  it('are in chunks of some rods, by two threads all that the second has compiled', () => {
    const [ends] = listChunks(rangesOf(5000, 2));
    expect(ends[0]).toBe(3750);
    expect(ends[ends.length - 1]).toBe(10000);
    ends.slice(1, -1).forEach((end, i) => {
      expect(end - ends[i]).toBe(32);
    });
  });

  it('leave a thread in the middle what is beyond the middle of its range or what its neighbour has compiled', () => {
    const stealing = makeWorkStealing(rangesOf(600, 3));
    const own: number[][] = [];
    takeChunks(stealing, 0, 1200, () => {});
    takeChunks(stealing, 2, 1200, () => {});
    takeChunks(stealing, 1, 1200, (...range) => {
      own.push(range);
    });
    expect(own).toEqual([[600, 700]]);
    expect(listMeetings(stealing, 1200)).toEqual([0, 600, 700, 1200]);
  });
});
