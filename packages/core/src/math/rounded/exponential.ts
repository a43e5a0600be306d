/**
 * Exponential, hyperbolic functions, logarithms and powers, correctly rounded [Tang1989, Tang1990].
 *
 * e^x = 2^(k/128)·e^r with k from a table and |r| ≤ log 2/256. log x = e·log 2 − log c + log(1 + z) with x·c = 2^e·(1 + z), c = j/128 and
 * |z| ≤ 1/180; x·c has no rounding error.
 */
import { powerOfTwo } from './bigFixed.ts';
import {
  exactExponential,
  exactExponentialLess1,
  exactHyperbolicCosine,
  exactHyperbolicSine,
  exactHyperbolicTangent,
  exactLogarithm,
  exactLogarithm1,
  exactLogarithm2,
  exactLogarithm10,
  exactPower,
} from './exact.ts';
import { dividePairs, normalizePair, pair, productError, roundPair, sumError } from './pair.ts';
import {
  FIRST_LOG,
  inverseLog2,
  inverseLog10,
  LOGS,
  log2Parts,
  logTable,
  POWERS,
  powerTable,
  stepLogParts,
} from './tables.ts';

/** Errors of exponentials and of logarithms relative to the result; the largest seen are a quarter of them. */
const ERROR = 2 ** -67;
const LOG_ERROR = 2 ** -67;
const ROUND = 1.5 * 2 ** 52;
const STEPS = POWERS / Math.LN2;
const [STEP1, STEP2] = stepLogParts;
const [LOG1, LOG2] = log2Parts;

/** Writes e^(x + low)/2^exponent, between ½ and 2, to `pair`; returns the exponent. */
function writeExponential(x: number, low: number): number {
  const k = x * STEPS + ROUND - ROUND;
  const a = x - k * STEP1;
  const b = low - k * STEP2;
  const r = a + b;
  const d = sumError(a, b, r);
  const j = k & (POWERS - 1);
  const power = powerTable[4 * j];
  const short = powerTable[4 * j + 2];
  const r1 = Math.fround(r);
  const product = short * r1;
  const s = power + product;
  const curved = r * r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r * (1 / 720 + r / 5040)))));
  const rest = short * (r - r1) + powerTable[4 * j + 3] * r + power * (d + r * d + curved) + powerTable[4 * j + 1];
  pair[0] = s;
  pair[1] = sumError(power, product, s) + rest;
  return (k - j) / POWERS;
}

/** e^x, correctly rounded. */
export function exp(x: number): number {
  if (!(x > -708 && x < 709)) return expExtreme(x);
  if (Math.abs(x) < 2 ** -54) return 1;
  const exponent = writeExponential(x, 0);
  const error = ERROR * pair[0];
  const rounded = pair[0] + (pair[1] + error);
  return rounded === pair[0] + (pair[1] - error) ? rounded * powerOfTwo(exponent) : exactExponential(x);
}

/** Results near overflow, subnormal ones, and NaN. */
function expExtreme(x: number): number {
  if (x >= 710) return Number.POSITIVE_INFINITY;
  if (x <= -746) return 0;
  return Number.isNaN(x) ? x : exactExponential(x);
}

/** Multiplies `pair` by 2^exponent, or by as much as leaves it in the range of doubles. */
function scalePair(exponent: number): void {
  const factor = powerOfTwo(Math.max(-1000, Math.min(1020, exponent)));
  pair[0] *= factor;
  pair[1] *= factor;
}

/** sinh x − x for |x| ≤ 1/64 */
const oddTail = (x: number, x2: number): number => x * x2 * (1 / 6 + x2 * (1 / 120 + x2 * (1 / 5040 + x2 / 362880)));

/** e^x − 1 */
export function expm1(x: number): number {
  const size = Math.abs(x);
  if (size < 2 ** -54) return x;
  if (!(x > -40 && x < 700)) return expm1Extreme(x);
  const square = x * x;
  if (size < 2 ** -6) {
    // x + x²/2, exactly, then the small terms
    const s = x + square / 2;
    const rest = productError(x, x, square) / 2 + oddTail(x, square);
    pair[1] =
      sumError(x, square / 2, s) + rest + square * square * (1 / 24 + square * (1 / 720 + square * (1 / 40320)));
    pair[0] = s;
    return roundPair(2 ** -65 * size, exactExponentialLess1, x, 0);
  }
  scalePair(writeExponential(x, 0));
  const error = ERROR * pair[0];
  addToPair(-1, 0);
  return roundPair(error + ERROR * Math.abs(pair[0]), exactExponentialLess1, x, 0);
}

function expm1Extreme(x: number): number {
  if (x >= 710) return Number.POSITIVE_INFINITY;
  if (x <= -40) return -1;
  return Number.isNaN(x) ? x : exactExponentialLess1(x);
}

/** Adds high + low to `pair`. */
function addToPair(high: number, low: number): void {
  const s = pair[0] + high;
  pair[1] += sumError(pair[0], high, s) + low;
  pair[0] = s;
}

