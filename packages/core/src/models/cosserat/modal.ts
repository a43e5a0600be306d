/** Natural modes about the present state, by subspace iteration, and the matrices M, K, C. */

import { SceneError } from '../../errors.ts';
import { addEntry, clearBand, factorBand, multiplyBand, solveBand } from '../../linalg/band.ts';
import { collectBand, collectDiagonal, normalizeShape } from '../../linalg/modal.ts';
import { findLowestModes } from '../../linalg/subspace.ts';
import { pow } from '../../math/rounded/index.ts';
import type { Matrices, Modes } from '../../model.ts';
import { addEdgeHessian, addJoints } from './energy.ts';
import { evaluatePins, measureStrain } from './kinematics.ts';
import type { CosseratRod } from './rod.ts';
import type { Workspace } from './stage.ts';
import { assembleTangent, closeTangent } from './tangent.ts';

export function findModes(cos: CosseratRod, work: Workspace, t: number, count: number): Modes {
  const { size, mass, fixed } = cos;
  evaluatePins(cos, t);
  measureStrain(cos);
  const active = mass.map((m, d) => (fixed[d] ? 0 : m));
  assembleTangent(cos, work, t, false);
  if (work.loadJacobian.asymmetry > 1e-4) {
    const remedy = 'use `run`, or take followers, torques and wind out of the scene';
    throw new SceneError(
      ['loads'],
      `rod '${cos.rod.id}' has loads without a potential, and with them no natural modes; ${remedy}`,
    );
  }
  closeTangent(cos, work);
  const soft = softestRatio(cos);
  // K + σM may be indefinite about an unstable equilibrium: the factorisation copes, the iteration converges all the same
  factorBand(work.factor, work.matrix, 1e-3 * soft, active, false);
  const { values, vectors } = findLowestModes(
    {
      mass: active,
      soft,
      solve: (y) => {
        solveBand(work.factor, work.matrix, y);
        for (let d = 0; d < size; d++) if (fixed[d]) y[d] = 0;
      },
      multiply: (y, x) => multiplyBand(y, work.matrix, x),
    },
    count,
  );
  const layout = { ...cos, stride: 6, twist: 5, length: cos.rod.length };
  return {
    rod: cos.rod.id,
    omega: values.map((value) => Math.sign(value) * Math.sqrt(Math.abs(value))),
    shapes: vectors.map((x) => normalizeShape(x, layout)),
  };
}

/** A typical ω² of slow bending: EI/(m L⁴) from the scales of a node. */
function softestRatio(cos: CosseratRod): number {
  let ratio = Infinity;
  for (let d = 0; d < cos.size; d++)
    if (cos.mass[d] > 0 && d % 6 < 3) ratio = Math.min(ratio, cos.stiffnessScale[d] / cos.mass[d]);
  return ratio / pow(cos.edgeCount, 4);
}

export function exportMatrices(cos: CosseratRod, work: Workspace, t: number): Matrices {
  const { size, mass, massDamping, edgeDamping, edgeStiffness, edgeForce } = cos;
  evaluatePins(cos, t);
  measureStrain(cos);
  const names = ['x', 'y', 'z', 'rotation d1', 'rotation d2', 'rotation d3'];
  const free: number[] = [];
  for (let d = 0; d < size; d++) if (!cos.fixed[d]) free.push(d);
  const labels = free.map((d) => `${d % 6 < 3 ? 'node' : 'edge'} ${(d / 6) | 0} ${names[d % 6]}`);
  assembleTangent(cos, work, t, false);
  closeTangent(cos, work);
  const stiffness = collectBand(work.matrix, free);
  // damping: mass part, and what β makes of the elastic stiffness without its geometric part
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
  return {
    rod: cos.rod.id,
    size: free.length,
    labels,
    mass: collectDiagonal(mass, free),
    stiffness,
    damping: collectBand(work.matrix, free),
  };
}

/** Hessian of joints that rest where they are now, with their stiffness times β. */
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
