/** Seeded random numbers (xoshiro128**), and samples of the unit cube: random, Latin hypercube, Sobol sequence. */

/** Numbers in [0, 1), the same for the same seed on every machine. */
export function createRandom(seed: number): () => number {
  const state = new Uint32Array(4);
  // splitmix32 fills the state, so that near seeds give unrelated numbers
  let x = seed >>> 0;
  for (let k = 0; k < 4; k++) {
    x = (x + 0x9e3779b9) >>> 0;
    let z = x;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    state[k] = z ^ (z >>> 15);
  }
  const next = (): number => {
    const result = Math.imul(rotate(Math.imul(state[1], 5), 7), 9) >>> 0;
    const t = state[1] << 9;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= t;
    state[3] = rotate(state[3], 11);
    return result;
  };
  return () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992;
}

function rotate(x: number, bits: number): number {
  return ((x << bits) | (x >>> (32 - bits))) >>> 0;
}

/** `count` points of the unit cube, row by row. */
export interface Sample {
  readonly count: number;
  readonly dimensions: number;
  readonly points: Float64Array;
}

function fill(count: number, dimensions: number): Sample & { readonly points: Float64Array } {
  return { count, dimensions, points: new Float64Array(count * dimensions) };
}

export function sampleRandom(count: number, dimensions: number, seed: number): Sample {
  const random = createRandom(seed);
  const sample = fill(count, dimensions);
  for (let i = 0; i < sample.points.length; i++) sample.points[i] = random();
  return sample;
}

/** One point in each of `count` strata of every dimension, at a random place in it. */
export function sampleLatinHypercube(count: number, dimensions: number, seed: number): Sample {
  const random = createRandom(seed);
  const sample = fill(count, dimensions);
  const order = new Uint32Array(count);
  for (let d = 0; d < dimensions; d++) {
    for (let k = 0; k < count; k++) order[k] = k;
    for (let k = count - 1; k > 0; k--) {
      const other = Math.floor(random() * (k + 1));
      [order[k], order[other]] = [order[other], order[k]];
    }
    for (let k = 0; k < count; k++) sample.points[k * dimensions + d] = (order[k] + random()) / count;
  }
  return sample;
}

/** Primitive polynomials and first direction numbers of [JoeKuo2008], dimensions 2 to 21: degree, coefficients, m. */
const directions: readonly (readonly [number, number, readonly number[]])[] = [
  [1, 0, [1]],
  [2, 1, [1, 3]],
  [3, 1, [1, 3, 1]],
  [3, 2, [1, 1, 1]],
  [4, 1, [1, 1, 3, 3]],
  [4, 4, [1, 3, 5, 13]],
  [5, 2, [1, 1, 5, 5, 17]],
  [5, 4, [1, 1, 5, 5, 5]],
  [5, 7, [1, 1, 7, 11, 19]],
  [5, 11, [1, 1, 5, 1, 1]],
  [5, 13, [1, 1, 1, 3, 11]],
  [5, 14, [1, 3, 5, 5, 31]],
  [6, 1, [1, 3, 3, 9, 7, 49]],
  [6, 13, [1, 1, 1, 15, 21, 21]],
  [6, 16, [1, 3, 1, 13, 27, 49]],
  [6, 19, [1, 1, 1, 15, 7, 5]],
  [6, 22, [1, 3, 1, 15, 13, 25]],
  [6, 25, [1, 1, 5, 5, 19, 61]],
  [7, 1, [1, 3, 7, 11, 23, 15, 103]],
  [7, 4, [1, 3, 7, 13, 13, 15, 69]],
];

export const sobolDimensions: number = directions.length + 1;

function directionNumbers(dimension: number): Uint32Array {
  const v = new Uint32Array(32);
  if (dimension === 0) {
    for (let k = 0; k < 32; k++) v[k] = 1 << (31 - k);
    return v;
  }
  const [degree, coefficients, m] = directions[dimension - 1];
  for (let k = 0; k < 32; k++) {
    if (k < degree) {
      v[k] = m[k] << (31 - k);
      continue;
    }
    let value = v[k - degree] ^ (v[k - degree] >>> degree);
    for (let j = 1; j < degree; j++) if ((coefficients >> (degree - 1 - j)) & 1) value ^= v[k - j];
    v[k] = value;
  }
  return v;
}

/** The first points of the Sobol sequence, shifted digit by digit by a seed; seed 0: as published, from the origin on. */
export function sampleSobol(count: number, dimensions: number, seed: number): Sample {
  if (dimensions > sobolDimensions) throw new RangeError(`at most ${sobolDimensions} dimensions`);
  const sample = fill(count, dimensions);
  const random = createRandom(seed);
  for (let d = 0; d < dimensions; d++) {
    const v = directionNumbers(d);
    const shift = seed === 0 ? 0 : Math.floor(random() * 2 ** 32) >>> 0;
    // the middle of the last digit, so that no point is 0 where it is shifted
    const offset = seed === 0 ? 0 : 0.5;
    let x = 0;
    for (let k = 0; k < count; k++) {
      sample.points[k * dimensions + d] = (((x ^ shift) >>> 0) + offset) / 2 ** 32;
      // Gray code: the lowest zero bit of k
      x ^= v[31 - Math.clz32(~k & (k + 1))];
    }
  }
  return sample;
}
