/**
 * Contact between strands, merged into Newton's iterations like that with obstacles (contactSweeps.ts). Translated to WGSL like sweeps.ts.
 *
 * Every edge has PAIR_SLOTS contacts with other edges. Each edge keeps its own copy of a pair: the force on the lower edge, computed from
 * the same numbers on both sides, so that action and reaction are the same bits without atomics. Strands that touch iterate in lockstep: all edges apply the law,
 * then all strands take a Newton iteration. Every function here does the work of one edge, so that edges can be processed in parallel.
 */
import { add, dot, scale, subtract, type Vector } from './algebra.ts';
import { closingOf } from './contactSearch.ts';
import { applyLawAt, coulombForce, type LawChange } from './contactSweeps.ts';
import { zeroVector } from './formulas.ts';
import { PAIR_SLOTS } from './layout.ts';
import type { Contact } from './obstacles.ts';
import { type EdgeName, meetAtStart, meetEdges, type PairMeeting, type Partner } from './pairs.ts';
import {
  candidateCountOf,
  candidateOf,
  clearContact,
  clearPartner,
  displacementOf,
  firstPairOf,
  type Index,
  isPushed,
  isRealTime,
  pairEdgeOf,
  pairFrictionOf,
  partnerOf,
  readContact,
  readWeight,
  type Strand,
  strandIndexOf,
  writeContact,
  writeForces,
  writePartner,
  writeSide,
  writeStiffness,
} from './strand.ts';

/** Result of a search: pairs for which there was no slot, pairs of which the edge is the lower that overlap by more than DEEP, and the deepest overlap [m]. */
export interface PairSearch {
  readonly dropped: Index;
  readonly deep: Index;
  readonly overlap: number;
}

/** Largest gap of a contact, current or predicted, as a part of the sum of radii: of contacts that carry force, and of others. */
export const PAIR_NEAR = 0.15;
export const PAIR_FRESH = 0.1;
/** r0 of ρ = 2 r0/(κ W + κ' W'): docs/notes/batch-engine.md. */
const PAIR_SHARE = 1;
/** Factor on ρ of new contacts in the first iteration. */
const FIRST = 2;
/** Depth, in sums of radii, to which a step must not press a pair: edges would be about to pass through each other. */
export const PASSING = 0.75;
/** Depth, in sums of radii, at which a pair counts as deep. */
const DEEP = 0.25;
/** Depth, in sums of radii, at which a pair without a contact counts as missed. */
export const PAIR_MISSED = 0.25;

function isLower(a: EdgeName, b: EdgeName): boolean {
  return a.strand < b.strand || (a.strand === b.strand && a.edge < b.edge);
}

/** How edge j meets another. `isSolved`: with the displacements of the present iterate, else as predicted. */
function meetOther(s: Strand, j: Index, other: EdgeName, isSolved: boolean): PairMeeting {
  const pair = orderPair({ strand: strandIndexOf(s), edge: j }, other);
  return meetEdges(
    pairEdgeOf(s, pair.low.strand, pair.low.edge, isSolved),
    pairEdgeOf(s, pair.high.strand, pair.high.edge, isSolved),
  );
}

/** Two edges, the lower first. */
interface OrderedPair {
  readonly low: EdgeName;
  readonly high: EdgeName;
}

function orderPair(own: EdgeName, other: EdgeName): OrderedPair {
  let low: EdgeName = own;
  let high: EdgeName = other;
  if (isLower(high, low)) {
    high = low;
    low = other;
  }
  return { low, high };
}

/** How edge j meets another within the step, as predicted. */
function expectMeeting(s: Strand, j: Index, other: EdgeName): PairMeeting {
  const pair = orderPair({ strand: strandIndexOf(s), edge: j }, other);
  const low = pairEdgeOf(s, pair.low.strand, pair.low.edge, false);
  const high = pairEdgeOf(s, pair.high.strand, pair.high.edge, false);
  if (isRealTime(s)) {
    return meetAtStart(low, high);
  }
  return meetEdges(low, high);
}

/** 1 if edge j is the lower of a pair that overlaps by more than DEEP. */
function countDeep(s: Strand, j: Index, other: EdgeName, gap: number): Index {
  const own: EdgeName = { strand: strandIndexOf(s), edge: j };
  let count: Index = 0;
  if (isLower(own, other) && -gap > DEEP * sumOfRadii(s, j, other)) {
    count = 1;
  }
  return count;
}

function sumOfRadii(s: Strand, j: Index, other: EdgeName): number {
  return pairEdgeOf(s, strandIndexOf(s), j, false).radius + pairEdgeOf(s, other.strand, other.edge, false).radius;
}

/** In real time rows have the gap itself, which steps without a search carry on. */
function closingOfPair(s: Strand, meeting: PairMeeting, radius: number): Vector {
  if (isRealTime(s)) {
    return scale(-meeting.gap, meeting.normal);
  }
  return closingOf(zeroVector(), meeting.normal, meeting.gap, radius);
}

