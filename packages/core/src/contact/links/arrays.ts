/**
 * What is known of the links of a scene while they are solved for, in one piece of memory that threads see. Sizes stand at its head, so
 * that whoever has the piece can cut it.
 */
import { createCutter } from '../memory.ts';

/** Numbers of a crossing's record, and of what is given of it: see crossings.ts. */
export const RECORD = 32;
export const GIVEN = 9;

/** Numbers that a step leaves to the next of a link: forces, then strains, each with room for MOST_ROWS. */
export const MOST_ROWS = 6;
export const MEMORY: number = 2 * MOST_ROWS;

/** Links, crossings among them, rods that links hold, sides of all links, sides of links that are no crossings. */
export interface LinkSizes {
  readonly links: number;
  readonly crossings: number;
  readonly rods: number;
  readonly sides: number;
  readonly otherSides: number;
}

export interface LinkRows {
  /** Sizes, then crossings and rods of the group that is looked at. */
  readonly head: Float64Array;
  /** Of each thread: what its share of a loop returned. */
  readonly answer: Float64Array;
  /** Of each crossing: RECORD numbers, GIVEN more, its four nodes among the positions, its four sides. */
  readonly record: Float64Array;
  readonly given: Float64Array;
  readonly node: Int32Array;
  readonly side: Int32Array;
  /** Its number among the links. */
  readonly linkOf: Int32Array;
  /** Of each link what the last step left, and what the one under way does, MEMORY each. */
  readonly memory: Float64Array;
  readonly next: Float64Array;
  /** Sides of the other links. */
  readonly otherSide: Int32Array;
  /** Of the sides of all links, by rod: edge, weight, whether an end begins with it, contacts and sides at its node, and place in `side`, or −1 − that in `otherSide`. */
  readonly edge: Int32Array;
  readonly weight: Float64Array;
  readonly begins: Uint8Array;
  readonly contactsAtNode: Int32Array;
  readonly code: Int32Array;
  /** Crossings of the group. */
  readonly member: Int32Array;
  /** Of its rods: first of the rows above, and first and last of the solver's sides that are links'; links, mass [kg]; what pulls it as a whole, 3 each; see countJoined. */
  readonly entry: Int32Array;
  readonly first: Int32Array;
  readonly last: Int32Array;
  readonly links: Int32Array;
  readonly mass: Float64Array;
  readonly pull: Float64Array;
  readonly joined: Float64Array;
}

/** Threads at most. */
const THREADS = 256;
const HEAD = 8;
const GROUP = 5;

export function linkBytes({ links, crossings, rods, sides, otherSides }: LinkSizes): number {
  const doubles = HEAD + THREADS + (RECORD + GIVEN) * crossings + 2 * MEMORY * links + sides + 5 * rods;
  return 8 * doubles + 4 * (10 * crossings + otherSides + 3 * sides + 4 * rods) + sides;
}

export function createLinkRows(buffer: ArrayBufferLike, sizes: LinkSizes): LinkRows {
  new Float64Array(buffer, 0, GROUP).set([sizes.links, sizes.crossings, sizes.rods, sizes.sides, sizes.otherSides]);
  return cutLinkRows(buffer);
}

export function cutLinkRows(buffer: ArrayBufferLike): LinkRows {
  const { doubles: take, integers: takeIntegers, bytes: takeBytes } = createCutter(buffer);
  const head = take(HEAD);
  const [links, crossings, rods, sides, otherSides] = head;
  return {
    head,
    answer: take(THREADS),
    record: take(RECORD * crossings),
    given: take(GIVEN * crossings),
    memory: take(MEMORY * links),
    next: take(MEMORY * links),
    weight: take(sides),
    mass: take(rods),
    pull: take(3 * rods),
    joined: take(rods),
    linkOf: takeIntegers(crossings),
    node: takeIntegers(4 * crossings),
    side: takeIntegers(4 * crossings),
    member: takeIntegers(crossings),
    otherSide: takeIntegers(otherSides),
    edge: takeIntegers(sides),
    contactsAtNode: takeIntegers(sides),
    code: takeIntegers(sides),
    entry: takeIntegers(rods),
    first: takeIntegers(rods),
    last: takeIntegers(rods),
    links: takeIntegers(rods),
    begins: takeBytes(sides),
  };
}

/** Crossings of the group that is looked at. */
export function crossingsOf({ head }: Pick<LinkRows, 'head'>): number {
  return head[GROUP];
}

/** Its rods. */
export function rodsOf({ head }: Pick<LinkRows, 'head'>): number {
  return head[GROUP + 1];
}

export function setGroup({ head }: Pick<LinkRows, 'head'>, crossings: number, rods: number): void {
  head[GROUP] = crossings;
  head[GROUP + 1] = rods;
}
