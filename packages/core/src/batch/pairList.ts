/**
 * A list of pairs of edges, for targets that treat each pair once and not once per edge: SIMD has four pairs in the lanes of a vector. Translated like
 * formulas.ts; pairSweeps.ts has the same law with the contacts of an edge in slots.
 */
import { add, dot, type Quaternion, scale, subtract, type Vector } from './algebra.ts';
import { closingOf, flightOf } from './contactSearch.ts';
import { coulombForce } from './contactSweeps.ts';
import { compose, fromVectorPart, normalize, tangentOf, zeroVector } from './formulas.ts';
import { RELATIVE, VELOCITY } from './layout.ts';
import type { Contact } from './obstacles.ts';
import { meetEdges, type PairEdge, type PairMeeting } from './pairs.ts';
import {
  edgeCountOf,
  frameOfRootBefore,
  hasFreeRoot,
  lengthOf,
  readState,
  rootPositionOf,
  type Strand,
  writePlace,
} from './strand.ts';

/** A pair within the step: how its edges meet, `closing` of its contact, and the sum of radii [m]. */
export interface ListedMeeting {
  readonly meeting: PairMeeting;
  readonly closing: Vector;
  readonly sum: number;
}

export function meetListed(low: PairEdge, high: PairEdge): ListedMeeting {
  const meeting = meetEdges(low, high);
  const sum = low.radius + high.radius;
  return { meeting, sum, closing: closingOf(zeroVector(), meeting.normal, meeting.gap, 0.5 * sum) };
}

/**
 * A side of a contact: displacements of the nodes of its edge [m], the part of the edge before the contact, and the input of the law (below) [m]. The high
 * side of a contact with an obstacle is at rest.
 */
export interface ListedSide {
  readonly first: Vector;
  readonly second: Vector;
  readonly part: number;
  readonly input: Vector;
}

function movedAt(side: ListedSide): Vector {
  return add(scale(1 - side.part, side.first), scale(side.part, side.second));
}

/** A contact, and whether it is between two strands (1) or with an obstacle (0). */
export interface ListedContact {
  readonly contact: Contact;
  readonly both: number;
}

/** A vector for each side of a contact. */
export interface ListedVectors {
  readonly low: Vector;
  readonly high: Vector;
}

/**
 * Input of the law at the start of the iterations, from the force of the last step. Each side has a copy y of its displacement that follows the law. The
 * input is q = y − p/ρ at the low side, on which the force p acts, and q = y + p/ρ at the high one: docs/notes/batch-engine.md.
 */
export function startListed(listed: ListedContact, low: ListedSide, high: ListedSide): ListedVectors {
  const held = scale(1 / listed.contact.stiffness, listed.contact.force);
  return { low: subtract(movedAt(low), held), high: scale(listed.both, add(movedAt(high), held)) };
}

/** Force of a contact on its low side [N], and the forces on both sides in the next Newton iteration. */
export interface ListedLaw {
  readonly force: Vector;
  readonly pushLow: Vector;
  readonly pushHigh: Vector;
}

/** The law of Coulomb at a contact, for the present inputs. In Newton's iteration, a stiffness ρ pulls each side to its copy. */
export function pressListed(listed: ListedContact, low: ListedSide, high: ListedSide): ListedLaw {
  const contact = listed.contact;
  const both = listed.both;
  const rho = contact.stiffness;
  const apart = subtract(subtract(low.input, high.input), contact.closing);
  // where both sides move, each has half of the stiffness
  const force = coulombForce(contact, zeroVector(), apart, (1 - 0.5 * both) * rho).force;
  const twice = scale(2, force);
  return {
    force,
    pushLow: add(twice, scale(rho, subtract(low.input, movedAt(low)))),
    pushHigh: scale(both, subtract(scale(rho, subtract(high.input, movedAt(high))), twice)),
  };
}

/** Displacements of both sides against their copies [m], and the square of the larger [m²]. */
export interface ListedError extends ListedVectors {
  readonly change: number;
}

/** How far the sides are off their copies after Newton's iteration. */
export function compareListed(listed: ListedContact, low: ListedSide, high: ListedSide): ListedError {
  const held = scale(1 / listed.contact.stiffness, listed.contact.force);
  const ofLow = subtract(subtract(movedAt(low), low.input), held);
  const ofHigh = scale(listed.both, add(subtract(movedAt(high), high.input), held));
  return { low: ofLow, high: ofHigh, change: Math.max(dot(ofLow, ofLow), dot(ofHigh, ofHigh)) };
}

/** How deep a pair is pressed in [m]. */
export function depthOfListed(listed: ListedContact, low: ListedSide, high: ListedSide): number {
  const contact = listed.contact;
  return -dot(contact.normal, subtract(subtract(movedAt(low), movedAt(high)), contact.closing));
}

/** Writes where the nodes are at the start of the step, and where they would fly. */
export function locateNodes(s: Strand, dt: number): void {
  let q: Quaternion = frameOfRootBefore(s);
  let x: Vector = rootPositionOf(s);
  const held = scale(dt, readState(s, 0, VELOCITY));
  writePlace(s, 0, x, hasFreeRoot(s) ? flightOf(s, 0, dt) : held);
  for (let j = 0; j < edgeCountOf(s); j++) {
    q = normalize(compose(q, fromVectorPart(readState(s, j, RELATIVE))));
    x = add(x, scale(lengthOf(s, j), tangentOf(q)));
    writePlace(s, j + 1, x, flightOf(s, j + 1, dt));
  }
}
