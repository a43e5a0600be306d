/**
 * The lowest modes of K x = λ M x with a diagonal M that may have zeros: subspace iteration on (K + σM)⁻¹M with
 * Rayleigh–Ritz. A block finds the double frequencies of round rods, which a single Lanczos vector would miss. Massless
 * unknowns follow by themselves.
 */
import { eigenSymmetric } from './jacobi.ts';

export interface ModalProblem {
  /** Diagonal of M; 0 if an unknown has no mass or is prescribed. */
  readonly mass: Float64Array;
  /** A typical small λ: changes are measured against it. */
  readonly soft: number;
  /** x ← (K + σM)⁻¹x, 0 at prescribed unknowns. */
  solve(x: Float64Array): void;
  /** y = Kx */
  multiply(y: Float64Array, x: Float64Array): void;
}

/** The `count` lowest λ, ascending, with vectors of xᵀMx = 1; fewer if there are fewer masses. */
export function findLowestModes(
  problem: ModalProblem,
  count: number,
): { values: Float64Array; vectors: readonly Float64Array[] } {
  const { mass, soft } = problem;
  const dynamic = mass.reduce((sum, m) => sum + (m > 0 ? 1 : 0), 0);
  const block = Math.min(dynamic, Math.ceil(1.5 * count) + 8);
  const wanted = Math.min(count, block);
  let basis = startBasis(block, mass);
  let values: Float64Array = new Float64Array(block);
  let lastChange = Infinity;
  for (let iteration = 0; iteration < 300; iteration++) {
    const next = basis.map((x) => {
      const y = x.map((value, d) => value * mass[d]);
      problem.solve(y);
      return y;
    });
    const ritz = rayleighRitz(next, problem);
    let change = 0;
    for (let k = 0; k < wanted; k++)
      change = Math.max(change, Math.abs(ritz.values[k] - values[k]) / (Math.abs(ritz.values[k]) + soft));
    values = ritz.values;
    basis = ritz.vectors;
    // rounding sets a floor to the change of the softest modes: stop there as well
    if (change < 1e-9 || (change < 1e-6 && change > 0.3 * lastChange)) break;
    lastChange = change;
  }
  return { values: values.slice(0, wanted), vectors: basis.slice(0, wanted) };
}

/** Deterministic, linearly independent vectors. */
function startBasis(count: number, active: Float64Array): Float64Array[] {
  let seed = 12345;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32 - 0.5;
  };
  return Array.from({ length: count }, () => active.map((m) => (m > 0 ? random() / Math.sqrt(m) : 0)));
}

/** Best approximations to eigenvectors in the span: M-orthonormal, ascending. */
function rayleighRitz(
  span: Float64Array[],
  { mass, multiply }: ModalProblem,
): { values: Float64Array; vectors: Float64Array[] } {
  const n = span.length;
  orthonormalize(span, mass);
  const image = span.map((x) => {
    const y = new Float64Array(x.length);
    multiply(y, x);
    return y;
  });
  const reduced = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let d = 0; d < mass.length; d++) sum += span[i][d] * image[j][d];
      reduced[i * n + j] = sum;
      reduced[j * n + i] = sum;
    }
  }
  const { values, vectors } = eigenSymmetric(reduced, n);
  return { values, vectors: combineVectors(span, vectors) };
}

/** Linear combinations of the vectors of a basis, by the columns of a matrix. */
export function combineVectors(basis: readonly Float64Array[], columns: ArrayLike<number>): Float64Array[] {
  const n = basis.length;
  return basis.map((_, k) => {
    const out = new Float64Array(basis[0].length);
    for (let i = 0; i < n; i++) {
      const weight = columns[i * n + k];
      for (let d = 0; d < out.length; d++) out[d] += weight * basis[i][d];
    }
    return out;
  });
}

/** Modified Gram–Schmidt in the mass metric, twice for safety. */
function orthonormalize(span: Float64Array[], mass: Float64Array): void {
  for (let i = 0; i < span.length; i++) {
    for (let pass = 0; pass < 2; pass++) {
      for (let j = 0; j < i; j++) {
        let overlap = 0;
        for (let d = 0; d < mass.length; d++) overlap += mass[d] * span[i][d] * span[j][d];
        for (let d = 0; d < mass.length; d++) span[i][d] -= overlap * span[j][d];
      }
    }
    let norm = 0;
    for (let d = 0; d < mass.length; d++) norm += mass[d] * (span[i][d] * span[i][d]);
    norm = Math.sqrt(norm);
    for (let d = 0; d < mass.length; d++) span[i][d] /= norm;
  }
}
