/**
 * A bounding volume hierarchy over moving items: each has a box at the start and one at the end of a straight path.
 *
 * Two items are separated if, along one axis, one lies beyond the other both at the start and at the end: then it does so during the whole step, because
 * the paths are linear. A motion that both share cancels in this test; a single box around each path would include it.
 *
 * The tree is built by halving (medianSplit.ts), with leaves of up to four items whose boxes are stored in the order of the leaves. Boxes are in
 * single precision, rounded outwards: half the memory. Measurements: docs/notes/contact-solver.md.
 */

import { type IntList, push } from '../shapes/boxTree.ts';
import { type Halves, halveAll } from '../shapes/medianSplit.ts';

/** Numbers per box: least x y z and greatest x y z at the start, then at the end. */
export const PATH_BOX = 12;

export interface PathTree extends Halves {
  readonly count: number;
  /** Boxes of the items, in the order of the leaves. */
  readonly box: Float32Array;
  readonly nodeBox: Float32Array;
  /** Index of each item in the order of the leaves. */
  readonly placeOf: Int32Array;
  /** Sum of the surface areas of all boxes at the end, after the last build and now. */
  builtSurface: number;
  surface: number;
  readonly stack: Int32Array;
}

export function createPathTree(count: number): PathTree {
  const nodes = Math.max(1, count);
  const order = new Int32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  return {
    count,
    box: new Float32Array(PATH_BOX * count),
    nodeBox: new Float32Array(PATH_BOX * nodes),
    first: new Int32Array(nodes),
    second: new Int32Array(nodes),
    size: new Int32Array(nodes),
    order,
    placeOf: order.slice(),
    nodeCount: 0,
    builtSurface: 0,
    surface: 0,
    stack: new Int32Array(1024),
  };
}

/** Bound on the rounding error of a number of this size, with a margin. */
const ROUNDING = 2 ** -23;

/** Writes one of the two boxes of the item at an index, around the segment between two points of x with `radius`. `from`: 0 or 6. */
export function writePathBox(
  tree: PathTree,
  place: number,
  from: number,
  x: Float64Array,
  a: number,
  b: number,
  radius: number,
): void {
  const { box } = tree;
  const o = PATH_BOX * place + from;
  for (let k = 0; k < 3; k++) {
    const p = x[a + k];
    const q = x[b + k];
    const low = (p < q ? p : q) - radius;
    const high = (p < q ? q : p) + radius;
    box[o + k] = low - ROUNDING * Math.abs(low);
    box[o + 3 + k] = high + ROUNDING * Math.abs(high);
  }
}

/** Enlarges a box to include the two points shifted by `shift` (3 numbers for each point). */
export function widenPathBox(
  tree: PathTree,
  place: number,
  from: number,
  x: Float64Array,
  shift: Float32Array,
  a: number,
  b: number,
  radius: number,
): void {
  const { box } = tree;
  const o = PATH_BOX * place + from;
  for (let k = 0; k < 3; k++) {
    const p = x[a + k] + shift[a + k];
    const q = x[b + k] + shift[b + k];
    const low = (p < q ? p : q) - radius;
    const high = (p < q ? q : p) + radius;
    if (low < box[o + k]) box[o + k] = low;
    if (high > box[o + 3 + k]) box[o + 3 + k] = high;
  }
}

/** True if one of the two boxes of the item at an index contains a segment with `radius`. */
export function holdsSegment(
  tree: PathTree,
  place: number,
  from: number,
  x: Float64Array,
  a: number,
  b: number,
  radius: number,
): boolean {
  const { box } = tree;
  const o = PATH_BOX * place + from;
  for (let k = 0; k < 3; k++) {
    const p = x[a + k];
    const q = x[b + k];
    const low = box[o + k] + radius;
    const high = box[o + 3 + k] - radius;
    if (!(p >= low && q >= low && p <= high && q <= high)) return false;
  }
  return true;
}

/** Sorts the items again for their current boxes; the boxes must be rewritten afterwards. */
export function orderPathTree(tree: PathTree): void {
  const { count, order, placeOf, box } = tree;
  // twice the centres, indexed by item
  const center = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) {
    const o = PATH_BOX * i;
    for (let k = 0; k < 3; k++) center[3 * order[i] + k] = box[o + 6 + k] + box[o + 9 + k];
  }
  halveAll(tree, center);
  for (let i = 0; i < count; i++) placeOf[order[i]] = i;
}

/** Updates the boxes of the tree's nodes after those of the items have changed. */
export function refitPathTree(tree: PathTree): void {
  const { box, nodeBox, first, second, size } = tree;
  let surface = 0;
  for (let node = tree.nodeCount - 1; node >= 0; node--) {
    const o = PATH_BOX * node;
    if (size[node] > 0) {
      const f = PATH_BOX * first[node];
      for (let k = 0; k < PATH_BOX; k++) nodeBox[o + k] = box[f + k];
      for (let g = f + PATH_BOX; g < f + PATH_BOX * size[node]; g += PATH_BOX) widen(nodeBox, o, box, g);
    } else {
      const p = PATH_BOX * first[node];
      for (let k = 0; k < PATH_BOX; k++) nodeBox[o + k] = nodeBox[p + k];
      widen(nodeBox, o, nodeBox, PATH_BOX * second[node]);
    }
    const w = nodeBox[o + 9] - nodeBox[o + 6];
    const d = nodeBox[o + 10] - nodeBox[o + 7];
    const h = nodeBox[o + 11] - nodeBox[o + 8];
    surface += w * d + d * h + h * w;
  }
  tree.surface = surface;
}

