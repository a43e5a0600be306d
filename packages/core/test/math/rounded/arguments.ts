/** Arguments for tests of the elementary functions: random ones of all sizes and those where roundings and branches are hard. */

export type Sampler = () => readonly [number, number];

/** Uniform numbers in [0, 1) with 53 random digits (SplitMix64). */
export function makeRandom(seed: bigint): () => number {
  let state = seed;
  return () => {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let z = state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return Number((z ^ (z >> 31n)) >> 11n) / 2 ** 53;
  };
}

/** A sampler per function: half of its arguments as they occur, half over the whole range of exponents that has a result. */
export function makeSamplers(seed: bigint): Readonly<Record<string, Sampler>> {
  const random = makeRandom(seed);
  const sign = (): number => (random() < 0.5 ? -1 : 1);
  /** Size between 2^from and 2^to, all exponents equally often. */
  const sized = (from: number, to: number): number => 2 ** Math.floor(from + (to - from) * random()) * (1 + random());
  const either = (usual: () => number, wide: () => number): (() => number) => {
    return () => (random() < 0.5 ? usual() : wide());
  };
  const span =
    (a: number, b: number): (() => number) =>
    () =>
      a + (b - a) * random();
  /** Next to a multiple of π/4. */
  const quarter = (): number => (Math.floor(400 * random()) * Math.PI) / 4;
  const angle = either(span(-7, 7), () => (random() < 0.2 ? quarter() : sign() * sized(-30, 1023)));
  const real = either(span(-5, 5), () => sign() * sized(-1050, 1023));
  const positive = either(span(0, 5), () => (random() < 0.3 ? 1 + sign() * sized(-52, -5) : sized(-1060, 1023)));
  const unit = either(span(-1, 1), () => sign() * (random() < 0.5 ? 1 - sized(-52, -2) : sized(-40, -2)));
  const exponent = either(span(-5, 5), () => sign() * (random() < 0.5 ? 745 * random() : sized(-60, 9)));
  const one =
    (x: () => number): Sampler =>
    () => [x(), 0];
  return {
    sin: one(angle),
    cos: one(angle),
    tan: one(angle),
    asin: one(unit),
    acos: one(unit),
    atan: one(either(span(-3, 3), () => sign() * sized(-100, 100))),
    atan2: () => (random() < 0.8 ? [sign() * sized(-20, 20), sign() * sized(-20, 20)] : [real(), real()]),
    exp: one(exponent),
    expm1: one(exponent),
    sinh: one(exponent),
    cosh: one(exponent),
    tanh: one(either(span(-3, 3), () => sign() * sized(-60, 6))),
    log: one(positive),
    log1p: one(() => Math.max(-1 + 2 ** -50, random() < 0.5 ? unit() : sized(-60, 1023))),
    log2: one(positive),
    log10: one(positive),
    pow: () => [positive(), random() < 0.3 ? Math.floor(20 * random() - 10) / 4 : sign() * sized(-10, 6)],
    cbrt: one(real),
    hypot: () => (random() < 0.8 ? [sign() * sized(-30, 30), sign() * sized(-30, 30)] : [real(), real()]),
  };
}
