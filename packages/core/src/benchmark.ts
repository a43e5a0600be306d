/** Work for the benchmark runner that is not part of the public interface. */

import { addEntry, createBorderedBand, createBorderedFactor, factorBand, solveBand } from './linalg/band.ts';
import { createFiberWork } from './models/fiber/benchmark.ts';

/** One banded factorisation and solve, half-bandwidth 10, of a diagonally dominant matrix. */
export function createBandBenchmark(size: number): () => void {
  const matrix = createBorderedBand(size, 0);
  for (let i = 0; i < size; i++)
    for (let j = Math.max(0, i - 10); j <= i; j++) addEntry(matrix, i, j, i === j ? 20 : Math.sin(i + 3 * j));
  const factor = createBorderedFactor(matrix);
  const weight = new Float64Array(size).fill(1);
  const right = new Float64Array(size);
  return () => {
    right.fill(1);
    factorBand(factor, matrix, 0, weight, true);
    solveBand(factor, matrix, right);
  };
}

/** One assembly and block-tridiagonal solve of an energy–momentum step of a hair with so many cuboids, bent and moving. */
export function createFiberBenchmark(cuboids: number): () => void {
  return createFiberWork(cuboids);
}
