/**
 * Detection of contacts at the start of a step: surfaces that touch now, and surfaces that would touch within the step.
 *
 * A contact is added before the surfaces meet, if its gap may close within the step (or is below a tenth of the radius: without a margin, resting
 * contacts flicker). It may then close by exactly its gap. If the surfaces are still more than two radii apart, the direction in which they will
 * meet is not known yet: such pairs are left to the continuous check (rodSweep.ts).
 */
import { hypot } from '../../math/rounded/index.ts';
import type { Samples } from '../../port.ts';
import { animates } from '../../scene/animate.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { ContactSet } from '../contactSet.ts';
import { ownArrays } from '../memory.ts';
import { animateFriction, type Collider } from '../shapes/collider.ts';
import type { ColliderSearch, SearchRows } from './colliderSearch.ts';
import { markRoots } from './embeddedRoots.ts';
import { exemptLink, exemptWelds } from './exemptions.ts';
import { layOutFinder } from './finderArrays.ts';
import { type Finder, type RodRules, SEARCHED } from './finderData.ts';
import { areEdgesSearched, coverStep, createNearPairs, mayTouch, reachOf } from './nearPairs.ts';
import { measurePinDistances } from './overlapsNearPins.ts';
import { addEdgePair } from './rodContacts.ts';
import { areSegmentsApart } from './sweptTree.ts';

export interface FinderParts {
  readonly rods: readonly Rod[];
  readonly samples: readonly Samples[];
  readonly colliders: readonly Collider[];
  readonly rules: RodRules;
  /** [m/s²] */
  readonly gravity: readonly number[];
  /** Memory that threads see; the finder's arrays are placed there. */
  readonly shared?: SearchRows;
}

export function createFinder({ rods, samples, colliders, rules, gravity, shared }: FinderParts): Finder {
  const nodeCount = rods.reduce((sum, rod) => sum + rod.nodeCount, 0);
  const edgeCount = rods.reduce((sum, rod) => sum + rod.edgeCount, 0);
  const rows = shared ?? layOutFinder({ rods: rods.length, nodes: nodeCount, edges: edgeCount }, ownArrays);
  const { nodeOffset, edgeOffset } = rows;
  rods.forEach((rod, r) => {
    nodeOffset[r + 1] = nodeOffset[r] + rod.nodeCount;
    edgeOffset[r + 1] = edgeOffset[r] + rod.edgeCount;
  });
  rows.rodRole.fill(SEARCHED);
  const finder: Finder = {
    ...rows,
    rods,
    samples,
    colliders,
    rules,
    gravity,
    acceleration: hypot(gravity[0], gravity[1], gravity[2]),
    nodeCount,
    edgeCount,
    edgeArc: new Float64Array(edgeCount),
    ...(rods.some((rod) => animates(rod, 'radius')) && { edgeGrowth: new Float64Array(edgeCount) }),
    pairRadius: new Float64Array(edgeCount),
    pinDistance: new Float64Array(nodeCount).fill(Number.POSITIVE_INFINITY),
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
      finder.edgeRestitution[e] = rod.surface?.edgeRestitution[j] ?? 1;
    }
    copySurface(finder, r);
  });
  exemptWelds(finder);
  if (rules.pairs) for (const link of rules.linked) exemptLink(finder, link);
  return finder;
}

/** Copies lengths, radii and friction of rod r, which may change in time. */
function copySurface(finder: Finder, r: number): void {
  const { edgeOffset, nodeOffset, nodeRadius, rules } = finder;
  const { edgeCount, edgeLengthRest, edgeRadius, nodeArc, surface } = finder.rods[r];
  nodeRadius.fill(0, nodeOffset[r], nodeOffset[r + 1]);
  let arc = nodeArc[0];
  for (let j = 0; j < edgeCount; j++) {
    const e = edgeOffset[r] + j;
    const radius = edgeRadius[j];
    finder.edgeLength[e] = edgeLengthRest[j];
    finder.edgeArc[e] = arc + 0.5 * edgeLengthRest[j];
    arc += edgeLengthRest[j];
    finder.edgeFriction[e] = surface?.edgeFriction[j] ?? 1;
    finder.edgeRadius[e] = radius;
    finder.pairRadius[e] = rules.radius || radius;
    nodeRadius[finder.edgeFirst[e]] = Math.max(nodeRadius[finder.edgeFirst[e]], radius);
    nodeRadius[finder.edgeSecond[e]] = Math.max(nodeRadius[finder.edgeSecond[e]], radius);
  }
}

