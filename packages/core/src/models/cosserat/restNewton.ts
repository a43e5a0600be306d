/**
 * A rod at rest as the shared Newton method sees it (statics/newton.ts).
 *
 * The matrix gets no more stretch and shear stiffness than it needs, because the rounding of stiffer edges hides bending. The equation of
 * an edge keeps its own stiffness, so that the cap changes only the rate of convergence. See docs/notes/statics-convergence.md.
 */

import { clearBand } from '../../linalg/bandMatrix.ts';
import { hypot, pow, square } from '../../math/rounded/index.ts';
import type { RestProblem } from '../../statics/newton.ts';
import { dependsOnState, solveWithLoads } from '../loadJacobian.ts';
import { addElasticEnergies } from './energy.ts';
import { measureStrain } from './kinematics.ts';
import { limitStep, takeStep, UNFOLDED, writeEdgeStep, writeRightSide } from './newton.ts';
import type { CosseratRod } from './rod.ts';
import { evaluateLoads, evaluateStage, type Stage, subtractLoads, type Workspace } from './stage.ts';
import { measureLoads, stiffEnough, zeroShift } from './tangent.ts';

/** Largest rotation in one iteration [rad]. */
const ROTATION = 0.5;

/** Sets the stiffness of edges in the matrix: their own, capped well above bending and the forces that they transmit. */
export function capPenalties(cos: CosseratRod, work: Workspace, multiple: number = stiffEnough(cos)): void {
  const { edgeForce, edgeStiffness, stiffnessScale, nodeCount, rod } = cos;
  for (let j = 0; j < cos.edgeCount; j++) {
    const o = 3 * j;
    const b = j + 1 < nodeCount ? 6 * j + 6 : 0;
    const force = hypot(edgeForce[o], edgeForce[o + 1], edgeForce[o + 2]);
    const bending = Math.max(stiffnessScale[6 * j], stiffnessScale[b]) * rod.edgeLengthRest[j];
    for (let k = o; k < o + 3; k++) work.edgePenalty[k] = Math.min(edgeStiffness[k], multiple * (bending + force));
  }
}

function measureSize({
  rod,
  edgeCount,
  nodeCount,
  q,
  edgeForce,
  stiffnessScale,
}: CosseratRod): ReturnType<RestProblem['measureSize']> {
  let extent = rod.length;
  let bending = 0;
  let internal = 0;
  for (let o = 0; o < 3 * edgeCount; o++) internal = Math.max(internal, Math.abs(edgeForce[o]));
  for (let i = 0; i < nodeCount; i++) {
    bending = Math.max(bending, stiffnessScale[6 * i]);
    for (let k = 0; k < 3; k++) extent = Math.max(extent, Math.abs(q[7 * i + k]));
  }
  return { extent, bending: bending * pow(rod.length / edgeCount, 3), internal };
}

const edgeStep = new Float64Array(3);

function measureEdges(cos: CosseratRod, work: Workspace, rounding: number): ReturnType<RestProblem['measureEdges']> {
  const { edgeCount, rod } = cos;
  const { step, edgePenalty, edgeError } = work;
  let force = 0;
  let fits = true;
  for (let j = 0; j < edgeCount; j++) {
    writeEdgeStep(edgeStep, cos, j, step);
    const allowed = Math.max(1e-11, (4 * rounding) / rod.edgeLengthRest[j]);
    for (let k = 0; k < 3; k++) {
      const o = 3 * j + k;
      force = Math.max(force, Math.abs(edgePenalty[o] * (edgeStep[k] + edgeError[o])));
      fits &&= Math.abs(edgeError[o]) <= allowed;
    }
  }
  return { force, fits };
}

function measureEnergy(cos: CosseratRod): ReturnType<RestProblem['measureEnergy']> {
  const energies = { bending: 0, twisting: 0, stretching: 0 };
  addElasticEnergies(cos, energies);
  const { stiffness, count } = cos.joints;
  let noise = 0;
  // strain follows from frames, not from positions
  for (let i = 0; i < count; i++) noise += 2 * Math.max(stiffness[3 * i], stiffness[3 * i + 1]) * square(4e-16);
  return { energy: energies.bending + energies.twisting, noise };
}

/** Rotations of frames are unknowns in the axes of the frames. */
function rigidMotions(
  { q, size, nodeCount, edgeCount, edgeFrame }: CosseratRod,
  about: readonly number[] | undefined,
): Float64Array[] {
  const motions = Array.from({ length: 7 }, () => new Float64Array(size));
  const center =
    about ??
    [0, 1, 2].map((k) => {
      let sum = 0;
      for (let i = 0; i < nodeCount; i++) sum += q[7 * i + k];
      return sum / nodeCount;
    });
  for (let i = 0; i < nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      const [a, b] = [(k + 1) % 3, (k + 2) % 3];
      motions[k][6 * i + k] = 1;
      motions[3 + k][6 * i + a] = center[b] - q[7 * i + b];
      motions[3 + k][6 * i + b] = q[7 * i + a] - center[a];
      if (i >= edgeCount) continue;
      for (let m = 0; m < 3; m++) motions[3 + k][6 * i + 3 + m] = edgeFrame[9 * i + 3 * m + k];
      motions[6][6 * i + 5] = 1;
    }
  }
  return motions;
}

/** The rod with its pins and loads at the time of `stage`, which may change. */
export function createRestProblem(
  cos: CosseratRod,
  work: Workspace,
  stage: Stage,
  multiple: number = stiffEnough(cos),
): RestProblem {
  const { rod, edgeCount, fixed } = cos;
  const { matrix } = work;
  return {
    length: rod.length,
    edgeCount,
    matrix,
    factor: work.factor,
    residual: work.residual,
    step: work.step,
    scratch: work.moveHat,
    fixed,
    isAngle: (d) => d % 6 > 2,
    rigidMotions: (about) => rigidMotions(cos, about),
    stiffnessScale: cos.stiffnessScale,
    softScale: cos.softScale,
    zeroShift: Math.max(zeroShift(cos), 1e-15 * multiple),
    loads: cos.loads,
    follow: () => (measureStrain(cos) ? '' : UNFOLDED),
    evaluate(first) {
      const hasFollowers = dependsOnState(cos.drive);
      if (hasFollowers || first) evaluateLoads(cos, stage.t);
      capPenalties(cos, work, multiple);
      clearBand(matrix);
      if (Number.isNaN(evaluateStage(cos, work, stage, matrix)))
        return { trouble: 'a load is not a finite number', solved: false };
      writeRightSide(cos, work);
      if (!hasFollowers || cos.loadFactor === 0) return { trouble: '', solved: false };
      return { trouble: '', solved: solveWithLoads(cos, work, () => measureLoads(cos, work, stage.t)) };
    },
    subtractLoads: (out) => subtractLoads(cos, out),
    limitStep: () => limitStep(cos, work.step, ROTATION),
    takeStep: (fraction) => takeStep(cos, work, fraction),
    measureSize: () => measureSize(cos),
    roundingForce(_, internal) {
      const { bending } = measureSize(cos);
      return 4e-15 * ((bending * (edgeCount * edgeCount)) / (rod.length * rod.length) + internal);
    },
    measureEdges: (rounding) => measureEdges(cos, work, rounding),
    measureEnergy: () => measureEnergy(cos),
  };
}
