/**
 * Nonlinear least squares by Levenberg and Marquardt's method, with bounds and priors, covariance and confidence intervals.
 *
 * Minimizes Σ rᵢ(p)², with residuals in units of their standard deviations; a prior is one more residual (p − mean)/deviation. A parameter at a
 * bound that the gradient pushes outwards is held there. The covariance is (JᵀJ)⁻¹; directions in which JᵀJ is singular are reported by name instead.
 * See docs/research.md.
 */
import { StoppedError } from './errors.ts';
import { eigenSymmetric } from './linalg/jacobi.ts';
import { cos, pow, tan } from './math/rounded/index.ts';

/** A parameter to be fitted. */
export interface FitParameter {
  /** Name, for reports. */
  readonly name: string;
  /** Value from which the fit starts. */
  readonly start: number;
  /** Default −∞ and ∞. */
  readonly lower?: number;
  /** Upper bound. Default ∞. */
  readonly upper?: number;
  /** Knowledge from elsewhere: a normal distribution. */
  readonly prior?: { readonly mean: number; readonly deviation: number };
  /** Typical size. Default: that of the start, or 1 if that is 0. */
  readonly scale?: number;
}

/** Residuals at some parameters. */
export interface FitPoint {
  /** Residuals, each divided by the standard deviation of its datum. */
  readonly residual: Float64Array;
  /** ∂residual/∂p, row by row; undefined if it does not exist, which ends the fit. */
  jacobian(): Float64Array | undefined;
}

/** Options of a fit. */
export interface FitOptions {
  /**
   * Residuals in units of their standard deviations; undefined if the model has no solution there. May throw StoppedError, as may the Jacobian:
   * the fit then ends with the best parameters so far, or throws it if there are none yet.
   */
  evaluate(parameters: Float64Array): FitPoint | undefined;
  /** Called after every iteration; returning false ends the fit with the current parameters. */
  readonly onIteration?: (progress: {
    readonly iteration: number;
    readonly sum: number;
    readonly values: Float64Array;
  }) => boolean;
  /** Default 100. */
  readonly iterations?: number;
  /** True if standard deviations of the data are unknown: they are then estimated from the residuals, all by the same factor. */
  readonly estimateDeviation?: boolean;
  /** Probability of the confidence intervals. Default 0.95. */
  readonly confidence?: number;
}

/** A combination of parameters that the data do not determine: relative changes that leave all residuals unchanged. */
export type FitCombination = readonly { readonly name: string; readonly weight: number }[];

/** A fitted parameter. */
export interface FittedParameter {
  /** Name of the parameter. */
  readonly name: string;
  /** Best value. */
  readonly value: number;
  /** Standard deviation; undefined if the data do not determine the parameter, or it is at a bound. */
  readonly deviation?: number;
  /** Confidence interval, if there is a deviation. */
  readonly interval?: readonly [number, number];
  /** The bound at which the value ended, if any. */
  readonly atBound?: 'lower' | 'upper';
}

/** Result of a fit. */
export interface FitResult {
  /** Parameters in the order in which they were given. */
  readonly parameters: readonly FittedParameter[];
  /** Correlation of the parameters, row by row; 0 for those without a deviation. */
  readonly correlation: Float64Array;
  /** Sum of squares, and data and priors minus free parameters. */
  readonly sum: number;
  /** Degrees of freedom: data and priors minus free parameters. */
  readonly degrees: number;
  /** Residuals of the data at these values, in units of their standard deviations, as `evaluate` gave them. */
  readonly residual: Float64Array;
  /** Number of iterations. */
  readonly iterations: number;
  /** Why it ended; `stalled`: no step reduces the sum. */
  readonly end: 'converged' | 'stalled' | 'iterations' | 'stopped';
  /** Combinations of parameters that the data do not determine. */
  readonly unidentified: readonly FitCombination[];
}

/** Relative gain at which a fit has converged: 1e-8 leaves about a thousandth of a standard deviation. */
const TOLERANCE = 1e-8;
/** Singular values of the scaled Jacobian below this, relative to the largest, are zero: derivatives have errors of about 1e-7. */
const SINGULAR = 1e-5;
const MOST_DAMPING = 1e12;

interface Point {
  readonly values: Float64Array;
  readonly residual: Float64Array;
  readonly sum: number;
  readonly jacobian: () => Float64Array | undefined;
}

