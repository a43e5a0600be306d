/** Trees and grids of boxes find exactly what comparing all with all does. */
import { describe, expect, it } from 'vitest';
import { createHashGrid, findPairsByGrid } from '../../src/contact/detect/hashGrid.ts';
import {
  type BoxTree,
  buildTree,
  createIntList,
  createTree,
  type IntList,
  push,
  refitTree,
} from '../../src/contact/shapes/boxTree.ts';
import { random } from './support.ts';

const overlaps = (a: Float64Array, i: number, b: Float64Array, j: number): boolean =>
  a[i] <= b[j + 3] &&
  b[j] <= a[i + 3] &&
  a[i + 1] <= b[j + 4] &&
  b[j + 1] <= a[i + 4] &&
  a[i + 2] <= b[j + 5] &&
  b[j + 2] <= a[i + 5];

/** Appends every thing whose box meets the box at `o` of `query`. */
function findOverlaps(out: IntList, tree: BoxTree, query: Float64Array, o: number): void {
  if (tree.nodeCount === 0) return;
  const { stack, nodeBox, first, second, size, order, box } = tree;
  let top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const node = stack[--top];
    if (!overlaps(nodeBox, 6 * node, query, o)) continue;
    if (size[node] === 0) {
      stack[top++] = second[node];
      stack[top++] = first[node];
      continue;
    }
    for (let k = 0; k < size[node]; k++) {
      const thing = order[first[node] + k];
      if (overlaps(box, 6 * thing, query, o)) push(out, thing);
    }
  }
}

function fill(tree: BoxTree, seed: number, size: number): void {
  const next = random(seed);
  for (let i = 0; i < tree.count; i++) {
    for (let k = 0; k < 3; k++) {
      const at = next();
      tree.box[6 * i + k] = at;
      tree.box[6 * i + 3 + k] = at + size * next();
    }
  }
}

const meets = (a: Float64Array, i: number, b: Float64Array, j: number): boolean =>
  [0, 1, 2].every((k) => a[i + k] <= b[j + 3 + k] && b[j + k] <= a[i + 3 + k]);

function brute({ box, count }: BoxTree): string[] {
  const pairs: string[] = [];
  for (let i = 0; i < count; i++)
    for (let j = i + 1; j < count; j++) if (meets(box, 6 * i, box, 6 * j)) pairs.push(`${i} ${j}`);
  return pairs.sort();
}

describe('the tree of boxes', () => {
  it('finds what meets a box, also when many things lie at one place', () => {
    const tree = createTree(60);
    fill(tree, 4, 0.2);
    tree.box.fill(0.5, 0, 6 * 20);
    buildTree(tree);
    const query = Float64Array.of(0.4, 0.4, 0.4, 0.6, 0.6, 0.6);
    const list = createIntList();
    findOverlaps(list, tree, query, 0);
    const expected = [...Array(60).keys()].filter((i) => meets(tree.box, 6 * i, query, 0));
    expect([...list.data.subarray(0, list.length)].sort((a, b) => a - b)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(20);
    // and after all have moved
    fill(tree, 5, 0.6);
    refitTree(tree);
    list.length = 0;
    findOverlaps(list, tree, query, 0);
    const moved = [...Array(60).keys()].filter((i) => meets(tree.box, 6 * i, query, 0));
    expect([...list.data.subarray(0, list.length)].sort((a, b) => a - b)).toEqual(moved);
    expect(moved.length).toBeGreaterThan(5);
  });
});

describe('the grid', () => {
  it.each([
    [0.05, 1],
    [0.05, 64],
    [0.2, 256],
    [1, 16],
  ])('with cells of %f and %i slots finds the same pairs', (cell, slots) => {
    const tree = createTree(250);
    fill(tree, 9, 0.2);
    // some far from the rest, and on the other side of the origin
    for (let k = 0; k < 60; k++) tree.box[k] -= 3;
    const grid = createHashGrid(cell, slots);
    const pairs: string[] = [];
    // a second time as the first
    for (let turn = 0; turn < 2; turn++) {
      pairs.length = 0;
      findPairsByGrid(grid, tree.box, tree.count, (i, j) => pairs.push(`${i} ${j}`));
    }
    expect(pairs.sort()).toEqual(brute(tree));
    expect(pairs.length).toBeGreaterThan(50);
  });
});
