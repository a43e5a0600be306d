/** Largest diagonal entry of each group. */
let sizes = new Float64Array(8);

/**
 * LDLᵀ of a small dense symmetric matrix in place (lower triangle, 1/D on the diagonal); no pivoting. A pivot that is
 * rounding alone belongs to a neutral direction, such as the spin of a body on a ball joint: it gets 1/D = 0, so that
 * a solve leaves that direction alone. Rounding is judged by the largest diagonal entry of the `group` of unknowns that
 * are of one kind.
 */
export function factorDense(a: Float64Array, n: number, group: number): { positive: boolean; negative: number } {
  let negative = 0;
  const groups = Math.ceil(n / group);
  if (sizes.length < groups) sizes = new Float64Array(groups);
  sizes.fill(0, 0, groups);
  for (let i = 0; i < n; i++)
    sizes[Math.floor(i / group)] = Math.max(sizes[Math.floor(i / group)], Math.abs(a[i * n + i]));
  for (let i = 0; i < n; i++) {
    const original = a[i * n + i];
    for (let j = 0; j < i; j++) {
      let sum = a[i * n + j];
      for (let m = 0; m < j; m++) sum -= a[i * n + m] * a[j * n + m];
      a[i * n + j] = sum;
    }
    let diagonal = original;
    for (let j = 0; j < i; j++) {
      const g = a[i * n + j];
      const l = g * a[j * n + j];
      a[i * n + j] = l;
      diagonal -= g * l;
    }
    if (Number.isNaN(diagonal)) return { positive: false, negative: n };
    const neutral = Math.abs(diagonal) <= 1e-10 * sizes[Math.floor(i / group)];
    if (diagonal < 0 && !neutral) negative++;
    a[i * n + i] = neutral ? 0 : 1 / diagonal;
  }
  return { positive: negative === 0, negative };
}

/** Solves with the factor of `factorDense`, in place. */
export function solveDense(a: Float64Array, n: number, x: Float64Array): void {
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) x[i] -= a[i * n + j] * x[j];
  for (let i = 0; i < n; i++) x[i] *= a[i * n + i];
  for (let i = n - 1; i >= 0; i--) for (let j = 0; j < i; j++) x[j] -= a[i * n + j] * x[i];
}

/**
 * LLᵀ of a dense positive definite matrix in place (lower triangle, 1/L on the diagonal), for a thousand unknowns and more. Two rows by two columns
 * at a time, so that each entry read serves two products: a third of the time of one by one. Returns false if the matrix is not positive definite.
 */
export function factorPositive(a: Float64Array, n: number): boolean {
  for (let i = 0; i < n; i += 2) {
    const two = i + 1 < n;
    const p = i * n;
    const q = two ? p + n : p;
    for (let j = 0; j < i; j += 2) {
      const r = j * n;
      const s = r + n;
      let w = a[p + j];
      let x = a[p + j + 1];
      let y = a[q + j];
      let z = a[q + j + 1];
      for (let m = 0; m < j; m++) {
        const b = a[p + m];
        const c = a[q + m];
        const d = a[r + m];
        const e = a[s + m];
        w -= b * d;
        x -= b * e;
        y -= c * d;
        z -= c * e;
      }
      w *= a[r + j];
      y *= a[r + j];
      x = (x - w * a[s + j]) * a[s + j + 1];
      z = (z - y * a[s + j]) * a[s + j + 1];
      a[p + j] = w;
      a[p + j + 1] = x;
      if (two) {
        a[q + j] = y;
        a[q + j + 1] = z;
      }
    }
    let first = a[p + i];
    let across = two ? a[q + i] : 0;
    let second = two ? a[q + i + 1] : 1;
    for (let m = 0; m < i; m++) {
      first -= a[p + m] * a[p + m];
      across -= a[p + m] * a[q + m];
      second -= a[q + m] * a[q + m];
    }
    if (!(first > 0)) return false;
    a[p + i] = 1 / Math.sqrt(first);
    if (!two) return true;
    across *= a[p + i];
    second -= across * across;
    if (!(second > 0)) return false;
    a[q + i] = across;
    a[q + i + 1] = 1 / Math.sqrt(second);
  }
  return true;
}

/** Solves with the factor of `factorPositive`, in place. */
export function solvePositive(a: Float64Array, n: number, x: Float64Array): void {
  for (let i = 0; i < n; i++) {
    let sum = x[i];
    for (let j = 0; j < i; j++) sum -= a[i * n + j] * x[j];
    x[i] = sum * a[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    const value = x[i] * a[i * n + i];
    x[i] = value;
    for (let j = 0; j < i; j++) x[j] -= a[i * n + j] * value;
  }
}

/** Solves a·x = x for a dense matrix that need not be symmetric, by LU with row exchanges, in place. Returns the sign of the determinant, 0 if it is singular. */
export function solvePivoted(a: Float64Array, n: number, x: Float64Array): number {
  let sign = 1;
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let r = k + 1; r < n; r++) if (Math.abs(a[r * n + k]) > Math.abs(a[best * n + k])) best = r;
    if (!(Math.abs(a[best * n + k]) > 0)) return 0;
    if (best !== k) {
      sign = -sign;
      for (let c = 0; c < n; c++) {
        const t = a[k * n + c];
        a[k * n + c] = a[best * n + c];
        a[best * n + c] = t;
      }
      const t = x[k];
      x[k] = x[best];
      x[best] = t;
    }
    const pivot = a[k * n + k];
    if (pivot < 0) sign = -sign;
    for (let r = k + 1; r < n; r++) {
      const factor = a[r * n + k] / pivot;
      if (factor === 0) continue;
      for (let c = k + 1; c < n; c++) a[r * n + c] -= factor * a[k * n + c];
      x[r] -= factor * x[k];
    }
  }
  for (let k = n - 1; k >= 0; k--) {
    for (let c = k + 1; c < n; c++) x[k] -= a[k * n + c] * x[c];
    x[k] /= a[k * n + k];
  }
  return sign;
}