/** Writes contact c of edge j. `force`: on the lower edge in the last step; `active`: as in Contact. */
export function placePair(s: Strand, j: Index, c: Index, other: EdgeName, meeting: PairMeeting): void {
  const own: EdgeName = { strand: strandIndexOf(s), edge: j };
  const isLow = isLower(own, other);
  let active: Index = 2;
  let force: Vector = zeroVector();
  if (isPushed(s, j, c)) {
    active = 1;
    const old = readContact(s, j, c);
    if (dot(old.force, meeting.normal) > 0) {
      force = old.force;
    }
  }
  writeContact(s, j, c, {
    active,
    part: isLow ? meeting.parts.low : meeting.parts.high,
    normal: meeting.normal,
    closing: closingOfPair(s, meeting, 0.5 * sumOfRadii(s, j, other)),
    friction: pairFrictionOf(s),
    force,
    push: isLow ? force : scale(-1, force),
    stiffness: 0,
    tangentStiffness: 0,
  });
  writePartner(s, j, c, {
    strand: other.strand,
    edge: other.edge,
    part: isLow ? meeting.parts.high : meeting.parts.low,
    isSet: 1,
  });
}

/** True if edge j has a contact with the other edge. */
export function hasPair(s: Strand, j: Index, other: EdgeName): boolean {
  let found = false;
  for (let k = 0; k < PAIR_SLOTS; k++) {
    if (isPushed(s, j, firstPairOf(s) + k)) {
      const partner = partnerOf(s, strandIndexOf(s), j, k);
      found = found || (partner.strand === other.strand && partner.edge === other.edge);
    }
  }
  return found;
}

/** Keeps the contacts of edge j whose gap is still small, and removes the others. */
function keepPairs(s: Strand, j: Index): PairSearch {
  let overlap = 0;
  let deep: Index = 0;
  for (let k = 0; k < PAIR_SLOTS; k++) {
    const c = firstPairOf(s) + k;
    let isKept = false;
    if (isPushed(s, j, c)) {
      const partner = partnerOf(s, strandIndexOf(s), j, k);
      const other: EdgeName = { strand: partner.strand, edge: partner.edge };
      const meeting = expectMeeting(s, j, other);
      const old = readContact(s, j, c);
      const limit = dot(old.force, old.force) > 0 ? PAIR_NEAR : PAIR_FRESH;
      if (meeting.near < limit * sumOfRadii(s, j, other)) {
        placePair(s, j, c, other, meeting);
        overlap = Math.max(overlap, -meeting.gap);
        deep = deep + countDeep(s, j, other, meeting.gap);
        isKept = true;
      }
    }
    if (!isKept) {
      clearContact(s, j, c);
      clearPartner(s, j, k);
    }
  }
  return { dropped: 0, deep, overlap };
}

/** Finds contacts of edge j with strands at the start of the step; call before `confirmPairsOf` of any edge. */
export function findPairsOf(s: Strand, j: Index): PairSearch {
  const kept = keepPairs(s, j);
  let overlap = kept.overlap;
  let deep: Index = kept.deep;
  let dropped: Index = 0;
  const count = candidateCountOf(s, j);
  for (let n = 0; n < count; n++) {
    const other = candidateOf(s, j, n);
    if (!hasPair(s, j, other)) {
      const meeting = expectMeeting(s, j, other);
      if (meeting.near < PAIR_FRESH * sumOfRadii(s, j, other)) {
        overlap = Math.max(overlap, -meeting.gap);
        deep = deep + countDeep(s, j, other, meeting.gap);
        let isPlaced = false;
        for (let k = 0; k < PAIR_SLOTS && !isPlaced; k++) {
          if (!isPushed(s, j, firstPairOf(s) + k)) {
            placePair(s, j, firstPairOf(s) + k, other, meeting);
            isPlaced = true;
          }
        }
        if (!isPlaced) {
          dropped = dropped + 1;
        }
      }
    }
  }
  return { dropped, deep, overlap };
}

/** Removes contacts of edge j for which the other edge had no slot. Returns whether any is left. */
export function confirmPairsOf(s: Strand, j: Index): boolean {
  const own = strandIndexOf(s);
  let presses = false;
  for (let k = 0; k < PAIR_SLOTS; k++) {
    const partner = partnerOf(s, own, j, k);
    if (partner.isSet === 1) {
      let isMutual = false;
      for (let n = 0; n < PAIR_SLOTS; n++) {
        const back = partnerOf(s, partner.strand, partner.edge, n);
        if (back.isSet === 1 && back.strand === own && back.edge === j) {
          isMutual = true;
          writeSide(s, j, k, n);
        }
      }
      if (isMutual) {
        presses = true;
      } else {
        clearContact(s, j, firstPairOf(s) + k);
      }
    }
  }
  return presses;
}

/** Displacement of a point of any edge [m]. */
function movedAt(s: Strand, at: EdgeName, part: number): Vector {
  return add(
    scale(1 - part, displacementOf(s, at.strand, at.edge)),
    scale(part, displacementOf(s, at.strand, at.edge + 1)),
  );
}

