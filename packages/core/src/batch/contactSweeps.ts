/**
 * Contact with obstacles merged into Newton's iterations (docs/notes/batch-engine.md, "Merged contact"). Translated to WGSL like sweeps.ts.
 *
 * Contacts are rows of displacements over the step. One iteration alternates between the law of Coulomb at every contact, and one
 * Newton iteration of the strand with the contact forces and a stiffness ρ at the points: the ADMM of contact/solve, without copies.
 * Every edge has two contacts for each obstacle: its second node, and its inside where that is closer. The first node of a strand that
 * is not held has contacts behind them.
 */
import { add, dot, type Matrix, type Quaternion, scale, subtract, type Vector } from './algebra.ts';
import { compose, diagonal, fromVectorPart, normalize, tangentOf, zeroVector } from './formulas.ts';
import { DISPLACEMENT, MOST_ITERATIONS, PLANE, RELATIVE, type Stage, VELOCITY } from './layout.ts';
import { closestPart, measureObstacle, type Obstacle, surfaceShift } from './obstacles.ts';
import { type Compliance, passEdge, passJoint, pointCompliance } from './points.ts';
import {
  clearContact,
  edgeCountOf,
  firstPairOf,
  frameOfRoot,
  frameOfRootBefore,
  hasFreeRoot,
  type Index,
  inverseOf,
  isPushed,
  lengthOf,
  massOf,
  nodeForceOf,
  obstacleCountOf,
  obstacleOf,
  pointCountOf,
  pointOf,
  radiusOf,
  readContact,
  readGain,
  readState,
  rootPositionOf,
  type Strand,
  sparedEdgesOf,
  writeContact,
  writeForces,
  writeStiffness,
  writeWeight,
} from './strand.ts';
import { iterateStage } from './sweeps.ts';

/** A contact of an edge with an obstacle. */
export interface Contact {
  /** 1 where the surfaces may meet within the step; 2 where they did not in the step before; 0 else. */
  readonly active: Index;
  readonly part: number;
  readonly normal: Vector;
  /** What is added to the displacement along the normal: the gap, or what an overlap is pushed out by [m]. */
  readonly offset: number;
  /** Of the surface over the step [m]. */
  readonly surface: Vector;
  readonly friction: number;
  /** On the strand [N]; with what Newton uses, which over-shoots. */
  readonly force: Vector;
  readonly push: Vector;
  /** ρ [N/m] */
  readonly stiffness: number;
}

/** Forces of a contact: its own, and the one that Newton uses [N]. */
export interface ContactForces {
  readonly force: Vector;
  readonly push: Vector;
}

/** Where obstacles press: overlap of the deepest contact [m], and whether the strand is to take implicit Euler. */
export interface Search {
  readonly overlap: number;
  readonly presses: boolean;
}

/** Parts of the contact radius within which a predicted gap counts, and by which the inside of an edge must be closer than its ends. */
const NEAR = 0.5;
const CLOSER = 0.01;
/** Part of the radius within which a strand counts as in contact. */
const TOUCHING = 0.1;
/** r0 of ρ = r0/(κ W): docs/notes/batch-engine.md. */
const SHARE = 0.5;
/** Change of a contact's place in an iteration that ends them, in radii. */
const SETTLED = 0.02;
/** Factor on ρ of new contacts, in the first iteration and later. */
const FIRST = 2;
const LATER = 1;

/** By how much an overlap is pushed out in a step: as in contact/solve, but up to half a radius, since few iterations let more in. */
export function easeOut(depth: number, radius: number): number {
  const push = Math.max(0.2 * (depth - 0.01 * radius), 0.5 * (depth - 0.025 * radius));
  return Math.min(Math.max(0, push), 0.5 * radius);
}

/** A place of an edge near an obstacle: part of the edge, gap between the surfaces [m], normal, surface's way over the step [m]. */
interface Place {
  readonly part: number;
  readonly gap: number;
  readonly normal: Vector;
  readonly surface: Vector;
  readonly friction: number;
}

function placeOf(o: Obstacle, part: number, x: Vector, radius: number): Place {
  const at = measureObstacle(o, x);
  return {
    part,
    gap: at.value - radius,
    normal: at.normal,
    surface: surfaceShift(o, subtract(x, scale(at.value, at.normal))),
    friction: o.friction,
  };
}

/** Way of node i over the step under its loads alone [m]. */
export function flightOf(s: Strand, i: Index, dt: number): Vector {
  return add(scale(dt, readState(s, i, VELOCITY)), scale((dt * dt) / massOf(s, i), nodeForceOf(s, i)));
}

/** Gap at the end of the step if the edge flew [m]. */
function predictGap(span: Span, place: Place): number {
  const way = add(scale(1 - place.part, span.wayOfFirst), scale(place.part, span.wayOfSecond));
  return place.gap + dot(place.normal, subtract(way, place.surface));
}