/** Makes lengths, radii and friction those of the end of a step from t to t + dt, at which pins are too. */
export function animateFinder(finder: Finder, t: number, dt: number): void {
  const { rules, edgeOffset, edgeGrowth, edgeRadius } = finder;
  if (rules.changingFriction) animateFriction(rules, rules.changingFriction, t + dt);
  let grows = false;
  for (let r = 0; r < finder.rods.length; r++) {
    const { animation } = finder.rods[r];
    if (!animation) continue;
    const [from, to] = [edgeOffset[r], edgeOffset[r + 1]];
    if (edgeGrowth) {
      animation.moveTo(t);
      for (let e = from; e < to; e++) edgeGrowth[e] = -finder.rods[r].edgeRadius[e - from];
    }
    animation.moveTo(t + dt);
    copySurface(finder, r);
    if (edgeGrowth) for (let e = from; e < to; e++) edgeGrowth[e] += edgeRadius[e];
    grows ||= animates(finder.rods[r], 'length');
  }
  if (grows) measurePinDistances(finder);
}

/** Writes which nodes pins hold at time t. */
function markHeldNodes(finder: Finder, t: number): void {
  const { rules, nodeHeld, nodeHeldAxes } = finder;
  let changed = false;
  for (const { pin, node } of rules.pinned) {
    const held = pin.holds(t) ? 1 : 0;
    changed ||= nodeHeld[node] !== held;
    nodeHeld[node] = held;
  }
  for (const { node } of rules.partlyPinned) nodeHeldAxes[node] = 0;
  for (const { pin, node } of rules.partlyPinned)
    if (pin.holds(t)) nodeHeldAxes[node] |= (pin.holdX ? 1 : 0) | (pin.holdY ? 2 : 0) | (pin.holdZ ? 4 : 0);
  if (changed) measurePinDistances(finder);
}

/** Appends the contacts of a step from t to t + dt to `set`, in any order. */
export function findContacts(
  finder: Finder,
  set: ContactSet,
  t: number,
  dt: number,
  searchCollider: ColliderSearch['find'],
): void {
  markHeldNodes(finder, t + dt);
  markRoots(finder);
  for (let k = 0; k < finder.colliders.length; k++) searchCollider(set, k, t, dt);
  if (!finder.rules.pairs) return;
  coverStep(finder, dt);
  finder.pairCount = 0;
  const { near, edgeRod } = finder;
  for (let k = 0; k < near.list.length; k += 2) {
    const first = near.list.data[k];
    const second = near.list.data[k + 1];
    // the list may have pairs from before a rod swelled
    if (finder.rods[edgeRod[first]].animation && !mayTouch(finder, first, second)) continue;
    if (!areEdgesSearched(finder, first, second)) continue;
    if (mayComeNear(finder, first, second, dt)) notePair(finder, first, second);
  }
  sortPairs(finder);
  for (let k = 0; k < finder.pairCount; k++) {
    const first = Math.floor(finder.pairs[k] / finder.edgeCount);
    addEdgePair(finder, set, first, finder.pairs[k] - first * finder.edgeCount, dt);
  }
}

/** True if two edges may come into contact within the step, by their velocities. */
function mayComeNear(finder: Finder, first: number, second: number, dt: number): boolean {
  const { near, edgeFirst, edgeSecond, position: x } = finder;
  const a = 3 * edgeFirst[first];
  const b = 3 * edgeSecond[first];
  const c = 3 * edgeFirst[second];
  const d = 3 * edgeSecond[second];
  return !areSegmentsApart(x, near.predicted, a, b, c, d, reachOf(finder, first, dt) + reachOf(finder, second, dt));
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

/** Sorts the pairs and removes duplicates. */
export function sortPairs(finder: Finder): void {
  const { pairs } = finder;
  pairs.subarray(0, finder.pairCount).sort();
  let count = 0;
  for (let k = 0; k < finder.pairCount; k++) if (k === 0 || pairs[k] !== pairs[k - 1]) pairs[count++] = pairs[k];
  finder.pairCount = count;
}