/** Writes e^x + sign·e^−x to `pair` for 0 < x < 700; returns a bound on the error. */
function writeBoth(x: number, sign: number): number {
  scalePair(writeExponential(x, 0));
  normalizePair();
  const up = pair[0];
  const upLow = pair[1];
  dividePairs(1, 0, up, upLow);
  const down = sign * pair[0];
  const downLow = sign * pair[1];
  pair[0] = up;
  pair[1] = upLow;
  addToPair(down, downLow);
  return 2 * ERROR * up;
}

/** Hyperbolic sine, correctly rounded. */
export function sinh(x: number): number {
  const size = Math.abs(x);
  if (size < 2 ** -27) return x;
  if (!(size < 700)) return size < 711 ? exactHyperbolicSine(x) : x;
  if (size < 2 ** -6) {
    pair[0] = x;
    pair[1] = oddTail(x, x * x);
    return roundPair(2 ** -66 * size, exactHyperbolicSine, x, 0);
  }
  const error = writeBoth(size, -1);
  const half = 0.5 * Math.sign(x);
  pair[0] *= half;
  pair[1] *= half;
  return roundPair(error, exactHyperbolicSine, x, 0);
}

/** Hyperbolic cosine, correctly rounded. */
export function cosh(x: number): number {
  const size = Math.abs(x);
  if (size < 2 ** -27) return 1;
  if (!(size < 700)) return size < 711 ? exactHyperbolicCosine(x) : size;
  const error = writeBoth(size, 1);
  pair[0] *= 0.5;
  pair[1] *= 0.5;
  return roundPair(error, exactHyperbolicCosine, x, 0);
}

/** Hyperbolic tangent, correctly rounded. */
export function tanh(x: number): number {
  const size = Math.abs(x);
  if (size < 2 ** -27) return x;
  if (!(size < 20)) return Number.isNaN(x) ? x : Math.sign(x);
  if (size < 2 ** -6) {
    const square = x * x;
    const beyond = square * (1 / 2 + square * (1 / 24 + square * (1 / 720 + square / 40320)));
    dividePairs(x, oddTail(x, square), 1 + beyond, sumError(1, beyond, 1 + beyond));
    return roundPair(2 ** -64 * size, exactHyperbolicTangent, x, 0);
  }
  writeBoth(size, -1);
  normalizePair();
  const high = pair[0] * Math.sign(x);
  const low = pair[1] * Math.sign(x);
  writeBoth(size, 1);
  normalizePair();
  dividePairs(high, low, pair[0], pair[1]);
  return roundPair(5 * ERROR, exactHyperbolicTangent, x, 0);
}

/** Writes log((x + low)·2^exponent) to `pair`, x between √½ and √2. */
function writeLogarithm(x: number, low: number, exponent: number): void {
  const j = LOGS / x + ROUND - ROUND;
  const c = j / LOGS;
  // z = x·c − 1, exactly: c has eight digits
  const x1 = Math.fround(x);
  const a = x1 * c - 1;
  const b = (x - x1) * c;
  const z = a + b;
  const zl = sumError(a, b, z) + low * c;
  const o = 2 * (j - FIRST_LOG);
  const whole = exponent * LOG1;
  const s1 = whole + logTable[o];
  const s2 = s1 + z;
  // −z²/2, whose leading part is exact
  const z1 = Math.fround(z);
  const z2 = z - z1;
  const square = -0.5 * z1 * z1;
  const s3 = s2 + square;
  const tail =
    z * z * z * (1 / 3 - z * (1 / 4 - z * (1 / 5 - z * (1 / 6 - z * (1 / 7 - z * (1 / 8 - z * (1 / 9 - z / 10)))))));
  const small = exponent * LOG2 + logTable[o + 1] + zl - z * zl - z2 * (z1 + 0.5 * z2);
  pair[0] = s3;
  pair[1] = sumError(whole, logTable[o], s1) + sumError(s1, z, s2) + sumError(s2, square, s3) + (small + tail);
}

const words = new DataView(new ArrayBuffer(8));

/** Writes log(x + low) for normal x > 0 to `pair`. */
function writeLog(x: number, low: number): void {
  if (x > 0.71 && x < 1.41) {
    writeLogarithm(x, low, 0);
    return;
  }
  words.setFloat64(0, x);
  let exponent = (words.getUint32(0) >>> 20) - 1023;
  words.setUint32(0, (words.getUint32(0) & 0xfffff) | 0x3ff00000);
  let m = words.getFloat64(0);
  if (m > Math.SQRT2) {
    m *= 0.5;
    exponent++;
  }
  // low·2^−exponent in two factors, since one may overflow
  const half = exponent >> 1;
  writeLogarithm(m, low * powerOfTwo(-half) * powerOfTwo(half - exponent), exponent);
}

/** Logarithms of zero, negative numbers, infinity and NaN. */
const logOfOther = (x: number): number => (x === 0 ? Number.NEGATIVE_INFINITY : x > 0 ? x : Number.NaN);
const isUsual = (x: number): boolean => x >= 2 ** -1022 && x < Number.POSITIVE_INFINITY;
const isSubnormal = (x: number): boolean => x > 0 && x < 2 ** -1022;

