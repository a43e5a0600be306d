/** The tangent stiffness including the derivatives of loads, for stability verdicts and modes. */

import { clearBand, fixUnknown } from '../../linalg/bandMatrix.ts';
import { pow, square } from '../../math/rounded/index.ts';
import { addCross, dependsOnState, measureLoadJacobian, subtractSymmetricPart } from '../loadJacobian.ts';
import { measureStrain, moveBy } from './kinematics.ts';
import type { CosseratRod } from './rod.ts';
import { evaluateLoads, evaluateStage, subtractLoads, type Workspace } from './stage.ts';

/** Stretch and shear relative to bending that are stiff enough for n edges and no stiffer: more costs digits. */
export function stiffEnough(cos: CosseratRod): number {
  return Math.max(10, 1e3 * Math.min(1, square(100 / cos.edgeCount)));
}

/**
 * Tangent stiffness at the current state; ∂f/∂q of the loads goes to work.loadJacobian. Rigid edges get a finite stiffness, and with a
 * capped stretch so do edges that are stiffer than it: rounding of very stiff eigenvalues would hide the signs of soft ones. The finite
 * stiffness S is the same along all three axes, and the strain is set to e3 + n/S, which belongs to the edge's force n. So the rod
 * with S is in equilibrium with the same frames, and motions without energy (free spin, rigid motion) still have none. (With ν = e3 a
 * free spin would have the eigenvalue −n²l/S and count as an instability.)
 */
export function assembleTangent(cos: CosseratRod, work: Workspace, t: number, stretch: 'capped' | 'exact'): boolean {
  const { edgeStiffness, edgeForce, edgeStrain } = cos;
  const multiple = stiffEnough(cos);
  for (let j = 0; j < cos.edgeCount; j++) {
    const o = 3 * j;
    const force = Math.max(Math.abs(edgeForce[o]), Math.abs(edgeForce[o + 1]), Math.abs(edgeForce[o + 2]));
    // under tension the rod is stiffer than it bends: stretch and shear must stay well above that too
    const enough = multiple * cos.stiffnessScale[6 * j] * cos.rod.edgeLengthRest[j] + 1e5 * force;
    const stiffest = Math.max(edgeStiffness[o], edgeStiffness[o + 2]);
    const replace = stiffest === Infinity || (stretch === 'capped' && stiffest > enough);
    for (let k = 0; k < 3; k++) {
      work.edgePenalty[o + k] = replace ? enough : edgeStiffness[o + k];
      if (replace) edgeStrain[o + k] = (k === 2 ? 1 : 0) + edgeForce[o + k] / enough;
    }
  }
  evaluateLoads(cos, t);
  clearBand(work.matrix);
  const scale = evaluateStage(cos, work, { t, rate: 0, descent: 0 }, work.matrix);
  measureStrain(cos);
  if (Number.isNaN(scale)) return false;
  work.loadJacobian.asymmetry = 0;
  if (dependsOnState(cos.drive)) measureLoads(cos, work, t);
  return true;
}

/** Subtracts the symmetric part of ∂f/∂q from the tangent stiffness and fixes prescribed unknowns. */
export function closeTangent(cos: CosseratRod, work: Workspace): void {
  if (dependsOnState(cos.drive)) subtractSymmetricPart(work.matrix, work.loadJacobian);
  for (let d = 0; d < cos.size; d++) if (cos.fixed[d]) fixUnknown(work.matrix, d);
}

/** Below this, relative to the softer bending stiffness, an eigenvalue counts as zero: free rigid motion, free spin. */
export function zeroShift(cos: CosseratRod): number {
  return Math.max(1e-4 / pow(cos.edgeCount, 4), 1e-15 * stiffEnough(cos));
}

/** Writes ∂f/∂q of the loads at the current state to work.loadJacobian. */
export function measureLoads(cos: CosseratRod, work: Workspace, t: number): void {
  const before = cos.q.slice();
  measureLoadJacobian(work.loadJacobian, {
    rod: cos.rod,
    drive: cos.drive,
    samples: cos.samples,
    loadFactor: cos.loadFactor,
    stride: 6,
    move(step, sign) {
      moveBy(cos, step, sign);
      measureStrain(cos);
    },
    restore: () => cos.q.set(before),
    writeForce(out) {
      evaluateLoads(cos, t);
      out.fill(0);
      subtractLoads(cos, out);
      for (let d = 0; d < out.length; d++) out[d] = -out[d];
    },
    addTurnOrder(add, force) {
      for (let j = 0; j < cos.edgeCount; j++)
        addCross(add, [6 * j + 3, 6 * j + 3], force.subarray(6 * j + 3, 6 * j + 6), -0.5);
    },
  });
  measureStrain(cos);
  evaluateLoads(cos, t);
}
