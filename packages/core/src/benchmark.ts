/** Work for the benchmark runner that is not part of the public interface. */

import { createIntList, createTree, findPairs, updateTree } from './contact/tree.ts';
import { addEntry, createBorderedBand, createBorderedFactor, factorBand, solveBand } from './linalg/band.ts';
import type { CreateBlocks } from './linalg/blockTridiagonal.ts';
import { createFiberWork } from './models/fiber/benchmark.ts';

/** Banded factorisations and solves, half-bandwidth 10, of `count` diagonally dominant matrices. */
export function createBandBenchmark(size: number, count = 1): () => void {
  const systems = Array.from({ length: count }, (_, k) => {
    const matrix = createBorderedBand(size, 0);
    for (let i = 0; i < size; i++)
      for (let j = Math.max(0, i - 10); j <= i; j++) addEntry(matrix, i, j, i === j ? 20 : Math.sin(i + 3 * j + k));
    return { matrix, factor: createBorderedFactor(matrix), right: new Float64Array(size) };
  });
  const weight = new Float64Array(size).fill(1);
  return () => {
    for (const { matrix, factor, right } of systems) {
      right.fill(1);
      factorBand(factor, matrix, 0, weight, true);
      solveBand(factor, matrix, right);
    }
  };
}

/**
 * One search for pairs among the edges of `hairs` hairs of 31 edges that stand off a ball in all directions, with `thickness` [m] about
 * each; they sway a little between two searches. Returns how many pairs of boxes meet.
 */
export function createPairBenchmark(hairs: number, thickness: number): () => number {
  const edges = 31;
  const tree = createTree(hairs * edges);
  const pairs = createIntList();
  let turn = 0;
  return () => {
    turn++;
    for (let h = 0; h < hairs; h++) {
      const z = 1 - (2 * (h + 0.5)) / hairs;
      const a = Math.PI * (3 - Math.sqrt(5)) * h;
      const s = Math.sqrt(1 - z * z);
      const at = (j: number, k: number): number => {
        const r = 0.05 + (0.2 * j) / edges;
        const sag = 0.4 * (j / edges) ** 2 * 0.2;
        const sway = 0.002 * Math.sin(0.3 * turn + 7 * h) * (j / edges);
        return k === 0 ? r * s * Math.cos(a) + sway : k === 1 ? r * s * Math.sin(a) : r * z - sag;
      };
      for (let j = 0; j < edges; j++) {
        const o = 6 * (h * edges + j);
        for (let k = 0; k < 3; k++) {
          tree.box[o + k] = Math.min(at(j, k), at(j + 1, k)) - thickness;
          tree.box[o + 3 + k] = Math.max(at(j, k), at(j + 1, k)) + thickness;
        }
      }
    }
    updateTree(tree);
    pairs.length = 0;
    findPairs(pairs, tree);
    return pairs.length / 2;
  };
}

/** One assembly and block-tridiagonal solve of an energy–momentum step of a hair with so many cuboids, bent and moving. */
export function createFiberBenchmark(cuboids: number, create?: CreateBlocks): () => void {
  return createFiberWork(cuboids, create);
}
