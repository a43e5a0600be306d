/** Lengths and cube roots, correctly rounded: a root in doubles, corrected by its exact residual. */
import { exactCubeRoot, exactHypotenuse } from './exact.ts';
import { exp, log } from './exponential.ts';
import { dividePairs, leading, pair, productError, roundPair, sumError } from './pair.ts';

const SMALLEST = 2 ** -400;
const LARGEST = 2 ** 400;
/** Error relative to the result; the largest seen is a quarter of it. */
const ERROR = 2 ** -90;

/** √(x² + y² + z² + w²), without overflow or underflow on the way. */
export function hypot(x: number, y: number, z = 0, w = 0): number {
  const most = Math.max(Math.abs(x), Math.abs(y), Math.abs(z), Math.abs(w));
  if (!(most >= SMALLEST && most <= LARGEST)) return most === 0 ? 0 : hypotExtreme([x, y, z, w]);
  // in variables, which is faster than in `pair`
  let high = x * x;
  let low = squareError(x, high);
  if (y !== 0) {
    const squared = y * y;
    const sum = high + squared;
    low += sumError(high, squared, sum) + squareError(y, squared);
    high = sum;
  }
  if (z !== 0) {
    const squared = z * z;
    const sum = high + squared;
    low += sumError(high, squared, sum) + squareError(z, squared);
    high = sum;
  }
  if (w !== 0) {
    const squared = w * w;
    const sum = high + squared;
    low += sumError(high, squared, sum) + squareError(w, squared);
    high = sum;
  }
  const root = Math.sqrt(high);
  const p = root * root;
  const correction = (high - p - squareError(root, p) + low) / (2 * root);
  const error = ERROR * root;
  const rounded = root + (correction + error);
  return rounded === root + (correction - error) ? rounded : exactHypotenuse([x, y, z, w]);
}

/** `hypot` of the entries of a vector. */
export function hypotOf(v: ArrayLike<number>): number {
  let most = 0;
  for (let k = 0; k < v.length; k++) most = Math.max(most, Math.abs(v[k]));
  if (!(most >= SMALLEST && most <= LARGEST && v.length < 1000)) return hypotExtreme(Array.from(v));
  pair.fill(0);
  for (let k = 0; k < v.length; k++) addSquare(v[k]);
  const root = rootOfPair();
  return root > 0 ? root : exactHypotenuse(Array.from(v));
}

function hypotExtreme(v: readonly number[]): number {
  const sides = v.map(Math.abs);
  if (sides.includes(Number.POSITIVE_INFINITY)) return Number.POSITIVE_INFINITY;
  if (sides.some(Number.isNaN)) return Number.NaN;
  return sides.every((side) => side === 0) ? 0 : exactHypotenuse(v);
}

function squareError(x: number, squared: number): number {
  const x1 = leading(x);
  const x2 = x - x1;
  return x1 * x1 - squared + 2 * x1 * x2 + x2 * x2;
}

/** Adds x² to `pair`. */
function addSquare(x: number): void {
  const squared = x * x;
  const sum = pair[0] + squared;
  pair[1] += sumError(pair[0], squared, sum) + squareError(x, squared);
  pair[0] = sum;
}

/** Rounded root of `pair`; 0 if rounding is ambiguous. */
function rootOfPair(): number {
  const root = Math.sqrt(pair[0]);
  const p = root * root;
  const correction = (pair[0] - p - squareError(root, p) + pair[1]) / (2 * root);
  const error = ERROR * root;
  const rounded = root + (correction + error);
  return rounded === root + (correction - error) ? rounded : 0;
}

/** x², for expressions without a name. */
export function square(x: number): number {
  return x * x;
}

/** Cube root, correctly rounded. */
export function cbrt(x: number): number {
  const size = Math.abs(x);
  if (size === 0 || !(size < Number.POSITIVE_INFINITY)) return x;
  if (!(size >= SMALLEST && size <= LARGEST)) return exactCubeRoot(x);
  const root = Math.sign(x) * exp(log(size) / 3);
  // x − root³, exactly
  const squared = root * root;
  const cube = squared * root;
  const squareLow = productError(root, root, squared);
  const residual = x - cube - productError(squared, root, cube) - squareLow * root;
  dividePairs(residual, 0, 3 * squared, 0);
  pair[1] = pair[0];
  pair[0] = root;
  return roundPair(2 ** -80 * Math.abs(root), exactCubeRoot, x, 0);
}
