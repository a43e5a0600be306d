/**
 * Arc tangent, arc sine and arc cosine, correctly rounded: all are the angle of a point (x, y).
 *
 * With q = y/x ≤ 1 near c from a table, atan q = atan c + atan((y − c·x)/(x + c·y)); the second quotient is at most 1/256.
 */
import { exactArccosine, exactArcsine, exactArctangent2 } from './exact.ts';
import { dividePairs, leading, normalizePair, pair, productError, roundPair, sumError } from './pair.ts';
import { arctangentTable, halfPi, TANGENTS } from './tables.ts';

/** Error of an angle relative to it; the largest seen is a quarter of it. */
const ERROR = 2 ** -67;
/** Sizes within which no product overflows or loses digits by underflow. */
const SMALLEST = 2 ** -400;
const LARGEST = 2 ** 400;
const TINY = 2 ** -27;
const ROUND = 1.5 * 2 ** 52;

/** Writes the angle of the point (x + xl, y + yl), 0 ≤ y ≤ x, to `pair`. */
function writeAngle(y: number, yl: number, x: number, xl: number): void {
  const j = TANGENTS * (y / x) + ROUND - ROUND;
  const c = j / TANGENTS;
  // n = y − c·x and d = x + c·y; c has eight digits, so its products with half of the digits are exact
  const x1 = leading(x);
  const y1 = leading(y);
  const a = y - c * x1;
  const b = -c * (x - x1);
  const n = a + b;
  const nl = sumError(a, b, n) + sumError(y, -c * x1, a) + yl - c * xl;
  const e = x + c * y1;
  const f = c * (y - y1);
  const d = e + f;
  const dl = sumError(e, f, d) + sumError(x, c * y1, e) + xl + c * yl;
  dividePairs(n, nl, d, dl);
  const q = pair[0];
  const q2 = q * q;
  const curved = q * q2 * (-1 / 3 + q2 * (1 / 5 + q2 * (-1 / 7 + q2 / 9)));
  const s = arctangentTable[2 * j] + q;
  pair[1] += sumError(arctangentTable[2 * j], q, s) + arctangentTable[2 * j + 1] + curved;
  pair[0] = s;
}

/** Replaces the angle in `pair` by `quarters` quarter turns less the angle. */
function subtractFrom(quarters: number): void {
  const turn = quarters * halfPi[0];
  const s = turn - pair[0];
  pair[1] = sumError(turn, -pair[0], s) + quarters * halfPi[1] - pair[1];
  pair[0] = s;
}

/** Writes the angle of (x, y), y > 0, given as pairs, to `pair`. */
function writeFullAngle(y: number, yl: number, x: number, xl: number): void {
  const along = Math.abs(x);
  const alongLow = x < 0 ? -xl : xl;
  if (y > along) {
    writeAngle(along, alongLow, y, yl);
    subtractFrom(1);
  } else writeAngle(y, yl, along, alongLow);
  if (x < 0) subtractFrom(2);
}

/** Angle of the vector (x, y) from the x axis [rad], −π to π, correctly rounded. */
export function atan2(y: number, x: number): number {
  const up = Math.abs(y);
  const along = Math.abs(x);
  if (!(up >= SMALLEST && up <= LARGEST && along >= SMALLEST && along <= LARGEST)) return atan2Extreme(y, x);
  writeFullAngle(up, 0, x, 0);
  if (y < 0) {
    pair[0] = -pair[0];
    pair[1] = -pair[1];
  }
  return roundPair(ERROR * Math.abs(pair[0]), exactArctangent2, y, x);
}

/**
 * Slopes of which the arc tangent differs from the slope by less than 2⁻¹²⁰ of it. A quotient of two doubles is farther than 2⁻¹⁰⁷ from where its rounding
 * changes, so both round to the same double; and π and π/2 are farther than this slope from where theirs changes. Rods that stay in a plane up to
 * underflow have such angles at every joint.
 */
const FLAT = 2 ** -60;
const SMALLEST_NORMAL = 2 ** -1022;

/** Zeros, infinities, NaN and sizes whose products leave the range of doubles. */
function atan2Extreme(y: number, x: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  const sign = y < 0 || Object.is(y, -0) ? -1 : 1;
  const isLeft = x < 0 || Object.is(x, -0);
  if (y === 0) return isLeft ? sign * Math.PI : y;
  if (x === 0) return sign * halfPi[0];
  const [up, along] = [Math.abs(y), Math.abs(x)];
  if (along === Number.POSITIVE_INFINITY) {
    if (up === along) return sign * (isLeft ? 3 : 1) * (Math.PI / 4);
    return isLeft ? sign * Math.PI : sign * 0;
  }
  if (up === Number.POSITIVE_INFINITY) return sign * halfPi[0];
  const slope = up / along;
  if (slope > 1 / FLAT) return sign * halfPi[0];
  if (slope < FLAT && isLeft) return sign * Math.PI;
  if (slope < FLAT && slope >= SMALLEST_NORMAL) return sign * slope;
  return exactArctangent2(y, x);
}

/** Arc tangent [rad], correctly rounded. */
export function atan(x: number): number {
  const size = Math.abs(x);
  return size < TINY ? x : size < LARGEST ? atan2(x, 1) : atan2Extreme(x, 1);
}

/** Writes √(1 − x²) to `pair`, |x| < 1. */
function writeCofactor(x: number): void {
  const square = x * x;
  pair[0] = 1 - square;
  pair[1] = sumError(1, -square, pair[0]) - productError(x, x, square);
  normalizePair();
  const high = pair[0];
  const low = pair[1];
  const root = Math.sqrt(high);
  const p = root * root;
  pair[0] = root;
  pair[1] = (high - p - productError(root, root, p) + low) / (2 * root);
}

/** Arc cosine [rad], correctly rounded. */
export function acos(x: number): number {
  const size = Math.abs(x);
  if (!(size < 1)) return x === 1 ? 0 : x === -1 ? Math.PI : Number.NaN;
  if (size < TINY) return x === 0 ? halfPi[0] : exactArccosine(x);
  writeCofactor(x);
  writeFullAngle(pair[0], pair[1], x, 0);
  return roundPair(ERROR * pair[0], exactArccosine, x, 0);
}

/** Arc sine [rad], correctly rounded. */
export function asin(x: number): number {
  const size = Math.abs(x);
  if (!(size < 1)) return size === 1 ? x * halfPi[0] : Number.NaN;
  if (size < TINY) return x;
  writeCofactor(x);
  writeFullAngle(size, 0, pair[0], pair[1]);
  if (x < 0) {
    pair[0] = -pair[0];
    pair[1] = -pair[1];
  }
  return roundPair(ERROR * Math.abs(pair[0]), exactArcsine, x, 0);
}
