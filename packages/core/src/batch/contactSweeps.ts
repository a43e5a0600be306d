/**
 * Contact with obstacles merged into Newton's iterations (docs/notes/batch-engine.md, "Merged contact"). Translated to WGSL like sweeps.ts.
 *
 * Contacts (contactSearch.ts) are rows of displacements over the step. One iteration applies the law of Coulomb at every contact, and then one Newton
 * iteration to the strand. Both are steps of the method of multipliers: the law updates the contact forces, and Newton's matrix has the derivative of the
 * law, a stiffness ρ at contacts that press or stick. In violent motion ρ stays at all contacts, which is the ADMM of contact/solve.
 */
import { add, dot, type Matrix, type Quaternion, scale, subtract, type Vector } from './algebra.ts';
import { compose, diagonal, fromVectorPart, normalize, tangentOf, zeroVector } from './formulas.ts';
import { DISPLACEMENT, LATE, MOST_ALONE, PATIENCE, RELATIVE, type Stage } from './layout.ts';
import type { Contact } from './obstacles.ts';
import { type Compliance, passEdge, passJoint, pointCompliance } from './points.ts';
import {
  edgeCountOf,
  firstPairOf,
  frameOfRoot,
  hasPairs,
  type Index,
  inverseOf,
  isPushed,
  keepCompliance,
  lengthOf,
  massOf,
  nodeForceOf,
  pointCountOf,
  pointOf,
  radiusOf,
  readContact,
  readGain,
  readState,
  type Strand,
  writeForces,
  writeStiffness,
  writeWeight,
} from './strand.ts';
import { iterateStage } from './sweeps.ts';

/** ρ times the compliance of a contact; in strands that touch strands, of all contacts around a node together. */
const SHARE = 1;
export const COUPLED_SHARE = 0.5;
/** Contacts have settled if the last iteration changed them less than this: displacement of a contact [radii], and rotation of an edge [rad]. */
export const SETTLED = 0.02;
/**
 * Without pairs also less than this part of the displacement that loads add in the step, down to the least [radii]. Forces follow from displacements by
 * mass/dt², so a fixed displacement would leave the forces of short steps arbitrary.
 */
const SETTLED_MOTION = 0.02;
const SETTLED_LEAST = 1e-4;
const TURN_SETTLED = 0.003;
/** If an edge turns by more in one iteration [rad], the next one keeps ρ also at contacts that carry no force. */
const VIOLENT = 0.01;
/**
 * From iteration PATIENCE on, while edges turn by less than CALM [rad], every iteration doubles ρ, up to BOOST_LIMIT times the first one: contacts beside each other on a stiff piece of
 * hair would otherwise settle at the rate of 1 − (compliance of their difference)/(compliance of each), often 1 %. If edges turn by more again, it halves ρ.
 */
const CALM = 3e-4;
const BOOST = 2;
/** The same from iteration LATE on, when contacts that open and close in turn are taken to be why nothing settles. What is not calm then alternates. */
const CALM_LATE = 7.5e-5;
const BOOST_LIMIT = 256;
/** Larger than the square of any rotation [rad²]. */
const NO_TURN = 1e9;

/** Implicit Euler for strands in contact: second-order schemes rebound from an impact although restitution is 0. */
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

/** Sets ρ of every contact: a part of the inverse of its compliance, divided among the contacts around its nodes. */
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
          writeStiffness(s, j, c, (hasPairs(s) ? COUPLED_SHARE / crowd : SHARE) / compliance);
        } else {
          writeWeight(s, j, c - firstPairOf(s), compliance, crowd);
        }
      }
    }
    crowdBefore = crowdBehind;
    at = passEdge(around, edge);
    keepCompliance(s, j, at);
  }
}

/** Result of applying the law: number of contacts that carry force, and the largest change of a force divided by its stiffness, squared [m²]. */
export interface LawChange {
  readonly change: number;
  readonly loaded: Index;
}

/**
 * Applies Coulomb's law to the contacts of edge j with obstacles, at the current displacements. `alternates`: Newton's matrix has ρ at all contacts;
 * otherwise the derivative of the law. `growth`: factor on ρ.
 */
export function applyLawAt(s: Strand, j: Index, alternates: boolean, growth: number): LawChange {
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
      const rho = growth * contact.stiffness;
      writeStiffness(s, j, c, rho);
      const apart = subtract(moved, contact.closing);
      const force = coulombForce(contact, contact.force, apart, rho).force;
      const step = subtract(force, contact.force);
      change = Math.max(change, dot(step, step) / (rho * rho));
      let push: Vector = add(force, step);
      let tangentStiffness = rho;
      if (!alternates) {
        const next = coulombForce(contact, force, apart, rho);
        push = next.force;
        tangentStiffness = next.grip * rho;
      }
      if (dot(force, force) > 0) {
        loaded = loaded + 1;
      }
      writeForces(s, j, c, { force, push, tangentStiffness });
    }
  }
  return { change, loaded };
}

