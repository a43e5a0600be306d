/** The equations of a rod at rest, for equilibria of linked rods: implements RestRod for contact/links/statics.ts. */
import type { RestEdges, RestRod } from '../../model.ts';
import { createSamples } from '../../port.ts';
import type { NewtonResult } from '../../statics/search.ts';
import { type BandedEvaluation, evaluateBanded, readBandEntries } from '../bandedRest.ts';
import { writeTurnCurvature } from '../edgeTurn.ts';
import { dependsOnState } from '../loadJacobian.ts';
import { measureRotation } from './joint.ts';
import {
  evaluatePins,
  measureStrain,
  moveBy,
  placePinned,
  poseSamples,
  rememberHeldFrames,
  spreadHeldTwist,
} from './kinematics.ts';
import { listEdgeUnknowns, poseChords, writeMovedRates, writeTurnRates } from './linkedEdges.ts';
import { limitStep, measureConvergence, takeStep, writeRightSide } from './newton.ts';
import { capPenalties } from './restNewton.ts';
import type { CosseratRod } from './rod.ts';
import { createWorkspace, evaluateLoads, evaluateStage, type Workspace } from './stage.ts';
import { createSnapshot, returnToSnapshot, takeSnapshot } from './step.ts';
import { assembleTangent, closeTangent, measureLoads, zeroShift } from './tangent.ts';

/** Largest rotation in one iteration [rad]. */
const ROTATION = 0.5;
/** Displacement for differences: relative to an edge, and of an angle [rad]. */
const DIFFERENCE = 1e-5;

function createEdgeAccess(cos: CosseratRod): RestEdges {
  const { stiffnessScale: scale, rod, size, edgeCount, nodeCount } = cos;
  return {
    nodeOf: (d) => (d / 6) | 0,
    listEdgeUnknowns: (edge, of) => listEdgeUnknowns(cos, edge, of),
    writeEdgeRates(out, edge, of) {
      const n = of === 'nodes-and-turn' ? 9 : 6;
      for (let i = 0; i < 6; i++) for (let j = 0; j < n; j++) out[n * i + j] = i === j ? 1 : 0;
      if (of === 'nodes') return;
      writeTurnRates(out.subarray(6 * n, 7 * n), cos, edge);
    },
    writeTurnCurvature: (out, edge) =>
      writeTurnCurvature(out, {
        count: 9,
        stepOf: (unknown) => DIFFERENCE * (unknown < 6 ? rod.edgeLengthRest[edge] : 1),
        write: (rates, unknown, by) => writeMovedRates(rates, cos, edge, unknown, by),
      }),
    edgeScale(edge, of) {
      if (of === 'turn') return scale[6 * edge + 5];
      return Math.max(...listEdgeUnknowns(cos, edge, 'nodes').map((d) => scale[d]));
    },
    measureMove(direction) {
      let move = 0;
      for (let d = 0; d < size; d++) if (d % 6 < 3) move = Math.max(move, Math.abs(direction[d]));
      return move;
    },
    measureTurn(direction) {
      let largest = 0;
      for (let j = 0; j < edgeCount; j++) {
        const [a, b] = [6 * j, 6 * ((j + 1) % nodeCount)];
        for (let k = 0; k < 3; k++) {
          const stretch = (direction[b + k] - direction[a + k]) / rod.edgeLengthRest[j];
          largest = Math.max(largest, Math.abs(stretch), Math.abs(direction[a + 3 + k]));
        }
      }
      return largest;
    },
  };
}

/** Moves pins to time t; false if the state is impossible. */
function placeAtRest(cos: CosseratRod, t: number): boolean {
  cos.linkForces = undefined;
  evaluatePins(cos, t);
  spreadHeldTwist(cos);
  rememberHeldFrames(cos);
  placePinned(cos, 'pose');
  cos.v.fill(0);
  return measureStrain(cos);
}

