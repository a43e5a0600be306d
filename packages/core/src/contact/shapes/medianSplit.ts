/** Builds bounding volume hierarchies by splitting at the median of the longest side; leaves hold up to four items. Children follow their parent. */

const LEAF = 4;

export interface Halves {
  /** First item (leaf) or first child (inner node); the second child is at `second`. */
  readonly first: Int32Array;
  readonly second: Int32Array;
  /** Items in the leaf, 0 for inner nodes. */
  readonly size: Int32Array;
  /** Items in the order of the leaves. */
  readonly order: Int32Array;
  nodeCount: number;
}

/** Sorts all items by their centres (or twice their centres), 3 numbers per item, and creates the nodes over them. */
export function halveAll(tree: Halves, center: Float64Array): void {
  const { order } = tree;
  for (let i = 0; i < order.length; i++) order[i] = i;
  tree.nodeCount = 0;
  if (order.length > 0) halve(tree, center, 0, order.length);
}

/** Creates the node over order[from … to); returns its index. */
function halve(tree: Halves, center: Float64Array, from: number, to: number): number {
  const { order } = tree;
  const node = tree.nodeCount++;
  if (to - from <= LEAF) {
    tree.first[node] = from;
    tree.size[node] = to - from;
    return node;
  }
  tree.size[node] = 0;
  // the longest side of the bounding box of all centres
  let axis = 0;
  let longest = -1;
  for (let k = 0; k < 3; k++) {
    let low = Infinity;
    let high = -Infinity;
    for (let i = from; i < to; i++) {
      const at = center[3 * order[i] + k];
      if (at < low) low = at;
      if (at > high) high = at;
    }
    if (!(high - low > longest)) continue;
    longest = high - low;
    axis = k;
  }
  const middle = (from + to) >> 1;
  selectMedian(center, order, axis, from, to, middle);
  tree.first[node] = halve(tree, center, from, middle);
  tree.second[node] = halve(tree, center, middle, to);
  return node;
}

/** Partitions order[from … to) so that items before `middle` lie below those after it; equal centres are ordered by index. */
function selectMedian(
  center: Float64Array,
  order: Int32Array,
  axis: number,
  from: number,
  to: number,
  middle: number,
): void {
  let low = from;
  let high = to - 1;
  while (low < high) {
    const pivot = order[(low + high) >> 1];
    const value = center[3 * pivot + axis];
    let i = low;
    let j = high;
    while (i <= j) {
      while (isBefore(center, axis, order[i], pivot, value)) i++;
      while (isBefore(center, axis, pivot, order[j], center[3 * order[j] + axis])) j--;
      if (i > j) break;
      const swap = order[i];
      order[i] = order[j];
      order[j] = swap;
      i++;
      j--;
    }
    if (middle <= j) high = j;
    else if (middle >= i) low = i;
    else return;
  }
}

/** True if the item comes before another whose centre is at `value`. */
function isBefore(center: Float64Array, axis: number, thing: number, other: number, value: number): boolean {
  const at = center[3 * thing + axis];
  return at < value || (at === value && thing < other);
}
