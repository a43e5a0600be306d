/** Contacts by the systems that they join: groups that do not know of each other are solved one by one. */
import type { Bundle, ContactPort } from '../model.ts';
import type { Link } from './links.ts';
import type { ContactSet } from './set.ts';
import type { Place } from './sides.ts';

/** Marks of systems, an array for each bundle. */
export type Marks = readonly Uint8Array[];

export interface Systems {
  readonly count: number;
  /** A system for each rod of the scene, among those of all bundles. */
  ofRod(rod: number): number;
  ofBody(body: Place): number;
  readonly bundleOf: Int32Array;
  /** Its number in its bundle. */
  readonly numberOf: Int32Array;
  /** Rods of each system. */
  readonly rods: readonly (readonly number[])[];
}

export function listSystems(bundles: readonly Bundle[], placeOfRod: readonly Place[]): Systems {
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

export interface Group {
  readonly contacts: Int32Array;
  readonly links: readonly Link[];
  readonly systems: readonly number[];
}

export interface Grouping {
  /** Groups that have a system which is wanted, in the order of their first contacts, then of their first links. */
  group(set: ContactSet, wanted: (system: number) => boolean): Group[];
}

export function createGrouping(
  systems: Systems,
  bodyOf: (set: ContactSet, c: number) => Place | undefined,
  links: readonly Link[],
): Grouping {
  const parent = new Int32Array(systems.count);
  const place = new Int32Array(systems.count);
  const rootOf = (s: number): number => {
    let r = s;
    while (parent[r] !== r) r = parent[r];
    while (parent[s] !== r) [s, parent[s]] = [parent[s], r];
    return r;
  };
  const bodySystem = (set: ContactSet, c: number): number => {
    const body = bodyOf(set, c);
    return body ? systems.ofBody(body) : -1;
  };
  const endsOf = ({ plan: { rodA, rodB } }: Link): number[] =>
    (rodB >= 0 ? [rodA, rodB] : [rodA]).map((rod) => systems.ofRod(rod));
  const listed = new Uint8Array(systems.count);
  /** The contacts of all groups, one after the other in one array. */
  const gatherContacts = (
    set: ContactSet,
    groups: readonly { size: number; links: Link[]; systems: number[] }[],
  ): Group[] => {
    const next = new Int32Array(groups.length);
    let total = 0;
    groups.forEach(({ size }, k) => {
      next[k] = total;
      total += size;
    });
    const all = new Int32Array(total);
    for (let c = 0; c < set.count && total > 0; c++) {
      const k = place[rootOf(systems.ofRod(set.rodA[c]))];
      if (k >= 0) all[next[k]++] = c;
    }
    return groups.map(({ size, links: own, systems: list }, k) => ({
      contacts: all.subarray(next[k] - size, next[k]),
      links: own,
      systems: list,
    }));
  };

  return {
    group(set, wanted) {
      let any = false;
      for (let s = 0; s < parent.length; s++) {
        parent[s] = s;
        any ||= wanted(s);
      }
      if (!any) return [];
      for (let c = 0; c < set.count; c++) {
        const first = systems.ofRod(set.rodA[c]);
        if (set.rodB[c] >= 0) parent[rootOf(systems.ofRod(set.rodB[c]))] = rootOf(first);
        const body = bodySystem(set, c);
        if (body >= 0) parent[rootOf(body)] = rootOf(first);
      }
      for (const link of links) {
        const [first, other] = endsOf(link);
        if (other !== undefined) parent[rootOf(other)] = rootOf(first);
      }
      // −2: none of it is wanted
      place.fill(-2);
      for (let s = 0; s < parent.length; s++) if (wanted(s)) place[rootOf(s)] = -1;
      listed.fill(0);
      const groups: { size: number; links: Link[]; systems: number[] }[] = [];
      const groupOf = (s: number): (typeof groups)[number] | undefined => {
        const root = rootOf(s);
        if (place[root] === -1) place[root] = groups.push({ size: 0, links: [], systems: [] }) - 1;
        return groups[place[root]];
      };
      const list = (s: number, to: number[]): void => {
        if (s < 0 || listed[s]) return;
        listed[s] = 1;
        to.push(s);
      };
      for (let c = 0; c < set.count; c++) {
        const first = systems.ofRod(set.rodA[c]);
        const group = groupOf(first);
        if (!group) continue;
        group.size++;
        list(first, group.systems);
        if (set.rodB[c] >= 0) list(systems.ofRod(set.rodB[c]), group.systems);
        list(bodySystem(set, c), group.systems);
      }
      for (const link of links) {
        const group = groupOf(endsOf(link)[0]);
        if (!group) continue;
        group.links.push(link);
        for (const s of endsOf(link)) list(s, group.systems);
      }
      return gatherContacts(set, groups);
    },
  };
}
