/**
 * The scheme of [Bertails2006], as we read it: inertia, Coriolis forces and loads from the start of the step, elastic and
 * viscous forces from its end; one linear solve per step, by the sweep.
 *
 *   (M + h(C + D) + h² K) Δv = h (loads − M·bias − C v − K (κ − κ̄) − h K v),    κ' = κ + h (v + Δv)
 *
 * Drag D of the air is implicit too. It is of first order and gains energy where bending is soft against the weight: undamped
 * straight hair blows up within a second at any step (docs/helix.md has the damping that it needs). Adding the loads' second
 * derivative to the matrix makes it worse, because that is indefinite and nothing checks the step.
 */

import type { NewtonResult } from '../../statics/search.ts';
import { writeBiasAcceleration } from './acceleration.ts';
import { evaluateLoads, type Stage, type Workspace } from './energy.ts';
import { measureRootRate, placeRoot, poseRod, writeAllJacobians, writeVelocities } from './kinematics.ts';
import type { HelixRod } from './rod.ts';
import { factorRod, solveRod } from './sweep.ts';

const rootAcceleration = new Float64Array(6);
const result: NewtonResult = { converged: true, iterations: 1, shifts: 0, residual: 0, tolerance: 0, reason: '' };

/** Loads at the current pose with the current velocities. */
function evaluatePresentLoads(h: HelixRod, w: Workspace, t: number, dt: number): boolean {
  const stage: Stage = { t, inertia: 1, rate: 1 / dt };
  for (let k = 0; k < h.nodePosition.length; k++) w.before[k] = h.nodePosition[k] - dt * h.nodeVelocity[k];
  for (let d = 0; d < h.q.length; d++) w.kappaBefore[d] = h.q[d] - dt * h.v[d];
  w.rootRate.set(h.rootRate);
  return evaluateLoads(h, w, stage);
}

/** Gradients −f + m·a + α m v on nodes and frames, and the tensors of m (1 + hα) + hD. Accelerations are in the workspace. */
export function fillMotion(h: HelixRod, w: Workspace, dt: number): void {
  const { nodeGradient, nodeTensor, nodeSpin, nodeMoment } = w.assembly;
  const { loads, nodeMass, nodeDamping, nodeVelocity, nodeInertia, nodeFrame, directorRate } = h;
  for (let i = 0; i < h.nodeCount; i++) {
    const m = nodeMass[i];
    for (let k = 3 * i; k < 3 * i + 3; k++)
      nodeGradient[k] = m * (w.target[k] + nodeDamping[i] * nodeVelocity[k]) - loads.nodeForce[k];
    for (let k = 6 * i; k < 6 * i + 6; k++) nodeTensor[k] = dt * loads.nodeDrag[k];
    const mass = m * (1 + dt * nodeDamping[i]);
    nodeTensor[6 * i] += mass;
    nodeTensor[6 * i + 3] += mass;
    nodeTensor[6 * i + 5] += mass;
    if (!h.hasFrames) continue;
    const half = 0.5 * nodeInertia[i];
    nodeSpin[i] = half * (1 + dt * nodeDamping[i]);
    for (let r = 0; r < 3; r++) {
      const [a, b] = [6 * i + r, 6 * i + 3 + r];
      const f1 = half * (w.directorTarget[a] + nodeDamping[i] * directorRate[a]);
      const f2 = half * (w.directorTarget[b] + nodeDamping[i] * directorRate[b]);
      for (let k = 0; k < 3; k++)
        nodeMoment[9 * i + 3 * r + k] = f1 * nodeFrame[9 * i + 3 * k] + f2 * nodeFrame[9 * i + 3 * k + 1];
    }
  }
}

/** ḋ = ω × d of d1 and d2 at the nodes; `spin` 3 per node. */
export function writeDirectorRates(out: Float64Array, h: HelixRod, spin: Float64Array): void {
  const { nodeFrame } = h;
  for (let i = 0; i < h.nodeCount; i++) {
    for (let n = 0; n < 2; n++) {
      const x = nodeFrame[9 * i + n];
      const y = nodeFrame[9 * i + 3 + n];
      const z = nodeFrame[9 * i + 6 + n];
      const o = 6 * i + 3 * n;
      out[o] = spin[3 * i + 1] * z - spin[3 * i + 2] * y;
      out[o + 1] = spin[3 * i + 2] * x - spin[3 * i] * z;
      out[o + 2] = spin[3 * i] * y - spin[3 * i + 1] * x;
    }
  }
}

export function stepSemiImplicit(h: HelixRod, w: Workspace, t: number, dt: number): NewtonResult {
  const { q, v, stiffness, kappaRest, elementDamping, elementLength, nodeVelocity, nodeAcceleration } = h;
  result.converged = false;
  placeRoot(h, t);
  poseRod(h, q);
  writeAllJacobians(h);
  if (!evaluatePresentLoads(h, w, t, dt)) return fail('a load is not a finite number');
  measureRootRate(w.rootRate, h, t, dt);
  for (let k = 0; k < 6; k++) rootAcceleration[k] = (w.rootRate[k] - h.rootRate[k]) / dt;
  writeBiasAcceleration(w.target, w.directorTarget, h, v, h.rootRate, rootAcceleration);
  fillMotion(h, w, dt);
  for (let d = 0; d < q.length; d++) w.assembly.diagonal[d] = stiffness[d] * dt * (dt + elementDamping[(d / 3) | 0]);
  if (!factorRod(h, w.assembly, 'stop-at-negative', 'elastic')) return fail('the mass matrix is singular');
  for (let d = 0; d < q.length; d++) {
    const viscous = (elementDamping[(d / 3) | 0] + dt) * v[d];
    w.step[d] = -dt * (w.assembly.gradient[d] + stiffness[d] * (q[d] - kappaRest[d] + viscous));
  }
  solveRod(h, w.assembly, w.step);
  let turn = 0;
  for (let d = 0; d < q.length; d++)
    turn = Math.max(turn, Math.abs((v[d] + w.step[d]) * dt * elementLength[(d / 3) | 0]));
  // not(<), so that NaN fails too
  if (!(turn < Math.PI)) return fail('an element turns by more than half a turn in the step');
  for (let d = 0; d < q.length; d++) {
    v[d] += w.step[d];
    q[d] += dt * v[d];
  }
  h.rootRate.set(w.rootRate);
  placeRoot(h, t + dt);
  poseRod(h, q);
  writeAllJacobians(h);
  writeVelocities(h, v, h.rootRate, w.target, w.before, undefined);
  for (let k = 0; k < nodeVelocity.length; k++) {
    nodeAcceleration[k] = (w.target[k] - nodeVelocity[k]) / dt;
    nodeVelocity[k] = w.target[k];
  }
  if (h.hasFrames) {
    writeDirectorRates(w.directorTarget, h, w.before);
    for (let k = 0; k < w.directorTarget.length; k++) {
      h.directorAcceleration[k] = (w.directorTarget[k] - h.directorRate[k]) / dt;
      h.directorRate[k] = w.directorTarget[k];
    }
  }
  result.converged = true;
  return result;
}

function fail(reason: string): NewtonResult {
  result.reason = reason;
  return result;
}
