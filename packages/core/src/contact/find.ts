/**
 * Finding contacts at the start of a step: those that touch, and those that will if nothing stops them.
 *
 * A contact is taken up before the surfaces meet, when its gap may close within the step (or is below a tenth of the
 * radius: with no margin at all, contacts at rest flicker). It may then close exactly its gap. Where the surfaces are still
 * more than two radii apart the direction in which they will meet is not known yet: such pairs are left to the
 * check of paths (sweep.ts).
 */
import type { Samples } from '../port.ts';
import type { Pin, Rod } from '../scene/compiled.ts';
import type { LinkPlan } from '../scene/links.ts';
import { type Collider, measureDistance } from './collider.ts';
import { findWithCollider } from './findCollider.ts';
import { markRoots, type Root } from './roots.ts';
import { createEdgePlaces, findPlaces } from './segments.ts';
import { addContact, type ContactSet, FEATURE_LIMIT } from './set.ts';
import { type BoxTree, createIntList, createTree, findPairs, type IntList, updateTree } from './tree.ts';

/** Distance and normal of a weld. */
const distanceAt = new Float64Array(4);

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

export interface Finder {
  readonly rods: readonly Rod[];
  readonly samples: readonly Samples[];
  readonly colliders: readonly Collider[];
  readonly rules: RodRules;
  /** Acceleration that acts on everything [m/s²], and its size. */
  readonly gravity: readonly number[];
  readonly acceleration: number;
  /** All nodes and edges of the scene in one row. */
  readonly nodeOffset: Int32Array;
  readonly edgeOffset: Int32Array;
  readonly nodeCount: number;
  readonly edgeCount: number;
  readonly edgeRod: Int32Array;
  /** Index in its rod. */
  readonly edgeIndex: Int32Array;
  readonly edgeFirst: Int32Array;
  readonly edgeSecond: Int32Array;
  /** Rest arc length at the middle of the edge [m]. */
  readonly edgeArc: Float64Array;
  readonly edgeLength: Float64Array;
  /** Factors of the rod on friction and restitution. */
  readonly edgeFriction: Float64Array;
  readonly edgeRestitution: Float64Array;
  /** Against colliders, and against rods [m]. */
  readonly edgeRadius: Float64Array;
  readonly pairRadius: Float64Array;
  readonly nodeRadius: Float64Array;
  /** 1 where a pin holds the node. */
  readonly nodeHeld: Uint8Array;
  /** Body that an edge is so near the weld of that it does not meet others there, −1 for none. */
  readonly edgeBody: Int32Array;
  /** Pairs of edges that a link holds so near each other that they do not meet, as numbers like those in `pairs`. */
  readonly joined: Set<number>;
  /** For each collider: not 0 for nodes that it leaves alone: welded inside the body it rides on, or next to a pin inside it (roots.ts). */
  readonly exempt: Uint8Array[];
  /** Rods that are held inside obstacles. */
  roots: readonly Root[];
  /** Of each rod: 2 where contacts are looked for, 1 where only what is looked at may meet it, 0 where it is not there. */
  readonly look: Uint8Array;
  /** At the start of the step. */
  readonly position: Float64Array;
  readonly velocity: Float64Array;
  readonly tree: BoxTree;
  readonly candidates: IntList;
  /** Candidates as sorted numbers, first·edgeCount + second. */
  pairs: Float64Array;
  pairCount: number;
  readonly nodeDistance: Float64Array;
}

