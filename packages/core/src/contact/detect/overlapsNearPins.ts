/**
 * Limits how fast overlaps beside pins are pushed apart.
 *
 * An overlap is pushed apart by at most a twentieth of a radius per step (sideVelocities.ts). Close to a pin, that would move the far end of the
 * edge by many radii. So the limit applies to the node that moves most. Rods that would have to turn too far about their pins to separate (hair
 * whose roots are closer than its thickness) are pushed less, or not at all. An edge that ends at a pin and overlaps deeper than SHALLOW radii is
 * held, not pushed. Reasons: docs/notes/contact-solver.md. Rods pinned inside colliders are exempt (embeddedRoots.ts).
 */

import type { ContactSet } from '../contactSet.ts';
import { type Finder, isNodeHeldAlong } from './finderData.ts';

/** Largest angle by which rods are turned about their pins: depth over the distance to the pin along the rod. */
const STEEP = 0.1;

/** Depth in radii up to which edges that end at pins are pushed. */
const SHALLOW = 0.1;

/** Writes the distance along its rod from every node to the nearest pinned one [m], infinite if there is none. Reads `nodeHeld`. */
export function measurePinDistances({ rods, nodeOffset, nodeHeld, pinDistance }: Finder): void {
  rods.forEach(({ nodeCount, edgeCount, edgeLengthRest, closed }, r) => {
    const first = nodeOffset[r];
    for (let i = first; i < first + nodeCount; i++) pinDistance[i] = nodeHeld[i] ? 0 : Number.POSITIVE_INFINITY;
    const pass = (edge: number, from: number, to: number): void => {
      pinDistance[first + to] = Math.min(pinDistance[first + to], pinDistance[first + from] + edgeLengthRest[edge]);
    };
    // forwards and backwards; closed rods once more
    for (let turn = closed ? 2 : 1; turn > 0; turn--) {
      for (let e = 0; e < edgeCount; e++) pass(e, e, (e + 1) % nodeCount);
      for (let e = edgeCount - 1; e >= 0; e--) pass(e, (e + 1) % nodeCount, e);
    }
  });
}

/** Distance along its rod from a point of an edge to the nearest pin [m]. */
function pinDistanceAt(
  { edgeFirst, edgeSecond, edgeLength, pinDistance }: Finder,
  edge: number,
  weight: number,
): number {
  const [before, after] = [pinDistance[edgeFirst[edge]], pinDistance[edgeSecond[edge]]];
  return Math.min(before + weight * edgeLength[edge], after + (1 - weight) * edgeLength[edge]);
}

/** True if an overlap is ignored because both rods would have to turn too far about their pins. */
export function areTooNearPins(
  finder: Finder,
  first: number,
  s: number,
  second: number,
  t: number,
  depth: number,
): boolean {
  const least = depth / (2 * STEEP);
  return pinDistanceAt(finder, first, s) <= least && pinDistanceAt(finder, second, t) <= least;
}

/** Fraction of the full push, from 0 to 1, that the pins of a rod allow at a point of an edge. */
function limitPushOfPlace(finder: Finder, set: ContactSet, c: number, edge: number, weight: number): number {
  const { edgeFirst, edgeSecond } = finder;
  const [depth, size] = [-set.gap[c], set.size[c]];
  const a = isNodeHeldAlong(finder, edgeFirst[edge], set.normal, 3 * c);
  const b = isNodeHeldAlong(finder, edgeSecond[edge], set.normal, 3 * c);
  const turn = Math.min(1, Math.max(0, 2 - depth / (STEEP * pinDistanceAt(finder, edge, weight))));
  const free = (a ? 0 : 1 - weight) + (b ? 0 : weight);
  if (free === 1) return turn;
  return Math.min(free * Math.min(1, Math.max(0, 2 - depth / (SHALLOW * size))), turn);
}

/** Fraction of the full push, from 0 to 1, for contact c, which overlaps: that of the side that can move more. */
export function limitPush(finder: Finder, set: ContactSet, c: number): number {
  const { edgeOffset, colliders } = finder;
  if (set.collider[c] >= 0 && colliders[set.collider[c]].body >= 0) return 1;
  const ease = limitPushOfPlace(finder, set, c, edgeOffset[set.rodA[c]] + set.edgeA[c], set.weightA[c]);
  if (ease === 1 || set.rodB[c] < 0) return ease;
  return Math.max(ease, limitPushOfPlace(finder, set, c, edgeOffset[set.rodB[c]] + set.edgeB[c], set.weightB[c]));
}
