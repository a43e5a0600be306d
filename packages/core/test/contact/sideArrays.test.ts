import { describe, expect, it } from 'vitest';
import {
  bytesOf,
  contactBytes,
  createBufferPool,
  cutContactRows,
  cutRows,
} from '../../src/contact/solve/sideArrays.ts';
import { copyWarmStart, WARM_START_STRIDE, type WarmStart } from '../../src/contact/warmStart.ts';

describe('the memory of sides', () => {
  it('is the same from one time to the next, all zero, and another for each slot', () => {
    const rooms = createBufferPool();
    const first = rooms.take(0, 100);
    new Uint8Array(first).fill(7);
    const other = rooms.take(1, 100);
    expect(other).not.toBe(first);
    const again = rooms.take(0, 80);
    expect(again).toBe(first);
    expect(new Uint8Array(again, 0, 80).every((value) => value === 0)).toBe(true);
    const larger = rooms.take(0, 1000);
    expect(larger.byteLength).toBeGreaterThanOrEqual(1000);
    expect(new Uint8Array(larger).every((value) => value === 0)).toBe(true);
  });

  it.each([1, 3] as const)('has room for all rows side by side, with %i numbers a side', (axes) => {
    const [sides, contacts] = [7, 5];
    for (const [rows, bytes] of [
      [cutRows(new ArrayBuffer(bytesOf(axes) * sides), sides, axes), bytesOf(axes) * sides],
      [
        cutContactRows(new ArrayBuffer(contactBytes(sides, contacts, axes)), sides, contacts, axes),
        contactBytes(sides, contacts, axes),
      ],
    ] as const) {
      const arrays = Object.values(rows) as (Float64Array | Int32Array)[];
      expect(arrays.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBe(bytes);
      // none lies over another
      arrays.forEach((array, k) => {
        array.fill(k + 1);
      });
      arrays.forEach((array, k) => {
        expect([...array].every((value) => value === k + 1)).toBe(true);
      });
    }
  });
});

describe('the warm start of an island that is stepped in pieces', () => {
  it('has the entries of its own rods, in order', () => {
    const from: WarmStart = { data: new Float64Array(200 * WARM_START_STRIDE), count: 200 };
    for (let m = 0; m < from.count; m++)
      for (let k = 0; k < WARM_START_STRIDE; k++) from.data[WARM_START_STRIDE * m + k] = k === 5 ? m % 9 : 100 * m + k;
    const to: WarmStart = { data: new Float64Array(0), count: 0 };
    for (const rods of [[1, 3], [0, 1, 2, 3, 4, 5], [4]]) {
      copyWarmStart(to, from, (rod) => rods.includes(rod));
      const wanted = [...Array(from.count).keys()].filter((m) => rods.includes(m % 9));
      expect(to.count).toBe(wanted.length);
      wanted.forEach((m, i) => {
        expect(to.data.subarray(WARM_START_STRIDE * i, WARM_START_STRIDE * (i + 1))).toEqual(
          from.data.subarray(WARM_START_STRIDE * m, WARM_START_STRIDE * (m + 1)),
        );
      });
    }
  });
});
