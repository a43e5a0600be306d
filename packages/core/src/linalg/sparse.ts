/**
 * LDLᵀ of a sparse symmetric matrix whose pattern is known beforehand: for constraints of rods that bodies join into
 * trees and networks, and for their modes.
 *
 * The order of elimination is found once, by least degree. A tree of rods then fills in next to nothing, and a
 * network stays far from dense. Rows of the factor are found once as well, so that a
 * factorisation is nothing but arithmetic.
 */

import { dissect, findColumns } from './dissection.ts';

/** Entries of the lower triangle in any order; several of the same place share a slot. */
export interface SparsePattern {
  /** Number of unknowns. */
  readonly size: number;
  /** Number of distinct entries, diagonal included: the diagonal of unknown i is slot i. */
  readonly slots: number;
  /** Slot of entry (i, j), either triangle. */
  slotOf(i: number, j: number): number;
}

/** Factor of a sparse symmetric matrix. */
export interface SparseFactor {
  /** Number of unknowns. */
  readonly size: number;
  /** Place of unknown i in the order of elimination. */
  readonly place: Int32Array;
  /** Entries left of the diagonal of row k: columns and slots. */
  readonly entryStart: Int32Array;
  /** Column of each entry. */
  readonly entryColumn: Int32Array;
  /** Slot of each entry in the values of the matrix. */
  readonly entrySlot: Int32Array;
  /** Slot of the diagonal entry of each row. */
  readonly diagonalSlot: Int32Array;
  /** Columns of row k of L in elimination order, and the index of L(k, column). */
  readonly rowStart: Int32Array;
  /** Columns of the rows of L. */
  readonly rowColumn: Int32Array;
  /** Index of L(k, column) in `lower`. */
  readonly rowAt: Int32Array;
  /** L by columns, and 1/D. */
  readonly columnStart: Int32Array;
  /** Rows of the columns of L. */
  readonly columnRow: Int32Array;
  /** Values of L, by columns. */
  readonly lower: Float64Array;
  /** 1/D, by rows. */
  readonly inverse: Float64Array;
  /** Scratch memory of one column. */
  readonly work: Float64Array;
  /** Negative pivots of the last factorisation. */
  negative: number;
}

/** Collects the nonzero entries of a sparse matrix. */
export function createSparsePattern(size: number, pairs: Iterable<readonly [number, number]>): SparsePattern {
  const slot = new Map<number, number>();
  for (let i = 0; i < size; i++) slot.set(i * size + i, i);
  for (const [i, j] of pairs) {
    const key = Math.max(i, j) * size + Math.min(i, j);
    if (!slot.has(key)) slot.set(key, slot.size);
  }
  return {
    size,
    slots: slot.size,
    slotOf(i, j) {
      return slot.get(Math.max(i, j) * size + Math.min(i, j)) ?? -1;
    },
  };
}

/** Neighbours of every unknown. */
function readGraph({ size }: SparsePattern, pairs: readonly (readonly [number, number])[]): Set<number>[] {
  const graph = Array.from({ length: size }, () => new Set<number>());
  for (const [i, j] of pairs) {
    if (i === j) continue;
    graph[i].add(j);
    graph[j].add(i);
  }
  return graph;
}

/**
 * Order by least degree; the neighbours that an unknown has when it is eliminated are the rows of its column of L. Only the first `size`
 * are eliminated.
 */
function orderByDegree(graph: Set<number>[], size: number = graph.length): { order: number[]; below: number[][] } {
  const buckets: Set<number>[] = [];
  const put = (i: number): void => {
    if (i >= size) return;
    const degree = graph[i].size;
    buckets[degree] ??= new Set();
    buckets[degree].add(i);
  };
  for (let i = 0; i < size; i++) put(i);
  const order: number[] = [];
  const below: number[][] = [];
  let least = 0;
  while (order.length < size) {
    while (!buckets[least] || buckets[least].size === 0) least++;
    const [next] = buckets[least];
    buckets[least].delete(next);
    const neighbours = [...graph[next]];
    order.push(next);
    below.push(neighbours);
    for (const a of neighbours) if (a < size) buckets[graph[a].size].delete(a);
    for (const a of neighbours) {
      graph[a].delete(next);
      for (const b of neighbours) if (a !== b) graph[a].add(b);
    }
    for (const a of neighbours) put(a);
    least = Math.max(0, least - 1);
  }
  return { order, below };
}

