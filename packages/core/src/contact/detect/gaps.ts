/**
 * Gaps of contacts at the current positions.
 *
 * The solver uses the gap of the step's start along the contact normal. For a contact found during the step, that normal belongs to its end, and the
 * number does not measure an overlap: for hair swept past other hair it was −2.4 mm, eight radii, at an overlap of 11 µm. So gaps are measured
 * again, but only when an observer asks for them.
 *
 * Contact points slide within a step, so a contact in the interior of an edge is measured at the edge's closest point now.
 */

import type { ContactSet } from '../contactSet.ts';
import { type Collider, findClosest, measureDistanceIn, placeCollider } from '../shapes/collider.ts';
import { measureMoving } from './edgePairs.ts';
import { type Finder, interpolate } from './finderData.ts';
import { radiusAt } from './rodPoint.ts';

/** The nodes of the first edge, and of the second. */
const nodes = new Float64Array(12);
const weights = new Float64Array(2);
const place = new Float64Array(3);
const distanceAt = new Float64Array(4);

/** Replaces the gap of every contact by that at the current time t [m]. Places the colliders, as the next step does again. */
export function measureGaps(finder: Finder, set: ContactSet, t: number): void {
  const placed = new Set<Collider>();
  for (let c = 0; c < set.count; c++) {
    copyEdge(0, finder, set.rodA[c], set.edgeA[c]);
    if (set.collider[c] < 0) {
      copyEdge(6, finder, set.rodB[c], set.edgeB[c]);
      set.gap[c] = gapOfEdges(finder, set, c);
      continue;
    }
    const collider = finder.colliders[set.collider[c]];
    if (!placed.has(collider)) placeCollider(collider, t, 0);
    placed.add(collider);
    set.gap[c] = gapToCollider(finder, set, c, collider);
  }
}

function copyEdge(to: number, { rods, samples }: Finder, rod: number, edge: number): void {
  const x = samples[rod].nodePosition;
  const a = 3 * edge;
  const b = 3 * ((edge + 1) % rods[rod].nodeCount);
  for (let k = 0; k < 3; k++) {
    nodes[to + k] = x[a + k];
    nodes[to + 3 + k] = x[b + k];
  }
}

function gapOfEdges({ edgeOffset, pairRadius }: Finder, { rodA, edgeA, rodB, edgeB }: ContactSet, c: number): number {
  const reach = pairRadius[edgeOffset[rodA[c]] + edgeA[c]] + pairRadius[edgeOffset[rodB[c]] + edgeB[c]];
  return measureMoving(weights, nodes, nodes, 0, 0, 3, 6, 9) - reach;
}

function gapToCollider(finder: Finder, { rodA, edgeA, weightA }: ContactSet, c: number, collider: Collider): number {
  const weight = weightA[c];
  let distance = distanceTo(collider, weight);
  // the search along the edge may find a larger distance than the one at the old point
  if (weight > 0 && weight < 1) distance = Math.min(distance, distanceTo(collider, findClosest(collider, nodes, 0, 3)));
  return distance - radiusAt(finder, finder.edgeOffset[rodA[c]] + edgeA[c], weight);
}

function distanceTo(collider: Collider, weight: number): number {
  for (let k = 0; k < 3; k++) place[k] = interpolate(nodes, 0, 3, weight, k);
  measureDistanceIn(distanceAt, collider, collider.now, place, 0);
  return distanceAt[0];
}
