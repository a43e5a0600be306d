/** Directions on a branch of equilibria: derivative by the parameter, tangent, the mode of a bifurcation. */
import { sin } from '../math/rounded/index.ts';
import type { BranchOptions } from '../model.ts';
import type { BranchProblem } from './branchProblem.ts';
import { measureScales } from './newton.ts';

/** Change of all unknowns and of the parameter, per arc length. */
export interface Direction {
  readonly x: Float64Array;
  t: number;
}

export interface Trace {
  readonly problem: BranchProblem;
  readonly options: BranchOptions;
  /** Range of the parameter. */
  readonly range: number;
  /** Weight of each unknown in the norm. */
  readonly weight: Float64Array;
  /** Tangent at the held point. */
  readonly tangent: Direction;
  /** Displacement per change of the parameter. */
  readonly byParameter: Float64Array;
  /** Displacement from the held point so far. */
  readonly stepped: Float64Array;
  /** Softest mode; the one at the last point is the first guess at the next. */
  readonly idle: Float64Array;
  /** True if the parameter does not excite that mode: see findIdleMode. */
  hasIdle: boolean;
  /** Parameter of the held point. */
  readonly start: { t: number };
  /** Displacement, and change of the parameter, from the first point to the held one. */
  readonly fromStart: Direction;
}

/** Iterations after which a shorter distance is tried. */
export const MAX_ITERATIONS = 24;

export function createTrace(problem: BranchProblem, options: BranchOptions): Trace {
  const size = problem.step.length;
  const { length, isAngle, edgeCount } = problem;
  const turn = 2 * Math.PI;
  return {
    problem,
    options,
    range: Math.abs(options.to - options.from),
    weight: Float64Array.from(
      { length: size },
      (_, d) => 1 / (edgeCount * (isAngle(d) ? turn * turn : length * length)),
    ),
    tangent: { x: new Float64Array(size), t: 0 },
    byParameter: new Float64Array(size),
    stepped: new Float64Array(size),
    idle: Float64Array.from({ length: size }, (_, d) => sin(1 + 0.7 * d) + 0.3 * sin(0.1 * d)),
    hasIdle: false,
    start: { t: problem.parameter },
    fromStart: { x: new Float64Array(size), t: 0 },
  };
}

export function dot({ weight }: Trace, a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += weight[d] * a[d] * b[d];
  return sum;
}

/** Inner product of two directions. */
export function dotDirections(trace: Trace, a: Direction, b: Direction): number {
  return dot(trace, a.x, b.x) + (a.t * b.t) / (trace.range * trace.range);
}

function clearFixed({ fixed }: BranchProblem, x: Float64Array): void {
  for (let d = 0; d < x.length; d++) if (fixed[d]) x[d] = 0;
}

/**
 * Points and weights of differences of fourth order, or one-sided of third order at an end of the range, where paths may begin or end. Their distance
 * is large, because rounding of forces is divided by it and by the softest eigenvalue.
 */
const CENTRAL = [
  [1, 2 / 3],
  [-1, -2 / 3],
  [2, -1 / 12],
  [-2, 1 / 12],
] as const;
const ONE_SIDED = [
  [0, -11 / 6],
  [1, 3],
  [2, -1.5],
  [3, 1 / 3],
] as const;
const DISTANCE = 3e-4;

/** Writes K⁻¹ ∂(−r)/∂t to `byParameter`, by differences of the right-hand side; the matrix must be factored. */
export function differentiate(trace: Trace): string {
  const { problem, range, byParameter, options } = trace;
  const delta = DISTANCE * range;
  const t = problem.parameter;
  const isInside = Math.abs(t - 0.5 * (options.from + options.to)) + 2 * delta <= 0.5 * range;
  const inwards = t < 0.5 * (options.from + options.to) ? delta : -delta;
  problem.hold('trial');
  byParameter.fill(0);
  const errors = new Float64Array(problem.edgeErrors.length);
  for (const [place, weight] of isInside ? CENTRAL : ONE_SIDED) {
    const trouble = problem.place(t + place * inwards) || problem.evaluateRight();
    if (trouble) return trouble;
    for (let d = 0; d < byParameter.length; d++) byParameter[d] += (weight / inwards) * problem.step[d];
    for (let j = 0; j < errors.length; j++) errors[j] += (weight / inwards) * problem.edgeErrors[j];
    problem.revert('trial');
  }
  clearFixed(problem, byParameter);
  trace.hasIdle = findIdleMode(trace, byParameter);
  solve(trace, byParameter, errors);
  if (trace.hasIdle) subtractAlong(trace, trace.idle, byParameter);
  return '';
}

/**
 * Solves with the factored matrix. Of the solutions, which differ by neutral motions, this is the one that moves the nodes least: if a buckle turned with its
 * clamp instead, its edges would turn far within one step.
 */
function solve(trace: Trace, x: Float64Array, errors: Float64Array): void {
  const { problem } = trace;
  problem.solve(x, errors);
  const basis: Float64Array[] = [];
  for (const motion of problem.neutral) {
    const z = motion.slice();
    for (const y of basis) subtract(z, y, measureAlong(trace, y, z));
    const size = Math.sqrt(measureAlong(trace, z, z));
    if (!(size > 0)) continue;
    for (let d = 0; d < z.length; d++) z[d] /= size;
    basis.push(z);
    subtract(x, z, measureAlong(trace, z, x));
  }
}

