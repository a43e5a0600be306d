/** Natural modes about the current state, by subspace iteration, and the matrices M, K, C. */

import { addEntry, clearBand } from '../../linalg/bandMatrix.ts';
import type { Matrices, Modes } from '../../model.ts';
import { collectMatrices, findBandedModes } from '../bandedModes.ts';
import { addEdgeHessian, addJoints } from './energy.ts';
import { evaluatePins, measureStrain } from './kinematics.ts';
import type { CosseratRod } from './rod.ts';
import type { Workspace } from './stage.ts';
import { assembleTangent, closeTangent } from './tangent.ts';

const UNKNOWNS = { stride: 6, twist: 5, canFlutter: false };

export function findModes(cos: CosseratRod, work: Workspace, t: number, count: number): Modes {
  evaluatePins(cos, t);
  measureStrain(cos);
  assembleTangent(cos, work, t, 'exact');
  return findBandedModes(cos, work, UNKNOWNS, () => closeTangent(cos, work), count);
}

export function exportMatrices(cos: CosseratRod, work: Workspace, t: number): Matrices {
  evaluatePins(cos, t);
  measureStrain(cos);
  const names = ['x', 'y', 'z', 'rotation d1', 'rotation d2', 'rotation d3'];
  return collectMatrices(cos, work, {
    labelOf: (d) => `${d % 6 < 3 ? 'node' : 'edge'} ${(d / 6) | 0} ${names[d % 6]}`,
    assembleStiffness() {
      assembleTangent(cos, work, t, 'exact');
      closeTangent(cos, work);
    },
    assembleDamping: () => assembleDamping(cos, work),
  });
}

/** Writes the damping matrix to work.matrix: mass damping, and β times the elastic stiffness without its geometric part. */
function assembleDamping(cos: CosseratRod, work: Workspace): void {
  const { size, mass, massDamping, edgeDamping, edgeStiffness, edgeForce } = cos;
  clearBand(work.matrix);
  addViscousJoints(cos, work);
  const force = edgeForce.slice();
  edgeForce.fill(0);
  for (let j = 0; j < cos.edgeCount; j++) {
    for (let k = 0; k < 3; k++) {
      const s = edgeStiffness[3 * j + k];
      work.edgePenalty[3 * j + k] = s < Infinity ? edgeDamping[j] * s : 0;
    }
    addEdgeHessian(work.matrix, cos, j, work.edgePenalty);
  }
  edgeForce.set(force);
  for (let d = 0; d < size; d++) addEntry(work.matrix, d, d, mass[d] * massDamping[d]);
}

/** Hessian of joints whose rest state is the current one, with stiffness times β. */
function addViscousJoints(cos: CosseratRod, work: Workspace): void {
  const { joints, jointRotation } = cos;
  const stiffness = joints.stiffness.slice();
  const rest = joints.rest.slice();
  for (let o = 0; o < stiffness.length; o++) {
    joints.stiffness[o] *= joints.freeSpin[(o / 3) | 0] ? 0 : joints.damping[(o / 3) | 0];
    joints.rest[o] = jointRotation[o];
  }
  addJoints(cos, new Float64Array(cos.size), work.matrix, undefined, 0);
  joints.stiffness.set(stiffness);
  joints.rest.set(rest);
}
