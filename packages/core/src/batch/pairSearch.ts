/** Broad phase of contact between strands in double precision: lists edges that may touch within a step. The GPU uses a grid for the same. */
import { CANDIDATES } from './layout.ts';
import { approachOf, distanceOf, type EdgeName, type PairEdge, reachOf } from './pairs.ts';
import { pairEdgeOf, type Strand } from './strand.ts';

/** Edges are candidates if they are closer than this factor times their predicted approach, plus these shares of their displacements and of the sum of radii. */
export const SPARE_WAY = 1.5;
export const SPARE_ASIDE = 0.25;
export const SPARE_GAP = 0.5;

/** Rules for which edges may touch. */
export interface PairRules {
  /** True if a strand may touch itself. */
  readonly self: boolean;
}

interface SweptEdge extends EdgeName {
  readonly at: PairEdge;
  readonly low: readonly number[];
  readonly high: readonly number[];
}

function sweepEdge(s: Strand, { strand, edge }: EdgeName, isSolved: boolean): SweptEdge {
  const at = pairEdgeOf(s, strand, edge, isSolved);
  const ends = (pick: (...values: number[]) => number, sign: number): number[] =>
    [0, 1, 2].map((k) => {
      const way = (w: number): number => SPARE_WAY * w;
      const values = [
        at.first[k],
        at.second[k],
        at.first[k] + way(at.wayOfFirst[k]),
        at.second[k] + way(at.wayOfSecond[k]),
      ];
      return pick(...values) + sign * at.radius * (1 + SPARE_GAP);
    });
  return { strand, edge, at, low: ends(Math.min, -1), high: ends(Math.max, 1) };
}

/** True if edges of one strand are so far apart along it that they can touch only if it bends back; the rule of contact/detect. */
function isFarAlong(s: Strand, a: SweptEdge, b: SweptEdge): boolean {
  const [first, second] = a.edge < b.edge ? [a, b] : [b, a];
  let arc = 0;
  for (let j = first.edge + 1; j < second.edge; j++) arc += s.edgeLength[j];
  const ends = 0.5 * (s.edgeLength[first.edge] + s.edgeLength[second.edge]);
  return arc + ends > Math.PI * Math.max(a.at.radius, b.at.radius) + 1.001 * ends;
}

interface Candidate extends EdgeName {
  readonly distance: number;
}

function compareCandidates(a: Candidate, b: Candidate): number {
  return a.distance - b.distance || a.strand - b.strand || a.edge - b.edge;
}

/** Fills the candidates of every strand from the predicted displacements, or from those of the present iterate. */
export function findCandidates(
  strands: readonly Strand[],
  rules: PairRules,
  { isSolved = false }: { readonly isSolved?: boolean } = {},
): void {
  const edges = strands.flatMap((s, strand) =>
    Array.from({ length: s.edgeCount }, (_, edge) => sweepEdge(s, { strand, edge }, isSolved)),
  );
  edges.sort((a, b) => a.low[0] - b.low[0] || a.strand - b.strand || a.edge - b.edge);
  const found = strands.map(({ edgeCount }) => Array.from({ length: edgeCount }, (): Candidate[] => []));
  edges.forEach((a, n) => {
    for (let m = n + 1; m < edges.length && edges[m].low[0] <= a.high[0]; m++) {
      const b = edges[m];
      if (a.low[1] > b.high[1] || b.low[1] > a.high[1] || a.low[2] > b.high[2] || b.low[2] > a.high[2]) continue;
      if (a.strand === b.strand && !(rules.self && isFarAlong(strands[a.strand], a, b))) continue;
      const isLow = a.strand < b.strand || (a.strand === b.strand && a.edge < b.edge);
      const [low, high] = isLow ? [a.at, b.at] : [b.at, a.at];
      const distance = distanceOf(low, high);
      const reach = SPARE_WAY * approachOf(low, high) + SPARE_ASIDE * reachOf(low, high);
      if (distance > (1 + SPARE_GAP) * (low.radius + high.radius) + reach) continue;
      found[a.strand][a.edge].push({ strand: b.strand, edge: b.edge, distance });
      found[b.strand][b.edge].push({ strand: a.strand, edge: a.edge, distance });
    }
  });
  strands.forEach(({ merged }, k) => {
    if (merged?.pairs)
      merged.pairs.candidates = found[k].map((list) => list.sort(compareCandidates).slice(0, CANDIDATES));
  });
}
