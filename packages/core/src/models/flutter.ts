/**
 * Modes under loads without a potential: followers, torques, wind. The tangent stiffness K − J has an antisymmetric part, so that squared frequencies may
 * be complex: such a pair of modes flutters.
 *
 * Galerkin's method: in a basis V with VᵀMV = 1, the squared frequencies are the eigenvalues of Vᵀ(K − Jₐ)V. The basis starts as the lowest modes of the
 * symmetric part and is iterated, V ← (K − Jₐ)⁻¹MV. Those modes alone are too few: a follower at the tip made the critical force 2 % too low.
 */
import { type ComplexVector, findEigenvalues, findEigenvector } from '../linalg/complexEigen.ts';
import { solveGmres } from '../linalg/gmres.ts';
import { hypot } from '../math/rounded/index.ts';
import { addJacobianProduct, type LoadJacobian, transposeJacobian } from './loadJacobian.ts';

/** A mode under such loads: exp(growth·t) times an oscillation. */
export interface FlutterMode {
  /** [rad/s]; negative: growth without oscillation. */
  readonly omega: number;
  /** Rate at which the amplitude grows [1/s]; negative if it decays. */
  readonly growth: number;
  /** Displacement of the unknowns: of a growing and its decaying mode, the two phases of the motion. */
  readonly shape: Float64Array;
}

/** Additional vectors besides the requested modes: they make the iteration converge. */
const MORE_VECTORS = 12;
const MAX_ITERATIONS = 30;
const TOLERANCE = 1e-9;
const SOLVE_TOLERANCE = 1e-12;
const MAX_SOLVES = 60;
/** Imaginary part of ω² relative to its size, from which it is not rounding. */
const COMPLEX = 1e-7;

/** Number of modes of the symmetric part to start from for `count` modes. */
export function sizeFlutterBasis(count: number): number {
  return count + MORE_VECTORS;
}

/** K: symmetric part of the tangent; J: derivative of the loads. */
export interface FlutterProblem {
  readonly jacobian: LoadJacobian;
  /** 0 at unknowns that are prescribed or have no mass. */
  readonly mass: Float64Array;
  readonly fixed: ArrayLike<number>;
  /** Solves with K, or K plus a small multiple of M; prescribed unknowns become zero. */
  solve(y: Float64Array): void;
  /** y = K x. */
  multiply(y: Float64Array, x: Float64Array): void;
}

function takeAntisymmetric(jacobian: LoadJacobian): LoadJacobian {
  const turned = { ...jacobian, entries: jacobian.entries.slice() };
  transposeJacobian(turned);
  return { ...jacobian, entries: jacobian.entries.map((value, k) => 0.5 * (value - turned.entries[k])) };
}

/** The modes in ascending order of ω, from those of the symmetric part. */
export function findFlutterModes(
  problem: FlutterProblem,
  start: readonly Float64Array[],
  count: number,
): FlutterMode[] {
  const { mass, fixed, solve, multiply } = problem;
  const antisymmetric = takeAntisymmetric(problem.jacobian);
  const applyLoads = (out: Float64Array, x: Float64Array): void => {
    addJacobianProduct(out, antisymmetric, x, 1);
    for (let d = 0; d < out.length; d++) if (fixed[d]) out[d] = 0;
  };
  /** (K − Jₐ)⁻¹ M x: on a subspace that this maps to itself, Galerkin's method is exact. */
  const advance = (x: Float64Array): Float64Array => {
    const right = x.map((value, d) => mass[d] * value);
    solve(right);
    const out = new Float64Array(x.length);
    const respond = (y: Float64Array, z: Float64Array): void => {
      y.fill(0);
      applyLoads(y, z);
      solve(y);
      for (let d = 0; d < y.length; d++) y[d] = z[d] - y[d];
    };
    solveGmres(out, right, respond, SOLVE_TOLERANCE, MAX_SOLVES);
    return out;
  };
  const n = start.length;
  let basis = start;
  let last: number[] = [];
  let reduced: Float64Array = new Float64Array(n * n);
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    basis = orthonormalize(basis.map(advance), mass);
    reduced = reduce(basis, (y, x) => {
      applyLoads(y, x);
      const elastic = new Float64Array(x.length);
      multiply(elastic, x);
      for (let d = 0; d < y.length; d++) y[d] = elastic[d] - y[d];
    });
    const { re, im } = findEigenvalues(reduced, n);
    const sizes = [...re.map((x, k) => hypot(x, im[k]))].sort((a, b) => a - b).slice(0, count);
    const isDone = sizes.every((size, k) => Math.abs(size - last[k]) <= TOLERANCE * size);
    last = sizes;
    if (isDone) break;
  }
  return listModes(reduced, basis).slice(0, count);
}

function orthonormalize(vectors: readonly Float64Array[], mass: Float64Array): Float64Array[] {
  const multiply = (x: Float64Array, y: Float64Array): number =>
    x.reduce((sum, value, d) => sum + mass[d] * value * y[d], 0);
  const basis: Float64Array[] = [];
  for (const x of vectors) {
    for (let pass = 0; pass < 2; pass++) {
      for (const y of basis) {
        const along = multiply(x, y);
        for (let d = 0; d < x.length; d++) x[d] -= along * y[d];
      }
      const size = Math.sqrt(multiply(x, x));
      for (let d = 0; d < x.length; d++) x[d] /= size;
    }
    basis.push(x);
  }
  return basis;
}

/** Matrix of `apply` in a basis. */
function reduce(basis: readonly Float64Array[], apply: (y: Float64Array, x: Float64Array) => void): Float64Array {
  const n = basis.length;
  const reduced = new Float64Array(n * n);
  basis.forEach((x, j) => {
    const y = new Float64Array(x.length);
    apply(y, x);
    basis.forEach((z, i) => {
      reduced[i * n + j] = z.reduce((sum, value, d) => sum + value * y[d], 0);
    });
  });
  return reduced;
}

/** Modes whose squared frequencies are the eigenvalues of the reduced matrix, in ascending order of ω. */
function listModes(reduced: Float64Array, basis: readonly Float64Array[]): FlutterMode[] {
  const n = basis.length;
  const values = findEigenvalues(reduced, n);
  const modes: FlutterMode[] = [];
  for (let k = 0; k < n; k++) {
    const [re, im] = [values.re[k], values.im[k]];
    const isComplex = Math.abs(im) > COMPLEX * hypot(re, im);
    // of a pair, that with a negative imaginary part is skipped
    if (isComplex && im < 0) continue;
    const shapes = combine(basis, findEigenvector(reduced, n, re, isComplex ? im : 0));
    if (!isComplex) {
      modes.push({ omega: Math.sign(re) * Math.sqrt(Math.abs(re)), growth: 0, shape: shapes.re });
      continue;
    }
    const omega = Math.sqrt(0.5 * (hypot(re, im) + re));
    const growth = im / (2 * omega);
    modes.push({ omega, growth, shape: shapes.re }, { omega, growth: -growth, shape: shapes.im });
  }
  return modes.sort((a, b) => a.omega - b.omega || b.growth - a.growth);
}

function combine(vectors: readonly Float64Array[], { re, im }: ComplexVector): ComplexVector {
  const shape = { re: new Float64Array(vectors[0].length), im: new Float64Array(vectors[0].length) };
  vectors.forEach((x, k) => {
    for (let d = 0; d < x.length; d++) {
      shape.re[d] += re[k] * x[d];
      shape.im[d] += im[k] * x[d];
    }
  });
  return shape;
}
