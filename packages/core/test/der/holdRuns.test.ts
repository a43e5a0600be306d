/** Starts of steps that are held in runs of rods are those that are held one by one. */
import { describe, expect, it } from 'vitest';
import { createHolder } from '../../src/models/der/holdRuns.ts';

const sizes = [3, 5, 2, 4, 1, 6];
const total = sizes.reduce((sum, size) => sum + size, 0);

function make(gap = 0): Parameters<typeof createHolder> {
  const fill = (length: number, value: number): Float64Array => Float64Array.from({ length }, (_, k) => value + k);
  const state = { q: fill(total, 100), v: fill(total, 200), memory: fill(2 * total, 300) };
  const held = { q: new Float64Array(total), v: new Float64Array(total), memory: new Float64Array(2 * total) };
  let at = gap;
  const starts = sizes.map((size) => {
    const views = {
      q: held.q.subarray(at, at + size),
      v: held.v.subarray(at, at + size),
      memory: held.memory.subarray(2 * at, 2 * (at + size)),
    };
    at += size;
    return views;
  });
  return [held, state, starts];
}

describe('the start of a step', () => {
  it.each([
    [[1, 1, 1, 1, 1, 1]],
    [[0, 1, 1, 0, 1, 0]],
    [[1, 0, 0, 0, 1, 1]],
    [[0, 0, 0, 0, 0, 0]],
    [[1, 1, 1]],
    [[0, 1]],
  ])('of rods %j', (marks) => {
    const [held, state, starts] = make();
    createHolder(held, state, starts)?.(Uint8Array.from(marks));
    let at = 0;
    sizes.forEach((size, k) => {
      const want = (list: Float64Array, from: number, to: number): number[] =>
        marks[k] ? [...list.subarray(from, to)] : Array(to - from).fill(0);
      expect([...starts[k].q]).toEqual(want(state.q, at, at + size));
      expect([...starts[k].v]).toEqual(want(state.v, at, at + size));
      expect([...starts[k].memory]).toEqual(want(state.memory, 2 * at, 2 * (at + size)));
      at += size;
    });
  });

  it('is held one by one where rods do not lie in a row', () => {
    expect(createHolder(...make(1))).toBeUndefined();
    const [held, state, starts] = make();
    expect(createHolder(held, state, [starts[1], starts[0]])).toBeUndefined();
  });
});