/** Fits parameters to data. Throws RangeError if the model has no solution at the start, or a start is outside its bounds. */
export function fitLeastSquares(parameters: readonly FitParameter[], options: FitOptions): FitResult {
  const { iterations: most = 100, onIteration } = options;
  const scale = parameters.map((one) => one.scale ?? (Math.abs(one.start) || 1));
  for (const { name, start, lower = -Infinity, upper = Infinity } of parameters)
    if (!(start >= lower && start <= upper))
      throw new RangeError(`parameter '${name}' starts at ${start}, outside its bounds ${lower} to ${upper}`);
  let point = evaluatePoint(
    parameters,
    options,
    Float64Array.from(parameters, ({ start }) => start),
  );
  if (!point) throw new RangeError('the model has no solution at the start of the fit');
  let damping = 1e-3;
  let end: FitResult['end'] = 'iterations';
  let iteration = 0;
  const first = createNormal(point, scale);
  if (!first) throw new RangeError('the model has no derivative at the start of the fit');
  let normal = first;
  while (iteration < most) {
    iteration++;
    const outcome = iterate(point, { parameters, options, scale, normal, damping });
    if (typeof outcome === 'string') {
      end = outcome;
      if (end === 'stopped') iteration--;
      break;
    }
    const gain = point.sum - outcome.point.sum;
    ({ damping, point, normal } = outcome);
    if (onIteration && !onIteration({ iteration, sum: point.sum, values: point.values.slice() })) {
      end = 'stopped';
      break;
    }
    if (gain <= TOLERANCE * point.sum && outcome.move <= 1e-4) end = 'converged';
    if (outcome.move <= 1e-9 || point.sum === 0) end = 'converged';
    if (end === 'converged') break;
  }
  // at the minimum, rounding lets no step reduce the sum
  if (end === 'stalled' && measureGradient(point, normal) <= 1e-4) end = 'converged';
  return summarize(parameters, options, { point, normal, scale, iteration, end });
}

/** One iteration, or why there is none. */
function iterate(
  point: Point,
  input: Omit<StepInput, 'held'>,
): (Step & { readonly normal: Normal }) | 'stalled' | 'stopped' {
  try {
    const step = tryStep(point, { ...input, held: findHeld(point.values, input.parameters, input.normal.gradient) });
    const normal = step && createNormal(step.point, input.scale);
    return normal ? { ...step, normal } : 'stalled';
  } catch (error) {
    if (error instanceof StoppedError) return 'stopped';
    throw error;
  }
}

/** Cosine between the residuals and the change that parameters can make: 0 at a minimum. */
function measureGradient({ sum }: Point, { gradient, matrix, size }: Normal): number {
  let largest = 0;
  for (let k = 0; k < size; k++) {
    const column = Math.sqrt(matrix[k * size + k] * sum);
    if (column > 0) largest = Math.max(largest, Math.abs(gradient[k]) / column);
  }
  return largest;
}

function evaluatePoint(
  parameters: readonly FitParameter[],
  { evaluate }: FitOptions,
  values: Float64Array,
): Point | undefined {
  const found = evaluate(values);
  if (!found || found.residual.some((one) => !Number.isFinite(one))) return undefined;
  const priors = parameters.flatMap(({ prior }, k) => (prior ? [{ k, ...prior }] : []));
  const count = found.residual.length;
  const residual = new Float64Array(count + priors.length);
  residual.set(found.residual);
  priors.forEach(({ k, mean, deviation }, i) => {
    residual[count + i] = (values[k] - mean) / deviation;
  });
  return {
    values,
    residual,
    sum: residual.reduce((sum, one) => sum + one * one, 0),
    jacobian() {
      const n = parameters.length;
      const own = found.jacobian();
      if (!own) return undefined;
      const jacobian = new Float64Array(residual.length * n);
      jacobian.set(own);
      priors.forEach(({ k, deviation }, i) => {
        jacobian[(count + i) * n + k] = 1 / deviation;
      });
      return jacobian;
    },
  };
}

/** JᵀJ and Jᵀr in scaled parameters. */
interface Normal {
  readonly size: number;
  readonly matrix: Float64Array;
  readonly gradient: Float64Array;
}

