/**
 * Sine, cosine and tangent, correctly rounded.
 *
 * The argument is reduced to |r| ≤ π/4 by whole quarter turns (Cody–Waite, three exact products; beyond 2^20 quarter turns `exact.ts`
 * decides), then r = c + t with c from a table and |t| ≤ 1/256: sin(c + t) = sin c + cos c·t + …, where only the first product needs
 * more than 53 digits.
 */
import { exactCosine, exactSine, exactTangent } from './exact.ts';
import { dividePairs, normalizePair, pair, roundPair, sumError } from './pair.ts';
import { ANGLES, halfPiParts, sineTable } from './tables.ts';

/** Below, x and 1 are the rounded sine (tangent) and cosine. */
const TINY = 2 ** -27;
const QUARTER = Math.PI / 4;
const FARTHEST = 1.6e6;
/** Error of sine and cosine relative to the result; the largest seen is a quarter of it. */
const ERROR = 2 ** -66;
/** Error of the reduction [rad]. */
const REDUCTION = 2 ** -96;

const [PI1, PI2, PI3, PI4] = halfPiParts;
const INVERSE = 2 / Math.PI;
/** Added and subtracted again, it rounds to an integer. */
const ROUND = 1.5 * 2 ** 52;
const OFFSET = 1.5 * 2 ** 52 * (1 / ANGLES);

/** Writes x less k quarter turns to `pair`; returns k. */
function reduce(x: number): number {
  const k = x * INVERSE + ROUND - ROUND;
  const a = x - k * PI1;
  const b = -k * PI2;
  const s = a + b;
  const low = sumError(a, b, s) - k * PI3 - k * PI4;
  const high = s + low;
  pair[0] = high;
  pair[1] = sumError(s, low, high);
  return k;
}

/** Writes the sine of r + low, |r| ≤ π/4, to `pair`. */
function writeSine(r: number, low: number): void {
  const a = Math.abs(r);
  const c = a + OFFSET - OFFSET;
  const o = 8 * ANGLES * c;
  const t = a - c;
  const d = r < 0 ? -low : low;
  const t1 = Math.fround(t);
  const sine = sineTable[o];
  const cosine = sineTable[o + 4];
  // sin c + cos c·t, exactly, then the small terms
  const product = sineTable[o + 6] * t1;
  const s = sine + product;
  const t2 = t * t;
  const curved = sine * (-1 / 2 + t2 * (1 / 24 - t2 / 720)) + cosine * t * (-1 / 6 + t2 * (1 / 120 - t2 / 5040));
  const rest =
    sineTable[o + 6] * (t - t1) + sineTable[o + 7] * t + (cosine - sine * t) * d + t2 * curved + sineTable[o + 1];
  const l = sumError(sine, product, s) + rest;
  pair[0] = r < 0 ? -s : s;
  pair[1] = r < 0 ? -l : l;
}

/** Writes the cosine of r + low, |r| ≤ π/4, to `pair`. */
function writeCosine(r: number, low: number): void {
  const a = Math.abs(r);
  const c = a + OFFSET - OFFSET;
  const o = 8 * ANGLES * c;
  const t = a - c;
  const d = r < 0 ? -low : low;
  const t1 = Math.fround(t);
  const sine = sineTable[o];
  const cosine = sineTable[o + 4];
  const product = -sineTable[o + 2] * t1;
  const s = cosine + product;
  const t2 = t * t;
  const curved = cosine * (-1 / 2 + t2 * (1 / 24 - t2 / 720)) + sine * t * (1 / 6 - t2 * (1 / 120 - t2 / 5040));
  const rest =
    t2 * curved - sineTable[o + 2] * (t - t1) - sineTable[o + 3] * t - (sine + cosine * t) * d + sineTable[o + 5];
  pair[0] = s;
  pair[1] = sumError(cosine, product, s) + rest;
}

/** Negates `pair`. */
function negate(): void {
  pair[0] = -pair[0];
  pair[1] = -pair[1];
}

