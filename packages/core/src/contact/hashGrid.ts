/**
 * Pairs of boxes that meet, by a grid: every box is entered in the cells it reaches, boxes of a cell are compared with
 * each other, and a pair is told in the one cell that holds the greater of their least corners, so that it is told once.
 *
 * Measured against the tree of paths (pathTree.ts), with boxes about the paths as seen from what moves with the mean velocity (CPU time of one
 * search, cells of 2, 3 and 5 mm): 125,000 edges of hair that is shaken 350, 230 and 200 ms, the tree 50 to 65 and 16 to refit; 1.25 million
 * edges 4.6, 3.3 and 3.2 s, the tree 0.7 s and 0.15. (A prototype for hair that hangs still had found the grid up to 1.4 times as fast as a tree of boxes.) So the
 * tree is what is used; this is the other method that must give the same, and the form in which a GPU does it.
 */
import { type IntList, push } from './tree.ts';

export interface HashGrid {
  readonly cell: number;
  /** Cells and things of all entries, sorted by the hash of the cell. */
  entry: Int32Array;
  entryCell: Int32Array;
  readonly start: Int32Array;
}

/** `slots`: size of the table, a power of two of about the number of boxes. */
export function createHashGrid(cell: number, slots: number): HashGrid {
  return { cell, entry: new Int32Array(0), entryCell: new Int32Array(0), start: new Int32Array(slots + 1) };
}

const hash = (x: number, y: number, z: number, slots: number): number =>
  (Math.imul(x, 73856093) ^ Math.imul(y, 19349663) ^ Math.imul(z, 83492791)) & (slots - 1);

/** Appends i, j (i < j) for all pairs of the `count` boxes (6 numbers each) that meet. */
export function findPairsByGrid(out: IntList, grid: HashGrid, box: Float64Array, count: number): void {
  const { cell, start } = grid;
  const slots = start.length - 1;
  const low = (i: number, k: number): number => Math.floor(box[6 * i + k] / cell);
  const high = (i: number, k: number): number => Math.floor(box[6 * i + 3 + k] / cell);
  const visit = (i: number, action: (slot: number, x: number, y: number, z: number) => void): void => {
    for (let z = low(i, 2); z <= high(i, 2); z++)
      for (let y = low(i, 1); y <= high(i, 1); y++)
        for (let x = low(i, 0); x <= high(i, 0); x++) action(hash(x, y, z, slots), x, y, z);
  };
  start.fill(0);
  let total = 0;
  const countEntry = (slot: number): void => {
    start[slot + 1]++;
    total++;
  };
  for (let i = 0; i < count; i++) visit(i, countEntry);
  for (let s = 0; s < slots; s++) start[s + 1] += start[s];
  if (grid.entry.length < total) {
    grid.entry = new Int32Array(total);
    grid.entryCell = new Int32Array(3 * total);
  }
  const { entry, entryCell } = grid;
  const next = start.slice();
  for (let i = 0; i < count; i++) {
    visit(i, (slot, x, y, z) => {
      const e = next[slot]++;
      entry[e] = i;
      entryCell[3 * e] = x;
      entryCell[3 * e + 1] = y;
      entryCell[3 * e + 2] = z;
    });
  }
  for (let s = 0; s < slots; s++) {
    for (let e = start[s]; e < start[s + 1]; e++)
      for (let f = e + 1; f < start[s + 1]; f++) comparePair(out, box, cell, entry[e], entry[f], entryCell, e, f);
  }
}

function comparePair(
  out: IntList,
  box: Float64Array,
  cell: number,
  a: number,
  b: number,
  entryCell: Int32Array,
  e: number,
  f: number,
): void {
  for (let k = 0; k < 3; k++) {
    // two cells may share a slot
    if (entryCell[3 * e + k] !== entryCell[3 * f + k]) return;
    const [p, q] = [6 * a + k, 6 * b + k];
    if (box[p] > box[q + 3] || box[q] > box[p + 3]) return;
    if (Math.floor(Math.max(box[p], box[q]) / cell) !== entryCell[3 * e + k]) return;
  }
  push(out, Math.min(a, b));
  push(out, Math.max(a, b));
}
