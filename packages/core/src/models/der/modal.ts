/**
 * Natural modes about the present state, by subspace iteration, and the matrices M, K, C. Massless unknowns (quasistatic
 * twist) follow by themselves.
 */

import { SceneError } from '../../errors.ts';
import { addEntry, clearBand, factorBand, multiplyBand, solveBand } from '../../linalg/band.ts';
import { collectBand, collectDiagonal, normalizeShape } from '../../linalg/modal.ts';
import { findLowestModes } from '../../linalg/subspace.ts';
import { pow } from '../../math/rounded/index.ts';
import type { Matrices, Modes } from '../../model.ts';
import { addElasticHessian } from './energy.ts';
import { evaluatePins, rebuildFrames } from './kinematics.ts';
import type { DerRod } from './rod.ts';
import type { Workspace } from './stage.ts';
import { assembleTangent, closeTangent, stiffEnough } from './tangent.ts';

const STATIC = { inertia: 0, rate: 0 };

export function findModes(der: DerRod, work: Workspace, t: number, count: number): Modes {
  const { size, mass, fixed } = der;
  evaluatePins(der, t);
  rebuildFrames(der, work.edgeWork);
  const active = mass.map((m, d) => (fixed[d] ? 0 : m));
  assembleTangent(der, work, { t, ...STATIC }, { multiple: stiffEnough(der), edges: 'inextensible' });
  if (work.loadJacobian.asymmetry > 1e-4) {
    const remedy = 'use `run`, or take followers, torques and wind out of the scene';
    throw new SceneError(
      ['loads'],
      `rod '${der.rod.id}' has loads without a potential, and with them no natural modes; ${remedy}`,
    );
  }
  closeTangent(der, work);
  const soft = softestRatio(der);
  const shift = 1e-3 * soft;
  // K + σM may be indefinite about an unstable equilibrium: the factorisation copes, the iteration converges all the same
  factorBand(work.factor, work.matrix, shift, active, false);
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
  const omega = values.map((value) => Math.sign(value) * Math.sqrt(Math.abs(value)));
  const layout = { ...der, stride: 4, twist: 3, length: der.rod.length };
  const shapes = vectors.map((x) => normalizeShape(x, layout));
  return { rod: der.rod.id, omega, shapes };
}

/** A typical ω² of slow bending: EI/(m L⁴) from the scales of a node. */
function softestRatio(der: DerRod): number {
  let ratio = Infinity;
  for (let d = 0; d < der.size; d++)
    if (der.mass[d] > 0 && (d & 3) !== 3) ratio = Math.min(ratio, der.stiffnessScale[d] / der.mass[d]);
  return ratio / pow(der.edgeCount, 4);
}

/** Damping into work.matrix: mass part, viscous bend and twist, viscous stretch. */
export function assembleDamping(der: DerRod, work: Workspace): void {
  const { size, mass, massDamping, nodeCount, edgeDamping } = der;
  clearBand(work.matrix);
  addElasticHessian(work.matrix, work.residual, der, new Float64Array(size), 1, false);
  for (let d = 0; d < size; d++) addEntry(work.matrix, d, d, mass[d] * massDamping[d]);
  for (let j = 0; j < der.edgeCount; j++) {
    if (!(der.edgeStiffness[j] < Infinity)) continue;
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    const c = edgeDamping[j] * der.edgeStiffness[j];
    for (let i = 0; i < 3; i++) {
      for (let k = 0; k < 3; k++) {
        const value = c * der.edgeTangent[3 * j + i] * der.edgeTangent[3 * j + k];
        addEntry(work.matrix, b + i, a + k, -value);
        if (k > i) continue;
        addEntry(work.matrix, a + i, a + k, value);
        addEntry(work.matrix, b + i, b + k, value);
      }
    }
  }
}

export function exportMatrices(der: DerRod, work: Workspace, t: number): Matrices {
  const { size, mass } = der;
  evaluatePins(der, t);
  rebuildFrames(der, work.edgeWork);
  const axes = ['x', 'y', 'z'];
  const free: number[] = [];
  for (let d = 0; d < size; d++) if (!der.fixed[d]) free.push(d);
  const labels = free.map((d) => ((d & 3) === 3 ? `edge ${d >> 2} twist` : `node ${d >> 2} ${axes[d & 3]}`));
  assembleTangent(der, work, { t, ...STATIC }, { multiple: stiffEnough(der), edges: 'inextensible' });
  closeTangent(der, work);
  const stiffness = collectBand(work.matrix, free);
  assembleDamping(der, work);
  return {
    rod: der.rod.id,
    size: free.length,
    labels,
    mass: collectDiagonal(mass, free),
    stiffness,
    damping: collectBand(work.matrix, free),
  };
}
