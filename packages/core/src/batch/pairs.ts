/**
 * Two edges that may touch within a step: their closest points, and the plane that separates them. Translated to WGSL like formulas.ts.
 *
 * Both strands compute a pair in the same order, the lower edge first, so that both get the same bits and forces are equal and opposite.
 */
import { add, cross, dot, type Index, scale, subtract, type Vector, vector } from './algebra.ts';

/** An edge of a strand over a step: its nodes at the start [m] and their displacements [m]. */
export interface PairEdge {
  readonly first: Vector;
  readonly second: Vector;
  readonly wayOfFirst: Vector;
  readonly wayOfSecond: Vector;
  /** The node after the second at the start [m], if there is one. */
  readonly next: Vector;
  /** Contact radius [m]. */
  readonly radius: number;
  /** True if the strand continues before the first node, and after the second. */
  readonly isContinuedBefore: boolean;
  readonly isContinuedBehind: boolean;
  /** True if the first node is held. */
  readonly isRoot: boolean;
}

/** An edge of any strand. */
export interface EdgeName {
  readonly strand: Index;
  readonly edge: Index;
}

/** The other edge of a pair, and the part of it that lies before the contact; `isSet`: 0 where the slot is empty. */
export interface Partner {
  readonly strand: Index;
  readonly edge: Index;
  readonly part: number;
  readonly isSet: Index;
}

/** Weight of one side of a pair: compliance times the number of contacts at its nodes [m/N], and the slot of the other edge that is the other side. */
export interface PairWeight {
  readonly compliance: number;
  readonly side: Index;
}

/** Parts of the lower and of the higher edge that lie before the closest points. */
interface PairParts {
  readonly low: number;
  readonly high: number;
}

/** How two edges meet within a step. */
export interface PairMeeting {
  /** Least gap between the surfaces [m]; large where the pair needs no contact. */
  readonly near: number;
  readonly parts: PairParts;
  /** Unit, from the higher edge to the lower. */
  readonly normal: Vector;
  /** Along the normal between the surfaces of the closest points, at the start of the step and at its end [m]. */
  readonly gap: number;
  readonly end: number;
}

/** Weight of the distance from the middles of the edges: lets the closest points of parallel edges move smoothly. */
const MIDDLE = 1e-3;
/** Edges that approach each other count as touching at this distance, in sums of radii. */
const MET = 1.05;
/**
 * Part of the shorter of two parallel edges that must lie beside the other: for a contact, less than half, so that at a bend one of the two edges has it;
 * and for a candidate, less still, because hair slides until the next search.
 */
const SHARED = 0.45;
export const SHARED_SOON = 0.3;
/** Steps of real time for which contacts that were found serve. */
export const CONTACTS_EVERY = 2;
/** Gap of a pair without contact [m]. */
const FAR = 1e9;

function limitPart(x: number): number {
  return Math.min(Math.max(x, 0), 1);
}

function placeAt(x: Vector, way: Vector, time: number): Vector {
  return add(x, scale(time, way));
}

/** Closest points at a part of the step. */
function closestParts(low: PairEdge, high: PairEdge, time: number): PairParts {
  const a = placeAt(low.first, low.wayOfFirst, time);
  const b = placeAt(high.first, high.wayOfFirst, time);
  const along = subtract(placeAt(low.second, low.wayOfSecond, time), a);
  const other = subtract(placeAt(high.second, high.wayOfSecond, time), b);
  const apart = subtract(a, b);
  const size = dot(along, along);
  const otherSize = dot(other, other);
  const mixed = dot(along, other);
  const p = 0.5 * MIDDLE * size - dot(along, apart);
  const q = 0.5 * MIDDLE * otherSize + dot(other, apart);
  const full = (1 + MIDDLE) * size;
  const otherFull = (1 + MIDDLE) * otherSize;
  const first = limitPart((p * otherFull + mixed * q) / (full * otherFull - mixed * mixed));
  const second = limitPart((q + mixed * first) / otherFull);
  return { low: limitPart((p + mixed * second) / full), high: second };
}

