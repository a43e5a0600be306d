/** Islands of strands that touch each other: sets joined by contacts, numbered in the order of their first strands. */
import type { MixedIslands } from './mixing.ts';

/** Joins strands into islands. */
export interface IslandFinder {
  join(a: number, b: number): void;
  /** The island of every strand; −1 for strands that were never joined. */
  number(): { readonly of: Int32Array; readonly count: number };
}

export function createIslandFinder(strands: number): IslandFinder {
  const parent = Int32Array.from({ length: strands }, (_, s) => s);
  const isJoined = new Uint8Array(strands);
  const rootOf = (s: number): number => {
    let root = s;
    while (parent[root] !== root) {
      parent[root] = parent[parent[root]];
      root = parent[root];
    }
    return root;
  };
  return {
    join(a, b) {
      isJoined[a] = isJoined[b] = 1;
      const [p, q] = [rootOf(a), rootOf(b)];
      parent[Math.max(p, q)] = Math.min(p, q);
    },
    number() {
      const of = new Int32Array(strands).fill(-1);
      let count = 0;
      for (let s = 0; s < strands; s++) {
        if (isJoined[s] === 0) continue;
        const root = rootOf(s);
        // the first strand of an island is its root
        of[s] = root === s ? count++ : of[root];
      }
      return { of, count };
    },
  };
}

/** Islands of contacts that all move: `low`: the strand of a contact's low side, or −1. */
export function islandsOfContacts(
  { of, count }: ReturnType<IslandFinder['number']>,
  contacts: number,
  low: (contact: number) => number,
): MixedIslands {
  const ofContact = Int32Array.from({ length: contacts }, (_, c) => {
    const strand = low(c);
    return strand < 0 ? -1 : of[strand];
  });
  return { of: ofContact, moves: new Uint8Array(count).fill(1) };
}
