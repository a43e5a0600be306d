/**
 * The equations of an implicit stage of a rod, as the shared Newton method (mixedNewton.ts) solves them.
 *
 * Unknowns are positions, frames and the forces n of the edges; n is condensed, so that the matrix keeps the band of positions
 * and frames:
 *     K = H(n) + Σ l AᵀSA,   K dq = −r − Σ l AᵀSc,   dn = S(c + (1 + sβ)A dq),   c = ν − e3 + βν̇ − S⁻¹n.
 * Because n is an unknown, the section of a real hair, r/L = 6e-5, is no harder to solve than a thick rod: Newton on positions and
 * frames alone does not converge there in 40 load steps. For a rigid component, S⁻¹n is omitted from c; S is then a penalty,
 * 1e6 times all other stiffness, that only determines the speed of convergence.
 */

import { newtonConstants } from '../../constants.ts';
import { factorBand, solveBand } from '../../linalg/band.ts';
import { clearBand, fixUnknown } from '../../linalg/bandMatrix.ts';
import { pow, square } from '../../math/rounded/index.ts';
import type { NewtonResult } from '../../statics/search.ts';
import { dependsOnState, solveUnsymmetric, subtractSymmetricPart } from '../loadJacobian.ts';
import { type MixedProblem, type NewtonOptions, solveMixed } from '../mixedNewton.ts';
import { measureStrain, moveBy } from './kinematics.ts';
import type { CosseratRod } from './rod.ts';
import { evaluateLoads, evaluateStage, measureMotion, type Stage, setPenalties, type Workspace } from './stage.ts';
import { measureLoads } from './tangent.ts';

/** A rod farther from the origin than this many of its lengths needs at least two iterations. */
const FAR = 100;

/** Compares forces, and torques divided by the rod's length, with tolerance × scale and with rounding. */
export function measureConvergence(
  cos: CosseratRod,
  work: Workspace,
  stage: Stage,
  { scale, tolerance }: { readonly scale: number; readonly tolerance: number },
  result: NewtonResult,
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
  // far from the origin the error of the first iteration would pass for rounding, and it has the same direction in every step
  if (result.iterations < 2) extent = Math.min(extent, FAR * rod.length);
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

/** Fraction of the step that turns nothing by more than `rotation` and collapses no edge. */
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

/** Change of the strain of edge j by the step: RᵀΔx/l + ν×ϑ. */
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

/** Adds `fraction` of the step to the unknowns, and the corresponding change to n; returns the largest relative move. */
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

/** Why `measureStrain` fails. */
export const UNFOLDED: string = 'a joint is turned by nearly two half turns, or a position is not a number';

/** One stage of a rod. */
function createStageProblem(cos: CosseratRod, work: Workspace, stage: Stage, options: NewtonOptions): MixedProblem {
  const { size, fixed } = cos;
  const { matrix, factor, step } = work;
  const loadsDependOnState = dependsOnState(cos.drive);
  let scale = 0;
  return {
    smallMove: newtonConstants.SMALL_LEAST,
    pose(isFirst) {
      if (!measureStrain(cos) || !measureMotion(cos, work, stage)) return UNFOLDED;
      if (loadsDependOnState || isFirst) evaluateLoads(cos, stage.t);
      return '';
    },
    evaluate(withMatrix) {
      if (withMatrix) clearBand(matrix);
      scale = evaluateStage(cos, work, stage, withMatrix ? matrix : undefined);
      return Number.isNaN(scale) ? 'a load is not a finite number' : '';
    },
    hasConverged: (result) => measureConvergence(cos, work, stage, { scale, tolerance: options.tolerance }, result),
    assemble() {
      clearBand(matrix);
      evaluateStage(cos, work, stage, matrix);
    },
    prepare() {
      writeRightSide(cos, work);
      for (let d = 0; d < size; d++) if (fixed[d]) step[d] = 0;
      const needsJacobian = loadsDependOnState && stage.rate === 0;
      if (needsJacobian) measureLoads(cos, work, stage.t);
      // at rest and with loads that follow, the whole unsymmetric matrix makes Newton quadratic
      if (needsJacobian && stage.descent === 0 && !cos.rod.closed && solveUnsymmetric(fixed, work) !== 0) return true;
      if (needsJacobian) subtractSymmetricPart(matrix, work.loadJacobian);
      for (let d = 0; d < size; d++) if (fixed[d]) fixUnknown(matrix, d);
      return false;
    },
    solve(shift) {
      if (!factorBand(factor, matrix, shift, cos.stiffnessScale, 'stop-at-negative')) return false;
      solveBand(factor, matrix, step);
      return true;
    },
    limitStep: () => limitStep(cos, step, options.rotation),
    takeStep: (fraction) => takeStep(cos, work, fraction),
  };
}

/** Solves the stage from the current state (prescribed positions in place), see `solveMixed`. */
export function solveStage(cos: CosseratRod, work: Workspace, stage: Stage, options: NewtonOptions): NewtonResult {
  setPenalties(cos, work, stage.rate);
  return solveMixed(createStageProblem(cos, work, stage, options), options);
}