/** From the higher point to the lower at a part of the step. */
function apartAt(low: PairEdge, high: PairEdge, parts: PairParts, time: number): Vector {
  const a = add(
    scale(1 - parts.low, placeAt(low.first, low.wayOfFirst, time)),
    scale(parts.low, placeAt(low.second, low.wayOfSecond, time)),
  );
  const b = add(
    scale(1 - parts.high, placeAt(high.first, high.wayOfFirst, time)),
    scale(parts.high, placeAt(high.second, high.wayOfSecond, time)),
  );
  return subtract(a, b);
}

function lengthOfVector(a: Vector): number {
  return Math.sqrt(dot(a, a));
}

/** Upper bound on the approach of points of both edges within the step [m]. */
export function reachOf(low: PairEdge, high: PairEdge): number {
  const mean = scale(0.25, add(add(low.wayOfFirst, low.wayOfSecond), add(high.wayOfFirst, high.wayOfSecond)));
  const one = Math.max(lengthOfVector(subtract(low.wayOfFirst, mean)), lengthOfVector(subtract(low.wayOfSecond, mean)));
  const other = Math.max(
    lengthOfVector(subtract(high.wayOfFirst, mean)),
    lengthOfVector(subtract(high.wayOfSecond, mean)),
  );
  return one + other;
}

/**
 * Tighter upper bound on the approach of the edges within the step [m]: the sum of their motions towards a plane between them. Both edges are convex, so
 * the plane across their closest points separates them.
 */
export function approachOf(low: PairEdge, high: PairEdge): number {
  const apart = apartAt(low, high, closestParts(low, high, 0), 0);
  const normal = scale(1 / Math.max(lengthOfVector(apart), 1e-30), apart);
  const down = Math.max(-dot(normal, low.wayOfFirst), -dot(normal, low.wayOfSecond));
  const up = Math.max(dot(normal, high.wayOfFirst), dot(normal, high.wayOfSecond));
  return Math.max(0, down + up);
}

/** Smallest distance of the axes at the start [m]. */
export function distanceOf(low: PairEdge, high: PairEdge): number {
  return lengthOfVector(apartAt(low, high, closestParts(low, high, 0), 0));
}

function goesOn(edge: PairEdge, part: number): boolean {
  return (part < 0.5 && edge.isContinuedBefore) || (part > 0.5 && edge.isContinuedBehind);
}

/** True if the distance between the edges varies along them by less than the sum of radii. */
function areParallel(low: PairEdge, high: PairEdge): boolean {
  const along = subtract(low.second, low.first);
  const other = subtract(high.second, high.first);
  const across = lengthOfVector(cross(along, other));
  return across < (low.radius + high.radius) * Math.min(lengthOfVector(along), lengthOfVector(other));
}

/**
 * True if less than a given part of the shorter of two parallel edges lies beside the other, so that the previous or next edge has the contact. Without
 * this rule each edge of hair side by side would have two contacts with every neighbour.
 */
function isLeftToNext(low: PairEdge, high: PairEdge, parts: PairParts, part: number): boolean {
  const along = subtract(low.second, low.first);
  const other = subtract(high.second, high.first);
  const middles = scale(0.5, subtract(add(low.first, low.second), add(high.first, high.second)));
  const size = lengthOfVector(along);
  const otherSize = lengthOfVector(other);
  const beside = 0.5 * (size + otherSize) - Math.abs(dot(middles, along)) / size;
  const isShort = beside < part * Math.min(size, otherSize);
  return isShort && (goesOn(low, parts.low) || goesOn(high, parts.high));
}

/**
 * True if the closest point is a node and the edge on its other side comes closer. A node belongs to the edge before it, unless the edge after it
 * continues towards the other point; otherwise edges behind or ahead of the contact would push along slanted normals. `towards`: to the other point.
 */
function isNeighbors(edge: PairEdge, part: number, towards: Vector): boolean {
  const isBehind = part >= 1 && edge.isContinuedBehind && dot(towards, subtract(edge.next, edge.second)) > 0;
  return isBehind || (part <= 0 && edge.isContinuedBefore);
}

