/**
 * Newton's direction from a matrix of finite differences: O(n²) residuals and a dense solve. It includes how loads change with the position (followers,
 * wind, fields), which the exact matrix omits, and needs no derivative of a new joint law. [Hadap2006 §3]
 */

import { solvePivoted } from '../../linalg/dense.ts';
import { RIGID } from './bodyLinkTypes.ts';
import { evaluateResidual } from './residual.ts';
import type { StrandTree } from './rod.ts';
import { placeTrial, type StepWork } from './trial.ts';

interface Dense {
  matrix: Float64Array;
  right: Float64Array;
}
const dense: Dense = { matrix: new Float64Array(0), right: new Float64Array(0) };

/** Writes the direction; tree and residual are as at φ when it is called, and when it returns. False: singular. */
export function writeNumericDirection(
  out: Float64Array,
  tree: StrandTree,
  work: StepWork,
  phi: Float64Array,
  t: number,
): boolean {
  const n = 3 * tree.linkCount + 3;
  if (dense.matrix.length < n * n) dense.matrix = new Float64Array(n * n);
  if (dense.right.length < n) dense.right = new Float64Array(n);
  const { matrix, right } = dense;
  const { trial } = work;
  for (let k = 0; k < n; k++) right[k] = -tree.residual[k];
  trial.set(phi);
  for (let c = 0; c < n; c++) {
    const held = c >= n - 3 ? !tree.base.free[c - n + 3] : tree.lock[Math.floor(c / 3)] === RIGID;
    const step = 1e-6 * (c < n - 3 ? 1 : tree.reach);
    if (!held) {
      trial[c] = phi[c] + step;
      placeTrial(tree, work, trial, 'values');
      evaluateResidual(tree, t, tree.originRate, 'same-time');
      for (let r = 0; r < n; r++) matrix[r * n + c] = tree.residual[r];
      trial[c] = phi[c] - step;
      placeTrial(tree, work, trial, 'values');
      evaluateResidual(tree, t, tree.originRate, 'same-time');
      for (let r = 0; r < n; r++) matrix[r * n + c] = (matrix[r * n + c] - tree.residual[r]) / (2 * step);
      trial[c] = phi[c];
    } else for (let r = 0; r < n; r++) matrix[r * n + c] = r === c ? 1 : 0;
  }
  placeTrial(tree, work, phi, 'slopes');
  evaluateResidual(tree, t, tree.originRate, 'same-time');
  if (solvePivoted(matrix, n, right) === 0) return false;
  for (let k = 0; k < n; k++) out[k] = right[k];
  return true;
}
