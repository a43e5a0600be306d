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
