/** The tangent stiffness including that of the loads: for Newton at rest, stability verdicts, modes. */

import { clearBand, fixUnknown } from '../../linalg/bandMatrix.ts';
import { hypot, pow, square } from '../../math/rounded/index.ts';
import type { SoftenedEdges } from '../../statics/softenedEdges.ts';
import {
  type AddToJacobian,
  addCross,
  dependsOnState,
  measureLoadJacobian,
  subtractSymmetricPart,
} from '../loadJacobian.ts';
import { cloneArrays, copyArrays } from '../snapshot.ts';
import { followCenterline } from './kinematics.ts';
import type { DerRod } from './rod.ts';
import { evaluateLoads, evaluateStage, type Stage, setPenalties, subtractLoads, type Workspace } from './stage.ts';

export interface EdgeCap {
  readonly multiple: number;
  readonly edges: 'all' | 'inextensible';
}

/**
 * Stretch relative to bending that is stiff enough for n edges and no stiffer: its softness shifts a threshold by about
 * 40/(n² × this); its stiffness costs digits, of which a fine rod has few, since its softest mode is 100/n⁴ of the stiffest.
 */
export function stiffEnough(der: DerRod): number {
  return Math.max(10, 1e3 * Math.min(1, square(100 / der.edgeCount)));
}

/**
 * Below this, relative to the nodes' softer bending stiffness, an eigenvalue counts as zero: free rigid motion, free spin,
 * the plane that a round column buckles in. The softest bending mode has about 100 (ds/L)⁴; rounding of stretch sets the floor.
 */
export function zeroModeShift(der: DerRod): number {
  return Math.max(1e-4 / pow(der.edgeCount, 4), 1e-15 * stiffEnough(der));
}

/**
 * Tangent stiffness of the rod (with inertia and rate terms as in the stage) at the current state, and ∂f/∂q of its loads separately; `closeTangent`
 * combines the two. `cap` limits the stiffness of edges to a multiple of that of bending: otherwise rounding of a very stiff stretch would hide soft modes
 * and the signs of eigenvalues.
 */
export function assembleTangent(der: DerRod, work: Workspace, stage: Stage, cap: EdgeCap): boolean {
  setCappedPenalties(der, work, stage.inertia, cap);
  evaluateLoads(der, stage.t);
  clearBand(work.matrix);
  if (Number.isNaN(evaluateStage(der, work, stage, work.matrix))) return false;
  work.loadJacobian.asymmetry = 0;
  if (stage.rate === 0 && dependsOnState(der.drive)) measureLoads(der, work, stage.t);
  return true;
}

/** Stretch stiffness as natural modes have it. */
export function setModalPenalties(der: DerRod, work: Workspace): void {
  setCappedPenalties(der, work, 0, { multiple: stiffEnough(der), edges: 'inextensible' });
}

function setCappedPenalties(der: DerRod, work: Workspace, inertia: number, cap: EdgeCap): void {
  setPenalties(der, work, inertia);
  for (let j = 0; j < der.edgeCount; j++) {
    if (cap.edges === 'inextensible' && der.edgeStiffness[j] < Infinity) continue;
    const bending = Math.max(der.stiffnessScale[4 * j], der.stiffnessScale[j + 1 < der.nodeCount ? 4 * j + 4 : 0]);
    // under tension a rod is stiffer than its bending: stretch must stay well above that too
    const tension = Math.abs(der.edgeTension[j]) / der.edgeLength[j];
    work.edgePenalty[j] = Math.min(work.edgePenalty[j], cap.multiple * bending + 1e5 * tension);
  }
}

/** The edges, of which the matrix has the stiffness `work.edgePenalty`. */
export function accessEdges(
  { edgeTangent, edgeStiffness, edgeCount, nodeCount, fixed }: DerRod,
  work: Workspace,
): SoftenedEdges {
  const end = (j: number): number => (j + 1 < nodeCount ? 4 * j + 4 : 0);
  return {
    error: work.edgeError,
    penalty: work.edgePenalty,
    stiffness: edgeStiffness,
    isHeld: (j) => [0, 1, 2].every((k) => fixed[4 * j + k] && fixed[end(j) + k]),
    writeStretch(out, x) {
      for (let j = 0; j < edgeCount; j++) {
        const [a, b] = [4 * j, end(j)];
        out[j] = 0;
        for (let k = 0; k < 3; k++) out[j] += edgeTangent[3 * j + k] * (x[b + k] - x[a + k]);
      }
    },
    addPull(out, force) {
      for (let j = 0; j < edgeCount; j++) {
        const [a, b] = [4 * j, end(j)];
        for (let k = 0; k < 3; k++) {
          if (!fixed[a + k]) out[a + k] += force[j] * edgeTangent[3 * j + k];
          if (!fixed[b + k]) out[b + k] -= force[j] * edgeTangent[3 * j + k];
        }
      }
    },
  };
}

/** Subtracts the symmetric part of ∂f/∂q from the tangent stiffness and fixes prescribed unknowns. */
export function closeTangent(der: DerRod, work: Workspace): void {
  if (dependsOnState(der.drive)) subtractSymmetricPart(work.matrix, work.loadJacobian);
  for (let d = 0; d < der.size; d++) if (der.fixed[d]) fixUnknown(work.matrix, d);
}

/** Quantities that change when the rod is moved. */
const MOVED = ['q', 'edgeReference', 'jointReferenceTwist', 'edgeTangent'] as const;

/** ∂f/∂q at the current state, into work.loadJacobian. */
export function measureLoads(der: DerRod, work: Workspace, t: number): void {
  const { q } = der;
  const before = cloneArrays(der, MOVED);
  measureLoadJacobian(work.loadJacobian, {
    rod: der.rod,
    drive: der.drive,
    samples: der.samples,
    loadFactor: der.loadFactor,
    stride: 4,
    move(step, sign) {
      for (let d = 0; d < step.length; d++) q[d] += sign * step[d];
      followCenterline(der, work.edgeWork);
    },
    restore: () => copyArrays(der, before, MOVED),
    writeForce(out) {
      evaluateLoads(der, t);
      out.fill(0);
      subtractLoads(der, out);
      for (let d = 0; d < out.length; d++) out[d] = -out[d];
    },
    addTurnOrder: (add, force) => addTurnOrder(der, add, force),
  });
  followCenterline(der, work.edgeWork);
  evaluateLoads(der, t);
}

/** The director that an edge carries along ends turned by t·(a × b) if its tangent t moves by a and b in the other order. */
function addTurnOrder({ q, edgeTangent, edgeCount, nodeCount }: DerRod, add: AddToJacobian, force: Float64Array): void {
  for (let j = 0; j < edgeCount; j++) {
    const torque = force[4 * j + 3];
    if (torque === 0) continue;
    const [from, to] = [4 * j, 4 * ((j + 1) % nodeCount)];
    const length = hypot(q[to] - q[from], q[to + 1] - q[from + 1], q[to + 2] - q[from + 2]);
    const tangent = edgeTangent.subarray(3 * j, 3 * j + 3);
    for (const row of [from, to])
      for (const column of [from, to])
        addCross(add, [row, column], tangent, ((row === column ? -0.5 : 0.5) * torque) / (length * length));
  }
}