export function createFinder(
  rods: readonly Rod[],
  samples: readonly Samples[],
  colliders: readonly Collider[],
  rules: RodRules,
  gravity: readonly number[],
): Finder {
  const nodeOffset = new Int32Array(rods.length + 1);
  const edgeOffset = new Int32Array(rods.length + 1);
  rods.forEach((rod, r) => {
    nodeOffset[r + 1] = nodeOffset[r] + rod.nodeCount;
    edgeOffset[r + 1] = edgeOffset[r] + rod.edgeCount;
  });
  const nodeCount = nodeOffset[rods.length];
  const edgeCount = rods.reduce((sum, rod) => sum + rod.edgeCount, 0);
  const finder: Finder = {
    rods,
    samples,
    colliders,
    rules,
    gravity,
    acceleration: Math.hypot(gravity[0], gravity[1], gravity[2]),
    nodeOffset,
    edgeOffset,
    nodeCount,
    edgeCount,
    edgeRod: new Int32Array(edgeCount),
    edgeIndex: new Int32Array(edgeCount),
    edgeFirst: new Int32Array(edgeCount),
    edgeSecond: new Int32Array(edgeCount),
    edgeArc: new Float64Array(edgeCount),
    edgeLength: new Float64Array(edgeCount),
    edgeFriction: new Float64Array(edgeCount),
    edgeRestitution: new Float64Array(edgeCount),
    edgeRadius: new Float64Array(edgeCount),
    pairRadius: new Float64Array(edgeCount),
    nodeRadius: new Float64Array(nodeCount),
    nodeHeld: new Uint8Array(nodeCount),
    edgeBody: new Int32Array(edgeCount).fill(-1),
    joined: new Set(),
    exempt: colliders.map(() => new Uint8Array(0)),
    roots: [],
    look: new Uint8Array(rods.length).fill(2),
    position: new Float64Array(3 * nodeCount),
    velocity: new Float64Array(3 * nodeCount),
    tree: createTree(rules.pairs ? edgeCount : 0),
    candidates: createIntList(),
    pairs: new Float64Array(64),
    pairCount: 0,
    nodeDistance: new Float64Array(4 * nodeCount),
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

/** What a link joins lies within each other there: pairs of edges nearer to it than they are thick are no contact. */
function exemptLink(finder: Finder, { rodA, edgeA, weightA, rodB, edgeB, weightB }: LinkPlan): void {
  const { rods, edgeCount, edgeLength, edgeArc, pairRadius } = finder;
  const firstEdge = (rod: number): number => {
    let first = 0;
    for (let r = 0; r < rod; r++) first += rods[r].edgeCount;
    return first;
  };
  const [a, b] = [firstEdge(rodA), firstEdge(rodB)];
  const reach = 1.5 * (pairRadius[a + edgeA] + pairRadius[b + edgeB]);
  const near = (rod: number, first: number, edge: number, weight: number): { edge: number; from: number }[] => {
    const { length, closed, nodeArc, edgeLengthRest } = rods[rod];
    const place = nodeArc[edge] + weight * edgeLengthRest[edge];
    return Array.from({ length: rods[rod].edgeCount }, (_, j) => {
      let arc = Math.abs(edgeArc[first + j] - place);
      if (closed) arc = Math.min(arc, length - arc);
      return { edge: first + j, from: Math.max(0, arc - 0.5 * edgeLength[first + j]) };
    }).filter(({ from }) => from < reach);
  };
  for (const one of near(rodA, a, edgeA, weightA))
    for (const other of near(rodB, b, edgeB, weightB)) {
      if (Math.hypot(one.from, other.from) >= reach) continue;
      finder.joined.add(one.edge * edgeCount + other.edge);
      finder.joined.add(other.edge * edgeCount + one.edge);
    }
}

/** What is welded to one body touches there all the time: it does not count as contact. */
function exemptWelds(finder: Finder): void {
  const { rods, rules, colliders, nodeOffset } = finder;
  gather(finder);
  for (const { rod, node, body } of rules.welded) {
    const { length, closed, nodeArc } = rods[rod];
    for (let e = 0; e < finder.edgeCount; e++) {
      if (finder.edgeRod[e] !== rod) continue;
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

/** Positions and velocities of all nodes now. */
export function gather(finder: Finder): void {
  const { samples, nodeOffset, position, velocity } = finder;
  for (let r = 0; r < samples.length; r++) {
    position.set(samples[r].nodePosition, 3 * nodeOffset[r]);
    velocity.set(samples[r].nodeVelocity, 3 * nodeOffset[r]);
  }
}

/** Whether a place on an edge is held by pins: then nothing can move it, and it has no contact of its own. */
export function isHeld({ nodeHeld, edgeFirst, edgeSecond }: Finder, edge: number, weight: number): boolean {
  return (weight === 1 || nodeHeld[edgeFirst[edge]] === 1) && (weight === 0 || nodeHeld[edgeSecond[edge]] === 1);
}

/** Appends the contacts of a step from t to t + dt to `set`, in any order. */
export function findContacts(finder: Finder, set: ContactSet, t: number, dt: number): void {
  for (const { pin, node } of finder.rules.pinned) {
    finder.nodeHeld[node] = pin.holds(t + dt) ? 1 : 0;
  }
  markRoots(finder);
  finder.colliders.forEach((collider, k) => {
    findWithCollider(finder, set, collider, k, dt);
  });
  if (!finder.rules.pairs) return;
  placeBoxes(finder, dt);
  listPairs(finder);
  for (let k = 0; k < finder.pairCount; k++) {
    const first = Math.floor(finder.pairs[k] / finder.edgeCount);
    addPair(finder, set, first, finder.pairs[k] - first * finder.edgeCount, dt);
  }
}

/** Boxes about the edges, their thickness and what they may reach in the step. */
function placeBoxes(finder: Finder, dt: number): void {
  const { tree, edgeCount, edgeFirst, edgeSecond, position: x, velocity: v, pairRadius, rules } = finder;
  const drift = 0.5 * finder.acceleration * dt * dt;
  for (let e = 0; e < edgeCount; e++) {
    const a = 3 * edgeFirst[e];
    const b = 3 * edgeSecond[e];
    const r = 1.05 * pairRadius[e] + drift + rules.reach;
    for (let k = 0; k < 3; k++) {
      const p = x[a + k];
      const q = x[b + k];
      const p1 = p + dt * v[a + k];
      const q1 = q + dt * v[b + k];
      tree.box[6 * e + k] = Math.min(p, q, p1, q1) - r;
      tree.box[6 * e + 3 + k] = Math.max(p, q, p1, q1) + r;
    }
  }
  updateTree(tree);
}

/** Candidates whose boxes meet, sorted, without neighbours on the same rod. */
export function listPairs(finder: Finder): void {
  const { candidates, tree, edgeCount } = finder;
  candidates.length = 0;
  findPairs(candidates, tree);
  if (finder.pairs.length < candidates.length / 2) finder.pairs = new Float64Array(candidates.length);
  let count = 0;
  for (let k = 0; k < candidates.length; k += 2) {
    const first = candidates.data[k];
    const second = candidates.data[k + 1];
    if (mayMeet(finder, first, second)) finder.pairs[count++] = first * edgeCount + second;
  }
  finder.pairs.subarray(0, count).sort();
  finder.pairCount = count;
}

function mayMeet(finder: Finder, first: number, second: number): boolean {
  const { edgeRod, edgeArc, edgeLength, pairRadius, rods, rules, edgeBody, joined } = finder;
  if (joined.size > 0 && joined.has(first * finder.edgeCount + second)) return false;
  const rod = edgeRod[first];
  const seen = finder.look[rod] * finder.look[edgeRod[second]];
  if (seen < 2) return false;
  if (rod !== edgeRod[second]) return edgeBody[first] < 0 || edgeBody[first] !== edgeBody[second];
  if (!rules.self) return false;
  // a rod bent as tightly as it can be touches itself half a turn further, π radii along its axis
  let arc = Math.abs(edgeArc[first] - edgeArc[second]);
  if (rods[rod].closed) arc = Math.min(arc, rods[rod].length - arc);
  const radius = Math.max(pairRadius[first], pairRadius[second]);
  return arc > Math.PI * radius + 0.5 * (edgeLength[first] + edgeLength[second]) * 1.001;
}

const places = createEdgePlaces();
const normal = new Float64Array(3);

function addPair(finder: Finder, set: ContactSet, first: number, second: number, dt: number): void {
  const { edgeFirst, edgeSecond, position: x } = finder;
  const a = 3 * edgeFirst[first];
  const b = 3 * edgeSecond[first];
  const c = 3 * edgeFirst[second];
  const d = 3 * edgeSecond[second];
  findPlaces(places, x, a, b, c, d);
  for (let k = 0; k < places.count; k++) addPlace(finder, set, first, second, places.s[k], places.t[k], dt);
}

/** Feature of a place on an edge. */
export function featureOf(finder: Finder, edge: number, weight: number): number {
  if (weight === 0) return 2 * finder.edgeFirst[edge];
  return weight === 1 ? 2 * finder.edgeSecond[edge] : 2 * finder.edgeFirst[edge] + 1;
}

/** Component k between the points at a and b. */
export const interpolate = (x: Float64Array, a: number, b: number, w: number, k: number): number =>
  (1 - w) * x[a + k] + w * x[b + k];

/** Cosine beyond which an edge leads nearer: edges side by side touch along their length, and keep their places. */
const NEARER = 0.1;

/**
 * Whether a place at the end of an edge is no least distance, because the edge beside it comes nearer still: the contact is that
 * one's. Two hairs that cross would have nine contacts instead of one, and as much of it that is not there.
 */
function isNearerBeside(
  finder: Finder,
  edge: number,
  other: number,
  weight: number,
  n: Float64Array,
  sign: number,
): boolean {
  if (weight !== 0 && weight !== 1) return false;
  const { edgeRod, edgeIndex, edgeFirst, edgeSecond, edgeOffset, rods, position: x } = finder;
  const r = edgeRod[edge];
  if (r === edgeRod[other]) return false;
  const { edgeCount, closed } = rods[r];
  const j = edgeIndex[edge] + (weight === 0 ? -1 : 1);
  if (!closed && (j < 0 || j >= edgeCount)) return false;
  const beside = edgeOffset[r] + ((j + edgeCount) % edgeCount);
  if (!mayMeet(finder, Math.min(beside, other), Math.max(beside, other))) return false;
  const [from, to] = weight === 0 ? [edgeSecond[beside], edgeFirst[beside]] : [edgeFirst[beside], edgeSecond[beside]];
  const dx = x[3 * to] - x[3 * from];
  const dy = x[3 * to + 1] - x[3 * from + 1];
  const dz = x[3 * to + 2] - x[3 * from + 2];
  return sign * (dx * n[0] + dy * n[1] + dz * n[2]) > NEARER * Math.sqrt(dx * dx + dy * dy + dz * dz);
}

function addPlace(
  finder: Finder,
  set: ContactSet,
  first: number,
  second: number,
  s: number,
  t: number,
  dt: number,
): void {
  if (isHeld(finder, first, s) && isHeld(finder, second, t)) return;
  const { edgeFirst, edgeSecond, position: x, velocity: v, pairRadius } = finder;
  const a = 3 * edgeFirst[first];
  const b = 3 * edgeSecond[first];
  const c = 3 * edgeFirst[second];
  const d = 3 * edgeSecond[second];
  for (let k = 0; k < 3; k++) normal[k] = interpolate(x, a, b, s, k) - interpolate(x, c, d, t, k);
  const distance = Math.sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  const rA = pairRadius[first];
  const rB = pairRadius[second];
  const reach = rA + rB;
  const gap = distance - reach;
  if (gap > 2 * reach + finder.rules.reach) return;
  if (distance > 1e-9 * reach) for (let k = 0; k < 3; k++) normal[k] /= distance;
  else writeCross(normal, x, a, b, c, d);
  if (isNearerBeside(finder, first, second, s, normal, -1)) return;
  if (isNearerBeside(finder, second, first, t, normal, 1)) return;
  let approach = 0;
  for (let k = 0; k < 3; k++) approach += normal[k] * (interpolate(v, a, b, s, k) - interpolate(v, c, d, t, k));
  const size = Math.min(rA, rB);
  if (!isNear(gap - finder.rules.reach, approach, size, finder.acceleration, dt)) return;
  addRodContact(finder, set, first, second, s, t, normal, gap, approach);
}

/** Whether a gap may close in the step. */
export function isNear(gap: number, approach: number, size: number, acceleration: number, dt: number): boolean {
  return gap + dt * Math.min(0, 1.25 * approach) - acceleration * dt * dt < 0.1 * size;
}

/** Direction across both edges, where their axes meet. */
function writeCross(out: Float64Array, x: Float64Array, a: number, b: number, c: number, d: number): void {
  const dx = x[b] - x[a];
  const dy = x[b + 1] - x[a + 1];
  const dz = x[b + 2] - x[a + 2];
  const ex = x[d] - x[c];
  const ey = x[d + 1] - x[c + 1];
  const ez = x[d + 2] - x[c + 2];
  let nx = dy * ez - dz * ey;
  let ny = dz * ex - dx * ez;
  let nz = dx * ey - dy * ex;
  let size = Math.hypot(nx, ny, nz);
  if (!(size > 1e-12 * Math.hypot(dx, dy, dz) * Math.hypot(ex, ey, ez))) {
    // parallel and upon each other: any direction across
    const flat = Math.abs(dx) < Math.abs(dy);
    nx = flat ? 0 : -dz;
    ny = flat ? dz : 0;
    nz = flat ? -dy : dx;
    size = Math.hypot(nx, ny, nz) || 1;
  }
  out[0] = nx / size;
  out[1] = ny / size;
  out[2] = nz / size;
}

export function addRodContact(
  finder: Finder,
  set: ContactSet,
  first: number,
  second: number,
  s: number,
  t: number,
  n: Float64Array,
  gap: number,
  approach: number,
): number {
  const { edgeRod, edgeIndex, pairRadius, rules } = finder;
  const i = addContact(set);
  set.key[i] = featureOf(finder, first, s) * FEATURE_LIMIT + featureOf(finder, second, t);
  set.rodA[i] = edgeRod[first];
  set.edgeA[i] = edgeIndex[first];
  set.weightA[i] = s;
  set.rodB[i] = edgeRod[second];
  set.edgeB[i] = edgeIndex[second];
  set.weightB[i] = t;
  set.collider[i] = -1;
  set.gap[i] = gap;
  set.approach[i] = approach;
  set.size[i] = Math.min(pairRadius[first], pairRadius[second]);
  const factor = finder.edgeFriction[first] * finder.edgeFriction[second];
  set.staticFriction[i] = rules.staticFriction * factor;
  set.dynamicFriction[i] = rules.dynamicFriction * factor;
  // the surfaces meet between the axes, in proportion to the radii
  const distance = gap + pairRadius[first] + pairRadius[second];
  const share = pairRadius[first] / (pairRadius[first] + pairRadius[second]);
  for (let k = 0; k < 3; k++) {
    set.normal[3 * i + k] = n[k];
    set.armA[3 * i + k] = -share * distance * n[k];
    set.armB[3 * i + k] = (1 - share) * distance * n[k];
  }
  return i;
}