/** Unknowns that are eliminated one after the other, such as those of a node. */
export interface Groups {
  /** Group of each unknown, from 0. */
  readonly of: ArrayLike<number>;
  /** Position of each group, 3 numbers each. */
  readonly place: ArrayLike<number>;
}

/**
 * Elimination order for unknowns in groups that have a position, by nested dissection, each group as a whole. A cloth of thousands of nodes is
 * ordered in a tenth of the time, and factored in less than half.
 */
function orderByGroup(
  size: number,
  pairs: readonly (readonly [number, number])[],
  { of: group, place }: Groups,
): { order: number[]; below: number[][] } {
  const members: number[][] = [];
  for (let i = 0; i < size; i++) {
    members[group[i]] ??= [];
    members[group[i]].push(i);
  }
  const graph = members.map(() => new Set<number>());
  for (const [i, j] of pairs) {
    if (group[i] === group[j]) continue;
    graph[group[i]].add(group[j]);
    graph[group[j]].add(group[i]);
  }
  const coarse = dissect(graph, place, (nodes) => {
    // with what lies around them, which comes later
    const local = new Map(nodes.map((node, k) => [node, k]));
    for (const node of nodes) for (const other of graph[node]) if (!local.has(other)) local.set(other, local.size);
    const part = Array.from(local, () => new Set<number>());
    nodes.forEach((node, k) => {
      for (const other of graph[node]) {
        const j = local.get(other) as number;
        part[k].add(j);
        part[j].add(k);
      }
    });
    return orderByDegree(part, nodes.length).order.map((k) => nodes[k]);
  });
  const columns = findColumns(graph, coarse);
  const order: number[] = [];
  const below: number[][] = [];
  coarse.forEach((g, k) => {
    const others = columns[k].flatMap((other) => members[other]);
    members[g].forEach((unknown, m) => {
      order.push(unknown);
      below.push([...members[g].slice(m + 1), ...others]);
    });
  });
  return { order, below };
}

/** Finds the elimination order and fill of a sparse matrix. */
export function analyzeSparse(
  pattern: SparsePattern,
  pairs: readonly (readonly [number, number])[],
  groups?: Groups,
): SparseFactor {
  const { size } = pattern;
  const { order, below } = groups ? orderByGroup(size, pairs, groups) : orderByDegree(readGraph(pattern, pairs));
  const place = new Int32Array(size);
  order.forEach((unknown, k) => {
    place[unknown] = k;
  });
  const fill = layOutFill(place, below);
  const entries: { column: number; slot: number }[][] = Array.from({ length: size }, () => []);
  const seen = new Set<number>();
  for (const [i, j] of pairs) {
    const slot = pattern.slotOf(i, j);
    if (i === j || seen.has(slot)) continue;
    seen.add(slot);
    const row = Math.max(place[i], place[j]);
    entries[row].push({ column: Math.min(place[i], place[j]), slot });
  }
  const entryStart = new Int32Array(size + 1);
  entries.forEach((list, k) => {
    entryStart[k + 1] = entryStart[k] + list.length;
  });
  return {
    size,
    place,
    entryStart,
    entryColumn: Int32Array.from(entries.flatMap((list) => list.map(({ column }) => column))),
    entrySlot: Int32Array.from(entries.flatMap((list) => list.map(({ slot }) => slot))),
    diagonalSlot: Int32Array.from(order),
    ...fill,
    lower: new Float64Array(fill.columnRow.length),
    inverse: new Float64Array(size),
    work: new Float64Array(size),
    negative: 0,
  };
}

