/**
 * Newton's direction from a matrix of finite differences: O(n²) residuals and a dense solve. It includes how loads change with the position (followers,
 * wind, fields), which the exact matrix omits, and needs no derivative of a new joint law. [Hadap2006 §3]
 */

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
      placeTrial(tree, work, trial, false);
      evaluateResidual(tree, t, tree.originRate, false);
      for (let r = 0; r < n; r++) matrix[r * n + c] = tree.residual[r];
      trial[c] = phi[c] - step;
      placeTrial(tree, work, trial, false);
      evaluateResidual(tree, t, tree.originRate, false);
      for (let r = 0; r < n; r++) matrix[r * n + c] = (matrix[r * n + c] - tree.residual[r]) / (2 * step);
      trial[c] = phi[c];
    } else for (let r = 0; r < n; r++) matrix[r * n + c] = r === c ? 1 : 0;
  }
  placeTrial(tree, work, phi, true);
  evaluateResidual(tree, t, tree.originRate, false);
  if (!solveInPlace(matrix, right, n)) return false;
  for (let k = 0; k < n; k++) out[k] = right[k];
  return true;
}

/** Gauss with row pivoting; the solution replaces `x`. */
export function solveInPlace(a: Float64Array, x: Float64Array, n: number): boolean {
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let r = k + 1; r < n; r++) if (Math.abs(a[r * n + k]) > Math.abs(a[best * n + k])) best = r;
    const pivot = a[best * n + k];
    if (!(Math.abs(pivot) > 0)) return false;
    if (best !== k) {
      for (let c = 0; c < n; c++) {
        const value = a[k * n + c];
        a[k * n + c] = a[best * n + c];
        a[best * n + c] = value;
      }
      const value = x[k];
      x[k] = x[best];
      x[best] = value;
    }
    for (let r = k + 1; r < n; r++) {
      const factor = a[r * n + k] / pivot;
      if (factor === 0) continue;
      for (let c = k; c < n; c++) a[r * n + c] -= factor * a[k * n + c];
      x[r] -= factor * x[k];
    }
  }
  for (let k = n - 1; k >= 0; k--) {
    let sum = x[k];
    for (let c = k + 1; c < n; c++) sum -= a[k * n + c] * x[c];
    x[k] = sum / a[k * n + k];
  }
  return true;
}
