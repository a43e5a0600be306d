/** Pairs without contact because links or welds join them. */
import { hypot } from '../../math/rounded/index.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { LinkPlan } from '../../scene/links.ts';
import { measureDistance } from '../shapes/collider.ts';
import { type Finder, gather } from './finderData.ts';

/** Pairs of edges around a link. */
export interface LinkFinder
  extends Pick<Finder, 'edgeCount' | 'edgeOffset' | 'edgeLength' | 'edgeArc' | 'pairRadius' | 'joined'> {
  readonly rods: readonly Pick<Rod, 'edgeCount' | 'edgeLengthRest' | 'nodeArc' | 'length' | 'closed'>[];
}

/** Distance and normal of a weld. */
const distanceAt = new Float64Array(4);

/** Edges of the rods of a link that are near it, and their distance along the rod. */
const nearA: { edge: number; from: number }[] = [];
const nearB: { edge: number; from: number }[] = [];

/** Lists the edges of a rod that begin within `reach` of a point on it. Searches outwards from the point: in a cloth every edge has a link. */
function listNear(
  out: { edge: number; from: number }[],
  { rods, edgeLength, edgeArc, edgeOffset }: LinkFinder,
  { rod, edge, weight }: { readonly rod: number; readonly edge: number; readonly weight: number },
  reach: number,
): void {
  const first = edgeOffset[rod];
  const { length, closed, nodeArc, edgeLengthRest, edgeCount } = rods[rod];
  const place = nodeArc[edge] + weight * edgeLengthRest[edge];
  out.length = 0;
  for (const step of [1, -1])
    for (let k = step > 0 ? 0 : 1; k < edgeCount; k++) {
      const beyond = edge + step * k;
      if (!closed && (beyond < 0 || beyond >= edgeCount)) break;
      const j = first + ((beyond + edgeCount) % edgeCount);
      let arc = Math.abs(edgeArc[j] - place);
      if (closed) arc = Math.min(arc, length - arc);
      const from = Math.max(0, arc - 0.5 * edgeLength[j]);
      if (!(from < reach)) break;
      out.push({ edge: j, from });
    }
}

/** Rods overlap at a link that joins them: pairs of edges closer to it than their thickness are not in contact. */
export function exemptLink(finder: LinkFinder, { rodA, edgeA, weightA, rodB, edgeB, weightB }: LinkPlan): void {
  const { edgeCount, edgeOffset, pairRadius } = finder;
  const a = edgeOffset[rodA];
  const b = edgeOffset[rodB];
  const reach = 1.5 * (pairRadius[a + edgeA] + pairRadius[b + edgeB]);
  listNear(nearA, finder, { rod: rodA, edge: edgeA, weight: weightA }, reach);
  listNear(nearB, finder, { rod: rodB, edge: edgeB, weight: weightB }, reach);
  for (const one of nearA)
    for (const other of nearB) {
      if (hypot(one.from, other.from) >= reach) continue;
      finder.joined.add(Math.min(one.edge, other.edge) * edgeCount + Math.max(one.edge, other.edge));
    }
}

/** Parts that are welded to the same body overlap there permanently: they are not in contact. */
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