/** Computes the positions of the entries of L, by columns and by rows. `below`: unknowns in each column, in elimination order. */
function layOutFill(
  place: Int32Array,
  below: readonly (readonly number[])[],
): Pick<SparseFactor, 'rowStart' | 'rowColumn' | 'rowAt' | 'columnStart' | 'columnRow'> {
  const size = place.length;
  const columnStart = new Int32Array(size + 1);
  below.forEach((rows, k) => {
    columnStart[k + 1] = columnStart[k] + rows.length;
  });
  const columnRow = new Int32Array(columnStart[size]);
  const rowStart = new Int32Array(size + 1);
  below.forEach((rows, k) => {
    const column = columnRow.subarray(columnStart[k], columnStart[k + 1]);
    rows.forEach((unknown, m) => {
      column[m] = place[unknown];
      rowStart[place[unknown] + 1]++;
    });
    column.sort();
  });
  for (let k = 0; k < size; k++) rowStart[k + 1] += rowStart[k];
  // row k of L: every column that has it, ascending, which is an order of elimination
  const rowColumn = new Int32Array(rowStart[size]);
  const rowAt = new Int32Array(rowStart[size]);
  const next = rowStart.slice();
  for (let column = 0; column < size; column++) {
    for (let at = columnStart[column]; at < columnStart[column + 1]; at++) {
      const r = next[columnRow[at]]++;
      rowColumn[r] = column;
      rowAt[r] = at;
    }
  }
  return { rowStart, rowColumn, rowAt, columnStart, columnRow };
}

/**
 * Factors the matrix with entries `values` by slot. A pivot that is rounding alone (below `redundant` of its `scale`, by default its
 * entry) belongs
 * to an equation that follows from the others, or to a neutral direction: it gets 1/D = 0, and its unknown is 0.
 * False if a pivot is not a number.
 */
export function factorSparse(f: SparseFactor, values: Float64Array, redundant: number, scale?: Float64Array): boolean {
  const { size, entryStart, entryColumn, entrySlot, diagonalSlot, rowStart, rowColumn, rowAt } = f;
  const { columnStart, columnRow, lower, inverse, work } = f;
  work.fill(0);
  f.negative = 0;
  for (let k = 0; k < size; k++) {
    for (let e = entryStart[k]; e < entryStart[k + 1]; e++) work[entryColumn[e]] = values[entrySlot[e]];
    const original = values[diagonalSlot[k]];
    let d = original;
    for (let r = rowStart[k]; r < rowStart[k + 1]; r++) {
      const i = rowColumn[r];
      const at = rowAt[r];
      const y = work[i];
      work[i] = 0;
      for (let p = columnStart[i]; p < at; p++) work[columnRow[p]] -= lower[p] * y;
      const l = y * inverse[i];
      lower[at] = l;
      d -= l * y;
    }
    if (Number.isNaN(d)) return false;
    const size = scale ? scale[diagonalSlot[k]] : Math.abs(original);
    const neutral = Math.abs(d) <= redundant * size || d === 0;
    if (d < 0 && !neutral) f.negative++;
    inverse[k] = neutral ? 0 : 1 / d;
  }
  return true;
}

/** Solves in place. */
export function solveSparse(f: SparseFactor, x: Float64Array): void {
  const { size, place, columnStart, columnRow, lower, inverse, work } = f;
  for (let i = 0; i < size; i++) work[place[i]] = x[i];
  for (let k = 0; k < size; k++) {
    const y = work[k];
    if (y === 0) continue;
    for (let p = columnStart[k]; p < columnStart[k + 1]; p++) work[columnRow[p]] -= lower[p] * y;
  }
  for (let k = size - 1; k >= 0; k--) {
    let sum = work[k] * inverse[k];
    for (let p = columnStart[k]; p < columnStart[k + 1]; p++) sum -= lower[p] * work[columnRow[p]];
    work[k] = sum;
  }
  for (let i = 0; i < size; i++) x[i] = work[place[i]];
}
