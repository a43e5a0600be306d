/** Number of contacts, and of link sides, that share a node or body: the solver divides its weights by it (admm.ts). */
import type { ContactSet } from '../contactSet.ts';
import type { Finder } from '../detect/finderData.ts';
import type { SideArrays } from './sideArrays.ts';
import type { SideLayout } from './sides.ts';

/** Number of contacts and sides at the node with most of them, for each link side of a rod. */
export function countAtLinks(
  { finder, nodeContacts, nodeLinks, links: { rows, entryOfRod } }: SideLayout,
  rod: number,
): void {
  const { nodeOffset, rods } = finder;
  for (let e = entryOfRod[rod]; e < entryOfRod[rod + 1]; e++) {
    const first = nodeOffset[rod] + rows.edge[e];
    const second = nodeOffset[rod] + ((rows.edge[e] + 1) % rods[rod].nodeCount);
    const w = rows.weight[e];
    const here = w < 1 ? nodeContacts[first] + nodeLinks[first] : 0;
    rows.contactsAtNode[e] = w > 0 ? Math.max(here, nodeContacts[second] + nodeLinks[second]) : here;
  }
}

/** Number of contacts and link sides at the node, or body, with most of them, for each active contact and each link side. Resets the counters. */
export function countContactsAtNodes(
  layout: SideLayout,
  set: ContactSet,
  { contactsAtNode, isActive, links: linked }: Pick<SideArrays, 'contactsAtNode' | 'isActive' | 'links'>,
): void {
  const { finder, nodeContacts, bodyContacts, bodyOf, nodeLinks, rodsWithContacts } = layout;
  const links = linked ? nodeLinks : undefined;
  for (let more = 1; more >= 0; more--) {
    for (let c = 0; c < set.count; c++) {
      if (!isActive[c]) continue;
      let most = countAtSide(finder, nodeContacts, set.rodA[c], set.edgeA[c], set.weightA[c], more, links);
      if (set.rodB[c] >= 0)
        most = Math.max(
          most,
          countAtSide(finder, nodeContacts, set.rodB[c], set.edgeB[c], set.weightB[c], more, links),
        );
      const body = bodyOf(set, c);
      if (body) {
        bodyContacts[body.bundle][body.index] += more;
        most = Math.max(most, bodyContacts[body.bundle][body.index]);
      }
      contactsAtNode[c] = most;
    }
  }
  if (linked) {
    // nodes that had contacts in the last layout, and nodes that have contacts now
    const before = [...rodsWithContacts];
    rodsWithContacts.clear();
    for (let c = 0; c < set.count; c++) {
      if (!isActive[c]) continue;
      rodsWithContacts.add(set.rodA[c]);
      if (set.rodB[c] >= 0) rodsWithContacts.add(set.rodB[c]);
    }
    for (const r of new Set([...before, ...rodsWithContacts])) countAtLinks(layout, r);
  }
  for (let c = 0; c < set.count; c++) {
    if (!isActive[c]) continue;
    countAtSide(finder, nodeContacts, set.rodA[c], set.edgeA[c], set.weightA[c], -1);
    if (set.rodB[c] >= 0) countAtSide(finder, nodeContacts, set.rodB[c], set.edgeB[c], set.weightB[c], -1);
    const body = bodyOf(set, c);
    if (body) bodyContacts[body.bundle][body.index] = 0;
  }
}

/** Adds `more` to the count of contacts at the nodes of a side; returns the larger total, including `others`. */
export function countAtSide(
  finder: Finder,
  counts: Int32Array,
  rod: number,
  edge: number,
  weight: number,
  more: number,
  others?: Int32Array,
): number {
  const first = finder.nodeOffset[rod] + edge;
  const second = finder.nodeOffset[rod] + ((edge + 1) % finder.rods[rod].nodeCount);
  let most = 0;
  if (weight < 1) {
    counts[first] += more;
    most = counts[first] + (others ? others[first] : 0);
  }
  if (weight > 0) {
    counts[second] += more;
    most = Math.max(most, counts[second] + (others ? others[second] : 0));
  }
  return most;
}
