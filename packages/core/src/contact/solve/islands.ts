/**
 * Islands: sets of systems joined by contacts and links. Islands do not affect each other within a step and are solved one by one.
 *
 * A system is the smallest unit that contact moves: a rod, or rods joined by rigid bodies.
 */
import type { Bundle, ContactPort } from '../../model.ts';
import type { BundlePlace } from '../bundlePlace.ts';
import type { ContactSet } from '../contactSet.ts';
import type { LinkSet, Links } from '../links/linkData.ts';

/** 1 for each marked system, in one array per bundle: the form that `ContactPort` takes. */
export type Marks = readonly Uint8Array[];

/** Marks that are set and cleared by list, so that the cost of one island does not depend on the number of all systems. */
export interface SystemMarks {
  readonly marks: Marks;
  listed: readonly number[];
}

export interface Systems {
  readonly count: number;
  /** System of each rod of the scene, numbered across all bundles. */
  ofRod(rod: number): number;
  ofBody(body: BundlePlace): number;
  readonly bundleOf: Int32Array;
  /** Index of the system in its bundle. */
  readonly numberOf: Int32Array;
  /** Rods of each system. */
  readonly rods: readonly (readonly number[])[];
}

export function listSystems(bundles: readonly Bundle[], placeOfRod: readonly BundlePlace[]): Systems {
  const counts = bundles.map((bundle) => bundle.contact?.systemCount ?? 0);
  const count = counts.reduce((sum, one) => sum + one, 0);
  const bundleOf = new Int32Array(count);
  const numberOf = new Int32Array(count);
  const first: number[] = [];
  let next = 0;
  counts.forEach((many, b) => {
    first.push(next);
    for (let s = 0; s < many; s++, next++) {
      bundleOf[next] = b;
      numberOf[next] = s;
    }
  });
  const port = (b: number): ContactPort => bundles[b].contact as ContactPort;
  const systemOfRod = Int32Array.from(placeOfRod, ({ bundle, index }) =>
    bundles[bundle].contact ? first[bundle] + port(bundle).systemOfRod[index] : -1,
  );
  const rods: number[][] = Array.from({ length: count }, () => []);
  systemOfRod.forEach((s, rod) => {
    if (s >= 0) rods[s].push(rod);
  });
  return {
    count,
    bundleOf,
    numberOf,
    rods,
    ofRod: (rod) => systemOfRod[rod],
    ofBody: ({ bundle, index }) => first[bundle] + port(bundle).systemOfBody[index],
  };
}

export function createMarks(bundles: readonly Bundle[]): Uint8Array[] {
  return bundles.map((bundle) => new Uint8Array(bundle.contact?.systemCount ?? 0));
}

export function isMarked({ bundleOf, numberOf }: Systems, marks: Marks, system: number): boolean {
  return marks[bundleOf[system]][numberOf[system]] === 1;
}

export function setMark({ bundleOf, numberOf }: Systems, marks: Marks, system: number, value: 0 | 1): void {
  marks[bundleOf[system]][numberOf[system]] = value;
}

/** Marks the listed systems and no others. */
export function markOnly(systems: Systems, to: SystemMarks, list: readonly number[]): Marks {
  for (const s of to.listed) setMark(systems, to.marks, s, 0);
  for (const s of list) setMark(systems, to.marks, s, 1);
  to.listed = list;
  return to.marks;
}

export interface Island {
  readonly contacts: Int32Array;
  /** Links of its rods; undefined if there are none. */
  readonly links: LinkSet | undefined;
  readonly systems: readonly number[];
}

export interface IslandBuilder {
  /** Sets of links that are joined through rods, each with one of its systems. */
  readonly linked: readonly { readonly system: number; readonly links: LinkSet }[];
  /** Islands with at least one requested system, in the order of their first contacts, then of their first links. */
  build(set: ContactSet, wanted: (system: number) => boolean): Island[];
}

/** Systems that links join permanently, and these links. */
interface LinkedSystems {
  readonly systems: readonly number[];
  readonly links: LinkSet;
}

/** Finds the root of a union-find tree, with path compression. */
function rootIn(parent: Int32Array, s: number): number {
  let r = s;
  while (parent[r] !== r) r = parent[r];
  while (parent[s] !== r) [s, parent[s]] = [parent[s], r];
  return r;
}

/** Joins systems by links; `root` is then the first system of the set that a system belongs to. */
function joinSystems(root: Int32Array, systems: Systems, { plans, every, rows }: Links): Map<number, LinkedSystems> {
  for (let s = 0; s < root.length; s++) root[s] = s;
  for (const { rodA, rodB } of plans)
    if (rodB >= 0) {
      const [a, b] = [rootIn(root, systems.ofRod(rodA)), rootIn(root, systems.ofRod(rodB))];
      root[Math.max(a, b)] = Math.min(a, b);
    }
  for (let s = 0; s < root.length; s++) root[s] = rootIn(root, s);
  const rootOf = (rod: number): number => root[systems.ofRod(rod)];
  const roots = [...new Set(Array.from(every.rods, rootOf))];
  const crossingRoot = Int32Array.from(rows.linkOf, (link) => rootOf(plans[link].rodA));
  return new Map(
    roots.map((r) => {
      if (roots.length === 1) return [r, { systems: listOf(every.rods), links: every }];
      const rods = every.rods.filter((rod) => rootOf(rod) === r);
      const crossings = every.crossings.filter((c) => crossingRoot[c] === r);
      const others = every.others.filter(({ plan }) => rootOf(plan.rodA) === r);
      const links: LinkSet = { count: crossings.length + others.length, crossings, others, rods };
      return [r, { systems: listOf(rods), links }];
    }),
  );
  function listOf(rods: Int32Array): number[] {
    return [...new Set(Array.from(rods, (rod) => systems.ofRod(rod)))];
  }
}

