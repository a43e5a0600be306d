/** Places that do not meet what they are joined to: links and welds. */
import type { LinkPlan } from '../scene/links.ts';
import { measureDistance } from './collider.ts';
import { type Finder, gather } from './find.ts';

/** Distance and normal of a weld. */
const distanceAt = new Float64Array(4);

/** What a link joins lies within each other there: pairs of edges nearer to it than they are thick are no contact. */
export function exemptLink(finder: Finder, { rodA, edgeA, weightA, rodB, edgeB, weightB }: LinkPlan): void {
  const { rods, edgeCount, edgeLength, edgeArc, edgeOffset, pairRadius } = finder;
  const a = edgeOffset[rodA];
  const b = edgeOffset[rodB];
  const reach = 1.5 * (pairRadius[a + edgeA] + pairRadius[b + edgeB]);
  const near = (rod: number, first: number, edge: number, weight: number): { edge: number; from: number }[] => {
    const { length, closed, nodeArc, edgeLengthRest } = rods[rod];
    const place = nodeArc[edge] + weight * edgeLengthRest[edge];
    return Array.from({ length: rods[rod].edgeCount }, (_, j) => {
      let arc = Math.abs(edgeArc[first + j] - place);
      if (closed) arc = Math.min(arc, length - arc);
      return { edge: first + j, from: Math.max(0, arc - 0.5 * edgeLength[first + j]) };
    }).filter(({ from }) => from < reach);
  };
  for (const one of near(rodA, a, edgeA, weightA))
    for (const other of near(rodB, b, edgeB, weightB)) {
      if (Math.hypot(one.from, other.from) >= reach) continue;
      finder.joined.add(Math.min(one.edge, other.edge) * edgeCount + Math.max(one.edge, other.edge));
    }
}

/** What is welded to one body touches there all the time: it does not count as contact. */
export function exemptWelds(finder: Finder): void {
  const { rods, rules, colliders, nodeOffset } = finder;
  gather(finder);
  for (const { rod, node, body } of rules.welded) {
    const { length, closed, nodeArc } = rods[rod];
    for (let e = finder.edgeOffset[rod]; e < finder.edgeOffset[rod + 1]; e++) {
      let arc = Math.abs(finder.edgeArc[e] - nodeArc[node]);
      if (closed) arc = Math.min(arc, length - arc);
      if (arc < Math.PI * finder.pairRadius[e] + finder.edgeLength[e]) finder.edgeBody[e] = body;
    }
  }
  colliders.forEach((collider, k) => {
    const own = rules.welded.filter(({ body }) => body === collider.body);
    if (collider.body < 0 || own.length === 0) return;
    finder.exempt[k] = new Uint8Array(finder.nodeCount);
    for (const { rod, node } of own) {
      finder.exempt[k][nodeOffset[rod] + node] = 1;
      for (let i = nodeOffset[rod]; i < nodeOffset[rod + 1]; i++) {
        const x = finder.position;
        measureDistance(distanceAt, collider, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
        if (distanceAt[0] < finder.nodeRadius[i]) finder.exempt[k][i] = 1;
      }
    }
  });
}
