/** The solver's loops over many numbers: whoever does which blocks, the bits are the same, and they solve what they should. */
import { describe, expect, it } from 'vitest';
import { accelerate, measure, runLoop, startMixing } from '../../src/contact/solve/anderson.ts';
import {
  BLOCK,
  countBlocks,
  cutMixRows,
  type IterateRows,
  type MixRows,
  mixBytes,
  WINDOW,
} from '../../src/contact/solve/vectorLoops.ts';
import type { SharedLoops } from '../../src/threads/contactThreads.ts';

const size = 3 * BLOCK + 77;

function createTurn(): IterateRows {
  const make = (phase: number): Float64Array =>
    Float64Array.from({ length: size }, (_, i) => Math.sin(phase + 1.7 * i));
  return { reached: make(0), velocityChange: make(1), copy: make(2), lawInput: make(3) };
}

/** As if several threads did it, the last first. */
function inShares(turn: IterateRows, cuts: readonly number[]): SharedLoops {
  let buffer = new ArrayBuffer(0);
  return {
    memory(bytes) {
      buffer = new ArrayBuffer(bytes);
      return buffer;
    },
    lawMemory: () => buffer,
    coarseMemory: () => buffer,
    runLaw: () => 0,
    runLinks: () => 0,
    run({ capacity, window, ...loop }) {
      const rows: MixRows = cutMixRows(buffer, capacity, window);
      for (let k = cuts.length - 1; k > 0; k--) runLoop(rows, turn, { ...loop, from: cuts[k - 1], to: cuts[k] });
    },
  };
}

/** Turns of q ← q + f(q) for f = 1.7 (A q − q), A diagonal: its eigenvalues 0 to 0.9. */
function iterate(turn: IterateRows, shared: SharedLoops | undefined, turns: number): number[] {
  const mixing = startMixing(turn, size, false, shared);
  for (let i = 0; i < size; i++) mixing.rows.weight[i] = 1 + (i % 3);
  mixing.rows.inverseTolerance.fill(2, 0, size);
  const errors: number[] = [];
  for (let k = 0; k < turns; k++) {
    for (let i = 0; i < size; i++) {
      turn.copy[i] = turn.lawInput[i];
      turn.velocityChange[i] = 0.9 * ((i % 10) / 10) * turn.lawInput[i] - turn.reached[i];
    }
    const { norm, error, miss } = measure(mixing);
    expect(miss).toBe(2 * error);
    errors.push(error);
    accelerate(mixing, norm);
  }
  return errors;
}

describe('loops of the contact solver', () => {
  it('cover all numbers', () => {
    expect(countBlocks(size)).toBe(4);
    expect(cutMixRows(new ArrayBuffer(mixBytes(size, WINDOW)), size, WINDOW).weight.length).toBe(size);
  });

  it.each([[[0, 4]], [[0, 1, 4]], [[0, 0, 2, 3, 4]]])('give the same bits in shares %j', (cuts) => {
    const alone = createTurn();
    const shared = createTurn();
    const expected = iterate(alone, undefined, 9);
    expect(iterate(shared, inShares(shared, cuts), 9)).toEqual(expected);
    expect(shared.lawInput).toEqual(alone.lawInput);
    // numbers move, and mixing is worth it: plain turns would leave 0.847⁸ of the slowest part
    expect(expected[8]).toBeLessThan(0.05 * expected[0]);
    expect(expected[8]).toBeGreaterThan(0);
  });
});
