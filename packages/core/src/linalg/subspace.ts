/**
 * The lowest modes of K x = λ M x: subspace iteration on (K + σM)⁻¹M with Rayleigh–Ritz. A block finds the double frequencies of round rods, which a
 * single Lanczos vector would miss. Unknowns without mass need no special treatment.
 */
import { eigenSymmetric } from './jacobi.ts';

export interface ModalProblem extends Mass {
  /** A typical small λ: changes are measured against it. */
  readonly soft: number;
  /** x ← (K + σM)⁻¹x, 0 at prescribed unknowns. */
  solve(x: Float64Array): void;
  /** y = Kx */
  multiply(y: Float64Array, x: Float64Array): void;
}

/** The matrix M. */
export interface Mass {
  /** Number of modes that there are: unknowns with mass that are not prescribed. */
  readonly modeCount: number;
  /** y = Mx */
  multiplyMass(y: Float64Array, x: Float64Array): void;
  /** A vector of random numbers, 0 at prescribed unknowns. */
  createStart(random: () => number): Float64Array;
}

/** A diagonal M; 0 if an unknown has no mass or is prescribed. */
export function diagonalMass(mass: Float64Array): Mass {
  return {
    modeCount: mass.reduce((sum, m) => sum + (m > 0 ? 1 : 0), 0),
    multiplyMass(y, x) {
      for (let d = 0; d < mass.length; d++) y[d] = mass[d] * x[d];
    },
    createStart: (random) => mass.map((m) => (m > 0 ? random() / Math.sqrt(m) : 0)),
  };
}

/** The `count` lowest λ, ascending, with vectors of xᵀMx = 1; fewer if there are fewer modes. */
export function findLowestModes(
  problem: ModalProblem,
  count: number,
): { values: Float64Array; vectors: readonly Float64Array[] } {
  const { soft } = problem;
  const block = Math.min(problem.modeCount, Math.ceil(1.5 * count) + 8);
  const wanted = Math.min(count, block);
  let basis = startBasis(block, problem);
  let values: Float64Array = new Float64Array(block);
  let lastChange = Infinity;
  for (let iteration = 0; iteration < 300; iteration++) {
    const next = basis.map((x) => {
      const y = new Float64Array(x.length);
      problem.multiplyMass(y, x);
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
function startBasis(count: number, { createStart }: Mass): Float64Array[] {
  let seed = 12345;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32 - 0.5;
  };
  return Array.from({ length: count }, () => createStart(random));
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += a[d] * b[d];
  return sum;
}

/** Best approximations to eigenvectors in the span: M-orthonormal, ascending. */
function rayleighRitz(span: Float64Array[], problem: ModalProblem): { values: Float64Array; vectors: Float64Array[] } {
  const n = span.length;
  orthonormalize(span, problem);
  const reduced = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    const image = new Float64Array(span[i].length);
    problem.multiply(image, span[i]);
    for (let j = 0; j <= i; j++) {
      reduced[i * n + j] = product(image, span[j]);
      reduced[j * n + i] = reduced[i * n + j];
    }
  }
  const { values, vectors } = eigenSymmetric(reduced, n);
  return { values, vectors: combineVectors(span, vectors) };
}

/** Linear combinations of the vectors of a basis, by the columns of a matrix. */
function combineVectors(basis: readonly Float64Array[], columns: ArrayLike<number>): Float64Array[] {
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
function orthonormalize(span: Float64Array[], { multiplyMass }: Mass): void {
  // M times the vectors that are orthonormal already
  const images = span.map((x) => new Float64Array(x.length));
  for (const [i, x] of span.entries()) {
    for (let pass = 0; pass < 2; pass++) {
      for (let j = 0; j < i; j++) {
        const overlap = product(images[j], x);
        for (let d = 0; d < x.length; d++) x[d] -= overlap * span[j][d];
      }
    }
    multiplyMass(images[i], x);
    const norm = Math.sqrt(product(images[i], x));
    for (let d = 0; d < x.length; d++) {
      x[d] /= norm;
      images[i][d] /= norm;
    }
  }
}
