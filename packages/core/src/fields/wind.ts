/**
 * Wind made of parts that add up: a mean with gusts, vortices, turbulence, samples on a grid.
 *
 * Turbulence is a sum of Fourier modes a·sin(k·x + ωt + φ) with random directions [Kraichnan1970]. Because a is normal to k,
 * every mode is exactly free of divergence, and so is their sum; noise on a grid would have to be the curl of a potential. The mean
 * square over all space is half the sum of |a|², so the rms speed is set in closed form, without measuring it. All random numbers come
 * from the seed when the field is created. An evaluation takes one sine per mode and allocates nothing. Sines take most of the time of
 * an explicit step, so terms that depend on time alone are cached, and the sine is a polynomial.
 */
import { cos, expm1, hypotOf, pow, sin } from '../math/rounded/index.ts';
import type { GustSpec, TurbulenceSpec, Vec3, VortexSpec, WindSpec } from '../scene/types.ts';
import { createSampledWind } from './sampledWind.ts';

/** Writes the velocity [m/s] at (x, y, z) and t. */
export type Wind = (out: Float64Array, x: number, y: number, z: number, t: number) => void;

/** Few enough to be cheap; of three octaves each component of the velocity gets 0.2 to 0.5 of the energy, 1/3 on average. */
const modesPerOctave = 16;
const goldenRatio = (1 + Math.sqrt(5)) / 2;

/** Frequencies without a common period, and weights that add up to 1, so that the sum stays within −1 and 1. */
const gustFrequencies = [1, goldenRatio, 1 + Math.SQRT2] as const;
const gustWeights = [0.5, 0.3, 0.2] as const;

interface Gust {
  /** Factor of the mean wind at t: 1 + amplitude·g(t), with g(0) = 0. */
  factor(t: number): number;
  /** Integral of the factor from 0 to t [s]: distance that the mean wind has travelled, divided by its speed. */
  travel(t: number): number;
}

function createGust({ amplitude, period }: GustSpec): Gust {
  const rates = gustFrequencies.map((frequency) => (2 * Math.PI * frequency) / period);
  return {
    factor(t) {
      let sum = 0;
      for (let i = 0; i < 3; i++) sum += gustWeights[i] * sin(rates[i] * t);
      return 1 + amplitude * sum;
    },
    travel(t) {
      let sum = 0;
      for (let i = 0; i < 3; i++) {
        // 1 − cos a = 2 sin²(a/2), without the loss of digits for small a
        const half = sin(0.5 * rates[i] * t);
        sum += (gustWeights[i] * 2 * half * half) / rates[i];
      }
      return t + amplitude * sum;
    },
  };
}

const steady: Gust = { factor: () => 1, travel: (t) => t };

