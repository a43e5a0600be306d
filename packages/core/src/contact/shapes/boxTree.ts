/**
 * Bounding volume hierarchy over items that have one axis-aligned box each: triangles of meshes. Edges of rods, which move, are in sweptTree.ts.
 *
 * Children are stored after their parent (medianSplit.ts), so a refit is one backward loop.
 */
import { type Halves, halveAll } from './medianSplit.ts';

export interface BoxTree extends Halves {
  readonly count: number;
  /** Boxes of the items, 6 numbers each: least x y z, greatest x y z. The owner writes them, then calls `refitTree`. */
  readonly box: Float64Array;
  /** Boxes of the tree's nodes, 6 numbers each. */
  readonly nodeBox: Float64Array;
  /** Sum of the surface areas of all boxes after the last build, and now. */
  builtSurface: number;
  surface: number;
  readonly stack: Int32Array;
}

export function createTree(count: number): BoxTree {
  const nodes = Math.max(1, 2 * count);
  return {
    count,
    box: new Float64Array(6 * count),
    nodeBox: new Float64Array(6 * nodes),
    first: new Int32Array(nodes),
    second: new Int32Array(nodes),
    size: new Int32Array(nodes),
    order: new Int32Array(count),
    nodeCount: 0,
    builtSurface: 0,
    surface: 0,
    stack: new Int32Array(256),
  };
}

/** Builds the tree from the current boxes. */
export function buildTree(tree: BoxTree): void {
  const { count, box } = tree;
  const center = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) for (let k = 0; k < 3; k++) center[3 * i + k] = box[6 * i + k] + box[6 * i + 3 + k];
  halveAll(tree, center);
  if (count === 0) return;
  refitTree(tree);
  tree.builtSurface = tree.surface;
}

/** Updates the boxes of the tree's nodes after boxes of items have changed. */
export function refitTree(tree: BoxTree): void {
  const { box, nodeBox, first, second, size, order } = tree;
  let surface = 0;
  for (let node = tree.nodeCount - 1; node >= 0; node--) {
    const o = 6 * node;
    if (size[node] > 0) {
      let i = 6 * order[first[node]];
      let x0 = box[i];
      let y0 = box[i + 1];
      let z0 = box[i + 2];
      let x1 = box[i + 3];
      let y1 = box[i + 4];
      let z1 = box[i + 5];
      for (let k = 1; k < size[node]; k++) {
        i = 6 * order[first[node] + k];
        if (box[i] < x0) x0 = box[i];
        if (box[i + 1] < y0) y0 = box[i + 1];
        if (box[i + 2] < z0) z0 = box[i + 2];
        if (box[i + 3] > x1) x1 = box[i + 3];
        if (box[i + 4] > y1) y1 = box[i + 4];
        if (box[i + 5] > z1) z1 = box[i + 5];
      }
      nodeBox[o] = x0;
      nodeBox[o + 1] = y0;
      nodeBox[o + 2] = z0;
      nodeBox[o + 3] = x1;
      nodeBox[o + 4] = y1;
      nodeBox[o + 5] = z1;
    } else {
      const a = 6 * first[node];
      const b = 6 * second[node];
      for (let k = 0; k < 3; k++) {
        nodeBox[o + k] = nodeBox[a + k] < nodeBox[b + k] ? nodeBox[a + k] : nodeBox[b + k];
        nodeBox[o + 3 + k] = nodeBox[a + 3 + k] > nodeBox[b + 3 + k] ? nodeBox[a + 3 + k] : nodeBox[b + 3 + k];
      }
    }
    const w = nodeBox[o + 3] - nodeBox[o];
    const d = nodeBox[o + 4] - nodeBox[o + 1];
    const h = nodeBox[o + 5] - nodeBox[o + 2];
    surface += w * d + d * h + h * w;
  }
  tree.surface = surface;
}

/** A growable list of numbers. */
export interface IntList {
  data: Int32Array;
  length: number;
}

export function createIntList(capacity = 64): IntList {
  return { data: new Int32Array(capacity), length: 0 };
}

export function push(list: IntList, value: number): void {
  if (list.length === list.data.length) {
    const larger = new Int32Array(2 * list.data.length);
    larger.set(list.data);
    list.data = larger;
  }
  list.data[list.length++] = value;
}
