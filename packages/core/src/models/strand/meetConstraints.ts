/** Forces of constraints that bring a Newton step of a strand to their goals: a small system in the rows alone. */
import { solvePivoted } from '../../linalg/dense.ts';
import { hypotOf } from '../../math/rounded/index.ts';
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

/** Sweeps over the pins at their cap: each is solved for with the others fixed. */
const CAP_SWEEPS = 20;
/** Difference from a cap that is left [relative]. */
const CAP_TOLERANCE = 1e-9;

/**
 * If all rows are two-sided: a direct solve. A pin whose force, as a vector, exceeds its cap gives way until the force is the cap: its rows get the
 * softness σ for which |λ(σ)| = cap. So the result does not depend on the axes of the rows.
 */
function solveCapped(next: Float64Array, out: Constraints): boolean {
  const { pins, cap } = out;
  const given = pins.map(() => 0);
  if (!solveSoft(next, out, given)) return false;
  for (let sweep = 0; sweep < CAP_SWEEPS; sweep++) {
    let isDone = true;
    for (let p = 0; p < pins.length; p++) {
      const { first, rows } = pins[p];
      const excess = sizeOf(next, first, rows) / cap[first] - 1;
      if (excess <= CAP_TOLERANCE && (given[p] === 0 || excess >= -CAP_TOLERANCE)) continue;
      isDone = false;
      if (!giveWay(next, out, given, p)) return false;
    }
    if (isDone) break;
  }
  return true;
}

const sizeOf = (v: Float64Array, first: number, rows: number): number => hypotOf(v.subarray(first, first + rows));

/** Solves with the softness `given` of each pin added to its rows. */
function solveSoft(next: Float64Array, out: Constraints, given: readonly number[]): boolean {
  softenRows(out, given);
  next.set(out.right);
  return solvePivoted(out.copy, out.count, next) !== 0;
}

function softenRows({ count, response, copy, pins }: Constraints, given: readonly number[]): void {
  copy.set(response);
  pins.forEach(({ first, rows }, p) => {
    for (let r = first; r < first + rows; r++) copy[r * count + r] += given[p];
  });
}

/** Finds the softness of pin p for its cap by Newton's method on 1/|λ|, which is nearly linear in it: from 0, it never goes too far. */
function giveWay(next: Float64Array, out: Constraints, given: number[], p: number): boolean {
  const { count, cap, pins } = out;
  const { first, rows } = pins[p];
  const slope = new Float64Array(count);
  given[p] = 0;
  for (let iteration = 0; iteration < 50; iteration++) {
    if (!solveSoft(next, out, given)) return false;
    const size = sizeOf(next, first, rows);
    if (size <= cap[first] * (1 + CAP_TOLERANCE)) return true;
    // dλ/dσ = −(A + σ)⁻¹ λ, with only the rows of this pin on the right
    slope.fill(0);
    for (let r = first; r < first + rows; r++) slope[r] = next[r];
    softenRows(out, given);
    if (solvePivoted(out.copy, count, slope) === 0) return false;
    let decline = 0;
    for (let r = first; r < first + rows; r++) decline += (next[r] * slope[r]) / size;
    if (!(decline > 0)) return false;
    given[p] += (size / cap[first] - 1) * (size / decline);
  }
  return true;
}
