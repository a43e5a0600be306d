/** Timing by repetition: the median of several batches, each long enough for the clock. */
export interface Timing {
  /** Median [s] of one call, and the spread (largest/smallest batch − 1). */
  readonly seconds: number;
  readonly spread: number;
}

/** Both in turn, in short batches of `calls`, so that what else the machine does slows both alike: the timing of the first, and the median ratio. */
export function compare(
  work: () => void,
  other: () => void,
  calls: number,
  batches = 150,
): { readonly timing: Timing; readonly ratio: number } {
  const batch = (one: () => void): number => {
    const start = performance.now();
    for (let k = 0; k < calls; k++) one();
    return (performance.now() - start) / 1000 / calls;
  };
  const samples: number[] = [];
  const ratios: number[] = [];
  // the first tenth warms up
  for (let k = -batches / 10; k < batches; k++) {
    const seconds = batch(work);
    const ratio = seconds / batch(other);
    if (k < 0) continue;
    samples.push(seconds);
    ratios.push(ratio);
  }
  const sorted = samples.sort((a, b) => a - b);
  const median = (list: readonly number[]): number => list[list.length >> 1];
  return {
    timing: { seconds: median(sorted), spread: sorted[sorted.length - 1] / sorted[0] - 1 },
    ratio: median(ratios.sort((a, b) => a - b)),
  };
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

/** As `time`, for work that goes through `calls` calls from a state which `prepare` restores; that is not counted. */
export function timeRounds(prepare: () => void, work: () => void, calls: number): Timing {
  const batch = (seconds: number): number => {
    let [taken, sum] = [0, 0];
    while (sum < seconds) {
      prepare();
      const start = performance.now();
      for (let k = 0; k < calls; k++) work();
      sum += (performance.now() - start) / 1000;
      taken += calls;
    }
    return sum / taken;
  };
  batch(0.25);
  const samples = Array.from({ length: 7 }, () => batch(0.25)).sort((a, b) => a - b);
  return { seconds: samples[3], spread: samples[6] / samples[0] - 1 };
}