/** Applies Coulomb's law at every contact of the strand with an obstacle. */
export function applyLaw(s: Strand, alternates: boolean, growth: number): LawChange {
  let change = 0;
  let loaded: Index = 0;
  for (let j = 0; j < edgeCountOf(s); j++) {
    const law = applyLawAt(s, j, alternates, growth);
    change = Math.max(change, law.change);
    loaded = loaded + law.loaded;
  }
  return { change, loaded };
}

/** Force of a contact [N], and the fraction of the tangential holding force that friction provides: 1 if it sticks, 0 without friction. */
export interface ContactForce {
  readonly force: Vector;
  readonly grip: number;
}

/** Exact Coulomb friction for an isotropic response 1/ρ: stick, or slide on the edge of the cone. `apart`: displacement from `closing` [m]. */
export function coulombForce(contact: Contact, start: Vector, apart: Vector, stiffness: number): ContactForce {
  const n = contact.normal;
  const wanted = subtract(start, scale(stiffness, apart));
  const press = dot(wanted, n);
  const across = subtract(wanted, scale(press, n));
  const size = Math.sqrt(dot(across, across));
  const most = contact.friction * press;
  let force: Vector = zeroVector();
  let grip = 0;
  if (press > 0) {
    grip = size > most ? most / size : 1;
    force = add(scale(press, n), scale(grip, across));
  }
  return { force, grip };
}

/** True if contacts changed too much for the iterations to end. */
export function isLarge(s: Strand, change: number): boolean {
  const limit = SETTLED * radiusOf(s, 0);
  return change > limit * limit;
}

/** Displacement below which the contacts of a strand without pairs have settled [m]. */
function settledDisplacement(s: Strand, stage: Stage): number {
  const radius = radiusOf(s, 0);
  const force = nodeForceOf(s, 1);
  const added = Math.sqrt(dot(force, force)) / (massOf(s, 1) * stage.inertia);
  return Math.min(SETTLED * radius, Math.max(SETTLED_LEAST * radius, SETTLED_MOTION * added));
}

/** Factor on ρ in iteration k, after one in which edges turned by `largest` [rad²]. */
function growthOf(k: Index, largest: number, boost: number): number {
  const calm = k >= LATE ? CALM_LATE : CALM;
  let growth = 1;
  if (largest < calm * calm) {
    if (k >= PATIENCE && boost < BOOST_LIMIT) {
      growth = BOOST;
    }
  } else if (boost > 1) {
    growth = 1 / BOOST;
  }
  return growth;
}

/** State of the iterations with contact. */
export interface PressedProgress {
  readonly tip: Quaternion;
  /** Square of the largest rotation of an edge in the last iteration [rad²]. */
  readonly largest: number;
  /** True while contacts have not settled. */
  readonly moves: boolean;
  /** Square of the largest displacement of a contact in the last iteration [m²]. */
  readonly change: number;
  /** Number of contacts that carry force, and of iterations so far. */
  readonly loaded: Index;
  readonly iterations: Index;
  /** ρ of the last iteration, relative to that of the first. */
  readonly boost: number;
}

/** A range of iterations: the first, the one after the last, and the least number before contacts may count as settled. */
export interface PressedRange {
  readonly first: Index;
  readonly end: Index;
  readonly least: Index;
  /** Square of the largest rotation in the iteration before the first [rad²]; unused if the first is 0. */
  readonly largest: number;
  /** ρ relative to that which `beginPressed` set. */
  readonly boost: number;
}

/** One Newton iteration under the contact forces of the last step; sets the stiffness of contacts. Returns the frame of the last edge. */
export function beginPressed(s: Strand, stage: Stage, tip: Quaternion): Quaternion {
  const progress = iterateStage(s, stage, tip);
  weighContacts(s, progress.root);
  return progress.tip;
}

/** Alternates contact law and Newton iterations until contacts have settled or the range ends. */
export function continuePressed(s: Strand, stage: Stage, start: Quaternion, range: PressedRange): PressedProgress {
  let tip: Quaternion = start;
  // nothing is known of the motion before iteration 0
  let largest = range.first === 0 ? NO_TURN : range.largest;
  let change = 0;
  let loaded: Index = 0;
  let iterations: Index = range.first;
  let moves = true;
  let boost: number = range.boost;
  const settled = settledDisplacement(s, stage);
  for (let k = range.first; k < range.end && moves; k++) {
    const growth = growthOf(k, largest, boost);
    boost = boost * growth;
    const violent = k >= LATE ? CALM : VIOLENT;
    const law = applyLaw(s, largest > violent * violent, growth);
    const progress = iterateStage(s, stage, tip);
    tip = progress.tip;
    largest = progress.largest;
    change = law.change;
    loaded = law.loaded;
    iterations = k + 1;
    moves = k + 1 < range.least || change > settled * settled || largest > TURN_SETTLED * TURN_SETTLED;
  }
  return { tip, largest, moves, change, loaded, iterations, boost };
}

/** Solves a stage with contact, in at least `least` iterations. */
export function solvePressed(s: Strand, stage: Stage, tip: Quaternion, least: Index): PressedProgress {
  return continuePressed(s, stage, beginPressed(s, stage, tip), {
    first: 0,
    end: MOST_ALONE,
    least,
    largest: 0,
    boost: 1,
  });
}
