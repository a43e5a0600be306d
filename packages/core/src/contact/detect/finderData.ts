/** Data for contact detection: all nodes and edges of a scene in flat arrays, and small queries on them. */
import { isBroken, type Samples } from '../../port.ts';
import type { Pin, Rod } from '../../scene/compiled.ts';
import type { LinkPlan } from '../../scene/links.ts';
import type { IntList } from '../shapes/boxTree.ts';
import type { ChangingFriction, Collider } from '../shapes/collider.ts';
import type { FinderRows } from './finderArrays.ts';
import type { PathTree } from './sweptTree.ts';

/**
 * How a rod takes part in a search (`FinderRows.rodRole`): not at all; only as the partner of searched rods; contacts are searched along it.
 */
export const IGNORED = 0;
export const PARTNER = 1;
export const SEARCHED = 2;

export interface RodRules {
  /** True if rods collide with other rods, and with themselves. */
  readonly pairs: boolean;
  readonly self: boolean;
  /** Friction at the end of the current step. */
  staticFriction: number;
  dynamicFriction: number;
  readonly changingFriction?: ChangingFriction;
  /** Contact radius between rods [m]; 0: the radius of the cross-section. */
  readonly radius: number;
  /** Distance [m] beyond touching at which contacts are needed: the range of a repulsion field. */
  readonly reach: number;
  /** Pins that hold all components of a node's position, and the node's index among all nodes. */
  readonly pinned: readonly { readonly pin: Pin; readonly node: number }[];
  /** Pins that hold some components. */
  readonly partlyPinned: readonly { readonly pin: Pin; readonly node: number }[];
  /** Nodes that are welded to bodies. */
  readonly welded: readonly { readonly rod: number; readonly node: number; readonly body: number }[];
  /** Links between rods. */
  readonly linked: readonly LinkPlan[];
}

export interface Finder extends FinderRows {
  readonly rods: readonly Rod[];
  readonly samples: readonly Samples[];
  readonly colliders: readonly Collider[];
  readonly rules: RodRules;
  /** Acceleration that acts on everything [m/s²], and its magnitude. */
  readonly gravity: readonly number[];
  readonly acceleration: number;
  readonly nodeCount: number;
  readonly edgeCount: number;
  /** Rest arc length at the middle of the edge [m]. */
  readonly edgeArc: Float64Array;
  /** Growth of the contact radius over the current step [m]; absent unless a radius changes in time. */
  readonly edgeGrowth?: Float64Array;
  /** Contact radius against rods [m]. */
  readonly pairRadius: Float64Array;
  /** Distance along the rod to the nearest pinned node [m]. */
  readonly pinDistance: Float64Array;
  /** Body to which the edge is welded nearby, so that it does not collide with other edges at that weld; −1 for none. */
  readonly edgeBody: Int32Array;
  /** Pairs of edges without contact because a link joins them; numbered as in `pairs`, the lower edge first. */
  readonly joined: Set<number>;
  /** For each collider: nonzero for nodes that it ignores: welded inside its body, or next to a pin inside it (embeddedRoots.ts). */
  readonly exempt: Uint8Array[];
  /** Rods that are pinned inside obstacles. */
  roots: readonly Root[];
  readonly near: NearPairs;
  /** Candidate pairs of edges as sorted numbers, first·edgeCount + second, without duplicates. */
  pairs: Float64Array;
  pairCount: number;
}

/** Data for detecting contacts with obstacles; also available to threads. */
export interface ColliderFinder
  extends FinderRows,
    Pick<Finder, 'colliders' | 'gravity' | 'acceleration' | 'nodeCount' | 'exempt'> {
  readonly rules: Pick<RodRules, 'reach'>;
}

/** Reads current positions and velocities of all nodes, and which edges are broken. */
export function gather(finder: Finder): void {
  const { rods, samples, nodeOffset, edgeOffset, edgeBroken, position, velocity } = finder;
  for (let r = 0; r < samples.length; r++) {
    if (rods[r].strength)
      for (let j = 0; j < rods[r].edgeCount; j++) edgeBroken[edgeOffset[r] + j] = isBroken(samples[r], j) ? 1 : 0;
    position.set(samples[r].nodePosition, 3 * nodeOffset[r]);
    velocity.set(samples[r].nodeVelocity, 3 * nodeOffset[r]);
  }
}

/**
 * True if pins hold a point of an edge along the normal: nothing can move it there, and it gets no contact. Pin and obstacle would share a force that
 * nothing divides between them.
 */
export function isHeldAlong(
  finder: ColliderFinder,
  edge: number,
  weight: number,
  normal: ArrayLike<number>,
  at = 0,
): boolean {
  const { edgeFirst, edgeSecond } = finder;
  if (weight < 1 && !isNodeHeldAlong(finder, edgeFirst[edge], normal, at)) return false;
  return weight === 0 || isNodeHeldAlong(finder, edgeSecond[edge], normal, at);
}

/** True if pins hold a node along the normal; `at`: where the normal starts in its array. */
export function isNodeHeldAlong(
  { nodeHeld, nodeHeldAxes }: FinderRows,
  node: number,
  normal: ArrayLike<number>,
  at: number,
): boolean {
  if (nodeHeld[node] === 1) return true;
  const axes = nodeHeldAxes[node];
  if (axes === 0) return false;
  for (let k = 0; k < 3; k++) if ((axes & (1 << k)) === 0 && Math.abs(normal[at + k]) > 1e-6) return false;
  return true;
}

/** Feature of a point of an edge. */
export function featureOf(finder: ColliderFinder, edge: number, weight: number): number {
  if (weight === 0) return 2 * finder.edgeFirst[edge];
  return weight === 1 ? 2 * finder.edgeSecond[edge] : 2 * finder.edgeFirst[edge] + 1;
}

/** Component k between the points at a and b. */
export const interpolate = (x: Float64Array, a: number, b: number, w: number, k: number): number =>
  (1 - w) * x[a + k] + w * x[b + k];

/** True if a gap may close in the step. */
export function isNear(gap: number, approach: number, size: number, acceleration: number, dt: number): boolean {
  return gap + dt * Math.min(0, 1.25 * approach) - acceleration * dt * dt < 0.1 * size;
}

export interface Root {
  readonly collider: number;
  readonly rod: number;
  /** The pinned node, and all nodes that are ignored with it, as indices among all nodes. */
  readonly held: number;
  readonly nodes: readonly number[];
  /** Length of rod that is ignored [m]. */
  readonly reach: number;
  /** True while this applies. */
  active: boolean;
}

export interface NearPairs {
  readonly tree: PathTree;
  /** Two edges each; pairs may occur more than once. */
  readonly list: IntList;
  /** Length of the list after the last search of the tree. */
  searched: number;
  /** Number of tree searches and of single-edge lookups so far. */
  searches: number;
  lookUps: number;
  /** Positions of the nodes at the end of the step if they keep their velocities [m]. */
  readonly predicted: Float64Array;
  /** Error of that prediction in the last step [m]: the boxes of the next step allow for as much. */
  readonly predictionError: Float32Array;
  /** Edges that have left their boxes. */
  readonly escaped: IntList;
  /** 1 for each of these edges, while their neighbours are looked up. */
  readonly hasEscaped: Uint8Array;
  readonly found: IntList;
}
