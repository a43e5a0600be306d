/** Finds pairs that nothing predicted (../unexpectedPairs.ts), with the kernels. */
import { judgeUnexpected } from '../unexpectedPairs.ts';
import { AT, type PairList, placeOf, takeTest, testCandidates } from './pairList.ts';
import type { Candidates } from './pairMemory.ts';

export interface UnexpectedPair {
  /** First nodes of its edges. */
  readonly low: number;
  readonly high: number;
  readonly test: Float32Array;
  /** Whether they are about to pass through each other. */
  readonly passes: boolean;
}

/** Tests all candidates that have no contact, with the displacements of the step. */
export function findUnexpected(list: PairList, candidates: Candidates): UnexpectedPair[] {
  const { memory } = list;
  const { pairs, floats } = memory;
  const words = new Int32Array(floats.buffer);
  const found: UnexpectedPair[] = [];
  let next = 0;
  testCandidates(list, candidates, (n, k) => {
    const low = candidates.edges[2 * n];
    const high = candidates.edges[2 * n + 1];
    // both lists have the same order
    let order = -1;
    for (; next < list.count && order < 0; next++) {
      const own = pairs.list / 4 + placeOf(next);
      order = words[own + AT.low] - low || words[own + AT.high] - high;
      if (order >= 0) break;
    }
    if (order === 0) return;
    const o = pairs.tested / 4 + placeOf(k);
    const end = floats[o + AT.end];
    // most candidates are apart
    if (end >= 0) return;
    const { isDeep, passes } = judgeUnexpected(
      { near: floats[o + AT.near], gap: floats[o + AT.gap], end },
      floats[o + AT.sum],
    );
    if (isDeep) found.push({ low, high, test: takeTest(memory, k), passes });
  });
  return found;
}