/** Adds its velocity to `out`. */
function createVortex({ center, axis, circulation, core, velocity = [0, 0, 0] }: VortexSpec): Wind {
  const axisLength = hypotOf(axis);
  const [ax, ay, az] = axis.map((component) => component / axisLength);
  const [cx, cy, cz] = center;
  const [vx, vy, vz] = velocity;
  const spin = circulation / (2 * Math.PI * core * core);
  return (out, x, y, z, t) => {
    const dx = x - cx - vx * t;
    const dy = y - cy - vy * t;
    const dz = z - cz - vz * t;
    const wx = ay * dz - az * dy;
    const wy = az * dx - ax * dz;
    const wz = ax * dy - ay * dx;
    const q = (wx * wx + wy * wy + wz * wz) / (core * core);
    // v/r of the Lamb–Oseen vortex; with expm1 it keeps its digits near the axis, where it approaches solid rotation
    const rate = q > 0 ? (-spin * expm1(-q)) / q : spin;
    out[0] += rate * wx;
    out[1] += rate * wy;
    out[2] += rate * wz;
  };
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Adding and subtracting this rounds numbers far below 2⁵¹ to whole numbers. */
const rounder = 1.5 * 2 ** 52;

/** sin 2πx by a polynomial over the turn around zero, to 2e-13. */
function sineOfTurns(x: number): number {
  const r = x - (x + rounder - rounder);
  const u = r * r;
  const v = u * u;
  const low = 6.283185307179272 - 41.34170224019563 * u + v * (81.60524925428469 - 76.7058588569207 * u);
  const high = 42.05867546716389 - 15.094428279965628 * u + v * (3.818489477376753 - 0.7122755144318456 * u);
  return r * (low + v * v * (high + v * v * 0.09149676486165692));
}

/** Adds its velocity to `out`; the mean wind carries the eddies with it (Taylor's hypothesis). */
function createTurbulence(spec: TurbulenceSpec, mean: Vec3, travel: (t: number) => number): Wind {
  const { intensity, length, octaves = 3, seed = 0, time = length / intensity } = spec;
  const random = createRandom(seed);
  const count = modesPerOctave * octaves;
  // Kolmogorov: E(k) ~ k^(−5/3), so an octave has energy ~ k^(−2/3)
  const energies = Array.from({ length: octaves }, (_, octave) => 2 ** ((-2 / 3) * octave));
  const energy = energies.reduce((sum, value) => sum + value, 0);
  // wave vector, amplitude, rate by time, rate by travel, phase
  const width = 9;
  const modes = new Float64Array(width * count);
  for (let m = 0; m < count; m++) {
    const octave = Math.floor(m / modesPerOctave);
    const i = m % modesPerOctave;
    // k spread over half a sphere (the other half has the same modes): by chance alone 16 of them would cluster
    const height = (i + random()) / modesPerOctave;
    const azimuth = 2 * Math.PI * (goldenRatio * i + random() / 4);
    const rim = Math.sqrt(1 - height * height);
    const [c, s] = [cos(azimuth), sin(azimuth)];
    const finer = 2 ** (octave + random());
    const wavenumber = (2 * Math.PI * finer) / length;
    const [kx, ky, kz] = [wavenumber * rim * c, wavenumber * rim * s, wavenumber * height];
    // along the parallel and the meridian of that sphere, both normal to k
    const angle = 2 * Math.PI * random();
    const amplitude = intensity * Math.sqrt((2 * energies[octave]) / (energy * modesPerOctave));
    const parallel = amplitude * cos(angle);
    const meridian = amplitude * sin(angle);
    const [ax, ay, az] = [-parallel * s - meridian * height * c, parallel * c - meridian * height * s, meridian * rim];
    // smaller eddies turn over faster: speed over size ~ k^(2/3)
    const rate = ((2 * Math.PI) / time) * pow(finer, 2 / 3) * (0.5 + random()) * (random() < 0.5 ? -1 : 1);
    const carried = -(kx * mean[0] + ky * mean[1] + kz * mean[2]);
    modes.set([kx, ky, kz, ax, ay, az, rate, carried, 2 * Math.PI * random()], width * m);
  }
  // from here on in turns: wave vector, rates and phase
  for (let m = 0; m < modes.length; m += width) for (const k of [0, 1, 2, 6, 7, 8]) modes[m + k] /= 2 * Math.PI;
  // phases at the last evaluated instant, cached
  let instant = Number.NaN;
  const phases = new Float64Array(count);
  return (out, x, y, z, t) => {
    if (t !== instant) {
      const gone = travel(t);
      for (let m = 0; m < count; m++)
        phases[m] = modes[width * m + 6] * t + modes[width * m + 7] * gone + modes[width * m + 8];
      instant = t;
    }
    let vx = 0;
    let vy = 0;
    let vz = 0;
    for (let m = 0, i = 0; i < count; m += width, i++) {
      const wave = sineOfTurns(modes[m] * x + modes[m + 1] * y + modes[m + 2] * z + phases[i]);
      vx += modes[m + 3] * wave;
      vy += modes[m + 4] * wave;
      vz += modes[m + 5] * wave;
    }
    out[0] += vx;
    out[1] += vy;
    out[2] += vz;
  };
}

/** Creates a wind from values that the scene compiler has already validated. */
export function createWind({ mean = [0, 0, 0], gust, vortices = [], turbulence, grid }: WindSpec): Wind {
  const { factor, travel } = gust ? createGust(gust) : steady;
  const parts = vortices.map(createVortex);
  // with zero intensity the eddies would also never change
  if (turbulence && turbulence.intensity > 0) parts.push(createTurbulence(turbulence, mean, travel));
  if (grid) parts.push(createSampledWind(grid));
  let instant = Number.NaN;
  let strength = 1;
  return (out, x, y, z, t) => {
    if (t !== instant) {
      strength = factor(t);
      instant = t;
    }
    out[0] = strength * mean[0];
    out[1] = strength * mean[1];
    out[2] = strength * mean[2];
    for (let k = 0; k < parts.length; k++) parts[k](out, x, y, z, t);
  };
}
