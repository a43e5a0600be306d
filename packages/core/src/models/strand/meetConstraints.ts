/** Forces of constraints that bring a Newton step of a strand to their goals: a small system in the rows alone. */
import { solvePivoted } from '../../linalg/dense.ts';
import { measureRow } from './constraints.ts';
import { solveGaussSeidel, solveSor, TWO_SIDED } from './lcp.ts';
import { solveSweep } from './newton.ts';
import type { Constraints, Sweep } from './records.ts';
import type { StrandTree } from './rod.ts';
import { turnBack } from './spatial.ts';

const isTwoSided = (kind: number): boolean => kind === TWO_SIDED;

const local = new Float64Array(3);
const unit = new Float64Array(3);
const scratch = { wrench: new Float64Array(0), residual: new Float64Array(0) };

/** Column r: N⁻¹ Jᵀ, by a test force. */
function testRow(out: Constraints, tree: StrandTree, sweep: Sweep, r: number): void {
  const n = tree.linkCount;
  if (scratch.wrench.length < 6 * n) {
    scratch.wrench = new Float64Array(6 * n);
    scratch.residual = new Float64Array(3 * n + 3);
  }
  const { wrench, residual } = scratch;
  wrench.fill(0);
  residual.fill(0);
  const j = out.link[r];
  if (out.axis[r] < 0) for (let k = 0; k < 3; k++) residual[3 * j + k] = -out.direction[3 * r + k];
  else {
    unit.fill(0);
    unit[out.axis[r]] = 1;
    turnBack(local, 0, tree.world, 9 * j, unit, 0);
    wrench[6 * j] = tree.length[j] * local[1];
    wrench[6 * j + 1] = -tree.length[j] * local[0];
    for (let k = 0; k < 3; k++) wrench[6 * j + 3 + k] = -local[k];
  }
  solveSweep(out.columns[r], tree, sweep, { residual, wrench });
}

/**
 * Turns Newton's direction into one that meets the rows, and writes the new forces to `next`. The sweep is factored, and
 * its z belongs to `direction`.
 */
export function meetConstraints(
  direction: Float64Array,
  next: Float64Array,
  out: Constraints,
  tree: StrandTree,
  sweep: Sweep,
): boolean {
  const { count: m, response, right, kind, value, force, columns, active } = out;
  for (let r = 0; r < m; r++) right[r] = -value[r] - measureRow(out, tree, sweep, direction, r);
  for (let c = 0; c < m; c++) {
    testRow(out, tree, sweep, c);
    for (let r = 0; r < m; r++) response[r * m + c] = measureRow(out, tree, sweep, columns[c], r);
  }
  for (let r = 0; r < m; r++) {
    for (let c = 0; c < m; c++) right[r] += response[r * m + c] * force[c];
    response[r * m + r] += out.softness[r];
    if (!active[r]) fixRow(response, right, m, r, 0);
  }
  next.set(force);
  if (!kind.every(isTwoSided)) {
    const problem = { A: response, b: right, kind, mu: out.mu, n: m };
    if (out.sor) solveSor(next, problem, { sweeps: 200, omega: 1, epsilon: 0 });
    else solveGaussSeidel(next, problem, { sweeps: 400, tolerance: 1e-12 });
  } else if (!solveCapped(next, out)) return false;
  for (let r = 0; r < m; r++) {
    const change = next[r] - force[r];
    for (let k = 0; k < direction.length; k++) direction[k] += change * columns[r][k];
  }
  return true;
}

function fixRow(A: Float64Array, b: Float64Array, m: number, r: number, value: number): void {
  for (let c = 0; c < m; c++) A[r * m + c] = r === c ? 1 : 0;
  b[r] = value;
}

/** If all rows are two-sided: a direct solve. Rows whose force exceeds its cap are fixed at the cap, and the others are solved again. */
function solveCapped(next: Float64Array, { count: m, response, right, copy, cap }: Constraints): boolean {
  for (let round = 0; round <= m; round++) {
    copy.set(response);
    next.set(right);
    if (solvePivoted(copy, m, next) === 0) return false;
    // the worst first: others may exceed their caps only because of it
    let worst = -1;
    let excess = 1 + 1e-12;
    for (let r = 0; r < m; r++) {
      if (!(Math.abs(next[r]) > cap[r] * excess)) continue;
      excess = Math.abs(next[r]) / cap[r];
      worst = r;
    }
    if (worst < 0) return true;
    fixRow(response, right, m, worst, Math.sign(next[worst]) * cap[worst]);
  }
  return true;
}
