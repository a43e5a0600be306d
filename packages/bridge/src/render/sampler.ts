/** Numbers for Monte Carlo integration: points that cover the unit square evenly, shifted per pixel. They depend on pixel, sample and dimension only. */

/** Mixes the bits of an integer [Wellons, lowbias32]. */
export function mixBits(x: number): number {
  let h = x | 0;
  h ^= h >>> 16;
  h = Math.imul(h, 0x21f0aaad);
  h ^= h >>> 15;
  h = Math.imul(h, 0x735a2d97);
  h ^= h >>> 15;
  return h >>> 0;
}

/** Steps of the R2 sequence, as fractions of 2³²: powers of the reciprocal plastic number. */
const stepX = 3242174889;
const stepY = 2447445414;

/** Pairs of numbers 0…1 for one path of light. */
export interface Sampler {
  /** Begins a path. */
  start(pixel: number, sample: number): void;
  /** Draws the next pair into `x` and `y`. */
  next(): void;
  x: number;
  y: number;
}

/** Creates a sampler. The pairs of one dimension over all samples of a pixel are an R2 sequence with a random shift. */
export function createSampler(): Sampler {
  let seed = 0;
  let index = 0;
  let dimension = 0;
  const sampler: Sampler = {
    x: 0,
    y: 0,
    start(pixel, sample) {
      seed = mixBits(pixel + 0x9e3779b9);
      index = sample;
      dimension = 0;
    },
    next() {
      dimension++;
      const shift = mixBits(seed ^ Math.imul(dimension, 0x85ebca6b));
      const other = mixBits(shift ^ 0x68e31da4);
      // later dimensions take the samples in another order, so that no two of them run in step
      const k = dimension === 1 ? index : (index ^ (mixBits(shift ^ 0x1b56c4e9) & 0xff)) >>> 0;
      sampler.x = ((shift + Math.imul(k, stepX)) >>> 0) / 4294967296;
      sampler.y = ((other + Math.imul(k, stepY)) >>> 0) / 4294967296;
    },
  };
  return sampler;
}
