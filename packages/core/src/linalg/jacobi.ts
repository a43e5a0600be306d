/** Eigenvalues (ascending) and eigenvectors (columns of `vectors`, row-major) of a small dense symmetric matrix, by Jacobi rotations. */
export function eigenSymmetric(matrix: Float64Array, n: number): { values: Float64Array; vectors: Float64Array } {
  const a = matrix.slice();
  const v = new Float64Array(n * n);
  for (let i = 0; i < n; i++) v[i * n + i] = 1;
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    let diagonal = 0;
    for (let i = 0; i < n; i++) {
      diagonal += a[i * n + i] * a[i * n + i];
      for (let j = 0; j < i; j++) off += a[i * n + j] * a[i * n + j];
    }
    if (off <= 1e-32 * diagonal || off === 0) break;
    for (let p = 1; p < n; p++) for (let q = 0; q < p; q++) rotate(a, v, n, p, q);
  }
  const order = Array.from({ length: n }, (_, i) => i).sort((i, j) => a[i * n + i] - a[j * n + j]);
  const values = Float64Array.from(order, (i) => a[i * n + i]);
  const vectors = new Float64Array(n * n);
  order.forEach((from, to) => {
    for (let k = 0; k < n; k++) vectors[k * n + to] = v[k * n + from];
  });
  return { values, vectors };
}

function rotate(a: Float64Array, v: Float64Array, n: number, p: number, q: number): void {
  const apq = a[p * n + q];
  if (apq === 0) return;
  const tau = (a[q * n + q] - a[p * n + p]) / (2 * apq);
  const t = Math.sign(tau || 1) / (Math.abs(tau) + Math.sqrt(1 + tau * tau));
  const c = 1 / Math.sqrt(1 + t * t);
  const s = t * c;
  for (let k = 0; k < n; k++) {
    const x = a[p * n + k];
    const y = a[q * n + k];
    a[p * n + k] = c * x - s * y;
    a[q * n + k] = s * x + c * y;
  }
  for (let k = 0; k < n; k++) {
    const x = a[k * n + p];
    const y = a[k * n + q];
    a[k * n + p] = c * x - s * y;
    a[k * n + q] = s * x + c * y;
    const vx = v[k * n + p];
    const vy = v[k * n + q];
    v[k * n + p] = c * vx - s * vy;
    v[k * n + q] = s * vx + c * vy;
  }
}
