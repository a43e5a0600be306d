/** Generalised minimal residuals [Saad1986], without restart: few iterations on a well preconditioned system. */
import { hypot } from '../math/rounded/index.ts';

/**
 * Solves A x = b, with x = b as the start; `apply(y, x)` writes y = A x. Returns the residual relative to |b|; x is the best of
 * `most` dimensions.
 */
export function solveGmres(
  x: Float64Array,
  b: Float64Array,
  apply: (y: Float64Array, x: Float64Array) => void,
  tolerance: number,
  most: number,
): number {
  const size = b.length;
  const scale = Math.sqrt(dot(b, b));
  x.set(b);
  if (scale === 0) return 0;
  const first = new Float64Array(size);
  apply(first, x);
  for (let i = 0; i < size; i++) first[i] = b[i] - first[i];
  const beta = Math.sqrt(dot(first, first));
  if (beta <= tolerance * scale) return beta / scale;
  for (let i = 0; i < size; i++) first[i] /= beta;
  const basis = [first];
  /** Columns of the triangular factor, its Givens rotations, and the transformed right-hand side. */
  const columns: number[][] = [];
  const rotations: [number, number][] = [];
  const right = [beta];
  while (columns.length < most && Math.abs(right[right.length - 1]) > tolerance * scale) {
    const m = columns.length;
    const next = new Float64Array(size);
    apply(next, basis[m]);
    const column = orthogonalize(next, basis);
    const length = Math.sqrt(dot(next, next));
    rotations.forEach(([c, s], k) => {
      [column[k], column[k + 1]] = [c * column[k] + s * column[k + 1], c * column[k + 1] - s * column[k]];
    });
    const r = hypot(column[m], length);
    const [c, s] = [column[m] / r, length / r];
    rotations.push([c, s]);
    column[m] = r;
    columns.push(column);
    right.push(-s * right[m]);
    right[m] *= c;
    if (length === 0) break;
    for (let i = 0; i < size; i++) next[i] /= length;
    basis.push(next);
  }
  const weights = right.slice(0, columns.length);
  for (let k = columns.length - 1; k >= 0; k--) {
    for (let j = k + 1; j < columns.length; j++) weights[k] -= columns[j][k] * weights[j];
    weights[k] /= columns[k][k];
    for (let i = 0; i < size; i++) x[i] += weights[k] * basis[k][i];
  }
  return Math.abs(right[right.length - 1]) / scale;
}

function dot(u: Float64Array, v: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < u.length; i++) sum += u[i] * v[i];
  return sum;
}

/** Removes the components along the basis from a vector, twice because of rounding; returns them. */
function orthogonalize(vector: Float64Array, basis: readonly Float64Array[]): number[] {
  const components: number[] = new Array(basis.length).fill(0);
  for (let pass = 0; pass < 2; pass++) {
    for (let k = 0; k < basis.length; k++) {
      const overlap = dot(vector, basis[k]);
      components[k] += overlap;
      for (let i = 0; i < vector.length; i++) vector[i] -= overlap * basis[k][i];
    }
  }
  return components;
}
