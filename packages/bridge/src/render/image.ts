/** From sums of samples to pixels: noise is smoothed along surfaces, and bright light is compressed. */
import { exp, pow, square } from '@tendril-sim/core/math';
import type { RenderRows, RenderScene } from './types.ts';

/** Means over the samples of a whole picture, planes of width × height. */
interface Planes {
  readonly width: number;
  readonly height: number;
  /** Light over albedo, 3 per pixel. */
  readonly color: Float32Array;
  readonly albedo: Float32Array;
  readonly normal: Float32Array;
  readonly depth: Float32Array;
  /** Variance of the mean luminance. */
  readonly variance: Float32Array;
}

/** Options of `developPicture`. */
export interface DevelopOptions {
  /** Samples per pixel in the sums. */
  readonly samples: number;
  /** Smooths noise; default true. */
  readonly denoise?: boolean;
}

/** Pixels, rows from the top, red, green, blue, alpha. */
export function developPicture(
  { width, height }: Pick<RenderScene, 'width' | 'height'>,
  sums: RenderRows,
  { samples, denoise = true }: DevelopOptions,
): Uint8Array {
  let planes = divideByAlbedo(width, height, sums, samples);
  if (denoise && samples > 1) for (let step = 1; step <= 8; step *= 2) planes = smooth(planes, step);
  const out = new Uint8Array(4 * width * height);
  const rgb = [0, 0, 0];
  for (let k = 0; k < width * height; k++) {
    for (let c = 0; c < 3; c++) rgb[c] = planes.color[3 * k + c] * (planes.albedo[3 * k + c] + floorLevel);
    compress(rgb);
    for (let c = 0; c < 3; c++) out[4 * k + c] = toByte(rgb[c]);
    out[4 * k + 3] = 255;
  }
  return out;
}

/** Added to albedos, so that black surfaces can be divided by. */
const floorLevel = 0.02;

function divideByAlbedo(width: number, height: number, { color, guide }: RenderRows, samples: number): Planes {
  const count = width * height;
  const out: Planes = {
    width,
    height,
    color: new Float32Array(3 * count),
    albedo: new Float32Array(3 * count),
    normal: new Float32Array(3 * count),
    depth: new Float32Array(count),
    variance: new Float32Array(count),
  };
  for (let k = 0; k < count; k++) {
    let base = 0;
    let mean = 0;
    for (let c = 0; c < 3; c++) {
      const albedo = guide[7 * k + c] / samples;
      out.albedo[3 * k + c] = albedo;
      out.color[3 * k + c] = color[4 * k + c] / samples / (albedo + floorLevel);
      out.normal[3 * k + c] = guide[7 * k + 3 + c] / samples;
      base += (albedo + floorLevel) / 3;
      mean += color[4 * k + c] / samples / 3;
    }
    out.depth[k] = guide[7 * k + 6] / samples;
    const spread = Math.max(0, color[4 * k + 3] / samples - mean * mean);
    out.variance[k] = spread / Math.max(1, samples - 1) / (base * base);
  }
  return out;
}

const kernel = [3 / 8, 1 / 4, 1 / 16] as const;

/** One pass of an edge-avoiding wavelet filter [Dammertz2010] with the variance as guide [Schied2017]. */
function smooth(planes: Planes, step: number): Planes {
  const { width, height } = planes;
  const color = new Float32Array(planes.color.length);
  const variance = new Float32Array(planes.variance.length);
  const sum = new Float64Array(5);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const k = y * width + x;
      sum.fill(0);
      const noise = 3 * Math.sqrt(blurredVariance(planes, x, y)) + 1e-4;
      for (let j = -2; j <= 2; j++) {
        const row = y + j * step;
        if (row < 0 || row >= height) continue;
        for (let i = -2; i <= 2; i++) {
          const column = x + i * step;
          if (column < 0 || column >= width) continue;
          const m = row * width + column;
          const weight = kernel[Math.abs(i)] * kernel[Math.abs(j)] * likeness(planes, k, m, noise, step);
          for (let c = 0; c < 3; c++) sum[c] += weight * planes.color[3 * m + c];
          sum[3] += weight * weight * planes.variance[m];
          sum[4] += weight;
        }
      }
      for (let c = 0; c < 3; c++) color[3 * k + c] = sum[c] / sum[4];
      variance[k] = sum[3] / (sum[4] * sum[4]);
    }
  }
  return { ...planes, color, variance };
}

/** The variance of one pixel is itself noisy: mean over its neighbours. */
function blurredVariance({ variance, width, height }: Planes, x: number, y: number): number {
  let [sum, total] = [0, 0];
  for (let j = -1; j <= 1; j++) {
    for (let i = -1; i <= 1; i++) {
      const [column, row] = [x + i, y + j];
      if (column < 0 || column >= width || row < 0 || row >= height) continue;
      const weight = (i === 0 ? 2 : 1) * (j === 0 ? 2 : 1);
      sum += weight * variance[row * width + column];
      total += weight;
    }
  }
  return sum / total;
}

/** How much two pixels show the same surface under the same light, 0…1. */
function likeness({ color, normal, albedo, depth }: Planes, k: number, m: number, noise: number, step: number): number {
  if (k === m) return 1;
  let [turn, tint, light] = [0, 0, 0];
  for (let c = 0; c < 3; c++) {
    turn += square(normal[3 * k + c] - normal[3 * m + c]);
    tint += square(albedo[3 * k + c] - albedo[3 * m + c]);
    light += (color[3 * k + c] - color[3 * m + c]) / 3;
  }
  const far = Math.abs(depth[k] - depth[m]) / (0.02 * step * Math.max(1e-3, Math.min(depth[k], depth[m])));
  const unlike = 12 * turn + 60 * tint + Math.abs(light) / noise + far;
  return unlike > 12 ? 0 : exp(-unlike);
}

/** Keeps colours up to 0.8, and brings brighter ones towards white, as Khronos PBR neutral tone mapping does above its offset. */
function compress(rgb: number[]): void {
  const start = 0.8;
  const peak = Math.max(rgb[0], rgb[1], rgb[2]);
  if (peak <= start) return;
  const d = 1 - start;
  const level = 1 - (d * d) / (peak + d - start);
  const share = 1 - 1 / (0.15 * (peak - level) + 1);
  for (let c = 0; c < 3; c++) rgb[c] = (rgb[c] * level) / peak + share * (level - (rgb[c] * level) / peak);
}

/** Linear 0…1 to a byte of sRGB. */
function toByte(x: number): number {
  const y = x <= 0.0031308 ? 12.92 * Math.max(0, x) : 1.055 * pow(Math.min(1, x), 1 / 2.4) - 0.055;
  return Math.round(255 * y);
}

/** A colour as in CSS, #rgb or #rrggbb, as linear RGB; undefined if it is none. */
export function parseColor(text: string): [number, number, number] | undefined {
  const digits = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text.trim())?.[1];
  if (digits === undefined) return undefined;
  const size = digits.length / 3;
  const channel = (k: number): number => {
    const part = digits.slice(size * k, size * (k + 1));
    const x = Number.parseInt(size === 1 ? part + part : part, 16) / 255;
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
  };
  return [channel(0), channel(1), channel(2)];
}
