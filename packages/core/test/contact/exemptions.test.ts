/** Pairs of edges that a link keeps from meeting, against a look at all of them. */
import { describe, expect, it } from 'vitest';
import { exemptLink, type LinkFinder } from '../../src/contact/detect/exemptions.ts';
import type { LinkPlan } from '../../src/scene/links.ts';

/** Two rods of edges from 1 to 3 mm. */
function createRods(closed: boolean): LinkFinder {
  const counts = [23, 31];
  const edgeLength = Float64Array.from({ length: 54 }, (_, e) => 1e-3 * (1 + ((7 * e) % 5) / 2));
  const edgeArc = new Float64Array(54);
  let first = 0;
  const rods = counts.map((edgeCount) => {
    const edgeLengthRest = edgeLength.slice(first, first + edgeCount);
    const nodeArc = new Float64Array(edgeCount + 1);
    for (let j = 0; j < edgeCount; j++) {
      nodeArc[j + 1] = nodeArc[j] + edgeLengthRest[j];
      edgeArc[first + j] = nodeArc[j] + 0.5 * edgeLengthRest[j];
    }
    first += edgeCount;
    return { edgeCount, edgeLengthRest, nodeArc, length: nodeArc[edgeCount], closed };
  });
  const pairRadius = new Float64Array(54).fill(0.9e-3);
  const edgeOffset = Int32Array.of(0, 23, 54);
  return { rods, edgeCount: 54, edgeLength, edgeArc, edgeOffset, pairRadius, joined: new Set() };
}

function exemptByAll(finder: LinkFinder, { rodA, edgeA, weightA, rodB, edgeB, weightB }: LinkPlan): Set<number> {
  const { rods, edgeArc, edgeLength, edgeOffset, edgeCount, pairRadius } = finder;
  const reach = 3 * pairRadius[0];
  const distance = (rod: number, edge: number, weight: number, e: number): number => {
    const { nodeArc, edgeLengthRest, length, closed } = rods[rod];
    const arc = Math.abs(edgeArc[e] - (nodeArc[edge] + weight * edgeLengthRest[edge]));
    return Math.max(0, (closed ? Math.min(arc, length - arc) : arc) - 0.5 * edgeLength[e]);
  };
  const found = new Set<number>();
  for (let e = edgeOffset[rodA]; e < edgeOffset[rodA + 1]; e++)
    for (let f = edgeOffset[rodB]; f < edgeOffset[rodB + 1]; f++)
      if (Math.hypot(distance(rodA, edgeA, weightA, e), distance(rodB, edgeB, weightB, f)) < reach)
        found.add(Math.min(e, f) * edgeCount + Math.max(e, f));
  return found;
}

describe('edges near a link', () => {
  it.each([false, true])('are those that a look at all finds (closed: %s)', (closed) => {
    for (const [edgeA, edgeB] of [
      [0, 30],
      [22, 0],
      [11, 15],
    ]) {
      for (const weight of [0, 0.3, 1]) {
        const finder = createRods(closed);
        const plan = { rodA: 0, edgeA, weightA: weight, rodB: 1, edgeB, weightB: 1 - weight } as LinkPlan;
        exemptLink(finder, plan);
        const expected = exemptByAll(finder, plan);
        expect(expected.size).toBeGreaterThan(1);
        expect([...finder.joined].sort()).toEqual([...expected].sort());
      }
    }
  });
});
