/**
 * A rod at rest for the shared Newton method (statics/newton.ts), and its residual without rounding noise.
 *
 * The matrix gets only as much stretch stiffness as necessary, because rounding of a stiffer stretch hides bending: 1e6 times the bending stiffness of a
 * node leaves no digit of bending at 1,600 edges. The equation of an edge keeps its full stiffness, so the cap affects only the rate of convergence. See
 * docs/notes/statics-convergence.md.
 */

import { clearBand, fixUnknown, multiplyBand } from '../../linalg/bandMatrix.ts';
import { pow, square } from '../../math/rounded/index.ts';
import { measureMove, measureScales, type RestProblem, solveStep } from '../../statics/newton.ts';
import { dependsOnState, solveWithLoads } from '../loadJacobian.ts';
import { addElasticGradient } from './energy.ts';
import { followCenterline } from './kinematics.ts';
import { limitStep, takeStep, writeRightSide } from './newton.ts';
import type { DerRod } from './rod.ts';
import { evaluateLoads, evaluateStage, lastTrouble, type Stage, subtractLoads, type Workspace } from './stage.ts';
import { JOINT_STRIDE } from './strain.ts';
import { measureLoads, stiffEnough, zeroModeShift } from './tangent.ts';

/** Largest rotation of an edge in one iteration [rad]. */
const ROTATION = 0.5;

/** Stretch stiffness in the matrix: the edge's own, or enough relative to bending and tension. */
export function capPenalties(der: DerRod, work: Workspace, multiple: number = stiffEnough(der)): void {
  for (let j = 0; j < der.edgeCount; j++) {
    const b = j + 1 < der.nodeCount ? 4 * j + 4 : 0;
    const bending = Math.max(der.stiffnessScale[4 * j], der.stiffnessScale[b]);
    const enough = multiple * (bending + Math.abs(der.edgeTension[j]) / der.edgeLength[j]);
    work.edgePenalty[j] = Math.min(der.edgeStiffness[j], enough);
  }
}

function largestOf(values: Float64Array): number {
  let largest = 0;
  for (let k = 0; k < values.length; k++) largest = Math.max(largest, Math.abs(values[k]));
  return largest;
}

/** Maximum over positions, which are three of four unknowns. */
function largestPosition(values: Float64Array): number {
  let largest = 0;
  for (let d = 0; d < values.length; d++) if ((d & 3) !== 3) largest = Math.max(largest, Math.abs(values[d]));
  return largest;
}

function measureEdges(
  der: DerRod,
  work: Workspace,
  rounding: number,
): { readonly force: number; readonly fits: boolean } {
  const { edgeCount, nodeCount, edgeTangent, rod } = der;
  const { step, edgePenalty, edgeError } = work;
  let force = 0;
  let fits = true;
  for (let j = 0; j < edgeCount; j++) {
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    let along = 0;
    for (let k = 0; k < 3; k++) along += edgeTangent[3 * j + k] * (step[b + k] - step[a + k]);
    force = Math.max(force, Math.abs(edgePenalty[j] * (along + edgeError[j])));
    fits &&= Math.abs(edgeError[j]) <= Math.max(1e-11 * rod.edgeLengthRest[j], 4 * rounding);
  }
  return { force, fits };
}

function measureEnergy(der: DerRod, rounding: number): { readonly energy: number; readonly noise: number } {
  const energies = { bending: 0, twisting: 0 };
  addElasticGradient(undefined, der, undefined, energies);
  const { constants, count, length } = der.joints;
  let noise = 0;
  for (let i = 0; i < count; i++) {
    const k = Math.max(constants[JOINT_STRIDE * i], constants[JOINT_STRIDE * i + 1]);
    noise += 2 * k * square(rounding / length[i]);
  }
  return { energy: energies.bending + energies.twisting, noise };
}

