/**
 * Natural modes about the current state, by subspace iteration, and the matrices M, K, C. Massless unknowns (quasistatic twist) follow the others.
 */

import { addEntry, clearBand } from '../../linalg/bandMatrix.ts';
import type { Matrices, Modes } from '../../model.ts';
import { collectMatrices, findBandedModes } from '../bandedModes.ts';
import { addElasticHessian } from './energy.ts';
import { evaluatePins, rebuildFrames } from './kinematics.ts';
import type { DerRod } from './rod.ts';
import type { Workspace } from './stage.ts';
import { assembleTangent, closeTangent, stiffEnough } from './tangent.ts';

const STATIC = { inertia: 0, rate: 0 };
const UNKNOWNS = { stride: 4, twist: 3, canFlutter: true };

function findModes(der: DerRod, work: Workspace, t: number, count: number): Modes {
  evaluatePins(der, t);
  rebuildFrames(der, work.edgeWork);
  assembleTangent(der, work, { t, ...STATIC }, { multiple: stiffEnough(der), edges: 'inextensible' });
  return findBandedModes(der, work, UNKNOWNS, () => closeTangent(der, work), count);
}

/** Adds damping to work.matrix: mass part, viscous bend and twist, viscous stretch. */
export function assembleDamping(der: DerRod, work: Workspace): void {
  const { size, mass, massDamping, nodeCount, edgeDamping } = der;
  clearBand(work.matrix);
  addElasticHessian(work.matrix, work.residual, der, new Float64Array(size), 1, 'viscous');
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

function exportMatrices(der: DerRod, work: Workspace, t: number): Matrices {
  evaluatePins(der, t);
  rebuildFrames(der, work.edgeWork);
  const axes = ['x', 'y', 'z'];
  return collectMatrices(der, work, {
    labelOf: (d) => ((d & 3) === 3 ? `edge ${d >> 2} twist` : `node ${d >> 2} ${axes[d & 3]}`),
    assembleStiffness() {
      assembleTangent(der, work, { t, ...STATIC }, { multiple: stiffEnough(der), edges: 'inextensible' });
      closeTangent(der, work);
    },
    assembleDamping: () => assembleDamping(der, work),
  });
}

export interface ModalParts {
  readonly findModes: typeof findModes;
  readonly exportMatrices: typeof exportMatrices;
}

/** Part of `der` that finds natural modes and exports matrices; see `createDerModel`. */
export const modalParts: ModalParts = { findModes, exportMatrices };
