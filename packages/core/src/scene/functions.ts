/**
 * The functions that expressions may call: value and, for curves, two derivatives. `derive` gives f' and f'' for functions of one argument; the
 * others are combined in `jet.ts`.
 */
import { acos, asin, atan, atan2, cos, cosh, exp, log, pow, sin, sinh, tan, tanh } from '../math/rounded/index.ts';

export interface ExpressionFunction {
  readonly least: number;
  readonly most: number;
  evaluate(args: ArrayLike<number>): number;
  /** First and second derivative, for functions of one argument. */
  derive?(x: number): readonly [number, number];
}

const unary = (f: (x: number) => number, derive: (x: number) => readonly [number, number]): ExpressionFunction => ({
  least: 1,
  most: 1,
  evaluate: (args) => f(args[0]),
  derive,
});
/** A function of any number of arguments that combines them one by one. */
const folding = (combine: (a: number, b: number) => number): ExpressionFunction => ({
  least: 1,
  most: Number.POSITIVE_INFINITY,
  evaluate(args) {
    let result = args[0];
    for (let k = 1; k < args.length; k++) result = combine(result, args[k]);
    return result;
  },
});
const flat = (): readonly [number, number] => [0, 0];

export const functions: Readonly<Record<string, ExpressionFunction>> = {
  sin: unary(sin, (x) => [cos(x), -sin(x)]),
  cos: unary(cos, (x) => [-sin(x), -cos(x)]),
  tan: unary(tan, (x) => {
    const t = tan(x);
    return [1 + t * t, 2 * t * (1 + t * t)];
  }),
  asin: unary(asin, (x) => {
    const d = 1 / Math.sqrt(1 - x * x);
    return [d, x * d * d * d];
  }),
  acos: unary(acos, (x) => {
    const d = 1 / Math.sqrt(1 - x * x);
    return [-d, -x * d * d * d];
  }),
  atan: unary(atan, (x) => {
    const d = 1 / (1 + x * x);
    return [d, -2 * x * d * d];
  }),
  sinh: unary(sinh, (x) => [cosh(x), sinh(x)]),
  cosh: unary(cosh, (x) => [sinh(x), cosh(x)]),
  tanh: unary(tanh, (x) => {
    const t = tanh(x);
    return [1 - t * t, -2 * t * (1 - t * t)];
  }),
  exp: unary(exp, (x) => [exp(x), exp(x)]),
  log: unary(log, (x) => [1 / x, -1 / (x * x)]),
  sqrt: unary(Math.sqrt, (x) => [0.5 / Math.sqrt(x), -0.25 / (x * Math.sqrt(x))]),
  abs: unary(Math.abs, (x) => [Math.sign(x), 0]),
  floor: unary(Math.floor, flat),
  ceil: unary(Math.ceil, flat),
  sign: unary(Math.sign, flat),
  atan2: { least: 2, most: 2, evaluate: (args) => atan2(args[0], args[1]) },
  pow: { least: 2, most: 2, evaluate: (args) => pow(args[0], args[1]) },
  /** Always between 0 and b, also for negative a. */
  mod: { least: 2, most: 2, evaluate: (args) => args[0] - args[1] * Math.floor(args[0] / args[1]) },
  min: folding(Math.min),
  max: folding(Math.max),
  hypot: {
    least: 1,
    most: Number.POSITIVE_INFINITY,
    evaluate(args) {
      let sum = 0;
      for (let k = 0; k < args.length; k++) sum += args[k] * args[k];
      return Math.sqrt(sum);
    },
  },
  /** clamp(x, low, high) */
  clamp: { least: 3, most: 3, evaluate: (args) => Math.min(Math.max(args[0], args[1]), args[2]) },
  /** smoothstep(a, b, x): 0 below a, 1 above b, 3q² − 2q³ between. */
  smoothstep: {
    least: 3,
    most: 3,
    evaluate(args) {
      const q = Math.min(Math.max((args[2] - args[0]) / (args[1] - args[0]), 0), 1);
      return q * q * (3 - 2 * q);
    },
  },
  /** step(edge, x): 0 below the edge, 1 from it on. */
  step: { least: 2, most: 2, evaluate: (args) => (args[1] >= args[0] ? 1 : 0) },
  /** noise(x, y, z): smooth, between −1 and 1, one feature per unit; the same values on every machine. */
  noise: { least: 1, most: 3, evaluate: (args) => valueNoise(args[0], args[1] ?? 0, args[2] ?? 0) },
};

/** Integer hash of a lattice point to [−1, 1]. */
function latticeValue(x: number, y: number, z: number): number {
  let h = Math.imul(x | 0, 0x27d4eb2d) ^ Math.imul(y | 0, 0x165667b1) ^ Math.imul(z | 0, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2147483647.5 - 1;
}

const fade = (q: number): number => q * q * q * (q * (6 * q - 15) + 10);

/** Value noise with a quintic blend: two derivatives are continuous. */
function valueNoise(x: number, y: number, z: number): number {
  const i = Math.floor(x);
  const j = Math.floor(y);
  const k = Math.floor(z);
  const a = fade(x - i);
  const b = fade(y - j);
  const c = fade(z - k);
  let sum = 0;
  for (let corner = 0; corner < 8; corner++) {
    const p = corner & 1;
    const q = (corner >> 1) & 1;
    const r = corner >> 2;
    sum += (p ? a : 1 - a) * (q ? b : 1 - b) * (r ? c : 1 - c) * latticeValue(i + p, j + q, k + r);
  }
  return sum;
}
