/** Timing by repetition: the median of several batches, each long enough for the clock. */
export interface Timing {
  /** Median [s] of one call, and the spread (largest/smallest batch − 1). */
  readonly seconds: number;
  readonly spread: number;
}

export function time(work: () => void, batchSeconds = 0.25, batches = 7): Timing {
  const now = (): number => performance.now() / 1000;
  // warm up until the compiler has settled, and learn how many calls fill a batch
  const begin = now();
  let calls = 0;
  while (now() - begin < batchSeconds) {
    work();
    calls++;
  }
  const samples: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const start = now();
    for (let k = 0; k < calls; k++) work();
    samples.push((now() - start) / calls);
  }
  samples.sort((a, b) => a - b);
  return { seconds: samples[samples.length >> 1], spread: samples[samples.length - 1] / samples[0] - 1 };
}
