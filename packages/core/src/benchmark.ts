/** Work for the benchmark runner that is not part of the public interface. */

import {
  createPathTree,
  findPathPairs,
  orderPathTree,
  refitPathTree,
  writePathBox,
} from './contact/detect/sweptTree.ts';
import { createIntList } from './contact/shapes/boxTree.ts';
import { createBorderedFactor, factorBand, solveBand } from './linalg/band.ts';
import { addEntry, createBorderedBand } from './linalg/bandMatrix.ts';
import type { CreateBlocks } from './linalg/blockTridiagonal.ts';
import { cos, sin, square } from './math/rounded/index.ts';
import { createFiberWork } from './models/fiber/benchmark.ts';

/** Banded factorisations and solves, half-bandwidth 10, of `count` diagonally dominant matrices. */
export function createBandBenchmark(size: number, count = 1): () => void {
  const systems = Array.from({ length: count }, (_, k) => {
    const matrix = createBorderedBand(size, 0);
    for (let i = 0; i < size; i++)
      for (let j = Math.max(0, i - 10); j <= i; j++) addEntry(matrix, i, j, i === j ? 20 : sin(i + 3 * j + k));
    return { matrix, factor: createBorderedFactor(matrix), right: new Float64Array(size) };
  });
  const weight = new Float64Array(size).fill(1);
  return () => {
    for (const { matrix, factor, right } of systems) {
      right.fill(1);
      factorBand(factor, matrix, 0, weight, 'stop-at-negative');
      solveBand(factor, matrix, right);
    }
  };
}

/**
 * One search for pairs among the edges of `hairs` hairs of 31 edges that stand off a ball in all directions, with `thickness` [m] about
 * each; they sway a little between two searches. Returns how many pairs are not apart on their paths.
 */
export function createPairBenchmark(hairs: number, thickness: number): () => number {
  const edges = 31;
  const count = hairs * edges;
  const tree = createPathTree(count);
  const pairs = createIntList();
  const rodOf = Int32Array.from({ length: count }, (_, e) => Math.floor(e / edges));
  const x = new Float64Array(3 * hairs * (edges + 1));
  let turn = 0;
  const place = (): void => {
    for (let h = 0; h < hairs; h++) {
      const z = 1 - (2 * (h + 0.5)) / hairs;
      const a = Math.PI * (3 - Math.sqrt(5)) * h;
      const s = Math.sqrt(1 - z * z);
      for (let j = 0; j <= edges; j++) {
        const r = 0.05 + (0.2 * j) / edges;
        const sag = 0.4 * square(j / edges) * 0.2;
        const sway = 0.002 * sin(0.3 * turn + 7 * h) * (j / edges);
        x.set([r * s * cos(a) + sway, r * s * sin(a), r * z - sag], 3 * (h * (edges + 1) + j));
      }
    }
  };
  const before = x.slice();
  const writeAll = (): void => {
    for (let e = 0; e < count; e++) {
      const o = 3 * (e + rodOf[e]);
      writePathBox(tree, tree.placeOf[e], 0, before, o, o + 3, thickness);
      writePathBox(tree, tree.placeOf[e], 6, x, o, o + 3, thickness);
    }
  };
  place();
  return () => {
    turn++;
    before.set(x);
    place();
    writeAll();
    if (tree.nodeCount === 0) {
      orderPathTree(tree);
      writeAll();
    }
    refitPathTree(tree);
    pairs.length = 0;
    findPathPairs(pairs, tree, rodOf);
    return pairs.length / 2;
  };
}

/** One assembly and block-tridiagonal solve of an energy–momentum step of a hair with so many cuboids, bent and moving. */
export function createFiberBenchmark(cuboids: number, create?: CreateBlocks): () => void {
  return createFiberWork(cuboids, create);
}
