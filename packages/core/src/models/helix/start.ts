/** Velocities and accelerations that a motion starts with. */
import { square } from '../../math/rounded/index.ts';
import { writeBiasAcceleration } from './acceleration.ts';
import { evaluateLoads, type Workspace } from './energy.ts';
import { measureRootRate, placeRoot, poseRod, writeAllJacobians, writeVelocities } from './kinematics.ts';
import type { HelixRod } from './rod.ts';
import { fillMotion, writeDirectorRates } from './semiImplicit.ts';
import { factorRod, solveRod } from './sweep.ts';

/** Differences of the root's motion are taken over these parts of a time step: velocities, and their change. */
const VELOCITY_SPAN = 1e-3;
const ACCELERATION_SPAN = 0.1;

/** Keeps the mass matrix of a rod without polar inertia from being singular in twist; far below what has mass. */
function fillFloor(h: HelixRod, w: Workspace): void {
  const mass = h.nodeMass.reduce((sum, m) => sum + m, 0);
  for (let d = 0; d < h.q.length; d++)
    w.assembly.diagonal[d] = 1e-13 * mass * square(h.length * h.elementLength[(d / 3) | 0]);
}

/** The velocity asked for, as nearly as a clamped rod of fixed length can have it (least squares by mass). `step`: the scene's time step [s]. */
export function initializeVelocity(h: HelixRod, w: Workspace, t: number, step: number): void {
  const { rod, q, v, nodeMass, nodeInertia, nodeFrame } = h;
  const { nodeGradient, nodeTensor, nodeSpin, nodeMoment } = w.assembly;
  placeRoot(h, t);
  poseRod(h, q);
  writeAllJacobians(h);
  measureRootRate(h.rootRate, h, t, VELOCITY_SPAN * step);
  v.fill(0);
  writeVelocities(h, v, h.rootRate, w.target, w.before, undefined);
  nodeTensor.fill(0);
  w.assembly.hasEdgeMoment = false;
  for (let i = 0; i < h.nodeCount; i++) {
    for (let k = 3 * i; k < 3 * i + 3; k++) nodeGradient[k] = nodeMass[i] * (w.target[k] - rod.nodeVelocity[k]);
    for (const k of [0, 3, 5]) nodeTensor[6 * i + k] = nodeMass[i];
    nodeSpin[i] = 0.5 * nodeInertia[i];
    const spin = rod.edgeSpin[Math.min(i, rod.edgeCount - 1)];
    const turn = [0, 1, 2].map((k) => w.before[3 * i + k] - spin * nodeFrame[9 * i + 3 * k + 2]);
    nodeMoment.fill(0, 9 * i, 9 * i + 9);
    for (let n = 0; n < 2; n++) {
      const d = [0, 1, 2].map((k) => nodeFrame[9 * i + 3 * k + n]);
      for (let r = 0; r < 3; r++) {
        const rate = turn[(r + 1) % 3] * d[(r + 2) % 3] - turn[(r + 2) % 3] * d[(r + 1) % 3];
        for (let k = 0; k < 3; k++) nodeMoment[9 * i + 3 * r + k] += nodeSpin[i] * rate * d[k];
      }
    }
  }
  fillFloor(h, w);
  factorRod(h, w.assembly, false, false);
  for (let d = 0; d < q.length; d++) v[d] = -w.assembly.gradient[d];
  solveRod(h, w.assembly, v);
  writeVelocities(h, v, h.rootRate, h.nodeVelocity, w.before, undefined);
  if (h.hasFrames) writeDirectorRates(h.directorRate, h, w.before);
}

/** Accelerations of the current state, for reactions and tensions before the first step. */
export function initializeAcceleration(h: HelixRod, w: Workspace, t: number, step: number): void {
  const { q, v, stiffness, kappaRest, elementDamping } = h;
  placeRoot(h, t);
  poseRod(h, q);
  writeAllJacobians(h);
  for (let k = 0; k < h.nodePosition.length; k++) w.before[k] = h.nodePosition[k] - h.nodeVelocity[k];
  for (let d = 0; d < q.length; d++) w.kappaBefore[d] = q[d] - v[d];
  w.rootRate.set(h.rootRate);
  if (!evaluateLoads(h, w, { t, inertia: 1, rate: 1 })) return;
  const later = new Float64Array(6);
  const span = ACCELERATION_SPAN * step;
  measureRootRate(later, h, t + span, VELOCITY_SPAN * step);
  const rootAcceleration = later.map((rate, k) => (rate - h.rootRate[k]) / span);
  writeBiasAcceleration(w.target, w.directorTarget, h, v, h.rootRate, rootAcceleration);
  fillMotion(h, w, 0);
  fillFloor(h, w);
  factorRod(h, w.assembly, false, false);
  for (let d = 0; d < q.length; d++) {
    const strain = q[d] - kappaRest[d] + elementDamping[(d / 3) | 0] * v[d];
    w.step[d] = -(w.assembly.gradient[d] + stiffness[d] * strain);
  }
  solveRod(h, w.assembly, w.step);
  const still = new Float64Array(6);
  writeVelocities(h, w.step, still, h.nodeAcceleration, w.before, undefined);
  for (let k = 0; k < h.nodeAcceleration.length; k++) h.nodeAcceleration[k] += w.target[k];
  if (!h.hasFrames) return;
  writeDirectorRates(h.directorAcceleration, h, w.before);
  for (let k = 0; k < h.directorAcceleration.length; k++) h.directorAcceleration[k] += w.directorTarget[k];
}
