/** Whether an equilibrium of a strand is stable. */
import { eigenDense } from '../../linalg/eigen.ts';
import { meetConstraints } from './meetConstraints.ts';
import { factorSweep, solveSweep } from './newton.ts';
import type { Sweep } from './records.ts';
import type { StrandTree } from './rod.ts';

/**
 * Unstable directions at the current state: negative pivots, less those that constraints take away, which are the
 * negative eigenvalues of their response.
 */
export function countUnstable(
  tree: StrandTree,
  { sweep, direction }: { readonly sweep: Sweep; readonly direction: Float64Array },
): number {
  sweep.columns = 6;
  if (!factorSweep(tree, sweep, 0)) return -1;
  const { negative } = sweep;
  const { constraints } = tree;
  if (!constraints) return negative;
  solveSweep(direction, tree, sweep, { residual: tree.residual });
  const { count: m, response } = constraints;
  if (!meetConstraints(direction, new Float64Array(m), constraints, tree, sweep)) return -1;
  const symmetric = response.map((_, k) => 0.5 * (response[k] + response[(k % m) * m + Math.floor(k / m)]));
  const largestValue = symmetric.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return negative - eigenDense(symmetric, m).values.filter((value) => value < -1e-9 * largestValue).length;
}
