/**
 * A list of pairs of edges, for targets that treat each pair once and not once per edge: SIMD has four pairs in the lanes of a vector. Translated like
 * formulas.ts; pairSweeps.ts has the same law with the contacts of an edge in slots.
 */
import { add, dot, type Quaternion, scale, subtract, type Vector } from './algebra.ts';
import { closingOf, flightOf } from './contactSearch.ts';
import { applyLaw } from './contactSweeps.ts';
import { compose, fromVectorPart, normalize, tangentOf, zeroVector } from './formulas.ts';
import { RELATIVE, type Stage, VELOCITY } from './layout.ts';
import type { Contact } from './obstacles.ts';
import { type PairLaw, pairLaw } from './pairSweeps.ts';
import { meetEdges, type PairEdge, type PairMeeting } from './pairs.ts';
import {
  edgeCountOf,
  frameOfRootBefore,
  hasFreeRoot,
  type Index,
  lengthOf,
  readState,
  rootPositionOf,
  type Strand,
  writePlace,
} from './strand.ts';
import { iterateStage } from './sweeps.ts';

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

/** Displacements of the nodes of an edge, and the part of it before the contact. */
export interface ListedSide {
  readonly first: Vector;
  readonly second: Vector;
  readonly part: number;
}

function movedAt(side: ListedSide): Vector {
  return add(scale(1 - side.part, side.first), scale(side.part, side.second));
}

/** Displacement of the lower point against the higher one, from `closing` [m]. */
function apartOf(contact: Contact, low: ListedSide, high: ListedSide): Vector {
  return subtract(subtract(movedAt(low), movedAt(high)), contact.closing);
}

/** The law at a pair, for the present displacements. */
export function pressListed(contact: Contact, low: ListedSide, high: ListedSide, isFirst: boolean): PairLaw {
  return pairLaw(contact, apartOf(contact, low, high), contact.stiffness, isFirst);
}

/** How deep a pair is pressed in [m]. */
export function depthOfListed(contact: Contact, low: ListedSide, high: ListedSide): number {
  return -dot(contact.normal, apartOf(contact, low, high));
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

/** After an iteration of a strand that touches strands; see PressedProgress. */
export interface CoupledProgress {
  readonly tip: Quaternion;
  readonly largest: number;
  readonly change: number;
  readonly loaded: Index;
}

/** An iteration under the forces of pairs: the law at obstacles, and Newton. */
export function iterateCoupled(s: Strand, stage: Stage, tip: Quaternion): CoupledProgress {
  const law = applyLaw(s, true);
  const progress = iterateStage(s, stage, tip);
  return { tip: progress.tip, largest: progress.largest, change: law.change, loaded: law.loaded };
}