function createNormal({ residual, jacobian }: Point, scale: readonly number[]): Normal | undefined {
  const n = scale.length;
  const J = jacobian();
  if (!J) return undefined;
  const matrix = new Float64Array(n * n);
  const gradient = new Float64Array(n);
  for (let i = 0; i < residual.length; i++) {
    for (let a = 0; a < n; a++) {
      const x = J[i * n + a] * scale[a];
      gradient[a] += x * residual[i];
      for (let b = 0; b < n; b++) matrix[a * n + b] += x * J[i * n + b] * scale[b];
    }
  }
  return { size: n, matrix, gradient };
}

/** Parameters at a bound that the gradient pushes outwards. */
function findHeld(values: Float64Array, parameters: readonly FitParameter[], gradient: Float64Array): boolean[] {
  return parameters.map(
    ({ lower = -Infinity, upper = Infinity }, k) =>
      (values[k] <= lower && gradient[k] > 0) || (values[k] >= upper && gradient[k] < 0),
  );
}

interface StepInput {
  readonly parameters: readonly FitParameter[];
  readonly options: FitOptions;
  readonly scale: readonly number[];
  readonly normal: Normal;
  readonly held: readonly boolean[];
  readonly damping: number;
}

interface Step {
  readonly point: Point;
  readonly damping: number;
  /** Largest change of a parameter, relative to its scale. */
  readonly move: number;
}

/** Raises the damping until the sum of squares falls. Undefined if it never does. */
function tryStep(
  point: Point,
  { parameters, options, scale, normal, held, damping: first }: StepInput,
): Step | undefined {
  for (let damping = first; damping <= MOST_DAMPING; damping *= 4) {
    const step = solveDamped(normal, held, damping);
    const values = point.values.map((value, k) => {
      const { lower = -Infinity, upper = Infinity } = parameters[k];
      return Math.min(upper, Math.max(lower, value + step[k] * scale[k]));
    });
    const move = values.reduce((most, value, k) => Math.max(most, Math.abs(value - point.values[k]) / scale[k]), 0);
    if (move === 0) return undefined;
    const next = evaluatePoint(parameters, options, values);
    if (next && next.sum < point.sum) return { point: next, damping: Math.max(1e-12, damping / 8), move };
  }
  return undefined;
}

/** (JᵀJ + damping·diag) z = −Jᵀr over the parameters that are not held. */
function solveDamped({ size, matrix, gradient }: Normal, held: readonly boolean[], damping: number): Float64Array {
  const a = matrix.slice();
  const largest = Math.max(...Array.from({ length: size }, (_, k) => matrix[k * size + k]));
  for (let k = 0; k < size; k++) {
    a[k * size + k] += damping * Math.max(matrix[k * size + k], 1e-12 * largest);
    if (!held[k]) continue;
    for (let m = 0; m < size; m++) {
      a[k * size + m] = 0;
      a[m * size + k] = 0;
    }
    a[k * size + k] = 1;
  }
  const { values, vectors } = eigenSymmetric(a, size);
  const z = new Float64Array(size);
  for (let e = 0; e < size; e++) {
    if (!(values[e] > 1e-14 * values[size - 1])) continue;
    let along = 0;
    for (let k = 0; k < size; k++) along -= held[k] ? 0 : vectors[k * size + e] * gradient[k];
    for (let k = 0; k < size; k++) if (!held[k]) z[k] += (along / values[e]) * vectors[k * size + e];
  }
  return z;
}

interface Ending {
  readonly point: Point;
  readonly normal: Normal;
  readonly scale: readonly number[];
  readonly iteration: number;
  readonly end: FitResult['end'];
}

