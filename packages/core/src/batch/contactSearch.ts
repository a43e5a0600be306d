/**
 * Contacts of a strand with obstacles at the start of a step, for contactSweeps.ts. Translated to WGSL like sweeps.ts.
 *
 * Every edge has two contacts per obstacle: one at its second node, and one between its nodes if that is closer. If the root is free, the contacts of the
 * first node follow in a third place.
 */
import { add, dot, type Quaternion, scale, subtract, type Vector } from './algebra.ts';
import { closestPart, measureObstacle } from './distances.ts';
import { compose, fromVectorPart, normalize, tangentOf, zeroVector } from './formulas.ts';
import { PLANE, RELATIVE, VELOCITY } from './layout.ts';
import { type Obstacle, surfaceShift } from './obstacles.ts';
import {
  clearContact,
  edgeCountOf,
  frameOfRootBefore,
  hasFreeRoot,
  type Index,
  isPushed,
  lengthOf,
  massOf,
  nodeForceOf,
  obstacleCountOf,
  obstacleOf,
  radiusOf,
  readContact,
  readState,
  rootPositionOf,
  type Strand,
  sparedEdgesOf,
  writeContact,
} from './strand.ts';

/** Result of a search: overlap of the deepest contact [m], and whether the strand must take implicit Euler. */
export interface Search {
  readonly overlap: number;
  readonly presses: boolean;
}

/** As parts of the contact radius: largest predicted gap of a contact, and how much closer than its ends the inside of an edge must be to get one. */
const NEAR = 0.5;
const CLOSER = 0.01;
/** Part of the radius within which a strand counts as in contact. */
const TOUCHING = 0.1;

/** Reduction of an overlap per step, as in contact/solve, but up to half a radius: with few iterations overlaps are deeper. */
function easeOut(depth: number, radius: number): number {
  const push = Math.max(0.2 * (depth - 0.01 * radius), 0.5 * (depth - 0.025 * radius));
  return Math.min(Math.max(0, push), 0.5 * radius);
}

/** `closing` of a contact. `way`: displacement of the obstacle's surface over the step [m]. */
export function closingOf(way: Vector, normal: Vector, gap: number, radius: number): Vector {
  return subtract(way, scale(gap > 0 ? gap : -easeOut(-gap, radius), normal));
}

/** A point of an edge near an obstacle: its part of the edge, gap between the surfaces [m], normal, and displacement of the surface over the step [m]. */
interface Place {
  readonly part: number;
  readonly gap: number;
  readonly normal: Vector;
  readonly surface: Vector;
  readonly friction: number;
}

function placeOf(s: Strand, o: Obstacle, part: number, x: Vector, radius: number): Place {
  const at = measureObstacle(s, o, x);
  return {
    part,
    gap: at.value - radius,
    normal: at.normal,
    surface: surfaceShift(o, subtract(x, scale(at.value, at.normal))),
    friction: o.friction,
  };
}

/** Displacement of node i over the step under its loads alone [m]. */
export function flightOf(s: Strand, i: Index, dt: number): Vector {
  return add(scale(dt, readState(s, i, VELOCITY)), scale((dt * dt) / massOf(s, i), nodeForceOf(s, i)));
}

/** Gap at the end of the step if loads alone move the edge [m]. */
function predictGap(span: Span, place: Place): number {
  const way = add(scale(1 - place.part, span.wayOfFirst), scale(place.part, span.wayOfSecond));
  return place.gap + dot(place.normal, subtract(way, place.surface));
}

/** Writes contact c of edge j, with the force of the last step. `near`: the smaller of its current and predicted gaps [m]. */
function placeContact(s: Strand, j: Index, c: Index, place: Place, near: number): void {
  const radius = radiusOf(s, j);
  if (near < NEAR * radius) {
    let active: Index = 2;
    let force: Vector = zeroVector();
    if (isPushed(s, j, c)) {
      active = 1;
      const old = readContact(s, j, c);
      if (dot(old.force, place.normal) > 0) {
        force = old.force;
      }
    }
    writeContact(s, j, c, {
      active,
      part: place.part,
      normal: place.normal,
      closing: closingOf(place.surface, place.normal, place.gap, radius),
      friction: place.friction,
      force,
      push: force,
      stiffness: 0,
      tangentStiffness: 0,
    });
  } else {
    clearContact(s, j, c);
  }
}

