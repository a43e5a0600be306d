/**
 * Data of the links of a scene for the solver, in one shared buffer. Its header has the sizes, so that any thread can derive the arrays from it.
 */
import { createCutter } from '../memory.ts';

/** Numbers per crossing in its record, and in its constants: see crossings.ts. */
export const RECORD = 32;
export const GIVEN = 9;

/** Numbers per link that a step stores for the next: forces, then strains, MOST_ROWS each. */
export const MOST_ROWS = 6;
export const MEMORY: number = 2 * MOST_ROWS;

/** Numbers of links, of crossings among them, of rods with links, of sides of all links, and of sides of links that are not crossings. */
export interface LinkSizes {
  readonly links: number;
  readonly crossings: number;
  readonly rods: number;
  readonly sides: number;
  readonly otherSides: number;
}

export interface LinkRows {
  /** Sizes, then the numbers of crossings and rods of the current group. */
  readonly head: Float64Array;
  /** Result of each thread's share of a loop. */
  readonly answer: Float64Array;
  /** For each crossing: RECORD numbers, GIVEN constants, indices of its four nodes in the positions, its four sides. */
  readonly record: Float64Array;
  readonly given: Float64Array;
  readonly node: Int32Array;
  readonly side: Int32Array;
  /** Index of the crossing among the links. */
  readonly linkOf: Int32Array;
  /** For each link: results of the last step, and of the current one, MEMORY numbers each. */
  readonly memory: Float64Array;
  readonly next: Float64Array;
  /** Sides of links that are not crossings. */
  readonly otherSide: Int32Array;
  /** Sides of all links, by rod: edge, weight, start of an end, contacts and sides at its node, index in `side`, or −1 − index in `otherSide`. */
  readonly edge: Int32Array;
  readonly weight: Float64Array;
  readonly begins: Uint8Array;
  readonly contactsAtNode: Int32Array;
  readonly code: Int32Array;
  /** Crossings of the group. */
  readonly member: Int32Array;
  /** Rods of the group: first row above; first and last link side in the solver; links; mass [kg]; net pull, 3 each; see countJoined. */
  readonly entry: Int32Array;
  readonly first: Int32Array;
  readonly last: Int32Array;
  readonly links: Int32Array;
  readonly mass: Float64Array;
  readonly pull: Float64Array;
  readonly joined: Float64Array;
}

/** Maximum number of threads. */
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

/** Crossings of the current group. */
export function crossingsOf({ head }: Pick<LinkRows, 'head'>): number {
  return head[GROUP];
}

/** Rods of the current group. */
export function rodsOf({ head }: Pick<LinkRows, 'head'>): number {
  return head[GROUP + 1];
}

export function setGroup({ head }: Pick<LinkRows, 'head'>, crossings: number, rods: number): void {
  head[GROUP] = crossings;
  head[GROUP + 1] = rods;
}
