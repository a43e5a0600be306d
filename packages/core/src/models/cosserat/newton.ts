/**
 * The mixed Newton method that every implicit stage and every equilibrium goes through.
 *
 * Unknowns are positions, frames and the forces n of the edges; n is condensed, so that the matrix keeps the band of positions
 * and frames:
 *     K = H(n) + Σ l AᵀSA,   K dq = −r − Σ l AᵀSc,   dn = S(c + (1 + sβ)A dq),   c = ν − e3 + βν̇ − S⁻¹n.
 * With n an unknown of its own the physical section of a hair, r/L = 6e-5, is no harder than a thick rod: Newton on
 * positions and frames alone does not converge there in 40 load steps. A rigid component drops S⁻¹n from c, and S is then
 * a penalty, 1e6 times all other stiffness, that only sets the speed of convergence.
 *
 * Where the matrix is not positive definite it is shifted by σ·diag(stiffness scale), σ ×4 until it factors, ÷4 after each
 * step. Steps are limited to `rotation` of any frame or edge.
 */

import { BAND_WIDTH, clearBand, factorBand, fixUnknown, readEntry, solveBand } from '../../linalg/band.ts';
import { addGeneral, solveGeneral } from '../../linalg/bandLu.ts';
import { pow, square } from '../../math/rounded/index.ts';
import type { NewtonResult } from '../../statics/search.ts';
import { measureStrain, moveBy } from './kinematics.ts';
import { measureLoadJacobian, subtractSymmetricPart } from './loadStiffness.ts';
import type { CosseratRod } from './rod.ts';
import {
  evaluateLoads,
  evaluateStage,
  measureMotion,
  type Stage,
  setPenalties,
  subtractLoads,
  type Workspace,
} from './stage.ts';

export interface NewtonOptions {
  readonly tolerance: number;
  readonly iterations: number;
  /** Largest rotation in one iteration [rad]. */
  readonly rotation: number;
  /** Smallest shift of a matrix that is not positive definite. Default 1e-7. */
  readonly firstShift?: number;
}

const result: NewtonResult = { converged: false, iterations: 0, shifts: 0, residual: 0, tolerance: 0, reason: '' };

function fail(reason: string): NewtonResult {
  result.reason = reason;
  return result;
}

/** Forces, and torques as forces on an arm of the rod's length, against tolerance × scale or what rounding allows. */
function measureConvergence(
  cos: CosseratRod,
  work: Workspace,
  stage: Stage,
  scale: number,
  tolerance: number,
): boolean {
  const { size, nodeCount, edgeCount, fixed, q, mass, stiffnessScale, rod, edgeForce, edgeStiffness } = cos;
  const { residual, edgeError, edgePenalty } = work;
  let extent = rod.length;
  let force = 0;
  let torque = 0;
  let floorForce = 0;
  let floorTorque = 0;
  let bending = 0;
  for (let i = 0; i < nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      const d = 6 * i + k;
      const r = Math.abs(residual[d]);
      if (!fixed[d] && !(r <= force)) force = r;
      extent = Math.max(extent, Math.abs(q[7 * i + k]));
      floorForce = Math.max(floorForce, stage.rate * stage.rate * mass[d]);
      if (stiffnessScale[d] > bending) bending = stiffnessScale[d];
    }
  }
  floorForce *= extent;
  for (let o = 0; o < 3 * edgeCount; o++) {
    const d = 6 * ((o / 3) | 0) + 3 + (o % 3);
    const r = Math.abs(residual[d]);
    if (!(r <= torque)) torque = r;
    floorForce = Math.max(floorForce, Math.abs(edgeForce[o]));
    floorTorque = Math.max(
      floorTorque,
      stiffnessScale[d] + rod.edgeLengthRest[(o / 3) | 0] * Math.abs(edgeForce[o]) + stage.rate * stage.rate * mass[d],
    );
  }
  const l = rod.length;
  const edge = l / edgeCount;
  const elastic = (bending * pow(edge, 3)) / (l * l);
  const wanted = tolerance * Math.max(scale, elastic);
  const limit = Math.max(wanted, 8e-16 * floorForce * Math.sqrt(size));
  const limitTorque = Math.max(wanted * l, 8e-16 * floorTorque * Math.sqrt(size));
  result.tolerance = limit;
  result.residual = Math.max(force, torque / l);
  if (!(force <= limit && torque <= limitTorque)) return false;
  for (let o = 0; o < 3 * edgeCount; o++) {
    const rounding = (2e-15 * extent * work.edgeViscous[o]) / rod.edgeLengthRest[(o / 3) | 0];
    const allowed =
      edgeStiffness[o] < Infinity ? Math.max(limit / edgePenalty[o], rounding) : Math.max(1e-11, rounding);
    if (!(Math.abs(edgeError[o]) <= allowed)) return false;
  }
  return true;
}

