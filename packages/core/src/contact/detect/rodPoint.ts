/** A point of a rod that may collide with a collider: its radius, whether the collider ignores it, and its contact. */

import { type ContactSet, FEATURE_LIMIT } from '../contactSet.ts';
import type { Collider } from '../shapes/collider.ts';
import { type ColliderFinder, featureOf } from './finderData.ts';

/** A search for contacts with one collider over one step. */
export interface ColliderPass {
  readonly finder: ColliderFinder;
  /** Contacts found are appended here. */
  readonly set: ContactSet;
  readonly collider: Collider;
  /** The collider's index in the scene. */
  readonly index: number;
  /** Start and length of the step [s]. */
  readonly t: number;
  readonly dt: number;
}

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
  { finder, set, collider, index }: ColliderPass,
  i: number,
  edge: number,
  weight: number,
): void {
  set.key[i] = featureOf(finder, edge, weight) * FEATURE_LIMIT + 2 * finder.nodeCount + index;
  set.rodA[i] = finder.edgeRod[edge];
  set.edgeA[i] = finder.edgeIndex[edge];
  set.weightA[i] = weight;
  set.collider[i] = index;
  set.size[i] = sizeAt(finder, edge, radiusAt(finder, edge, weight));
  set.staticFriction[i] = collider.staticFriction * finder.edgeFriction[edge];
  set.dynamicFriction[i] = collider.dynamicFriction * finder.edgeFriction[edge];
}
