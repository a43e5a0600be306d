/** A point of a rod that may collide with obstacles: its radius, whether an obstacle ignores it, and its contact. */

import { type ContactSet, FEATURE_LIMIT } from '../contactSet.ts';
import type { Collider } from '../shapes/collider.ts';
import { type ColliderFinder, featureOf } from './finderData.ts';

/** Radius of the rod at a point [m]; at a node, that of the thicker edge. */
export function radiusAt(
  { edgeFirst, edgeSecond, edgeRadius, nodeRadius }: ColliderFinder,
  edge: number,
  weight: number,
): number {
  if (weight > 0 && weight < 1) return edgeRadius[edge];
  return nodeRadius[weight === 0 ? edgeFirst[edge] : edgeSecond[edge]];
}

/** Reference length for gaps [m]: the radius, or a fraction of the edge length for a rod without thickness. */
export function sizeAt({ edgeLength }: ColliderFinder, edge: number, radius: number): number {
  return radius > 0 ? radius : 0.01 * edgeLength[edge];
}

/** True if a collider ignores the point: it is welded to the collider's body, or part of an embedded root. */
export function isExempt(
  { exempt, edgeFirst, edgeSecond }: ColliderFinder,
  index: number,
  edge: number,
  weight: number,
): boolean {
  const nodes = exempt[index];
  if (nodes.length === 0) return false;
  return (weight < 1 && nodes[edgeFirst[edge]] > 0) || (weight > 0 && nodes[edgeSecond[edge]] > 0);
}

/** Writes the partners of contact i, and the properties that do not depend on how they meet. */
export function writeColliderPair(
  finder: ColliderFinder,
  set: ContactSet,
  i: number,
  collider: Collider,
  index: number,
  edge: number,
  weight: number,
  size: number,
): void {
  set.key[i] = featureOf(finder, edge, weight) * FEATURE_LIMIT + 2 * finder.nodeCount + index;
  set.rodA[i] = finder.edgeRod[edge];
  set.edgeA[i] = finder.edgeIndex[edge];
  set.weightA[i] = weight;
  set.collider[i] = index;
  set.size[i] = size;
  set.staticFriction[i] = collider.staticFriction * finder.edgeFriction[edge];
  set.dynamicFriction[i] = collider.dynamicFriction * finder.edgeFriction[edge];
}