function widen(to: Float32Array, o: number, from: Float32Array, i: number): void {
  for (let half = 0; half < 12; half += 6)
    for (let k = half; k < half + 3; k++) {
      if (from[i + k] < to[o + k]) to[o + k] = from[i + k];
      if (from[i + 3 + k] > to[o + 3 + k]) to[o + 3 + k] = from[i + 3 + k];
    }
}

/** True if one lies beyond the other along an axis, throughout the motion. */
function areApart(a: Float32Array, i: number, b: Float32Array, j: number): boolean {
  return (
    (a[i] > b[j + 3] && a[i + 6] > b[j + 9]) ||
    (b[j] > a[i + 3] && b[j + 6] > a[i + 9]) ||
    (a[i + 1] > b[j + 4] && a[i + 7] > b[j + 10]) ||
    (b[j + 1] > a[i + 4] && b[j + 7] > a[i + 10]) ||
    (a[i + 2] > b[j + 5] && a[i + 8] > b[j + 11]) ||
    (b[j + 2] > a[i + 5] && b[j + 8] > a[i + 11])
  );
}

/** True if one of two segments lies beyond the other along an axis, on the whole of their paths x → y; `radius`: sum of both radii. */
export function areSegmentsApart(
  x: Float64Array,
  y: Float64Array,
  a: number,
  b: number,
  c: number,
  d: number,
  radius: number,
): boolean {
  for (let k = 0; k < 3; k++) {
    const p = x[a + k];
    const q = x[b + k];
    const r = x[c + k];
    const s = x[d + k];
    const p1 = y[a + k];
    const q1 = y[b + k];
    const r1 = y[c + k];
    const s1 = y[d + k];
    const beyond = (p < q ? p : q) - radius > (r > s ? r : s);
    if (beyond && (p1 < q1 ? p1 : q1) - radius > (r1 > s1 ? r1 : s1)) return true;
    const before = (r < s ? r : s) - radius > (p > q ? p : q);
    if (before && (r1 < s1 ? r1 : s1) - radius > (p1 > q1 ? p1 : q1)) return true;
  }
  return false;
}

/** Appends i, j (in any order) for all pairs that are not separated; skips adjacent items of one rod. */
export function findPathPairs(out: IntList, tree: PathTree, row: Int32Array): void {
  const { first, second, size, nodeBox, nodeCount, stack } = tree;
  for (let node = 0; node < nodeCount; node++) {
    if (size[node] > 0) {
      comparePlaces(out, tree, row, node, node);
      continue;
    }
    let top = 0;
    stack[top++] = first[node];
    stack[top++] = second[node];
    while (top > 0) {
      const q = stack[--top];
      const p = stack[--top];
      if (areApart(nodeBox, PATH_BOX * p, nodeBox, PATH_BOX * q)) continue;
      if (size[p] > 0 && size[q] > 0) comparePlaces(out, tree, row, p, q);
      else {
        const p2 = size[p] > 0 ? -1 : second[p];
        const q2 = size[q] > 0 ? -1 : second[q];
        const p1 = size[p] > 0 ? p : first[p];
        const q1 = size[q] > 0 ? q : first[q];
        stack[top++] = p1;
        stack[top++] = q1;
        if (p2 >= 0) {
          stack[top++] = p2;
          stack[top++] = q1;
        }
        if (q2 < 0) continue;
        stack[top++] = p1;
        stack[top++] = q2;
        if (p2 >= 0) {
          stack[top++] = p2;
          stack[top++] = q2;
        }
      }
    }
  }
}

/** Items of one leaf against those of another, or among each other. */
function comparePlaces(out: IntList, tree: PathTree, row: Int32Array, p: number, q: number): void {
  const { first, size, box, nodeBox, order } = tree;
  const end = first[q] + size[q];
  for (let i = first[p]; i < first[p] + size[p]; i++) {
    if (p !== q && areApart(box, PATH_BOX * i, nodeBox, PATH_BOX * q)) continue;
    const thing = order[i];
    for (let j = p === q ? i + 1 : first[q]; j < end; j++) {
      const other = order[j];
      if (areBeside(row, thing, other) || areApart(box, PATH_BOX * i, box, PATH_BOX * j)) continue;
      push(out, thing);
      push(out, other);
    }
  }
}

const areBeside = (row: Int32Array, i: number, j: number): boolean => i - j <= 1 && j - i <= 1 && row[i] === row[j];

/** Appends every item that is not separated from the one at an index; skips this one and its neighbours on the rod. */
export function findPathOverlaps(out: IntList, tree: PathTree, row: Int32Array, place: number): void {
  const { stack, nodeBox, first, second, size, order, box } = tree;
  let top = 0;
  if (tree.nodeCount > 0) stack[top++] = 0;
  const o = PATH_BOX * place;
  while (top > 0) {
    const node = stack[--top];
    if (areApart(box, o, nodeBox, PATH_BOX * node)) continue;
    if (size[node] === 0) {
      stack[top++] = second[node];
      stack[top++] = first[node];
      continue;
    }
    for (let i = first[node]; i < first[node] + size[node]; i++)
      if (!areBeside(row, order[place], order[i]) && !areApart(box, o, box, PATH_BOX * i)) push(out, order[i]);
  }
}
