/** What contacts are found by: all nodes and edges of a scene in flat arrays, and small questions about them. */
import type { Samples } from '../../port.ts';
import type { Pin, Rod } from '../../scene/compiled.ts';
import type { LinkPlan } from '../../scene/links.ts';
import type { IntList } from '../shapes/boxTree.ts';
import type { Collider } from '../shapes/collider.ts';
import type { FinderRows } from './finderArrays.ts';
import type { PathTree } from './sweptTree.ts';

/**
 * How a rod takes part in a search (`FinderRows.look`): it is not there; it is met only by rods that are searched; contacts are looked
 * for along it.
 */
export const IGNORED = 0;
export const PARTNER = 1;
export const SEARCHED = 2;

export interface RodRules {
  /** Whether rods meet rods, and themselves. */
  readonly pairs: boolean;
  readonly self: boolean;
  readonly staticFriction: number;
  readonly dynamicFriction: number;
  /** Radius at which rods meet rods [m]; 0: that of the section. */
  readonly radius: number;
  /** Distance [m] beyond touching at which contacts are wanted: that of a field of repulsion. */
  readonly reach: number;
  /** Pins that hold all of a node's position, and its number in the row of all nodes. */
  readonly pinned: readonly { readonly pin: Pin; readonly node: number }[];
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
  /** Acceleration that acts on everything [m/s²], and its size. */
  readonly gravity: readonly number[];
  readonly acceleration: number;
  readonly nodeCount: number;
  readonly edgeCount: number;
  /** Rest arc length at the middle of the edge [m]. */
  readonly edgeArc: Float64Array;
  /** Against rods [m]. */
  readonly pairRadius: Float64Array;
  /** Way along the rod to the nearest node that is held [m]. */
  readonly pinDistance: Float64Array;
  /** Body that an edge is so near the weld of that it does not meet others there, −1 for none. */
  readonly edgeBody: Int32Array;
  /** Pairs of edges that a link holds so near each other that they do not meet, as numbers like those in `pairs`, the lower first. */
  readonly joined: Set<number>;
  /** For each collider: not 0 for nodes that it leaves alone: welded inside the body it rides on, or next to a pin inside it (embeddedRoots.ts). */
  readonly exempt: Uint8Array[];
  /** Rods that are held inside obstacles. */
  roots: readonly Root[];
  readonly near: NearPairs;
  /** Pairs of edges that have something to do with each other as sorted numbers, first·edgeCount + second, each once. */
  pairs: Float64Array;
  pairCount: number;
}

/** What contacts with obstacles are found by: threads know this much. */
export interface ColliderFinder
  extends FinderRows,
    Pick<Finder, 'colliders' | 'gravity' | 'acceleration' | 'nodeCount' | 'exempt'> {
  readonly rules: Pick<RodRules, 'reach'>;
}

/** Positions and velocities of all nodes now. */
export function gather(finder: Finder): void {
  const { samples, nodeOffset, position, velocity } = finder;
  for (let r = 0; r < samples.length; r++) {
    position.set(samples[r].nodePosition, 3 * nodeOffset[r]);
    velocity.set(samples[r].nodeVelocity, 3 * nodeOffset[r]);
  }
}

/** Whether a place on an edge is held by pins: then nothing can move it, and it has no contact of its own. */
export function isHeld({ nodeHeld, edgeFirst, edgeSecond }: ColliderFinder, edge: number, weight: number): boolean {
  return (weight === 1 || nodeHeld[edgeFirst[edge]] === 1) && (weight === 0 || nodeHeld[edgeSecond[edge]] === 1);
}

/** Feature of a place on an edge. */
export function featureOf(finder: ColliderFinder, edge: number, weight: number): number {
  if (weight === 0) return 2 * finder.edgeFirst[edge];
  return weight === 1 ? 2 * finder.edgeSecond[edge] : 2 * finder.edgeFirst[edge] + 1;
}

/** Component k between the points at a and b. */
export const interpolate = (x: Float64Array, a: number, b: number, w: number, k: number): number =>
  (1 - w) * x[a + k] + w * x[b + k];

/** Whether a gap may close in the step. */
export function isNear(gap: number, approach: number, size: number, acceleration: number, dt: number): boolean {
  return gap + dt * Math.min(0, 1.25 * approach) - acceleration * dt * dt < 0.1 * size;
}

export interface Root {
  readonly collider: number;
  readonly rod: number;
  /** The node that is held, and all that are left alone with it, in the row of all nodes. */
  readonly held: number;
  readonly nodes: readonly number[];
  /** Length of rod that is left alone [m]. */
  readonly reach: number;
  /** Whether this is so now. */
  active: boolean;
}

export interface NearPairs {
  readonly tree: PathTree;
  /** Two edges each; pairs may be there more than once. */
  readonly list: IntList;
  /** Length of the list after the last search of the tree. */
  searched: number;
  /** How often the tree was searched, and edges were looked up, so far. */
  searches: number;
  lookUps: number;
  /** Where their velocities take the nodes in the step [m], and how far from there they came in the last one: the next may do likewise. */
  readonly ahead: Float64Array;
  readonly miss: Float32Array;
  /** Edges that have left their boxes, and marks of them. */
  readonly left: IntList;
  readonly leaves: Uint8Array;
  readonly found: IntList;
}