/** −r − Σ l AᵀSc, into work.step. */
export function writeRightSide(cos: CosseratRod, work: Workspace): void {
  const { size, edgeCount, nodeCount, edgeFrame, edgeStrain, rod } = cos;
  const { step, residual, edgePenalty, edgeError } = work;
  for (let d = 0; d < size; d++) step[d] = -residual[d];
  for (let j = 0; j < edgeCount; j++) {
    const o = 3 * j;
    const p1 = edgePenalty[o] * edgeError[o];
    const p2 = edgePenalty[o + 1] * edgeError[o + 1];
    const p3 = edgePenalty[o + 2] * edgeError[o + 2];
    const a = 6 * j;
    const b = j + 1 < nodeCount ? a + 6 : 0;
    const f = 9 * j;
    for (let k = 0; k < 3; k++) {
      const pull = p1 * edgeFrame[f + k] + p2 * edgeFrame[f + 3 + k] + p3 * edgeFrame[f + 6 + k];
      step[a + k] += pull;
      step[b + k] -= pull;
    }
    const l = rod.edgeLengthRest[j];
    step[a + 3] += l * (edgeStrain[o + 1] * p3 - edgeStrain[o + 2] * p2);
    step[a + 4] += l * (edgeStrain[o + 2] * p1 - edgeStrain[o] * p3);
    step[a + 5] += l * (edgeStrain[o] * p2 - edgeStrain[o + 1] * p1);
  }
}

/** Fraction of the step in which nothing turns by more than `rotation` and no edge closes up. */
export function limitStep(cos: CosseratRod, step: Float64Array, rotation: number): number {
  const { edgeCount, nodeCount, rod } = cos;
  let largest = 0;
  for (let j = 0; j < edgeCount; j++) {
    const a = 6 * j;
    const b = j + 1 < nodeCount ? a + 6 : 0;
    let turn = 0;
    let stretch = 0;
    for (let k = 0; k < 3; k++) {
      turn += step[a + 3 + k] * step[a + 3 + k];
      stretch += square(step[b + k] - step[a + k]);
    }
    largest = Math.max(largest, Math.sqrt(turn), Math.sqrt(stretch) / rod.edgeLengthRest[j]);
    if (Number.isNaN(turn + stretch)) return Number.NaN;
  }
  return largest > rotation ? rotation / largest : 1;
}

/** What the step does to the strain of edge j: RᵀΔx/l + ν×ϑ. */
export function writeEdgeStep(out: Float64Array, cos: CosseratRod, j: number, step: Float64Array): void {
  const { nodeCount, edgeFrame, edgeStrain, rod } = cos;
  const a = 6 * j;
  const b = j + 1 < nodeCount ? a + 6 : 0;
  const l = 1 / rod.edgeLengthRest[j];
  const x = l * (step[b] - step[a]);
  const y = l * (step[b + 1] - step[a + 1]);
  const z = l * (step[b + 2] - step[a + 2]);
  for (let k = 0; k < 3; k++) {
    const f = 9 * j + 3 * k;
    const m = (k + 1) % 3;
    const n = (k + 2) % 3;
    out[k] =
      edgeFrame[f] * x +
      edgeFrame[f + 1] * y +
      edgeFrame[f + 2] * z +
      edgeStrain[3 * j + m] * step[a + 3 + n] -
      edgeStrain[3 * j + n] * step[a + 3 + m];
  }
}

const edgeStep = new Float64Array(3);

/** Adds `fraction` of what the step implies to n; returns the largest move, relative. */
export function takeStep(cos: CosseratRod, work: Workspace, fraction: number): number {
  const { edgeCount, nodeCount, edgeForce, rod } = cos;
  const { step, edgePenalty, edgeError, edgeViscous } = work;
  let largest = 0;
  for (let j = 0; j < edgeCount; j++) {
    const a = 6 * j;
    const b = j + 1 < nodeCount ? a + 6 : 0;
    const l = 1 / rod.edgeLengthRest[j];
    writeEdgeStep(edgeStep, cos, j, step);
    for (let k = 0; k < 3; k++) {
      const o = 3 * j + k;
      edgeForce[o] += fraction * edgePenalty[o] * (edgeViscous[o] * edgeStep[k] + edgeError[o]);
      largest = Math.max(largest, Math.abs(l * (step[b + k] - step[a + k])), Math.abs(step[a + 3 + k]));
    }
  }
  moveBy(cos, step, fraction);
  return largest;
}