/** Frames follow the centerline by parallel transport, so a rotation ω additionally turns the frame of an edge by ω·t. */
function rigidMotions(
  { q, size, nodeCount, edgeCount, edgeTangent }: DerRod,
  about: readonly number[] | undefined,
): Float64Array[] {
  const motions = Array.from({ length: 7 }, () => new Float64Array(size));
  const center = about ?? [0, 1, 2].map((k) => q.reduce((sum, x, d) => sum + ((d & 3) === k ? x : 0), 0) / nodeCount);
  for (let i = 0; i < nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      const [a, b] = [(k + 1) % 3, (k + 2) % 3];
      motions[k][4 * i + k] = 1;
      motions[3 + k][4 * i + a] = center[b] - q[4 * i + b];
      motions[3 + k][4 * i + b] = q[4 * i + a] - center[a];
      if (i < edgeCount) motions[3 + k][4 * i + 3] = edgeTangent[3 * i + k];
    }
    if (i < edgeCount) motions[6][4 * i + 3] = 1;
  }
  return motions;
}

/** The rod with its pins and loads at the time of `stage`, which may change. */
export function createRestProblem(
  der: DerRod,
  work: Workspace,
  stage: Stage,
  multiple: number = stiffEnough(der),
): RestProblem {
  const { rod, edgeCount } = der;
  const { matrix } = work;
  const stiffest = largestPosition(der.stiffnessScale);
  return {
    length: rod.length,
    edgeCount,
    matrix,
    factor: work.factor,
    residual: work.residual,
    step: work.step,
    scratch: work.qHat,
    fixed: der.fixed,
    isAngle: (d) => (d & 3) === 3,
    rigidMotions: (about) => rigidMotions(der, about),
    stiffnessScale: der.stiffnessScale,
    softScale: der.softScale,
    zeroShift: Math.max(zeroModeShift(der), 1e-15 * multiple),
    loads: der.loads,
    follow() {
      der.v.fill(0);
      return followCenterline(der, work.edgeWork) ? '' : 'an edge has no length or a position is not a number';
    },
    evaluate(first) {
      const hasFollowers = dependsOnState(der.drive);
      if (hasFollowers || first) evaluateLoads(der, stage.t);
      capPenalties(der, work, multiple);
      clearBand(matrix);
      if (Number.isNaN(evaluateStage(der, work, stage, matrix))) return { trouble: lastTrouble(), solved: false };
      writeRightSide(der, work);
      if (!hasFollowers || der.loadFactor === 0) return { trouble: '', solved: false };
      return { trouble: '', solved: solveWithLoads(der, work, () => measureLoads(der, work, stage.t)) };
    },
    subtractLoads: (out) => subtractLoads(der, out),
    limitStep: () => limitStep(der, work.step, ROTATION),
    takeStep: (fraction) => takeStep(der, work, fraction),
    measureSize: () => ({
      extent: Math.max(rod.length, largestPosition(der.q)),
      bending: stiffest * pow(rod.length / edgeCount, 3),
      internal: largestOf(der.edgeTension),
    }),
    roundingForce: (extent) => 4e-15 * stiffest * extent,
    measureEdges: (rounding) => measureEdges(der, work, rounding),
    measureEnergy: (rounding) => measureEnergy(der, rounding),
  };
}

/**
 * At rest: if rounding of positions explains the Newton correction, writes it to work.step and the residual after it to work.residual. The residual at a
 * pin is then the pin's reaction without the noise of rounded positions, which in a fine rod can exceed the loads. Returns false, and leaves both
 * undefined, if the correction is larger.
 */
export function refineResidual(der: DerRod, work: Workspace, t: number): boolean {
  const { size, fixed } = der;
  const { matrix, residual, step } = work;
  evaluateLoads(der, t);
  capPenalties(der, work);
  clearBand(matrix);
  if (Number.isNaN(evaluateStage(der, work, { t, inertia: 0, rate: 0 }, matrix))) return false;
  writeRightSide(der, work);
  const right = step.slice();
  const whole = { ...matrix, band: matrix.band.slice(), border: matrix.border.slice(), corner: matrix.corner.slice() };
  for (let d = 0; d < size; d++) {
    if (!fixed[d]) continue;
    step[d] = 0;
    fixUnknown(matrix, d);
  }
  const problem = createRestProblem(der, work, { t, inertia: 0, rate: 0 });
  solveStep(problem, 0, { keepsBranch: true });
  if (!(measureMove(problem) <= 64 * measureScales(problem, { factored: false }).rounding)) return false;
  multiplyBand(residual, whole, step);
  for (let d = 0; d < size; d++) residual[d] -= right[d];
  return true;
}