/** Displacement of the lower point of a pair against the higher one, the same bits on both sides [m]. */
function pairMove(s: Strand, j: Index, part: number, partner: Partner): Vector {
  const own: EdgeName = { strand: strandIndexOf(s), edge: j };
  const other: EdgeName = { strand: partner.strand, edge: partner.edge };
  const move = subtract(movedAt(s, own, part), movedAt(s, other, partner.part));
  return isLower(own, other) ? move : scale(-1, move);
}

/** ρ for compliances of both sides, each times the number of contacts about its nodes [N/m]. */
export function shareOf(compliance: number, other: number): number {
  return (2 * PAIR_SHARE) / (compliance + other);
}

/** ρ of both sides of a pair [N/m]: a part of the inverse of its compliance, shared by the contacts about its nodes. */
function pairStiffness(s: Strand, j: Index, k: Index, partner: Partner): number {
  const own = readWeight(s, strandIndexOf(s), j, k);
  const other = readWeight(s, partner.strand, partner.edge, own.side);
  return shareOf(own.compliance, other.compliance);
}

/** True if edge j is the lower of a pair. */
function isLowerOf(s: Strand, j: Index, partner: Partner): boolean {
  const own: EdgeName = { strand: strandIndexOf(s), edge: j };
  const other: EdgeName = { strand: partner.strand, edge: partner.edge };
  return isLower(own, other);
}

/** Forces on the lower edge of a pair [N], and the change of the force divided by its stiffness, squared [m²]. */
export interface PairLaw {
  readonly force: Vector;
  /** Force in the next Newton iteration. */
  readonly push: Vector;
  readonly change: number;
}

/** The law of Coulomb at a pair with the stiffness ρ. `apart`: displacement of the lower point against the higher one, from `closing` [m]. */
export function pairLaw(contact: Contact, apart: Vector, rho: number, isFirst: boolean): PairLaw {
  // both sides move, so each has half of the stiffness
  const stiffness = 0.5 * (contact.active === 2 && isFirst ? FIRST * rho : rho);
  const force = coulombForce(contact, contact.force, apart, stiffness).force;
  const step = subtract(force, contact.force);
  return { force, push: add(force, step), change: dot(step, step) / (stiffness * stiffness) };
}

/** The law of Coulomb at the contacts of edge j with strands in iteration n, for the present displacements of all strands. */
function applyPairLawAt(s: Strand, j: Index, n: Index): LawChange {
  let change = 0;
  let loaded: Index = 0;
  const own = strandIndexOf(s);
  for (let k = 0; k < PAIR_SLOTS; k++) {
    const c = firstPairOf(s) + k;
    if (isPushed(s, j, c)) {
      const contact = readContact(s, j, c);
      const partner = partnerOf(s, own, j, k);
      let rho = contact.stiffness;
      if (n === 0) {
        rho = pairStiffness(s, j, k, partner);
        writeStiffness(s, j, c, rho);
      }
      const moved = subtract(pairMove(s, j, contact.part, partner), contact.closing);
      const law = pairLaw(contact, moved, rho, n === 0);
      change = Math.max(change, law.change);
      const isLow = isLowerOf(s, j, partner);
      // each pair is counted by its lower edge
      if (isLow && dot(law.force, law.force) > 0) {
        loaded = loaded + 1;
      }
      writeForces(s, j, c, {
        force: law.force,
        push: isLow ? law.push : scale(-1, law.push),
        tangentStiffness: rho,
      });
    }
  }
  return { change, loaded };
}

/** The law at every contact of edge j in iteration k. */
export function applyLawsAt(s: Strand, j: Index, k: Index): LawChange {
  const withObstacles = applyLawAt(s, j, true, 1);
  const withStrands = applyPairLawAt(s, j, k);
  return {
    change: Math.max(withObstacles.change, withStrands.change),
    loaded: withObstacles.loaded + withStrands.loaded,
  };
}

/**
 * Whether a pair of edge j is about to pass through at the end of the step: one that contact did not hold back, or, with `looksFurther`, one that was
 * not expected.
 */
export function hasPassedAt(s: Strand, j: Index, looksFurther: boolean): boolean {
  let passed = false;
  for (let k = 0; k < PAIR_SLOTS; k++) {
    const c = firstPairOf(s) + k;
    if (isPushed(s, j, c)) {
      const partner = partnerOf(s, strandIndexOf(s), j, k);
      if (isLowerOf(s, j, partner)) {
        const contact = readContact(s, j, c);
        const other: EdgeName = { strand: partner.strand, edge: partner.edge };
        const depth = dot(contact.normal, subtract(contact.closing, pairMove(s, j, contact.part, partner)));
        passed = passed || !(depth < PASSING * sumOfRadii(s, j, other));
      }
    }
  }
  const count = looksFurther ? candidateCountOf(s, j) : 0;
  for (let n = 0; n < count; n++) {
    const other = candidateOf(s, j, n);
    if (!hasPair(s, j, other)) {
      const meeting = meetOther(s, j, other, true);
      const limit = PASSING * sumOfRadii(s, j, other);
      passed = passed || (meeting.near < limit && meeting.gap > -0.5 * limit && meeting.end < -limit);
    }
  }
  return passed;
}