/** ∂f/∂q of the loads at the present state, into work.loadJacobian. */
export function measureLoads(cos: CosseratRod, work: Workspace, t: number): void {
  measureLoadJacobian(work.loadJacobian, cos, (out) => {
    evaluateLoads(cos, t);
    out.fill(0);
    subtractLoads(cos, out);
    for (let d = 0; d < out.length; d++) out[d] = -out[d];
  });
  evaluateLoads(cos, t);
}

/** (K − ∂f/∂q) x = step in place; returns the sign of the determinant, 0 when singular (the right side is then as it was). */
export function solveUnsymmetric(cos: CosseratRod, work: Workspace): number {
  const { size, fixed } = cos;
  const { general, matrix, loadJacobian, step } = work;
  general.entries.fill(0);
  for (let i = 0; i < size; i++) {
    if (fixed[i]) {
      addGeneral(general, i, i, 1);
      continue;
    }
    for (let j = Math.max(0, i - BAND_WIDTH); j <= Math.min(size - 1, i + BAND_WIDTH); j++) {
      if (!fixed[j]) addGeneral(general, i, j, readEntry(matrix, i, j) - loadJacobian.entries[21 * i + 10 + j - i]);
    }
  }
  const right = step.slice();
  const sign = solveGeneral(general, step);
  if (sign === 0) step.set(right);
  return sign;
}

/** Why `measureStrain` fails. */
export const UNFOLDED: string = 'a joint is turned by nearly two half turns, or a position is not a number';

/**
 * Solves the stage from the present state (prescribed positions in place). On success positions, frames, velocities and
 * forces are those of the solution; on failure they are wherever the iteration stopped, and the caller restores them.
 * The returned object is reused by the next call.
 */
export function solveStage(cos: CosseratRod, work: Workspace, stage: Stage, options: NewtonOptions): NewtonResult {
  const { size, fixed } = cos;
  const { matrix, factor, step } = work;
  result.converged = false;
  result.iterations = 0;
  result.shifts = 0;
  result.reason = '';
  setPenalties(cos, work, stage.rate);
  const stateful = cos.drive.sources.some((source) => source.dependsOnState);
  const firstShift = options.firstShift ?? 1e-7;
  let shift = 0;
  let lastStep = Infinity;
  for (;;) {
    if (!measureStrain(cos) || !measureMotion(cos, work, stage)) return fail(UNFOLDED);
    if (stateful || result.iterations === 0) evaluateLoads(cos, stage.t);
    // after a small step the residual alone will most likely do
    const gradientOnly = lastStep < 1e-4;
    if (!gradientOnly) clearBand(matrix);
    const scale = evaluateStage(cos, work, stage, gradientOnly ? undefined : matrix);
    if (Number.isNaN(scale)) return fail('a load is not a finite number');
    if (measureConvergence(cos, work, stage, scale, options.tolerance)) {
      result.converged = true;
      return result;
    }
    if (!(result.residual < Infinity)) return fail('the residual is not a number');
    if (result.iterations >= options.iterations) return fail(`no convergence in ${options.iterations} iterations`);
    if (gradientOnly) {
      clearBand(matrix);
      evaluateStage(cos, work, stage, matrix);
    }
    writeRightSide(cos, work);
    for (let d = 0; d < size; d++) if (fixed[d]) step[d] = 0;
    const follow = stateful && stage.rate === 0;
    if (follow) measureLoads(cos, work, stage.t);
    // at rest and with loads that follow, the whole unsymmetric matrix makes Newton quadratic
    const solved = follow && stage.descent === 0 && !cos.rod.closed && solveUnsymmetric(cos, work) !== 0;
    if (follow && !solved) subtractSymmetricPart(matrix, work.loadJacobian, cos);
    for (let d = 0; d < size; d++) if (fixed[d]) fixUnknown(matrix, d);
    while (!solved && !factorBand(factor, matrix, shift, cos.stiffnessScale, true)) {
      shift = shift === 0 ? firstShift : 4 * shift;
      result.shifts++;
      if (shift > 1e8) return fail('the stiffness matrix cannot be made positive definite');
    }
    if (!solved) solveBand(factor, matrix, step);
    const fraction = limitStep(cos, step, options.rotation);
    if (!(fraction > 0)) return fail('the Newton step is not a number');
    lastStep = takeStep(cos, work, fraction);
    shift = shift > 4 * firstShift ? shift / 4 : 0;
    result.iterations++;
  }
}
