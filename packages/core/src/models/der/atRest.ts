/** The equations of a rod at rest, for equilibria of linked rods: implements RestRod for contact/links/statics.ts. */

import type { OutsideForces, RestEdges, RestRod } from '../../model.ts';
import type { NewtonResult } from '../../statics/search.ts';
import { type BandedEvaluation, evaluateBanded, readBandEntries } from '../bandedRest.ts';
import { dependsOnState } from '../loadJacobian.ts';
import { clearContact } from './contactSides.ts';
import { evaluatePins, followCenterline, placePinned, poseSamples, spreadHeldTwist } from './kinematics.ts';
import { limitStep, measureConvergence, takeStep, writeRightSide } from './newton.ts';
import type { DerRod } from './rod.ts';
import { createSnapshot, returnToSnapshot, takeSnapshot } from './snapshot.ts';
import { createWorkspace, evaluateLoads, evaluateStage, setPenalties } from './stage.ts';
import { assembleTangent, closeTangent, measureLoads, stiffEnough, zeroModeShift } from './tangent.ts';

const ROTATION = 0.5;

/** Unknowns of an edge's nodes and turn: 4 per node, its position and the twist of the edge after it. */
function listEdgeUnknowns({ nodeCount }: DerRod, edge: number, of: 'nodes-and-turn' | 'nodes'): number[] {
  const a = 4 * edge;
  const b = 4 * ((edge + 1) % nodeCount);
  return [a, a + 1, a + 2, b, b + 1, b + 2, ...(of === 'nodes-and-turn' ? [a + 3] : [])];
}

/** The coordinates of an edge that links read are unknowns of the rod, so all derivatives are 0 or 1. */
function createEdgeAccess(der: DerRod): RestEdges {
  const { stiffnessScale: scale, rod, size } = der;
  return {
    nodeOf: (d) => d >> 2,
    listEdgeUnknowns: (edge, of) => listEdgeUnknowns(der, edge, of),
    writeEdgeRates(out, _, of) {
      const n = of === 'nodes-and-turn' ? 7 : 6;
      for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) out[n * i + j] = i === j ? 1 : 0;
    },
    edgeScale(edge, of) {
      if (of === 'turn') return scale[4 * edge + 3];
      return Math.max(...listEdgeUnknowns(der, edge, 'nodes').map((d) => scale[d]));
    },
    measureMove(direction) {
      let move = 0;
      for (let d = 0; d < size; d++) if ((d & 3) !== 3) move = Math.max(move, Math.abs(direction[d]));
      return move;
    },
    measureTurn(direction) {
      let turn = 0;
      for (let d = 4; d < size; d++) {
        const edge = rod.edgeLengthRest[Math.min((d >> 2) - 1, rod.edgeCount - 1)];
        const change = (d & 3) === 3 ? direction[d] : (direction[d] - direction[d - 4]) / edge;
        turn = Math.max(turn, Math.abs(change));
      }
      return turn;
    },
  };
}

/** Implements RestRod: the part of `der` for equilibria and modes of linked rods. */
export function createRestRod(der: DerRod): RestRod {
  // no shared work space: the work space of all linked rods is in use at once
  const work = createWorkspace(der);
  const snapshot = createSnapshot(der);
  const { size } = der;
  const shift = zeroModeShift(der);
  const result: NewtonResult = { converged: false, iterations: 0, shifts: 0, residual: 0, tolerance: 0, reason: '' };
  return {
    size,
    q: der.q,
    ...createEdgeAccess(der),
    writeDisplacement(out) {
      for (let d = 0; d < size; d++) out[d] = der.q[d] - snapshot.q[d];
    },
    move(direction, amount) {
      for (let d = 0; d < size; d++) if (!der.fixed[d]) der.q[d] += amount * direction[d];
    },
    fixed: der.fixed,
    scale: der.stiffnessScale,
    zero: der.softScale.map((soft) => shift * soft),
    residual: work.residual,
    step: work.step,
    ...readBandEntries(work.matrix, size),
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
    finish: (isEquilibrium) => finishAtRest(der, isEquilibrium),
    applyForces: (outside) => applyForces(der, outside),
  };
}

type Workspace = ReturnType<typeof createWorkspace>;

/** Moves pins to time t; false if the state is impossible. */
function placeAtRest(der: DerRod, work: Workspace, t: number): boolean {
  clearContact(der, 'none');
  der.material?.beginRest();
  const before = der.held.theta.slice();
  evaluatePins(der, t);
  spreadHeldTwist(der, before, undefined);
  placePinned(der, der.q, undefined);
  der.v.fill(0);
  const isPossible = followCenterline(der, work.edgeWork);
  poseSamples(der);
  return isPossible;
}

/** Residual and matrix at the current state; returns the sum of force magnitudes [N], or NaN. */
function evaluateAtRest(der: DerRod, work: Workspace, t: number, what: Parameters<RestRod['evaluate']>[1]): number {
  const stage = { t, inertia: 0, rate: 0 };
  if (!followCenterline(der, work.edgeWork)) return Number.NaN;
  // links read the edges' frames
  poseSamples(der);
  const { matrix, loadJacobian } = work;
  const evaluation: BandedEvaluation = {
    matrix,
    loadJacobian,
    assembleTangent() {
      if (!assembleTangent(der, work, stage, { multiple: stiffEnough(der), edges: 'all' })) return false;
      closeTangent(der, work);
      return true;
    },
    prepare() {
      setPenalties(der, work, 0);
      evaluateLoads(der, t);
    },
    evaluateStage: (to) => evaluateStage(der, work, stage, to),
    hasLiveLoads: dependsOnState(der.drive),
    measureLoads: () => measureLoads(der, work, t),
  };
  return evaluateBanded(evaluation, what);
}

/** Leaves the rod at rest, without forces of links. */
function finishAtRest(der: DerRod, isEquilibrium: boolean): void {
  der.loadFactor = 1;
  clearContact(der, 'others-follow');
  der.v.fill(0);
  der.acceleration.fill(0);
  der.history.fill(0);
  der.material?.endRest(isEquilibrium);
  poseSamples(der);
}

/** Sets the forces of links on the rod, as after a step: reactions of pins then include them. */
function applyForces(der: DerRod, { nodeForce, edgeTorque }: OutsideForces): void {
  if (!der.contact) return;
  der.contact.nodeForce.set(nodeForce);
  for (let o = 0; o < 3 * der.edgeCount; o++) der.contact.edgeTorque[o] = edgeTorque[(o / 3) | 0] * der.edgeTangent[o];
}
