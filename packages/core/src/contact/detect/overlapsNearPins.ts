/**
 * Overlaps beside pins: how fast they may be pushed apart.
 *
 * What overlaps is pushed apart by a twentieth of a radius a step at most (sideVelocities.ts). That is gentle where rods are free. A thousandth of an edge from a
 * pin it moves the far end of the edge by fifty radii: among 60 hairs of 10 edges that crossed each other in a bundle, pinned at their roots, two had
 * such a place, whose impulse grew to thousands of N s; what flew about hit all others, and the first step was cut into pieces for
 * minutes. The same hairs without pins take a second a step.
 *
 * So the node that moves most is what goes by a twentieth. Where rods would have to be turned by more than STEEP about their pins to come
 * apart (hair whose roots stand closer than it is thick), they are pushed less, and by twice that left alone: at the pins themselves nothing could be
 * moved. (Held where they are, but not pushed, they kept the other contacts from converging: such a place answers a millionth as much.) And an edge that
 * ends at a pin has one node to move, which cannot please all: of three that lie upon each other in a circle none can be pushed away, and impulses grew
 * without end. So deeper than SHALLOW radii it is not pushed, but held; what is pushed beyond it takes it along. Rods that are held inside
 * obstacles are left alone in embeddedRoots.ts.
 */

import type { ContactSet } from '../contactSet.ts';
import type { Finder } from './finderData.ts';

/** Depth over the way along the rod to the pin. */
const STEEP = 0.1;

/** In radii. */
const SHALLOW = 0.1;

/** Way along its rod from every node to the nearest that pins hold [m], infinite where there is none; after `nodeHeld` was written. */
export function measurePinDistances({ rods, nodeOffset, nodeHeld, pinDistance }: Finder): void {
  rods.forEach(({ nodeCount, edgeCount, edgeLengthRest, closed }, r) => {
    const first = nodeOffset[r];
    for (let i = first; i < first + nodeCount; i++) pinDistance[i] = nodeHeld[i] ? 0 : Number.POSITIVE_INFINITY;
    const pass = (edge: number, from: number, to: number): void => {
      pinDistance[first + to] = Math.min(pinDistance[first + to], pinDistance[first + from] + edgeLengthRest[edge]);
    };
    // there and back; once more round, where it is closed
    for (let turn = closed ? 2 : 1; turn > 0; turn--) {
      for (let e = 0; e < edgeCount; e++) pass(e, e, (e + 1) % nodeCount);
      for (let e = edgeCount - 1; e >= 0; e--) pass(e, (e + 1) % nodeCount, e);
    }
  });
}

/** Way along its rod from a place to the nearest pin [m]. */
function pinDistanceAt(
  { edgeFirst, edgeSecond, edgeLength, pinDistance }: Finder,
  edge: number,
  weight: number,
): number {
  const [before, after] = [pinDistance[edgeFirst[edge]], pinDistance[edgeSecond[edge]]];
  return Math.min(before + weight * edgeLength[edge], after + (1 - weight) * edgeLength[edge]);
}

/** Whether two places that overlap are left alone: both would have to be turned too far about their pins. */
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

/** What a place may be pushed by, from 0 to 1, on account of the pins of its rod. */
function limitPushOfPlace(finder: Finder, edge: number, weight: number, depth: number, size: number): number {
  const { edgeFirst, edgeSecond, nodeHeld } = finder;
  const [a, b] = [nodeHeld[edgeFirst[edge]], nodeHeld[edgeSecond[edge]]];
  const turn = Math.min(1, Math.max(0, 2 - depth / (STEEP * pinDistanceAt(finder, edge, weight))));
  const free = (a ? 0 : 1 - weight) + (b ? 0 : weight);
  if (free === 1) return turn;
  return Math.min(free * Math.min(1, Math.max(0, 2 - depth / (SHALLOW * size))), turn);
}

/** What contact c may be pushed by, which begins with an overlap: as the side can move that can move more. */
export function limitPush(finder: Finder, set: ContactSet, c: number): number {
  const { edgeOffset, colliders } = finder;
  const depth = -set.gap[c];
  const size = set.size[c];
  if (set.collider[c] >= 0 && colliders[set.collider[c]].body >= 0) return 1;
  const ease = limitPushOfPlace(finder, edgeOffset[set.rodA[c]] + set.edgeA[c], set.weightA[c], depth, size);
  if (ease === 1 || set.rodB[c] < 0) return ease;
  return Math.max(ease, limitPushOfPlace(finder, edgeOffset[set.rodB[c]] + set.edgeB[c], set.weightB[c], depth, size));
}
