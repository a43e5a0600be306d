/** The sides of contacts, grouped by tree. */

import { type ContactSides, NO_SIDES } from '../../port.ts';

/** The sides of one tree: `order[from…from + count]` are their numbers. One object serves all trees, one after the other. */
export interface TreeSides {
  sides: ContactSides;
  order: Int32Array;
  from: number;
  count: number;
  /** First link of each rod. */
  readonly firstLink: Int32Array;
}

export interface SidesByTree {
  readonly treeOfRod: Int32Array;
  /** First side of each tree in `order`. */
  readonly start: Int32Array;
  /** Trees that have sides, and how many there are. */
  readonly present: Int32Array;
  presentCount: number;
  readonly selected: TreeSides;
}

export function createSidesByTree(treeOfRod: Int32Array, firstLink: Int32Array, treeCount: number): SidesByTree {
  return {
    treeOfRod,
    start: new Int32Array(treeCount + 1),
    present: new Int32Array(treeCount),
    presentCount: 0,
    selected: { sides: NO_SIDES, order: new Int32Array(0), from: 0, count: 0, firstLink },
  };
}

/** Sorts sides by tree. */
export function sortSides(all: SidesByTree, sides: ContactSides): void {
  const { start, treeOfRod, present, selected } = all;
  const trees = present.length;
  if (selected.order.length < sides.count) selected.order = new Int32Array(2 * sides.count);
  selected.sides = sides;
  start.fill(0);
  for (let c = 0; c < sides.count; c++) start[treeOfRod[sides.rod[c]] + 1]++;
  for (let k = 0; k < trees; k++) start[k + 1] += start[k];
  for (let c = sides.count - 1; c >= 0; c--) {
    const k = treeOfRod[sides.rod[c]] + 1;
    selected.order[--start[k]] = c;
  }
  // counting down leaves each start one entry too late
  for (let k = 0; k < trees; k++) start[k] = start[k + 1];
  start[trees] = sides.count;
  all.presentCount = 0;
  for (let k = 0; k < trees; k++) if (start[k + 1] > start[k]) present[all.presentCount++] = k;
}

/** The sides of tree k, as `sortSides` found them; valid until the next call. */
export function selectTree({ selected, start }: SidesByTree, k: number, sides: ContactSides): TreeSides {
  selected.sides = sides;
  selected.from = start[k];
  selected.count = start[k + 1] - start[k];
  return selected;
}

/** The link of side c. */
export function linkOf(firstLink: Int32Array, { rod, edge }: ContactSides, c: number): number {
  return firstLink[rod[c]] + edge[c];
}
