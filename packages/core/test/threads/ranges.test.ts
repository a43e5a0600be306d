/** Ranges of rods: where they may end, and where they go. */
import { describe, expect, it } from 'vitest';
import { balanceByTime, divide, moveRanges, type Ranges } from '../../src/threads/ranges.ts';

/** Parts with these rods. */
const partsOf = (list: readonly (readonly number[])[]): Parameters<typeof divide>[0] => ({
  count: list.length,
  rods: (u) => list[u],
  advance: () => ({ ok: true, iterations: 0, iterationsMax: 0, shifts: 0 }),
});
const pairs = (count: number): number[][] => Array.from({ length: count }, (_, u) => [2 * u, 2 * u + 1]);
const move = (ranges: Ranges, wanted: readonly number[]): number[][] => {
  const gained: number[][] = [];
  moveRanges(ranges, wanted, (...one) => {
    gained.push(one);
  });
  return gained;
};

describe('ranges of rods', () => {
  it('are even, and overlap in what threads compile', () => {
    const ranges = divide(partsOf(pairs(24)), 48, 3, true);
    expect([...ranges.rods]).toEqual([0, 16, 32, 48]);
    expect([...ranges.parts]).toEqual([0, 8, 16, 24]);
    expect(ranges.compiled).toEqual([
      { first: 0, end: 48, part: 0 },
      { first: 12, end: 36, part: 6 },
      { first: 28, end: 48, part: 14 },
    ]);
  });

  it('end where no pair is parted', () => {
    // two kinds in turn: pairs of rods that are two apart
    const crossed = Array.from({ length: 8 }, (_, q) => [
      [4 * q, 4 * q + 2],
      [4 * q + 1, 4 * q + 3],
    ]).flat();
    const ranges = divide(partsOf(crossed), 32, 2, true);
    expect(ranges.cuts.rods).toEqual([0, 4, 8, 12, 16, 20, 24, 28, 32]);
    expect(ranges.cuts.parts).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16]);
    expect([...ranges.rods]).toEqual([0, 16, 32]);
    move(ranges, [0, 18.5, 32]);
    expect([...ranges.rods]).toEqual([0, 20, 32]);
    expect([...ranges.parts]).toEqual([0, 10, 16]);
  });

  it('are one where rods cannot be parted', () => {
    const ranges = divide(
      partsOf([
        [0, 3],
        [1, 2],
      ]),
      4,
      2,
      true,
    );
    expect([...ranges.rods]).toEqual([0, 4]);
    expect(ranges.compiled.length).toBe(1);
  });

  it('have a thread for each where rods are in no ranges, and stay', () => {
    const ranges = divide(partsOf(pairs(6)), 12, 3, false);
    expect([...ranges.parts]).toEqual([0, 2, 4, 6]);
    expect(ranges.compiled.map(({ first, end }) => [first, end])).toEqual([
      [0, 12],
      [0, 12],
      [0, 12],
    ]);
    expect(move(ranges, [0, 1, 2, 3])).toEqual([]);
    expect([...ranges.parts]).toEqual([0, 2, 4, 6]);
  });

  it('go as far as threads have compiled, and tell who got what', () => {
    const ranges = divide(partsOf(pairs(24)), 48, 3, true);
    expect(move(ranges, [0, 13.2, 47, 48])).toEqual([
      [1, 14, 16],
      [1, 32, 36],
    ]);
    expect([...ranges.rods]).toEqual([0, 14, 36, 48]);
    expect([...ranges.parts]).toEqual([0, 7, 18, 24]);
    // the caller may have all but the last places
    expect(move(ranges, [0, 60, 60, 48])).toEqual([[0, 14, 34]]);
    expect([...ranges.rods]).toEqual([0, 34, 36, 48]);
    expect(move(ranges, [0, -5, -5, 48])).toEqual([
      [1, 12, 28],
      [2, 28, 36],
    ]);
    expect([...ranges.rods]).toEqual([0, 12, 28, 48]);
  });
});

describe('balance', () => {
  it('comes to where all take as long as each other', () => {
    // the first 300 rods take three times as long as others
    const cost = (from: number, to: number): number => {
      let sum = 0;
      for (let r = from; r < to; r++) sum += r < 300 ? 3 : 1;
      return sum;
    };
    const ranges = divide(partsOf(pairs(500)), 1000, 3, true);
    for (let k = 0; k < 12; k++) {
      const busy = [0, 1, 2].map((i) => cost(ranges.rods[i], ranges.rods[i + 1]));
      move(ranges, balanceByTime(ranges.rods, busy));
    }
    // of 1600: 533 at rod 178, 1067 at rod 467, if only the second thread had compiled as many
    expect(ranges.rods[1]).toBe(ranges.compiled[1].first);
    expect(ranges.rods[1]).toBeLessThan(260);
    const free = Array.from({ length: 4 }, (_, k) => Math.round((1000 * k) / 3));
    for (let k = 0; k < 30; k++) {
      const busy = [0, 1, 2].map((i) => cost(free[i], free[i + 1]));
      balanceByTime(free, busy).forEach((bound, i) => {
        free[i] = Math.round(bound);
      });
    }
    expect(Math.abs(free[1] - 178)).toBeLessThan(6);
    expect(Math.abs(free[2] - 467)).toBeLessThan(6);
  });

  it('leaves alone what is even, or not known', () => {
    expect(balanceByTime([0, 500, 1000], [1, 1.005])).toEqual([0, 500, 1000]);
    expect(balanceByTime([0, 500, 1000], [0, 0])).toEqual([0, 500, 1000]);
    expect(balanceByTime([0, 500, 1000], [0, 1])).toEqual([0, 625, 1000]);
  });
});
