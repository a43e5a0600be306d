/** Work for the benchmark runner that is not part of the public interface. */

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

/** One assembly and block-tridiagonal solve of an energy–momentum step of a hair with so many cuboids, bent and moving. */
export function createFiberBenchmark(cuboids: number, create?: CreateBlocks): () => void {
  return createFiberWork(cuboids, create);
}