/** Residual and matrix at the current state; returns the sum of force magnitudes [N], or NaN. */
function evaluateAtRest(
  cos: CosseratRod,
  work: Workspace,
  t: number,
  what: Parameters<RestRod['evaluate']>[1],
): number {
  if (!measureStrain(cos)) return Number.NaN;
  const { matrix, loadJacobian } = work;
  const stage = { t, rate: 0, descent: 0 };
  const evaluation: BandedEvaluation = {
    matrix,
    loadJacobian,
    assembleTangent() {
      if (!assembleTangent(cos, work, t, 'capped')) return false;
      closeTangent(cos, work);
      return true;
    },
    prepare() {
      evaluateLoads(cos, t);
      capPenalties(cos, work);
    },
    evaluateStage: (to) => evaluateStage(cos, work, stage, to),
    hasLiveLoads: dependsOnState(cos.drive),
    measureLoads: () => measureLoads(cos, work, t),
  };
  return evaluateBanded(evaluation, what);
}

/** Change of every unknown since the coordinates were `before`. */
function writeDisplacement(out: Float64Array, { q, nodeCount, edgeCount }: CosseratRod, before: Float64Array): void {
  for (let i = 0; i < nodeCount; i++) for (let k = 0; k < 3; k++) out[6 * i + k] = q[7 * i + k] - before[7 * i + k];
  for (let j = 0; j < edgeCount; j++) measureRotation(out, 6 * j + 3, before, 7 * j + 3, q, 7 * j + 3, 0);
}

/** Moves the unknowns that no pin prescribes. */
function moveFree(cos: CosseratRod, direction: Float64Array, amount: number): void {
  const free = direction.map((move, d) => (cos.fixed[d] ? 0 : move));
  moveBy(cos, free, amount);
}

/** Implements RestRod for a rod. */
export function createRestRod(cos: CosseratRod): RestRod {
  // no shared work space: the work space of all linked rods is in use at once
  const work = createWorkspace(cos);
  const snapshot = createSnapshot(cos);
  const chordSamples = createSamples(cos.rod);
  const { size } = cos;
  const zero = zeroShift(cos);
  const result: NewtonResult = { converged: false, iterations: 0, shifts: 0, residual: 0, tolerance: 0, reason: '' };
  return {
    size,
    q: cos.q,
    readChords: () => poseChords(cos, chordSamples),
    ...createEdgeAccess(cos),
    writeDisplacement: (out) => writeDisplacement(out, cos, snapshot.q),
    move: (direction, amount) => moveFree(cos, direction, amount),
    fixed: cos.fixed,
    scale: cos.stiffnessScale,
    zero: cos.softScale.map((soft) => zero * soft),
    residual: work.residual,
    step: work.step,
    ...readBandEntries(work.matrix, size),
    place(t) {
      const isPossible = placeAtRest(cos, t);
      poseChords(cos, chordSamples);
      return isPossible;
    },
    load(part) {
      cos.loadFactor = part;
    },
    evaluate(t, what) {
      const scale = evaluateAtRest(cos, work, t, what);
      poseChords(cos, chordSamples);
      return scale;
    },
    get conservative() {
      return work.loadJacobian.asymmetry <= 1e-4;
    },
    writeRight: () => writeRightSide(cos, work),
    settled(scale, tolerance) {
      const settled = measureConvergence(cos, work, { t: 0, rate: 0, descent: 0 }, { scale, tolerance }, result);
      return { settled, residual: result.residual, limit: result.tolerance };
    },
    limitStep: () => limitStep(cos, work.step, ROTATION),
    takeStep(part) {
      takeStep(cos, work, part);
    },
    hold: () => takeSnapshot(snapshot, cos),
    revert(t) {
      returnToSnapshot(cos, snapshot);
      evaluatePins(cos, t);
      measureStrain(cos);
    },
    finish: () => finishAtRest(cos),
    applyForces(outside) {
      cos.linkForces = outside;
    },
  };
}

/** Leaves the rod at rest, without forces of links. */
function finishAtRest(cos: CosseratRod): void {
  cos.loadFactor = 1;
  cos.linkForces = undefined;
  cos.v.fill(0);
  cos.acceleration.fill(0);
  // at rest the acceleration is known: it is zero
  cos.history[0] = 1;
  measureStrain(cos);
  poseSamples(cos);
}
