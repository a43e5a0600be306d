/**
 * C2 cubic splines with values of any dimension, represented by their second derivatives at the knots.
 *
 * Ends: `natural` (no second derivative), `rest` (no first derivative: a motion that starts and stops), `smooth` (the
 * first two pieces are one cubic, and the last two: for curves, whose ends a natural spline would straighten),
 * `periodic` (the last value repeats the first).
 */
import { solveCyclicSymmetric, solveTridiagonal } from '../linalg/tridiagonal.ts';

export type SplineEnd = 'natural' | 'rest' | 'smooth' | 'periodic';

export interface Spline {
  readonly knots: readonly number[];
  readonly dimension: number;
  /** Writes value, first and second derivative, `dimension` numbers each; constant outside the knots unless periodic. */
  evaluate(out: Float64Array, x: number): void;
}

/** Second derivatives at the knots of one component. */
function findMoments(x: readonly number[], y: readonly number[], end: SplineEnd): number[] {
  const n = x.length - 1;
  if (n < 1) return [0];
  const h = x.slice(1).map((value, i) => value - x[i]);
  const slope = h.map((length, i) => (y[i + 1] - y[i]) / length);
  if (end === 'periodic') return findPeriodicMoments(h, slope);
  if (end === 'smooth' && n < 3) {
    // two pieces: the parabola through three points; one: the line
    const bend = n === 2 ? (2 * (slope[1] - slope[0])) / (h[0] + h[1]) : 0;
    return x.map(() => bend);
  }
  const lower: number[] = [0];
  const diagonal: number[] = [1];
  const upper: number[] = [0];
  const right: number[] = [0];
  for (let i = 1; i < n; i++) {
    lower.push(h[i - 1]);
    diagonal.push(2 * (h[i - 1] + h[i]));
    upper.push(h[i]);
    right.push(6 * (slope[i] - slope[i - 1]));
  }
  lower.push(0);
  diagonal.push(1);
  upper.push(0);
  right.push(0);
  if (end === 'rest') {
    diagonal[0] = 2 * h[0];
    upper[0] = h[0];
    right[0] = 6 * slope[0];
    lower[n] = h[n - 1];
    diagonal[n] = 2 * h[n - 1];
    right[n] = -6 * slope[n - 1];
  }
  if (end === 'smooth') {
    // third derivative continuous at the first and last inner knot: the end moments are eliminated
    const a = h[0] / h[1];
    const b = h[n - 1] / h[n - 2];
    diagonal[1] += h[0] * (1 + a);
    upper[1] -= h[0] * a;
    lower[1] = 0;
    diagonal[n - 1] += h[n - 1] * (1 + b);
    lower[n - 1] -= h[n - 1] * b;
    upper[n - 1] = 0;
    solveTridiagonal(lower, diagonal, upper, right, right.length, 'independent');
    right[0] = (1 + a) * right[1] - a * right[2];
    right[n] = (1 + b) * right[n - 1] - b * right[n - 2];
    return right;
  }
  solveTridiagonal(lower, diagonal, upper, right, right.length, 'independent');
  return right;
}

function findPeriodicMoments(h: readonly number[], slope: readonly number[]): number[] {
  const n = h.length;
  if (n < 3) return new Array<number>(n + 1).fill(0);
  const before = (i: number): number => (i + n - 1) % n;
  const diagonal = h.map((length, i) => 2 * (h[before(i)] + length));
  const moments = solveCyclicSymmetric(
    diagonal,
    h,
    slope.map((value, i) => 6 * (value - slope[before(i)])),
  );
  return [...moments, moments[0]];
}

/** `values`: one array of `dimension` numbers a knot; knots increase strictly. */
export function createSpline(knots: readonly number[], values: readonly ArrayLike<number>[], end: SplineEnd): Spline {
  const dimension = values[0].length;
  const count = knots.length;
  const x = Float64Array.from(knots);
  const y = new Float64Array(count * dimension);
  const moments = new Float64Array(count * dimension);
  for (let k = 0; k < dimension; k++) {
    const component = values.map((value) => value[k]);
    const found = findMoments(knots, component, end);
    for (let i = 0; i < count; i++) {
      y[i * dimension + k] = component[i];
      moments[i * dimension + k] = found[i];
    }
  }
  return { knots, dimension, evaluate: createEvaluate(x, y, moments, dimension, end) };
}

/** By itself, so that no more than these is kept. */
function createEvaluate(
  x: Float64Array,
  y: Float64Array,
  moments: Float64Array,
  dimension: number,
  end: SplineEnd,
): Spline['evaluate'] {
  const count = x.length;
  const first = x[0];
  const last = x[count - 1];
  return (out: Float64Array, at: number): void => {
    let t = at;
    if (end === 'periodic') t = first + (at - first) - Math.floor((at - first) / (last - first)) * (last - first);
    if (count === 1 || ((t < first || t > last) && end !== 'periodic')) {
      const from = t > last ? (count - 1) * dimension : 0;
      for (let k = 0; k < dimension; k++) {
        out[k] = y[from + k];
        out[dimension + k] = 0;
        out[2 * dimension + k] = 0;
      }
      return;
    }
    let low = 0;
    let high = count - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (x[middle] <= t) low = middle;
      else high = middle;
    }
    const h = x[high] - x[low];
    const b = (t - x[low]) / h;
    const a = 1 - b;
    for (let k = 0; k < dimension; k++) {
      const y0 = y[low * dimension + k];
      const y1 = y[high * dimension + k];
      const m0 = moments[low * dimension + k];
      const m1 = moments[high * dimension + k];
      out[k] = a * y0 + b * y1 + ((h * h) / 6) * (a * (a * a - 1) * m0 + b * (b * b - 1) * m1);
      out[dimension + k] = (y1 - y0) / h + (h / 6) * ((1 - 3 * a * a) * m0 + (3 * b * b - 1) * m1);
      out[2 * dimension + k] = a * m0 + b * m1;
    }
  };
}
