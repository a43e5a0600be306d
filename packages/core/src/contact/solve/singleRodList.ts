/**
 * The list of single rods of a step: systems of one rod that touch obstacles and nothing else. Each entry has the rod's contacts in the sorted set and
 * those that the step adds later. The list is made of arrays that are reused in every step: an object per rod would burden the garbage collector.
 */
import type { ContactSet } from '../contactSet.ts';
import type { Finder } from '../detect/finderData.ts';
import type { Systems } from './islands.ts';

export interface SingleRodList {
  readonly finder: Finder;
  readonly systems: Systems;
  /** Entries in use. */
  count: number;
  /** For each entry: its system, and its contacts `from` to `to` of the set. */
  readonly system: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Contacts that were added to an entry after the list was built. */
  readonly added: Map<number, number[]>;
  /** For each system: can never be listed; touches another rod or a body now; is listed; its entry. */
  readonly unfit: Uint8Array;
  readonly joined: Uint8Array;
  readonly listed: Uint8Array;
  readonly entryOf: Int32Array;
}

/** Systems that `mayList` rejects, and those of several rods, are never listed. With no capacity, none is. */
export function createSingleRodList(
  finder: Finder,
  systems: Systems,
  capacity: number,
  mayList: (system: number) => boolean,
): SingleRodList {
  return {
    finder,
    systems,
    count: 0,
    system: new Int32Array(capacity),
    from: new Int32Array(capacity),
    to: new Int32Array(capacity),
    added: new Map(),
    unfit: Uint8Array.from({ length: systems.count }, (_, s) => (mayList(s) && systems.rods[s].length === 1 ? 0 : 1)),
    joined: new Uint8Array(systems.count),
    listed: new Uint8Array(systems.count),
    entryOf: new Int32Array(systems.count),
  };
}

/** Lists the systems of `within` that touch obstacles and nothing else. The set is sorted by rod. */
export function listSingleRods(list: SingleRodList, set: ContactSet, within: (system: number) => boolean): void {
  const { systems, system, from, to, unfit, joined, listed, entryOf } = list;
  markJoined(list, set);
  for (let c = 0; c < set.count; ) {
    const rod = set.rodA[c];
    const first = c;
    while (c < set.count && set.rodA[c] === rod) c++;
    const s = systems.ofRod(rod);
    if (unfit[s] || joined[s] || !within(s)) continue;
    const i = list.count++;
    system[i] = s;
    from[i] = first;
    to[i] = c;
    entryOf[s] = i;
    listed[s] = 1;
  }
}

/** Empties the list. */
export function clearSingleRods(list: SingleRodList): void {
  for (let i = 0; i < list.count; i++) list.listed[list.system[i]] = 0;
  list.count = 0;
}

/** Marks the systems that touch another rod or a body. */
function markJoined({ finder, systems, joined }: SingleRodList, set: ContactSet): void {
  joined.fill(0);
  for (let c = 0; c < set.count; c++) {
    const other = set.rodB[c];
    if (other >= 0) joined[systems.ofRod(other)] = 1;
    if (other >= 0 || finder.colliders[set.collider[c]].body >= 0) joined[systems.ofRod(set.rodA[c])] = 1;
  }
}

/** The rod of entry i. */
export function rodOf({ systems, system }: SingleRodList, i: number): number {
  return systems.rods[system[i]][0];
}

/** Number of contacts of entry i. */
export function countContacts({ from, to, added }: SingleRodList, i: number): number {
  return to[i] - from[i] + (added.get(i)?.length ?? 0);
}

/** Index in the set of contact k of entry i. */
export function contactOf({ from, to, added }: SingleRodList, i: number, k: number): number {
  const first = to[i] - from[i];
  return k < first ? from[i] + k : (added.get(i) as number[])[k - first];
}

/** Index in the set of the contact of entry i with this key; −1 if there is none. */
export function findContact(list: SingleRodList, i: number, set: ContactSet, key: number): number {
  for (let k = 0; k < countContacts(list, i); k++)
    if (set.key[contactOf(list, i, k)] === key) return contactOf(list, i, k);
  return -1;
}

/** Gives entry i another contact of the set. */
export function addContact({ added }: SingleRodList, i: number, contact: number): void {
  const more = added.get(i) ?? [];
  more.push(contact);
  added.set(i, more);
}
