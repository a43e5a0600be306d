/**
 * Finding contacts at the start of a step: those that touch, and those that will if nothing stops them.
 *
 * A contact is taken up before the surfaces meet, when its gap may close within the step (or is below a tenth of the
 * radius: with no margin at all, contacts at rest flicker). It may then close exactly its gap. Where the surfaces are still
 * more than two radii apart the direction in which they will meet is not known yet: such pairs are left to the
 * check of paths (rodSweep.ts).
 */
import type { Samples } from '../../port.ts';
import type { Pin, Rod } from '../../scene/compiled.ts';
import type { LinkPlan } from '../../scene/links.ts';
import type { ContactSet } from '../contactSet.ts';
import { apart } from '../memory.ts';
import type { Collider } from '../shapes/collider.ts';
import type { Search, SearchRows } from './colliderSearch.ts';
import { markRoots, type Root } from './embeddedRoots.ts';
import { exemptLink, exemptWelds } from './exemptions.ts';
import { type FinderRows, layOutFinder } from './finderArrays.ts';
import { coverStep, createNearPairs, type NearPairs, reachOf } from './nearPairs.ts';
import { measurePinWays } from './overlapsNearPins.ts';
import { addPair } from './rodContacts.ts';
import { areSegmentsApart } from './sweptTree.ts';

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
  readonly pinWay: Float64Array;
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
export interface ObstacleFinder
  extends FinderRows,
    Pick<Finder, 'colliders' | 'gravity' | 'acceleration' | 'nodeCount' | 'exempt'> {
  readonly rules: Pick<RodRules, 'reach'>;
}

/** `shared`: memory for what threads know of it, which is then written there. */
export function createFinder(
  rods: readonly Rod[],
  samples: readonly Samples[],
  colliders: readonly Collider[],
  rules: RodRules,
  gravity: readonly number[],
  shared?: SearchRows,
): Finder {
  const nodeCount = rods.reduce((sum, rod) => sum + rod.nodeCount, 0);
  const edgeCount = rods.reduce((sum, rod) => sum + rod.edgeCount, 0);
  const rows = shared ?? layOutFinder({ rods: rods.length, nodes: nodeCount, edges: edgeCount }, apart);
  const { nodeOffset, edgeOffset } = rows;
  rods.forEach((rod, r) => {
    nodeOffset[r + 1] = nodeOffset[r] + rod.nodeCount;
    edgeOffset[r + 1] = edgeOffset[r] + rod.edgeCount;
  });
  rows.look.fill(2);
  const finder: Finder = {
    ...rows,
    rods,
    samples,
    colliders,
    rules,
    gravity,
    acceleration: Math.hypot(gravity[0], gravity[1], gravity[2]),
    nodeCount,
    edgeCount,
    edgeArc: new Float64Array(edgeCount),
    pairRadius: new Float64Array(edgeCount),
    pinWay: new Float64Array(nodeCount).fill(Number.POSITIVE_INFINITY),
    edgeBody: new Int32Array(edgeCount).fill(-1),
    joined: new Set(),
    exempt: colliders.map((_, k) => shared?.exempt[k] ?? new Uint8Array(0)),
    roots: [],
    near: createNearPairs(rules.pairs ? edgeCount : 0, rules.pairs ? nodeCount : 0),
    pairs: new Float64Array(64),
    pairCount: 0,
  };
  let e = 0;
  rods.forEach((rod, r) => {
    for (let j = 0; j < rod.edgeCount; j++, e++) {
      finder.edgeRod[e] = r;
      finder.edgeIndex[e] = j;
      finder.edgeFirst[e] = nodeOffset[r] + j;
      finder.edgeSecond[e] = nodeOffset[r] + ((j + 1) % rod.nodeCount);
      finder.edgeLength[e] = rod.edgeLengthRest[j];
      finder.edgeFriction[e] = rod.surface?.edgeFriction[j] ?? 1;
      finder.edgeRestitution[e] = rod.surface?.edgeRestitution[j] ?? 1;
      finder.edgeArc[e] = rod.nodeArc[j] + 0.5 * rod.edgeLengthRest[j];
      finder.edgeRadius[e] = rod.edgeRadius[j];
      finder.pairRadius[e] = rules.radius || rod.edgeRadius[j];
      for (const node of [finder.edgeFirst[e], finder.edgeSecond[e]])
        finder.nodeRadius[node] = Math.max(finder.nodeRadius[node], rod.edgeRadius[j]);
    }
  });
  exemptWelds(finder);
  if (rules.pairs) for (const link of rules.linked) exemptLink(finder, link);
  return finder;
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
export function isHeld({ nodeHeld, edgeFirst, edgeSecond }: ObstacleFinder, edge: number, weight: number): boolean {
  return (weight === 1 || nodeHeld[edgeFirst[edge]] === 1) && (weight === 0 || nodeHeld[edgeSecond[edge]] === 1);
}

/** Appends the contacts of a step from t to t + dt to `set`, in any order. */
export function findContacts(
  finder: Finder,
  set: ContactSet,
  t: number,
  dt: number,
  findObstacles: Search['find'],
): void {
  let changed = false;
  for (const { pin, node } of finder.rules.pinned) {
    const held = pin.holds(t + dt) ? 1 : 0;
    changed ||= finder.nodeHeld[node] !== held;
    finder.nodeHeld[node] = held;
  }
  if (changed) measurePinWays(finder);
  markRoots(finder);
  for (let k = 0; k < finder.colliders.length; k++) findObstacles(set, k, t, dt);
  if (!finder.rules.pairs) return;
  coverStep(finder, dt);
  finder.pairCount = 0;
  const { near, look, edgeRod } = finder;
  for (let k = 0; k < near.list.length; k += 2) {
    const first = near.list.data[k];
    const second = near.list.data[k + 1];
    if (look[edgeRod[first]] * look[edgeRod[second]] < 2) continue;
    if (mayComeNear(finder, first, second, dt)) notePair(finder, first, second);
  }
  sortPairs(finder);
  for (let k = 0; k < finder.pairCount; k++) {
    const first = Math.floor(finder.pairs[k] / finder.edgeCount);
    addPair(finder, set, first, finder.pairs[k] - first * finder.edgeCount, dt);
  }
}

/** Whether two edges are not apart where their velocities take them in the step. */
function mayComeNear(finder: Finder, first: number, second: number, dt: number): boolean {
  const { near, edgeFirst, edgeSecond, position: x } = finder;
  const a = 3 * edgeFirst[first];
  const b = 3 * edgeSecond[first];
  const c = 3 * edgeFirst[second];
  const d = 3 * edgeSecond[second];
  return !areSegmentsApart(x, near.ahead, a, b, c, d, reachOf(finder, first, dt) + reachOf(finder, second, dt));
}

/** Appends a pair to `pairs`. */
export function notePair(finder: Finder, first: number, second: number): void {
  if (finder.pairCount === finder.pairs.length) {
    const larger = new Float64Array(2 * finder.pairs.length);
    larger.set(finder.pairs);
    finder.pairs = larger;
  }
  finder.pairs[finder.pairCount++] = first * finder.edgeCount + second;
}

/** Puts the pairs in order, each once. */
export function sortPairs(finder: Finder): void {
  const { pairs } = finder;
  pairs.subarray(0, finder.pairCount).sort();
  let count = 0;
  for (let k = 0; k < finder.pairCount; k++) if (k === 0 || pairs[k] !== pairs[k - 1]) pairs[count++] = pairs[k];
  finder.pairCount = count;
}

/** Feature of a place on an edge. */
export function featureOf(finder: ObstacleFinder, edge: number, weight: number): number {
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