/** Angles count this much less than in the arc length, where neutral motions are removed. */
const ANGLES = 1e-6;

function measureAlong({ weight, problem }: Trace, a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += (problem.isAngle(d) ? ANGLES : 1) * weight[d] * a[d] * b[d];
  return sum;
}

function subtract(x: Float64Array, unit: Float64Array, along: number): void {
  for (let d = 0; d < x.length; d++) x[d] -= along * unit[d];
}

/** Removes the component along a unit vector. */
function subtractAlong(trace: Trace, unit: Float64Array, x: Float64Array): void {
  const along = dot(trace, unit, x);
  for (let d = 0; d < x.length; d++) x[d] -= along * unit[d];
}

/** Solves for a right-hand side of Newton's equations; omits its component along the idle mode if that is only rounding. */
export function solveStep(trace: Trace, x: Float64Array, errors: Float64Array): void {
  const { problem, idle } = trace;
  clearFixed(problem, x);
  let along = 0;
  for (let d = 0; d < x.length; d++) along += idle[d] * x[d];
  const { length, edgeCount } = problem;
  const isRounding =
    Math.abs(along) <= 10 * edgeCount * length * measureScales(problem, { factored: false }).roundingForce;
  solve(trace, x, errors);
  if (trace.hasIdle && isRounding) subtractAlong(trace, idle, x);
}

/** Inverse iterations for the softest mode: more than one where another is nearly as soft, as next to a bifurcation of a ring. */
const MAX_SOLVES = 12;

/**
 * A mode with almost no stiffness that the parameter does not excite, such as a buckle that may lie in any plane through its axis: its amplitude would
 * be determined by rounding alone. The mode of a fold is excited.
 */
function findIdleMode(trace: Trace, excitation: Float64Array): boolean {
  const { problem, weight, idle: x } = trace;
  const { bending } = problem.measureSize();
  let stiffness = 0;
  for (let k = 0; k < MAX_SOLVES; k++) {
    const before = stiffness;
    for (let d = 0; d < x.length; d++) x[d] *= weight[d];
    clearFixed(problem, x);
    solve(trace, x, new Float64Array(problem.edgeErrors.length));
    const length = Math.sqrt(dot(trace, x, x));
    if (!(length > 0 && length < Infinity)) return false;
    for (let d = 0; d < x.length; d++) x[d] /= length;
    stiffness = 1 / length;
    if (Math.abs(stiffness - before) <= 0.1 * stiffness) break;
  }
  let [along, size] = [0, 0];
  for (let d = 0; d < x.length; d++) {
    along += x[d] * excitation[d];
    size += (excitation[d] * excitation[d]) / weight[d];
  }
  return Math.abs(along) <= 1e-5 * Math.sqrt(size) && stiffness <= (1e-3 * bending) / problem.length;
}

/** Tangent at an equilibrium, in the direction of `before`. Returns the reason if there is none, else ''. */
export function findTangent(trace: Trace, out: Direction, before: Direction | undefined): string {
  const { problem, options, byParameter, range } = trace;
  const trouble = problem.linearize('equilibrium') || differentiate(trace);
  if (trouble) return trouble;
  const length = Math.sqrt(dot(trace, byParameter, byParameter) + 1 / (range * range));
  if (!(length < Infinity)) return 'the tangent of the branch is not a number';
  for (let d = 0; d < out.x.length; d++) out.x[d] = byParameter[d] / length;
  out.t = 1 / length;
  const along = before ? dotDirections(trace, out, before) : options.to - options.from;
  if (along < 0) {
    for (let d = 0; d < out.x.length; d++) out.x[d] = -out.x[d];
    out.t = -out.t;
  }
  return '';
}

/** Mode whose stiffness is almost zero, as a direction; the matrix at a bifurcation is nearly singular. */
export function findMode(trace: Trace, out: Direction): string {
  const { problem, weight } = trace;
  const trouble = problem.linearize('equilibrium');
  if (trouble) return trouble;
  const { x } = out;
  for (let d = 0; d < x.length; d++) x[d] = sin(1 + 0.7 * d) + 0.3 * sin(0.1 * d);
  for (let k = 0; k < 8; k++) {
    if (k > 0) for (let d = 0; d < x.length; d++) x[d] *= weight[d];
    clearFixed(problem, x);
    solve(trace, x, new Float64Array(problem.edgeErrors.length));
    const length = Math.sqrt(dot(trace, x, x));
    if (!(length > 0 && length < Infinity)) return 'the mode of the bifurcation is not a number';
    for (let d = 0; d < x.length; d++) x[d] /= length;
  }
  let largest = 0;
  for (const value of x) if (Math.abs(value) > Math.abs(largest)) largest = value;
  if (largest > 0 !== (trace.options.start === 'across')) for (let d = 0; d < x.length; d++) x[d] = -x[d];
  out.t = 0;
  return '';
}
