/**
 * The contacts of strands that touch strands as one list, in double precision: contacts with obstacles, and those between strands once each. Their law and
 * its iterations are those of pairList.ts and mixing.ts.
 */
import type { Vector } from './algebra.ts';
import { zeroVector } from './formulas.ts';
import { createIslandFinder, islandsOfContacts } from './islands.ts';
import { DISPLACEMENT } from './layout.ts';
import { createMixing, type MixedIslands, type Mixing, mixIterates } from './mixing.ts';
import type { Contact } from './obstacles.ts';
import { compareListed, type ListedContact, type ListedSide, pressListed, startListed } from './pairList.ts';
import { shareOf } from './pairSweeps.ts';
import type { Strand } from './strand.ts';
import type { MergedContact, StrandPairs } from './strandParts.ts';

/** Place of a contact in its strand. */
interface SidePlace {
  readonly strand: Strand;
  readonly edge: number;
  readonly place: number;
}

/** A contact of the list; `high`: missing for an obstacle. */
interface CoupledContact {
  readonly low: SidePlace;
  readonly high: SidePlace | undefined;
  /** As the low side stores it, with its stiffness. */
  contact: Contact;
  /** Mean radius of the sides [m]. */
  readonly size: number;
}

/** All contacts, and the inputs of their laws with their errors: 6 numbers per contact each, those of the low side first. */
export interface CoupledContacts {
  readonly list: CoupledContact[];
  readonly numbers: Float64Array;
  readonly mixing: Mixing;
  /** Of contacts, and of strands. */
  readonly islands: MixedIslands;
  readonly islandOf: (strand: Strand) => number;
}

function mergedOf({ merged }: Strand): MergedContact & { readonly pairs: StrandPairs } {
  if (!merged?.pairs) throw new Error('the strand does not meet strands');
  return { ...merged, pairs: merged.pairs };
}

function contactAt({ strand, edge, place }: SidePlace): Contact {
  return mergedOf(strand).contacts[edge][place];
}

/** The contact at a place of a strand, if the list has it at this place: a pair belongs to its lower edge. */
function openContact(low: SidePlace): CoupledContact | undefined {
  const { strand, edge, place } = low;
  const { contacts, obstacles, pairs, radius } = mergedOf(strand);
  const contact = contacts[edge][place];
  if (contact.active === 0) return undefined;
  const slot = place - 3 * obstacles.length;
  if (slot < 0) return { low, high: undefined, contact, size: radius[edge] };
  const { strand: other, edge: otherEdge } = pairs.partners[edge][slot];
  if (other < pairs.index || (other === pairs.index && otherEdge < edge)) return undefined;
  const own = pairs.weights[edge][slot];
  const partner = pairs.all[other];
  const high = { strand: partner, edge: otherEdge, place: 3 * mergedOf(partner).obstacles.length + own.side };
  const back = mergedOf(partner).pairs.weights[otherEdge][own.side];
  const size = 0.5 * (pairs.radius[edge] + mergedOf(partner).pairs.radius[otherEdge]);
  return { low, high, size, contact: { ...contact, stiffness: shareOf(own.compliance, back.compliance) } };
}

function sideOf(at: SidePlace | undefined, numbers: Float64Array, o: number): ListedSide {
  const input: Vector = [numbers[o], numbers[o + 1], numbers[o + 2]];
  if (!at) return { first: zeroVector(), second: zeroVector(), part: 0, input };
  const d = at.strand.slots[DISPLACEMENT];
  const node = (i: number): Vector => [d[3 * i], d[3 * i + 1], d[3 * i + 2]];
  return { first: node(at.edge), second: node(at.edge + 1), part: contactAt(at).part, input };
}

function sidesOf({ list, numbers }: CoupledContacts, n: number): [ListedContact, ListedSide, ListedSide] {
  const { contact, low, high } = list[n];
  return [{ contact, both: high ? 1 : 0 }, sideOf(low, numbers, 6 * n), sideOf(high, numbers, 6 * n + 3)];
}

/** Lists the contacts of strands, whose compliances have been measured, and starts from the forces of the last step. */
export function listContacts(strands: readonly Strand[]): CoupledContacts {
  const list = strands.flatMap((strand) =>
    mergedOf(strand).contacts.flatMap((contacts, edge) =>
      contacts.flatMap((_, place) => openContact({ strand, edge, place }) ?? []),
    ),
  );
  const finder = createIslandFinder(strands.length === 0 ? 0 : mergedOf(strands[0]).pairs.all.length);
  const numberOf = (strand: Strand): number => mergedOf(strand).pairs.index;
  for (const { low, high } of list) if (high) finder.join(numberOf(low.strand), numberOf(high.strand));
  const found = finder.number();
  const islands = islandsOfContacts(found, list.length, (c) => numberOf(list[c].low.strand));
  const size = 6 * list.length;
  const numbers = new Float64Array(2 * size);
  const all: CoupledContacts = {
    list,
    numbers,
    mixing: createMixing(numbers, islands),
    islands,
    islandOf: (strand) => found.of[numberOf(strand)],
  };
  list.forEach((_, n) => {
    const { low, high } = startListed(...sidesOf(all, n));
    all.numbers.set([...low, ...high], 6 * n);
  });
  return all;
}

function load(at: SidePlace, changes: Pick<Contact, 'force' | 'push' | 'stiffness'>): void {
  const { contacts } = mergedOf(at.strand);
  contacts[at.edge][at.place] = { ...contacts[at.edge][at.place], ...changes, tangentStiffness: changes.stiffness };
}

/** Applies the law at all contacts, and loads the strands for Newton's iteration. */
export function pressContacts(all: CoupledContacts): void {
  all.list.forEach((one, n) => {
    const { force, pushLow, pushHigh } = pressListed(...sidesOf(all, n));
    const { stiffness } = one.contact;
    one.contact = { ...one.contact, force };
    load(one.low, { force, push: pushLow, stiffness });
    if (one.high) load(one.high, { force, push: pushHigh, stiffness });
  });
}

/** Error of a contact after Newton's iteration. */
export interface ContactError {
  readonly low: Strand;
  readonly high: Strand | undefined;
  /** Square of the larger error of both sides [m²], and mean radius of the sides [m]. */
  readonly change: number;
  readonly size: number;
  readonly isLoaded: boolean;
}

/** Compares the strands with the copies after Newton's iteration. */
export function compareContacts(all: CoupledContacts, visit: (error: ContactError) => void): void {
  all.list.forEach(({ low, high, contact, size }, n) => {
    const error = compareListed(...sidesOf(all, n));
    all.numbers.set([...error.low, ...error.high], all.numbers.length / 2 + 6 * n);
    const isLoaded = contact.force.some((f) => f !== 0);
    visit({ low: low.strand, high: high?.strand, change: error.change, size, isLoaded });
  });
}

/** Takes the next inputs of the law, in the islands that move. */
export function mixContacts({ mixing }: CoupledContacts): void {
  mixIterates(mixing);
}