function summarize(
  parameters: readonly FitParameter[],
  { estimateDeviation = false, confidence = 0.95 }: FitOptions,
  { point, normal, scale, iteration, end }: Ending,
): FitResult {
  const n = parameters.length;
  const held = findHeld(point.values, parameters, normal.gradient);
  const free = parameters.flatMap((_, k) => (held[k] ? [] : [k]));
  // relative to the values, as far as they are not zero
  const size = parameters.map((_, k) => scale[k] / (Math.abs(point.values[k]) || scale[k]));
  const { covariance, known, unidentified } = invertNormal(normal, free, { parameters, size });
  const degrees = point.residual.length - free.length;
  const factor = estimateDeviation ? (degrees > 0 ? point.sum / degrees : Number.NaN) : 1;
  const width = estimateDeviation
    ? studentQuantile(0.5 + confidence / 2, degrees)
    : studentQuantile(0.5 + confidence / 2, Infinity);
  const deviations = parameters.map((_, k) =>
    known[k] ? Math.sqrt(factor * covariance[k * n + k]) * scale[k] : undefined,
  );
  const correlation = new Float64Array(n * n);
  for (let a = 0; a < n; a++)
    for (let b = 0; b < n; b++)
      if (known[a] && known[b])
        correlation[a * n + b] = covariance[a * n + b] / Math.sqrt(covariance[a * n + a] * covariance[b * n + b]);
  return {
    parameters: parameters.map(({ name, lower = -Infinity }, k): FittedParameter => {
      const value = point.values[k];
      const deviation = deviations[k];
      return {
        name,
        value,
        ...(deviation !== undefined && { deviation, interval: [value - width * deviation, value + width * deviation] }),
        ...(held[k] && { atBound: value <= lower ? 'lower' : 'upper' }),
      };
    }),
    correlation,
    sum: point.sum,
    degrees,
    residual: point.residual.slice(0, point.residual.length - parameters.filter(({ prior }) => prior).length),
    iterations: iteration,
    end,
    unidentified,
  };
}

/** Inverse of JᵀJ without its singular directions, which are listed; `known`: parameters that do not contribute to those. */
function invertNormal(
  { size: n, matrix }: Normal,
  free: readonly number[],
  { parameters, size }: { readonly parameters: readonly FitParameter[]; readonly size: readonly number[] },
): { readonly covariance: Float64Array; readonly known: boolean[]; readonly unidentified: FitCombination[] } {
  const f = free.length;
  const part = Float64Array.from({ length: f * f }, (_, i) => matrix[free[Math.floor(i / f)] * n + free[i % f]]);
  const { values, vectors } = eigenSymmetric(part, f);
  const covariance = new Float64Array(n * n);
  const known = parameters.map((_, k) => free.includes(k));
  const unidentified: FitCombination[] = [];
  const floor = SINGULAR * SINGULAR * (values[f - 1] ?? 0);
  for (let e = 0; e < f; e++) {
    const vector = free.map((_, i) => vectors[i * f + e]);
    if (!(values[e] > floor)) {
      const relative = vector.map((weight, i) => weight * size[free[i]]);
      const largest = Math.max(...relative.map(Math.abs));
      const weights = relative.map((weight, i) => ({
        name: parameters[free[i]].name,
        weight: weight / largest,
        k: free[i],
      }));
      const involved = weights.filter(({ weight }) => Math.abs(weight) > 1e-3);
      for (const { k } of involved) known[k] = false;
      unidentified.push(involved.map(({ name, weight }) => ({ name, weight })));
      continue;
    }
    for (let a = 0; a < f; a++)
      for (let b = 0; b < f; b++) covariance[free[a] * n + free[b]] += (vector[a] * vector[b]) / values[e];
  }
  return { covariance, known, unidentified };
}

/** Quantile of Student's distribution with ν degrees of freedom (Infinity: normal), p > ½. */
export function studentQuantile(p: number, degrees: number): number {
  if (!(degrees > 0)) return Number.NaN;
  // beyond, it is the normal distribution to four digits
  const v = Math.min(degrees, 1e5);
  // with t = √ν tan φ the density is cos^(ν−1) φ
  const steps = 4000;
  const end = Math.min(Math.PI / 2, 40 / Math.sqrt(v));
  const h = end / steps;
  const density = (k: number): number => pow(Math.max(0, cos(k * h)), v - 1);
  const sums = new Float64Array(steps / 2 + 1);
  for (let k = 0; k < steps / 2; k++)
    sums[k + 1] = sums[k] + (h / 3) * (density(2 * k) + 4 * density(2 * k + 1) + density(2 * k + 2));
  const wanted = (2 * p - 1) * sums[steps / 2];
  const k = sums.findIndex((sum) => sum >= wanted);
  const between = k + (wanted - sums[k]) / (sums[k] - sums[k - 1]);
  return Math.sqrt(v) * tan(2 * h * between);
}
