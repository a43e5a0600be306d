/**
 * Functions of a symmetric matrix on a vector, by Lanczos: f(A) b ≈ |b| X f(T) e₁ with the tridiagonal T of the Krylov space.
 *
 * NOTE: [Michels2015] prints X* for X and leaves out |b|; a symmetric A makes Arnoldi's Hessenberg matrix tridiagonal. Its second bound for
 * exp(−A) lacks a factor eᵐ: (10/ρ) e^(−ρ) (eρ/m)ᵐ is right [Hochbruck1997], the printed one is exceeded by orders of
 * magnitude. Both are for the exponential; for functions of h√A, such as cos, the degree needed is h ω/2 and about 15 more, and
 * converges faster than any power from there. So the space grows until an a posteriori estimate, the last entry of f(T)e₁ times
 * the last off-diagonal, is small enough. Vectors are orthogonalised against all earlier ones, twice.
 */
import { eigenDense } from './eigen.ts';

export interface Krylov {
  readonly size: number;
  readonly most: number;
  readonly basis: Float64Array[];
}

export function createKrylov(size: number, most: number): Krylov {
  return { size, most, basis: Array.from({ length: Math.min(most, size) + 1 }, () => new Float64Array(size)) };
}

/**
 * out[k] = f[k](A) b for several functions at once. `multiply(y, x)` is y = A x. Returns the dimension used and the estimated
 * error relative to |b|, which exceeds `tolerance` only if the largest dimension was not enough. The functions are not evaluated below
 * the `expected` dimension.
 */
export function applyFunctions(
  out: readonly Float64Array[],
  krylov: Krylov,
  multiply: (y: Float64Array, x: Float64Array) => void,
  b: Float64Array,
  functions: readonly ((eigenvalue: number) => number)[],
  { tolerance, expected = 4 }: { readonly tolerance: number; readonly expected?: number },
): { dimension: number; error: number } {
  const { size, basis } = krylov;
  const most = basis.length - 1;
  let norm = 0;
  for (let i = 0; i < size; i++) norm += b[i] * b[i];
  norm = Math.sqrt(norm);
  for (const vector of out) vector.fill(0);
  if (norm === 0) return { dimension: 0, error: 0 };
  for (let i = 0; i < size; i++) basis[0][i] = b[i] / norm;
  const diagonal: number[] = [];
  const off: number[] = [];
  let error = Infinity;
  let m = 0;
  let weights: Float64Array[] = [];
  while (m < most) {
    const next = basis[m + 1];
    multiply(next, basis[m]);
    for (let pass = 0; pass < 2; pass++) {
      for (let k = m; k >= 0; k--) {
        let overlap = 0;
        for (let i = 0; i < size; i++) overlap += next[i] * basis[k][i];
        for (let i = 0; i < size; i++) next[i] -= overlap * basis[k][i];
        if (k === m) diagonal[m] = (pass === 0 ? 0 : diagonal[m]) + overlap;
      }
    }
    let beta = 0;
    for (let i = 0; i < size; i++) beta += next[i] * next[i];
    beta = Math.sqrt(beta);
    off[m] = beta;
    m++;
    const scale = Math.max(...diagonal.map(Math.abs), ...off);
    const closed = beta <= 1e-14 * scale || m === size;
    if (closed || (m >= expected && (m - expected) % 6 === 0) || m === most) {
      ({ weights, error } = evaluate(diagonal, off, m, functions));
      if (closed) error = 0;
      if (error <= tolerance) break;
    }
    for (let i = 0; i < size; i++) next[i] /= beta;
  }
  out.forEach((vector, f) => {
    for (let k = 0; k < m; k++) for (let i = 0; i < size; i++) vector[i] += norm * weights[f][k] * basis[k][i];
  });
  return { dimension: m, error };
}

/** f(T)e₁ for each f; the error from the last two entries, relative to the largest value of f there is. */
function evaluate(
  diagonal: readonly number[],
  off: readonly number[],
  m: number,
  functions: readonly ((eigenvalue: number) => number)[],
): { weights: Float64Array[]; error: number } {
  const matrix = new Float64Array(m * m);
  for (let k = 0; k < m; k++) {
    matrix[k * m + k] = diagonal[k];
    if (k + 1 < m) {
      matrix[k * m + k + 1] = off[k];
      matrix[(k + 1) * m + k] = off[k];
    }
  }
  const { values, vectors } = eigenDense(matrix, m);
  let error = 0;
  const weights = functions.map((f) => {
    const out = new Float64Array(m);
    let size = 0;
    for (let j = 0; j < m; j++) {
      const value = f(values[j]);
      size = Math.max(size, Math.abs(value));
      for (let k = 0; k < m; k++) out[k] += vectors[k * m + j] * value * vectors[j];
    }
    const tail = Math.abs(out[m - 1]) + Math.abs(out[Math.max(m - 2, 0)]) + Math.abs(out[Math.max(m - 3, 0)]);
    error = Math.max(error, size > 0 ? tail / size : 0);
    return out;
  });
  return { weights, error };
}
