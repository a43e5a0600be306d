/**
 * Overlapping pairs of boxes, by a hashed grid: every box is entered in the cells it overlaps, boxes of a cell are compared with each other, and
 * a pair is reported only by the cell that contains the greater of their least corners, so once.
 *
 * A step uses the tree of swept boxes (sweptTree.ts), which is faster. CPU time of one search with cells of 2, 3 and 5 mm: 125,000 edges of
 * shaken hair 350, 230 and 200 ms, the tree 50 to 65 ms plus 16 ms to refit; 1.25 million edges 4.6, 3.3 and 3.2 s, the tree 0.7 s plus 0.15 s.
 * The grid is the independent reference: it shares no code with the tree, must give the same pairs, and measures the overlaps of cases.
 */
export interface HashGrid {
  /** Edge length of a cell [m]. */
  readonly cell: number;
  /** Cells and boxes of all entries, sorted by the hash of the cell. */
  entry: Int32Array;
  /** Cell of each entry. */
  entryCell: Int32Array;
  /** First entry of each hash; one more at the end. */
  readonly start: Int32Array;
}

/** `slots`: size of the table, a power of two of about the number of boxes. */
export function createHashGrid(cell: number, slots: number): HashGrid {
  return { cell, entry: new Int32Array(0), entryCell: new Int32Array(0), start: new Int32Array(slots + 1) };
}

const hash = (x: number, y: number, z: number, slots: number): number =>
  (Math.imul(x, 73856093) ^ Math.imul(y, 19349663) ^ Math.imul(z, 83492791)) & (slots - 1);

/** Calls back with i, j (i < j) for all overlapping pairs of the `count` boxes (6 numbers each). */
export function findPairsByGrid(
  grid: HashGrid,
  box: Float64Array,
  count: number,
  report: (i: number, j: number) => void,
): void {
  const { cell, start } = grid;
  const slots = start.length - 1;
  enterBoxes(grid, box, count);
  const { entry, entryCell } = grid;
  for (let s = 0; s < slots; s++) {
    for (let e = start[s]; e < start[s + 1]; e++) {
      const a = entry[e];
      for (let f = e + 1; f < start[s + 1]; f++) {
        const b = entry[f];
        if (!meetHere(box, cell, 6 * a, 6 * b, entryCell, 3 * e, 3 * f)) continue;
        // boxes are entered in their order
        report(a, b);
      }
    }
  }
}

/** Lists the boxes of every cell, in their order. */
function enterBoxes(grid: HashGrid, box: Float64Array, count: number): void {
  const { cell, start } = grid;
  const slots = start.length - 1;
  start.fill(0);
  let total = 0;
  for (let i = 0; i < count; i++) total += visitCells(grid, box, i, cell, slots, 'count');
  for (let s = 0; s < slots; s++) start[s + 1] += start[s];
  if (grid.entry.length < total) {
    grid.entry = new Int32Array(total);
    grid.entryCell = new Int32Array(3 * total);
  }
  // backwards: each slot is filled from its end, and `start` is its beginning once all boxes are entered
  for (let i = count - 1; i >= 0; i--) visitCells(grid, box, i, cell, slots, 'enter');
}

/** Counts the cells of a box, or enters it there; returns their number. */
function visitCells(
  { start, entry, entryCell }: HashGrid,
  box: Float64Array,
  i: number,
  cell: number,
  slots: number,
  task: 'enter' | 'count',
): number {
  const o = 6 * i;
  const x0 = Math.floor(box[o] / cell);
  const y0 = Math.floor(box[o + 1] / cell);
  const z0 = Math.floor(box[o + 2] / cell);
  const x1 = Math.floor(box[o + 3] / cell);
  const y1 = Math.floor(box[o + 4] / cell);
  const z1 = Math.floor(box[o + 5] / cell);
  for (let z = z0; z <= z1; z++)
    for (let y = y0; y <= y1; y++)
      for (let x = x0; x <= x1; x++) {
        const slot = hash(x, y, z, slots);
        if (task === 'count') {
          start[slot]++;
          continue;
        }
        const e = --start[slot];
        entry[e] = i;
        entryCell[3 * e] = x;
        entryCell[3 * e + 1] = y;
        entryCell[3 * e + 2] = z;
      }
  return (x1 - x0 + 1) * (y1 - y0 + 1) * (z1 - z0 + 1);
}

/** True if two boxes overlap and this cell is the one that reports them. */
function meetHere(
  box: Float64Array,
  cell: number,
  p: number,
  q: number,
  entryCell: Int32Array,
  e: number,
  f: number,
): boolean {
  for (let k = 0; k < 3; k++) {
    // two cells may share a slot
    if (entryCell[e + k] !== entryCell[f + k]) return false;
    const low = box[p + k] > box[q + k] ? box[p + k] : box[q + k];
    if (low > box[q + k + 3] || low > box[p + k + 3]) return false;
    if (Math.floor(low / cell) !== entryCell[e + k]) return false;
  }
  return true;
}
