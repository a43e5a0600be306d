/** A rod on its way to a joint equilibrium with linked rods; see RestRod and contact/links/statics.ts. */

import { BAND_WIDTH, clearBand, readEntry } from '../../linalg/bandMatrix.ts';
import type { RestRod } from '../../model.ts';
import type { NewtonResult } from '../../statics/search.ts';
import { dependsOnState, subtractSymmetricPart } from '../loadJacobian.ts';
import { clearContact } from './contactSides.ts';
import { evaluatePins, followCenterline, placePinned, poseSamples, spreadHeldTwist } from './kinematics.ts';
import { limitStep, measureConvergence, takeStep, writeRightSide } from './newton.ts';
import type { DerRod } from './rod.ts';
import { createSnapshot, returnToSnapshot, takeSnapshot } from './snapshot.ts';
import { createWorkspace, evaluateLoads, evaluateStage, setPenalties } from './stage.ts';
import { assembleTangent, closeTangent, measureLoads, stiffEnough, zeroModeShift } from './tangent.ts';

const ROTATION = 0.5;

/** Entries of the matrix: the band, and for a ring the rows of its border. */
function listPairs(size: number, border: number): [number, number][] {
  const pairs: [number, number][] = [];
  for (let i = 0; i < size; i++) for (let j = 0; j <= i; j++) if (i - j <= BAND_WIDTH || j < border) pairs.push([i, j]);
  return pairs;
}

export function createRestRod(der: DerRod): RestRod {
  // rods usually share work space, but here all of them are in use at once
  const work = createWorkspace(der);
  const snapshot = createSnapshot(der);
  const { size } = der;
  const pairs = listPairs(size, work.matrix.borderSize);
  const shift = zeroModeShift(der);
  const result: NewtonResult = { converged: false, iterations: 0, shifts: 0, residual: 0, tolerance: 0, reason: '' };
  return {
    size,
    q: der.q,
    fixed: der.fixed,
    scale: der.stiffnessScale,
    zero: der.softScale.map((soft) => shift * soft),
    residual: work.residual,
    step: work.step,
    pairs,
    readMatrix(out) {
      pairs.forEach(([i, j], k) => {
        out[k] = readEntry(work.matrix, i, j);
      });
    },
    place: (t) => placeAtRest(der, work, t),
    load(part) {
      der.loadFactor = part;
    },
    evaluate: (t, what) => evaluateAtRest(der, work, t, what),
    get conservative() {
      return work.loadJacobian.asymmetry <= 1e-4;
    },
    writeRight: () => writeRightSide(der, work),
    settled(scale, tolerance) {
      const settled = measureConvergence(der, work, { t: 0, inertia: 0, rate: 0 }, scale, tolerance, result);
      return { settled, residual: result.residual, limit: result.tolerance };
    },
    limitStep: () => limitStep(der, work.step, ROTATION),
    takeStep(part) {
      takeStep(der, work, part);
    },
    hold: () => takeSnapshot(snapshot, der),
    revert: (t) => returnToSnapshot(der, snapshot, work, t),
    finish(outside) {
      finishAtRest(der, outside);
    },
  };
}

type Workspace = ReturnType<typeof createWorkspace>;

/** Moves pins to time t; false if the state is impossible. */
function placeAtRest(der: DerRod, work: Workspace, t: number): boolean {
  clearContact(der, false);
  const before = der.held.theta.slice();
  evaluatePins(der, t);
  spreadHeldTwist(der, before, undefined);
  placePinned(der, der.q, undefined);
  der.v.fill(0);
  return followCenterline(der, work.edgeWork);
}

/** Residual and matrix at the current state; returns the sum of force magnitudes [N], or NaN. */
function evaluateAtRest(der: DerRod, work: Workspace, t: number, what: Parameters<RestRod['evaluate']>[1]): number {
  const stage = { t, inertia: 0, rate: 0 };
  if (!followCenterline(der, work.edgeWork)) return Number.NaN;
  // links read the edges' frames
  poseSamples(der);
  work.loadJacobian.asymmetry = 0;
  if (what === 'tangent') {
    if (!assembleTangent(der, work, stage, { multiple: stiffEnough(der), edges: 'all' })) return Number.NaN;
    closeTangent(der, work);
    return 0;
  }
  setPenalties(der, work, 0);
  evaluateLoads(der, t);
  if (what === 'residual') return evaluateStage(der, work, stage, undefined);
  clearBand(work.matrix);
  const scale = evaluateStage(der, work, stage, work.matrix);
  if (!dependsOnState(der.drive) || Number.isNaN(scale)) return scale;
  measureLoads(der, work, t);
  subtractSymmetricPart(work.matrix, work.loadJacobian);
  return scale;
}

/** Leaves the rod at rest with the forces of the links on it, as after a step: reactions of pins then include them. */
function finishAtRest(der: DerRod, outside: ArrayLike<number>): void {
  der.loadFactor = 1;
  clearContact(der, true);
  for (let d = 0; d < der.size && der.contact; d++) {
    if ((d & 3) < 3) der.contact.nodeForce[3 * (d >> 2) + (d & 3)] = outside[d];
    else
      for (let o = 3 * (d >> 2); o < 3 * (d >> 2) + 3; o++) der.contact.edgeTorque[o] = outside[d] * der.edgeTangent[o];
  }
  der.v.fill(0);
  der.acceleration.fill(0);
  der.history.fill(0);
  poseSamples(der);
}
