/** Initial velocities and accelerations of a motion. */
import { square } from '../../math/rounded/index.ts';
import { writeBiasAcceleration } from './acceleration.ts';
import { evaluateLoads, type Stage, type Workspace } from './energy.ts';
import type { Hold } from './hold.ts';
import { addMultipliers, measureGap, projectRates, respondHold, weighHold } from './holdSolve.ts';
import {
  measurePinRate,
  measureRootRate,
  placeRoot,
  poseRod,
  writeAllJacobians,
  writeVelocities,
} from './kinematics.ts';
import { solveStage } from './newton.ts';
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

/** Largest gap at the end that counts as an error of the fit, relative to the length. */
const FIT_GAP = 0.01;

/** Elements that were fitted to a curve miss its end by a little: the smallest bend that brings it to its pin. A pin that is elsewhere pulls at once. */
export function closeGap(h: HelixRod, w: Workspace, hold: Hold): void {
  placeRoot(h, 0);
  poseRod(h, h.q);
  if (measureGap(h, hold) > FIT_GAP) return;
  const natural = h.kappaRest.slice();
  const fitted = h.q.slice();
  const stage: Stage = { t: 0, inertia: 0, rate: 0 };
  h.kappaRest.set(h.q);
  w.kappaBefore.set(h.q);
  h.loadFactor = 0;
  const options = { tolerance: 1e-12, iterations: 50, rotation: 1 };
  weighHold(h, hold, 0);
  if (!solveStage(h, w, stage, options).converged) h.q.set(fitted);
  h.loadFactor = 1;
  h.kappaRest.set(natural);
  hold.multiplier.fill(0);
}

/** Rates of the last node that a pin's rates (velocity, spin) require beyond those that it has already; as the rows of a hold. */
function goalOf(
  h: HelixRod,
  pinRate: Float64Array,
  velocity: ArrayLike<number>,
  spin: ArrayLike<number>,
): Float64Array {
  const goal = new Float64Array(6);
  for (let k = 0; k < 3; k++) {
    goal[k] = (pinRate[k] - velocity[k]) / h.length;
    goal[3 + k] = pinRate[3 + k] - spin[k];
  }
  return goal;
}

/** Rates of the curvatures `v` such that the end moves with its pin, after a factor of the mass. */
function moveEnd(h: HelixRod, w: Workspace, hold: Hold, t: number, step: number): void {
  const rate = new Float64Array(6);
  const last = 3 * (h.nodeCount - 1);
  measurePinRate(rate, hold.pin, hold.pin, t, VELOCITY_SPAN * step);
  respondHold(h, w, hold);
  projectRates(hold, h.v, goalOf(h, rate, w.target.subarray(last), w.before.subarray(last)));
}

/** Spin and its rate of a frame whose directors have the accelerations `second`: d̈ = α × d + ω × (ω × d) for d1 and d2. */
function spinRateOf(frame: Float64Array, spin: Float64Array, second: Float64Array): number[] {
  const sum = [0, 0, 0];
  for (let n = 0; n < 2; n++) {
    const d = [frame[n], frame[3 + n], frame[6 + n]];
    const along = spin[0] * d[0] + spin[1] * d[1] + spin[2] * d[2];
    const square = spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2];
    const left = d.map((x, k) => second[3 * n + k] - (along * spin[k] - square * x));
    for (let k = 0; k < 3; k++) {
      const [a, b] = [(k + 1) % 3, (k + 2) % 3];
      sum[k] += d[a] * left[b] - d[b] * left[a];
    }
  }
  // Σ d × (α × d) = (1 + t tᵀ) α
  const half = 0.5 * (sum[0] * frame[2] + sum[1] * frame[5] + sum[2] * frame[8]);
  return sum.map((x, k) => x - half * frame[3 * k + 2]);
}

/** Second rates `w.step` such that the end keeps to its pin, and the force and torque that do it; after a factor of the mass, biases in `w`. */
function accelerateEnd(h: HelixRod, w: Workspace, hold: Hold, t: number, step: number): void {
  const now = new Float64Array(6);
  const later = new Float64Array(6);
  const span = ACCELERATION_SPAN * step;
  const i = h.nodeCount - 1;
  measurePinRate(now, hold.pin, hold.pin, t, VELOCITY_SPAN * step);
  measurePinRate(later, hold.pin, hold.pin, t + span, VELOCITY_SPAN * step);
  const second = later.map((rate, k) => (rate - now[k]) / span);
  const frame = h.nodeFrame.subarray(9 * i);
  const bias = spinRateOf(frame, now.subarray(3), w.directorTarget.subarray(6 * i));
  respondHold(h, w, hold);
  const force = projectRates(hold, w.step, goalOf(h, second, w.target.subarray(3 * i), bias));
  hold.multiplier.fill(0);
  addMultipliers(h, hold, force);
}

/** The initial velocity of the scene, as closely as a clamped rod of fixed length can have it (least squares by mass). `step`: the scene's time step [s]. */
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
  factorRod(h, w.assembly, 'count-negative', 'elastic');
  for (let d = 0; d < q.length; d++) v[d] = -w.assembly.gradient[d];
  solveRod(h, w.assembly, v);
  if (h.hold) moveEnd(h, w, h.hold, t, step);
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
  factorRod(h, w.assembly, 'count-negative', 'elastic');
  for (let d = 0; d < q.length; d++) {
    const strain = q[d] - kappaRest[d] + elementDamping[(d / 3) | 0] * v[d];
    w.step[d] = -(w.assembly.gradient[d] + stiffness[d] * strain);
  }
  solveRod(h, w.assembly, w.step);
  if (h.hold) accelerateEnd(h, w, h.hold, t, step);
  const still = new Float64Array(6);
  writeVelocities(h, w.step, still, h.nodeAcceleration, w.before, undefined);
  for (let k = 0; k < h.nodeAcceleration.length; k++) h.nodeAcceleration[k] += w.target[k];
  if (!h.hasFrames) return;
  writeDirectorRates(h.directorAcceleration, h, w.before);
  for (let k = 0; k < h.directorAcceleration.length; k++) h.directorAcceleration[k] += w.directorTarget[k];
}