/** Writes contact c of edge j, with the force of the last step. `near`: the least of its gap, now and predicted [m]. */
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
      offset: place.gap > 0 ? place.gap : -easeOut(-place.gap, radius),
      surface: place.surface,
      friction: place.friction,
      force,
      push: force,
      stiffness: 0,
    });
  } else {
    clearContact(s, j, c);
  }
}

/** Contacts of the edge j from x with obstacle k; least gap now and predicted [m]. */
function findWithObstacle(s: Strand, j: Index, k: Index, span: Span): Reach {
  const o = obstacleOf(s, k);
  const radius = radiusOf(s, j);
  const node = placeOf(o, 1, add(span.x, span.edge), radius);
  let gap = node.gap;
  let predicted = predictGap(span, node);
  placeContact(s, j, 2 * k, node, Math.min(gap, predicted));
  let searched = false;
  const ends = Math.min(gap, measureObstacle(o, span.x).value - radius);
  // the distance changes by no more than the way: most edges need no search
  if (o.kind !== PLANE && j >= sparedEdgesOf(s, k) && ends < Math.sqrt(dot(span.edge, span.edge))) {
    const part = closestPart(o, span.x, span.edge);
    const inside = placeOf(o, part, add(span.x, scale(part, span.edge)), radius);
    if (inside.gap < ends - CLOSER * radius) {
      searched = true;
      const ahead = predictGap(span, inside);
      placeContact(s, j, 2 * k + 1, inside, Math.min(inside.gap, ahead));
      gap = inside.gap;
      predicted = Math.min(predicted, ahead);
      // a node between two edges whose insides are closer touches nothing
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
  // the first node of a strand that is not held
  if (j === 0 && hasFreeRoot(s)) {
    const first = placeOf(o, 0, span.x, radius);
    const ahead = predictGap(span, first);
    placeContact(s, j, 2 * obstacleCountOf(s) + k, first, Math.min(first.gap, ahead));
    gap = Math.min(gap, first.gap);
    predicted = Math.min(predicted, ahead);
  }
  return { gap, predicted };
}

/** An edge at the start of the step: where it begins, the edge, and the displacements of its nodes over the step under loads alone [m]. */
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

/** Finds contacts at the start of the step; before `beginStage`. */
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
      // the second node of the last spared edge is met
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

/** Implicit Euler for strands in contact: a scheme of second order answers an impact with a rebound that nobody asked for. */
export function pressedStage(dt: number): Stage {
  return {
    inertia: 1 / (dt * dt),
    rate: 1 / dt,
    targetDisplacement: 0,
    targetVelocity: dt,
    targetTarget: 0,
    targetRate: 0,
    rateDisplacement: 0,
    rateVelocity: 0,
    guessRate: 0,
    continues: 0,
    keeps: 1,
  };
}

/** Active contacts of edge j; `inside`: only those that also touch its first node. */
function activeCountOf(s: Strand, j: Index, inside: boolean): number {
  const points = pointCountOf(s, j);
  let count = 0;
  for (let c = 0; c < points; c++) {
    if (isPushed(s, j, c)) {
      if (!inside || pointOf(s, j, c).part < 1) {
        count = count + 1;
      }
    }
  }
  return count;
}

/** Active contacts at node i. */
function crowdOf(s: Strand, i: Index): number {
  let crowd = 0;
  if (i > 0) {
    crowd = activeCountOf(s, i - 1, false);
  }
  if (i < edgeCountOf(s)) {
    crowd = crowd + activeCountOf(s, i, true);
  }
  return crowd;
}

/** ρ of every contact: a part of the inverse of its compliance, shared by the contacts about its nodes. */
function weighContacts(s: Strand, root: Matrix): void {
  let q: Quaternion = frameOfRoot(s);
  let at: Compliance = { yy: root, yp: diagonal(0), pp: diagonal(0) };
  let crowdBefore = crowdOf(s, 0);
  for (let j = 0; j < edgeCountOf(s); j++) {
    q = normalize(compose(q, fromVectorPart(readState(s, j, RELATIVE))));
    const length = lengthOf(s, j);
    const edge = scale(length, tangentOf(q));
    const around = passJoint(at, readGain(s, j, length), inverseOf(s, j));
    const points = pointCountOf(s, j);
    const crowdBehind = crowdOf(s, j + 1);
    for (let c = 0; c < points; c++) {
      if (isPushed(s, j, c)) {
        const point = pointOf(s, j, c);
        let crowd = crowdBehind;
        if (point.part < 1) {
          crowd = Math.max(crowd, crowdBefore);
        }
        const compliance = pointCompliance(around, edge, point);
        if (c < firstPairOf(s)) {
          writeStiffness(s, j, c, SHARE / (crowd * compliance));
        } else {
          writeWeight(s, j, c - firstPairOf(s), crowd * compliance);
        }
      }
    }
    crowdBefore = crowdBehind;
    at = passEdge(around, edge);
  }
}

/** What the law changed: contacts that carry force, and the largest change of a force by its stiffness, squared [m²]. */
export interface LawChange {
  readonly change: number;
  readonly loaded: Index;
}

/** The law of Coulomb at the contacts of edge j with obstacles, for the present displacements. */
export function applyLawAt(s: Strand, j: Index, boost: number): LawChange {
  let change = 0;
  let loaded: Index = 0;
  const points = Math.min(pointCountOf(s, j), firstPairOf(s));
  for (let c = 0; c < points; c++) {
    if (isPushed(s, j, c)) {
      const contact = readContact(s, j, c);
      const moved = add(
        scale(1 - contact.part, readState(s, j, DISPLACEMENT)),
        scale(contact.part, readState(s, j + 1, DISPLACEMENT)),
      );
      const stiffness = contact.active === 2 ? boost * contact.stiffness : contact.stiffness;
      const force = coulombForce(contact, subtract(moved, contact.surface), stiffness);
      const step = subtract(force, contact.force);
      change = Math.max(change, dot(step, step) / (stiffness * stiffness));
      if (dot(force, force) > 0) {
        loaded = loaded + 1;
      }
      writeForces(s, j, c, { force, push: add(force, step) });
    }
  }
  return { change, loaded };
}

/** The same at every contact of the strand with an obstacle. */
function applyLaw(s: Strand, boost: number): LawChange {
  let change = 0;
  let loaded: Index = 0;
  for (let j = 0; j < edgeCountOf(s); j++) {
    const law = applyLawAt(s, j, boost);
    change = Math.max(change, law.change);
    loaded = loaded + law.loaded;
  }
  return { change, loaded };
}

/** Exact Coulomb friction for an isotropic response 1/ρ: stick, or slide on the edge of the cone. `moved`: against the surface [m]. */
export function coulombForce(contact: Contact, moved: Vector, stiffness: number): Vector {
  const n = contact.normal;
  const wanted = subtract(contact.force, scale(stiffness, moved));
  const along = dot(wanted, n);
  const press = along - stiffness * contact.offset;
  const across = subtract(wanted, scale(along, n));
  const size = Math.sqrt(dot(across, across));
  const most = contact.friction * press;
  let force: Vector = zeroVector();
  if (press > 0) {
    force = add(scale(press, n), size > most ? scale(most / size, across) : across);
  }
  return force;
}

/** Factor on ρ of new contacts in iteration k. */
export function boostAt(k: Index): number {
  return k === 0 ? FIRST : LATER;
}

/** Whether a change of contacts is too large to end the iterations. */
export function isLarge(s: Strand, change: number): boolean {
  const limit = SETTLED * radiusOf(s, 0);
  return change > limit * limit;
}

/** After iterations with contact. */
export interface PressedProgress {
  readonly tip: Quaternion;
  /** Square of the last turn [rad²]. */
  readonly largest: number;
  /** Whether contacts have not settled. */
  readonly moves: boolean;
  /** Square of how far a contact was from its place in the last iteration, at most [m²]. */
  readonly change: number;
  /** Contacts that carry force, and iterations so far. */
  readonly loaded: Index;
  readonly iterations: Index;
}

/** Which iterations to do: the first, the one after the last, and how many are done at least before contacts may count as settled. */
export interface PressedRange {
  readonly first: Index;
  readonly end: Index;
  readonly least: Index;
}

/** One Newton iteration under the contact forces of the last step, from which the stiffness of contacts follows; the last edge's frame. */
export function beginPressed(s: Strand, stage: Stage, tip: Quaternion): Quaternion {
  const progress = iterateStage(s, stage, tip);
  weighContacts(s, progress.root);
  return progress.tip;
}

/** Law and Newton in turn, until contacts have settled or the range ends. */
export function continuePressed(s: Strand, stage: Stage, start: Quaternion, range: PressedRange): PressedProgress {
  let tip: Quaternion = start;
  let largest = 0;
  let change = 0;
  let loaded: Index = 0;
  let iterations: Index = range.first;
  let moves = true;
  for (let k = range.first; k < range.end && moves; k++) {
    const law = applyLaw(s, boostAt(k));
    const progress = iterateStage(s, stage, tip);
    tip = progress.tip;
    largest = progress.largest;
    change = law.change;
    loaded = law.loaded;
    iterations = k + 1;
    moves = k + 1 < range.least || isLarge(s, change);
  }
  return { tip, largest, moves, change, loaded, iterations };
}

/** A stage with contact: at least `least` iterations. */
export function solvePressed(s: Strand, stage: Stage, tip: Quaternion, least: Index): PressedProgress {
  return continuePressed(s, stage, beginPressed(s, stage, tip), { first: 0, end: MOST_ITERATIONS, least });
}
