/**
 * States of a run at the times of its frames, from which it can continue under other values. Bounded: if there is no room, some of the
 * older states go, as the page does with frames.
 */
import type { WorldState } from '@tendril-sim/core';
import { thinOut } from '../thinning.ts';

export interface Checkpoint {
  readonly time: number;
  /** One for each lane; none of a lane that does not run. */
  readonly states: readonly (WorldState | undefined)[];
}

export interface Checkpoints {
  clear(): void;
  add(checkpoint: Checkpoint): void;
  /** The last at or before a time [s]. */
  before(time: number): Checkpoint | undefined;
}

const byteLimit = 64 * 1024 * 1024;

const sizeOf = ({ states }: Checkpoint): number =>
  states.reduce(
    (sum, state) =>
      sum +
      (state?.bundles.reduce((all, { q, v, memory }) => all + q.byteLength + v.byteLength + memory.byteLength, 0) ??
        0) +
      (state?.contact?.byteLength ?? 0) +
      200,
    0,
  );

export function createCheckpoints(limit: number = byteLimit): Checkpoints {
  let list: Checkpoint[] = [];
  let bytes = 0;
  return {
    clear() {
      list = [];
      bytes = 0;
    },
    add(checkpoint) {
      const last = list[list.length - 1];
      if (last && last.time >= checkpoint.time) {
        list = list.filter(({ time }) => time < checkpoint.time);
        bytes = list.reduce((sum, one) => sum + sizeOf(one), 0);
      }
      list.push(checkpoint);
      bytes += sizeOf(checkpoint);
      if (bytes <= limit || list.length < 8) return;
      list = thinOut(list);
      bytes = list.reduce((sum, one) => sum + sizeOf(one), 0);
    },
    before(time) {
      // times of frames are kept in single precision here and there
      const latest = time + 1e-6 * Math.abs(time);
      let found: Checkpoint | undefined;
      for (const one of list) if (one.time <= latest) found = one;
      return found;
    },
  };
}