/** Merges several sets into one, in the order of the scene. */
function uniteSets(sets: readonly LinkSet[]): LinkSet | undefined {
  if (sets.length < 2) return sets[0];
  const unite = (lists: readonly Int32Array[]): Int32Array =>
    Int32Array.from(lists.flatMap((list) => [...list])).sort();
  return {
    count: sets.reduce((sum, { count }) => sum + count, 0),
    crossings: unite(sets.map(({ crossings }) => crossings)),
    others: sets.flatMap(({ others }) => others).sort((a, b) => a.index - b.index),
    rods: unite(sets.map(({ rods }) => rods)),
  };
}

/** An island that is being built. */
interface OpenIsland {
  /** Number of contacts. */
  size: number;
  readonly links: LinkSet[];
  readonly systems: number[];
}

/** Index of a root in the list of islands: not listed yet; none of its systems takes part. */
const NOT_YET = -1;
const UNWANTED = -2;

/** Disjoint sets of systems, and the islands made of them. */
interface Partition {
  readonly systems: Systems;
  /** System of the body that the contact's collider is attached to; −1 for none. */
  bodySystem(set: ContactSet, c: number): number;
  readonly parent: Int32Array;
  /** For each root: its island, or NOT_YET or UNWANTED. */
  readonly place: Int32Array;
  /** 1 for each system that is in an island. */
  readonly listed: Uint8Array;
  readonly groups: OpenIsland[];
}

export function createIslandBuilder(
  systems: Systems,
  bodyOf: (set: ContactSet, c: number) => BundlePlace | undefined,
  links: Links,
): IslandBuilder {
  const linkedRoot = new Int32Array(systems.count);
  const joined = joinSystems(linkedRoot, systems, links);
  const partition: Partition = {
    systems,
    bodySystem(set, c) {
      const body = bodyOf(set, c);
      return body ? systems.ofBody(body) : -1;
    },
    parent: new Int32Array(systems.count),
    place: new Int32Array(systems.count),
    listed: new Uint8Array(systems.count),
    groups: [],
  };
  return {
    linked: Array.from(joined, ([system, { links: some }]) => ({ system, links: some })),
    build(set, wanted) {
      const { parent, place } = partition;
      parent.set(linkedRoot);
      place.fill(UNWANTED);
      const list: number[] = [];
      for (let s = 0; s < parent.length; s++) if (wanted(s)) list.push(s);
      if (list.length === 0) return [];
      joinByContacts(partition, set);
      for (const s of list) place[rootIn(parent, s)] = NOT_YET;
      listMembers(partition, set, joined);
      return gatherContacts(partition, set);
    },
  };
}

/** Joins the systems of each contact. */
function joinByContacts({ systems, parent, bodySystem }: Partition, set: ContactSet): void {
  for (let c = 0; c < set.count; c++) {
    const first = systems.ofRod(set.rodA[c]);
    if (set.rodB[c] >= 0) parent[rootIn(parent, systems.ofRod(set.rodB[c]))] = rootIn(parent, first);
    const body = bodySystem(set, c);
    if (body >= 0) parent[rootIn(parent, body)] = rootIn(parent, first);
  }
}

/** Lists the systems and links of every wanted island, in the order of the contacts, and counts its contacts. */
function listMembers(partition: Partition, set: ContactSet, joined: ReturnType<typeof joinSystems>): void {
  const { systems, listed, groups, bodySystem } = partition;
  listed.fill(0);
  groups.length = 0;
  const list = (s: number, to: number[]): void => {
    if (s < 0 || listed[s]) return;
    listed[s] = 1;
    to.push(s);
  };
  for (let c = 0; c < set.count; c++) {
    const first = systems.ofRod(set.rodA[c]);
    const group = groupOf(partition, first);
    if (!group) continue;
    group.size++;
    list(first, group.systems);
    if (set.rodB[c] >= 0) list(systems.ofRod(set.rodB[c]), group.systems);
    list(bodySystem(set, c), group.systems);
  }
  for (const [root, { systems: own, links: some }] of joined) {
    const group = groupOf(partition, root);
    if (!group) continue;
    group.links.push(some);
    for (const s of own) list(s, group.systems);
  }
}

/** Island of a system; a new one if its island is wanted and has none yet. */
function groupOf({ parent, place, groups }: Partition, s: number): OpenIsland | undefined {
  const root = rootIn(parent, s);
  if (place[root] === NOT_YET) place[root] = groups.push({ size: 0, links: [], systems: [] }) - 1;
  return groups[place[root]];
}

/** The contacts of all islands, consecutively in one array. */
function gatherContacts({ systems, parent, place, groups }: Partition, set: ContactSet): Island[] {
  const next = new Int32Array(groups.length);
  let total = 0;
  groups.forEach(({ size }, k) => {
    next[k] = total;
    total += size;
  });
  const all = new Int32Array(total);
  for (let c = 0; c < set.count && total > 0; c++) {
    const k = place[rootIn(parent, systems.ofRod(set.rodA[c]))];
    if (k >= 0) all[next[k]++] = c;
  }
  return groups.map(({ size, links, systems: list }, k) => ({
    contacts: all.subarray(next[k] - size, next[k]),
    links: uniteSets(links),
    systems: list,
  }));
}