/** `writeSine` and `roundPair` in one, without stores and calls, for the angles that simulations have most. */
export function sin(x: number): number {
  const a = Math.abs(x);
  if (!(a <= QUARTER)) return sineFar(x);
  if (a < TINY) return x;
  const c = a + OFFSET - OFFSET;
  const o = 8 * ANGLES * c;
  const t = a - c;
  const t1 = Math.fround(t);
  const sine = sineTable[o];
  const cosine = sineTable[o + 4];
  const product = sineTable[o + 6] * t1;
  const s = sine + product;
  const t2 = t * t;
  const curved = sine * (-1 / 2 + t2 * (1 / 24 - t2 / 720)) + cosine * t * (-1 / 6 + t2 * (1 / 120 - t2 / 5040));
  const rest = sineTable[o + 6] * (t - t1) + sineTable[o + 7] * t + t2 * curved + sineTable[o + 1];
  const shared = s - sine;
  const low = sine - (s - shared) + (product - shared) + rest;
  const error = ERROR * s;
  const rounded = s + (low + error);
  if (rounded !== s + (low - error)) return exactSine(x);
  return x < 0 ? -rounded : rounded;
}

function sineFar(x: number): number {
  const size = Math.abs(x);
  if (!(size < FARTHEST)) return size < Number.POSITIVE_INFINITY ? exactSine(x) : Number.NaN;
  const k = reduce(x);
  if (k & 1) writeCosine(pair[0], pair[1]);
  else writeSine(pair[0], pair[1]);
  if (k & 2) negate();
  return roundPair(ERROR * Math.abs(pair[0]) + REDUCTION, exactSine, x, 0);
}

/** As `sin` is. */
export function cos(x: number): number {
  const a = Math.abs(x);
  if (!(a <= QUARTER)) return cosineFar(x);
  if (a < TINY) return 1;
  const c = a + OFFSET - OFFSET;
  const o = 8 * ANGLES * c;
  const t = a - c;
  const t1 = Math.fround(t);
  const sine = sineTable[o];
  const cosine = sineTable[o + 4];
  const product = -sineTable[o + 2] * t1;
  const s = cosine + product;
  const t2 = t * t;
  const curved = cosine * (-1 / 2 + t2 * (1 / 24 - t2 / 720)) + sine * t * (1 / 6 - t2 * (1 / 120 - t2 / 5040));
  const rest = t2 * curved - sineTable[o + 2] * (t - t1) - sineTable[o + 3] * t + sineTable[o + 5];
  const shared = s - cosine;
  const low = cosine - (s - shared) + (product - shared) + rest;
  const rounded = s + (low + ERROR);
  return rounded === s + (low - ERROR) ? rounded : exactCosine(x);
}

function cosineFar(x: number): number {
  const size = Math.abs(x);
  if (!(size < FARTHEST)) return size < Number.POSITIVE_INFINITY ? exactCosine(x) : Number.NaN;
  const k = reduce(x);
  if (k & 1) writeSine(pair[0], pair[1]);
  else writeCosine(pair[0], pair[1]);
  if ((k + 1) & 2) negate();
  return roundPair(ERROR * Math.abs(pair[0]) + REDUCTION, exactCosine, x, 0);
}

/** Tangent of an angle [rad], correctly rounded. */
export function tan(x: number): number {
  const size = Math.abs(x);
  if (size < TINY) return x;
  if (!(size < FARTHEST)) return size < Number.POSITIVE_INFINITY ? exactTangent(x) : Number.NaN;
  const k = reduce(x);
  const r = pair[0];
  const low = pair[1];
  writeSine(r, low);
  normalizePair();
  const sine = pair[0];
  const sineLow = pair[1];
  writeCosine(r, low);
  normalizePair();
  if (k & 1) dividePairs(-pair[0], -pair[1], sine, sineLow);
  else dividePairs(sine, sineLow, pair[0], pair[1]);
  return roundPair((3 * ERROR + REDUCTION / Math.abs(r)) * Math.abs(pair[0]), exactTangent, x, 0);
}
