/** Inner loops of core for the benchmarks. They are no part of its interface, so its package does not export them. */
import type * as Inner from '../../packages/core/dist/benchmark.d.ts';

const file = new URL('./benchmark.js', import.meta.resolve('@tendril-sim/core'));
const inner = (await import(file.href)) as typeof Inner;

export const createBandBenchmark: typeof Inner.createBandBenchmark = inner.createBandBenchmark;
export const createFiberBenchmark: typeof Inner.createFiberBenchmark = inner.createFiberBenchmark;
export const createPairBenchmark: typeof Inner.createPairBenchmark = inner.createPairBenchmark;
