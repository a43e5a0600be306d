/**
 * Eigenvalues and vectors of a small dense matrix without symmetry: Householder reduction to Hessenberg form, QR with complex shifts, and inverse
 * iteration. About 30 n³ operations.
 */
import { hypot, square } from '../math/rounded/index.ts';

export interface ComplexVector {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

const EPSILON = 2.2e-16;
const MAX_ITERATIONS = 60;

/** Eigenvalues of a real matrix (row-major n × n), in no particular order; NaN for those that do not converge. */
export function findEigenvalues(matrix: Float64Array, n: number): ComplexVector {
  const h: ComplexVector = { re: reduceToHessenberg(matrix, n), im: new Float64Array(n * n) };
  const values = { re: new Float64Array(n).fill(Number.NaN), im: new Float64Array(n).fill(Number.NaN) };
  let iterations = 0;
  for (let last = n - 1; last >= 0; ) {
    const first = findBlock(h, n, last);
    if (first === last) {
      values.re[last] = h.re[last * n + last];
      values.im[last] = h.im[last * n + last];
      last--;
      iterations = 0;
      continue;
    }
    if (++iterations > MAX_ITERATIONS) break;
    turn(h, n, first, last, iterations % 11 === 10 ? exceptionalShift(h, n, last) : chooseShift(h, n, last));
  }
  return values;
}

/** First row of the last block that a zero below the diagonal does not split. */
function findBlock({ re, im }: ComplexVector, n: number, last: number): number {
  const sizeOf = (i: number, j: number): number => Math.abs(re[i * n + j]) + Math.abs(im[i * n + j]);
  for (let l = last; l > 0; l--) {
    if (sizeOf(l, l - 1) > EPSILON * (sizeOf(l - 1, l - 1) + sizeOf(l, l))) continue;
    re[l * n + l - 1] = 0;
    im[l * n + l - 1] = 0;
    return l;
  }
  return 0;
}

type Complex = readonly [number, number];

function squareRoot(re: number, im: number): Complex {
  const size = hypot(re, im);
  const root = Math.sqrt(0.5 * (size + Math.abs(re)));
  if (root === 0) return [0, 0];
  const other = im / (2 * root);
  if (re >= 0) return [root, other];
  return im >= 0 ? [Math.abs(other), root] : [Math.abs(other), -root];
}

/** Eigenvalue of the last 2 × 2 block that is nearer to the last entry (Wilkinson). */
function chooseShift({ re, im }: ComplexVector, n: number, last: number): Complex {
  const [a, b, c, d] = [(last - 1) * n + last - 1, (last - 1) * n + last, last * n + last - 1, last * n + last];
  const half: Complex = [0.5 * (re[a] - re[d]), 0.5 * (im[a] - im[d])];
  const product: Complex = [re[b] * re[c] - im[b] * im[c], re[b] * im[c] + im[b] * re[c]];
  let [x, y] = squareRoot(square(half[0]) - square(half[1]) + product[0], 2 * half[0] * half[1] + product[1]);
  if (half[0] * x + half[1] * y < 0) [x, y] = [-x, -y];
  const [p, q] = [half[0] + x, half[1] + y];
  const size = p * p + q * q;
  if (size === 0) return [re[d], im[d]];
  return [re[d] - (product[0] * p + product[1] * q) / size, im[d] - (product[1] * p - product[0] * q) / size];
}

function exceptionalShift({ re, im }: ComplexVector, n: number, last: number): Complex {
  const below = last * n + last - 1;
  return [re[last * n + last] + Math.abs(re[below]) + Math.abs(im[below]), im[last * n + last]];
}

/** One QR step on rows and columns first … last. */
function turn({ re, im }: ComplexVector, n: number, first: number, last: number, [sx, sy]: Complex): void {
  for (let k = first; k <= last; k++) {
    re[k * n + k] -= sx;
    im[k * n + k] -= sy;
  }
  const rotations: [number, number, number, number][] = [];
  for (let k = first; k < last; k++) {
    const [a, b] = [k * n + k, (k + 1) * n + k];
    const r = Math.sqrt(square(re[a]) + square(im[a]) + square(re[b]) + square(im[b])) || 1;
    const [cx, cy, tx, ty] = [re[a] / r, im[a] / r, re[b] / r, im[b] / r];
    const isZero = cx === 0 && cy === 0 && tx === 0 && ty === 0;
    rotations.push(isZero ? [1, 0, 0, 0] : [cx, cy, tx, ty]);
    const [px, py, qx, qy] = rotations[rotations.length - 1];
    for (let j = k; j <= last; j++) {
      const [u, v] = [k * n + j, (k + 1) * n + j];
      const [ux, uy, vx, vy] = [re[u], im[u], re[v], im[v]];
      re[u] = px * ux + py * uy + qx * vx + qy * vy;
      im[u] = px * uy - py * ux + qx * vy - qy * vx;
      re[v] = px * vx - py * vy - qx * ux + qy * uy;
      im[v] = px * vy + py * vx - qx * uy - qy * ux;
    }
  }
  rotations.forEach(([px, py, qx, qy], m) => {
    const k = first + m;
    for (let i = first; i <= Math.min(k + 1, last); i++) {
      const [u, v] = [i * n + k, i * n + k + 1];
      const [ux, uy, vx, vy] = [re[u], im[u], re[v], im[v]];
      re[u] = px * ux - py * uy + qx * vx - qy * vy;
      im[u] = px * uy + py * ux + qx * vy + qy * vx;
      re[v] = px * vx + py * vy - qx * ux - qy * uy;
      im[v] = px * vy - py * vx - qx * uy + qy * ux;
    }
  });
  for (let k = first; k <= last; k++) {
    re[k * n + k] += sx;
    im[k * n + k] += sy;
  }
}

/** Similar matrix with zeros below the first subdiagonal. */
function reduceToHessenberg(matrix: Float64Array, n: number): Float64Array {
  const h = matrix.slice();
  const v = new Float64Array(n);
  for (let k = 0; k < n - 2; k++) {
    let size = 0;
    for (let i = k + 1; i < n; i++) size += square(h[i * n + k]);
    size = Math.sqrt(size);
    if (size === 0) continue;
    let norm = 0;
    for (let i = k + 1; i < n; i++) {
      v[i] = h[i * n + k] + (i === k + 1 ? (h[i * n + k] >= 0 ? size : -size) : 0);
      norm += v[i] * v[i];
    }
    for (let j = 0; j < n; j++) {
      let along = 0;
      for (let i = k + 1; i < n; i++) along += v[i] * h[i * n + j];
      for (let i = k + 1; i < n; i++) h[i * n + j] -= (2 * along * v[i]) / norm;
    }
    for (let i = 0; i < n; i++) {
      let along = 0;
      for (let j = k + 1; j < n; j++) along += v[j] * h[i * n + j];
      for (let j = k + 1; j < n; j++) h[i * n + j] -= (2 * along * v[j]) / norm;
    }
    for (let i = k + 2; i < n; i++) h[i * n + k] = 0;
  }
  return h;
}

/** Eigenvector for an eigenvalue, by inverse iteration; its largest entry is 1. */
export function findEigenvector(matrix: Float64Array, n: number, re: number, im: number): ComplexVector {
  let scale = 0;
  for (const value of matrix) scale = Math.max(scale, Math.abs(value));
  // a matrix that is singular to rounding is what inverse iteration needs; exactly singular it is not
  const shift = scale * EPSILON * 4;
  const x = { re: new Float64Array(n), im: new Float64Array(n) };
  for (let i = 0; i < n; i++) x.re[i] = 1 + 0.1 * ((7 * i) % 11);
  for (let k = 0; k < 3; k++) {
    solveComplex(matrix, n, [re + shift, im], x);
    let largest = 0;
    for (let i = 1; i < n; i++) if (hypot(x.re[i], x.im[i]) > hypot(x.re[largest], x.im[largest])) largest = i;
    const [a, b] = [x.re[largest], x.im[largest]];
    const size = a * a + b * b;
    for (let i = 0; i < n; i++) {
      const [p, q] = [x.re[i], x.im[i]];
      x.re[i] = (p * a + q * b) / size;
      x.im[i] = (q * a - p * b) / size;
    }
  }
  return x;
}

/** Solves (A − λ) x = b in place, by elimination with row exchanges. */
function solveComplex(matrix: Float64Array, n: number, [lx, ly]: Complex, x: ComplexVector): void {
  const re = matrix.slice();
  const im = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    re[i * n + i] -= lx;
    im[i * n + i] -= ly;
  }
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++)
      if (hypot(re[i * n + k], im[i * n + k]) > hypot(re[pivot * n + k], im[pivot * n + k])) pivot = i;
    for (let j = 0; j < n; j++) {
      const [u, v] = [k * n + j, pivot * n + j];
      [re[u], re[v]] = [re[v], re[u]];
      [im[u], im[v]] = [im[v], im[u]];
    }
    [x.re[k], x.re[pivot]] = [x.re[pivot], x.re[k]];
    [x.im[k], x.im[pivot]] = [x.im[pivot], x.im[k]];
    const d = k * n + k;
    const size = square(re[d]) + square(im[d]);
    for (let i = k + 1; i < n; i++) {
      const [a, b] = [re[i * n + k], im[i * n + k]];
      const [fx, fy] = [(a * re[d] + b * im[d]) / size, (b * re[d] - a * im[d]) / size];
      if (fx === 0 && fy === 0) continue;
      for (let j = k; j < n; j++) {
        const [u, v] = [i * n + j, k * n + j];
        const [p, q] = [re[v], im[v]];
        re[u] -= fx * p - fy * q;
        im[u] -= fx * q + fy * p;
      }
      const [p, q] = [x.re[k], x.im[k]];
      x.re[i] -= fx * p - fy * q;
      x.im[i] -= fx * q + fy * p;
    }
  }
  for (let k = n - 1; k >= 0; k--) {
    let [a, b] = [x.re[k], x.im[k]];
    for (let j = k + 1; j < n; j++) {
      const [p, q, r, s] = [re[k * n + j], im[k * n + j], x.re[j], x.im[j]];
      a -= p * r - q * s;
      b -= p * s + q * r;
    }
    const [c, d] = [re[k * n + k], im[k * n + k]];
    const size = c * c + d * d;
    x.re[k] = (a * c + b * d) / size;
    x.im[k] = (b * c - a * d) / size;
  }
}