/** True if both edges begin at held roots that overlap, which no contact can separate. */
function areRooted(low: PairEdge, high: PairEdge): boolean {
  const apart = subtract(low.first, high.first);
  const sum = low.radius + high.radius;
  return low.isRoot && high.isRoot && dot(apart, apart) < sum * sum;
}

/** Unit vector along `apart`; for edges that cross exactly, the direction perpendicular to both. */
function normalOf(apart: Vector, low: PairEdge, high: PairEdge): Vector {
  const size = lengthOfVector(apart);
  let normal: Vector = scale(1 / Math.max(size, 1e-30), apart);
  if (size < 1e-4 * (low.radius + high.radius)) {
    const across = cross(subtract(low.second, low.first), subtract(high.second, high.first));
    const width = lengthOfVector(across);
    normal = vector(0, 0, 1);
    if (width > 0) {
      normal = scale(1 / width, across);
    }
  }
  return normal;
}

/** Finds where the edges first touch within the step, by conservative advancement: in increments over which they cannot pass through each other. */
export function meetEdges(low: PairEdge, high: PairEdge): PairMeeting {
  const sum = low.radius + high.radius;
  const reach = reachOf(low, high);
  let parts: PairParts = closestParts(low, high, 0);
  let distance = lengthOfVector(apartAt(low, high, parts, 0));
  const start = distance;
  const startParts = parts;
  let time = 0;
  if (distance - reach < MET * sum && distance > MET * sum) {
    for (let k = 0; k < 24 && distance > MET * sum && time < 1; k++) {
      time = Math.min(1, time + (distance - sum) / Math.max(reach, 1e-30));
      parts = closestParts(low, high, time);
      distance = lengthOfVector(apartAt(low, high, parts, time));
    }
  }
  let near = 0;
  if (distance > MET * sum && (time >= 1 || time === 0)) {
    near = Math.min(start, distance) - sum;
    time = 0;
    parts = startParts;
  }
  const apart = apartAt(low, high, parts, time);
  if (isLeftOut(low, high, parts, apart)) {
    near = FAR;
  }
  return meetingOf(low, high, { near, parts, normal: normalOf(apart, low, high) });
}

/** Contact plane of a pair. */
interface PairPlane {
  readonly near: number;
  readonly parts: PairParts;
  readonly normal: Vector;
}

function meetingOf(low: PairEdge, high: PairEdge, plane: PairPlane): PairMeeting {
  const sum = low.radius + high.radius;
  return {
    near: plane.near,
    parts: plane.parts,
    normal: plane.normal,
    gap: dot(plane.normal, apartAt(low, high, plane.parts, 0)) - sum,
    end: dot(plane.normal, apartAt(low, high, plane.parts, 1)) - sum,
  };
}

/** True if another pair of edges has the contact, or if none can part them. `apart`: from the higher closest point to the lower. */
function isLeftOut(low: PairEdge, high: PairEdge, parts: PairParts, apart: Vector): boolean {
  // only one rule: with both, each could assign the contact to an edge from which the other removes it
  let isOthers = isNeighbors(low, parts.low, scale(-1, apart)) || isNeighbors(high, parts.high, apart);
  if (areParallel(low, high)) {
    isOthers = isLeftToNext(low, high, parts, SHARED);
  }
  return isOthers || areRooted(low, high);
}

/** The plane of the closest points at the start of the step, at a fixed cost: edges are not followed through the step. */
export function meetAtStart(low: PairEdge, high: PairEdge): PairMeeting {
  const parts: PairParts = closestParts(low, high, 0);
  const apart = apartAt(low, high, parts, 0);
  const met = meetingOf(low, high, { near: 0, parts, normal: normalOf(apart, low, high) });
  // until contacts are found anew
  let near = Math.min(met.gap, met.gap + CONTACTS_EVERY * (met.end - met.gap));
  if (isLeftOut(low, high, parts, apart)) {
    near = FAR;
  }
  return { near, parts, normal: met.normal, gap: met.gap, end: met.end };
}