/** Natural logarithm, correctly rounded. */
export function log(x: number): number {
  if (!isUsual(x)) return isSubnormal(x) ? exactLogarithm(x) : logOfOther(x);
  if (x === 1) return 0;
  writeLog(x, 0);
  return roundPair(LOG_ERROR * Math.abs(pair[0]), exactLogarithm, x, 0);
}

/** log(1 + x) */
export function log1p(x: number): number {
  const size = Math.abs(x);
  if (size < 2 ** -54) return x;
  if (!(x > -1 && size < Number.POSITIVE_INFINITY)) return logOfOther(1 + x);
  const sum = 1 + x;
  if (size < 2 ** -8) writeNear1(x);
  else writeLog(sum, sumError(1, x, sum));
  return roundPair(2 * LOG_ERROR * Math.abs(pair[0]), exactLogarithm1, x, 0);
}

/** Writes log(1 + z) to `pair` for |z| < 1/180. */
function writeNear1(z: number): void {
  const square = z * z;
  const s = z - 0.5 * square;
  const tail =
    z * square * (1 / 3 - z * (1 / 4 - z * (1 / 5 - z * (1 / 6 - z * (1 / 7 - z * (1 / 8 - z * (1 / 9 - z / 10)))))));
  pair[1] = sumError(z, -0.5 * square, s) - 0.5 * productError(z, z, square) + tail;
  pair[0] = s;
}

/** Multiplies `pair` by factor[0] + factor[1]. */
function multiplyPair(factor: Float64Array): void {
  const p = pair[0] * factor[0];
  pair[1] = productError(pair[0], factor[0], p) + pair[0] * factor[1] + pair[1] * factor[0];
  pair[0] = p;
}

/** Logarithm to base 2, correctly rounded. */
export function log2(x: number): number {
  if (!isUsual(x)) return isSubnormal(x) ? exactLogarithm2(x) : logOfOther(x);
  if (x === 1) return 0;
  writeLog(x, 0);
  multiplyPair(inverseLog2);
  return roundPair(2 * LOG_ERROR * Math.abs(pair[0]), exactLogarithm2, x, 0);
}

/** Logarithm to base 10, correctly rounded. */
export function log10(x: number): number {
  if (!isUsual(x)) return isSubnormal(x) ? exactLogarithm10(x) : logOfOther(x);
  if (x === 1) return 0;
  writeLog(x, 0);
  multiplyPair(inverseLog10);
  return roundPair(2 * LOG_ERROR * Math.abs(pair[0]), exactLogarithm10, x, 0);
}

/** x^y; as the operator **, but correctly rounded. */
export function pow(x: number, y: number): number {
  if (y === 0) return 1;
  if (!(x > 0 && x < Number.POSITIVE_INFINITY && Math.abs(y) < Number.POSITIVE_INFINITY)) return powSpecial(x, y);
  if (x === 1 || y === 1) return x;
  if (y === 2) return x * x;
  const steepness = Math.abs(y);
  if (steepness >= 2 ** 64) return x > 1 === y > 0 ? Number.POSITIVE_INFINITY : 0;
  if (steepness < 2 ** -64) return 1;
  return x >= 2 ** -1022 ? powFast(x, y) : powExact(x, y, exactLogarithm(x));
}

function powFast(x: number, y: number): number {
  writeLog(x, 0);
  const high = y * pair[0];
  if (!(Math.abs(high) < 700)) return powExact(x, y, pair[0]);
  const exponent = writeExponential(high, productError(y, pair[0], high) + y * pair[1]);
  const error = (ERROR + 2 * LOG_ERROR * Math.abs(high)) * pair[0];
  const rounded = pair[0] + (pair[1] + error);
  return rounded === pair[0] + (pair[1] - error) ? rounded * powerOfTwo(exponent) : exactPower(x, y);
}

function powExact(x: number, y: number, logarithm: number): number {
  const exponent = y * logarithm;
  return exponent > 710 ? Number.POSITIVE_INFINITY : exponent < -746 ? 0 : exactPower(x, y);
}

/** Bases that are not positive, infinities and NaN. */
function powSpecial(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  const size = Math.abs(x);
  if (Math.abs(y) === Number.POSITIVE_INFINITY)
    return size === 1 ? Number.NaN : size > 1 === y > 0 ? Number.POSITIVE_INFINITY : 0;
  const isOdd = Math.abs(y % 2) === 1;
  const isNegative = x < 0 || Object.is(x, -0);
  if (size > 0 && size < Number.POSITIVE_INFINITY && !Number.isInteger(y)) return Number.NaN;
  const result =
    size === 0 || size === Number.POSITIVE_INFINITY
      ? size > 0 === y > 0
        ? Number.POSITIVE_INFINITY
        : 0
      : pow(size, y);
  return isNegative && isOdd ? -result : result;
}
