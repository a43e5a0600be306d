/**
 * Pairs of edges that end a step deep in each other without a contact, since nothing predicted that they would meet. The step is then attempted again
 * with contacts for them; missedSweep.ts does the same for obstacles.
 */
import { PAIR_SLOTS } from './layout.ts';
import { hasPair, PAIR_MISSED, PASSING, placePair } from './pairSweeps.ts';
import { type EdgeName, meetEdges, type PairMeeting } from './pairs.ts';
import type { BatchRod } from './rod.ts';
import { firstPairOf, isPushed, pairEdgeOf, type Strand } from './strand.ts';

/** Attempts at a step in which pairs are missed: each has contacts for the pairs that those before it missed. */
export const ATTEMPTS = 3;

/** Whether a pair without a contact, as it moved, ends the step deep in each other, and whether it is about to pass. `sum`: of the radii [m]. */
export function judgeUnexpected(
  { near, gap, end }: Pick<PairMeeting, 'near' | 'gap' | 'end'>,
  sum: number,
): { readonly isDeep: boolean; readonly passes: boolean } {
  const isDeeper = (part: number, most: number): boolean => near < part * sum && gap > -most * sum && end < -part * sum;
  const passes = isDeeper(PASSING, 0.5 * PASSING);
  return { isDeep: passes || isDeeper(PAIR_MISSED, PAIR_MISSED), passes };
}

/** Two edges that end a step deep in each other without a contact, since nothing predicted that they would meet. */
export interface UnexpectedPair {
  readonly low: EdgeName;
  readonly high: EdgeName;
  readonly meeting: PairMeeting;
  /** Whether they are about to pass through each other. */
  readonly passes: boolean;
}

export const isSame = (a: EdgeName, b: EdgeName): boolean => a.strand === b.strand && a.edge === b.edge;

/** Pairs of a strand that nothing predicted; a pair may be found from both of its edges. */
export function findUnexpected(s: Strand): UnexpectedPair[] {
  const pairs = s.merged?.pairs;
  if (!pairs) return [];
  return pairs.candidates.flatMap((candidates, j) =>
    candidates.flatMap((other) => {
      const own: EdgeName = { strand: pairs.index, edge: j };
      const isLow = own.strand < other.strand || (own.strand === other.strand && j < other.edge);
      const [low, high] = isLow ? [own, other] : [other, own];
      if (pairs.partners[j].some((one) => one.isSet === 1 && isSame(one, other))) return [];
      const [lower, higher] = [low, high].map(({ strand, edge }) => pairEdgeOf(s, strand, edge, true));
      const meeting = meetEdges(lower, higher);
      const { isDeep, passes } = judgeUnexpected(meeting, lower.radius + higher.radius);
      return isDeep ? { low, high, meeting, passes } : [];
    }),
  );
}

/** Gives edge j of a strand a contact with another edge that nothing predicts. Returns whether there was a slot. */
function expectAt(s: Strand, j: number, other: EdgeName, meeting: PairMeeting): boolean {
  if (hasPair(s, j, other)) return true;
  for (let c = firstPairOf(s); c < firstPairOf(s) + PAIR_SLOTS; c++)
    if (!isPushed(s, j, c)) {
      placePair(s, j, c, other, meeting);
      return true;
    }
  return false;
}

/** Gives edges contacts that nothing predicts. Returns the strands that had no slot. */
export function expectPairs(strands: readonly BatchRod[], expected: readonly UnexpectedPair[]): number[] {
  return expected.flatMap(({ low, high, meeting }) => {
    const sides = [
      [low, high],
      [high, low],
    ] as const;
    return sides.flatMap(([own, other]) =>
      expectAt(strands[own.strand].strand, own.edge, other, meeting) ? [] : [own.strand],
    );
  });
}
