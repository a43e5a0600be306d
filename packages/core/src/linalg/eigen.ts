/**
 * All eigenvalues and vectors of a dense symmetric matrix: Householder reduction to a tridiagonal one, then implicit QL
 * with Wilkinson's shift. About 10 n³ operations, so a few hundred unknowns take well under a second; Jacobi rotations
 * (jacobi.ts) are simpler and, for a dozen unknowns, as fast.
 */
import { hypot } from '../math/rounded/index.ts';

/** Eigenvalues ascending; eigenvectors as columns of `vectors` (row-major n × n), orthonormal. */
export function eigenDense(matrix: Float64Array, n: number): { values: Float64Array; vectors: Float64Array } {
  const z = matrix.slice();
  const diagonal = new Float64Array(n);
  const off = new Float64Array(n);
  reduce(z, diagonal, off, n);
  iterate(z, diagonal, off, n);
  const order = Array.from(diagonal.keys()).sort((i, j) => diagonal[i] - diagonal[j]);
  const vectors = new Float64Array(n * n);
  order.forEach((from, to) => {
    for (let k = 0; k < n; k++) vectors[k * n + to] = z[k * n + from];
  });
  return { values: Float64Array.from(order, (i) => diagonal[i]), vectors };
}

/** z becomes the orthogonal Q with Qᵀ A Q tridiagonal: `diagonal`, and `off[i]` between i − 1 and i. */
function reduce(z: Float64Array, diagonal: Float64Array, off: Float64Array, n: number): void {
  for (let i = n - 1; i > 0; i--) {
    let scale = 0;
    for (let k = 0; k < i; k++) scale += Math.abs(z[i * n + k]);
    let h = 0;
    if (i === 1 || scale === 0) off[i] = z[i * n + i - 1];
    else {
      for (let k = 0; k < i; k++) {
        z[i * n + k] /= scale;
        h += z[i * n + k] * z[i * n + k];
      }
      const f = z[i * n + i - 1];
      const g = f >= 0 ? -Math.sqrt(h) : Math.sqrt(h);
      off[i] = scale * g;
      h -= f * g;
      z[i * n + i - 1] = f - g;
      reflect(z, off, n, i, h);
    }
    diagonal[i] = h;
  }
  diagonal[0] = 0;
  for (let i = 0; i < n; i++) {
    if (diagonal[i] !== 0) {
      for (let j = 0; j < i; j++) {
        let g = 0;
        for (let k = 0; k < i; k++) g += z[i * n + k] * z[k * n + j];
        for (let k = 0; k < i; k++) z[k * n + j] -= g * z[k * n + i];
      }
    }
    diagonal[i] = z[i * n + i];
    z[i * n + i] = 1;
    for (let j = 0; j < i; j++) {
      z[j * n + i] = 0;
      z[i * n + j] = 0;
    }
  }
}

/** A ← A − v wᵀ − w vᵀ with the reflection vector v in row i; v/h is kept in column i. */
function reflect(z: Float64Array, w: Float64Array, n: number, i: number, h: number): void {
  let sum = 0;
  for (let j = 0; j < i; j++) {
    z[j * n + i] = z[i * n + j] / h;
    let g = 0;
    for (let k = 0; k <= j; k++) g += z[j * n + k] * z[i * n + k];
    for (let k = j + 1; k < i; k++) g += z[k * n + j] * z[i * n + k];
    w[j] = g / h;
    sum += w[j] * z[i * n + j];
  }
  const half = sum / (2 * h);
  for (let j = 0; j < i; j++) {
    const f = z[i * n + j];
    const g = w[j] - half * f;
    w[j] = g;
    for (let k = 0; k <= j; k++) z[j * n + k] -= f * w[k] + g * z[i * n + k];
  }
}

/** Implicit QL on the tridiagonal; the rotations go into the columns of z. */
function iterate(z: Float64Array, diagonal: Float64Array, off: Float64Array, n: number): void {
  for (let i = 1; i < n; i++) off[i - 1] = off[i];
  off[n - 1] = 0;
  for (let l = 0; l < n; l++) {
    for (let sweep = 0; sweep < 60; sweep++) {
      let m = l;
      for (; m < n - 1; m++) {
        const size = Math.abs(diagonal[m]) + Math.abs(diagonal[m + 1]);
        if (Math.abs(off[m]) <= Number.EPSILON * size) break;
      }
      if (m === l) break;
      chase(z, diagonal, off, n, l, m);
    }
  }
}

function chase(z: Float64Array, diagonal: Float64Array, off: Float64Array, n: number, l: number, m: number): void {
  let g = (diagonal[l + 1] - diagonal[l]) / (2 * off[l]);
  let r = hypot(g, 1);
  g = diagonal[m] - diagonal[l] + off[l] / (g + (g >= 0 ? r : -r));
  let s = 1;
  let c = 1;
  let p = 0;
  for (let i = m - 1; i >= l; i--) {
    const f = s * off[i];
    const b = c * off[i];
    r = hypot(f, g);
    off[i + 1] = r;
    if (r === 0) {
      // the matrix is decoupled here
      diagonal[i + 1] -= p;
      off[m] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = diagonal[i + 1] - p;
    r = (diagonal[i] - g) * s + 2 * c * b;
    p = s * r;
    diagonal[i + 1] = g + p;
    g = c * r - b;
    for (let k = 0; k < n; k++) {
      const t = z[k * n + i + 1];
      z[k * n + i + 1] = s * z[k * n + i] + c * t;
      z[k * n + i] = c * z[k * n + i] - s * t;
    }
  }
  diagonal[l] -= p;
  off[l] = g;
  off[m] = 0;
}

/**
 * K x = λ M x with symmetric K and symmetric, positive definite M (both row-major, kept): λ ascending, and vectors
 * (columns) with xᵀ M x = 1. Undefined if M is not positive definite.
 */
export function eigenGeneral(
  stiffness: Float64Array,
  mass: Float64Array,
  n: number,
): { values: Float64Array; vectors: Float64Array } | undefined {
  const l = mass.slice();
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      let sum = l[i * n + j];
      for (let k = 0; k < j; k++) sum -= l[i * n + k] * l[j * n + k];
      if (i > j) l[i * n + j] = sum / l[j * n + j];
      else if (sum > 0) l[j * n + j] = Math.sqrt(sum);
      else return undefined;
    }
  }
  // L⁻¹ K L⁻ᵀ: L⁻¹ on the columns, transposed, and once more
  const a = stiffness.slice();
  for (let pass = 0; pass < 2; pass++) {
    for (let column = 0; column < n; column++) {
      for (let i = 0; i < n; i++) {
        let sum = a[i * n + column];
        for (let k = 0; k < i; k++) sum -= l[i * n + k] * a[k * n + column];
        a[i * n + column] = sum / l[i * n + i];
      }
    }
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < i; j++) {
        const t = a[i * n + j];
        a[i * n + j] = a[j * n + i];
        a[j * n + i] = t;
      }
    }
  }
  const { values, vectors } = eigenDense(a, n);
  for (let column = 0; column < n; column++) {
    for (let i = n - 1; i >= 0; i--) {
      let sum = vectors[i * n + column];
      for (let k = i + 1; k < n; k++) sum -= l[k * n + i] * vectors[k * n + column];
      vectors[i * n + column] = sum / l[i * n + i];
    }
  }
  return { values, vectors };
}