/** Finds the contacts of edge j with obstacle k; returns the smallest gap, current or predicted [m]. */
function findWithObstacle(s: Strand, j: Index, k: Index, span: Span): Reach {
  const o = obstacleOf(s, k);
  const radius = radiusOf(s, j);
  const node = placeOf(s, o, 1, add(span.x, span.edge), radius);
  let gap = node.gap;
  let predicted = predictGap(span, node);
  placeContact(s, j, 2 * k, node, Math.min(gap, predicted));
  let searched = false;
  const ends = Math.min(gap, measureObstacle(s, o, span.x).value - radius);
  // a distance changes at most by the displacement, so most edges need no search
  if (o.kind !== PLANE && j >= sparedEdgesOf(s, k) && ends < Math.sqrt(dot(span.edge, span.edge))) {
    const part = closestPart(s, o, span.x, span.edge);
    const inside = placeOf(s, o, part, add(span.x, scale(part, span.edge)), radius);
    if (inside.gap < ends - CLOSER * radius) {
      searched = true;
      const ahead = predictGap(span, inside);
      placeContact(s, j, 2 * k + 1, inside, Math.min(inside.gap, ahead));
      gap = inside.gap;
      predicted = Math.min(predicted, ahead);
      // a node has no contact if the insides of both its edges are closer
      if (j > 0) {
        if (isPushed(s, j - 1, 2 * k + 1)) {
          clearContact(s, j - 1, 2 * k);
        }
      }
    }
  }
  if (!searched) {
    clearContact(s, j, 2 * k + 1);
  }
  // the first node of a strand with a free root
  if (j === 0 && hasFreeRoot(s)) {
    const first = placeOf(s, o, 0, span.x, radius);
    const ahead = predictGap(span, first);
    placeContact(s, j, 2 * obstacleCountOf(s) + k, first, Math.min(first.gap, ahead));
    gap = Math.min(gap, first.gap);
    predicted = Math.min(predicted, ahead);
  }
  return { gap, predicted };
}

/** An edge at the start of the step: its first node, its vector, and the displacements of its nodes over the step under loads alone [m]. */
interface Span {
  readonly x: Vector;
  readonly edge: Vector;
  readonly wayOfFirst: Vector;
  readonly wayOfSecond: Vector;
}

interface Reach {
  readonly gap: number;
  readonly predicted: number;
}

/** Finds contacts at the start of the step; call before `beginStage`. */
export function findContacts(s: Strand, dt: number): Search {
  let q: Quaternion = frameOfRootBefore(s);
  let x: Vector = rootPositionOf(s);
  let wayOfFirst: Vector = flightOf(s, 0, dt);
  let overlap = 0;
  let presses = false;
  for (let j = 0; j < edgeCountOf(s); j++) {
    q = normalize(compose(q, fromVectorPart(readState(s, j, RELATIVE))));
    const edge = scale(lengthOf(s, j), tangentOf(q));
    const wayOfSecond = flightOf(s, j + 1, dt);
    for (let k = 0; k < obstacleCountOf(s); k++) {
      // the second node of the last spared edge can touch the obstacle
      if (j + 1 >= sparedEdgesOf(s, k)) {
        const reach = findWithObstacle(s, j, k, { x, edge, wayOfFirst, wayOfSecond });
        overlap = Math.max(overlap, -reach.gap);
        presses = presses || Math.min(reach.predicted, reach.gap) < TOUCHING * radiusOf(s, j);
      }
    }
    x = add(x, edge);
    wayOfFirst = wayOfSecond;
  }
  return { overlap, presses };
}
