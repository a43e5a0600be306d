/** Tridiagonal systems, open and cyclic, without pivoting: for matrices that dominate on the diagonal. */

/** Solves in place; the solution replaces `right`, `diagonal` is spent. */
export function solveTridiagonal(
  lower: readonly number[],
  diagonal: number[],
  upper: readonly number[],
  right: number[],
): void {
  const n = diagonal.length;
  for (let i = 1; i < n; i++) {
    const factor = lower[i] / diagonal[i - 1];
    diagonal[i] -= factor * upper[i - 1];
    right[i] -= factor * right[i - 1];
  }
  for (let i = n - 1; i >= 0; i--) right[i] = (right[i] - (i + 1 < n ? upper[i] * right[i + 1] : 0)) / diagonal[i];
}

/** Symmetric cyclic system of at least three unknowns, `off[i]` between i and i + 1 (mod n), by Sherman–Morrison. */
export function solveCyclic(diagonal: readonly number[], off: readonly number[], right: readonly number[]): number[] {
  const n = diagonal.length;
  const corner = off[n - 1];
  const lower = off.map((_, i) => off[(i + n - 1) % n]);
  const solve = (b: number[]): number[] => {
    const reduced = diagonal.map((value, i) => (i === 0 || i === n - 1 ? value - corner : value));
    solveTridiagonal(lower, reduced, off, b);
    return b;
  };
  const solution = solve([...right]);
  const correction = solve(diagonal.map((_, i) => (i === 0 || i === n - 1 ? 1 : 0)));
  const factor = (corner * (solution[0] + solution[n - 1])) / (1 + corner * (correction[0] + correction[n - 1]));
  return solution.map((value, i) => value - factor * correction[i]);
}
